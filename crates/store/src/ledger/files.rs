//! `file_state`: which files are indexed, as they were when that happened.

use super::chunks;
use super::jobs::JobScope;
use crate::error::Result;
use crate::text_enum::text_enum;
use contextd_model::ContentHash;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::collections::BTreeMap;

/// Number of a file in the ledger, never given to another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub i64);

impl ToSql for FileId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for FileId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
}

text_enum! {
    /// What became of a file.
    FileStatus {
        Indexed = "indexed",
        /// Belongs to the index but could not be read or extracted.
        Failed = "failed",
        /// Left out by a rule.
        Skipped = "skipped",
        /// Seen, not yet indexed.
        Pending = "pending",
    }
}

/// One file as it was when it was indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Relative to the root, separated by `/`.
    pub path: String,
    pub lang: String,
    pub content_hash: ContentHash,
    pub size: u64,
    pub mtime_ns: i64,
    pub ctime_ns: i64,
    pub inode: u64,
    pub mode: u32,
    pub status: FileStatus,
    pub indexed_at: i64,
    /// Project the file belongs to, empty for the only one.
    pub project: String,
    pub lines: u32,
    pub symbols: u32,
    pub chunks: u32,
    pub tokens: u32,
}

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    pub file_id: FileId,
    pub record: FileRecord,
}

const COLUMNS: &str = "file_id, path, lang, content_hash, size, mtime_ns, ctime_ns, inode, mode, status, indexed_at, \
                       project, lines, symbols, chunks, tokens";

const INSERT: &str = "INSERT INTO file_state (path, lang, content_hash, size, mtime_ns, ctime_ns, inode, mode, status, \
     indexed_at, project, lines, symbols, chunks, tokens)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

const UPDATE: &str = "UPDATE file_state SET lang = ?2, content_hash = ?3, size = ?4, mtime_ns = ?5, ctime_ns = ?6, \
     inode = ?7, mode = ?8, status = ?9, indexed_at = ?10, project = ?11, lines = ?12, symbols = ?13, chunks = ?14, \
     tokens = ?15
     WHERE path = ?1";

pub(crate) fn replace(
    connection: &Connection,
    changed: &[FileRecord],
    removed: &[String],
) -> Result<Vec<FileId>> {
    for path in removed {
        remove(connection, path)?;
    }
    changed.iter().map(|record| put(connection, record)).collect()
}

fn put(connection: &Connection, record: &FileRecord) -> Result<FileId> {
    // One statement for both, with `RETURNING`, would make a table of its own for each file.
    let known = id(connection, &record.path)?;
    let mut statement = connection.prepare_cached(if known.is_some() { UPDATE } else { INSERT })?;
    let values = params![
        record.path,
        record.lang,
        record.content_hash.0,
        record.size as i64,
        record.mtime_ns,
        record.ctime_ns,
        record.inode as i64,
        record.mode,
        record.status,
        record.indexed_at,
        record.project,
        record.lines,
        record.symbols,
        record.chunks,
        record.tokens,
    ];
    statement.execute(values)?;
    Ok(known.unwrap_or_else(|| FileId(connection.last_insert_rowid())))
}

fn id(connection: &Connection, path: &str) -> Result<Option<FileId>> {
    let mut statement =
        connection.prepare_cached("SELECT file_id FROM file_state WHERE path = ?1")?;
    Ok(statement.query_row([path], |row| row.get(0)).optional()?)
}

fn remove(connection: &Connection, path: &str) -> Result<()> {
    let mut statement =
        connection.prepare_cached("DELETE FROM file_state WHERE path = ?1 RETURNING file_id")?;
    match statement.query_row([path], |row| row.get(0)).optional()? {
        Some(file) => remove_parts(connection, file),
        None => Ok(()),
    }
}

/// Links that end in the file stay until their own file is linked again; reading leaves them out.
fn remove_parts(connection: &Connection, file: FileId) -> Result<()> {
    chunks::remove(connection, file)?;
    connection.prepare_cached("DELETE FROM links WHERE source_file = ?1")?.execute([file])?;
    Ok(())
}

