//! `contextd export --sql`: everything as one script that SQLite, DuckDB and PostgreSQL read.

use contextd_engine::Engine;
use contextd_lang::LanguageId;
use contextd_model::ChunkKind;
use contextd_model::facts::modifier;
use contextd_pack::Texts as _;
use contextd_snapshot::{LinkRows, Snapshot, Wanted};
use std::fmt::Write as _;
use std::io::{Result, Write};

/// Rows of one INSERT.
const ROWS: usize = 200;

/// Symbols are numbered as in the snapshot; `links` are edges seen file by file.
const TABLES: &str = "BEGIN;
CREATE TABLE file_state (path TEXT PRIMARY KEY, language TEXT NOT NULL, package TEXT NOT NULL, lines INTEGER NOT NULL, size INTEGER NOT NULL, content_hash TEXT NOT NULL);
CREATE TABLE symbols (id INTEGER PRIMARY KEY, symbol_id TEXT NOT NULL, qualified_name TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, language TEXT NOT NULL, file TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, visibility TEXT NOT NULL, test INTEGER NOT NULL);
CREATE TABLE edges (source INTEGER NOT NULL, target INTEGER NOT NULL, kind TEXT NOT NULL, confidence REAL NOT NULL, provenance TEXT NOT NULL, line INTEGER NOT NULL);
CREATE TABLE chunks (file TEXT NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL, symbol INTEGER NOT NULL, start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, tokens INTEGER NOT NULL, content TEXT);
CREATE VIEW links AS SELECT s.file AS source_file, t.file AS target_file, e.kind AS kind, count(*) AS count FROM edges e JOIN symbols s ON s.id = e.source JOIN symbols t ON t.id = e.target GROUP BY s.file, t.file, e.kind;
";

/// Writes the script. Text of chunks is what answers show: without secrets, absent where the file changed since.
pub fn write(
    engine: &Engine,
    snapshot: &Snapshot,
    ids: &[String],
    out: &mut dyn Write,
) -> Result<()> {
    out.write_all(TABLES.as_bytes())?;
    files(snapshot, out)?;
    symbols(snapshot, ids, out)?;
    edges(snapshot, out)?;
    chunks(engine, snapshot, out)?;
    out.write_all(b"CREATE INDEX symbols_name ON symbols (name);\nCREATE INDEX edges_source ON edges (source);\nCREATE INDEX edges_target ON edges (target);\nCREATE INDEX chunks_file ON chunks (file);\nCOMMIT;\n")
}

/// Gathers rows of a table and writes them in groups.
struct Rows<'a> {
    table: &'static str,
    text: String,
    count: usize,
    out: &'a mut dyn Write,
}

impl<'a> Rows<'a> {
    fn new(table: &'static str, out: &'a mut dyn Write) -> Self {
        Self { table, text: String::new(), count: 0, out }
    }

    fn row(&mut self, values: &[Cell<'_>]) -> Result<()> {
        self.text.push_str(if self.count == 0 { "(" } else { ",\n(" });
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            value.write(&mut self.text);
        }
        self.text.push(')');
        self.count += 1;
        if self.count == ROWS { self.end() } else { Ok(()) }
    }

    fn end(&mut self) -> Result<()> {
        if self.count > 0 {
            writeln!(self.out, "INSERT INTO {} VALUES\n{};", self.table, self.text)?;
            self.text.clear();
            self.count = 0;
        }
        Ok(())
    }
}

/// A value of a row.
enum Cell<'a> {
    Text(&'a str),
    Whole(u64),
    Part(f64),
    Null,
}

impl Cell<'_> {
    fn write(&self, out: &mut String) {
        match self {
            // No database takes a NUL inside of a text.
            Cell::Text(text) => {
                let _ = write!(out, "'{}'", text.replace('\'', "''").replace('\0', "\u{fffd}"));
            }
            Cell::Whole(number) => drop(write!(out, "{number}")),
            Cell::Part(number) => drop(write!(out, "{number}")),
            Cell::Null => out.push_str("NULL"),
        }
    }
}

fn files(snapshot: &Snapshot, out: &mut dyn Write) -> Result<()> {
    let mut rows = Rows::new("file_state", out);
    for number in 0..snapshot.file_count() {
        let file = snapshot.file(number);
        let (package, hash) = (file.package().to_owned(), file.hash().to_hex());
        rows.row(&[
            Cell::Text(file.path()),
            Cell::Text(LanguageId(file.language()).name()),
            Cell::Text(&package),
            Cell::Whole(file.lines().into()),
            Cell::Whole(file.size().into()),
            Cell::Text(&hash),
        ])?;
    }
    rows.end()
}

fn symbols(snapshot: &Snapshot, ids: &[String], out: &mut dyn Write) -> Result<()> {
    let mut rows = Rows::new("symbols", out);
    for (number, id) in (0..snapshot.symbol_count()).zip(ids) {
        let symbol = snapshot.symbol(number);
        let test = symbol.has(modifier::TEST) || contextd_lang::paths::is_test(symbol.path());
        rows.row(&[
            Cell::Whole(number.into()),
            Cell::Text(id),
            Cell::Text(&symbol.qualified()),
            Cell::Text(symbol.name()),
            Cell::Text(symbol.kind().name()),
            Cell::Text(LanguageId(symbol.language()).name()),
            Cell::Text(symbol.path()),
            Cell::Whole(symbol.start_line().into()),
            Cell::Whole(symbol.end_line().into()),
            Cell::Text(symbol.visibility().name()),
            Cell::Whole(test.into()),
        ])?;
    }
    rows.end()
}

fn edges(snapshot: &Snapshot, out: &mut dyn Write) -> Result<()> {
    let mut rows = Rows::new("edges", out);
    for source in 0..snapshot.symbol_count() {
        for edge in snapshot.graph().out(source) {
            rows.row(&[
                Cell::Whole(source.into()),
                Cell::Whole(edge.target.into()),
                Cell::Text(edge.kind().name()),
                Cell::Part(f64::from(edge.confidence) / 100.0),
                Cell::Text(edge.provenance().name()),
                Cell::Whole(edge.line.into()),
            ])?;
        }
    }
    rows.end()
}

fn chunks(engine: &Engine, snapshot: &Snapshot, out: &mut dyn Write) -> Result<()> {
    let mut rows = Rows::new("chunks", out);
    for number in 0..snapshot.file_count() {
        let file = snapshot.file(number);
        let mut links = LinkRows::default();
        let Some(facts) = file.facts(Wanted::All, &mut links) else { continue };
        let text = engine.texts().read(file.path()).filter(|text| text.hash == file.hash());
        for chunk in facts.chunks {
            let content = text.as_ref().map(|text| text.part(chunk.start, chunk.end));
            rows.row(&[
                Cell::Text(file.path()),
                Cell::Text(facts.strings.get(chunk.label)),
                Cell::Text(ChunkKind::from_byte(chunk.kind).name()),
                Cell::Whole((file.symbols().start + chunk.symbol).into()),
                Cell::Whole(chunk.start.into()),
                Cell::Whole(chunk.end.into()),
                Cell::Whole(chunk.start_line.into()),
                Cell::Whole(chunk.end_line.into()),
                Cell::Whole(chunk.tokens.into()),
                content.map_or(Cell::Null, Cell::Text),
            ])?;
        }
    }
    rows.end()
}
