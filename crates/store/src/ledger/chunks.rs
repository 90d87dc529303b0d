//! `chunks`: where each piece of text stands and what it hashes to; the text stays in the work tree.

use super::files::FileId;
use super::many_rows;
use crate::error::{Result, StoreError};
use contextd_model::ChunkKind;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql};

const ORDINAL_BITS: u32 = 20;

/// Number of a chunk: its file and its place among the file's chunks in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub i64);

impl ChunkId {
    /// Returns the number of the chunk at `ordinal` of `file`, `None` when there cannot be so many.
    pub fn new(file: FileId, ordinal: u32) -> Option<Self> {
        let fits = ordinal >> ORDINAL_BITS == 0 && (0..1 << (63 - ORDINAL_BITS)).contains(&file.0);
        fits.then_some(Self((file.0 << ORDINAL_BITS) | i64::from(ordinal)))
    }

    /// Returns the file the chunk belongs to.
    pub fn file(self) -> FileId {
        FileId(self.0 >> ORDINAL_BITS)
    }

    /// Returns the place among the file's chunks.
    pub fn ordinal(self) -> u32 {
        (self.0 & ((1 << ORDINAL_BITS) - 1)) as u32
    }
}

impl ToSql for ChunkId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl FromSql for ChunkId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
}

/// One chunk of a file; its ordinal is its place in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRecord {
    pub kind: ChunkKind,
    /// Bytes, half-open.
    pub start: u32,
    pub end: u32,
    /// Lines, one-based and inclusive.
    pub start_line: u32,
    pub end_line: u32,
    pub tokens_est: u32,
    /// Names the chunk's text: the beginning of a BLAKE3 hash.
    pub hash: [u8; 8],
}

/// All chunks of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChunks {
    pub file: FileId,
    pub chunks: Vec<ChunkRecord>,
}

/// A stored chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    pub chunk_id: ChunkId,
    pub record: ChunkRecord,
}

pub(crate) fn replace(connection: &Connection, files: &[FileChunks]) -> Result<()> {
    let mut known = connection.prepare_cached("SELECT 1 FROM file_state WHERE file_id = ?1")?;
    // Numbers of files only rise: one above all that have chunks has none to remove.
    let last: Option<ChunkId> = connection
        .prepare_cached("SELECT max(chunk_id) FROM chunks")?
        .query_row([], |row| row.get(0))?;
    let (mut last, mut rows) = (last.map(ChunkId::file), Vec::new());
    for FileChunks { file, chunks } in files {
        if !known.exists([file])? {
            return Err(StoreError::FileUnknown { file_id: file.0 });
        }
        if last.is_some_and(|last| *file <= last) {
            // It may be among those that are not written yet.
            insert(connection, &std::mem::take(&mut rows))?;
            remove(connection, *file)?;
        }
        last = last.max(Some(*file));
        number(*file, chunks, &mut rows)?;
    }
    insert(connection, &rows)
}

/// Removes the chunks of a file and their embeddings.
pub(crate) fn remove(connection: &Connection, file: FileId) -> Result<()> {
    let range = [file.0 << ORDINAL_BITS, ((file.0 + 1) << ORDINAL_BITS) - 1];
    connection
        .prepare_cached("DELETE FROM chunks WHERE chunk_id BETWEEN ?1 AND ?2")?
        .execute(range)?;
    connection
        .prepare_cached("DELETE FROM embeddings WHERE chunk_id BETWEEN ?1 AND ?2")?
        .execute(range)?;
    Ok(())
}

/// Adds the numbers of a file's chunks to `rows`, with the chunks.
fn number<'c>(
    file: FileId,
    chunks: &'c [ChunkRecord],
    rows: &mut Vec<(ChunkId, &'c ChunkRecord)>,
) -> Result<()> {
    for (ordinal, chunk) in (0u32..).zip(chunks) {
        let id = ChunkId::new(file, ordinal)
            .ok_or(StoreError::ChunkRange { file_id: file.0, ordinal })?;
        rows.push((id, chunk));
    }
    Ok(())
}

fn insert(connection: &Connection, rows: &[(ChunkId, &ChunkRecord)]) -> Result<()> {
    let into = "INSERT INTO chunks (chunk_id, kind_id, \"start\", \"end\", start_line, end_line, tokens_est, hash)";
    many_rows::insert(connection, into, 8, "", rows, |(id, chunk), columns| {
        columns.next(id)?;
        columns.next(chunk.kind as u8)?;
        for number in [chunk.start, chunk.end, chunk.start_line, chunk.end_line, chunk.tokens_est] {
            columns.next(number)?;
        }
        columns.next(chunk.hash)
    })
}

pub(crate) fn of_file(connection: &Connection, file: FileId) -> Result<Vec<StoredChunk>> {
    let mut statement = connection.prepare_cached(
        "SELECT chunk_id, kind_id, \"start\", \"end\", start_line, end_line, tokens_est, hash FROM chunks
         WHERE chunk_id BETWEEN ?1 AND ?2 ORDER BY chunk_id",
    )?;
    let range = [file.0 << ORDINAL_BITS, ((file.0 + 1) << ORDINAL_BITS) - 1];
    let rows = statement.query_map(range, from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<StoredChunk> {
    let hash = row.get_ref(7)?.as_blob()?;
    // Earlier versions wrote twice as much of it.
    let hash = *hash
        .first_chunk()
        .ok_or(FromSqlError::InvalidBlobSize { expected_size: 8, blob_size: hash.len() })?;
    let record = ChunkRecord {
        kind: ChunkKind::from_byte(row.get(1)?),
        start: row.get(2)?,
        end: row.get(3)?,
        start_line: row.get(4)?,
        end_line: row.get(5)?,
        tokens_est: row.get(6)?,
        hash,
    };
    Ok(StoredChunk { chunk_id: row.get(0)?, record })
}
