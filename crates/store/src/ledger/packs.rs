//! `packs`: answers that can be fetched again by id.

use crate::error::Result;
use crate::facts_cache::{compress, decompress};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A pack without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackSummary {
    pub pack_id: String,
    pub created_at: i64,
    pub intent: String,
    pub task: String,
    pub index_signature: String,
    /// The normalised request as JSON.
    pub request: String,
    pub items: u32,
    pub tokens: u32,
}

/// A pack with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackRecord {
    pub summary: PackSummary,
    /// Canonical JSON; compressed on disk.
    pub body: Vec<u8>,
}

const COLUMNS: &str = "pack_id, created_at, intent, task, index_signature, request, items, tokens";

pub(crate) fn put(connection: &Connection, pack: &PackRecord) -> Result<()> {
    let mut statement = connection.prepare_cached(&format!(
        "INSERT OR IGNORE INTO packs ({COLUMNS}, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    ))?;
    let summary = &pack.summary;
    statement.execute(params![
        summary.pack_id,
        summary.created_at,
        summary.intent,
        summary.task,
        summary.index_signature,
        summary.request,
        summary.items,
        summary.tokens,
        compress(&pack.body),
    ])?;
    Ok(())
}

/// Returns the pack; one whose body does not match its checksum is as good as absent.
pub(crate) fn get(connection: &Connection, pack_id: &str) -> Result<Option<PackRecord>> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {COLUMNS}, body FROM packs WHERE pack_id = ?1"))?;
    let read = |row: &Row<'_>| {
        let body = decompress(row.get_ref(8)?.as_blob()?);
        let summary = from_row(row)?;
        Ok(body.map(|body| PackRecord { summary, body }))
    };
    Ok(statement.query_row([pack_id], read).optional()?.flatten())
}

pub(crate) fn newest(connection: &Connection, limit: usize) -> Result<Vec<PackSummary>> {
    let sql = format!("SELECT {COLUMNS} FROM packs ORDER BY created_at DESC, pack_id LIMIT ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([limit.min(i64::MAX as usize) as i64], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn prune(connection: &Connection, keep: usize) -> Result<usize> {
    let sql = "DELETE FROM packs WHERE pack_id IN
               (SELECT pack_id FROM packs ORDER BY created_at DESC, pack_id LIMIT -1 OFFSET ?1)";
    Ok(connection.execute(sql, [keep.min(i64::MAX as usize) as i64])?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<PackSummary> {
    Ok(PackSummary {
        pack_id: row.get(0)?,
        created_at: row.get(1)?,
        intent: row.get(2)?,
        task: row.get(3)?,
        index_signature: row.get(4)?,
        request: row.get(5)?,
        items: row.get(6)?,
        tokens: row.get(7)?,
    })
}
