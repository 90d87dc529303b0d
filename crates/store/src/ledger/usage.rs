//! `usage_metrics`: what each operation cost and gave.

use super::json::{JsonList, JsonStrings};
use crate::error::Result;
use rusqlite::{Connection, Row, params};

/// One measured operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageRecord {
    pub ts: i64,
    /// Operation, or `before_integration` and `after_integration` for a comparison.
    pub op: String,
    pub agent: Option<String>,
    pub task_id: Option<String>,
    pub tokens_input: Option<u64>,
    pub tokens_output: Option<u64>,
    pub context_tokens: Option<u64>,
    pub query_latency_ms: Option<f64>,
    pub snippets_count: Option<u32>,
    pub snippets_used: Option<u32>,
    pub providers_used: Vec<String>,
    pub cache_hit: Option<bool>,
    pub notes: Option<String>,
    /// Where it was asked: `cli`, `mcp` or `http`.
    pub surface: Option<String>,
    pub session_id: Option<String>,
    pub pack_id: Option<String>,
    /// The request in words, scrubbed.
    pub query: Option<String>,
    /// Tokens that reading the files of the answer would have cost.
    pub baseline_tokens: Option<u64>,
}

/// Which measurements are meant; what is absent does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageFilter {
    /// From this time on.
    pub since: Option<i64>,
    /// Before this time.
    pub until: Option<i64>,
    pub op: Option<String>,
    pub task_id: Option<String>,
    /// The newest so many.
    pub limit: Option<usize>,
}

/// Totals and means; a mean of nothing is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageSummary {
    pub count: u64,
    pub tokens_input: u64,
    pub tokens_output: u64,
    pub context_tokens: u64,
    pub avg_query_latency_ms: Option<f64>,
    pub avg_context_tokens: Option<f64>,
    /// Share of cache hits among operations that could hit, 0 to 1.
    pub cache_hit_rate: Option<f64>,
    pub snippets_count: u64,
    pub snippets_used: u64,
}

/// Mean tokens of a task before and after context was given.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSavings {
    pub task_id: String,
    pub before: f64,
    pub after: f64,
    pub reduction_pct: f64,
}

/// Mean tokens of an operation on one day.
#[derive(Clone, Debug, PartialEq)]
pub struct DayUsage {
    /// `YYYY-MM-DD`, UTC.
    pub day: String,
    pub count: u64,
    pub avg_tokens: f64,
}

pub(super) const MATCHES: &str = "(?1 IS NULL OR ts >= ?1) AND (?2 IS NULL OR ts < ?2) AND (?3 IS NULL OR op = ?3) \
                       AND (?4 IS NULL OR task_id = ?4) ORDER BY ts DESC, metric_id DESC LIMIT ?5";

pub(crate) fn record(connection: &Connection, records: &[UsageRecord]) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO usage_metrics (ts, op, agent, task_id, tokens_input, tokens_output, context_tokens,
             query_latency_ms, snippets_count, snippets_used, providers_used, cache_hit, notes,
             surface, session_id, pack_id, query, baseline_tokens)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?;
    let number = |value: Option<u64>| value.map(|value| value as i64);
    for record in records {
        statement.execute(params![
            record.ts,
            record.op,
            record.agent,
            record.task_id,
            number(record.tokens_input),
            number(record.tokens_output),
            number(record.context_tokens),
            record.query_latency_ms,
            record.snippets_count,
            record.snippets_used,
            JsonList(&record.providers_used),
            record.cache_hit,
            record.notes,
            record.surface,
            record.session_id,
            record.pack_id,
            record.query,
            number(record.baseline_tokens),
        ])?;
    }
    Ok(())
}

pub(crate) fn query(connection: &Connection, filter: &UsageFilter) -> Result<Vec<UsageRecord>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT ts, op, agent, task_id, tokens_input, tokens_output, context_tokens, query_latency_ms, snippets_count,
             snippets_used, providers_used, cache_hit, notes, surface, session_id, pack_id, query,
             baseline_tokens FROM usage_metrics WHERE {MATCHES}"
    ))?;
    let rows = statement.query_map(
        params![filter.since, filter.until, filter.op, filter.task_id, limit(filter)],
        from_row,
    )?;
    let mut records: Vec<UsageRecord> = rows.collect::<rusqlite::Result<_>>()?;
    records.reverse();
    Ok(records)
}

