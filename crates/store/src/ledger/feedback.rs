//! `feedback`: judgements of what was returned.

use crate::error::Result;
use rusqlite::{Connection, params};

/// One judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    pub ts: i64,
    pub session_id: Option<String>,
    pub pack_id: Option<String>,
    /// What is judged: symbolId, chunkUid or path.
    pub target: String,
    /// 1 for useful, −1 for not.
    pub value: f64,
    pub note: Option<String>,
}

pub(crate) fn put(connection: &Connection, feedback: &[Feedback]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO feedback (ts, session_id, pack_id, target, value, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for Feedback {
        ts,
        session_id,
        pack_id,
        target,
        value,
        note,
    } in feedback
    {
        statement.execute(params![ts, session_id, pack_id, target, value, note])?;
    }
    Ok(())
}

pub(crate) fn since(connection: &Connection, since: i64) -> Result<Vec<Feedback>> {
    let mut statement = connection.prepare_cached(
        "SELECT ts, session_id, pack_id, target, value, note FROM feedback WHERE ts >= ?1 ORDER BY feedback_id",
    )?;
    let rows = statement.query_map([since], |row| {
        Ok(Feedback {
            ts: row.get(0)?,
            session_id: row.get(1)?,
            pack_id: row.get(2)?,
            target: row.get(3)?,
            value: row.get(4)?,
            note: row.get(5)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
