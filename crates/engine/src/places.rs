//! Where the index of a root lies.

use crate::error::{EngineError, Result};
use contextd_model::ContentHash;
use contextd_model::config::Config;
use contextd_scan::ScanError;
use contextd_snapshot::WriterLock;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folders of an index that a process that watches needs.
const WATCH: &str = "watch";
const ASKS: &str = "asks";

/// The folders that belong to one root.
#[derive(Clone, Debug)]
pub struct Places {
    pub root: PathBuf,
    /// `.contextd/index`, or where the configuration or a read-only root puts it.
    pub index: PathBuf,
    /// Folder of `facts.db`; worktrees of one repository share it.
    pub facts: PathBuf,
    /// The configuration names the folder of the index, so that it may hold what is not ours.
    is_named: bool,
}

/// What lies in a folder of an index: whole names, and beginnings of those that have several endings.
const OWN: &[&str] = &[
    "CURRENT",
    "PARTIAL",
    "artifacts",
    ASKS,
    "calm",
    "graph",
    "history",
    "indexes",
    "links",
    "lock",
    "paths",
    "repo-id",
    "segments",
    "snapshots",
    WATCH,
];
const OWN_BEGINNINGS: &[&str] = &["ledger.", "facts.db", ".writing-"];
/// How long removing waits for who writes.
const PATIENCE: Duration = Duration::from_secs(10);

impl Places {
    /// Finds the folders of `root`; `cache` is where indexes of read-only roots go.
    pub fn find(root: &Path, config: &Config, cache: Option<&Path>) -> Places {
        let default = root.join(".contextd").join("index");
        let index = match config.storage.path.as_deref().filter(|path| !path.is_empty()) {
            Some(path) if Path::new(path).is_absolute() => PathBuf::from(path),
            Some(path) => root.join(path),
            None if default.is_dir() || is_writable(root) => default,
            None => cache.map_or(default, |cache| cache.join(named_after(root))),
        };
        let is_named = config.storage.path.as_deref().is_some_and(|path| !path.is_empty());
        let facts = common_git_folder(root)
            .map(|folder| folder.join("contextd"))
            .filter(|folder| folder.is_dir() || folder.parent().is_some_and(is_writable))
            .unwrap_or_else(|| index.clone());
        Places { root: root.to_owned(), index, facts, is_named }
    }

    /// Returns why the configured folder cannot hold an index, if it cannot: it holds the root, or other things.
    pub fn refusal(&self) -> Option<String> {
        if !self.is_named {
            return None;
        }
        let real = fs::canonicalize(&self.index).unwrap_or_else(|_| self.index.clone());
        if self.root.starts_with(&real) {
            return Some("it is the root or lies above it".to_owned());
        }
        let names: Vec<String> = fs::read_dir(&real)
            .ok()?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let is_index = names.iter().any(|name| name == "CURRENT" || name == "ledger.db");
        let foreign = names.iter().find(|name| !is_index && !is_own(name))?;
        Some(format!("it holds `{foreign}`, which is no part of an index"))
    }

    pub fn ledger(&self) -> PathBuf {
        self.index.join("ledger.db")
    }

    /// Returns where the copy of the ledger goes.
    pub fn ledger_backup(&self) -> PathBuf {
        self.index.join("ledger.backup.db")
    }

    pub fn facts_cache(&self) -> PathBuf {
        self.facts.join("facts.db")
    }

    /// Creates the folders and keeps git from listing the index.
    pub fn create(&self) -> Result<()> {
        // A root that was removed is not made again for the sake of its index.
        if !self.root.is_dir() {
            return Err(self.gone());
        }
        for folder in [&self.index, &self.facts] {
            fs::create_dir_all(folder).map_err(|source| EngineError::Io {
                what: "cannot create",
                path: folder.clone(),
                source,
            })?;
        }
        let own = self.root.join(".contextd");
        let ignore = own.join(".gitignore");
        if self.index.starts_with(&own) && !ignore.exists() {
            let text = "# The index is made from the sources; graph/, rules.yml and sync.lock are yours to commit.\n/index/\n/.gitignore\n";
            fs::write(&ignore, text).map_err(|source| EngineError::Io {
                what: "cannot write",
                path: ignore.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// The error of a root that was removed.
    pub fn gone(&self) -> EngineError {
        ScanError::RootUnusable { path: self.root.clone(), why: "it is gone".to_owned() }.into()
    }

    /// The lock of the process that watches.
    pub(crate) fn watch_lock(&self) -> PathBuf {
        self.index.join(WATCH)
    }

    /// Where questions are put to the process that watches.
    pub(crate) fn asks(&self) -> PathBuf {
        self.index.join(ASKS)
    }

    /// Removes the index and what only it uses; returns the bytes that were freed. A process that watches goes on: where it is
    /// asked and its lock stay, or another would watch as well.
    pub fn clean(&self) -> Result<u64> {
        let is_watched = WriterLock::is_held(&self.watch_lock());
        // Who is writing would meet gaps; where nothing may be written, nothing is being written.
        let lock = self
            .index
            .is_dir()
            .then(|| WriterLock::lock_wait(&self.index, PATIENCE))
            .and_then(std::result::Result::ok);
        if matches!(lock, Some(None)) {
            return Err(EngineError::Busy { root: self.root.clone() });
        }
        let mut freed = 0;
        for folder in [&self.index, &self.facts] {
            freed += size_of_folder(folder);
            let kept = if is_watched && *folder == self.index { &[WATCH, ASKS][..] } else { &[] };
            let is_mixed = self.is_named && *folder == self.index;
            match remove(folder, |name| !kept.contains(&name) && (!is_mixed || is_own(name))) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(EngineError::Io {
                        what: "cannot remove",
                        path: folder.clone(),
                        source,
                    });
                }
                _ => {}
            }
        }
        if is_watched {
            return Ok(freed);
        }
        let own = self.root.join(".contextd");
        let _ = fs::remove_file(own.join(".gitignore"));
        let _ = fs::remove_dir(own);
        Ok(freed)
    }
}

/// True for the name of a part of an index.
fn is_own(name: &str) -> bool {
    OWN.contains(&name) || OWN_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Removes what a folder holds under the names that `goes` picks, and the folder when nothing is left in it.
fn remove(folder: &Path, goes: impl Fn(&str) -> bool) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !goes(&entry.file_name().to_string_lossy()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?
        } else {
            fs::remove_file(entry.path())?
        }
    }
    // What is not ours, and what is kept, keeps its folder.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// A folder name that tells roots of the same name apart.
fn named_after(root: &Path) -> String {
    let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy());
    let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_hex();
    format!("{name}-{}", &hash[..12])
}

fn is_writable(folder: &Path) -> bool {
    // Asking the system is not enough (read-only mounts, other users): a try tells.
    let probe = folder.join(format!(".contextd-probe-{}", std::process::id()));
    let made = fs::File::create_new(&probe).is_ok();
    let _ = fs::remove_file(&probe);
    made
}

/// Returns the git directory that all worktrees share, when `root` is inside a work tree.
fn common_git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = fs::read_to_string(&dot_git).ok()?;
    let folder = dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(folder.join("commondir")).ok();
    let common = common.map_or(folder.clone(), |path| folder.join(path.trim()));
    common.is_dir().then_some(common)
}

pub(crate) fn size_of_folder(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => size_of_folder(&entry.path()),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |metadata| metadata.len()),
            _ => 0,
        })
        .sum()
}
