//! Rows of files and of their chunks, read back from the segments.

use crate::error::Result;
use contextd_model::ContentHash;
use contextd_model::facts::ChunkRow;
use contextd_snapshot::{LinkRows, Snapshot, Wanted};
use contextd_store::{ChunkRecord, FileChunks, FileId, FileRecord, FileStatus, Ledger};
use rayon::prelude::*;

/// Files whose rows are held in memory at once.
const GROUP: usize = 2_048;

/// Writes the rows of files, their counts filled in, and of their chunks. Returns the ledger's numbers
/// of the files in the snapshot by their numbers there.
pub fn write(
    ledger: &mut dyn Ledger,
    snapshot: &Snapshot,
    records: Vec<FileRecord>,
) -> Result<Vec<(u32, FileId)>> {
    let mut written = Vec::with_capacity(records.len());
    let mut numbered: Vec<(u32, FileRecord)> =
        records.into_iter().map(|record| (number_of(snapshot, &record), record)).collect();
    // Files of one segment share its strings: they are read together.
    numbered.sort_by_key(|(number, _)| *number);
    for group in numbered.chunks_mut(GROUP) {
        let chunks: Vec<Vec<ChunkRecord>> = group
            .par_iter_mut()
            .with_min_len(64)
            .map_init(LinkRows::default, |rows, (number, record)| {
                fill_in(snapshot, *number, record, rows)
            })
            .collect();
        let records: Vec<FileRecord> = group.iter().map(|(_, record)| record.clone()).collect();
        let ids = ledger.replace_files(&records, &[])?;
        written.extend(
            group
                .iter()
                .map(|(number, _)| *number)
                .zip(ids.iter().copied())
                .filter(|(number, _)| *number != u32::MAX),
        );
        let files: Vec<FileChunks> =
            ids.into_iter().zip(chunks).map(|(file, chunks)| FileChunks { file, chunks }).collect();
        ledger.replace_chunks(&files)?;
    }
    Ok(written)
}

/// Returns the file's number in the snapshot, the greatest for one that is not in it.
fn number_of(snapshot: &Snapshot, record: &FileRecord) -> u32 {
    let found =
        (record.status == FileStatus::Indexed).then(|| snapshot.find_file(&record.path)).flatten();
    found.unwrap_or(u32::MAX)
}

/// Fills in a file's counts and returns its chunks; nothing for one that is not in the snapshot.
fn fill_in(
    snapshot: &Snapshot,
    number: u32,
    record: &mut FileRecord,
    rows: &mut LinkRows,
) -> Vec<ChunkRecord> {
    if number == u32::MAX {
        return Vec::new();
    }
    let file = snapshot.file(number);
    let Some(view) = file.facts(Wanted::Chunks, rows) else { return Vec::new() };
    record.lines = view.lines;
    record.symbols = view.symbols.len() as u32;
    record.chunks = view.chunks.len() as u32;
    record.tokens = view.chunks.iter().fold(0u32, |sum, chunk| sum.saturating_add(chunk.tokens));
    view.chunks.iter().map(|chunk| chunk_record(chunk, record.content_hash)).collect()
}

fn chunk_record(chunk: &ChunkRow, content: ContentHash) -> ChunkRecord {
    ChunkRecord {
        kind: chunk.kind(),
        start: chunk.start,
        end: chunk.end,
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        tokens_est: chunk.tokens,
        hash: identity(chunk, content),
    }
}

/// Names a chunk's text by the file's content and the place in it: the text itself is not at hand.
fn identity(chunk: &ChunkRow, content: ContentHash) -> [u8; 8] {
    let mut bytes = [0u8; 40];
    bytes[..32].copy_from_slice(&content.0);
    bytes[32..36].copy_from_slice(&chunk.start.to_le_bytes());
    bytes[36..].copy_from_slice(&chunk.end.to_le_bytes());
    let mut identity = [0u8; 8];
    identity.copy_from_slice(&ContentHash::of(&bytes).0[..8]);
    identity
}
