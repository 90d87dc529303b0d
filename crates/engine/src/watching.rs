//! Keeping an index fresh: what the watcher reports is refreshed, by one process for all.

use crate::asking::Leading;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::linking::Warm;
use crate::progress::Silent;
use crate::refresh::{RefreshOptions, Refreshed};
use contextd_model::Problem;
use contextd_model::config::CONFIG_PLACES;
use contextd_scan::watch::{self, Changes, WatchOptions, Watcher};
use contextd_scan::{Rule, Verdict};
use contextd_snapshot::{SnapshotName, WriterLock, current};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How often a waiting watch looks whether it should end, and whether another process published.
const PULSE: Duration = Duration::from_millis(50);
/// Files from which on a question waits for what is being taken in.
pub(crate) const MANY_FILES: u32 = 1_500;
/// Files from which on the linker's tables are kept.
const WARM_FILES: u32 = 50;
/// How long the linker's tables are kept without a change: they are most of the memory of a process that watches.
const WARM_FOR: Duration = Duration::from_secs(600);
/// How often a process that follows another tries to take its place.
const SUCCESSION: Duration = Duration::from_secs(1);
/// How long a refresh waits for a run of another process.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a watch tells its caller.
#[derive(Debug)]
pub enum WatchNews {
    /// This process refreshed the index, maybe without a change.
    Refreshed(Refreshed),
    /// Another process watches the root and writes; this one follows what it publishes.
    Follows,
    /// That process has ended; this one writes from now on.
    TookOver,
    /// Another process published this snapshot.
    Followed(SnapshotName),
    /// A refresh failed; the watch goes on.
    Failed(EngineError),
    /// Something is not as it should be, such as a limit that makes polling necessary.
    Problems(Vec<Problem>),
}

/// Why a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    Stopped,
    /// The configuration was changed: open the engine again and go on with that one.
    ConfigChanged,
    /// The root was removed, or the system ended the watch.
    Gone,
}

impl Engine {
    /// Keeps the index fresh until `stop` is set. Of several processes that watch one root, one
    /// writes; the others follow what it publishes, and one of them takes over when it ends.
    pub fn watch(
        self: &Arc<Self>,
        stop: &AtomicBool,
        now: &dyn Fn() -> i64,
        tell: &mut dyn FnMut(WatchNews),
    ) -> Result<WatchEnd> {
        self.places.create()?;
        let Some(_leader) = self.follow(stop, tell)? else { return Ok(WatchEnd::Stopped) };
        let watcher = watch::watch(&self.places.root, self.watch_options()).map_err(|error| {
            EngineError::Watch { code: error.code(), message: error.to_string() }
        })?;
        let problems = watcher.problems();
        if !problems.is_empty() {
            tell(WatchNews::Problems(problems));
        }
        let end = self.lead(&watcher, stop, now, tell);
        *self.warm.lock().unwrap_or_else(PoisonError::into_inner) = None;
        end
    }

    /// Keeps the linker's tables for the next change when the index has at least `files` files, and for so long without
    /// one; they take memory, and small roots are linked in no time without.
    pub fn keep_warm(&self, files: u32, rest: Duration) {
        let mut warm = self.warm.lock().unwrap_or_else(PoisonError::into_inner);
        if warm.is_none()
            && let Some(snapshot) =
                self.published().filter(|snapshot| snapshot.file_count() >= files)
        {
            let keys = snapshot.manifest().segments.iter().map(|entry| entry.key).collect();
            *warm = Warm::start(&self.places.index, keys, rest);
        }
    }

    /// Follows the process that writes until it ends; `None` when this one should end first.
    fn follow(
        &self,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(WatchNews),
    ) -> Result<Option<WriterLock>> {
        // The writer's own lock is held only while it writes; this one as long as it watches.
        let place = self.places.watch_lock();
        let mut seen = current(&self.places.index)?;
        let (mut is_told, mut was_there) = (false, false);
        loop {
            // A root that is being removed loses its index first: to lock there would make it again.
            if std::mem::replace(&mut was_there, place.is_dir()) && !was_there {
                std::thread::sleep(SUCCESSION);
            }
            if !self.places.root.is_dir() {
                return Err(self.places.gone());
            }
            if let Some(lock) = WriterLock::try_lock(&place)? {
                if is_told {
                    tell(WatchNews::TookOver);
                }
                return Ok(Some(lock));
            }
            if !std::mem::replace(&mut is_told, true) {
                tell(WatchNews::Follows);
            }
            let tried = Instant::now();
            while tried.elapsed() < SUCCESSION {
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                std::thread::sleep(PULSE);
                let published = current(&self.places.index)?;
                if let Some(name) = published.filter(|_| published != seen) {
                    seen = published;
                    tell(WatchNews::Followed(name));
                }
            }
        }
    }

