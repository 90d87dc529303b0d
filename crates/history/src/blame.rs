//! Who last changed each line of a file, on demand.
//!
//! Lines are handed from a commit to the parents that have them unchanged, newest commit first.
//! Where the past cannot be read (the edge of a shallow clone, a missing object) they stay with the
//! last commit that could.

use crate::changes::{Hunk, LineRange};
use crate::hunks::line_hunks;
use crate::renames::with_renames;
use crate::repository::Repository;
use crate::rows::CommitId;
use crate::touched::{Side, tree_changes};
use crate::walk::{read_commit, shallow_commits};
use contextd_model::Problem;
use gix::bstr::{BString, ByteSlice};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BinaryHeap;
use std::path::Path;

/// Consecutive lines that one commit brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    pub lines: LineRange,
    /// `None` for lines that are not committed.
    pub commit: Option<CommitId>,
}

/// Commits looked at, at most; what is open then stays with the last one.
const MAX_COMMITS: usize = 200_000;
/// Paths of one commit that are searched for the old name of a file.
const MAX_CHANGES: usize = 5_000;
/// Bytes of trees kept in memory meanwhile.
const TREE_CACHE: usize = 32 * 1024 * 1024;

/// Returns the commit of each line of a file at the head, in line order.
pub fn blame(root: &Path, path: &str) -> (Vec<Blame>, Vec<Problem>) {
    match Repository::open(root) {
        Ok(repository) => repository.blame("HEAD", path, None),
        Err(problem) => (Vec::new(), vec![problem]),
    }
}

impl Repository {
    /// Returns the commit of each line of a file at a revision. With `contents`, the lines are those
    /// of that text, such as the file in the work tree; the ones the revision lacks have no commit.
    pub fn blame(
        &self,
        revision: &str,
        path: &str,
        contents: Option<&[u8]>,
    ) -> (Vec<Blame>, Vec<Problem>) {
        let mut past = self.past();
        let Some((head, place, text)) = self.start(&mut past, revision, path) else {
            return (Vec::new(), vec![missing(revision, path)]);
        };
        let mut found = Vec::new();
        let open = match contents.map(|contents| (contents, line_hunks(&text, contents))) {
            None => vec![Lines::all(&text)],
            Some((_, None)) => return (Vec::new(), Vec::new()),
            Some((contents, Some(hunks))) => {
                let (kept, own) = split(vec![Lines::all(contents)], &hunks);
                found.extend(own.into_iter().map(|lines| (lines, None)));
                kept
            }
        };
        past.trace(head, place, open, &mut found);
        (in_order(found), Vec::new())
    }

    /// Finds the file at the revision, with its bytes.
    fn start(
        &self,
        past: &mut Past,
        revision: &str,
        path: &str,
    ) -> Option<(CommitId, Place, Vec<u8>)> {
        let head = self.resolve(revision)?;
        let path = BString::from(format!("{}{path}", self.prefix));
        let tree = past.commit(head)?.tree;
        let blob = past.entry(tree, &path)?;
        let text = past.blob(blob.id)?;
        Some((head, Place { path, blob }, text))
    }

    fn past(&self) -> Past {
        let mut git = self.git.clone();
        git.object_cache_size(TREE_CACHE);
        let shallow = shallow_commits(&git);
        Past { git, shallow, commits: FxHashMap::default(), state: Default::default() }
    }
}

fn missing(revision: &str, path: &str) -> Problem {
    let message = format!("`{path}` cannot be read at `{revision}`");
    Problem::warning(
        "CTX_W_HISTORY_BLAME",
        message,
        "Check that the file is committed, and run `git fsck`.",
    )
    .at(path, None)
}

/// Lines of the blamed text, and where they stand in the text of the commit they are traced in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lines {
    /// First line in the blamed text, counted from 0.
    at: u32,
    /// First line in the commit's text, counted from 0.
    there: u32,
    count: u32,
}

impl Lines {
    fn all(text: &[u8]) -> Self {
        Self { at: 0, there: 0, count: text.split_inclusive(|&byte| byte == b'\n').count() as u32 }
    }

    /// Returns the part that stands in `from..to` of the commit's text.
    fn within(&self, from: u32, to: u32) -> Option<Self> {
        let start = self.there.max(from);
        let end = (self.there + self.count).min(to);
        (start < end).then(|| Self {
            at: self.at + (start - self.there),
            there: start,
            count: end - start,
        })
    }
}

/// Splits lines of a new text into those the old text has, moved to their place there, and the rest.
fn split(lines: Vec<Lines>, hunks: &[Hunk]) -> (Vec<Lines>, Vec<Lines>) {
    let (mut kept, mut own) = (Vec::new(), Vec::new());
    for line in lines {
        let (mut new_at, mut old_at) = (0u32, 0u32);
        for hunk in hunks {
            let (new_start, old_start) = (hunk.new.start - 1, hunk.old.start - 1);
            kept.extend(
                line.within(new_at, new_start)
                    .map(|part| Lines { there: part.there - new_at + old_at, ..part }),
            );
            own.extend(line.within(new_start, new_start + hunk.new.count));
            (new_at, old_at) = (new_start + hunk.new.count, old_start + hunk.old.count);
        }
        kept.extend(
            line.within(new_at, u32::MAX)
                .map(|part| Lines { there: part.there - new_at + old_at, ..part }),
        );
    }
    (kept, own)
}

