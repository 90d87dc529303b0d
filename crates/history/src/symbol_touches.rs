//! Which of today's symbols each commit touched, by changed lines mapped to spans; made only for the
//! commits and files that are asked for.

use crate::changes::Hunk;
use crate::hunks::line_hunks;
use crate::labels::{LineLabels, UNLABELLED};
use crate::repository::Repository;
use crate::rows::{CommitId, TouchRow, commit_flag};
use crate::touched::tree_changes;
use crate::view::{CommitView, HistoryView};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use gix::prelude::FindExt;
use rustc_hash::FxHashMap;

/// Bytes of trees that are kept while commits are compared.
const TREE_CACHE: usize = 32 * 1024 * 1024;
/// Bytes of packed objects that are kept because others are stored as differences from them.
const DELTA_CACHE: usize = 64 * 1024 * 1024;
/// Bytes of texts that are kept because the next older commit of the file needs them again.
const MAX_KEPT: usize = 64 * 1024 * 1024;
/// Larger files are not compared line by line.
const MAX_BLOB: usize = 4 * 1024 * 1024;
/// Commits that touch more files are compared tree by tree, not path by path.
const MAX_LOOKUPS: usize = 4;

/// The newest text of a file with the labels of its lines.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub text: Vec<u8>,
    pub labels: LineLabels,
}

/// What is asked for.
pub struct TouchQuery<'a> {
    /// Numbers of files, rising; `None` for every file.
    pub files: Option<&'a [u32]>,
    /// Commits that are looked at, newest first; numbers rise.
    pub commits: &'a [u32],
    /// Gives the newest text of a file by its number; `None` for a file that is of no interest.
    pub outline: &'a dyn Fn(u32) -> Option<Outline>,
}

/// One commit changed lines of one symbol, or lines of a file that belong to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolTouch {
    /// Number of the commit.
    pub commit: u32,
    /// Number of the file, as it is called at the head.
    pub file: u32,
    /// Label that the outline gave, or [`UNLABELLED`].
    pub label: u32,
}

impl Repository {
    /// Returns what the commits touched, by commit, file and label, each once.
    ///
    /// A symbol that is gone has no label, so what a commit did to it counts for the file alone.
    /// Objects that are missing are passed over.
    pub fn symbol_touches(
        &self,
        history: HistoryView<'_>,
        query: &TouchQuery<'_>,
    ) -> Vec<SymbolTouch> {
        // Blobs are read once or twice, trees many times: each has the cache that serves it.
        let (mut git, mut blobs) = (self.git.clone(), self.git.clone());
        git.object_cache_size(TREE_CACHE);
        blobs.object_cache_size(None);
        blobs.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_CACHE)));
        let mut mapper = Mapper {
            git: &git,
            blobs: &blobs,
            prefix: &self.prefix,
            history,
            query,
            state: Default::default(),
            files: FxHashMap::default(),
            kept: 0,
            trees: FxHashMap::default(),
        };
        let mut touches = Vec::new();
        let skipped = commit_flag::MERGE | commit_flag::BOUNDARY | commit_flag::FILES_UNKNOWN;
        for commit in query.commits.iter().filter_map(|&number| history.commit(number)) {
            if !commit.has(skipped) {
                mapper.commit(commit, &mut touches);
            }
        }
        touches
    }
}

struct Mapper<'a> {
    git: &'a gix::Repository,
    blobs: &'a gix::Repository,
    prefix: &'a str,
    history: HistoryView<'a>,
    query: &'a TouchQuery<'a>,
    state: gix::diff::tree::State,
    /// `None` for files that are of no interest.
    files: FxHashMap<u32, Option<Versions>>,
    /// Bytes of texts in `files`, the newest ones aside.
    kept: usize,
    trees: FxHashMap<CommitId, gix::ObjectId>,
}

/// Versions of one file whose lines are labelled.
struct Versions {
    newest: Outline,
    labels: FxHashMap<gix::ObjectId, LineLabels>,
    /// The old side of the commit looked at last: most often the new side of the next.
    last: Option<(gix::ObjectId, Vec<u8>)>,
}

/// Blobs of one touched file on both sides.
struct Sides {
    file: u32,
    old: Option<gix::ObjectId>,
    new: Option<gix::ObjectId>,
}

