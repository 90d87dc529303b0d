//! Files that each commit of a walk touched.

use crate::renames::{PathChange, with_renames};
use crate::repository::Repository;
use crate::rows::{ChangeKind, CommitId, commit_flag};
use crate::touched::tree_changes;
use crate::walk::{RawCommit, RawTouch, Walked, read_commit};
use gix::bstr::{BString, ByteSlice};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use std::sync::Arc;

/// Fewer commits than this are not worth a second thread.
const MIN_PARALLEL: usize = 64;
/// Bytes of trees that each thread keeps while commits are compared.
const TREE_CACHE: usize = 64 * 1024 * 1024;
/// Bytes of packed trees that each thread keeps because others are stored as differences from them.
const DELTA_CACHE: usize = 32 * 1024 * 1024;

/// Compares each newly read commit with its first parent, on two threads when there are many.
/// Returns how many could not be compared.
pub(crate) fn fill_files(repository: &Repository, walked: &mut Walked, max_files: usize) -> usize {
    let comparable =
        |&at: &usize| walked.commits[at].flags & (commit_flag::MERGE | commit_flag::BOUNDARY) == 0;
    let numbers: Vec<usize> = walked.fresh.iter().copied().filter(comparable).collect();
    let shared = repository.git.clone().into_sync();
    let run = {
        let (shared, walked, prefix) = (&shared, &*walked, repository.prefix.as_bytes());
        move |numbers: &[usize]| -> Vec<Touched> {
            let mut git = shared.to_thread_local();
            git.object_cache_size(TREE_CACHE);
            git.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_CACHE)));
            let mut comparer =
                Comparer { git: &git, prefix, walked, max_files, state: Default::default() };
            numbers.iter().map(|&at| comparer.touched(&walked.commits[at])).collect()
        }
    };
    let touched =
        if numbers.len() < MIN_PARALLEL { run(&numbers) } else { on_two_threads(&numbers, &run) };
    let mut damaged = 0;
    for (at, touched) in numbers.into_iter().zip(touched) {
        let commit = &mut walked.commits[at];
        damaged += usize::from(touched.flags & commit_flag::FILES_UNKNOWN != 0);
        commit.flags |= touched.flags;
        commit.touches = touched.touches;
        commit.outside = touched.outside;
    }
    damaged
}

/// Runs the newer half here and the older half beside it: neighbours share their trees.
fn on_two_threads(
    numbers: &[usize],
    run: &(impl Fn(&[usize]) -> Vec<Touched> + Sync),
) -> Vec<Touched> {
    let (newer, older) = numbers.split_at(numbers.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run(older));
        let mut touched = run(newer);
        match other.join() {
            Ok(rest) => touched.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        touched
    })
}

/// Files of one commit, with the flags that reading them set.
#[derive(Default)]
struct Touched {
    touches: Vec<RawTouch>,
    outside: u32,
    flags: u32,
}

struct Comparer<'a> {
    git: &'a gix::Repository,
    /// Place of the root in the repository.
    prefix: &'a [u8],
    walked: &'a Walked,
    max_files: usize,
    state: gix::diff::tree::State,
}

impl Comparer<'_> {
    fn touched(&mut self, commit: &RawCommit) -> Touched {
        let unknown = Touched { flags: commit_flag::FILES_UNKNOWN, ..Touched::default() };
        let Some(new) = self.tree(commit.id) else {
            return unknown;
        };
        let old = match commit.parents.first().map(|&parent| self.tree(parent)) {
            Some(None) => return unknown,
            known => known.flatten(),
        };
        if old == Some(new) {
            return Touched::default();
        }
        let Ok(found) = tree_changes(self.git, old, new, self.max_files, &mut self.state) else {
            return unknown;
        };
        let mut touched = Touched {
            flags: if found.cut { commit_flag::FILES_CUT } else { 0 },
            ..Touched::default()
        };
        if !found.changes.iter().any(|change| change.path.starts_with(self.prefix)) {
            touched.outside = found.changes.len() as u32;
            return touched;
        }
        let git = self.git;
        let mut read = |id: gix::ObjectId| Some(git.find_object(id).ok()?.detach().data);
        for change in with_renames(found.changes, &mut read) {
            match placed(&change, self.prefix) {
                Some(touch) => touched.touches.push(touch),
                None => touched.outside += 1,
            }
        }
        touched.touches.sort_by(|one, two| one.path.cmp(&two.path));
        touched
    }

    fn tree(&self, id: CommitId) -> Option<gix::ObjectId> {
        match self.walked.trees.get(&id) {
            Some(&tree) => Some(tree),
            None => Some(read_commit(self.git, id, 0)?.1),
        }
    }
}

/// Returns the change with paths relative to the root, `None` when it lies outside. A move over the
/// root's border is an addition or a deletion.
pub(crate) fn placed(change: &PathChange, prefix: &[u8]) -> Option<RawTouch> {
    let relative =
        |path: &BString| path.strip_prefix(prefix).map(|rest| Arc::from(rest.to_str_lossy()));
    match (relative(&change.path), change.from.as_ref().map(relative)) {
        (Some(path), None) => Some(RawTouch { path, from: None, kind: change.kind }),
        (Some(path), Some(Some(from))) => {
            Some(RawTouch { path, from: Some(from), kind: change.kind })
        }
        (Some(path), Some(None)) => Some(RawTouch { path, from: None, kind: ChangeKind::Added }),
        (None, Some(Some(path))) => Some(RawTouch { path, from: None, kind: ChangeKind::Deleted }),
        (None, _) => None,
    }
}
