//! The parallel walk: one task a folder, each listed once and its files asked for size and times.

use crate::entry::FileEntry;
use crate::folder::{Folder, Tree};
use crate::open::{is_absent, kind};
use crate::rule::{Reason, Rejected, Rule};
use contextd_model::Problem;
use std::ffi::OsString;
use std::fs::{DirEntry, FileType};
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

/// What a walk found, in no particular order.
#[derive(Default)]
pub(crate) struct Found {
    pub files: Vec<FileEntry>,
    pub links: Vec<Link>,
    pub rejected: Vec<Rejected>,
    pub problems: Vec<Problem>,
    /// Folders that were listed, and ignore files in them.
    pub deciders: Vec<String>,
    /// Something was seen whose part in the decision cannot be told by a stamp.
    pub odd: bool,
}

/// A symbolic link whose name passed every rule.
pub(crate) struct Link {
    pub rel: String,
    pub tracked: bool,
    pub parent: Folder,
    pub name: String,
}

/// Walks everything below `start`.
pub(crate) fn walk(tree: &Tree<'_>, start: Folder) -> Found {
    let found = Mutex::new(Found::default());
    rayon::scope(|scope| visit(scope, tree, &found, start));
    found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn visit<'s>(
    scope: &rayon::Scope<'s>,
    tree: &'s Tree<'s>,
    found: &'s Mutex<Found>,
    mut folder: Folder,
) {
    let mut local = Found::default();
    match list(&tree.root.join(&folder.rel)) {
        Ok(entries) => {
            let present = |name: &str| entries.iter().any(|(entry, _)| entry == name);
            tree.load_ignore_files(&mut folder, present, &mut local.problems);
            let ignores = [".gitignore", ".contextignore"];
            local
                .deciders
                .extend(ignores.iter().filter(|name| present(name)).map(|name| folder.join(name)));
            local.deciders.push(folder.rel.clone());
            if !folder.rel.is_empty()
                && let Some((_, git)) = entries.iter().find(|(name, _)| name == ".git")
            {
                local.add_git(tree, &folder, git);
            }
            for (name, entry) in &entries {
                if let Some(below) = local.add(tree, &folder, name, entry) {
                    scope.spawn(move |scope| visit(scope, tree, found, below));
                }
            }
        }
        Err(error) => local.unreadable(&folder.rel, &error),
    }
    if let Ok(mut found) = found.lock() {
        found.append(local);
    }
}

/// Lists a folder completely before anything is judged, since the ignore files in it come first.
fn list(path: &PathBuf) -> io::Result<Vec<(OsString, DirEntry)>> {
    std::fs::read_dir(path)?.map(|entry| entry.map(|entry| (entry.file_name(), entry))).collect()
}

impl Found {
    /// Judges one entry; a folder to go down into is returned.
    fn add(
        &mut self,
        tree: &Tree<'_>,
        parent: &Folder,
        name: &OsString,
        entry: &DirEntry,
    ) -> Option<Folder> {
        let Some(name) = name.to_str() else {
            let rel = parent.join(&name.to_string_lossy());
            self.reject(rel, Reason::new(Rule::InvalidName, "the name is not valid UTF-8"));
            return None;
        };
        match entry.file_type() {
            Ok(file_type) if file_type.is_dir() => match tree.judge_folder(parent, name) {
                Ok(folder) => return Some(folder),
                Err(reason) => self.reject(parent.join(name), reason),
            },
            Ok(file_type) => match tree.judge_file(parent, name) {
                Ok(tracked) => self.add_file(tree, parent, name, tracked, file_type, entry),
                Err(reason) => self.reject(parent.join(name), reason),
            },
            Err(error) => self.unreadable(&parent.join(name), &error),
        }
        None
    }

    fn add_file(
        &mut self,
        tree: &Tree<'_>,
        parent: &Folder,
        name: &str,
        tracked: bool,
        file_type: FileType,
        entry: &DirEntry,
    ) {
        let rel = parent.join(name);
        if file_type.is_symlink() {
            let (parent, name) = (parent.clone(), name.to_owned());
            return self.links.push(Link { rel, tracked, parent, name });
        }
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            Err(error) => return self.unreadable(&rel, &error),
        };
        if !metadata.is_file() {
            return self.reject(
                rel,
                Reason::new(Rule::NotRegular, format!("it is a {}", kind(&metadata))),
            );
        }
        let judged = tree
            .rules
            .judge_size(&rel, metadata.len())
            .and_then(|()| tree.rules.judge_extension_binary(&rel));
        match judged {
            Ok(()) => self.files.push(FileEntry::new(rel, &metadata, tracked)),
            Err(reason) => self.reject(rel, reason),
        }
    }

    /// Notes the `.git` of a folder that is no repository: what would make it one decides.
    fn add_git(&mut self, tree: &Tree<'_>, folder: &Folder, git: &DirEntry) {
        let is_folder = git.file_type().is_ok_and(|kind| kind.is_dir());
        // One that points elsewhere depends on what is there.
        self.odd |= !is_folder || tree.root.join(folder.join(".git/commondir")).exists();
        let parts = [".git", ".git/HEAD", ".git/objects", ".git/refs", ".git/commondir"];
        self.deciders.extend(parts.map(|part| folder.join(part)));
    }

    pub fn reject(&mut self, rel: String, reason: Reason) {
        self.rejected.push(Rejected { rel, rule: reason.rule, detail: reason.detail });
    }

    /// Notes what the system refused; a file that vanished meanwhile is simply not there.
    fn unreadable(&mut self, rel: &str, error: &io::Error) {
        if is_absent(error) && !rel.is_empty() {
            return;
        }
        let shown = if rel.is_empty() { "." } else { rel };
        let message = format!("It cannot be read: {error}.");
        let remedy = "Make it readable, or leave it out with a pattern in .contextignore.";
        self.problems
            .push(Problem::warning("CTX_W_SCAN_UNREADABLE", message, remedy).at(shown, None));
        self.reject(shown.to_owned(), Reason::new(Rule::Unreadable, error.to_string()));
    }

    pub fn append(&mut self, mut other: Found) {
        self.files.append(&mut other.files);
        self.links.append(&mut other.links);
        self.rejected.append(&mut other.rejected);
        self.problems.append(&mut other.problems);
        self.deciders.append(&mut other.deciders);
        self.odd |= other.odd;
    }
}
