//! The watching thread: events or polls in, reports out.

use std::ffi::OsStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use contextd_model::Problem;

use super::asks;
use super::debounce::Debounce;
use super::filter::{Meaning, is_git_entry, meaning};
use super::folders::Folders;
use super::heard::{Heard, Kind};
use super::poll::Poll;
use super::problems::Trouble;
use super::{Changes, Native, Raw, RescanReason, Standing, WatchError, WatchOptions};

/// The answer that says nothing: who asked looks for itself.
const BUSY: &str = "busy";

/// Longest wait for a message when nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// What the worker is told.
#[derive(Debug)]
pub(super) enum Message {
    Event(Result<Raw, Trouble>),
    /// Grounds of a scan, for [`super::Watcher::untold`], and where the answer goes.
    Grounds(Vec<String>, Sender<Option<Vec<String>>>),
    /// What the receiver made of its first reports.
    Stands(u64, Standing),
    Stop,
}

/// Where changes come from.
enum Source {
    Native(Native),
    Poll(Poll),
}

pub(super) struct Worker {
    folders: Folders,
    options: WatchOptions,
    source: Source,
    debounce: Debounce,
    next_full_scan: Option<Instant>,
    reports: Sender<Changes>,
    /// Reports that were sent.
    sent: u64,
    /// How many of them were taken in, and how the receiver stands since.
    standing: (u64, Standing),
    problems: Arc<Mutex<Vec<Problem>>>,
}

impl Worker {
    /// Sets up the source of changes; from here on none is missed.
    pub fn start(
        folders: Folders,
        options: WatchOptions,
        messages: Sender<Message>,
        reports: Sender<Changes>,
        problems: Arc<Mutex<Vec<Problem>>>,
    ) -> Result<Self, WatchError> {
        let source = match (options.polling, options.poll_fallback) {
            (true, interval) => {
                Source::Poll(Poll::start(&folders, interval.unwrap_or(options.debounce)))
            }
            (false, fallback) => match (
                Native::start(&folders, options.max_folders, options.asks.as_deref(), messages),
                fallback,
            ) {
                (Ok(native), _) => Source::Native(native),
                (Err(trouble), None) => return Err(WatchError::Unavailable(trouble.fatal())),
                (Err(trouble), Some(interval)) => {
                    note(&problems, trouble.polling(interval));
                    Source::Poll(Poll::start(&folders, interval))
                }
            },
        };
        let next_full_scan = options.full_scan_every.map(|every| Instant::now() + every);
        let debounce = Debounce::new(options.debounce);
        Ok(Self {
            folders,
            options,
            source,
            debounce,
            next_full_scan,
            reports,
            sent: 0,
            standing: (0, Standing::Never),
            problems,
        })
    }

    /// Works until it is stopped or nobody reads the reports.
    pub fn run(mut self, inbox: &Receiver<Message>) {
        loop {
            let wait = self.deadline().saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(Message::Event(Ok(raw))) => self.hear(raw),
                Ok(Message::Event(Err(trouble))) => self.fail(&trouble),
                // Who does not wait for it any more needs no answer.
                Ok(Message::Grounds(grounds, to)) => drop(to.send(self.untold(&grounds))),
                Ok(Message::Stands(taken, standing)) => self.standing = (taken, standing),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
            if !self.catch_up(Instant::now()) {
                return;
            }
        }
    }

    fn deadline(&self) -> Instant {
        let poll = match &self.source {
            Source::Poll(poll) => Some(poll.due()),
            Source::Native(_) => None,
        };
        [self.debounce.deadline(), self.next_full_scan, poll]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_else(|| Instant::now() + IDLE)
    }

    /// Does what is due; returns whether anybody still listens.
    fn catch_up(&mut self, now: Instant) -> bool {
        if let Source::Poll(poll) = &mut self.source
            && poll.due() <= now
        {
            for path in poll.changes(&self.folders) {
                self.add(path, Instant::now());
            }
        }
        if let (Some(due), Some(every)) = (self.next_full_scan, self.options.full_scan_every)
            && due <= now
        {
            self.next_full_scan = Some(now + every);
            if !self.report(Changes::Rescan(RescanReason::Periodic)) {
                return false;
            }
        }
        match self.debounce.take_due(now) {
            Some(changes) => self.report(changes),
            None => true,
        }
    }

    fn report(&mut self, changes: Changes) -> bool {
        self.sent += 1;
        self.reports.send(changes).is_ok()
    }

    fn hear(&mut self, raw: Raw) {
        let Source::Native(native) = &mut self.source else {
            return;
        };
        for heard in native.understand(raw, &self.folders) {
            match heard {
                Heard::Path(path, kind) => self.observe(path, kind),
                Heard::Lost => self.start_again(),
                Heard::Asked(name) => self.answer(&name),
            }
        }
    }

