//! Events of Linux, which watches single folders: those left out cost nothing.
//!
//! Which folder a descriptor stands for is known by the thread that takes the events in, and it alone changes that: a
//! folder found at a new place, before the event that it left the old one was read, keeps its watch. Opening files is
//! not watched; a search through the tree would fill the queue.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::{io, thread};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::statfs;
use rustix::io::Errno;

use super::asks;
use super::filter::{Meaning, is_git, meaning};
use super::folders::{Folders, Met};
use super::heard::{Heard, Kind};
use super::problems::Trouble;
use super::worker::Message;

/// Bytes of events read at once.
const BUFFER: usize = 64 * 1024;

/// File systems whose files change through this system alone, by the numbers that `statfs` gives: ext, Btrfs, XFS,
/// tmpfs, ramfs, F2FS, ZFS, bcachefs, overlay, eCryptfs.
const LOCAL: [u32; 10] = [
    0xEF53,
    0x9123_683E,
    0x5846_5342,
    0x0102_1994,
    0x8584_58F6,
    0xF2F5_2010,
    0x2FC1_2FC1,
    0xCA45_1A4E,
    0x794C_7630,
    0xF15F,
];

/// An event as it was read.
#[derive(Debug)]
pub(super) struct Raw {
    watch: i32,
    flags: ReadFlags,
    name: Option<OsString>,
}

/// Events of the watched folders.
pub(super) struct Native {
    queue: Arc<OwnedFd>,
    stopped: Arc<AtomicBool>,
    /// A watch whose only use is that its end wakes the reading thread.
    bell: i32,
    by_watch: HashMap<i32, String>,
    by_folder: BTreeMap<String, i32>,
    max_folders: usize,
    asks: Option<(i32, PathBuf)>,
    is_local: bool,
}

