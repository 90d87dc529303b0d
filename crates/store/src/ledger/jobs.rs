//! `jobs` and `job_logs`: long work that can be watched, cancelled and survives a restart.

use super::json::{JsonList, JsonStrings};
use crate::error::{Result, StoreError};
use crate::process::{JobOwner, Liveness};
use crate::text_enum::text_enum;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

text_enum! {
    /// What a job does.
    JobKind {
        Bootstrap = "bootstrap",
        RebuildFull = "rebuild_full",
        RebuildPartial = "rebuild_partial",
        Refresh = "refresh",
    }
}

text_enum! {
    /// Where a job stands.
    JobStatus {
        Queued = "queued",
        InProgress = "in_progress",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl JobStatus {
    /// True when nothing more will happen.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::InProgress)
    }
}

text_enum! {
    /// Weight of a line in a job's log.
    LogLevel {
        Info = "info",
        Warning = "warning",
        Error = "error",
    }
}

/// Which files a job is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobScope {
    All,
    /// Files and folders, relative to the root.
    Paths(Vec<String>),
}

impl ToSql for JobScope {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::All => Ok(ToSqlOutput::from("all")),
            Self::Paths(paths) => match JsonList(paths).to_sql()? {
                ToSqlOutput::Owned(text) => Ok(ToSqlOutput::Owned(text)),
                _ => Ok(ToSqlOutput::from("[]")),
            },
        }
    }
}

impl FromSql for JobScope {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "all" => Ok(Self::All),
            _ => JsonStrings::column_result(value).map(|paths| Self::Paths(paths.0)),
        }
    }
}

/// A job to be queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// Chosen by the caller, unique.
    pub job_id: String,
    pub kind: JobKind,
    pub scope: JobScope,
    pub files_total: Option<u64>,
    pub created_by: Option<String>,
    /// Must not wait or run beside another exclusive job.
    pub exclusive: bool,
    /// Process in whose memory the job waits and runs.
    pub owner: JobOwner,
}

/// How far a job has come; an absent total keeps the one known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobProgress {
    pub files_total: Option<u64>,
    pub files_processed: u64,
    pub current_file: Option<String>,
}

/// What the worker should do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobSignal {
    Continue,
    /// Somebody cancelled the job: clean up and finish it as cancelled.
    Cancel,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobOutcome {
    /// Final statistics as JSON.
    Completed {
        metrics: Option<String>,
    },
    Failed {
        message: String,
    },
    Cancelled,
}

/// A job as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub job_id: String,
    pub kind: JobKind,
    pub status: JobStatus,
    pub scope: JobScope,
    pub progress: JobProgress,
    pub started_at: i64,
    pub updated_at: i64,
    pub completed_at: Option<i64>,
    pub error_message: Option<String>,
    pub metrics: Option<String>,
    pub created_by: Option<String>,
    pub cancel_requested: bool,
    pub exclusive: bool,
    pub owner: JobOwner,
}

/// A line of a job's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLog {
    pub ts: i64,
    pub level: LogLevel,
    pub message: String,
}

const COLUMNS: &str = "job_id, job_type, status, scope, files_total, files_processed, current_file, started_at, \
     updated_at, completed_at, error_message, metrics, created_by, cancel_requested, exclusive, owner_pid, \
     owner_started, owner_space";

const ALIVE: &str = "status IN ('queued', 'in_progress')";