    fn observe(&mut self, path: String, kind: Kind) {
        let now = Instant::now();
        let left = matches!(kind, Kind::Left { .. });
        if path.is_empty() && left {
            return self.debounce.add_rescan(RescanReason::RootGone, now);
        }
        let metadata = self.folders.root.join(&path).symlink_metadata();
        let is_there = metadata.is_ok();
        if let (Source::Native(native), true) = (&mut self.source, left || !is_there) {
            native.forget(&path);
        }
        let is_folder = metadata.is_ok_and(|metadata| metadata.is_dir());
        let was_folder = kind == (Kind::Left { was_folder: true });
        if (is_folder || was_folder) && !self.folders.is_watched(&path) {
            // Not to be looked into; but a folder that has one is a repository of its own.
            if is_git_entry(&path) {
                self.add(path, now);
            }
            return;
        }
        if is_folder && self.is_new(&path, kind) {
            self.add_folder(&path, now);
        }
        self.add(path, now);
    }

    /// True for a folder that is to be watched from now on; rights to read it may have been given only now.
    fn is_new(&self, folder: &str, kind: Kind) -> bool {
        let is_watched = match &self.source {
            Source::Native(native) => native.is_watched(folder),
            Source::Poll(_) => true,
        };
        kind == Kind::Appeared || !is_watched
    }

    fn start_again(&mut self) {
        self.debounce.add_rescan(RescanReason::Overflow, Instant::now());
        if let Source::Native(native) = &mut self.source
            && let Err(trouble) = native.start_again(&self.folders)
        {
            self.fail(&trouble);
        }
    }

    /// Answers a question: events of all that was done before it have been heard.
    fn answer(&mut self, name: &OsStr) {
        let Source::Native(native) = &self.source else {
            return;
        };
        let Some(folder) = native.asks().map(ToOwned::to_owned) else {
            return;
        };
        let all_taken_in = self.debounce.deadline().is_none() && self.standing.0 == self.sent;
        let is_sure = all_taken_in && native.tells_all();
        let (answer, look_again) = match &self.standing.1 {
            Standing::Known { key, .. } if asks::key(name) != Some(key) => (BUSY, false),
            Standing::Known { answer, holds, .. } if is_sure && holds() => (answer.as_str(), false),
            Standing::Known { .. } if native.tells_all() && !all_taken_in => (asks::SOON, false),
            Standing::Known { .. } | Standing::Unsure => (BUSY, is_sure),
            Standing::Never => (BUSY, false),
        };
        asks::reply(&folder, name, answer);
        if look_again {
            self.debounce.add_rescan(RescanReason::Surroundings, Instant::now());
        }
    }

    /// Tells of which grounds no event will tell. A listed folder that is not watched is watched from now on and
    /// reported, since it may have changed meanwhile: then nothing can be told yet.
    fn untold(&mut self, grounds: &[String]) -> Option<Vec<String>> {
        let Source::Native(native) = &mut self.source else {
            return None;
        };
        if !native.tells_all() {
            return None;
        }
        let is_listed =
            |path: &str| grounds.binary_search_by(|ground| ground.as_str().cmp(path)).is_ok();
        self.folders.keep_listed(is_listed);
        native.keep(&self.folders, is_listed);
        let (mut untold, mut unwatched) = (Vec::new(), Vec::new());
        for ground in grounds {
            let Some(path) = self.folders.below_root(ground) else {
                untold.push(ground.clone());
                continue;
            };
            if native.is_watched(&path) {
                continue;
            }
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            let means = meaning(&path) != Meaning::Ignored;
            let metadata = self.folders.root.join(&path).symlink_metadata();
            let is_folder = metadata.is_ok_and(|metadata| metadata.is_dir());
            let is_repository = is_listed(&format!("{path}/.git/HEAD"));
            if is_folder && means && !is_repository && !is_git_entry(&path) {
                unwatched.push(path);
            } else if is_folder || !means || !native.is_watched(above) {
                untold.push(ground.clone());
            }
        }
        let all_watched = unwatched.is_empty();
        for folder in unwatched {
            self.folders.list(&folder);
            self.add_folder(&folder, Instant::now());
            // One that cannot be watched is not looked at again and again.
            if matches!(&self.source, Source::Native(native) if native.is_watched(&folder)) {
                self.add(folder, Instant::now());
            }
        }
        all_watched.then_some(untold)
    }

    fn add_folder(&mut self, folder: &str, now: Instant) {
        let Source::Native(native) = &mut self.source else {
            return;
        };
        let mut found = Vec::new();
        let added = native.add_tree(&self.folders, folder, |path| found.push(path.to_string()));
        for path in found {
            self.add(path, now);
        }
        if let Err(trouble) = added {
            self.fail(&trouble);
        }
    }

    fn add(&mut self, path: String, now: Instant) {
        match meaning(&path) {
            Meaning::Ignored => {}
            Meaning::Changed => self.debounce.add_path(path, now),
            Meaning::Rescan(reason) => self.debounce.add_rescan(reason, now),
        }
    }

    /// Goes over to polling when events can no longer be trusted; what was missed meanwhile needs a rescan.
    fn fail(&mut self, trouble: &Trouble) {
        if *trouble == Trouble::Folder || matches!(self.source, Source::Poll(_)) {
            return;
        }
        let interval = self.options.poll_fallback.unwrap_or(IDLE);
        note(&self.problems, trouble.polling(interval));
        self.source = Source::Poll(Poll::start(&self.folders, interval));
        self.debounce.add_rescan(RescanReason::BackendChanged, Instant::now());
    }
}

fn note(problems: &Mutex<Vec<Problem>>, problem: Problem) {
    problems.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
}
