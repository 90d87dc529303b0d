//! `embeddings`: vectors of chunks, by model.

use super::chunks::ChunkId;
use crate::error::Result;
use crate::text_enum::text_enum;
use rusqlite::{Connection, OptionalExtension, params};

text_enum! {
    /// How the numbers of a vector are written, little-endian.
    VectorEncoding {
        F32 = "f32",
        F16 = "f16",
        I8 = "i8",
    }
}

/// The vector of one chunk under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    pub chunk: ChunkId,
    pub model: String,
    pub dimension: u32,
    pub encoding: VectorEncoding,
    pub vector: Vec<u8>,
}

pub(crate) fn put(connection: &Connection, embeddings: &[Embedding]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO embeddings (chunk_id, model, dimension, encoding, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for embedding in embeddings {
        let Embedding { chunk, model, dimension, encoding, vector } = embedding;
        statement.execute(params![chunk, model, dimension, encoding, vector])?;
    }
    Ok(())
}

pub(crate) fn of_chunks(
    connection: &Connection,
    model: &str,
    chunks: &[ChunkId],
) -> Result<Vec<Option<Embedding>>> {
    let mut statement = connection.prepare_cached(
        "SELECT dimension, encoding, vector FROM embeddings WHERE chunk_id = ?1 AND model = ?2",
    )?;
    let mut one = |chunk: ChunkId| {
        let read = |row: &rusqlite::Row<'_>| {
            let model = model.to_owned();
            Ok(Embedding {
                chunk,
                model,
                dimension: row.get(0)?,
                encoding: row.get(1)?,
                vector: row.get(2)?,
            })
        };
        statement.query_row(params![chunk, model], read).optional()
    };
    Ok(chunks.iter().map(|chunk| one(*chunk)).collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn keep_only(connection: &Connection, model: &str) -> Result<usize> {
    Ok(connection.execute("DELETE FROM embeddings WHERE model <> ?1", [model])?)
}
