//! Believing the process that watches: a new one asks it whether the published snapshot holds all that happened, instead
//! of looking at every file.
//!
//! **The question.** The process that leads a watch also watches `asks/` beside the index, through the same queue of
//! events as the tree. Who wants to know puts an empty file there and waits a few milliseconds. When its event is read,
//! events of every change that was finished before have been read, so the answer "calm, and this is the snapshot" is
//! given only when none of them waits for its pause or is being taken in, the last refresh did not fail, and the snapshot is
//! still the published one. "busy", no answer in time, another snapshot, or no watcher: stamps are looked at
//! ([`crate::calm`]), as without a watcher. "soon" says that something is being taken in: on a large tree a
//! question waits for that, since the watcher has the linker's tables at hand and who asks would have to make them.
//!
//! **What calm means** is what it means for stamps, that a scan would find what it found, on the same grounds:
//! - Files and listed folders: by events. A folder that a scan lists and nobody watches (made while events were
//!   dropped, no longer ignored, ignored with tracked files in it) is watched from then on and scanned again, and only
//!   then is anything calm.
//! - New folders: their event makes the state busy; they are watched before they are listed, so nothing falls in between.
//! - Ignored folders are not watched, and nothing in them decides; a folder that becomes ignored is watched no more.
//! - `.gitignore`, `.contextignore`, `.dockerignore`, `.git`, its `HEAD` and its `index`: by events, each asks for a whole scan.
//! - What decides and lies where nobody watches (`.git/config`, `.git/info/exclude`, the user's and the system's git
//!   settings, ignore files above the root, the git folder of a worktree, `HEAD` of repositories inside): the leader compares
//!   the stamps of these few before it answers, by the rule of [`crate::calm`] for young stamps. When they differ it says
//!   busy and scans.
//! - Who has another root (the same folder moved), another home or another folder of settings asks with another key and is
//!   told busy. Another configuration makes the snapshot outdated, and nobody asks about such a one.
//! - Followed links, files put over the tree, a limit of files, and files that could not be read have no grounds, or none
//!   that tell: never calm. Neither is a polling watch, nor a file system whose files others change (all that are not
//!   known to be local).
//!
//! **What no event tells**, and a stamp would: a file written through a mapping, until the mapping ends; a file written
//! through another hard link of it outside the watched folders; something mounted over a watched folder. The periodic
//! whole scan (`watcher.full_scan_interval_seconds`) finds them.

use crate::changes::RACY_NS;
use crate::engine::Engine;
use crate::refresh::Refreshed;
use crate::watching::MANY_FILES;
use contextd_model::ContentHash;
use contextd_scan::Mark;
use contextd_scan::watch::{Question, SOON, Standing, Watcher};
use contextd_snapshot::{Snapshot, SnapshotName, WriterLock, current};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an answer is waited for: a part of what stamps take where asking pays.
const PATIENCE: Duration = Duration::from_millis(10);
/// First word of the answer that says so.
const CALM: &str = "calm";
/// How long a question waits for what is being taken in, and how often it asks again.
const SETTLING: Duration = Duration::from_secs(3);
const ASK_AGAIN: Duration = Duration::from_millis(15);
/// Problems that say nothing about whether files were read.
const HARMLESS: &[&str] =
    &["CTX_W_SCAN_LARGE_FILE", "CTX_W_SCAN_VERY_LARGE", "CTX_W_SCAN_BROAD_ROOT"];

/// A file was written while it was read.
const CHANGING: &str = "CTX_W_SCAN_CHANGING";

/// What a refresh looked at.
pub(crate) enum Looked {
    Part,
    /// Everything, on these grounds; `None` when they cannot be told.
    Whole(Option<Vec<String>>),
}

/// The paths that decide and that no event tells of, with what their stamps came to.
#[derive(Clone)]
struct Untold {
    paths: Arc<[String]>,
    sum: ContentHash,
}

/// What the process that leads a watch knows of its own refreshes.
pub(crate) struct Leading {
    untold: Known,
    /// Problems that the last whole scan and what came after it had to list.
    problems: usize,
    /// What the last refresh left published.
    published: Option<SnapshotName>,
    /// A refresh failed: only a look at everything tells what it left undone.
    owes_whole: bool,
}

/// What a whole scan was decided by, as far as that lies outside of events.
enum Known {
    Sure(Untold),
    Unsure,
    Never,
}

impl Leading {
    pub(crate) fn new() -> Self {
        Self { untold: Known::Unsure, problems: 0, published: None, owes_whole: true }
    }

    /// Takes note of a refresh that was begun at `began`, in Unix milliseconds.
    pub(crate) fn looked(
        &mut self,
        engine: &Engine,
        watcher: &Watcher,
        looked: Looked,
        refreshed: &Refreshed,
        began: i64,
    ) {
        (self.owes_whole, self.published) = (false, refreshed.snapshot);
        self.problems += refreshed.problems.len();
        if let Looked::Whole(grounds) = looked {
            self.problems = refreshed.problems.len();
            self.untold = grounds
                .and_then(|grounds| watcher.untold(grounds))
                .map_or(Known::Never, |paths| Known::of(engine, paths, began));
        }
        let mut doubts = refreshed
            .problems
            .iter()
            .map(|problem| problem.code)
            .filter(|code| !HARMLESS.contains(code))
            .peekable();
        if doubts.peek().is_some() {
            // What could not be read may be readable at any time, without an event; what was being written will tell.
            self.untold =
                if doubts.all(|code| code == CHANGING) { Known::Unsure } else { Known::Never };
        }
    }

