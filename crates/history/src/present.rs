//! Which of some paths exist in a tree, reading only the folders they lie in.

use gix::objs::tree::EntryKind;
use gix::prelude::FindExt;

/// Returns for each of the sorted `paths` (relative to `prefix`) whether the tree has it as a file,
/// link or submodule. A tree that cannot be read has nothing.
pub(crate) fn present_in(git: &gix::Repository, tree: gix::ObjectId, prefix: &str, paths: &[&str]) -> Vec<bool> {
    let mut found = vec![false; paths.len()];
    let full: Vec<(usize, String)> = paths.iter().enumerate().map(|(at, path)| (at, format!("{prefix}{path}"))).collect();
    let rests: Vec<(usize, &str)> = full.iter().map(|(at, path)| (*at, path.as_str())).collect();
    mark(git, tree, &rests, &mut found);
    found
}

/// Marks the paths of one folder; `rests` are sorted, with the place of each in `found`.
fn mark(git: &gix::Repository, tree: gix::ObjectId, rests: &[(usize, &str)], found: &mut [bool]) {
    let mut buffer = Vec::new();
    let Ok(entries) = git.objects.find_tree_iter(&tree, &mut buffer) else { return };
    let mut folders = Vec::new();
    for entry in entries.map_while(Result::ok) {
        let Ok(name) = std::str::from_utf8(entry.filename) else { continue };
        if entry.mode.kind() == EntryKind::Tree {
            let first = rests.partition_point(|(_, rest)| before_folder(rest, name));
            let below = rests[first..].iter().take_while(|(_, rest)| in_folder(rest, name).is_some()).count();
            if below > 0 {
                folders.push((entry.oid.to_owned(), first..first + below, name.to_owned()));
            }
        } else if let Ok(at) = rests.binary_search_by(|(_, rest)| (*rest).cmp(name)) {
            found[rests[at].0] = true;
        }
    }
    for (id, range, name) in folders {
        let below: Vec<(usize, &str)> =
            rests[range].iter().filter_map(|(at, rest)| in_folder(rest, &name).map(|rest| (*at, rest))).collect();
        mark(git, id, &below, found);
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
