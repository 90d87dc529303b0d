//! Rebuilds as jobs: one at a time, recorded in the ledger, cancelled between stages.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::progress::{Progress, Stage};
use crate::refresh::{RefreshOptions, Refreshed};
use contextd_store::{JobKind, JobOutcome, JobOwner, JobProgress, JobScope, JobSignal, Ledger, LogLevel, NewJob, SqliteLedger};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What to rebuild.
#[derive(Clone, Debug)]
pub struct RebuildOrder {
    pub job_id: String,
    /// Files and folders; empty means everything.
    pub paths: Vec<String>,
    pub clear_errors: bool,
    pub vacuum: bool,
    /// Files that will be looked at, as far as known.
    pub files: Option<u64>,
    pub created_by: String,
}

/// How often progress reaches the ledger.
const EVERY: Duration = Duration::from_millis(300);

impl Engine {
    /// Records a rebuild as queued; refused while another one waits or runs.
    pub fn queue_rebuild(&self, order: &RebuildOrder, now: i64) -> Result<()> {
        let scope = if order.paths.is_empty() { JobScope::All } else { JobScope::Paths(order.paths.clone()) };
        let kind = if order.paths.is_empty() { JobKind::RebuildFull } else { JobKind::RebuildPartial };
        let job = NewJob { job_id: order.job_id.clone(), kind, scope, files_total: order.files, created_by: Some(order.created_by.clone()), exclusive: true, owner: JobOwner::current() };
        Ok(self.ledger()?.job_create(&job, now)?)
    }

    /// Runs a queued rebuild to its end and records how it went; `now` is asked for each record.
    pub fn run_rebuild(&self, order: &RebuildOrder, now: &(dyn Fn() -> i64 + Sync), progress: &dyn Progress) -> Result<Refreshed> {
        let mut ledger = self.ledger()?;
        if ledger.job_start(&order.job_id, now())? == JobSignal::Cancel {
            ledger.job_finish(&order.job_id, &JobOutcome::Cancelled, now())?;
            return Err(EngineError::Cancelled);
        }
        ledger.job_log(&order.job_id, LogLevel::Info, "started", now())?;
        if order.clear_errors {
            ledger.clear_errors(if order.paths.is_empty() { None } else { Some(&order.paths) })?;
        }
        let options = RefreshOptions { full: order.paths.is_empty(), force: order.paths.clone(), wait: Duration::from_secs(600), now: now(), ..RefreshOptions::default() };
        let watched = Recorded { inner: progress, job_id: &order.job_id, ledger: Mutex::new((self.ledger()?, Instant::now())), counts: Mutex::new((0, 0)), cancelled: AtomicBool::new(false), now };
        let result = self.refresh(&options, &watched);
        let outcome = match &result {
            Ok(refreshed) => JobOutcome::Completed { metrics: Some(format!("{{\"files\":{},\"read\":{},\"removed\":{},\"sourceBytes\":{}}}", refreshed.files, refreshed.read, refreshed.removed, refreshed.source_bytes)) },
            Err(EngineError::Cancelled) => JobOutcome::Cancelled,
            Err(error) => JobOutcome::Failed { message: error.to_string() },
        };
        if let Ok(refreshed) = &result {
            let done = JobProgress { files_total: Some(u64::from(refreshed.read)), files_processed: u64::from(refreshed.read), current_file: None };
            ledger.job_update(&order.job_id, &done, now())?;
            if order.vacuum {
                ledger.vacuum()?;
            }
        }
        ledger.job_log(&order.job_id, if result.is_ok() { LogLevel::Info } else { LogLevel::Error }, &result.as_ref().map_or_else(ToString::to_string, |refreshed| format!("read {} of {} files", refreshed.read, refreshed.files)), now())?;
        ledger.job_finish(&order.job_id, &outcome, now())?;
        result
    }
}

/// Passes progress on and writes it down now and then.
struct Recorded<'p> {
    inner: &'p dyn Progress,
    job_id: &'p str,
    ledger: Mutex<(SqliteLedger, Instant)>,
    /// Files read, and how many there are.
    counts: Mutex<(u64, u64)>,
    /// Somebody asked the job to stop.
    cancelled: AtomicBool,
    now: &'p (dyn Fn() -> i64 + Sync),
}

impl Progress for Recorded<'_> {
    fn begin(&self, stage: Stage, total: u64) {
        if stage == Stage::Extract {
            *self.counts.lock().unwrap_or_else(PoisonError::into_inner) = (0, total);
        }
        self.inner.begin(stage, total);
    }

    fn advance(&self, done: u64) {
        self.inner.advance(done);
        let (processed, total) = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.0 = (counts.0 + done).min(counts.1);
            *counts
        };
        // Whoever finds the ledger in use leaves the writing to its user.
        let Ok(mut ledger) = self.ledger.try_lock() else { return };
        if ledger.1.elapsed() >= EVERY {
            ledger.1 = Instant::now();
            let progress = JobProgress { files_total: Some(total), files_processed: processed, current_file: None };
            // A progress that cannot be written must not stop the work it tells about.
            if let Ok(JobSignal::Cancel) = ledger.0.job_update(self.job_id, &progress, (self.now)()) {
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.inner.is_cancelled()
    }
}
