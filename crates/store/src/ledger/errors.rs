//! `bootstrap_errors`: files that could not be indexed, kept for a later try.

use crate::error::Result;
use rusqlite::{Connection, params};

/// A failure to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorRecord {
    pub file_path: String,
    /// Stable code of the failure.
    pub error_type: String,
    pub error_message: String,
    pub stack_trace: Option<String>,
    pub occurred_at: i64,
}

/// A recorded failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    pub error_id: i64,
    pub record: ErrorRecord,
    /// How often the same failure came back.
    pub retry_count: u32,
}

pub(crate) fn record(connection: &Connection, errors: &[ErrorRecord]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO bootstrap_errors (file_path, error_type, error_message, stack_trace, occurred_at)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (file_path, error_type) DO UPDATE SET error_message = ?3, stack_trace = ?4, occurred_at = ?5,
             retry_count = retry_count + 1",
    )?;
    for error in errors {
        let ErrorRecord { file_path, error_type, error_message, stack_trace, occurred_at } = error;
        statement.execute(params![
            file_path,
            error_type,
            error_message,
            stack_trace,
            occurred_at
        ])?;
    }
    Ok(())
}

pub(crate) fn all(connection: &Connection) -> Result<Vec<FileError>> {
    let mut statement = connection.prepare_cached(
        "SELECT error_id, file_path, error_type, error_message, stack_trace, occurred_at, retry_count
         FROM bootstrap_errors ORDER BY file_path, error_type",
    )?;
    let rows = statement.query_map([], |row| {
        let record = ErrorRecord {
            file_path: row.get(1)?,
            error_type: row.get(2)?,
            error_message: row.get(3)?,
            stack_trace: row.get(4)?,
            occurred_at: row.get(5)?,
        };
        Ok(FileError { error_id: row.get(0)?, record, retry_count: row.get(6)? })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn clear(connection: &Connection, paths: Option<&[String]>) -> Result<usize> {
    let Some(paths) = paths else {
        return Ok(connection.execute("DELETE FROM bootstrap_errors", [])?);
    };
    let mut statement =
        connection.prepare_cached("DELETE FROM bootstrap_errors WHERE file_path = ?1")?;
    let counts = paths.iter().map(|path| statement.execute([path]));
    Ok(counts.sum::<rusqlite::Result<usize>>()?)
}

pub(crate) fn retryable(connection: &Connection, max_retries: u32) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT file_path FROM bootstrap_errors GROUP BY file_path HAVING max(retry_count) < ?1 ORDER BY file_path",
    )?;
    let paths = statement.query_map([max_retries], |row| row.get(0))?;
    Ok(paths.collect::<rusqlite::Result<_>>()?)
}
