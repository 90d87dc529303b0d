//! Watching a root for changes: native events, collected until they pause, with polling where events cannot be had.
//!
//! [`watch`] starts one thread. It reports what may have changed, never how: the receiver looks at the files. Folders
//! that the caller leaves out cost no watch, and git's own files only tell that everything should be looked at again.

mod asks;
mod debounce;
mod filter;
mod folders;
mod heard;
#[cfg(target_os = "linux")]
mod inotify;
mod poll;
mod problems;
#[cfg(not(target_os = "linux"))]
mod tree;
mod worker;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use contextd_model::Problem;

pub use asks::{Question, SOON};
use folders::Folders;
#[cfg(target_os = "linux")]
use inotify::{Native, Raw};
#[cfg(not(target_os = "linux"))]
use tree::{Native, Raw};
use worker::{Message, Worker};

/// Decides by its path, relative and with `/`, whether a folder is watched.
pub type FolderPredicate = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// How to watch.
#[derive(Clone)]
pub struct WatchOptions {
    /// Quiet time after the last event before changes are reported; they wait at most four times as long.
    pub debounce: Duration,
    /// Interval of [`RescanReason::Periodic`], if any.
    pub full_scan_every: Option<Duration>,
    /// Interval of polling when events cannot be had; without it, [`watch`] fails instead.
    pub poll_fallback: Option<Duration>,
    /// Polls from the start, for filesystems that send no events.
    pub polling: bool,
    /// Most folders to watch with events: the system's limit is shared by all programs of a user.
    pub max_folders: usize,
    /// Folders that are not worth a watch answer false; what lies below them is silent.
    pub should_watch_dir: FolderPredicate,
    /// Folder where other processes put a [`Question`]; it is made, and removed at the end. None is answered where
    /// events are not in order with what those processes did.
    pub asks: Option<PathBuf>,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(500),
            full_scan_every: None,
            poll_fallback: Some(Duration::from_secs(2)),
            polling: false,
            max_folders: usize::MAX,
            should_watch_dir: Arc::new(|_| true),
            asks: None,
        }
    }
}

impl fmt::Debug for WatchOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchOptions")
            .field("debounce", &self.debounce)
            .field("full_scan_every", &self.full_scan_every)
            .field("poll_fallback", &self.poll_fallback)
            .field("polling", &self.polling)
            .field("max_folders", &self.max_folders)
            .finish_non_exhaustive()
    }
}

/// What may have changed since the last report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// These paths, relative to the root and with `/`. A path may be a folder or gone: all below it may have changed.
    Paths(BTreeSet<String>),
    /// Anything: the whole root should be scanned again.
    Rescan(RescanReason),
}

/// Why single paths are not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RescanReason {
    /// The interval of full scans is over.
    Periodic,
    /// HEAD, the index or a branch of git changed.
    Git,
    /// More paths changed than are worth naming.
    ManyChanges,
    /// The system dropped events.
    Overflow,
    /// Events stopped and polling took over.
    BackendChanged,
    /// What no event tells of has changed, or was too young to be sure of.
    Surroundings,
    /// The root itself was moved or removed.
    RootGone,
}

impl Changes {
    /// Returns both as one.
    pub fn join(self, other: Changes) -> Changes {
        match (self, other) {
            (Self::Paths(mut paths), Self::Paths(more)) => {
                paths.extend(more);
                Self::Paths(paths)
            }
            (Self::Rescan(reason), Self::Rescan(other)) => Self::Rescan(reason.max(other)),
            (Self::Rescan(reason), Self::Paths(_)) | (Self::Paths(_), Self::Rescan(reason)) => {
                Self::Rescan(reason)
            }
        }
    }
}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The root cannot be opened.
    #[error("cannot watch {}: {source}; check that the folder exists and can be read", path.display())]
    Root { path: PathBuf, source: std::io::Error },
    /// Events cannot be had and polling is switched off.
    #[error("{0}")]
    Unavailable(Problem),
    /// The system starts no thread.
    #[error("cannot start the watching thread: {0}; close other programs and try again")]
    Thread(std::io::Error),
}

impl WatchError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Root { .. } => "CTX_E_WATCH_ROOT",
            Self::Unavailable(problem) => problem.code,
            Self::Thread(_) => "CTX_E_WATCH_THREAD",
        }
    }
}

/// How the receiver of reports stands after it took some in; decides what a [`Question`] is answered.
pub enum Standing {
    /// All of it is in what `answer` names, for questions of this key, while `holds` says so of everything that no event tells of.
    Known { key: String, answer: String, holds: Box<dyn Fn() -> bool + Send> },
    /// A whole scan is needed first; a question causes one.
    Unsure,
    /// Nothing can be told.
    Never,
}

impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known { key, answer, .. } => write!(f, "Known({key}, {answer})"),
            Self::Unsure => f.write_str("Unsure"),
            Self::Never => f.write_str("Never"),
        }
    }
}

/// A running watch; dropping it ends the watch.
#[derive(Debug)]
pub struct Watcher {
    /// Reports, each after a pause in the events; closed when the watch ends.
    pub events: Receiver<Changes>,
    stopper: Stopper,
    problems: Arc<Mutex<Vec<Problem>>>,
    thread: Option<JoinHandle<()>>,
}

/// Ends a [`Watcher`] from anywhere.
#[derive(Clone, Debug)]
pub struct Stopper {
    stopped: Arc<AtomicBool>,
    messages: Sender<Message>,
}

/// Watches `root`; when this returns, every later change will be reported.
pub fn watch(root: &Path, options: WatchOptions) -> Result<Watcher, WatchError> {
    let root = root
        .canonicalize()
        .map_err(|source| WatchError::Root { path: root.to_path_buf(), source })?;
    let (messages, inbox) = mpsc::channel();
    let (reports, events) = mpsc::channel();
    let stopper = Stopper { stopped: Arc::default(), messages: messages.clone() };
    let problems = Arc::new(Mutex::new(Vec::new()));
    let folders = Folders::new(root, options.should_watch_dir.clone(), stopper.stopped.clone());
    let worker = Worker::start(folders, options, messages, reports, problems.clone())?;
    let thread = thread::Builder::new()
        .name("contextd-watch".into())
        .spawn(move || worker.run(&inbox))
        .map_err(WatchError::Thread)?;
    Ok(Watcher { events, stopper, problems, thread: Some(thread) })
}

impl Watcher {
    /// Returns what went wrong so far, such as a limit that made polling necessary.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns which of a scan's grounds no event tells of, so that they have to be looked at; `None` when that cannot
    /// be told, now or ever. Grounds are sorted; folders among them that were not watched are from now on.
    pub fn untold(&self, grounds: Vec<String>) -> Option<Vec<String>> {
        let (to, from) = mpsc::channel();
        self.stopper.messages.send(Message::Grounds(grounds, to)).ok()?;
        from.recv().ok()?
    }

    /// Tells how the receiver stands after the first `taken` reports.
    pub fn stands(&self, taken: u64, standing: Standing) {
        // A watch that has ended answers nothing.
        let _ = self.stopper.messages.send(Message::Stands(taken, standing));
    }

    /// Returns a handle that ends the watch.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Ends the watch and waits for its thread.
    pub fn stop(self) {}
}

impl Stopper {
    /// Ends the watch; [`Watcher::events`] closes soon after.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        // The worker may have ended by itself; then there is nobody to tell.
        let _ = self.messages.send(Message::Stop);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
