//! Keeping the index fresh behind the answers.

use contextd_engine::{Engine, EngineError, RefreshOptions, Silent};
use contextd_ops::Context;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A work tree that was looked at so recently is not looked at again.
const RECENT_MS: i64 = 1_000;
/// How long a first answer waits for the first snapshot.
const FIRST: Duration = Duration::from_secs(4);

/// Refreshes at the start and before answers, one at a time.
#[derive(Default)]
pub struct Fresh {
    looked_at: AtomicI64,
    busy: Mutex<()>,
    building: AtomicBool,
}

impl Fresh {
    /// Begins to index, without waiting for it.
    pub fn begin(self: &Arc<Self>, context: &Arc<Context>) {
        self.building.store(true, Ordering::SeqCst);
        let (fresh, context) = (self.clone(), context.clone());
        std::thread::spawn(move || {
            let guard = fresh.busy.lock();
            report(refresh(&context.engine, (context.now)(), Duration::from_secs(600)));
            fresh.looked_at.store((context.now)(), Ordering::SeqCst);
            fresh.building.store(false, Ordering::SeqCst);
            drop(guard);
        });
    }

    /// True while the first index run goes on.
    pub fn is_building(&self) -> bool {
        self.building.load(Ordering::SeqCst)
    }

    /// Makes sure that there is something to answer from, and that it is fresh when that is cheap.
    pub fn before_answer(&self, context: &Context) {
        if self.is_building() {
            let start = Instant::now();
            while self.is_building() && start.elapsed() < FIRST && !matches!(context.engine.snapshot(), Ok(Some(_))) {
                std::thread::sleep(Duration::from_millis(20));
            }
            return;
        }
        let recent = (context.now)() - self.looked_at.load(Ordering::SeqCst) < RECENT_MS;
        if recent {
            return;
        }
        let Ok(_guard) = self.busy.try_lock() else { return };
        report(refresh(&context.engine, (context.now)(), Duration::ZERO));
        self.looked_at.store((context.now)(), Ordering::SeqCst);
    }
}

fn refresh(engine: &Engine, now: i64, wait: Duration) -> Result<(), EngineError> {
    engine.refresh(&RefreshOptions { now, wait, ..RefreshOptions::default() }, &Silent).map(drop)
}

/// Another process that indexes is as good as indexing here.
fn report(result: Result<(), EngineError>) {
    if let Err(error) = result.or_else(|error| if matches!(error, EngineError::Busy { .. }) { Ok(()) } else { Err(error) }) {
        tracing::warn!("the index could not be refreshed: {error}");
    }
}