impl Mapper<'_> {
    fn commit(&mut self, commit: CommitView<'_>, touches: &mut Vec<SymbolTouch>) {
        let wanted: Vec<TouchRow> = commit
            .touches()
            .iter()
            .filter(|touch| {
                self.query.files.is_none_or(|files| files.binary_search(&touch.file).is_ok())
            })
            .filter(|touch| self.opened(touch.file))
            .copied()
            .collect();
        if wanted.is_empty() {
            return;
        }
        let number = commit.number;
        let mut found = Vec::new();
        for sides in self.sides(commit, &wanted) {
            self.file(&sides, &mut |label| {
                found.push(SymbolTouch { commit: number, file: sides.file, label })
            });
        }
        found.sort_unstable();
        found.dedup();
        touches.extend(found);
    }

    /// Reads a file's outline at its first touch; false for a file of no interest.
    fn opened(&mut self, file: u32) -> bool {
        let query = self.query;
        let open = || {
            (query.outline)(file).map(|newest| Versions {
                newest,
                labels: FxHashMap::default(),
                last: None,
            })
        };
        self.files.entry(file).or_insert_with(open).is_some()
    }

    fn sides(&mut self, commit: CommitView<'_>, wanted: &[TouchRow]) -> Vec<Sides> {
        let new = self.tree(commit.id());
        let old = commit.parents().first().map(|&parent| self.tree(parent));
        let (Some(new), Some(old)) = (new, old.map_or(Some(None), |tree| tree.map(Some))) else {
            return Vec::new();
        };
        if wanted.len() <= MAX_LOOKUPS {
            return wanted.iter().map(|touch| self.looked_up(touch, old, new)).collect();
        }
        self.compared(wanted, old, new)
    }

    fn looked_up(&self, touch: &TouchRow, old: Option<gix::ObjectId>, new: gix::ObjectId) -> Sides {
        Sides {
            file: touch.file,
            old: old.and_then(|tree| self.blob(tree, touch.path_before())),
            new: self.blob(new, touch.path),
        }
    }

    /// Finds the blobs of many touched files at once.
    fn compared(
        &mut self,
        wanted: &[TouchRow],
        old: Option<gix::ObjectId>,
        new: gix::ObjectId,
    ) -> Vec<Sides> {
        let Ok(found) = tree_changes(self.git, old, new, usize::MAX, &mut self.state) else {
            return Vec::new();
        };
        let changes = &found.changes;
        let side = |number: u32| {
            let full = format!("{}{}", self.prefix, self.history.path(number));
            changes
                .binary_search_by(|change| change.path.as_slice().cmp(full.as_bytes()))
                .ok()
                .map(|at| &changes[at])
        };
        let is_file = |side: Option<crate::touched::Side>| {
            side.filter(|side| side.is_file()).map(|side| side.id)
        };
        let sides = wanted.iter().map(|touch| Sides {
            file: touch.file,
            old: side(touch.path_before()).and_then(|change| is_file(change.old)),
            new: side(touch.path).and_then(|change| is_file(change.new)),
        });
        sides.collect()
    }

    /// Returns the blob of a path in a tree; links and submodules have no lines.
    fn blob(&self, tree: gix::ObjectId, path: u32) -> Option<gix::ObjectId> {
        let full = format!("{}{}", self.prefix, self.history.path(path));
        let mut parts = full.split('/').peekable();
        let (mut at, mut buffer) = (tree, Vec::new());
        while let Some(part) = parts.next() {
            let entries = self.git.objects.find_tree_iter(&at, &mut buffer).ok()?;
            let entry = entries.map_while(Result::ok).find(|entry| entry.filename == part)?;
            if parts.peek().is_none() {
                return entry.mode.is_blob().then(|| entry.oid.to_owned());
            }
            at = entry.oid.to_owned();
        }
        None
    }

    fn tree(&mut self, commit: CommitId) -> Option<gix::ObjectId> {
        if let Some(&tree) = self.trees.get(&commit) {
            return Some(tree);
        }
        let mut buffer = Vec::new();
        let tree = self
            .git
            .objects
            .find_commit_iter(&commit.object(), &mut buffer)
            .ok()?
            .tree_id()
            .ok()?;
        self.trees.insert(commit, tree);
        Some(tree)
    }

    /// Tells what one commit did to one file, and labels the version before it.
    fn file(&mut self, sides: &Sides, touched: &mut dyn FnMut(u32)) {
        let Some(Some(versions)) = self.files.get_mut(&sides.file) else {
            return;
        };
        let Some(new) = sides.new else {
            // The file is back since: what was taken out then is not what is there now.
            touched(UNLABELLED);
            return;
        };
        let text = |versions: &mut Versions, id: Option<gix::ObjectId>| match id {
            None => Some(Vec::new()),
            Some(id) => match versions.last.take() {
                Some((last, text)) if last == id => Some(text),
                last => {
                    versions.last = last;
                    Some(self.blobs.find_object(id).ok()?.detach().data)
                        .filter(|text| text.len() <= MAX_BLOB)
                }
            },
        };
        let held = versions.last.as_ref().map_or(0, |(_, text)| text.len());
        let both = (text(versions, Some(new)), text(versions, sides.old));
        self.kept -= held;
        let (Some(new_text), Some(old_text)) = both else {
            versions.last = None;
            touched(UNLABELLED);
            return;
        };
        if let Some(hunks) = line_hunks(&old_text, &new_text) {
            let labels = versions.labels_of(new, &new_text);
            report(&labels, &hunks, touched);
            if let Some(old) = sides.old {
                versions.labels.entry(old).or_insert_with(|| labels.before(&hunks));
            }
            versions.labels.entry(new).or_insert(labels);
        } else {
            touched(UNLABELLED);
        }
        versions.last = sides.old.filter(|_| self.kept < MAX_KEPT).map(|old| (old, old_text));
        self.kept += versions.last.as_ref().map_or(0, |(_, text)| text.len());
    }
}

impl Versions {
    /// Returns the labels of a version: known from a newer commit, or by comparing with the newest
    /// text, which is so at the newest commit and after a merge that mixed both sides.
    fn labels_of(&self, id: gix::ObjectId, text: &[u8]) -> LineLabels {
        if let Some(labels) = self.labels.get(&id) {
            return labels.clone();
        }
        if text == self.newest.text {
            return self.newest.labels.clone();
        }
        line_hunks(text, &self.newest.text)
            .map_or_else(LineLabels::default, |hunks| self.newest.labels.before(&hunks))
    }
}

fn report(labels: &LineLabels, hunks: &[Hunk], touched: &mut dyn FnMut(u32)) {
    for hunk in hunks {
        labels.touched(hunk).for_each(&mut *touched);
    }
}
