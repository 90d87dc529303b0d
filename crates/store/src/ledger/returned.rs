//! `returned` and `usage_providers`: what answers held, who found it, and what of it was used.

use super::json::{JsonList, JsonStrings};
use super::usage::{self, UsageFilter, UsageRecord, limit};
use crate::error::Result;
use crate::{compress, decompress};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// One item of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnedItem<'a> {
    /// SymbolId, or chunkUid where there is none.
    pub target: Cow<'a, str>,
    /// Name with its scopes.
    pub name: Cow<'a, str>,
    pub path: Cow<'a, str>,
    /// Provider that found it.
    pub provider: Cow<'a, str>,
    pub score: f64,
    /// How likely the ranking took it to be needed, 0 to 1; absent for what came along with others.
    pub chance: Option<f64>,
}

/// Words of a request and the items of its answer.
pub type Returned = (Vec<String>, Vec<ReturnedItem<'static>>);

/// An answer as it was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answered<'a> {
    pub usage: UsageRecord,
    /// Words of the request.
    pub words: Vec<String>,
    pub items: Vec<ReturnedItem<'a>>,
}

/// What one group of measurements adds up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageGroup {
    pub key: String,
    pub queries: u64,
    pub context_tokens: u64,
    /// Over the measurements that have one, as are the tokens compared with it.
    pub baseline_tokens: u64,
    pub compared_tokens: u64,
    pub avg_latency_ms: Option<f64>,
    pub snippets: u64,
    pub used: u64,
}

/// What one provider gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderUsage {
    pub provider: String,
    pub queries: u64,
    pub provided: u64,
    /// Items of answers that somebody reported on.
    pub reported: u64,
    pub used: u64,
    pub avg_score: f64,
    pub avg_latency_ms: Option<f64>,
    pub cache_hit_rate: Option<f64>,
}

/// What measurements are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageBy {
    Day,
    Task,
    /// Operation.
    Kind,
    Session,
    Surface,
}

impl UsageBy {
    fn column(self) -> &'static str {
        match self {
            UsageBy::Day => "date(ts / 1000, 'unixepoch')",
            UsageBy::Task => "coalesce(task_id, query, '')",
            UsageBy::Kind => "op",
            UsageBy::Session => "coalesce(session_id, '')",
            UsageBy::Surface => "coalesce(surface, '')",
        }
    }
}

/// Answers whose items are kept for later reports.
const KEPT: i64 = 1_000;
/// Answers after which older ones are removed.
const SWEPT: i64 = 64;

pub(crate) fn record(connection: &Connection, answers: &[Answered<'_>]) -> Result<()> {
    for answer in answers {
        usage::record(connection, std::slice::from_ref(&answer.usage))?;
        let metric = connection.last_insert_rowid();
        put_providers(connection, metric, &answer.items)?;
        if let Some(pack_id) = answer.usage.pack_id.as_ref().filter(|_| !answer.items.is_empty()) {
            put_items(connection, metric, pack_id, answer)?;
        }
    }
    Ok(())
}

fn put_items(
    connection: &Connection,
    metric: i64,
    pack_id: &str,
    answer: &Answered<'_>,
) -> Result<()> {
    let rows: Vec<_> = answer
        .items
        .iter()
        .map(|item| (&item.target, &item.name, &item.path, &item.provider, item.score, item.chance))
        .collect();
    // Texts and numbers can always be written. Compressed, because paths and names of an answer repeat
    // each other and most answers are never asked for again.
    let items = compress(&serde_json::to_vec(&rows).unwrap_or_default());
    let sql = "INSERT OR REPLACE INTO returned (pack_id, metric_id, words, items) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![
        pack_id,
        metric,
        JsonList(&answer.words),
        items
    ])?;
    // Looking for what is too old with every answer would cost more than keeping it a little longer.
    if metric % SWEPT == 0 {
        connection
            .prepare_cached("DELETE FROM returned WHERE metric_id <= ?1")?
            .execute([metric - KEPT])?;
    }
    Ok(())
}

fn put_providers(connection: &Connection, metric: i64, items: &[ReturnedItem<'_>]) -> Result<()> {
    let mut sums: BTreeMap<&str, (i64, f64)> = BTreeMap::new();
    for item in items {
        let sum = sums.entry(&item.provider).or_default();
        *sum = (sum.0 + 1, sum.1 + item.score);
    }
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO usage_providers (metric_id, provider, provided, score) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (provider, (count, score)) in sums {
        statement.execute(params![metric, provider, count, score])?;
    }
    Ok(())
}

/// Returns the words of the request and the items of an answer.
pub(crate) fn get(connection: &Connection, pack_id: &str) -> Result<Option<Returned>> {
    let sql = "SELECT words, items FROM returned WHERE pack_id = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get::<_, JsonStrings>(0)?.0, items_text(row.get_ref(1)?)))
    };
    let row = connection.prepare_cached(sql)?.query_row([pack_id], read).optional()?;
    let Some((words, text)) = row else { return Ok(None) };
    // A row that cannot be read is as good as absent.
    let rows: Vec<Vec<serde_json::Value>> = serde_json::from_slice(&text).unwrap_or_default();
    Ok(Some((words, rows.iter().filter_map(|row| item(row)).collect())))
}

