//! Packs for people and for prompts: a line for each item, then its text.

use crate::safe::safe;
use contextd_pack::{ContextItem, ContextPack};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes a pack as text.
pub fn pack(pack: &ContextPack) -> String {
    let mut out = String::new();
    let names: BTreeMap<&str, &str> = pack.items().map(|item| (item.chunk_uid.as_str(), item.name.as_str())).collect();
    for section in pack.sections.iter().filter(|section| !section.items.is_empty()) {
        let _ = writeln!(out, "# {}", section.kind);
        for item in &section.items {
            write_item(&mut out, pack, item, &names);
        }
    }
    out.push_str(&notes(pack));
    if out.is_empty() {
        out.push_str("Nothing was found.\n");
    }
    if let Some(missing) = pack.explain.as_ref().filter(|explain| !explain.not_found.is_empty()) {
        let _ = writeln!(out, "not in the index: {}", safe(&missing.not_found.join(", ")));
    }
    out
}

/// Writes what is declared about the chosen code.
pub fn notes(pack: &ContextPack) -> String {
    let mut out = String::new();
    for note in &pack.notes {
        if out.is_empty() {
            out.push_str("# notes\n");
        }
        let _ = writeln!(out, "{}: {}", note.kind, safe(&note.text));
    }
    out
}

fn write_item(out: &mut String, pack: &ContextPack, item: &ContextItem, names: &BTreeMap<&str, &str>) {
    let _ = writeln!(out, "{}:{}-{} {} {}{}", safe(&item.file_rel_path), item.lines.start, item.lines.end, item.symbol_kind, safe(&item.name), marks(item));
    let reason = why(item);
    if !reason.is_empty() {
        let _ = writeln!(out, "  {}", safe(&reason));
    }
    let calls: Vec<&str> = pack.edges.iter().filter(|edge| edge.from == item.chunk_uid && edge.kind == "calls").filter_map(|edge| names.get(edge.to.as_str()).copied()).take(6).collect();
    if !calls.is_empty() && item.excerpt.detail == "signature" {
        let _ = writeln!(out, "  calls {}", safe(&calls.join(", ")));
    }
    for line in safe(&item.excerpt.text).lines() {
        let _ = writeln!(out, "  {line}");
    }
    if item.excerpt.truncated {
        out.push_str("  …\n");
    }
}

/// What a reader must know about an excerpt.
pub fn marks(item: &ContextItem) -> String {
    let mut marks = String::new();
    if item.stale {
        marks.push_str(" (stale: the file has changed)");
    }
    if item.excerpt.redacted {
        marks.push_str(" (redacted)");
    }
    marks
}

/// Why an item that is no seed is here, in few words.
pub fn why(item: &ContextItem) -> String {
    let Some((step, evidence)) = item.why.path.last().zip(item.why.evidence.last()) else { return String::new() };
    if step.edge_type == "member_of" {
        return format!("holds {}", step.from);
    }
    let guessed = if evidence.certainty == "known" { "" } else { ", guessed" };
    // Whoever the item is in the edge, the other end is worth naming.
    let own = step.from == item.name || step.from == item.file_rel_path;
    let relation = if own { format!("{} {}", step.edge_type, step.to) } else { format!("{} by {}", passive(&step.edge_type), step.from) };
    format!("{relation} ({}{guessed})", evidence.evidence_id)
}

fn passive(edge: &str) -> &str {
    match edge {
        "calls" => "called",
        "references" => "referenced",
        "imports" => "imported",
        "tests" => "tested",
        "documents" => "documented",
        "extends" => "extended",
        "implements" => "implemented",
        "overrides" => "overridden",
        "type_hint_of" => "named as a type",
        "accesses_field" => "accessed",
        "throws" => "thrown",
        other => other,
    }
}
