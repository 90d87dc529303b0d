//! Files of the work tree that differ from a tree of the repository.

use crate::compare::unreadable;
use crate::touched::{Side, TreeChange};
use contextd_model::Problem;
use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryKind;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::io::Read;

/// Files larger than this are listed without their lines.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// Contents of changed files of the work tree, by the id they would have in git.
#[derive(Default)]
pub(crate) struct WorkTree {
    blobs: FxHashMap<gix::ObjectId, Vec<u8>>,
}

type Found = (Vec<TreeChange>, WorkTree, Vec<Problem>);

impl WorkTree {
    pub fn read(&self, id: gix::ObjectId) -> Option<Vec<u8>> {
        self.blobs.get(&id).cloned()
    }

    /// Compares the work tree with a tree, or with nothing. Line endings are converted as git does;
    /// programs that the repository's configuration names as filters are not run.
    pub fn changes(git: &gix::Repository, base: Option<gix::ObjectId>) -> Result<Found, Problem> {
        let mut work_tree = WorkTree::default();
        let Some(folder) = git.workdir().map(ToOwned::to_owned) else {
            return Ok((Vec::new(), work_tree, Vec::new()));
        };
        let base = base.unwrap_or_else(|| gix::ObjectId::empty_tree(git.object_hash()));
        let mut problems = Vec::new();
        let paths = candidates(git, base, &mut problems)
            .map_err(|error| unreadable("work tree", &error.to_string()))?;
        let mut filter = git.filter_pipeline(None).ok();
        let base_tree = git.find_tree(base).ok();
        let mut changes = Vec::new();
        for path in paths {
            let old = base_tree.as_ref().and_then(|tree| entry(tree, &path));
            let new = work_tree.side(git, &folder, &path, &mut filter);
            if old != new {
                changes.push(TreeChange { path, old, new });
            }
        }
        Ok((changes, work_tree, problems))
    }

    /// Reads one file as git would store it.
    fn side(
        &mut self,
        git: &gix::Repository,
        folder: &std::path::Path,
        path: &BString,
        filter: &mut Filter<'_>,
    ) -> Option<Side> {
        let relative = gix::path::from_bstr(path.as_bstr()).ok()?;
        let place = folder.join(&relative);
        let metadata = place.symlink_metadata().ok()?;
        let hash = |bytes: &[u8]| {
            gix::objs::compute_hash(git.object_hash(), gix::objs::Kind::Blob, bytes).ok()
        };
        let kind = kind_of(&metadata, &place)?;
        if kind == EntryKind::Link {
            let target = gix::path::into_bstr(place.read_link().ok()?).ok()?.into_owned();
            return Some(Side { kind, id: hash(&target)? });
        }
        // Which commit a submodule is at is of no use here; a huge file is listed without its lines.
        if kind == EntryKind::Commit || metadata.len() > MAX_FILE {
            return Some(Side { kind, id: git.object_hash().null() });
        }
        let raw = std::fs::read(&place).ok()?;
        let stored = filter
            .as_mut()
            .and_then(|(pipeline, index)| converted(pipeline, index, &raw, &relative))
            .unwrap_or(raw);
        let id = hash(&stored)?;
        self.blobs.insert(id, stored);
        Some(Side { kind, id })
    }
}

/// Returns what git would make of the file; `None` for a folder that is not a submodule.
fn kind_of(metadata: &std::fs::Metadata, place: &std::path::Path) -> Option<EntryKind> {
    if metadata.is_symlink() {
        return Some(EntryKind::Link);
    }
    if metadata.is_dir() {
        return place.join(".git").exists().then_some(EntryKind::Commit);
    }
    Some(if is_executable(metadata) { EntryKind::BlobExecutable } else { EntryKind::Blob })
}

type Filter<'a> = Option<(gix::filter::Pipeline<'a>, gix::worktree::IndexPersistedOrInMemory)>;

fn converted(
    pipeline: &mut gix::filter::Pipeline<'_>,
    index: &gix::worktree::IndexPersistedOrInMemory,
    raw: &[u8],
    path: &std::path::Path,
) -> Option<Vec<u8>> {
    let mut stored = Vec::with_capacity(raw.len());
    pipeline.convert_to_git(raw, path, index).ok()?.read_to_end(&mut stored).ok()?;
    Some(stored)
}

fn entry(tree: &gix::Tree<'_>, path: &BString) -> Option<Side> {
    let parts = path.split_str("/").map(|part| part.as_bstr().to_owned());
    let entry = tree.lookup_entry(parts).ok()??;
    let kind = entry.mode().kind();
    (kind != EntryKind::Tree).then(|| Side { kind, id: entry.object_id() })
}

/// Returns the paths that differ between the tree, the index and the work tree, in order.
fn candidates(
    git: &gix::Repository,
    base: gix::ObjectId,
    problems: &mut Vec<Problem>,
) -> gix::Result<BTreeSet<BString>> {
    let status = git
        .status(gix::progress::Discard)?
        .head_tree(base)
        .tree_index_track_renames(gix::status::tree_index::TrackRenames::Disabled)
        .index_worktree_rewrites(None)
        .untracked_files(gix::status::UntrackedFiles::Files);
    let mut paths = BTreeSet::new();
    for item in status.into_iter(None)? {
        match item {
            Ok(item) => drop(paths.insert(item.location().to_owned())),
            Err(error) => {
                problems.push(unreadable("work tree", &error.to_string()));
                break;
            }
        }
    }
    Ok(paths)
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}
