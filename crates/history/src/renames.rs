//! Pairs of a deleted and an added path that are one file under a new name.
//!
//! The bounds count the paths and bytes of one comparison only: whether a rename is seen must not
//! depend on what else is read in the same run.

use crate::rows::ChangeKind;
use crate::similarity::Fingerprint;
use crate::touched::{Side, TreeChange};
use gix::bstr::{BStr, BString, ByteSlice};
use rustc_hash::FxHashMap;

/// Share of bytes that makes two files one.
const SIMILAR: u32 = 50;
/// Share of bytes that settles a pair with the same unique file name at once.
const SIMILAR_SAME_NAME: u32 = 75;
/// Comparisons of every deleted with every added path, at most.
const MAX_PAIRS: usize = 2_500;
/// Pairs with the same file name that are compared, at most.
const MAX_SAME_NAME: usize = 200;
/// Blobs larger than this are not compared.
const MAX_BLOB: usize = 512 * 1024;
/// Bytes of blobs read for one comparison, at most.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A changed path, with the path it had before where it was renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathChange {
    pub path: BString,
    pub from: Option<BString>,
    pub kind: ChangeKind,
    pub old: Option<Side>,
    pub new: Option<Side>,
}

/// Reads the bytes of a blob; `None` when it is not there.
pub(crate) type ReadBlob<'a> = dyn FnMut(gix::ObjectId) -> Option<Vec<u8>> + 'a;

/// Turns changes of single paths into changes of files, in the order of paths.
pub(crate) fn with_renames(changes: Vec<TreeChange>, read: &mut ReadBlob<'_>) -> Vec<PathChange> {
    let deleted: Vec<&TreeChange> = changes.iter().filter(|change| change.new.is_none()).collect();
    let added: Vec<&TreeChange> = changes.iter().filter(|change| change.old.is_none()).collect();
    if deleted.is_empty() || added.is_empty() {
        return changes.into_iter().map(plain).collect();
    }
    let mut pairing = Pairing {
        from: vec![None; added.len()],
        taken: vec![false; deleted.len()],
        deleted,
        added,
    };
    pairing.exact();
    let mut prints = Prints { read, bytes: 0, known: FxHashMap::default() };
    pairing.same_name(&mut prints);
    pairing.similar(&mut prints);
    let renamed: FxHashMap<BString, BString> = pairing.renames().collect();
    join(changes, &renamed)
}

fn plain(change: TreeChange) -> PathChange {
    let kind = match (&change.old, &change.new) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    };
    PathChange { path: change.path, from: None, kind, old: change.old, new: change.new }
}

fn join(changes: Vec<TreeChange>, renamed: &FxHashMap<BString, BString>) -> Vec<PathChange> {
    let mut sources: FxHashMap<&BString, Option<Side>> =
        renamed.values().map(|from| (from, None)).collect();
    for change in &changes {
        if let Some(side) = sources.get_mut(&change.path) {
            *side = change.old;
        }
    }
    let mut files = Vec::with_capacity(changes.len());
    for change in &changes {
        if sources.contains_key(&change.path) {
            continue;
        }
        let mut file = plain(change.clone());
        if let Some(from) = renamed.get(&change.path) {
            file.kind = ChangeKind::Renamed;
            file.old = sources.get(from).copied().flatten();
            file.from = Some(from.clone());
        }
        files.push(file);
    }
    files
}