pub(crate) fn all(connection: &Connection) -> Result<Vec<FileState>> {
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM file_state")?
        .query_row([], |row| row.get(0))?;
    // Growing by doubling would copy and fault in as much memory again as the rows take.
    let mut states = Vec::with_capacity(count as usize);
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM file_state"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        states.push(from_row(row)?);
    }
    // Rows lie in the order they were first indexed, which is nearly that of paths: cheap to sort here.
    states.sort_by(|left: &FileState, right: &FileState| left.record.path.cmp(&right.record.path));
    Ok(states)
}

pub(crate) fn at(connection: &Connection, paths: &[&str]) -> Result<Vec<FileState>> {
    let mut states = BTreeMap::new();
    // What lies below a folder is between it with a `/` and it with the character behind that.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM file_state WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')"
    ))?;
    for path in paths {
        let mut rows = statement.query([path])?;
        while let Some(row) = rows.next()? {
            let state = from_row(row)?;
            states.insert(state.record.path.clone(), state);
        }
    }
    Ok(states.into_values().collect())
}

pub(crate) fn one(connection: &Connection, path: &str) -> Result<Option<FileState>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM file_state WHERE path = ?1"))?;
    Ok(statement.query_row([path], from_row).optional()?)
}

pub(crate) fn ids(connection: &Connection, paths: &[&str]) -> Result<Vec<Option<FileId>>> {
    paths.iter().map(|path| id(connection, path)).collect()
}

pub(crate) fn clear(
    connection: &Connection,
    scope: &JobScope,
    clear_errors: bool,
) -> Result<usize> {
    match scope {
        JobScope::All => clear_all(connection, clear_errors),
        JobScope::Paths(paths) => paths
            .iter()
            .map(|path| clear_under(connection, path.trim_end_matches('/'), clear_errors))
            .sum(),
    }
}

fn clear_all(connection: &Connection, clear_errors: bool) -> Result<usize> {
    connection.execute_batch("DELETE FROM chunks; DELETE FROM embeddings; DELETE FROM links;")?;
    if clear_errors {
        connection.execute("DELETE FROM bootstrap_errors", [])?;
    }
    Ok(connection.execute("DELETE FROM file_state", [])?)
}

/// Everything below a folder sorts between `folder/` and `folder0`, the character after the slash.
fn clear_under(connection: &Connection, path: &str, clear_errors: bool) -> Result<usize> {
    let (first, end) = (format!("{path}/"), format!("{path}0"));
    let mut statement = connection.prepare_cached(
        "DELETE FROM file_state WHERE path = ?1 OR (path >= ?2 AND path < ?3) RETURNING file_id",
    )?;
    let files = statement.query_map([path, &first, &end], |row| row.get(0))?;
    let files: Vec<FileId> = files.collect::<rusqlite::Result<_>>()?;
    for file in &files {
        remove_parts(connection, *file)?;
    }
    if clear_errors {
        let sql = "DELETE FROM bootstrap_errors WHERE file_path = ?1 OR (file_path >= ?2 AND file_path < ?3)";
        connection.prepare_cached(sql)?.execute([path, &first, &end])?;
    }
    Ok(files.len())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<FileState> {
    let hash = row.get_ref(3)?.as_blob()?;
    let hash = <[u8; 32]>::try_from(hash)
        .map_err(|_| FromSqlError::InvalidBlobSize { expected_size: 32, blob_size: hash.len() })?;
    let record = FileRecord {
        path: row.get(1)?,
        lang: row.get(2)?,
        content_hash: ContentHash(hash),
        size: row.get::<_, i64>(4)? as u64,
        mtime_ns: row.get(5)?,
        ctime_ns: row.get(6)?,
        inode: row.get::<_, i64>(7)? as u64,
        mode: row.get(8)?,
        status: row.get(9)?,
        indexed_at: row.get(10)?,
        project: row.get(11)?,
        lines: row.get(12)?,
        symbols: row.get(13)?,
        chunks: row.get(14)?,
        tokens: row.get(15)?,
    };
    Ok(FileState { file_id: row.get(0)?, record })
}
