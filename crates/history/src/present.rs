//! Which of some paths exist in a tree, reading only the folders they lie in.

use crate::touched::tree_changes;
use crate::view::HistoryView;
use gix::objs::tree::EntryKind;
use gix::prelude::FindExt;
use rustc_hash::FxHashMap;

/// Paths that may differ between two heads before a fresh look at the tree is cheaper.
const MAX_DIFFERENCES: usize = 2_000;

/// Does what [`present_in`] does, with the answers an earlier history gave for `previous_tree`:
/// only what differs between the trees, and paths new to the history, are looked up.
pub(crate) fn present_since(
    git: &gix::Repository,
    tree: gix::ObjectId,
    prefix: &str,
    paths: &[&str],
    previous: &HistoryView<'_>,
    previous_tree: gix::ObjectId,
) -> Vec<bool> {
    let changes =
        tree_changes(git, Some(previous_tree), tree, MAX_DIFFERENCES, &mut Default::default());
    let Some(changes) = changes.ok().filter(|changes| !changes.cut) else {
        return present_in(git, tree, prefix, paths);
    };
    let relative = changes.changes.iter().filter_map(|change| {
        Some((change.path.strip_prefix(prefix.as_bytes())?, change.new.is_some()))
    });
    let changed: FxHashMap<&[u8], bool> = relative.collect();
    let mut present = vec![false; paths.len()];
    let mut open = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        match (changed.get(path.as_bytes()), previous.file(path)) {
            (Some(&exists), _) => present[at] = exists,
            (None, Some(file)) => present[at] = previous.is_present(file),
            (None, None) => open.push(at),
        }
    }
    let asked: Vec<&str> = open.iter().map(|&at| paths[at]).collect();
    for (at, exists) in open.into_iter().zip(present_in(git, tree, prefix, &asked)) {
        present[at] = exists;
    }
    present
}

/// Returns for each of the sorted `paths` (relative to `prefix`) whether the tree has it as a file,
/// link or submodule. A tree that cannot be read has nothing.
pub(crate) fn present_in(
    git: &gix::Repository,
    tree: gix::ObjectId,
    prefix: &str,
    paths: &[&str],
) -> Vec<bool> {
    let mut found = vec![false; paths.len()];
    if paths.is_empty() {
        return found;
    }
    let full: Vec<(usize, String)> =
        paths.iter().enumerate().map(|(at, path)| (at, format!("{prefix}{path}"))).collect();
    let rests: Vec<(usize, &str)> = full.iter().map(|(at, path)| (*at, path.as_str())).collect();
    mark(git, tree, &rests, &mut found);
    found
}

/// Marks the paths that a tree has; `rests` are sorted, with the place of each in `found`.
fn mark(git: &gix::Repository, tree: gix::ObjectId, rests: &[(usize, &str)], found: &mut [bool]) {
    let mut buffer = Vec::new();
    // A list, not calls: trees are as deep as somebody cares to make them.
    let mut left = vec![(tree, rests.to_vec())];
    while let Some((tree, rests)) = left.pop() {
        let Ok(entries) = git.objects.find_tree_iter(&tree, &mut buffer) else {
            continue;
        };
        for entry in entries.map_while(Result::ok) {
            let Ok(name) = std::str::from_utf8(entry.filename) else {
                continue;
            };
            if entry.mode.kind() == EntryKind::Tree {
                let first = rests.partition_point(|(_, rest)| before_folder(rest, name));
                let below: Vec<(usize, &str)> = rests[first..]
                    .iter()
                    .map_while(|(at, rest)| Some((*at, in_folder(rest, name)?)))
                    .collect();
                if !below.is_empty() {
                    left.push((entry.oid.to_owned(), below));
                }
            } else if let Ok(at) = rests.binary_search_by(|(_, rest)| (*rest).cmp(name)) {
                found[rests[at].0] = true;
            }
        }
    }
}

fn in_folder<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Orders a path before everything inside the folder `name/`.
fn before_folder(path: &str, name: &str) -> bool {
    let key = name.bytes().chain(std::iter::once(b'/'));
    path.bytes().lt(key)
}