fn in_order(mut found: Vec<(Lines, Option<CommitId>)>) -> Vec<Blame> {
    found.sort_unstable();
    let mut blame: Vec<Blame> = Vec::new();
    for (lines, commit) in found.into_iter().filter(|(lines, _)| lines.count > 0) {
        match blame.last_mut() {
            Some(last) if last.commit == commit && last.lines.end() == lines.at + 1 => {
                last.lines.count += lines.count
            }
            _ => blame.push(Blame {
                lines: LineRange { start: lines.at + 1, count: lines.count },
                commit,
            }),
        }
    }
    blame
}

/// The file under the name and with the bytes it had in one commit.
#[derive(Clone)]
struct Place {
    path: BString,
    blob: Side,
}

#[derive(Clone)]
struct Ancestor {
    tree: gix::ObjectId,
    time: i64,
    parents: Vec<CommitId>,
}

/// The repository seen from one blame.
struct Past {
    git: gix::Repository,
    shallow: FxHashSet<CommitId>,
    commits: FxHashMap<CommitId, Option<Ancestor>>,
    state: gix::diff::tree::State,
}

/// Open lines of each commit and path that waits, with the path's blob.
type Waiting = FxHashMap<(CommitId, BString), (Side, Vec<Lines>)>;

impl Past {
    fn trace(
        &mut self,
        head: CommitId,
        place: Place,
        open: Vec<Lines>,
        found: &mut Vec<(Lines, Option<CommitId>)>,
    ) {
        let mut queue = BinaryHeap::new();
        let mut waiting = Waiting::default();
        let mut steps = 0;
        let mut next = vec![(head, place, open)];
        loop {
            for (commit, place, lines) in next.drain(..) {
                let Some(ancestor) = self.commit(commit) else {
                    continue;
                };
                let slot = waiting.entry((commit, place.path.clone())).or_insert_with(|| {
                    queue.push((ancestor.time, commit, place.path));
                    (place.blob, Vec::new())
                });
                slot.1.extend(lines);
            }
            let Some((_, commit, path)) = queue.pop() else {
                break;
            };
            let Some((blob, lines)) = waiting.remove(&(commit, path.clone())) else {
                continue;
            };
            steps += 1;
            let own = if steps > MAX_COMMITS {
                lines
            } else {
                self.pass_on(commit, &Place { path, blob }, lines, &mut next)
            };
            found.extend(own.into_iter().map(|lines| (lines, Some(commit))));
        }
    }

    /// Hands lines to the parents that have them; returns those the commit brought itself.
    fn pass_on(
        &mut self,
        id: CommitId,
        place: &Place,
        lines: Vec<Lines>,
        next: &mut Vec<(CommitId, Place, Vec<Lines>)>,
    ) -> Vec<Lines> {
        let Some(commit) = self.commit(id) else {
            return lines;
        };
        let mut before = Vec::new();
        for &parent in &commit.parents {
            let Some(ancestor) = self.commit(parent) else {
                continue;
            };
            let entry = self.entry(ancestor.tree, &place.path);
            if entry.is_some_and(|entry| entry.id == place.blob.id) {
                next.push((parent, place.clone(), lines));
                return Vec::new();
            }
            let old = entry.map(|blob| Place { path: place.path.clone(), blob });
            before.extend(
                old.or_else(|| self.renamed_from(ancestor.tree, commit.tree, &place.path))
                    .map(|old| (parent, old)),
            );
        }
        let mut open = lines;
        for (parent, old) in before {
            let Some(hunks) = self.hunks(&old, place) else {
                continue;
            };
            let (kept, own) = split(open, &hunks);
            open = own;
            if !kept.is_empty() {
                next.push((parent, old, kept));
            }
        }
        open
    }

    fn hunks(&self, old: &Place, new: &Place) -> Option<Vec<Hunk>> {
        if old.blob.id == new.blob.id {
            return Some(Vec::new());
        }
        line_hunks(&self.blob(old.blob.id)?, &self.blob(new.blob.id)?)
    }

    fn renamed_from(
        &mut self,
        old: gix::ObjectId,
        new: gix::ObjectId,
        path: &BString,
    ) -> Option<Place> {
        let found = tree_changes(&self.git, Some(old), new, MAX_CHANGES, &mut self.state).ok()?;
        let changes = with_renames(found.changes, &mut |id| self.blob(id));
        let change = changes.into_iter().find(|change| change.path == *path)?;
        Some(Place { path: change.from?, blob: change.old? })
    }

    fn commit(&mut self, id: CommitId) -> Option<Ancestor> {
        if let Some(known) = self.commits.get(&id) {
            return known.clone();
        }
        let read = read_commit(&self.git, id, 0).map(|(commit, tree)| {
            let parents = if self.shallow.contains(&id) { Vec::new() } else { commit.parents };
            Ancestor { tree, time: commit.commit_time, parents }
        });
        self.commits.insert(id, read.clone());
        read
    }

    fn entry(&self, tree: gix::ObjectId, path: &BString) -> Option<Side> {
        let tree = self.git.find_tree(tree).ok()?;
        let parts = path.split_str("/").map(|part| part.as_bstr().to_owned());
        let entry = tree.lookup_entry(parts).ok()??;
        let side = Side { kind: entry.mode().kind(), id: entry.object_id() };
        side.is_file().then_some(side)
    }

    fn blob(&self, id: gix::ObjectId) -> Option<Vec<u8>> {
        Some(self.git.find_object(id).ok()?.detach().data)
    }
}
