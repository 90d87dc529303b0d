//! Facts by content: what was extracted once is never extracted again, on any branch or worktree.
//!
//! The cache may be shared by several processes. Losing it costs time, never answers, so a damaged
//! file is moved aside and a damaged blob reads as absent.

mod evict;
mod packed;
mod reader;

pub use packed::{compress, decompress};
pub use reader::FactsReader;

use crate::database::{Database, OpenOptions};
use crate::encryption::EncryptionKey;
use crate::error::Result;
use crate::migrations::FACTS;
use contextd_model::{ContentHash, Problem};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;

/// What facts are a function of: the content, and everything the caller puts into `extractor`
/// (language, extractor version, redaction).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactsKey {
    pub content: ContentHash,
    pub extractor: u64,
}

impl FactsKey {
    /// Returns the key as stored; half a hash is enough to tell contents apart.
    fn digest(&self) -> [u8; 16] {
        let mut bytes = [0u8; 40];
        bytes[..32].copy_from_slice(&self.content.0);
        bytes[32..].copy_from_slice(&self.extractor.to_le_bytes());
        let mut digest = [0u8; 16];
        digest.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        digest
    }
}

/// How much the cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSize {
    pub entries: u64,
    /// Compressed bytes of all entries.
    pub blob_bytes: u64,
    /// Bytes on disk, log included.
    pub file_bytes: u64,
}

/// The writing side of the cache.
///
/// An index run opens it, calls [`FactsCache::advance`] once, reads through [`FactsReader`]s of its
/// worker threads, compresses there with [`compress`], and puts batches here. At its end it touches
/// what it used and evicts.
pub struct FactsCache {
    database: Database,
    key: Option<EncryptionKey>,
}

impl FactsCache {
    /// Opens or creates the cache at `path`.
    pub fn open(path: &Path) -> Result<(Self, Vec<Problem>)> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens or creates the cache with a key or a full check.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<(Self, Vec<Problem>)> {
        let (database, problems) = Database::open(path, &FACTS, options)?;
        Ok((Self { database, key: options.key.clone() }, problems))
    }

    /// Opens a reader with a connection of its own, to be moved to another thread.
    pub fn reader(&self) -> Result<FactsReader> {
        FactsReader::open(self.database.path(), self.key.as_ref())
    }

    /// Begins a generation: what is put or touched from now on is younger than all before.
    pub fn advance(&mut self) -> Result<i64> {
        self.database.write(|tx| {
            tx.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'", [])?;
            generation(tx)
        })
    }

    /// Stores what [`compress`] made; a key that is there keeps its blob unless that is damaged.
    pub fn put_many(&mut self, entries: &[(FactsKey, &[u8])]) -> Result<()> {
        self.database.write(|tx| {
            let generation = generation(tx)?;
            entries.iter().try_for_each(|(key, packed)| put(tx, &key.digest(), packed, generation))
        })
    }

    /// Marks entries as used in this generation, so that eviction takes others first.
    pub fn touch(&mut self, keys: &[FactsKey]) -> Result<()> {
        self.database.write(|tx| {
            let generation = generation(tx)?;
            let sql = "UPDATE entries SET generation = ?2 WHERE key = ?1 AND generation < ?2";
            let mut statement = tx.prepare_cached(sql)?;
            for digest in sorted_digests(keys) {
                statement.execute(params![digest, generation])?;
            }
            Ok(())
        })
    }

    /// Returns the facts of each key, as [`FactsReader::get_many`].
    pub fn get_many(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>> {
        reader::get_many(&self.database, keys)
    }

    /// Returns which keys are there, as [`FactsReader::contains_many`].
    pub fn contains_many(&self, keys: &[FactsKey]) -> Result<Vec<bool>> {
        reader::contains_many(&self.database, keys)
    }

    /// Removes the entries that were not used for longest until the file is at most `max_bytes`
    /// long; returns how many.
    pub fn evict(&mut self, max_bytes: u64) -> Result<usize> {
        evict::evict(&mut self.database, max_bytes)
    }

    /// Returns how much the cache holds.
    pub fn size(&self) -> Result<CacheSize> {
        let (entries, blob_bytes) = self.database.read(|connection| {
            let sql = "SELECT count(*), coalesce(sum(size), 0) FROM entries";
            Ok(connection
                .query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?)
        })?;
        let file_bytes = self.database.size_bytes();
        Ok(CacheSize { entries: entries as u64, blob_bytes: blob_bytes as u64, file_bytes })
    }

    /// Returns every content, in the order it was put; for checks, since it reads all of them.
    pub fn contents(&self) -> Result<Vec<Vec<u8>>> {
        self.database.read(|connection| {
            let mut statement = connection.prepare("SELECT data FROM blobs ORDER BY blob_id")?;
            let blobs =
                statement.query_map([], |row| Ok(decompress(row.get_ref(0)?.as_blob()?)))?;
            Ok(blobs.filter_map(|blob| blob.transpose()).collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns what is wrong with the file itself; reads all of it.
    pub fn check(&self) -> Result<Vec<String>> {
        self.database.check()
    }
}

fn generation(connection: &Connection) -> Result<i64> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM meta WHERE key = 'generation'")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// Returns the stored keys in the order of the table, which touches each page once.
fn sorted_digests(keys: &[FactsKey]) -> Vec<[u8; 16]> {
    let mut digests: Vec<[u8; 16]> = keys.iter().map(FactsKey::digest).collect();
    digests.sort_unstable();
    digests
}

fn put(connection: &Connection, digest: &[u8; 16], packed: &[u8], generation: i64) -> Result<()> {
    let mut find = connection.prepare_cached("SELECT blob_id FROM entries WHERE key = ?1")?;
    let known: Option<i64> = find.query_row([digest], |row| row.get(0)).optional()?;
    if let Some(blob_id) = known {
        if is_sound(connection, blob_id)? {
            return Ok(());
        }
        connection.prepare_cached("DELETE FROM blobs WHERE blob_id = ?1")?.execute([blob_id])?;
    }
    connection.prepare_cached("INSERT INTO blobs (data) VALUES (?1)")?.execute([packed])?;
    let blob_id = connection.last_insert_rowid();
    connection
        .prepare_cached("INSERT OR REPLACE INTO entries (key, blob_id, generation, size) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![digest, blob_id, generation, packed.len() as i64])?;
    Ok(())
}

fn is_sound(connection: &Connection, blob_id: i64) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT data FROM blobs WHERE blob_id = ?1")?;
    let sound =
        statement.query_row([blob_id], |row| Ok(packed::is_sound(row.get_ref(0)?.as_blob()?)));
    Ok(sound.optional()?.unwrap_or(false))
}
