//! Facts of the old side against facts of the new side.

use super::sides::FileSides;
use crate::engine::Engine;
use contextd_lang::LanguageId;
use contextd_model::facts::modifier;
use contextd_model::{FileFacts, SymbolKind, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// What happened to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SymbolChange {
    Added,
    Removed,
    /// Its declaration differs: parameters, types, modifiers, annotations.
    Signature,
    /// Its declaration is the same, what it does is not.
    Body,
    /// Only its documentation in front of it differs.
    Doc,
}

impl SymbolChange {
    /// Returns the word used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            SymbolChange::Added => "added",
            SymbolChange::Removed => "removed",
            SymbolChange::Signature => "signature",
            SymbolChange::Body => "body",
            SymbolChange::Doc => "doc",
        }
    }
}

/// One symbol that differs.
#[derive(Clone, Debug)]
pub struct Compared {
    pub change: SymbolChange,
    pub name: String,
    pub kind: SymbolKind,
    pub language: LanguageId,
    pub visibility: Visibility,
    pub modifiers: u32,
    pub lines: (u32, u32),
    pub old_lines: (u32, u32),
    pub signature: String,
    pub before: String,
}

/// What differs in one file.
#[derive(Clone, Debug, Default)]
pub struct ComparedFile {
    pub symbols: Vec<Compared>,
    /// Text outside of every symbol differs.
    pub loose: bool,
}

/// Compares the two sides of a file symbol by symbol.
pub fn compare(engine: &Engine, file: &FileSides) -> ComparedFile {
    if !file.is_shown() {
        return ComparedFile::default();
    }
    let old = file
        .old
        .as_deref()
        .map(|text| Side::of(engine, file.change.old_path().unwrap_or_default(), text));
    let new = file
        .new
        .as_deref()
        .map(|text| Side::of(engine, file.change.new_path().unwrap_or_default(), text));
    let (empty_old, empty_new) = (Side::default(), Side::default());
    let (old, new) = (old.as_ref().unwrap_or(&empty_old), new.as_ref().unwrap_or(&empty_new));
    let mut symbols = Vec::new();
    let keys: BTreeSet<&Key> = old.units.keys().chain(new.units.keys()).collect();
    for key in keys {
        pair(
            old.units.get(key).map_or(&[], Vec::as_slice),
            new.units.get(key).map_or(&[], Vec::as_slice),
            &mut symbols,
        );
    }
    symbols.sort_by(|a, b| {
        (a.lines, &a.name, a.kind, a.change).cmp(&(b.lines, &b.name, b.kind, b.change))
    });
    ComparedFile { symbols, loose: old.loose != new.loose }
}

/// Symbols are the same when they have one qualified name and kind; several of them are told apart by what they say.
type Key = (String, SymbolKind);

/// A symbol with what is compared.
struct Unit {
    declaration: String,
    /// Its text without the members that are compared by themselves.
    own: String,
    doc: String,
    shown: Compared,
}

/// One side of a file.
#[derive(Default)]
struct Side {
    units: BTreeMap<Key, Vec<Unit>>,
    loose: String,
}

impl Side {
    fn of(engine: &Engine, path: &str, text: &str) -> Side {
        let language = contextd_lang::detect(path, text);
        let facts =
            contextd_lang::extract(text, language, engine.config.chunking.of(language.name()));
        let reported: Vec<bool> = (0..facts.symbols.len()).map(|at| is_unit(&facts, at)).collect();
        let mut side =
            Side { loose: folded(&own_text(text, &facts, 0, &reported), true), ..Side::default() };
        for at in (1..facts.symbols.len()).filter(|&at| reported[at]) {
            let unit = unit(text, &facts, at, &reported, language);
            side.units.entry((unit.shown.name.clone(), unit.shown.kind)).or_default().push(unit);
        }
        side
    }
}

/// Symbols of code that are not local to a callable: what is inside one is its body.
fn is_unit(facts: &FileFacts, at: usize) -> bool {
    let row = &facts.symbols[at];
    let kind = row.kind();
    if at == 0 || !kind.is_code() || row.has(modifier::LOCAL) || kind == SymbolKind::Namespace {
        return false;
    }
    let mut parent = row.parent as usize;
    while let Some(above) = facts.symbols.get(parent).filter(|_| parent != 0) {
        // A field that a constructor sets is seen in the constructor.
        if above.kind().is_callable() || is_value(above.kind()) {
            return false;
        }
        parent = above.parent as usize;
    }
    // Fields that are only seen inside a method belong to the type but are part of the method's text.
    !is_value(kind)
        || !facts.symbols.iter().any(|other| {
            other.kind().is_callable() && other.start < row.start && row.end <= other.end
        })
}

fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::Variant
            | SymbolKind::Variable
            | SymbolKind::Constant
    )
}