pub(crate) fn create(connection: &Connection, job: &NewJob, now: i64) -> Result<()> {
    if job.exclusive
        && let Some(job_id) = running_exclusive(connection)?
    {
        return Err(StoreError::JobRunning { job_id });
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO jobs (job_id, job_type, status, scope, files_total, started_at, updated_at, created_by, exclusive,
             owner_pid, owner_started, owner_space) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    statement.execute(params![
        job.job_id,
        job.kind,
        JobStatus::Queued,
        job.scope,
        job.files_total.map(|total| total as i64),
        now,
        job.created_by,
        job.exclusive,
        job.owner.pid,
        job.owner.started as i64,
        job.owner.space as i64,
    ])?;
    Ok(())
}

/// Jobs of processes that died meanwhile do not count.
fn running_exclusive(connection: &Connection) -> Result<Option<String>> {
    interrupt(connection, |job| job.owner.liveness() == Liveness::Gone)?;
    let sql = format!("SELECT job_id FROM jobs WHERE {ALIVE} AND exclusive LIMIT 1");
    Ok(connection.prepare_cached(&sql)?.query_row([], |row| row.get(0)).optional()?)
}

pub(crate) fn start(connection: &Connection, job_id: &str, now: i64) -> Result<JobSignal> {
    let sql = "UPDATE jobs SET status = 'in_progress', updated_at = ?2 WHERE job_id = ?1 AND status = 'queued'";
    connection.prepare_cached(sql)?.execute(params![job_id, now])?;
    signal(connection, job_id)
}

pub(crate) fn update(
    connection: &Connection,
    job_id: &str,
    progress: &JobProgress,
    now: i64,
) -> Result<JobSignal> {
    let mut statement = connection.prepare_cached(
        "UPDATE jobs SET files_total = coalesce(?2, files_total), files_processed = ?3, current_file = ?4,
             updated_at = ?5 WHERE job_id = ?1 AND status IN ('queued', 'in_progress')",
    )?;
    let total = progress.files_total.map(|total| total as i64);
    statement.execute(params![
        job_id,
        total,
        progress.files_processed as i64,
        progress.current_file,
        now
    ])?;
    signal(connection, job_id)
}

fn signal(connection: &Connection, job_id: &str) -> Result<JobSignal> {
    let mut statement =
        connection.prepare_cached("SELECT status, cancel_requested FROM jobs WHERE job_id = ?1")?;
    let read = |row: &Row<'_>| Ok((row.get::<_, JobStatus>(0)?, row.get::<_, bool>(1)?));
    match statement.query_row([job_id], read).optional()? {
        None => Err(StoreError::JobUnknown { job_id: job_id.to_owned() }),
        Some((status, requested)) if requested || status.is_final() => Ok(JobSignal::Cancel),
        Some(_) => Ok(JobSignal::Continue),
    }
}

/// A job that was taken for interrupted may still finish: its own word counts more.
pub(crate) fn finish(
    connection: &Connection,
    job_id: &str,
    outcome: &JobOutcome,
    now: i64,
) -> Result<()> {
    let (status, message, metrics) = match outcome {
        JobOutcome::Completed { metrics } => (JobStatus::Completed, None, metrics.as_deref()),
        JobOutcome::Failed { message } => (JobStatus::Failed, Some(message.as_str()), None),
        JobOutcome::Cancelled => (JobStatus::Cancelled, None, None),
    };
    let mut statement = connection.prepare_cached(
        "UPDATE jobs SET status = ?2, error_message = ?3, metrics = ?4, completed_at = ?5, updated_at = ?5,
             current_file = NULL WHERE job_id = ?1",
    )?;
    match statement.execute(params![job_id, status, message, metrics, now])? {
        0 => Err(StoreError::JobUnknown { job_id: job_id.to_owned() }),
        _ => Ok(()),
    }
}

pub(crate) fn cancel(connection: &Connection, job_id: &str, now: i64) -> Result<bool> {
    let job = one(connection, job_id)?
        .ok_or_else(|| StoreError::JobUnknown { job_id: job_id.to_owned() })?;
    match job.status {
        JobStatus::Queued => finish(connection, job_id, &JobOutcome::Cancelled, now).map(|()| true),
        JobStatus::InProgress => {
            connection
                .prepare_cached("UPDATE jobs SET cancel_requested = 1 WHERE job_id = ?1")?
                .execute([job_id])?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

pub(crate) fn one(connection: &Connection, job_id: &str) -> Result<Option<Job>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs WHERE job_id = ?1"))?;
    Ok(statement.query_row([job_id], from_row).optional()?)
}

pub(crate) fn newest(
    connection: &Connection,
    status: Option<JobStatus>,
    limit: usize,
) -> Result<Vec<Job>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM jobs WHERE ?1 IS NULL OR status = ?1 ORDER BY started_at DESC, job_id LIMIT ?2"
    ))?;
    let rows =
        statement.query_map(params![status, limit.min(i64::MAX as usize) as i64], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Fails every waiting or running job that `gone` picks; it ended when it was last heard of.
pub(crate) fn interrupt(
    connection: &Connection,
    gone: impl Fn(&Job) -> bool,
) -> Result<Vec<String>> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM jobs WHERE {ALIVE} ORDER BY job_id"))?;
    let jobs: Vec<Job> = statement.query_map([], from_row)?.collect::<rusqlite::Result<_>>()?;
    let gone: Vec<String> =
        jobs.iter().filter(|job| gone(job)).map(|job| job.job_id.clone()).collect();
    let mut update = connection.prepare_cached(
        "UPDATE jobs SET status = 'failed', error_message = 'interrupted', completed_at = updated_at WHERE job_id = ?1",
    )?;
    for job_id in &gone {
        update.execute([job_id])?;
    }
    Ok(gone)
}

pub(crate) fn reap(connection: &Connection, now: i64, silence_ms: i64) -> Result<Vec<String>> {
    interrupt(connection, |job| match job.owner.liveness() {
        Liveness::Running => false,
        Liveness::Gone => true,
        Liveness::Unknown => now.saturating_sub(job.updated_at) >= silence_ms,
    })
}

/// True when some waiting or running job belongs to a process that is gone.
pub(crate) fn any_orphan(connection: &Connection) -> Result<bool> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs WHERE {ALIVE}"))?;
    let jobs: Vec<Job> = statement.query_map([], from_row)?.collect::<rusqlite::Result<_>>()?;
    Ok(jobs.iter().any(|job| job.owner.liveness() == Liveness::Gone))
}

