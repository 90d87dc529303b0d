//! `feedback`: judgements of what was returned. Rows are only added or forgotten, never changed, so
//! that writers of several processes lose nothing.

use super::json::{JsonList, JsonStrings};
use crate::error::Result;
use crate::text_enum::text_enum;
use rusqlite::{Connection, Row, params};

text_enum! {
    /// What a judgement says.
    Verdict {
        /// Somebody called it useful.
        Useful = "useful",
        NotUseful = "not_useful",
        /// The caller reported that it was read or edited.
        Used = "used",
        /// It was in an answer of which other parts were used.
        Unused = "unused",
    }
}

/// One judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    pub ts: i64,
    pub session_id: Option<String>,
    pub pack_id: Option<String>,
    /// What is judged: symbolId, chunkUid or path.
    pub target: String,
    pub verdict: Verdict,
    /// Hash of the package that the target lay in; a judgement counts as long as it is the same.
    pub anchor: String,
    /// Words of the request that it was returned for.
    pub words: Vec<String>,
    pub note: Option<String>,
    /// How likely the ranking took it to be needed, 0 to 1; absent when no ranking showed it.
    pub chance: Option<f64>,
}

/// Which judgements are meant; what is absent does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackFilter {
    pub target: Option<String>,
    pub session_id: Option<String>,
    /// Before this time.
    pub before: Option<i64>,
}

const COLUMNS: &str = "ts, session_id, pack_id, target, verdict, anchor, words, note, chance";
const MATCHES: &str =
    "(?1 IS NULL OR target = ?1) AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR ts < ?3)";

pub(crate) fn put(connection: &Connection, feedback: &[Feedback]) -> Result<()> {
    let mut statement = connection.prepare_cached(&format!(
        "INSERT INTO feedback ({COLUMNS}, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
    ))?;
    for row in feedback {
        let value = match row.verdict {
            Verdict::Useful | Verdict::Used => 1.0,
            Verdict::NotUseful | Verdict::Unused => -1.0,
        };
        statement.execute(params![
            row.ts,
            row.session_id,
            row.pack_id,
            row.target,
            row.verdict,
            row.anchor,
            JsonList(&row.words),
            row.note,
            row.chance,
            value
        ])?;
    }
    Ok(())
}

pub(crate) fn matching(connection: &Connection, filter: &FeedbackFilter) -> Result<Vec<Feedback>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM feedback WHERE {MATCHES} ORDER BY feedback_id"
    ))?;
    let rows =
        statement.query_map(params![filter.target, filter.session_id, filter.before], from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn forget(connection: &Connection, filter: &FeedbackFilter) -> Result<usize> {
    let sql = format!("DELETE FROM feedback WHERE {MATCHES}");
    Ok(connection.execute(&sql, params![filter.target, filter.session_id, filter.before])?)
}

/// Changes with every row that is added or forgotten, as far as one look can tell.
pub(crate) fn stamp(connection: &Connection) -> Result<(i64, i64)> {
    let sql = "SELECT coalesce(max(feedback_id), 0), count(*) FROM feedback";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Feedback> {
    Ok(Feedback {
        ts: row.get(0)?,
        session_id: row.get(1)?,
        pack_id: row.get(2)?,
        target: row.get(3)?,
        verdict: row.get(4)?,
        anchor: row.get(5)?,
        words: row.get::<_, JsonStrings>(6)?.0,
        note: row.get(7)?,
        chance: row.get(8)?,
    })
}
