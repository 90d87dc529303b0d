//! `meta`: single named values.

use crate::error::Result;
use rusqlite::{Connection, OptionalExtension};

pub(crate) fn set(connection: &Connection, key: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) => connection
            .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
            .execute([key, value])?,
        None => connection.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute([key])?,
    };
    Ok(())
}

pub(crate) fn get(connection: &Connection, key: &str) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}
