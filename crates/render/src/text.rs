//! Packs for people and for prompts: a line for each item, then its text.

use crate::safe::safe;
use contextd_pack::{ContextItem, ContextPack};
use std::fmt::Write as _;

/// Writes a pack as text: a heading a section, a line a file, then its items in their order.
pub fn pack(pack: &ContextPack) -> String {
    if pack.layout == "map" {
        return crate::map::pack(pack);
    }
    let mut out = String::new();
    for section in pack.sections.iter().filter(|section| !section.items.is_empty()) {
        let _ = writeln!(out, "# {}", section.kind);
        let mut files: Vec<&str> = Vec::new();
        for item in &section.items {
            if !files.contains(&item.file_rel_path.as_str()) {
                files.push(&item.file_rel_path);
            }
        }
        for file in files {
            if !file.is_empty() {
                let _ = writeln!(out, "{}", safe(file));
            }
            section
                .items
                .iter()
                .filter(|item| item.file_rel_path == file)
                .for_each(|item| write_item(&mut out, item));
        }
    }
    out.push_str(&notes(pack));
    if out.is_empty() {
        let _ = writeln!(out, "{}", pack.nothing());
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

/// A declaration stands on the line of its number, with its scopes before its name; a body below it.
fn write_item(out: &mut String, item: &ContextItem) {
    let reason = short_why(item);
    let place =
        if item.lines.start == 0 { String::new() } else { format!("{} ", item.lines.start) };
    match item.excerpt.detail.as_str() {
        "signature" if item.kind == "symbol" => {
            let _ =
                writeln!(out, "{place}{}{reason}{}", safe(&one_line(&scoped(item))), marks(item));
        }
        "held" | "known" => {
            let _ = writeln!(out, "{place}{} (held){}", safe(&item.name), marks(item));
        }
        // The file's own line names it already.
        "signature" if item.symbol_kind == "file" => {
            let _ = writeln!(out, "{place}the file{reason}{}", marks(item));
        }
        _ => {
            let named_above =
                item.name == file_name(&item.file_rel_path) || item.name == item.file_rel_path;
            let name = if named_above || item.kind == "commit" { "" } else { &item.name };
            let head = format!("{place}{}{reason}{}", safe(name), marks(item));
            if !head.is_empty() {
                let _ = writeln!(out, "{head}:");
            }
            for line in safe(item.excerpt.text.trim_end()).lines() {
                let _ = writeln!(out, " {line}");
            }
        }
    }
    if item.excerpt.truncated {
        out.push_str(" …\n");
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the declaration with the scopes before its name, where it has any.
fn scoped(item: &ContextItem) -> String {
    let text = item.excerpt.text.as_str();
    let Some((scopes, name)) = item.name.rsplit_once('.') else { return text.to_owned() };
    let boundary = |at: usize| {
        !text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            && !text[at + name.len()..]
                .starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    };
    match text.match_indices(name).map(|(at, _)| at).find(|&at| boundary(at)) {
        Some(at) => format!("{}{scopes}.{}", &text[..at], &text[at..]),
        None => format!("{} {text}", item.name),
    }
}

/// Why an item that is no seed is here, as short as it can be said.
fn short_why(item: &ContextItem) -> String {
    let Some((step, evidence)) = item.why.path.last().zip(item.why.evidence.last()) else {
        return String::new();
    };
    if step.kind == "member_of" {
        return String::new();
    }
    let sure = if evidence.certainty == "known" { "" } else { "?" };
    let own = step.from == item.name || step.from == item.file_rel_path;
    let last = |name: &str| {
        if name.contains('/') {
            file_name(name).to_owned()
        } else {
            name.rsplit('.').next().unwrap_or(name).to_owned()
        }
    };
    if own {
        format!(" [{}{sure} {}]", step.kind, safe(&last(&step.to)))
    } else {
        format!(" [{}{sure} by {}]", passive(&step.kind), safe(&last(&step.from)))
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
    let Some((step, evidence)) = item.why.path.last().zip(item.why.evidence.last()) else {
        return String::new();
    };
    if step.kind == "member_of" {
        return format!("holds {}", step.from);
    }
    let guessed = if evidence.certainty == "known" { "" } else { ", guessed" };
    // Whoever the item is in the edge, the other end is worth naming.
    let own = step.from == item.name || step.from == item.file_rel_path;
    let relation = if own {
        format!("{} {}", step.kind, step.to)
    } else {
        format!("{} by {}", passive(&step.kind), step.from)
    };
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
