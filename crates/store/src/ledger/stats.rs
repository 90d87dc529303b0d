//! Totals over the tables, read from the per-file counts so that they stay cheap.

use crate::error::Result;
use rusqlite::Connection;

/// Totals of what is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerStats {
    pub files: u64,
    pub bytes: u64,
    pub lines: u64,
    pub symbols: u64,
    pub chunks: u64,
    pub embeddings: u64,
    pub links: u64,
    pub errors: u64,
    pub last_indexed: Option<i64>,
    /// Most chunks first, then by name.
    pub languages: Vec<LanguageStats>,
}

/// Totals of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LanguageStats {
    pub lang: String,
    pub files: u64,
    pub lines: u64,
    pub chunks: u64,
    pub tokens: u64,
}

pub(crate) fn totals(connection: &Connection) -> Result<LedgerStats> {
    let count = |sql: &str| -> Result<u64> {
        Ok(connection
            .prepare_cached(sql)?
            .query_row([], |row| row.get::<_, i64>(0))? as u64)
    };
    let sql = "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(lines), 0), coalesce(sum(symbols), 0),
               coalesce(sum(chunks), 0), max(indexed_at) FROM file_state";
    let stats = connection.prepare_cached(sql)?.query_row([], |row| {
        Ok(LedgerStats {
            files: row.get::<_, i64>(0)? as u64,
            bytes: row.get::<_, i64>(1)? as u64,
            lines: row.get::<_, i64>(2)? as u64,
            symbols: row.get::<_, i64>(3)? as u64,
            chunks: row.get::<_, i64>(4)? as u64,
            last_indexed: row.get(5)?,
            ..LedgerStats::default()
        })
    })?;
    Ok(LedgerStats {
        embeddings: count("SELECT count(*) FROM embeddings")?,
        links: count("SELECT count(*) FROM links")?,
        errors: count("SELECT count(*) FROM bootstrap_errors")?,
        languages: languages(connection)?,
        ..stats
    })
}

fn languages(connection: &Connection) -> Result<Vec<LanguageStats>> {
    let mut statement = connection.prepare_cached(
        "SELECT lang, count(*), sum(lines), sum(chunks), sum(tokens) FROM file_state
         GROUP BY lang ORDER BY sum(chunks) DESC, lang",
    )?;
    let rows = statement.query_map([], |row| {
        let number = |column| row.get::<_, i64>(column).map(|value| value as u64);
        Ok(LanguageStats {
            lang: row.get(0)?,
            files: number(1)?,
            lines: number(2)?,
            chunks: number(3)?,
            tokens: number(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