struct Pairing<'a> {
    deleted: Vec<&'a TreeChange>,
    added: Vec<&'a TreeChange>,
    /// Deleted path each added path came from.
    from: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairing<'_> {
    fn pair(&mut self, added: usize, deleted: usize) {
        self.from[added] = Some(deleted);
        self.taken[deleted] = true;
    }

    fn renames(&self) -> impl Iterator<Item = (BString, BString)> {
        let pairs = self.from.iter().enumerate();
        pairs.filter_map(|(added, from)| {
            from.map(|from| (self.added[added].path.clone(), self.deleted[from].path.clone()))
        })
    }

    /// Pairs equal blobs, those with the same file name first. Empty files are all equal, so for
    /// them the name must agree too.
    fn exact(&mut self) {
        let mut by_id: FxHashMap<gix::ObjectId, Vec<usize>> = FxHashMap::default();
        for (number, change) in self.deleted.iter().enumerate() {
            if let Some(side) = change.old {
                by_id.entry(side.id).or_default().push(number);
            }
        }
        for names_agree in [true, false] {
            for added in 0..self.added.len() {
                let Some(side) = self.added[added].new.filter(|_| self.from[added].is_none())
                else {
                    continue;
                };
                let candidates = by_id.get(&side.id).map(Vec::as_slice).unwrap_or_default();
                let fits = |&&deleted: &&usize| {
                    let same_name = file_name(&self.deleted[deleted].path)
                        == file_name(&self.added[added].path);
                    let same_type = self.deleted[deleted]
                        .old
                        .is_some_and(|old| old.is_file() == side.is_file());
                    !self.taken[deleted]
                        && same_type
                        && (same_name || (!names_agree && !side.id.is_empty_blob()))
                };
                if let Some(&deleted) = candidates.iter().find(fits) {
                    self.pair(added, deleted);
                }
            }
        }
    }

    fn open_added(&self) -> Vec<usize> {
        let open = |&at: &usize| {
            self.from[at].is_none() && self.added[at].new.is_some_and(|side| side.is_file())
        };
        (0..self.added.len()).filter(open).collect()
    }

    fn open_deleted(&self) -> Vec<usize> {
        let open = |&at: &usize| {
            !self.taken[at] && self.deleted[at].old.is_some_and(|side| side.is_file())
        };
        (0..self.deleted.len()).filter(open).collect()
    }

    /// Pairs files that keep a name which is unique on both sides: the move of a file or folder.
    fn same_name(&mut self, prints: &mut Prints<'_, '_>) {
        let (added, deleted) = (self.open_added(), self.open_deleted());
        let mut names: FxHashMap<&[u8], (Vec<usize>, Vec<usize>)> = FxHashMap::default();
        for &at in &added {
            names.entry(file_name(&self.added[at].path)).or_default().0.push(at);
        }
        for &at in &deleted {
            names.entry(file_name(&self.deleted[at].path)).or_default().1.push(at);
        }
        let unique = |&at: &usize| match names.get(file_name(&self.added[at].path)) {
            Some((one, two)) if one.len() == 1 && two.len() == 1 => Some((at, two[0])),
            _ => None,
        };
        let pairs: Vec<(usize, usize)> =
            added.iter().filter_map(unique).take(MAX_SAME_NAME).collect();
        for (added, deleted) in pairs {
            if self.score(added, deleted, prints) >= SIMILAR_SAME_NAME {
                self.pair(added, deleted);
            }
        }
    }

    /// Pairs the most similar of what is left, when there is little enough of it.
    fn similar(&mut self, prints: &mut Prints<'_, '_>) {
        let (added, deleted) = (self.open_added(), self.open_deleted());
        if added.len() * deleted.len() > MAX_PAIRS {
            return;
        }
        let mut scored = Vec::new();
        for &new in &added {
            for &old in &deleted {
                let score = self.score(new, old, prints);
                if score >= SIMILAR {
                    let other_name =
                        file_name(&self.added[new].path) != file_name(&self.deleted[old].path);
                    scored.push((std::cmp::Reverse(score), other_name, new, old));
                }
            }
        }
        scored.sort_unstable();
        for (_, _, new, old) in scored {
            if self.from[new].is_none() && !self.taken[old] {
                self.pair(new, old);
            }
        }
    }

    fn score(&self, added: usize, deleted: usize, prints: &mut Prints<'_, '_>) -> u32 {
        let (Some(new), Some(old)) = (self.added[added].new, self.deleted[deleted].old) else {
            return 0;
        };
        prints.load(new.id);
        prints.load(old.id);
        match (prints.get(new.id), prints.get(old.id)) {
            (Some(new), Some(old)) => new.similarity(old),
            _ => 0,
        }
    }
}

/// Fingerprints of the blobs of one comparison, within its budget of bytes.
struct Prints<'a, 'b> {
    read: &'a mut ReadBlob<'b>,
    bytes: usize,
    known: FxHashMap<gix::ObjectId, Option<Fingerprint>>,
}

impl Prints<'_, '_> {
    fn load(&mut self, id: gix::ObjectId) {
        if self.known.contains_key(&id) {
            return;
        }
        let blob = if self.bytes < MAX_BYTES { (self.read)(id) } else { None };
        self.bytes += blob.as_ref().map_or(0, Vec::len);
        let print = blob.filter(|blob| blob.len() <= MAX_BLOB).map(|blob| Fingerprint::of(&blob));
        self.known.insert(id, print);
    }

    fn get(&self, id: gix::ObjectId) -> Option<&Fingerprint> {
        self.known.get(&id)?.as_ref()
    }
}

fn file_name(path: &BString) -> &[u8] {
    let path: &BStr = path.as_bstr();
    path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}