impl Native {
    /// Starts events for everything below the root, and for questions put into `asks`.
    pub fn start(
        folders: &Folders,
        max_folders: usize,
        asks: Option<&Path>,
        messages: Sender<Message>,
    ) -> Result<Self, Trouble> {
        let queue =
            inotify::init(CreateFlags::CLOEXEC).map_err(|error| Trouble::of(&error.into()))?;
        let bell = inotify::add_watch(&queue, "/", WatchFlags::DELETE_SELF)
            .map_err(|error| Trouble::of(&error.into()))?;
        let (queue, stopped) = (Arc::new(queue), Arc::new(AtomicBool::new(false)));
        let mut native = Self {
            queue: queue.clone(),
            stopped: stopped.clone(),
            bell,
            by_watch: HashMap::new(),
            by_folder: BTreeMap::new(),
            max_folders,
            asks: None,
            is_local: true,
        };
        thread::Builder::new()
            .name("contextd-events".into())
            .spawn(move || listen(&queue, &stopped, &messages))
            .map_err(|error| Trouble::Unsupported(error.to_string()))?;
        native.add_tree(folders, "", |_| ())?;
        native.asks = asks.and_then(|folder| native.hear_questions(folder));
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
                Met::Folder(folder) => self.add(folders, folder)?,
                Met::Other(path, _) => {
                    if meaning(path) != Meaning::Ignored {
                        found(path);
                    }
                }
            }
            Ok(())
        })
    }

    /// Starts all events anew after some were lost: folders may have come and gone unheard.
    pub fn start_again(&mut self, folders: &Folders) -> Result<(), Trouble> {
        self.forget("");
        self.add_tree(folders, "", |_| ())
    }

    /// Ends the watches of a folder that left, and of all folders in it.
    pub fn forget(&mut self, path: &str) {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let inside = self.by_folder.range(below.clone()..);
        let mut gone: Vec<String> = inside
            .map(|(folder, _)| folder.clone())
            .take_while(|folder| folder.starts_with(&below))
            .collect();
        gone.push(path.to_owned());
        for folder in gone {
            if let Some(watch) = self.by_folder.remove(&folder) {
                self.by_watch.remove(&watch);
                self.end(watch);
            }
        }
    }

    /// Ends the watches of folders that neither `is_listed` nor anybody else wants any more.
    pub fn keep(&mut self, folders: &Folders, is_listed: impl Fn(&str) -> bool) {
        let is_left_out =
            |folder: &&String| !is_listed(folder) && !is_git(folder) && !folders.is_watched(folder);
        let left: Vec<String> = self.by_folder.keys().filter(is_left_out).cloned().collect();
        left.iter().for_each(|folder| self.forget(folder));
    }

    /// True when what happens in the folder is heard.
    pub fn is_watched(&self, folder: &str) -> bool {
        self.by_folder.contains_key(folder)
    }

    /// True when nothing changes in the watched folders but through this system.
    pub fn tells_all(&self) -> bool {
        self.is_local
    }

    /// Returns the folder of questions, while they are heard.
    pub fn asks(&self) -> Option<&Path> {
        self.asks.as_ref().map(|(_, folder)| folder.as_path())
    }

    /// Returns what an event means.
    pub fn understand(&mut self, raw: Raw, _folders: &Folders) -> Vec<Heard> {
        if raw.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            return vec![Heard::Lost];
        }
        let is_over = raw.flags.contains(ReadFlags::IGNORED);
        if self.asks.as_ref().is_some_and(|(watch, _)| *watch == raw.watch) {
            self.asks = self.asks.take().filter(|_| !is_over);
            return raw.name.map(Heard::Asked).into_iter().collect();
        }
        let Some(folder) = self.by_watch.get(&raw.watch).cloned() else {
            return Vec::new();
        };
        if is_over {
            // The folder is gone, or its file system is; what is there now has to be looked at.
            self.by_watch.remove(&raw.watch);
            self.by_folder.remove(&folder);
            return vec![Heard::Path(folder, Kind::Appeared)];
        }
        let kind = kind(raw.flags);
        // A name that is not Unicode is told as its folder.
        let name = raw.name.and_then(|name| name.into_string().ok());
        let path = match name {
            None => folder,
            Some(name) if folder.is_empty() => name,
            Some(name) => format!("{folder}/{name}"),
        };
        vec![Heard::Path(path, kind)]
    }

    fn add(&mut self, folders: &Folders, folder: &str) -> Result<(), Trouble> {
        if self.by_folder.len() >= self.max_folders && !self.is_watched(folder) {
            return Err(Trouble::Limit);
        }
        let place = folders.root.join(folder);
        match inotify::add_watch(&*self.queue, &place, flags(folder)) {
            Ok(watch) => {
                self.note(watch, folder);
                self.is_local &=
                    statfs(&place).is_ok_and(|system| LOCAL.contains(&(system.f_type as u32)));
                Ok(())
            }
            Err(error) => match Trouble::of(&error.into()) {
                // A folder that vanished or may not be read has nothing to tell; the root must be watched.
                Trouble::Folder if !folder.is_empty() => Ok(()),
                trouble => Err(trouble),
            },
        }
    }

    /// Keeps which folder a watch stands for. The system gives one folder one watch, whatever its name.
    fn note(&mut self, watch: i32, folder: &str) {
        if let Some(earlier) = self.by_watch.insert(watch, folder.to_owned())
            && earlier != folder
            && self.by_folder.get(&earlier) == Some(&watch)
        {
            self.by_folder.remove(&earlier);
        }
        if let Some(other) = self.by_folder.insert(folder.to_owned(), watch)
            && other != watch
        {
            self.by_watch.remove(&other);
            self.end(other);
        }
    }

    fn end(&self, watch: i32) {
        // The system ends the watch of a removed folder by itself.
        let _ = inotify::remove_watch(&*self.queue, watch);
    }

    /// Without questions others look for themselves, nothing else.
    fn hear_questions(&self, folder: &Path) -> Option<(i32, PathBuf)> {
        asks::open(folder).ok()?;
        let flags = WatchFlags::CREATE | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let watch = inotify::add_watch(&*self.queue, folder, flags).ok()?;
        Some((watch, folder.to_owned()))
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        if let Some((_, folder)) = &self.asks {
            asks::close(folder);
        }
        self.stopped.store(true, Ordering::Relaxed);
        self.end(self.bell);
    }
}

