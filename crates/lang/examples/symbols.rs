//! Prints the symbols of every file below a folder as JSON lines, in the shape of `export symbols`,
//! so that extraction can be compared with other tools before anything is indexed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example reports on the terminal")]

use contextd_lang::{LanguageId, detect, extract};
use contextd_model::FileFacts;
use contextd_model::facts::modifier;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    for root in std::env::args().skip(1).map(PathBuf::from) {
        for file in files(&root) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let path = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().into_owned();
            let language = detect(&path, &text);
            print!("{}", lines(&path, language, &extract(&text, language, &Default::default())));
        }
    }
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => {
                    pending.push(entry.path())
                }
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn lines(path: &str, language: LanguageId, facts: &FileFacts) -> String {
    let mut out = String::new();
    for row in facts.symbols.iter().skip(1) {
        let (name, qualified) = (facts.str(row.name), facts.str(row.qualified));
        let _ = writeln!(
            out,
            "{{\"symbolId\":{:?},\"qualifiedName\":{},\"name\":{},\"kind\":\"{}\",\"language\":\"{}\",\"file\":{},\"startLine\":{},\"endLine\":{},\"visibility\":\"{}\",\"test\":{}}}",
            row.start.to_string(),
            quoted(qualified),
            quoted(name),
            row.kind(),
            language.name(),
            quoted(path),
            row.start_line,
            row.end_line,
            row.visibility(),
            row.has(modifier::TEST)
        );
    }
    out
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
