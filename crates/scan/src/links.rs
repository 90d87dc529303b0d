//! Symbolic links, when the configuration says to follow them.
//!
//! Links are followed after the walk, in the order of their paths, so that what is indexed does
//! not depend on timing. A file that is indexed under its own path is not indexed again.

use crate::entry::FileEntry;
use crate::folder::Tree;
use crate::open::kind;
use crate::rule::{Reason, Rule};
use crate::walk::{Found, Link, walk};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io;
use std::path::Path;

/// Settles the links of a walk, and those found behind them.
pub(crate) fn settle(tree: &Tree<'_>, found: &mut Found) {
    let links = std::mem::take(&mut found.links);
    if !tree.rules.follow_symlinks {
        for link in links {
            found.reject(link.rel, Reason::new(Rule::Symlink, "links are not followed"));
        }
        return;
    }
    let taken = found.files.iter().map(|file| file.rel.clone()).collect();
    let queue = links.into_iter().map(|link| (link.rel.clone(), (link, 1))).collect();
    Follower { tree, found, taken, folders: BTreeSet::new(), queue }.run();
}

struct Follower<'a> {
    tree: &'a Tree<'a>,
    found: &'a mut Found,
    /// Real paths of indexed files.
    taken: BTreeSet<String>,
    /// Real paths of folders that were entered through a link.
    folders: BTreeSet<String>,
    /// Links by path, with the number of links on the way.
    queue: BTreeMap<String, (Link, u32)>,
}

impl Follower<'_> {
    fn run(mut self) {
        while let Some((rel, (link, depth))) = self.queue.pop_first() {
            if let Err(reason) = self.follow(&link, depth) {
                self.found.reject(rel, reason);
            }
        }
    }

    fn follow(&mut self, link: &Link, depth: u32) -> Result<(), Reason> {
        let limit = self.tree.rules.max_symlink_depth;
        if depth > limit {
            return Err(Reason::new(
                Rule::SymlinkEscape,
                format!("more than {limit} links on the way"),
            ));
        }
        let (target, metadata) = resolve(self.tree.root, &link.rel)?;
        self.judge_target(&target, metadata.is_dir())?;
        if metadata.is_dir() {
            return self.follow_folder(link, &target, depth);
        }
        if !metadata.is_file() {
            return Err(Reason::new(
                Rule::NotRegular,
                format!("it leads to a {}", kind(&metadata)),
            ));
        }
        self.tree.rules.judge_size(&link.rel, metadata.len())?;
        self.take(FileEntry::new(link.rel.clone(), &metadata, link.tracked), target)
    }

    /// The target must be allowed too, or a link would be a way around the rules.
    fn judge_target(&self, target: &str, is_dir: bool) -> Result<(), Reason> {
        for (at, _) in target.match_indices('/') {
            let folder = &target[..at];
            self.tree.judge_place(folder.rsplit('/').next().unwrap_or(folder), folder, true)?;
        }
        let name = target.rsplit('/').next().unwrap_or(target);
        self.tree.judge_place(name, target, is_dir)?;
        if is_dir { Ok(()) } else { self.tree.rules.judge_name(target) }
    }

    fn follow_folder(&mut self, link: &Link, target: &str, depth: u32) -> Result<(), Reason> {
        let circle = target.is_empty()
            || link.rel.strip_prefix(target).is_some_and(|rest| rest.starts_with('/'));
        if circle {
            return Err(Reason::new(Rule::SymlinkEscape, "it leads in a circle"));
        }
        if !self.folders.insert(target.to_owned()) {
            return Err(Reason::new(Rule::Symlink, format!("another link leads to {target}")));
        }
        let below = walk(self.tree, self.tree.judge_folder(&link.parent, &link.name)?);
        self.found.rejected.extend(below.rejected);
        self.found.problems.extend(below.problems);
        let mut files = below.files;
        files.sort_unstable_by(|left, right| left.rel.cmp(&right.rel));
        for file in files {
            let real = format!("{target}{}", &file.rel[link.rel.len()..]);
            let rel = file.rel.clone();
            if let Err(reason) =
                self.judge_target(&real, false).and_then(|()| self.take(file, real))
            {
                self.found.reject(rel, reason);
            }
        }
        self.queue
            .extend(below.links.into_iter().map(|link| (link.rel.clone(), (link, depth + 1))));
        Ok(())
    }

    fn take(&mut self, file: FileEntry, real: String) -> Result<(), Reason> {
        if self.taken.contains(&real) {
            return Err(Reason::new(Rule::Symlink, format!("indexed as {real}")));
        }
        self.taken.insert(real);
        self.found.files.push(file);
        Ok(())
    }
}

/// Returns the real path of `rel`, relative to the root, and what lies there.
pub(crate) fn resolve(root: &Path, rel: &str) -> Result<(String, Metadata), Reason> {
    let escape = |detail: &str| Reason::new(Rule::SymlinkEscape, detail);
    let real = root.join(rel).canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Reason::new(Rule::NotFound, "the link leads nowhere"),
        _ => Reason::new(Rule::SymlinkEscape, error.to_string()),
    })?;
    let inside = real.strip_prefix(root).map_err(|_| escape("it leads out of the root"))?;
    let inside = inside.to_str().ok_or_else(|| escape("its target's name is not valid UTF-8"))?;
    let metadata = real
        .symlink_metadata()
        .map_err(|error| Reason::new(Rule::Unreadable, error.to_string()))?;
    Ok((inside.replace(std::path::MAIN_SEPARATOR, "/"), metadata))
}
