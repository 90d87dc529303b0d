//! Where the index of a root lies.

use crate::claim::{self, Standing};
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

/// What keeps git from listing the index.
const IGNORE: &str = "# The index is made from the sources; graph/, rules.yml and sync.lock are yours to commit.\n/index/\n/.gitignore\n";
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
            .filter(|git| is_git_folder(git))
            .map(|git| (git.join("contextd"), git.parent().is_some_and(|it| root.starts_with(it))))
            .filter(|(folder, is_around)| is_shareable(folder, *is_around))
            .map_or_else(|| index.clone(), |(folder, _)| folder);
        Places { root: root.to_owned(), index, facts, is_named }
    }

    /// Returns why the folder cannot hold the index, if it cannot: a link leads to it, it holds the root, or it holds other
    /// things and no mark of ours.
    pub fn refusal(&self) -> Option<String> {
        if self.is_named {
            let real = fs::canonicalize(&self.index).unwrap_or_else(|_| self.index.clone());
            if self.root.starts_with(&real) {
                return Some("it is the root or lies above it".to_owned());
            }
        }
        match self.standing() {
            Standing::Foreign(why) => Some(why),
            _ => None,
        }
    }

    /// True when the configuration names the folder of the index.
    pub(crate) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Looks at the folder of the index.
    fn standing(&self) -> Standing {
        match claim::standing(&self.index, Some(&self.root)) {
            // Anybody's folder may hold a file called `links`; in its own place under the root an index is what it seems.
            Standing::Unmarked if self.is_named && !claim::holds_an_index(&self.index) => {
                Standing::Foreign("it holds other things than an index".to_owned())
            }
            standing => standing,
        }
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
        self.take(&self.index, self.standing())?;
        if self.facts != self.index {
            self.take(&self.facts, shared_standing(&self.facts))?;
        }
        let own = self.root.join(".contextd");
        let ignore = own.join(".gitignore");
        if self.index.starts_with(&own) && fs::symlink_metadata(&ignore).is_err() {
            claim::write_new(&ignore, IGNORE.as_bytes()).map_err(|source| EngineError::Io {
                what: "cannot write",
                path: ignore.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// Makes a folder ours, or finds that it is.
    fn take(&self, folder: &Path, standing: Standing) -> Result<()> {
        let failed = |what| move |source| EngineError::Io { what, path: folder.to_owned(), source };
        match standing {
            Standing::Foreign(why) => {
                return Err(EngineError::NotOurs { path: folder.to_owned(), why });
            }
            Standing::Ours => return claim::owned(folder).map_err(failed("cannot write to")),
            Standing::Absent => fs::create_dir_all(folder).map_err(failed("cannot create"))?,
            Standing::Empty => claim::owned(folder).map_err(failed("cannot write to"))?,
            Standing::Unmarked => {
                // An earlier version made it, or the repository brought it along: nothing of it is believed.
                claim::owned(folder).map_err(failed("cannot write to"))?;
                let Some(_lock) = WriterLock::lock_wait(folder, PATIENCE)? else {
                    return Err(EngineError::Busy { root: self.root.clone() });
                };
                if !claim::is_marked(folder) {
                    claim::remove(folder, |name| name != "lock").map_err(failed("cannot empty"))?;
                }
                return claim::mark(folder).map_err(failed("cannot write to"));
            }
        }
        claim::mark(folder).map_err(failed("cannot write to"))
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
        let mut folders = vec![(&self.index, self.standing())];
        if self.facts != self.index {
            folders.push((&self.facts, shared_standing(&self.facts)));
        }
        folders.retain(|(_, standing)| !matches!(standing, Standing::Absent | Standing::Empty));
        for (folder, standing) in &folders {
            if let Standing::Foreign(why) = standing {
                return Err(EngineError::NotOurs { path: (*folder).clone(), why: why.clone() });
            }
            claim::owned(folder).map_err(|source| EngineError::Io {
                what: "cannot remove",
                path: (*folder).clone(),
                source,
            })?;
        }
        let is_watched = WriterLock::is_held(&self.watch_lock());
        // Who is writing would meet gaps; where nothing may be written, nothing is being written.
        let lock = folders
            .iter()
            .any(|(folder, _)| **folder == self.index)
            .then(|| WriterLock::lock_wait(&self.index, PATIENCE))
            .and_then(std::result::Result::ok);
        if matches!(lock, Some(None)) {
            return Err(EngineError::Busy { root: self.root.clone() });
        }
        let mut freed = 0;
        for (folder, _) in folders {
            freed += size_of_folder(folder);
            let is_kept = |name: &str| {
                is_watched && *folder == self.index && [WATCH, ASKS, claim::MARK].contains(&name)
            };
            match claim::remove(folder, |name| !is_kept(name)) {
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
        let is_real = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| !it.is_symlink());
        if is_real(&own) {
            let ignore = own.join(".gitignore");
            // One that says something else is the user's.
            if is_real(&ignore) && fs::read_to_string(&ignore).is_ok_and(|text| text == IGNORE) {
                let _ = fs::remove_file(ignore);
            }
            let _ = fs::remove_dir(own);
        }
        Ok(freed)
    }
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
    if made {
        let _ = fs::remove_file(&probe);
    }
    made
}

/// Returns the git directory that all worktrees share, when `root` is inside a work tree. A file or link in the place of
/// `.git` may name any folder: only one that names this work tree in turn is believed.
fn common_git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root
        .ancestors()
        .map(|folder| folder.join(".git"))
        .find(|path| fs::symlink_metadata(path).is_ok())?;
    let kind = fs::symlink_metadata(&dot_git).ok()?.file_type();
    if kind.is_dir() {
        return Some(dot_git);
    }
    if !kind.is_file() {
        return None;
    }
    let text = fs::read_to_string(&dot_git).ok()?;
    let folder = dot_git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let back = fs::read_to_string(folder.join("gitdir")).ok()?;
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(&folder.join(back.trim()))? != real(&dot_git)? {
        return None;
    }
    let common = fs::read_to_string(folder.join("commondir")).ok()?;
    Some(folder.join(common.trim()))
}

/// True for a folder that git made: nothing of ours is put elsewhere.
fn is_git_folder(folder: &Path) -> bool {
    let metadata = |name: &str| fs::symlink_metadata(folder.join(name));
    metadata("HEAD").is_ok_and(|head| !head.is_dir())
        && metadata("objects").is_ok_and(|objects| objects.is_dir())
}

/// Looks at the folder that worktrees share.
fn shared_standing(folder: &Path) -> Standing {
    claim::standing(folder, folder.parent())
}

/// True when facts can be kept in that folder. Without a mark only that of the repository around the root is taken over,
/// not one that a file names.
fn is_shareable(folder: &Path, is_around: bool) -> bool {
    match shared_standing(folder) {
        Standing::Absent => folder.parent().is_some_and(is_writable),
        Standing::Unmarked if !is_around => false,
        Standing::Foreign(_) => false,
        Standing::Empty | Standing::Ours | Standing::Unmarked => claim::owned(folder).is_ok(),
    }
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
