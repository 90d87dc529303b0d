//! Rebuilds as jobs: one at a time, recorded in the ledger, cancelled between stages.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::progress::{Progress, Stage};
use crate::refresh::{RefreshOptions, Refreshed};
use contextd_store::{
    JobKind, JobOutcome, JobOwner, JobProgress, JobScope, JobSignal, JobStatus, Ledger, LogLevel,
    NewJob, SqliteLedger,
};
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

/// What to look at again.
#[derive(Clone, Debug)]
pub struct RefreshOrder {
    pub job_id: String,
    /// Files and folders; empty means everything.
    pub paths: Vec<String>,
    /// Read them even when they look unchanged.
    pub force: bool,
    pub created_by: String,
}

/// What is recorded of a job whose process went away.
const INTERRUPTED: &str = "interrupted";

/// How long a job waits for another writer.
const PATIENCE: Duration = Duration::from_secs(600);
/// Ended jobs that are remembered.
const KEPT: usize = 200;

/// How often progress reaches the ledger.
const EVERY: Duration = Duration::from_millis(300);

impl Engine {
    /// Records a rebuild as queued; refused while another one waits or runs.
    pub fn queue_rebuild(&self, order: &RebuildOrder, now: i64) -> Result<()> {
        let scope = if order.paths.is_empty() {
            JobScope::All
        } else {
            JobScope::Paths(order.paths.clone())
        };
        let kind =
            if order.paths.is_empty() { JobKind::RebuildFull } else { JobKind::RebuildPartial };
        let job = NewJob {
            job_id: order.job_id.clone(),
            kind,
            scope,
            files_total: order.files,
            created_by: Some(order.created_by.clone()),
            exclusive: true,
            owner: JobOwner::current(),
        };
        Ok(self.ledger()?.job_create(&job, now)?)
    }

    /// Returns the newest rebuild when the process that ran it went away before its end, as an order
    /// under `job_id` to do it again.
    pub fn interrupted_rebuild(&self, job_id: &str) -> Result<Option<RebuildOrder>> {
        if !self.places.ledger().exists() {
            return Ok(None);
        }
        let jobs = self.ledger()?.jobs(None, 50)?;
        let newest = jobs
            .into_iter()
            .find(|job| matches!(job.kind, JobKind::RebuildFull | JobKind::RebuildPartial));
        let lost = newest.filter(|job| {
            job.status == JobStatus::Failed && job.error_message.as_deref() == Some(INTERRUPTED)
        });
        Ok(lost.map(|job| RebuildOrder {
            job_id: job_id.to_owned(),
            paths: match job.scope {
                JobScope::All => Vec::new(),
                JobScope::Paths(paths) => paths,
            },
            clear_errors: true,
            vacuum: true,
            files: job.progress.files_total,
            created_by: format!("again after {}", job.job_id),
        }))
    }

    /// Runs a queued rebuild to its end and records how it went; `now` is asked for each record.
    pub fn run_rebuild(
        &self,
        order: &RebuildOrder,
        now: &(dyn Fn() -> i64 + Sync),
        progress: &dyn Progress,
    ) -> Result<Refreshed> {
        if order.clear_errors {
            self.ledger()?.clear_errors(if order.paths.is_empty() {
                None
            } else {
                Some(&order.paths)
            })?;
        }
        let options = RefreshOptions {
            full: order.paths.is_empty(),
            force: order.paths.clone(),
            wait: PATIENCE,
            now: now(),
            ..RefreshOptions::default()
        };
        let result = self.run_job(&order.job_id, &options, now, progress)?;
        if order.vacuum {
            self.ledger()?.vacuum()?;
        }
        Ok(result)
    }

    /// Records a refresh as queued.
    pub fn queue_refresh(&self, order: &RefreshOrder, now: i64) -> Result<()> {
        let scope = if order.paths.is_empty() {
            JobScope::All
        } else {
            JobScope::Paths(order.paths.clone())
        };
        let job = NewJob {
            job_id: order.job_id.clone(),
            kind: JobKind::Refresh,
            scope,
            files_total: None,
            created_by: Some(order.created_by.clone()),
            exclusive: false,
            owner: JobOwner::current(),
        };
        let mut ledger = self.ledger()?;
        ledger.job_prune(KEPT)?;
        Ok(ledger.job_create(&job, now)?)
    }