pub(crate) fn prune(connection: &Connection, keep: usize) -> Result<usize> {
    let sql = format!(
        "DELETE FROM jobs WHERE job_id IN (SELECT job_id FROM jobs WHERE NOT {ALIVE}
         ORDER BY started_at DESC, job_id LIMIT -1 OFFSET ?1)"
    );
    let removed = connection.execute(&sql, [keep.min(i64::MAX as usize) as i64])?;
    connection.execute("DELETE FROM job_logs WHERE job_id NOT IN (SELECT job_id FROM jobs)", [])?;
    Ok(removed)
}

pub(crate) fn log(
    connection: &Connection,
    job_id: &str,
    level: LogLevel,
    message: &str,
    now: i64,
) -> Result<()> {
    let sql = "INSERT INTO job_logs (job_id, ts, level, message) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![job_id, now, level, message])?;
    Ok(())
}

pub(crate) fn logs(connection: &Connection, job_id: &str) -> Result<Vec<JobLog>> {
    let sql = "SELECT ts, level, message FROM job_logs WHERE job_id = ?1 ORDER BY log_id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([job_id], |row| {
        Ok(JobLog { ts: row.get(0)?, level: row.get(1)?, message: row.get(2)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let progress = JobProgress {
        files_total: row.get::<_, Option<i64>>(4)?.map(|total| total as u64),
        files_processed: row.get::<_, i64>(5)? as u64,
        current_file: row.get(6)?,
    };
    let owner = JobOwner {
        pid: row.get(15)?,
        started: row.get::<_, i64>(16)? as u64,
        space: row.get::<_, i64>(17)? as u64,
    };
    Ok(Job {
        job_id: row.get(0)?,
        kind: row.get(1)?,
        status: row.get(2)?,
        scope: row.get(3)?,
        progress,
        started_at: row.get(7)?,
        updated_at: row.get(8)?,
        completed_at: row.get(9)?,
        error_message: row.get(10)?,
        metrics: row.get(11)?,
        created_by: row.get(12)?,
        cancel_requested: row.get(13)?,
        exclusive: row.get(14)?,
        owner,
    })
}
