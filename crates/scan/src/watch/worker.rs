//! The watching thread: events or polls in, reports out.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use contextd_model::Problem;
use notify::event::{ModifyKind, RemoveKind, RenameMode};
use notify::{Event, EventKind};

use super::debounce::Debounce;
use super::filter::{Meaning, meaning};
use super::folders::Folders;
use super::native::Native;
use super::poll::Poll;
use super::problems::Trouble;
use super::{Changes, RescanReason, WatchError, WatchOptions};

/// Longest wait for a message when nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// What the worker is told.
#[derive(Debug)]
pub(super) enum Message {
    Event(notify::Result<Event>),
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
                Native::start(&folders, options.max_folders, messages),
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
            problems,
        })
    }

    /// Works until it is stopped or nobody reads the reports.
    pub fn run(mut self, inbox: &Receiver<Message>) {
        loop {
            let wait = self.deadline().saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(Message::Event(Ok(event))) => self.observe(&event),
                Ok(Message::Event(Err(error))) => self.fail(&Trouble::of(&error)),
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
            if self
                .reports
                .send(Changes::Rescan(RescanReason::Periodic))
                .is_err()
            {
                return false;
            }
        }
        self.debounce
            .take_due(now)
            .is_none_or(|changes| self.reports.send(changes).is_ok())
    }

    fn observe(&mut self, event: &Event) {
        if event.need_rescan() {
            self.debounce
                .add_rescan(RescanReason::Overflow, Instant::now());
        }
        for path in &event.paths {
            self.observe_path(&event.kind, path);
        }
    }

    fn observe_path(&mut self, kind: &EventKind, path: &Path) {
        let now = Instant::now();
        let Some(relative) = self.folders.relative(path) else {
            return;
        };
        if relative.is_empty() {
            if matches!(
                kind,
                EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
            ) {
                self.debounce.add_rescan(RescanReason::RootGone, now);
            }
            return;
        }
        if !self.folders.is_inside(&relative) {
            return;
        }
        let metadata = path.symlink_metadata();
        if let (Source::Native(native), true) = (&mut self.source, metadata.is_err()) {
            native.forget(&relative);
        }
        let appeared = matches!(
            kind,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let is_folder = *kind == EventKind::Remove(RemoveKind::Folder)
            || metadata.is_ok_and(|metadata| metadata.is_dir());
        if is_folder && !self.folders.is_watched(&relative) {
            return;
        }
        if is_folder && appeared {
            self.add_folder(&relative, now);
        }
        // A folder's own attributes say nothing that its files do not.
        if !is_folder
            || !matches!(
                kind,
                EventKind::Modify(ModifyKind::Metadata(_)) | EventKind::Access(_)
            )
        {
            self.add(relative, now);
        }
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
        self.debounce
            .add_rescan(RescanReason::BackendChanged, Instant::now());
    }
}

fn note(problems: &Mutex<Vec<Problem>>, problem: Problem) {
    problems
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(problem);
}