    /// Takes note of a refresh that failed.
    pub(crate) fn failed(&mut self) {
        (self.untold, self.published, self.owes_whole) = (Known::Unsure, None, true);
    }

    /// True when single paths are not enough: the snapshot that is published is none that was looked at here.
    pub(crate) fn owes_whole(&self, engine: &Engine) -> bool {
        self.owes_whole || current(&engine.places.index).ok().flatten() != self.published
    }

    /// Returns what questions are to be answered from now on.
    pub(crate) fn standing(&self, engine: &Arc<Engine>) -> Standing {
        match (&self.untold, self.published) {
            (Known::Sure(untold), Some(name)) => {
                let (asked, untold) = (Arc::clone(engine), untold.clone());
                let holds = move || {
                    current(&asked.places.index).is_ok_and(|published| published == Some(name))
                        && untold.holds(&asked)
                };
                Standing::Known {
                    key: engine.scanner.surroundings(),
                    answer: format!("{CALM} {} {}", name.0.to_hex(), self.problems),
                    holds: Box::new(holds),
                }
            }
            (Known::Never, _) => Standing::Never,
            (Known::Unsure, _) | (_, None) => Standing::Unsure,
        }
    }
}

impl Known {
    fn of(engine: &Engine, paths: Vec<String>, began: i64) -> Self {
        let mark = mark_of(engine, &paths);
        // Stamps are taken after the scan: only if all are older did the scan see what they stand for.
        if mark.newest_ns.saturating_add(RACY_NS) >= began.saturating_mul(1_000_000) {
            return Self::Unsure;
        }
        Self::Sure(Untold { paths: paths.into(), sum: mark.sum })
    }
}

impl Untold {
    fn holds(&self, engine: &Engine) -> bool {
        mark_of(engine, &self.paths).sum == self.sum
    }
}

fn mark_of(engine: &Engine, paths: &[String]) -> Mark {
    engine.scanner.mark(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A question to the process that watches, if there is one.
pub(crate) struct Asked(Option<Question>);

/// What the process that watches says.
enum Word {
    /// Everything is in this snapshot; so many problems were to be listed.
    Calm(String, usize),
    /// It is taking something in.
    Soon,
    /// Nobody knows, or nobody answers.
    Nothing,
}

impl Asked {
    fn word(self) -> Word {
        let Some(answer) = self.0.and_then(|question| question.answer(PATIENCE)) else {
            return Word::Nothing;
        };
        let mut words = answer.split(' ');
        match (words.next(), words.next(), words.next().and_then(|problems| problems.parse().ok()))
        {
            (Some(CALM), Some(name), Some(problems)) => Word::Calm(name.to_owned(), problems),
            (Some(SOON), ..) => Word::Soon,
            _ => Word::Nothing,
        }
    }

    /// Returns how many problems there were to list when the process that watches says that all is in this snapshot.
    pub(crate) fn calm(self, name: SnapshotName) -> Option<usize> {
        match self.word() {
            Word::Calm(said, problems) if said == name.0.to_hex() => Some(problems),
            _ => None,
        }
    }
}

impl Engine {
    /// Folder where questions are put.
    pub(crate) fn asks(&self) -> PathBuf {
        self.places.asks()
    }

    /// True when a process that watches says that everything that happened until now is in this snapshot.
    pub fn is_confirmed(&self, name: SnapshotName) -> bool {
        self.ask().calm(name).is_some()
    }

    /// Returns the published snapshot once the process that watches says that all is in it, with the problems there were to
    /// list; waits for that while it is taking something in and the tree is large. The snapshot that was
    /// opened last comes back where nobody can say.
    pub(crate) fn settled(
        &self,
        mut asked: Asked,
        mut snapshot: Snapshot,
    ) -> (Snapshot, Option<usize>) {
        let until = Instant::now() + SETTLING;
        loop {
            let pays = snapshot.file_count() >= MANY_FILES && Instant::now() < until;
            match asked.word() {
                Word::Calm(said, problems) if said == snapshot.name().0.to_hex() => {
                    return (snapshot, Some(problems));
                }
                // It was published after this one was opened.
                Word::Calm(..) if pays => {}
                Word::Soon if pays => std::thread::sleep(ASK_AGAIN),
                _ => return (snapshot, None),
            }
            if current(&self.places.index).ok().flatten() != Some(snapshot.name()) {
                match self
                    .shared_snapshot()
                    .ok()
                    .flatten()
                    .filter(|snapshot| self.is_current(snapshot))
                {
                    Some(newer) => snapshot = newer,
                    None => return (snapshot, None),
                }
            }
            asked = self.ask();
        }
    }

    /// Asks the process that watches, without waiting for its answer.
    pub(crate) fn ask(&self) -> Asked {
        let asks = self.asks();
        // One that was killed leaves the folder, but not the lock.
        let is_watched = asks.is_dir() && WriterLock::is_held(&self.places.watch_lock());
        Asked(is_watched.then(|| Question::put(&asks, &self.scanner.surroundings())).flatten())
    }
}
