//! Keeping the index fresh behind the answers.

use crate::call::CallProgress;
use crate::served::{Root, Served};
use contextd_engine::{
    Coverage, Engine, EngineError, Progress, RefreshOptions, Silent, Stage, WatchEnd, WatchNews,
};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// A work tree that was looked at so recently is not looked at again.
const RECENT_MS: i64 = 1_000;
/// A look that takes longer is left to the watcher, or done behind the answer.
const CHEAP_MS: u64 = 100;
/// How long a first answer waits for the first snapshot.
const FIRST: Duration = Duration::from_millis(4_500);
/// How long an answer waits for a run over an index that is already there.
const SHORT: Duration = Duration::from_millis(500);
/// How long a run waits for another process that indexes.
const PATIENCE: Duration = Duration::from_secs(600);

/// Refreshes at the start, while files change, and before answers.
#[derive(Default)]
pub struct Fresh {
    begun: AtomicBool,
    /// The first run goes on.
    running: AtomicBool,
    watching: AtomicBool,
    stop: AtomicBool,
    looked_at: AtomicI64,
    /// How long the last look took, in milliseconds.
    took: AtomicU64,
    busy: Mutex<()>,
    /// Stage of the first run, what is done of it and of how much.
    stage: Mutex<(&'static str, u64, u64)>,
    /// Why there is no index.
    failed: Mutex<Option<EngineError>>,
}

impl Fresh {
    /// Begins to index and to watch, without waiting for it; a second call does nothing.
    pub fn begin(self: &Arc<Self>, served: &Arc<Served>) {
        if self.begun.swap(true, Ordering::SeqCst) {
            return;
        }
        self.running.store(true, Ordering::SeqCst);
        let (fresh, root, served) = (self.clone(), served.root(), Arc::downgrade(served));
        std::thread::spawn(move || fresh.live(&root, &served));
    }

    /// Ends the work behind the answers as soon as it can be ended.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    fn live(&self, root: &Root, served: &Weak<Served>) {
        let (engine, now) = (&root.context.engine, root.context.now);
        self.repeat_lost_rebuild(root);
        let start = Instant::now();
        let result = engine.refresh(
            &RefreshOptions { now: now(), wait: PATIENCE, ..RefreshOptions::default() },
            self,
        );
        let unchanged = result.as_ref().is_ok_and(|refreshed| !refreshed.changed);
        if unchanged {
            self.took.store(start.elapsed().as_millis() as u64, Ordering::SeqCst);
        }
        self.settle(result.map(drop));
        self.looked_at.store(now(), Ordering::SeqCst);
        self.running.store(false, Ordering::SeqCst);
        if engine.config.watcher.enabled && !self.stop.load(Ordering::SeqCst) {
            self.watch(engine, now, served);
        }
    }

    /// A rebuild that a dead process left behind is done again.
    fn repeat_lost_rebuild(&self, root: &Root) {
        let (engine, now) = (&root.context.engine, root.context.now);
        let id = format!("rebuild-again-{:x}-{:x}", now(), std::process::id());
        let done = engine.interrupted_rebuild(&id).and_then(|order| {
            let Some(order) = order else { return Ok(()) };
            engine.queue_rebuild(&order, now())?;
            engine.run_rebuild(&order, &now, self).map(drop)
        });
        if let Err(error) = done {
            tracing::warn!(code = error.code(), "a lost rebuild was not repeated: {error}");
        }
    }