    fn lead(
        self: &Arc<Self>,
        watcher: &Watcher,
        stop: &AtomicBool,
        now: &dyn Fn() -> i64,
        tell: &mut dyn FnMut(WatchNews),
    ) -> Result<WatchEnd> {
        let (mut pending, mut leading, mut taken) =
            (Some(RefreshOptions::default()), Leading::new(), 0);
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(WatchEnd::Stopped);
            }
            if !self.places.root.is_dir() {
                return Ok(WatchEnd::Gone);
            }
            if let Some(options) = pending.take() {
                let only = options.only.filter(|_| !leading.owes_whole(self));
                let options = RefreshOptions { now: now(), wait: PATIENCE, only, ..options };
                tell(self.take_in(&options, watcher, &mut leading, taken));
                self.keep_warm(WARM_FILES, WARM_FOR);
            }
            let report = watcher.events.recv_timeout(PULSE);
            taken += u64::from(report.is_ok());
            match report {
                Ok(Changes::Paths(paths))
                    if paths.iter().any(|path| CONFIG_PLACES.contains(&path.as_str())) =>
                {
                    return Ok(WatchEnd::ConfigChanged);
                }
                Ok(Changes::Paths(paths)) => {
                    pending =
                        Some(RefreshOptions { only: Some(paths), ..RefreshOptions::default() })
                }
                Ok(Changes::Rescan(watch::RescanReason::RootGone))
                | Err(RecvTimeoutError::Disconnected) => return Ok(WatchEnd::Gone),
                Ok(Changes::Rescan(_)) => pending = Some(RefreshOptions::default()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Refreshes, and says what that means for questions after the first `taken` reports.
    fn take_in(
        self: &Arc<Self>,
        options: &RefreshOptions,
        watcher: &Watcher,
        leading: &mut Leading,
        taken: u64,
    ) -> WatchNews {
        match self.refresh_looking(options, &Silent) {
            Ok((refreshed, looked)) => {
                leading.looked(self, watcher, looked, &refreshed, options.now);
                watcher.stands(taken, leading.standing(self));
                WatchNews::Refreshed(refreshed)
            }
            Err(error) => {
                leading.failed();
                watcher.stands(taken, leading.standing(self));
                WatchNews::Failed(error)
            }
        }
    }

    fn watch_options(self: &Arc<Self>) -> WatchOptions {
        let watcher = &self.config.watcher;
        let engine = Arc::clone(self);
        WatchOptions {
            debounce: Duration::from_millis(watcher.debounce_ms),
            full_scan_every: (watcher.full_scan_interval_seconds > 0)
                .then(|| Duration::from_secs(watcher.full_scan_interval_seconds)),
            poll_fallback: Some(Duration::from_millis(watcher.poll_interval_ms)),
            should_watch_dir: Arc::new(move |folder| engine.is_worth_watching(folder)),
            asks: Some(self.asks()),
            ..WatchOptions::default()
        }
    }

    /// True unless a rule leaves out everything below the folder.
    fn is_worth_watching(&self, folder: &str) -> bool {
        if self
            .places
            .index
            .strip_prefix(self.scanner.root())
            .is_ok_and(|index| Path::new(folder).starts_with(index))
        {
            return false;
        }
        // A file that is not there passes every rule about its folders and fails as not found.
        match self.scanner.check(&Path::new(folder).join("a-file")).verdict {
            Verdict::Included => true,
            Verdict::Excluded { rule, .. } => !matches!(
                rule,
                Rule::GitFolder
                    | Rule::IndexFolder
                    | Rule::IgnorePatterns
                    | Rule::ContextIgnore
                    | Rule::DockerIgnore
                    | Rule::Hidden
                    | Rule::GitIgnore
                    | Rule::NestedRepository
                    | Rule::Symlink
            ),
        }
    }
}