/// Returns the JSON of a row's items; earlier versions wrote it as it is.
fn items_text(value: ValueRef<'_>) -> Vec<u8> {
    match value {
        ValueRef::Blob(bytes) => decompress(bytes).unwrap_or_default(),
        ValueRef::Text(text) => text.to_vec(),
        _ => Vec::new(),
    }
}

/// Reads an item; rows of earlier versions have no chance.
fn item(row: &[serde_json::Value]) -> Option<ReturnedItem<'static>> {
    let text = |place: usize| row.get(place)?.as_str().map(|text| Cow::Owned(text.to_owned()));
    let number = |place: usize| row.get(place)?.as_f64();
    Some(ReturnedItem {
        target: text(0)?,
        name: text(1)?,
        path: text(2)?,
        provider: text(3)?,
        score: number(4)?,
        chance: number(5),
    })
}

/// Returns the newest answer of a session.
pub(crate) fn last(connection: &Connection, session_id: &str) -> Result<Option<String>> {
    let sql = "SELECT pack_id FROM usage_metrics WHERE session_id = ?1 AND pack_id IN (SELECT pack_id FROM returned)
               ORDER BY metric_id DESC LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| row.get(0);
    Ok(connection.prepare_cached(sql)?.query_row([session_id], read).optional()?)
}

/// Notes which items of an answer were used; a later report replaces an earlier one.
pub(crate) fn mark_used(
    connection: &Connection,
    pack_id: &str,
    used: &BTreeSet<String>,
) -> Result<()> {
    let Some((_, items)) = get(connection, pack_id)? else { return Ok(()) };
    let sql = "SELECT metric_id FROM returned WHERE pack_id = ?1";
    let metric: i64 = connection.query_row(sql, [pack_id], |row| row.get(0))?;
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for item in &items {
        *counts.entry(&item.provider).or_default() += i64::from(used.contains(&*item.target));
    }
    let total: i64 = counts.values().sum();
    let sql = "UPDATE usage_metrics SET snippets_used = ?2 WHERE metric_id = ?1";
    connection.execute(sql, [metric, total])?;
    let sql = "UPDATE usage_providers SET used = ?3 WHERE metric_id = ?1 AND provider = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    for (provider, count) in counts {
        statement.execute(params![metric, provider, count])?;
    }
    Ok(())
}

pub(crate) fn groups(
    connection: &Connection,
    by: UsageBy,
    filter: &UsageFilter,
) -> Result<Vec<UsageGroup>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {} AS key, count(*), coalesce(sum(context_tokens), 0), coalesce(sum(baseline_tokens), 0),
             coalesce(sum(CASE WHEN baseline_tokens IS NOT NULL THEN context_tokens END), 0), avg(query_latency_ms),
             coalesce(sum(snippets_count), 0), coalesce(sum(snippets_used), 0)
         FROM (SELECT * FROM usage_metrics WHERE context_tokens IS NOT NULL AND {}) GROUP BY key ORDER BY key",
        by.column(),
        usage::MATCHES
    ))?;
    let given = params![filter.since, filter.until, filter.op, filter.task_id, limit(filter)];
    let rows = statement.query_map(given, |row| {
        let number = |column| row.get::<_, i64>(column).map(|value| value as u64);
        Ok(UsageGroup {
            key: row.get(0)?,
            queries: number(1)?,
            context_tokens: number(2)?,
            baseline_tokens: number(3)?,
            compared_tokens: number(4)?,
            avg_latency_ms: row.get(5)?,
            snippets: number(6)?,
            used: number(7)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn providers(connection: &Connection) -> Result<Vec<ProviderUsage>> {
    let mut statement = connection.prepare_cached(
        "SELECT provider, count(*), sum(provided), sum(CASE WHEN snippets_used IS NOT NULL THEN provided ELSE 0 END),
             sum(used), sum(score) / sum(provided), avg(query_latency_ms), avg(cache_hit)
         FROM usage_providers JOIN usage_metrics USING (metric_id)
         GROUP BY provider ORDER BY sum(provided) DESC, provider",
    )?;
    let rows = statement.query_map([], |row| {
        let number = |column| row.get::<_, i64>(column).map(|value| value as u64);
        Ok(ProviderUsage {
            provider: row.get(0)?,
            queries: number(1)?,
            provided: number(2)?,
            reported: number(3)?,
            used: number(4)?,
            avg_score: row.get(5)?,
            avg_latency_ms: row.get(6)?,
            cache_hit_rate: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
