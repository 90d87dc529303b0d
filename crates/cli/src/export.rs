//! `contextd export`: the index as JSON lines, or as a script for a database.

mod sql;

use clap::{Args, ValueEnum};
use contextd_engine::Engine;
use contextd_lang::LanguageId;
use contextd_model::ChunkKind;
use contextd_model::facts::modifier;
use contextd_model::symbol_id::{outside_id, symbol_id};
use contextd_snapshot::{LinkRows, Snapshot, Wanted};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub struct ExportArgs {
    /// What is printed
    #[arg(required_unless_present = "sql")]
    what: Option<What>,
    /// File to write to instead of standard output
    #[arg(long)]
    out: Option<PathBuf>,
    /// Keep the layer in the ledger instead, as the table `layer` with views for plain SQL
    #[arg(long, conflicts_with_all = ["out", "sql"])]
    ledger: bool,
    /// Write everything, texts of chunks included, as an SQL script to this file; `-` for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["what", "out"])]
    sql: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Functions, types, sections: name, kind, place
    Symbols,
    /// Who calls, imports, extends or tests whom, and how sure it is
    Edges,
    /// The pieces that files are cut into
    Chunks,
    /// Indexed files with language, size and hash
    Files,
    /// Everything that packs read: files, symbols with their texts, edges
    Layer,
}

pub fn export(engine: &Engine, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let Some(snapshot) = engine.snapshot()? else {
        return Err(
            contextd_engine::EngineError::NoIndex { root: engine.places.root.clone() }.into()
        );
    };
    if args.ledger {
        anyhow::ensure!(
            matches!(args.what, Some(What::Layer)),
            "only the layer is kept in the ledger: contextd export layer --ledger"
        );
        let records = engine.keep_layer(&snapshot)?;
        crate::ui::say(false, &format!("{records} records are in the ledger"));
        return Ok(ExitCode::SUCCESS);
    }
    let sink: Box<dyn Write> = match args.out.as_ref().or(args.sql.as_ref()) {
        Some(path) if path.as_os_str() != "-" => {
            Box::new(std::fs::File::create(path).map_err(|source| {
                contextd_engine::EngineError::Io {
                    what: "cannot write",
                    path: path.clone(),
                    source,
                }
            })?)
        }
        _ => Box::new(std::io::stdout().lock()),
    };
    let mut out = BufWriter::new(sink);
    let written = match args.what {
        Some(What::Symbols) => symbols(&snapshot, &mut out),
        Some(What::Edges) => edges(&snapshot, &mut out),
        Some(What::Chunks) => chunks(&snapshot, &mut out),
        Some(What::Files) => files(&snapshot, &mut out),
        Some(What::Layer) => layer(&snapshot, &mut out),
        None => sql::write(engine, &snapshot, &ids(&snapshot), &mut out),
    };
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns the ids of all symbols, in order; same-named siblings get ordinals.
fn ids(snapshot: &Snapshot) -> Vec<String> {
    let mut ids = Vec::with_capacity(snapshot.symbol_count() as usize);
    for file in 0..snapshot.file_count() {
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for number in snapshot.symbols_of_file(file) {
            let symbol = snapshot.symbol(number);
            let make = |ordinal| {
                symbol_id(
                    LanguageId(symbol.language()).name(),
                    "",
                    symbol.path(),
                    &symbol.qualified(),
                    symbol.kind(),
                    ordinal,
                )
            };
            let ordinal = seen.entry(make(0)).or_insert(0);
            ids.push(make(*ordinal));
            *ordinal += 1;
        }
    }
    ids
}

/// Returns the line of each symbol's name: a declaration begins there for its reader, whatever
/// annotations stand above.
fn name_lines(snapshot: &Snapshot) -> Vec<u32> {
    let mut lines = Vec::with_capacity(snapshot.symbol_count() as usize);
    let mut rows = LinkRows::default();
    for number in 0..snapshot.file_count() {
        let file = snapshot.file(number);
        let count = file.symbols().len();
        match file.facts(Wanted::Links, &mut rows) {
            Some(facts) => lines.extend(facts.symbols.iter().map(|row| row.name_line)),
            None => lines.extend(std::iter::repeat_n(0, count)),
        }
    }
    lines
}

fn symbols(snapshot: &Snapshot, out: &mut dyn Write) -> std::io::Result<()> {
    let ids = ids(snapshot);
    let lines = name_lines(snapshot);
    for number in 0..snapshot.symbol_count() {
        let symbol = snapshot.symbol(number);
        let test = symbol.has(modifier::TEST) || contextd_lang::paths::is_test(symbol.path());
        let line = json!({
            "symbolId": ids[number as usize], "qualifiedName": symbol.qualified(), "name": symbol.name(), "kind": symbol.kind().name(),
            "language": LanguageId(symbol.language()).name(), "file": symbol.path(), "startLine": lines[number as usize].max(symbol.start_line()), "endLine": symbol.end_line(),
            "visibility": symbol.visibility().name(), "test": test,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn edges(snapshot: &Snapshot, out: &mut dyn Write) -> std::io::Result<()> {
    let ids = ids(snapshot);
    for source in 0..snapshot.symbol_count() {
        for edge in snapshot.graph().out(source) {
            let line = json!({
                "from": ids[source as usize], "to": ids[edge.target as usize], "kind": edge.kind().name(), "confidence": f64::from(edge.confidence) / 100.0,
                "provenance": edge.provenance().name(), "file": snapshot.file(snapshot.written_in(source, &edge)).path(), "line": edge.line,
            });
            writeln!(out, "{line}")?;
        }
    }
    for edge in snapshot.graph().outside() {
        let line = json!({
            "from": ids[edge.source as usize], "to": outside_id(edge.target_kind(), &edge.name), "kind": edge.kind.name(), "confidence": f64::from(edge.confidence) / 100.0,
            "provenance": edge.provenance.name(), "file": snapshot.symbol(edge.source).path(), "line": edge.line,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn chunks(snapshot: &Snapshot, out: &mut dyn Write) -> std::io::Result<()> {
    let ids = ids(snapshot);
    for number in 0..snapshot.file_count() {
        let file = snapshot.file(number);
        let mut rows = LinkRows::default();
        let Some(facts) = file.facts(Wanted::All, &mut rows) else { continue };
        for chunk in facts.chunks {
            let id = ids.get((file.symbols().start + chunk.symbol) as usize);
            // Embedded code has its own language, the rest has the file's.
            let language = if chunk.language == u8::MAX { file.language() } else { chunk.language };
            let line = json!({
                "file": file.path(), "label": facts.strings.get(chunk.label), "kind": ChunkKind::from_byte(chunk.kind).name(), "symbolId": id, "language": LanguageId(language).name(),
                "startLine": chunk.start_line, "endLine": chunk.end_line, "start": chunk.start, "end": chunk.end, "tokens": chunk.tokens, "part": chunk.part,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn files(snapshot: &Snapshot, out: &mut dyn Write) -> std::io::Result<()> {
    for number in 0..snapshot.file_count() {
        let file = snapshot.file(number);
        let line = json!({"file": file.path(), "language": LanguageId(file.language()).name(), "lines": file.lines(), "size": file.size(), "hash": file.hash().to_hex(), "package": file.package()});
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn layer(snapshot: &Snapshot, out: &mut dyn Write) -> std::io::Result<()> {
    let mut result = Ok(());
    contextd_pack::lines(snapshot, &mut |line| {
        if result.is_ok() {
            result = writeln!(out, "{}", json!(line));
        }
    });
    result
}