    fn watch(&self, engine: &Arc<Engine>, now: fn() -> i64, served: &Weak<Served>) {
        self.watching.store(true, Ordering::SeqCst);
        let end = engine.watch(&self.stop, &now, &mut |news| match news {
            WatchNews::Refreshed(refreshed) if refreshed.changed => tracing::info!(
                read = refreshed.read,
                removed = refreshed.removed,
                "the index follows the work tree"
            ),
            WatchNews::Failed(error) => {
                tracing::warn!(code = error.code(), "the index could not be refreshed: {error}")
            }
            WatchNews::Problems(problems) => problems
                .iter()
                .for_each(|problem| tracing::warn!(code = problem.code, "{}", problem.message)),
            WatchNews::Follows => {
                tracing::info!("another process keeps the index fresh; this one follows")
            }
            WatchNews::TookOver => {
                tracing::info!("the other process has ended; this one keeps the index fresh")
            }
            WatchNews::Refreshed(_) | WatchNews::Followed(_) => {}
        });
        self.watching.store(false, Ordering::SeqCst);
        match end {
            Ok(WatchEnd::ConfigChanged) => {
                let reopened = served.upgrade().map(|served| served.switch(&engine.places.root));
                if let Some(Err(why)) = reopened {
                    tracing::warn!("the changed configuration was not taken over: {why}");
                    // The settings from before go on.
                    self.watch(engine, now, served);
                }
            }
            Ok(WatchEnd::Stopped | WatchEnd::Gone) => {}
            Err(error) => tracing::warn!(code = error.code(), "changes are not watched: {error}"),
        }
    }

    /// Makes sure that there is something to answer from, and that it is fresh when that is cheap.
    /// While it waits, the caller hears how far the first run is.
    pub fn before_answer(self: &Arc<Self>, root: &Root, call: &CallProgress) {
        let limit = match root.context.engine.coverage() {
            Coverage::Nothing => FIRST,
            Coverage::Part => return,
            Coverage::Whole => SHORT,
        };
        if self.running.load(Ordering::SeqCst) {
            let (start, nothing) = (Instant::now(), limit == FIRST);
            while self.running.load(Ordering::SeqCst)
                && start.elapsed() < limit
                && !call.is_cancelled()
            {
                if nothing && root.context.engine.coverage() != Coverage::Nothing {
                    return;
                }
                let (stage, done, total) =
                    *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
                call.set(
                    if stage.is_empty() { "waiting for the index" } else { stage },
                    done,
                    total,
                );
                std::thread::sleep(Duration::from_millis(20));
            }
            return;
        }
        self.look(root);
    }

    fn look(self: &Arc<Self>, root: &Root) {
        let now = (root.context.now)();
        if now - self.looked_at.load(Ordering::SeqCst) < RECENT_MS {
            return;
        }
        let dear = self.took.load(Ordering::SeqCst) > CHEAP_MS;
        if dear && self.watching.load(Ordering::SeqCst) {
            return;
        }
        let Ok(_guard) = self.busy.try_lock() else { return };
        self.looked_at.store(now, Ordering::SeqCst);
        let (engine, fresh, clock) = (root.context.engine.clone(), self.clone(), root.context.now);
        let refresh = move || {
            let start = Instant::now();
            let result = engine.refresh(
                &RefreshOptions { now, wait: Duration::ZERO, ..RefreshOptions::default() },
                &Silent,
            );
            if matches!(&result, Ok(refreshed) if !refreshed.changed) {
                fresh.took.store(start.elapsed().as_millis() as u64, Ordering::SeqCst);
            }
            fresh.settle(result.map(drop));
            fresh.looked_at.store(clock(), Ordering::SeqCst);
        };
        if dear {
            std::thread::spawn(refresh);
        } else {
            refresh();
        }
    }

    /// Remembers how a run went. Another process that indexes is as good as indexing here.
    fn settle(&self, result: Result<(), EngineError>) {
        let failed = result
            .err()
            .filter(|error| !matches!(error, EngineError::Busy { .. } | EngineError::Cancelled));
        if let Some(error) = &failed {
            tracing::warn!(code = error.code(), "the index could not be refreshed: {error}");
        }
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
    }

    /// Returns why the last run failed.
    pub fn failure(&self) -> Option<contextd_ops::OpError> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.as_ref().map(|error| contextd_ops::OpError {
            code: error.code(),
            message: error.to_string(),
            remedy: error.remedy(),
        })
    }

    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::SeqCst)
    }
}

impl Progress for Fresh {
    fn begin(&self, stage: Stage, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (stage.name(), 0, total);
    }

    fn advance(&self, done: u64) {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).1 += done;
    }

    fn is_cancelled(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
