//! Totals over the tables, read from the per-file counts so that they stay cheap.

use crate::error::Result;
use rusqlite::{Connection, Row};

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
        Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0))? as u64)
    };
    let mut stats = LedgerStats {
        embeddings: count("SELECT count(*) FROM embeddings")?,
        links: count("SELECT count(*) FROM links")?,
        errors: count("SELECT count(*) FROM bootstrap_errors")?,
        ..LedgerStats::default()
    };
    let mut statement = connection.prepare_cached(
        "SELECT lang, count(*), sum(lines), sum(chunks), sum(tokens), sum(size), sum(symbols), max(indexed_at)
         FROM file_state GROUP BY lang ORDER BY sum(chunks) DESC, lang",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        add_language(&mut stats, row)?;
    }
    Ok(stats)
}

fn add_language(stats: &mut LedgerStats, row: &Row<'_>) -> rusqlite::Result<()> {
    let number = |column| row.get::<_, i64>(column).map(|value| value as u64);
    let language = LanguageStats {
        lang: row.get(0)?,
        files: number(1)?,
        lines: number(2)?,
        chunks: number(3)?,
        tokens: number(4)?,
    };
    stats.files += language.files;
    stats.lines += language.lines;
    stats.chunks += language.chunks;
    stats.bytes += number(5)?;
    stats.symbols += number(6)?;
    stats.last_indexed = stats.last_indexed.max(row.get(7)?);
    stats.languages.push(language);
    Ok(())
}
