//! The system's own events.

use std::collections::BTreeSet;
use std::sync::mpsc::Sender;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::filter::{Meaning, meaning};
use super::folders::{Folders, Met};
use super::problems::Trouble;
use super::worker::Message;

/// Linux watches single folders, so those left out cost nothing; other systems watch a whole tree with one handle.
const BY_FOLDER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Events of the watched folders.
pub(super) struct Native {
    watcher: RecommendedWatcher,
    watched: BTreeSet<String>,
    max_folders: usize,
}

impl Native {
    /// Starts events for everything below the root.
    pub fn start(
        folders: &Folders,
        max_folders: usize,
        messages: Sender<Message>,
    ) -> Result<Self, Trouble> {
        let forward = move |event: notify::Result<Event>| {
            if event.as_ref().map_or(true, |event| is_change(&event.kind)) {
                // Nobody listens once the watch has ended.
                let _ = messages.send(Message::Event(event));
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let watcher =
            RecommendedWatcher::new(forward, config).map_err(|error| Trouble::of(&error))?;
        let mut native = Self {
            watcher,
            watched: BTreeSet::new(),
            max_folders,
        };
        if BY_FOLDER {
            native.add_tree(folders, "", |_| ())?;
        } else {
            native
                .watcher
                .watch(&folders.root, RecursiveMode::Recursive)
                .map_err(|error| Trouble::of(&error))?;
        }
        Ok(native)
    }

    /// Starts events for a folder that appeared; hands out the files already in it, which sent none.
    pub fn add_tree(
        &mut self,
        folders: &Folders,
        start: &str,
        mut found: impl FnMut(&str),
    ) -> Result<(), Trouble> {
        folders.walk(start, |met| {
            match met {
                Met::Folder(folder) if BY_FOLDER => self.add(folders, folder)?,
                Met::Folder(_) => {}
                Met::Other(path, _) => {
                    if meaning(path) != Meaning::Ignored {
                        found(path);
                    }
                }
            }
            Ok(())
        })
    }

    /// Takes note that a path is gone, and with it the watches of all folders in it.
    pub fn forget(&mut self, path: &str) {
        if self.watched.remove(path) {
            let below = format!("{path}/");
            self.watched.retain(|folder| !folder.starts_with(&below));
        }
    }

    fn add(&mut self, folders: &Folders, folder: &str) -> Result<(), Trouble> {
        if self.watched.len() >= self.max_folders && !self.watched.contains(folder) {
            return Err(Trouble::Limit);
        }
        match self
            .watcher
            .watch(&folders.root.join(folder), RecursiveMode::NonRecursive)
        {
            Ok(()) => {
                self.watched.insert(folder.to_string());
                Ok(())
            }
            Err(error) => match Trouble::of(&error) {
                // A folder that vanished or may not be read has nothing to tell; the root must be watched.
                Trouble::Folder if !folder.is_empty() => Ok(()),
                trouble => Err(trouble),
            },
        }
    }
}

/// Opening and reading change nothing; Linux tells both ends of a rename before it tells the rename.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => !BY_FOLDER,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}
