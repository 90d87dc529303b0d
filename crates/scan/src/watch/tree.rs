//! Events of systems that watch a whole tree with one handle.

use std::path::Path;
use std::sync::mpsc::Sender;

use notify::event::{AccessKind, AccessMode, ModifyKind, RemoveKind, RenameMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::filter::{Meaning, meaning};
use super::folders::{Folders, Met};
use super::heard::{Heard, Kind};
use super::problems::Trouble;
use super::worker::Message;

/// An event as it was told.
pub(super) type Raw = Event;

/// Events of the whole tree. What they tell of is not in order with what other processes do, so no questions are taken.
pub(super) struct Native {
    _watcher: RecommendedWatcher,
}

impl Native {
    /// Starts events for everything below the root.
    pub fn start(
        folders: &Folders,
        max_folders: usize,
        _asks: Option<&Path>,
        messages: Sender<Message>,
    ) -> Result<Self, Trouble> {
        let forward = move |event: notify::Result<Event>| {
            if event.as_ref().map_or(true, |event| is_change(&event.kind)) {
                // Nobody listens once the watch has ended.
                let _ = messages.send(Message::Event(event.map_err(|error| Trouble::told(&error))));
            }
        };
        if max_folders == 0 {
            return Err(Trouble::Limit);
        }
        let config = Config::default().with_follow_symlinks(false);
        let mut watcher =
            RecommendedWatcher::new(forward, config).map_err(|error| Trouble::told(&error))?;
        watcher
            .watch(&folders.root, RecursiveMode::Recursive)
            .map_err(|error| Trouble::told(&error))?;
        Ok(Self { _watcher: watcher })
    }

    /// Hands out the files of a folder that appeared.
    pub fn add_tree(
        &mut self,
        folders: &Folders,
        start: &str,
        mut found: impl FnMut(&str),
    ) -> Result<(), Trouble> {
        folders.walk(start, |met| {
            if let Met::Other(path, _) = met
                && meaning(path) != Meaning::Ignored
            {
                found(path);
            }
            Ok(())
        })
    }

    /// Nothing is kept for single folders.
    pub fn start_again(&mut self, _folders: &Folders) -> Result<(), Trouble> {
        Ok(())
    }

    /// Nothing is kept for single folders.
    pub fn forget(&mut self, _path: &str) {}

    /// Nothing is kept for single folders.
    pub fn keep(&mut self, _folders: &Folders, _is_listed: impl Fn(&str) -> bool) {}

    /// True for every folder.
    pub fn is_watched(&self, _folder: &str) -> bool {
        true
    }

    /// Events may come late.
    pub fn tells_all(&self) -> bool {
        false
    }

    /// No questions are taken.
    pub fn asks(&self) -> Option<&Path> {
        None
    }

    /// Returns what an event means.
    pub fn understand(&mut self, raw: Raw, folders: &Folders) -> Vec<Heard> {
        let mut heard = Vec::new();
        if raw.need_rescan() {
            heard.push(Heard::Lost);
        }
        let inside = raw.paths.iter().filter_map(|path| folders.relative(path));
        let paths = inside.filter(|path| folders.is_inside(path));
        heard.extend(paths.map(|path| Heard::Path(path, kind(&raw.kind))));
        heard
    }
}

fn kind(kind: &EventKind) -> Kind {
    match kind {
        EventKind::Remove(kind) => Kind::Left { was_folder: *kind == RemoveKind::Folder },
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) => Kind::Left { was_folder: false },
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) => Kind::Appeared,
        EventKind::Modify(ModifyKind::Metadata(_)) | EventKind::Access(_) => Kind::Attributes,
        _ => Kind::Written,
    }
}

/// Opening and reading change nothing.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}
