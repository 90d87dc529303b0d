//! Where the index of a root lies.

use crate::error::{EngineError, Result};
use contextd_model::ContentHash;
use contextd_model::config::Config;
use contextd_scan::ScanError;
use contextd_snapshot::WriterLock;
use std::fs;
use std::path::{Path, PathBuf};

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
}

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
        let facts = common_git_folder(root).map(|folder| folder.join("contextd")).filter(|folder| folder.is_dir() || folder.parent().is_some_and(is_writable)).unwrap_or_else(|| index.clone());
        Places { root: root.to_owned(), index, facts }
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
            return Err(ScanError::RootUnusable { path: self.root.clone(), why: "it is gone".to_owned() }.into());
        }
        for folder in [&self.index, &self.facts] {
            fs::create_dir_all(folder).map_err(|source| EngineError::Io { what: "cannot create", path: folder.clone(), source })?;
        }
        let own = self.root.join(".contextd");
        let ignore = own.join(".gitignore");
        if self.index.starts_with(&own) && !ignore.exists() {
            let text = "# The index is made from the sources; graph/, rules.yml and sync.lock are yours to commit.\n/index/\n/.gitignore\n";
            fs::write(&ignore, text).map_err(|source| EngineError::Io { what: "cannot write", path: ignore.clone(), source })?;
        }
        Ok(())
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
        let mut freed = 0;
        for folder in [&self.index, &self.facts] {
            freed += size_of_folder(folder);
            let removed = if is_watched && *folder == self.index { remove_all_but(folder, &[WATCH, ASKS]) } else { fs::remove_dir_all(folder) };
            match removed {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(EngineError::Io { what: "cannot remove", path: folder.clone(), source }),
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

/// Removes what a folder holds, some names aside.
fn remove_all_but(folder: &Path, kept: &[&str]) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if kept.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path())? } else { fs::remove_file(entry.path())? }
    }
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
