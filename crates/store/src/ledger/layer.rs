//! `layer`: what packs read, as records that the caller writes and reads; kept only when asked for.

use super::meta;
use crate::error::Result;
use rusqlite::Connection;

/// Name under which the snapshot of the records is kept.
const LAYER: &str = "layer";

/// Replaces the records by those of a snapshot, or forgets them when there are none.
pub(crate) fn replace(connection: &Connection, snapshot: &str, records: &[String]) -> Result<()> {
    connection.execute("DELETE FROM layer", [])?;
    let mut insert =
        connection.prepare_cached("INSERT INTO layer (number, record) VALUES (?1, ?2)")?;
    for (number, record) in (0i64..).zip(records) {
        insert.execute(rusqlite::params![number, record])?;
    }
    meta::set(connection, LAYER, Some(snapshot).filter(|_| !records.is_empty()))
}

/// Returns the snapshot of the records and the records in order, `None` when none are kept.
pub(crate) fn all(connection: &Connection) -> Result<Option<(String, Vec<String>)>> {
    let Some(snapshot) = meta::get(connection, LAYER)? else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached("SELECT record FROM layer ORDER BY number")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(Some((snapshot, rows.collect::<rusqlite::Result<_>>()?)))
}