fn unit(text: &str, facts: &FileFacts, at: usize, reported: &[bool], language: LanguageId) -> Unit {
    let row = &facts.symbols[at];
    let holds = !row.kind().is_callable() && !is_value(row.kind());
    let declaration = if is_value(row.kind()) {
        format!("{} {} {}", facts.str(row.type_text), row.visibility, row.modifiers)
    } else {
        folded(part(text, row.start, row.body_start), false)
    };
    let own = if holds {
        folded(&own_text(text, facts, at, reported), true)
    } else {
        lines_of(part(text, row.start, row.end))
    };
    let lines = (line_at(text, row.doc_start.min(row.start)).min(row.start_line), row.end_line);
    let shown = Compared {
        change: SymbolChange::Added,
        name: facts.str(row.qualified).to_owned(),
        kind: row.kind(),
        language,
        visibility: row.visibility(),
        modifiers: row.modifiers,
        lines,
        old_lines: lines,
        signature: facts.str(row.signature).to_owned(),
        before: String::new(),
    };
    Unit { declaration, own, doc: folded(part(text, row.doc_start, row.start), false), shown }
}

/// The text of a symbol without that of the members that stand for themselves.
fn own_text(text: &str, facts: &FileFacts, at: usize, reported: &[bool]) -> String {
    let row = &facts.symbols[at];
    let (mut out, mut from) = (String::new(), if at == 0 { 0 } else { row.start });
    let end = if at == 0 { text.len() as u32 } else { row.end };
    let inside = |other: usize| {
        at == 0 || facts.symbols[other].start >= row.start && facts.symbols[other].end <= row.end
    };
    for member in (at + 1..facts.symbols.len()).filter(|&other| reported[other] && inside(other)) {
        let (start, stop) = (
            facts.symbols[member].doc_start.min(facts.symbols[member].start),
            facts.symbols[member].end,
        );
        if start >= from {
            out.push_str(part(text, from, start));
            from = stop;
        }
    }
    out.push_str(part(text, from, end));
    out
}

/// White space is folded; in texts with members taken out, separators and blanks between them say nothing.
fn folded(text: &str, members_out: bool) -> String {
    if members_out {
        return text
            .chars()
            .filter(|letter| !letter.is_whitespace() && !matches!(letter, ',' | ';'))
            .collect();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines without blank ones and without the indentation of the first.
fn lines_of(text: &str) -> String {
    let rest: Vec<&str> = text.lines().skip(1).filter(|line| !line.trim().is_empty()).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least = rest.iter().map(|line| indent(line)).min().unwrap_or(0);
    let mut out = text.lines().next().unwrap_or("").trim().to_owned();
    for line in rest {
        out.push('\n');
        out.push_str(line.get(least..).unwrap_or(line).trim_end());
    }
    out
}

fn part(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..(end.max(start) as usize).min(text.len())).unwrap_or("")
}

fn line_at(text: &str, offset: u32) -> u32 {
    part(text, 0, offset).bytes().filter(|&byte| byte == b'\n').count() as u32 + 1
}

/// Pairs symbols of one name: equal ones first, then those with an equal declaration, then in order.
fn pair(old: &[Unit], new: &[Unit], found: &mut Vec<Compared>) {
    let mut old: Vec<&Unit> = old.iter().collect();
    let mut new: Vec<&Unit> = new.iter().collect();
    type Same = fn(&Unit, &Unit) -> bool;
    let ways: [Same; 3] = [
        |a, b| a.declaration == b.declaration && a.own == b.own && a.doc == b.doc,
        |a, b| a.declaration == b.declaration,
        |_, _| true,
    ];
    for same in ways {
        let mut rest = Vec::new();
        for unit in new {
            match old.iter().position(|other| same(other, unit)) {
                Some(place) => found.extend(difference(old.remove(place), unit)),
                None => rest.push(unit),
            }
        }
        new = rest;
    }
    found.extend(new.into_iter().map(|unit| unit.shown.clone()));
    found.extend(
        old.into_iter()
            .map(|unit| Compared { change: SymbolChange::Removed, ..unit.shown.clone() }),
    );
}

fn difference(old: &Unit, new: &Unit) -> Option<Compared> {
    let change = if old.declaration != new.declaration {
        SymbolChange::Signature
    } else if old.own != new.own {
        SymbolChange::Body
    } else if old.doc != new.doc {
        SymbolChange::Doc
    } else {
        return None;
    };
    let before =
        if change == SymbolChange::Signature { old.shown.signature.clone() } else { String::new() };
    Some(Compared { change, old_lines: old.shown.lines, before, ..new.shown.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_of_a_whole_body_says_nothing() {
        assert_eq!(lines_of("def f():\n    a\n\n      b  "), lines_of("def f():\n  a\n    b"));
        assert_ne!(lines_of("def f():\n  a\n  b"), lines_of("def f():\n  a\n    b"));
        assert_eq!(folded("a , b\n;", true), "ab");
    }
}