pub(crate) fn summary(connection: &Connection, filter: &UsageFilter) -> Result<UsageSummary> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT count(*), coalesce(sum(tokens_input), 0), coalesce(sum(tokens_output), 0),
             coalesce(sum(context_tokens), 0), avg(query_latency_ms), avg(context_tokens), avg(cache_hit),
             coalesce(sum(snippets_count), 0), coalesce(sum(snippets_used), 0)
         FROM (SELECT * FROM usage_metrics WHERE {MATCHES})"
    ))?;
    let number = |row: &Row<'_>, column| row.get::<_, i64>(column).map(|value| value as u64);
    let read = |row: &Row<'_>| {
        Ok(UsageSummary {
            count: number(row, 0)?,
            tokens_input: number(row, 1)?,
            tokens_output: number(row, 2)?,
            context_tokens: number(row, 3)?,
            avg_query_latency_ms: row.get(4)?,
            avg_context_tokens: row.get(5)?,
            cache_hit_rate: row.get(6)?,
            snippets_count: number(row, 7)?,
            snippets_used: number(row, 8)?,
        })
    };
    Ok(statement.query_row(
        params![filter.since, filter.until, filter.op, filter.task_id, limit(filter)],
        read,
    )?)
}

pub(crate) fn savings(connection: &Connection, limit: usize) -> Result<Vec<TaskSavings>> {
    let mut statement = connection.prepare_cached(
        "WITH means AS (
             SELECT task_id,
                 avg(CASE WHEN op = 'before_integration' THEN coalesce(tokens_input, 0) + coalesce(tokens_output, 0) END) AS before,
                 avg(CASE WHEN op = 'after_integration' THEN coalesce(tokens_input, 0) + coalesce(tokens_output, 0) END) AS after
             FROM usage_metrics WHERE task_id IS NOT NULL GROUP BY task_id)
         SELECT task_id, before, after, (before - after) / before * 100 AS reduction_pct FROM means
         WHERE before > 0 AND after IS NOT NULL ORDER BY reduction_pct DESC, task_id LIMIT ?1",
    )?;
    let rows = statement.query_map([limit.min(i64::MAX as usize) as i64], |row| {
        Ok(TaskSavings {
            task_id: row.get(0)?,
            before: row.get(1)?,
            after: row.get(2)?,
            reduction_pct: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn by_day(connection: &Connection, op: &str) -> Result<Vec<DayUsage>> {
    let mut statement = connection.prepare_cached(
        "SELECT date(ts / 1000, 'unixepoch') AS day, count(*),
             avg(coalesce(tokens_input, 0) + coalesce(tokens_output, 0))
         FROM usage_metrics WHERE op = ?1 GROUP BY day ORDER BY day",
    )?;
    let rows = statement.query_map([op], |row| {
        Ok(DayUsage {
            day: row.get(0)?,
            count: row.get::<_, i64>(1)? as u64,
            avg_tokens: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// SQLite takes a negative limit as none.
pub(super) fn limit(filter: &UsageFilter) -> i64 {
    filter.limit.map_or(-1, |limit| limit.min(i64::MAX as usize) as i64)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<UsageRecord> {
    let number =
        |column| row.get::<_, Option<i64>>(column).map(|value| value.map(|value| value as u64));
    Ok(UsageRecord {
        ts: row.get(0)?,
        op: row.get(1)?,
        agent: row.get(2)?,
        task_id: row.get(3)?,
        tokens_input: number(4)?,
        tokens_output: number(5)?,
        context_tokens: number(6)?,
        query_latency_ms: row.get(7)?,
        snippets_count: row.get(8)?,
        snippets_used: row.get(9)?,
        providers_used: row.get::<_, JsonStrings>(10)?.0,
        cache_hit: row.get(11)?,
        notes: row.get(12)?,
        surface: row.get(13)?,
        session_id: row.get(14)?,
        pack_id: row.get(15)?,
        query: row.get(16)?,
        baseline_tokens: number(17)?,
    })
}
