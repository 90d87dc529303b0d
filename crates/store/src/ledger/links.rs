//! `links`: which file leads to which, how and how often.

use super::chunks::ChunkId;
use super::files::FileId;
use super::many_rows;
use crate::error::Result;
use contextd_model::EdgeKind;
use rusqlite::Connection;

/// One link to another file, or to the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkRecord {
    pub target: FileId,
    pub kind: EdgeKind,
    /// Chunk the link starts in, when one is meant and not the whole file.
    pub source_chunk: Option<ChunkId>,
    pub target_chunk: Option<ChunkId>,
    pub count: u32,
}

/// All links that start in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLinks {
    pub source: FileId,
    pub links: Vec<LinkRecord>,
}

/// Chunk number that stands for the whole file; file numbers start at 1, so no chunk has it.
const WHOLE_FILE: ChunkId = ChunkId(0);

pub(crate) fn replace(connection: &Connection, files: &[FileLinks]) -> Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM links WHERE source_file = ?1")?;
    // Numbers of files only rise: one above all that have links has none to remove.
    let mut last: Option<FileId> = connection
        .prepare_cached("SELECT max(source_file) FROM links")?
        .query_row([], |row| row.get(0))?;
    let mut rows = Vec::new();
    for FileLinks { source, links } in files {
        if last.is_some_and(|last| *source <= last) {
            // It may be among those that are not written yet.
            insert(connection, &std::mem::take(&mut rows))?;
            delete.execute([source])?;
        }
        last = last.max(Some(*source));
        rows.extend(links.iter().map(|link| (*source, link)));
    }
    insert(connection, &rows)
}

fn insert(connection: &Connection, rows: &[(FileId, &LinkRecord)]) -> Result<()> {
    let into =
        "INSERT INTO links (source_file, target_file, kind_id, source_chunk, target_chunk, count)";
    let after = "ON CONFLICT DO UPDATE SET count = count + excluded.count";
    many_rows::insert(connection, into, 6, after, rows, |(source, link), columns| {
        columns.next(source)?;
        columns.next(link.target)?;
        columns.next(link.kind as u8)?;
        columns.next(link.source_chunk.unwrap_or(WHOLE_FILE))?;
        columns.next(link.target_chunk.unwrap_or(WHOLE_FILE))?;
        columns.next(link.count)
    })
}

pub(crate) fn of_file(connection: &Connection, source: FileId) -> Result<Vec<LinkRecord>> {
    let mut statement = connection.prepare_cached(
        "SELECT target_file, kind_id, source_chunk, target_chunk, count FROM links
         WHERE source_file = ?1 AND target_file IN (SELECT file_id FROM file_state)
         ORDER BY target_file, kind_id, source_chunk, target_chunk",
    )?;
    let rows = statement.query_map([source], |row| {
        let chunk = |id: ChunkId| (id != WHOLE_FILE).then_some(id);
        Ok(LinkRecord {
            target: row.get(0)?,
            kind: EdgeKind::from_byte(row.get(1)?),
            source_chunk: chunk(row.get(2)?),
            target_chunk: chunk(row.get(3)?),
            count: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes links whose end is gone.
pub(crate) fn remove_dangling(connection: &Connection) -> Result<usize> {
    let sql = "DELETE FROM links WHERE target_file NOT IN (SELECT file_id FROM file_state)
               OR source_file NOT IN (SELECT file_id FROM file_state)";
    Ok(connection.execute(sql, [])?)
}