    /// Runs a queued refresh to its end and records how it went.
    pub fn run_refresh(
        &self,
        order: &RefreshOrder,
        now: &(dyn Fn() -> i64 + Sync),
        progress: &dyn Progress,
    ) -> Result<Refreshed> {
        let force = match (order.force, order.paths.is_empty()) {
            (false, _) => Vec::new(),
            (true, true) => vec![String::new()],
            (true, false) => order.paths.clone(),
        };
        let options =
            RefreshOptions { force, wait: PATIENCE, now: now(), ..RefreshOptions::default() };
        self.run_job(&order.job_id, &options, now, progress)
    }

    fn run_job(
        &self,
        job_id: &str,
        options: &RefreshOptions,
        now: &(dyn Fn() -> i64 + Sync),
        progress: &dyn Progress,
    ) -> Result<Refreshed> {
        let mut ledger = self.ledger()?;
        if ledger.job_start(job_id, now())? == JobSignal::Cancel {
            ledger.job_finish(job_id, &JobOutcome::Cancelled, now())?;
            return Err(EngineError::Cancelled);
        }
        ledger.job_log(job_id, LogLevel::Info, "started", now())?;
        let watched = Recorded {
            inner: progress,
            job_id,
            ledger: Mutex::new((self.ledger()?, Instant::now())),
            counts: Mutex::new((0, 0)),
            file: Mutex::default(),
            cancelled: AtomicBool::new(false),
            now,
        };
        let result = self.refresh(options, &watched);
        let outcome = match &result {
            Ok(refreshed) => JobOutcome::Completed {
                metrics: Some(format!(
                    "{{\"files\":{},\"read\":{},\"removed\":{},\"sourceBytes\":{}}}",
                    refreshed.files, refreshed.read, refreshed.removed, refreshed.source_bytes
                )),
            },
            Err(EngineError::Cancelled) => JobOutcome::Cancelled,
            Err(error) => JobOutcome::Failed { message: error.to_string() },
        };
        if let Ok(refreshed) = &result {
            let done = JobProgress {
                files_total: Some(u64::from(refreshed.read)),
                files_processed: u64::from(refreshed.read),
                current_file: None,
            };
            ledger.job_update(job_id, &done, now())?;
        }
        let (level, line) = match &result {
            Ok(refreshed) => {
                (LogLevel::Info, format!("read {} of {} files", refreshed.read, refreshed.files))
            }
            Err(EngineError::Cancelled) => {
                (LogLevel::Warning, "cancelled: the index is as it was before".to_owned())
            }
            Err(error) => (LogLevel::Error, error.to_string()),
        };
        ledger.job_log(job_id, level, &line, now())?;
        ledger.job_finish(job_id, &outcome, now())?;
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
    /// A file that was read last.
    file: Mutex<String>,
    /// Somebody asked the job to stop.
    cancelled: AtomicBool,
    now: &'p (dyn Fn() -> i64 + Sync),
}

impl Progress for Recorded<'_> {
    fn begin(&self, stage: Stage, total: u64) {
        if let Ok(mut ledger) = self.ledger.try_lock() {
            // A line that cannot be written must not stop the work it tells about.
            let _ = ledger.0.job_log(
                self.job_id,
                LogLevel::Info,
                &if total == 0 {
                    stage.name().to_owned()
                } else {
                    format!("{}: {total}", stage.name())
                },
                (self.now)(),
            );
        }
        if stage == Stage::Extract {
            *self.counts.lock().unwrap_or_else(PoisonError::into_inner) = (0, total);
        }
        self.inner.begin(stage, total);
    }

    fn file(&self, path: &str) {
        if let Ok(mut file) = self.file.try_lock() {
            path.clone_into(&mut file);
        }
        self.inner.file(path);
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
            let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let progress = JobProgress {
                files_total: Some(total),
                files_processed: processed,
                current_file: Some(file).filter(|path| !path.is_empty()),
            };
            // A progress that cannot be written must not stop the work it tells about.
            if let Ok(JobSignal::Cancel) = ledger.0.job_update(self.job_id, &progress, (self.now)())
            {
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.inner.is_cancelled()
    }
}
