//! `sessions`: what one conversation has seen so far.

use crate::error::Result;
use rusqlite::{Connection, OptionalExtension, params};

/// A session; what its state means is the engine's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub session_id: String,
    pub started_at: i64,
    pub last_seen_at: i64,
    /// Requests answered so far: decay is counted in them, not in time.
    pub step: u64,
    pub state: Vec<u8>,
}

pub(crate) fn put(connection: &Connection, session: &Session) -> Result<()> {
    let Session { session_id, started_at, last_seen_at, step, state } = session;
    let sql = "INSERT OR REPLACE INTO sessions (session_id, started_at, last_seen_at, step, state)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![
        session_id,
        started_at,
        last_seen_at,
        *step as i64,
        state
    ])?;
    Ok(())
}

pub(crate) fn get(connection: &Connection, session_id: &str) -> Result<Option<Session>> {
    let sql = "SELECT session_id, started_at, last_seen_at, step, state FROM sessions WHERE session_id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let session = statement.query_row([session_id], |row| {
        Ok(Session {
            session_id: row.get(0)?,
            started_at: row.get(1)?,
            last_seen_at: row.get(2)?,
            step: row.get::<_, i64>(3)? as u64,
            state: row.get(4)?,
        })
    });
    Ok(session.optional()?)
}

/// Replaces a session by what `change` makes of it, as one step: two writers queue up.
pub(crate) fn update(
    connection: &Connection,
    session_id: &str,
    change: &mut dyn FnMut(Option<Session>) -> Session,
) -> Result<Session> {
    let changed = change(get(connection, session_id)?);
    put(connection, &changed)?;
    Ok(changed)
}

/// Returns the sessions last seen first, without their state.
pub(crate) fn newest(connection: &Connection, limit: usize) -> Result<Vec<Session>> {
    let sql = "SELECT session_id, started_at, last_seen_at, step FROM sessions
               ORDER BY last_seen_at DESC, session_id LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([limit.min(i64::MAX as usize) as i64], |row| {
        Ok(Session {
            session_id: row.get(0)?,
            started_at: row.get(1)?,
            last_seen_at: row.get(2)?,
            step: row.get::<_, i64>(3)? as u64,
            state: Vec::new(),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn forget(connection: &Connection, session_id: &str) -> Result<usize> {
    Ok(connection.execute("DELETE FROM sessions WHERE session_id = ?1", [session_id])?)
}

pub(crate) fn expire(connection: &Connection, before: i64) -> Result<usize> {
    Ok(connection.execute("DELETE FROM sessions WHERE last_seen_at < ?1", [before])?)
}
