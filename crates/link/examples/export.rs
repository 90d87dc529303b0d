//! Links the source files of a folder and writes symbols and edges as JSON lines.
//!
//! `export FOLDER SYMBOLS.jsonl EDGES.jsonl`, or `export FOLDER` for the figures alone.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example reports on the terminal")]

use contextd_link::{LinkFile, LinkOptions, link};
use contextd_model::facts::{FileFacts, SymbolRow, modifier};
use contextd_model::symbol_id::symbol_id;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(root) = arguments.first() else {
        eprintln!("export FOLDER [SYMBOLS EDGES]");
        return Ok(());
    };
    let mut paths = Vec::new();
    walk(Path::new(root), "", &mut paths)?;
    paths.sort();
    let started = Instant::now();
    let facts: Vec<(String, FileFacts)> = paths
        .into_par_iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(Path::new(root).join(&path)).ok()?;
            let language = contextd_lang::detect(&path, &text);
            let mut facts = contextd_lang::extract(&text, language, &Default::default());
            facts.text = Default::default();
            Some((path, facts))
        })
        .collect();
    let files: Vec<LinkFile<'_>> =
        facts.iter().map(|(path, facts)| LinkFile { path, view: facts.view() }).collect();
    let references: usize = files.iter().map(|file| file.view.refs.len()).sum();
    eprintln!(
        "{} files, {references} references, extracted in {:?}",
        files.len(),
        started.elapsed()
    );
    let started = Instant::now();
    let links = link(&files, &LinkOptions::default());
    eprintln!(
        "{} symbols, {} edges, linked in {:?}",
        links.offsets.len() - 1,
        links.edges.len(),
        started.elapsed()
    );
    for ((language, reason), count) in &links.unresolved.counts {
        eprintln!("  {} {reason:?} {count}", contextd_lang::LanguageId(*language).name());
    }
    let communities = links.communities.iter().max().map_or(0, |most| most + 1);
    eprintln!("  {communities} communities");
    if let [_, symbols, edges] = arguments.as_slice() {
        let ids = ids(&files);
        std::fs::write(symbols, symbol_lines(&files, &ids))?;
        std::fs::write(edges, edge_lines(&files, &links, &ids))?;
    }
    Ok(())
}

fn walk(folder: &Path, prefix: &str, paths: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        let path = format!("{prefix}{name}");
        if kind.is_dir() && !matches!(name.as_str(), ".git" | "node_modules" | "target" | ".venv") {
            walk(&entry.path(), &format!("{path}/"), paths)?;
        } else if kind.is_file() && entry.metadata()?.len() < 2_000_000 {
            paths.push(path);
        }
    }
    Ok(())
}

fn ids(files: &[LinkFile<'_>]) -> Vec<String> {
    let mut ids = Vec::new();
    for file in files {
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let language = contextd_lang::LanguageId(file.view.language).name();
        for row in file.view.symbols {
            let plain =
                symbol_id(language, "", file.path, file.view.str(row.qualified), row.kind(), 0);
            let ordinal = seen.entry(plain).or_insert(0);
            ids.push(symbol_id(
                language,
                "",
                file.path,
                file.view.str(row.qualified),
                row.kind(),
                *ordinal,
            ));
            *ordinal += 1;
        }
    }
    ids
}

fn symbol_lines(files: &[LinkFile<'_>], ids: &[String]) -> String {
    let mut out = String::new();
    let rows = files.iter().flat_map(|file| file.view.symbols.iter().map(move |row| (file, row)));
    for (id, (file, row)) in ids.iter().zip(rows) {
        let SymbolRow { start_line, end_line, .. } = row;
        let language = contextd_lang::LanguageId(file.view.language).name();
        let _ = writeln!(
            out,
            "{{\"symbolId\":{},\"qualifiedName\":{},\"name\":{},\"kind\":\"{}\",\"language\":\"{language}\",\"file\":{},\"startLine\":{start_line},\"endLine\":{end_line},\"visibility\":\"{}\",\"test\":{}}}",
            quoted(id),
            quoted(file.view.str(row.qualified)),
            quoted(file.view.str(row.name)),
            row.kind(),
            quoted(file.path),
            row.visibility(),
            row.has(modifier::TEST)
        );
    }
    out
}

fn edge_lines(files: &[LinkFile<'_>], links: &contextd_link::Links, ids: &[String]) -> String {
    let mut out = String::new();
    let paths: Vec<&str> = files
        .iter()
        .flat_map(|file| std::iter::repeat_n(file.path, file.view.symbols.len()))
        .collect();
    for source in 0..ids.len() {
        for edge in &links.edges[links.offsets[source] as usize..links.offsets[source + 1] as usize]
        {
            let _ = writeln!(
                out,
                "{{\"from\":{},\"to\":{},\"kind\":\"{}\",\"confidence\":{},\"provenance\":\"{}\",\"file\":{},\"line\":{}}}",
                quoted(&ids[source]),
                quoted(&ids[edge.target as usize]),
                edge.kind(),
                f64::from(edge.confidence) / 100.0,
                edge.provenance(),
                quoted(paths[source]),
                edge.line
            );
        }
    }
    out
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