/// Reads events and passes them on until the watch ends.
fn listen(queue: &OwnedFd, stopped: &AtomicBool, messages: &Sender<Message>) {
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
    let mut reader = Reader::new(queue, &mut buffer);
    loop {
        let read = match reader.next() {
            Ok(event) => Ok(Raw {
                watch: event.wd(),
                flags: event.events(),
                name: event.file_name().map(|name| OsString::from_vec(name.to_bytes().to_vec())),
            }),
            Err(Errno::INTR) => continue,
            Err(error) => Err(Trouble::of(&io::Error::from(error))),
        };
        let is_over = read.is_err();
        if stopped.load(Ordering::Relaxed)
            || messages.send(Message::Event(read)).is_err()
            || is_over
        {
            return;
        }
    }
}

fn flags(folder: &str) -> WatchFlags {
    let inside = WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::MODIFY
        | WatchFlags::CLOSE_WRITE
        | WatchFlags::ATTRIB
        | WatchFlags::ONLYDIR
        | WatchFlags::DONT_FOLLOW;
    // Of other folders, those above tell.
    let own = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
    if folder.is_empty() { inside | own } else { inside }
}

fn kind(flags: ReadFlags) -> Kind {
    let left =
        ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF;
    let was_folder = flags.contains(ReadFlags::ISDIR);
    match flags {
        flags if flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO) => Kind::Appeared,
        flags if flags.intersects(left) => Kind::Left { was_folder },
        flags if flags.intersects(ReadFlags::ATTRIB) => Kind::Attributes,
        _ => Kind::Written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc::{self, Receiver};
    use std::time::Duration;

    /// Long enough for a busy machine; a test waits so long only when it fails.
    const PATIENCE: Duration = Duration::from_secs(20);

    struct Place {
        folders: Folders,
        native: Native,
        inbox: Receiver<Message>,
        _folder: tempfile::TempDir,
    }

    fn place(paths: &[&str]) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a root");
        paths.iter().for_each(|path| fs::create_dir_all(root.join(path)).expect("a folder"));
        let folders = Folders::new(root, Arc::new(|_| true), Arc::default());
        let (messages, inbox) = mpsc::channel();
        let native = Native::start(&folders, usize::MAX, None, messages).expect("a watch");
        Place { folders, native, inbox, _folder: folder }
    }

    impl Place {
        fn at(&self, path: &str) -> PathBuf {
            self.folders.root.join(path)
        }

        /// Writes a file and waits until it is heard under its name.
        fn hears(&mut self, path: &str) {
            fs::write(self.at(path), "x").expect("written");
            loop {
                match self.inbox.recv_timeout(PATIENCE) {
                    Ok(Message::Event(Ok(raw))) => {
                        let heard = self.native.understand(raw, &self.folders);
                        if heard
                            .iter()
                            .any(|heard| matches!(heard, Heard::Path(heard, _) if heard == path))
                        {
                            return;
                        }
                    }
                    other => panic!("{path} was not heard: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_folder_found_at_its_new_place_keeps_its_watch() {
        let mut place = place(&["a/x"]);
        fs::create_dir(place.at("b")).expect("a folder");
        fs::rename(place.at("a/x"), place.at("b/x")).expect("moved");
        // Found on a walk, before the event that it left is taken in.
        place.native.add_tree(&place.folders, "b", |_| ()).expect("watched");
        place.native.forget("a/x");
        place.hears("b/x/f");
    }

    #[test]
    fn after_lost_events_folders_of_the_same_name_are_watched_again() {
        let mut place = place(&["a/x"]);
        fs::rename(place.at("a"), place.at("b")).expect("moved");
        fs::create_dir_all(place.at("a/x")).expect("a folder");
        fs::create_dir(place.at("a/new")).expect("a folder");
        while place.inbox.recv_timeout(Duration::from_millis(200)).is_ok() {}
        place.native.start_again(&place.folders).expect("watched");
        for path in ["a/x/f", "a/new/f", "b/x/f"] {
            place.hears(path);
        }
    }
}
