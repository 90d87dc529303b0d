//! Facts as text, for tests and for looking at what an extractor found.

use crate::registry::LanguageId;
use contextd_model::FileFacts;
use contextd_model::facts::{RefRow, SymbolRow, binding, import_kind, modifier};
use std::fmt::Write;

/// Writes the facts one to a line, in a form that reads well in a case file.
pub fn dump(facts: &FileFacts) -> String {
    let mut out = String::new();
    if !facts.package.is_empty() {
        let _ = writeln!(out, "package {}", facts.str(facts.package));
    }
    for row in facts.symbols.iter().skip(1) {
        symbol(&mut out, facts, row);
    }
    for row in &facts.imports {
        let kind = ["module", "name", "wildcard", "reexport", "reexport_all", "include"]
            [usize::from(row.kind.min(import_kind::INCLUDE))];
        let _ = writeln!(
            out,
            "import {kind} {:?} {:?} as {:?}",
            facts.str(row.module),
            facts.str(row.name),
            facts.str(row.alias)
        );
    }
    for row in &facts.bases {
        let kind = ["extends", "implements", "mixin"][usize::from(row.kind.min(2))];
        let _ = writeln!(
            out,
            "base {} {kind} {}",
            owner(facts, row.owner),
            joined(facts.str(row.qualifier), facts.str(row.name))
        );
    }
    for row in &facts.bindings {
        let how = ["parameter", "declared", "constructed", "called", "alias", "receiver", "scope"]
            [usize::from(row.how.min(binding::SCOPE))];
        let _ = writeln!(
            out,
            "bind {} {} {how} {}",
            owner(facts, row.owner),
            facts.str(row.name),
            facts.str(row.type_text)
        );
    }
    for row in &facts.refs {
        reference(&mut out, facts, row);
    }
    for row in &facts.chunks {
        let language = if row.language == 255 {
            String::new()
        } else {
            format!(" [{}]", LanguageId(row.language).name())
        };
        let _ = writeln!(
            out,
            "chunk {} {:?} {}-{} ~{}{language}",
            row.kind(),
            facts.str(row.label),
            row.start_line,
            row.end_line,
            row.tokens
        );
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn symbol(out: &mut String, facts: &FileFacts, row: &SymbolRow) {
    let _ = write!(
        out,
        "{} {} {}-{} {}",
        row.kind(),
        facts.str(row.qualified),
        row.start_line,
        row.end_line,
        row.visibility()
    );
    for (bit, word) in [
        (modifier::ASYNC, "async"),
        (modifier::STATIC, "static"),
        (modifier::TEST, "test"),
        (modifier::LOCAL, "local"),
        (modifier::DECLARATION, "declaration"),
        (modifier::EXPORTED, "exported"),
        (modifier::EXPECTED, "expected"),
        (modifier::REFUSED, "refused"),
        (modifier::TITLE, "title"),
        (modifier::LOWERED, "lowered"),
        (modifier::SPECIALIZED, "specialized"),
    ] {
        if row.has(bit) {
            let _ = write!(out, " {word}");
        }
    }
    if row.complexity > 1 {
        let _ = write!(out, " complexity={}", row.complexity);
    }
    for (label, id) in [
        ("type", row.type_text),
        ("generics", row.generics),
        ("annotations", row.annotations),
        ("doc", row.doc),
    ] {
        if !id.is_empty() {
            let _ = write!(out, " {label}={:?}", facts.str(id));
        }
    }
    let _ = writeln!(out, " `{}`", facts.str(row.signature));
}

fn reference(out: &mut String, facts: &FileFacts, row: &RefRow) {
    let _ = write!(
        out,
        "ref {} {} {}",
        owner(facts, row.owner),
        row.kind(),
        joined(facts.str(row.qualifier), facts.str(row.name))
    );
    if row.arguments != 255 {
        let _ = write!(out, "/{}", row.arguments);
    }
    let _ = writeln!(out, " @{}", row.line);
}

fn owner(facts: &FileFacts, index: u32) -> &str {
    match facts.symbols.get(index as usize) {
        Some(row) if index > 0 => facts.str(row.qualified),
        _ => "-",
    }
}

fn joined(qualifier: &str, name: &str) -> String {
    if qualifier.is_empty() { name.to_owned() } else { format!("{qualifier}.{name}") }
}
