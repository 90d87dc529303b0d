//! Which folders below the root are watched, and walking them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::FolderPredicate;
use super::filter;

/// The root with the rule for its folders.
#[derive(Clone)]
pub(super) struct Folders {
    pub root: PathBuf,
    should_watch: FolderPredicate,
    /// Folders that are watched whatever the rule says, because a scan looked into them.
    listed: BTreeSet<String>,
    stopped: Arc<AtomicBool>,
}

/// Something met on a walk.
pub(super) enum Met<'a> {
    /// A watched folder, before what it holds is read.
    Folder(&'a str),
    /// Anything that is no folder; links are not followed.
    Other(&'a str, &'a std::fs::DirEntry),
}

impl Folders {
    pub fn new(root: PathBuf, should_watch: FolderPredicate, stopped: Arc<AtomicBool>) -> Self {
        Self { root, should_watch, listed: BTreeSet::new(), stopped }
    }

    /// Makes a folder a watched one.
    pub fn list(&mut self, folder: &str) {
        self.listed.insert(folder.to_owned());
    }

    /// Leaves the other folders that [`Folders::list`] was told of to the rule.
    pub fn keep_listed(&mut self, is_listed: impl Fn(&str) -> bool) {
        self.listed.retain(|folder| is_listed(folder));
    }

    /// Returns a path that is relative to the root or whole as one below the root.
    pub fn below_root(&self, path: &str) -> Option<String> {
        if Path::new(path).is_absolute() {
            self.relative(Path::new(path))
        } else {
            Some(path.to_owned())
        }
    }

    /// Tells whether a folder is watched, provided that its parent is.
    pub fn is_watched(&self, folder: &str) -> bool {
        folder.is_empty()
            || (filter::holds_meaning(folder)
                && (filter::is_git(folder)
                    || self.listed.contains(folder)
                    || (self.should_watch)(folder)))
    }

    /// Tells whether every folder above `path` is watched.
    #[cfg(not(target_os = "linux"))]
    pub fn is_inside(&self, path: &str) -> bool {
        path.match_indices('/').all(|(at, _)| self.is_watched(&path[..at]))
    }

    /// Returns `path` relative to the root with `/`; a name that is not Unicode is reported as its folder.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.root).ok()?;
        let mut relative = String::new();
        for part in inside.components() {
            let Some(name) = part.as_os_str().to_str() else {
                break;
            };
            if !relative.is_empty() {
                relative.push('/');
            }
            relative.push_str(name);
        }
        Some(relative)
    }

    /// Walks the watched folders from `start` on. What cannot be read is passed over: it cannot be indexed either.
    pub fn walk<E>(
        &self,
        start: &str,
        mut met: impl FnMut(Met<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut waiting = vec![start.to_string()];
        while let Some(folder) = waiting.pop() {
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
            if !self.is_watched(&folder) {
                continue;
            }
            met(Met::Folder(&folder))?;
            let Ok(entries) = std::fs::read_dir(self.root.join(&folder)) else {
                continue;
            };
            for entry in entries.flatten() {
                let Some(name) = entry.file_name().to_str().map(str::to_string) else {
                    continue;
                };
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => waiting.push(path),
                    _ => met(Met::Other(&path, &entry))?,
                }
            }
        }
        Ok(())
    }
}
