//! Reading the cache from any thread.

use super::FactsKey;
use super::packed::decompress_into;
use crate::database::Database;
use crate::encryption::EncryptionKey;
use crate::error::{Result, StoreError};
use crate::migrations::FACTS;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// A connection that only reads; one a thread.
pub struct FactsReader {
    database: Database,
}

impl FactsReader {
    pub(super) fn open(path: &Path, key: Option<&EncryptionKey>) -> Result<Self> {
        Ok(Self { database: Database::open_reader(path, &FACTS, key)? })
    }

    /// Returns the facts of each key, `None` where they are absent or damaged.
    pub fn get_many(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>> {
        get_many(&self.database, keys)
    }

    /// Calls `visit` with the place of each key that is there and its facts, in the order of the
    /// file; the bytes are lent, so that many can be read in little memory.
    pub fn visit(&self, keys: &[FactsKey], mut visit: impl FnMut(usize, &[u8])) -> Result<()> {
        visit_each(&self.database, keys, |at, bytes| visit(at, bytes))
    }

    /// Returns which keys are there; their blobs are not looked at.
    pub fn contains_many(&self, keys: &[FactsKey]) -> Result<Vec<bool>> {
        contains_many(&self.database, keys)
    }
}

pub(super) fn get_many(database: &Database, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>> {
    let mut found = vec![None; keys.len()];
    visit_each(database, keys, |at, bytes| found[at] = Some(std::mem::take(bytes)))?;
    Ok(found)
}

pub(super) fn contains_many(database: &Database, keys: &[FactsKey]) -> Result<Vec<bool>> {
    let mut found = vec![false; keys.len()];
    let read = database.read_once(|connection| {
        for (_, at) in locate(connection, keys)? {
            found[at] = true;
        }
        Ok(())
    });
    absent_if_damaged(read)?;
    Ok(found)
}

/// Lends each found content in a buffer that is used again, unless the visitor takes it.
fn visit_each(
    database: &Database,
    keys: &[FactsKey],
    mut visit: impl FnMut(usize, &mut Vec<u8>),
) -> Result<()> {
    let read = database.read_once(|connection| {
        let mut places = locate(connection, keys)?;
        // Blobs lie in the order they were put: reading in that order reads the file forwards.
        places.sort_unstable();
        let mut statement =
            connection.prepare_cached("SELECT data FROM blobs WHERE blob_id = ?1")?;
        let mut bytes = Vec::new();
        for (blob_id, at) in places {
            let mut rows = statement.query([blob_id])?;
            if let Some(row) = rows.next()?
                && decompress_into(row.get_ref(0)?.as_blob().unwrap_or(&[]), &mut bytes)
            {
                visit(at, &mut bytes);
            }
        }
        Ok(())
    });
    absent_if_damaged(read)
}

/// A damaged page is a miss like a damaged blob: what lies on it is made anew.
fn absent_if_damaged(read: Result<()>) -> Result<()> {
    match read {
        Err(StoreError::Corrupt { .. }) => Ok(()),
        other => other,
    }
}

/// Returns the blob and the place in `keys` of every key that is there.
fn locate(connection: &Connection, keys: &[FactsKey]) -> Result<Vec<(i64, usize)>> {
    let mut statement = connection.prepare_cached("SELECT blob_id FROM entries WHERE key = ?1")?;
    let mut digests: Vec<([u8; 16], usize)> =
        keys.iter().enumerate().map(|(at, key)| (key.digest(), at)).collect();
    digests.sort_unstable();
    let mut places = Vec::with_capacity(digests.len());
    for (digest, at) in digests {
        if let Some(blob_id) = statement.query_row([digest], |row| row.get(0)).optional()? {
            places.push((blob_id, at));
        }
    }
    Ok(places)
}
