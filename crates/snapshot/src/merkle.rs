//! Hashes of files, folders, packages and the whole tree.
//!
//! A folder's hash covers the names and hashes of what it holds, so two trees with the same root hold
//! the same files, and where roots differ the differing folders lead to the differing files.

use crate::beside::{MANY_FILES, beside};
use crate::shards::put_text;
use contextd_model::ContentHash;
use std::collections::BTreeMap;

/// One file as the tree sees it.
#[derive(Clone, Copy, Debug)]
pub struct TreeFile<'a> {
    /// Path relative to the root, `/` between components.
    pub path: &'a str,
    pub hash: ContentHash,
    pub language: u8,
    /// Package the file belongs to; empty for none.
    pub package: &'a str,
}

/// Hash of a folder or package with the number of files it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Path of a folder (empty for the root), name of a package.
    pub name: String,
    pub hash: ContentHash,
    pub files: u32,
}

/// Hashes of a tree of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub root: ContentHash,
    /// Every folder in byte order of its path; the root is not among them.
    pub folders: Vec<TreeNode>,
    /// Every package in byte order of its name.
    pub packages: Vec<TreeNode>,
}

impl Tree {
    /// Hashes files in any order; the order does not matter.
    pub fn of(files: &[TreeFile<'_>]) -> Self {
        let mut files = files.to_vec();
        files.sort_unstable_by_key(|file| file.path);
        let leaves: Vec<Leaf<'_>> = files.iter().map(|file| (file, leaf(file))).collect();
        let mut folders = Vec::new();
        let (packages, root) = beside(
            leaves.len() > MANY_FILES,
            || packages(&leaves),
            || hash_folder(&leaves, "", &mut folders),
        );
        folders.sort_unstable_by(|a: &TreeNode, b: &TreeNode| a.name.cmp(&b.name));
        Self { root, folders, packages }
    }
}

/// A file and its hash in the tree.
type Leaf<'a> = (&'a TreeFile<'a>, ContentHash);

fn leaf(file: &TreeFile<'_>) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"file\0").update(&[file.language]).update(&file.hash.0);
    ContentHash(*hasher.finalize().as_bytes())
}

/// A folder whose content is being hashed.
struct Open<'a> {
    path: &'a str,
    hasher: blake3::Hasher,
    files: u32,
}

/// Walks sorted paths with a stack of open folders; files of one folder are neighbours in it.
fn hash_folder<'a>(leaves: &[Leaf<'a>], root: &'a str, folders: &mut Vec<TreeNode>) -> ContentHash {
    let open = |path| Open { path, hasher: tagged(b"folder\0"), files: 0 };
    let mut stack = vec![open(root)];
    for (file, hash) in leaves {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        while stack.len() > 1 && !stack.last().is_some_and(|top| is_inside(folder, top.path)) {
            close(&mut stack, folders);
        }
        while let Some(next) = stack.last().and_then(|top| child(folder, top.path)) {
            stack.push(open(next));
        }
        if let Some(top) = stack.last_mut() {
            put_child(&mut top.hasher, b'f', file.path, *hash);
            top.files += 1;
        }
    }
    while stack.len() > 1 {
        close(&mut stack, folders);
    }
    stack
        .pop()
        .map_or_else(ContentHash::default, |top| ContentHash(*top.hasher.finalize().as_bytes()))
}

fn close(stack: &mut Vec<Open<'_>>, folders: &mut Vec<TreeNode>) {
    let Some(done) = stack.pop() else { return };
    let hash = ContentHash(*done.hasher.finalize().as_bytes());
    folders.push(TreeNode { name: done.path.to_owned(), hash, files: done.files });
    if let Some(parent) = stack.last_mut() {
        put_child(&mut parent.hasher, b'd', done.path, hash);
        parent.files += done.files;
    }
}

fn is_inside(folder: &str, outer: &str) -> bool {
    outer.is_empty()
        || folder.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the folder one step from `outer` towards `folder`; `None` when there.
fn child<'a>(folder: &'a str, outer: &str) -> Option<&'a str> {
    let done = if outer.is_empty() { 0 } else { outer.len() + 1 };
    let rest = folder.get(done..).filter(|rest| !rest.is_empty())?;
    // An empty component counts to the next one, so that every step gets further.
    let end = rest.match_indices('/').map(|(at, _)| at).find(|&at| at > 0).unwrap_or(rest.len());
    Some(&folder[..done + end])
}

fn put_child(hasher: &mut blake3::Hasher, kind: u8, path: &str, hash: ContentHash) {
    hasher.update(&[kind]);
    put_text(hasher, path.rsplit('/').next().unwrap_or(path));
    hasher.update(&hash.0);
}

fn packages(leaves: &[Leaf<'_>]) -> Vec<TreeNode> {
    let mut open: BTreeMap<&str, (blake3::Hasher, u32)> = BTreeMap::new();
    for (file, hash) in leaves.iter().filter(|(file, _)| !file.package.is_empty()) {
        let (hasher, count) = open.entry(file.package).or_insert_with(|| (tagged(b"package\0"), 0));
        put_text(hasher, file.path);
        hasher.update(&hash.0);
        *count += 1;
    }
    let node = |(name, (hasher, files)): (&str, (blake3::Hasher, u32))| TreeNode {
        name: name.to_owned(),
        hash: ContentHash(*hasher.finalize().as_bytes()),
        files,
    };
    open.into_iter().map(node).collect()
}

fn tagged(tag: &[u8]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tag);
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'a>(path: &'a str, text: &str) -> TreeFile<'a> {
        TreeFile {
            path,
            hash: ContentHash::of(text.as_bytes()),
            language: 1,
            package: if path.contains("api") { "api" } else { "" },
        }
    }

    #[test]
    fn a_change_reaches_its_folders_and_the_root_alone() {
        let before = [
            file("a/x.rs", "1"),
            file("a/b/y.rs", "2"),
            file("a-b/z.rs", "3"),
            file("api/q.rs", "4"),
            file("top.rs", "5"),
        ];
        let mut after = before;
        after[1] = file("a/b/y.rs", "changed");
        let (one, two) = (Tree::of(&before), Tree::of(&after));
        let names: Vec<_> =
            one.folders.iter().map(|folder| (folder.name.as_str(), folder.files)).collect();
        assert_eq!(names, [("a", 2), ("a-b", 1), ("a/b", 1), ("api", 1)]);
        let changed: Vec<_> = one
            .folders
            .iter()
            .zip(&two.folders)
            .filter(|(a, b)| a.hash != b.hash)
            .map(|(a, _)| a.name.as_str())
            .collect();
        assert_eq!(changed, ["a", "a/b"]);
        assert_ne!(one.root, two.root);
        assert_eq!(one.packages, two.packages);
        assert_eq!(one.packages[0].files, 1);
        let mut shuffled = before;
        shuffled.reverse();
        assert_eq!(Tree::of(&shuffled), one);
    }

    #[test]
    fn a_moved_file_changes_the_root() {
        assert_ne!(Tree::of(&[file("a/x", "1")]).root, Tree::of(&[file("b/x", "1")]).root);
        assert_ne!(Tree::of(&[file("a/x", "1")]).root, Tree::of(&[file("ax", "1")]).root);
        assert_ne!(Tree::of(&[file("a", "1")]).root, Tree::of(&[]).root);
    }
}
