//! Keeping the cache under its size: the entries unused for longest go first.

use crate::database::Database;
use crate::error::Result;
use rusqlite::{Connection, params};

pub(super) fn evict(database: &mut Database, max_bytes: u64) -> Result<usize> {
    let removed = database.write(|tx| {
        let mut removed = 0;
        // Blobs share pages, so what is freed is known only afterwards: repeat until it is enough.
        loop {
            let excess = used_bytes(tx)?.saturating_sub(max_bytes);
            let gone = if excess == 0 { 0 } else { remove_oldest(tx, excess)? };
            if gone == 0 {
                return Ok(removed);
            }
            removed += gone;
        }
    })?;
    if free_pages(database)? > 0 {
        give_back(database)?;
    }
    Ok(removed)
}

/// Removes the oldest entries that together hold at least `bytes`; equal generations go in the
/// order they were put.
fn remove_oldest(connection: &Connection, bytes: u64) -> Result<usize> {
    let mut oldest = connection
        .prepare_cached("SELECT key, blob_id, size FROM entries ORDER BY generation, blob_id")?;
    let mut rows = oldest.query([])?;
    let (mut doomed, mut freed) = (Vec::new(), 0);
    while freed < bytes
        && let Some(row) = rows.next()?
    {
        doomed.push((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?));
        freed += row.get::<_, i64>(2)? as u64;
    }
    let mut entry = connection.prepare_cached("DELETE FROM entries WHERE key = ?1")?;
    let mut blob = connection.prepare_cached("DELETE FROM blobs WHERE blob_id = ?1")?;
    for (key, blob_id) in &doomed {
        entry.execute(params![key])?;
        blob.execute([blob_id])?;
    }
    Ok(doomed.len())
}

fn used_bytes(connection: &Connection) -> Result<u64> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok(((pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?) as u64)
}

fn free_pages(database: &Database) -> Result<i64> {
    database.read(|connection| {
        Ok(connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
    })
}

/// Cuts free pages off the file. Each step of the pragma frees one page, so all are asked for.
fn give_back(database: &Database) -> Result<()> {
    database.read(|connection| {
        let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        Ok(())
    })?;
    database.checkpoint()
}
