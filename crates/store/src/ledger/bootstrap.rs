//! `bootstrap_progress`: how far a first indexing came, so that an interrupted one continues.
//!
//! The table exists only while a bootstrap runs or waits to be continued.

use super::many_rows;
use crate::error::Result;
use crate::text_enum::text_enum;
use rusqlite::{Connection, params};

text_enum! {
    /// How far a file has come.
    BootstrapStatus {
        Pending = "pending",
        Processing = "processing",
        Completed = "completed",
        Failed = "failed",
    }
}

/// News of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapFile {
    pub path: String,
    pub status: BootstrapStatus,
    pub at: i64,
    pub error_message: Option<String>,
}

/// How many files are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BootstrapCounts {
    pub pending: u64,
    pub processing: u64,
    pub completed: u64,
    pub failed: u64,
}

impl BootstrapCounts {
    /// Returns the number of all files.
    pub fn total(&self) -> u64 {
        self.pending + self.processing + self.completed + self.failed
    }
}

pub(crate) fn start(connection: &Connection, paths: &[String]) -> Result<()> {
    connection.execute_batch(
        "DROP TABLE IF EXISTS bootstrap_progress;
         CREATE TABLE bootstrap_progress (
             file_path     TEXT PRIMARY KEY,
             status        TEXT NOT NULL,
             started_at    INTEGER,
             completed_at  INTEGER,
             error_message TEXT
         ) WITHOUT ROWID;",
    )?;
    let into = "INSERT OR IGNORE INTO bootstrap_progress (file_path, status)";
    // In the order of the table, whose pages are filled one after the other then.
    let mut paths: Vec<&String> = paths.iter().collect();
    paths.sort_unstable();
    many_rows::insert(connection, into, 2, "", &paths, |path, columns| {
        columns.next(path)?;
        columns.next(BootstrapStatus::Pending)
    })
}

pub(crate) fn mark(connection: &Connection, files: &[BootstrapFile]) -> Result<()> {
    if !exists(connection)? {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(
        "UPDATE bootstrap_progress SET status = ?2, error_message = ?4,
             started_at = CASE WHEN ?2 = 'pending' THEN NULL ELSE coalesce(started_at, ?3) END,
             completed_at = CASE WHEN ?2 IN ('completed', 'failed') THEN ?3 END
         WHERE file_path = ?1",
    )?;
    for file in files {
        statement.execute(params![file.path, file.status, file.at, file.error_message])?;
    }
    Ok(())
}

pub(crate) fn pending(connection: &Connection) -> Result<Option<Vec<String>>> {
    if !exists(connection)? {
        return Ok(None);
    }
    let sql = "SELECT file_path FROM bootstrap_progress WHERE status IN ('pending', 'processing') ORDER BY file_path";
    let mut statement = connection.prepare_cached(sql)?;
    let paths = statement.query_map([], |row| row.get(0))?;
    Ok(Some(paths.collect::<rusqlite::Result<_>>()?))
}

pub(crate) fn counts(connection: &Connection) -> Result<Option<BootstrapCounts>> {
    if !exists(connection)? {
        return Ok(None);
    }
    let mut counts = BootstrapCounts::default();
    let mut statement = connection
        .prepare_cached("SELECT status, count(*) FROM bootstrap_progress GROUP BY status")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let count = row.get::<_, i64>(1)? as u64;
        match row.get(0)? {
            BootstrapStatus::Pending => counts.pending = count,
            BootstrapStatus::Processing => counts.processing = count,
            BootstrapStatus::Completed => counts.completed = count,
            BootstrapStatus::Failed => counts.failed = count,
        }
    }
    Ok(Some(counts))
}

pub(crate) fn finish(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch("DROP TABLE IF EXISTS bootstrap_progress")?)
}

fn exists(connection: &Connection) -> Result<bool> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'bootstrap_progress'";
    Ok(connection.prepare_cached(sql)?.exists([])?)
}
