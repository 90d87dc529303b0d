//! A map of places as text: files, in each the definitions with their ranges, and numbered bodies.

use crate::safe::safe;
use crate::text::marks;
use contextd_pack::{ContextItem, ContextPack};
use std::fmt::Write as _;

/// Longest range that parts are put together to, in lines.
const LONGEST_RANGE: u32 = 119;
/// Longest declaration on the line of a place, in characters.
const DECLARATION: usize = 80;

/// Writes a pack as a map. Files stand in the order of their best places, places in the order of lines.
pub fn pack(pack: &ContextPack) -> String {
    let mut out = String::new();
    let mut files: Vec<&str> = Vec::new();
    for item in pack.items().filter(|item| !item.file_rel_path.is_empty()) {
        if !files.contains(&item.file_rel_path.as_str()) {
            files.push(&item.file_rel_path);
        }
    }
    for file in files {
        let _ = writeln!(out, "{}", safe(file));
        let mut places: Vec<&ContextItem> =
            pack.items().filter(|item| item.file_rel_path == file).collect();
        places.sort_by_key(|item| (item.lines.start, std::cmp::Reverse(item.lines.end)));
        let mut around: Vec<&ContextItem> = Vec::new();
        for parts in by_definition(&places) {
            let first = parts[0];
            around.retain(|outer| outer.lines.end >= first.lines.end && !parts.contains(outer));
            write_place(&mut out, &parts, around.last().copied());
            around.push(first);
        }
    }
    out.push_str(&crate::text::notes(pack));
    if out.is_empty() {
        let _ = writeln!(out, "{}", pack.nothing());
    }
    out.push_str(&end(pack));
    out
}

/// Puts windows of one function together, where the first of them stands.
fn by_definition<'a>(places: &[&'a ContextItem]) -> Vec<Vec<&'a ContextItem>> {
    let mut found: Vec<Vec<&ContextItem>> = Vec::new();
    for place in places {
        let same = |parts: &&mut Vec<&ContextItem>| {
            parts[0].name == place.name
                && parts[0].kind == "chunk"
                && place.kind == "chunk"
                && parts.last().is_some_and(|last| last.lines.end < place.lines.start)
        };
        match found.iter_mut().find(same) {
            Some(parts) => parts.push(place),
            None => found.push(vec![place]),
        }
    }
    found
}

/// Writes the name and ranges of a place, and its bodies below. Inside of another place its scopes are
/// known.
fn write_place(out: &mut String, parts: &[&ContextItem], around: Option<&ContextItem>) {
    let item = parts[0];
    let indent = if around.is_some() { "    " } else { "  " };
    let name = place_name(item, around);
    let declaration = match item.excerpt.detail.as_str() {
        "signature" if item.kind == "symbol" => declaration(item),
        "held" | "known" => "(sent before)".to_owned(),
        _ => String::new(),
    };
    let line = format!("{indent}{} {}  {declaration}", safe(&name), ranges(parts));
    let _ = writeln!(out, "{}{}", line.trim_end(), marks(item));
    let shown: Vec<&ContextItem> =
        parts.iter().copied().filter(|part| part.excerpt.detail == "lines").collect();
    out.push_str(&numbered_parts(&shown));
}

/// Returns the ranges of the parts; those that follow one another are one, up to a screen or three.
fn ranges(parts: &[&ContextItem]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for part in parts {
        match ranges.last_mut() {
            Some((first, last))
                if *last + 1 == part.lines.start && part.lines.end - *first < LONGEST_RANGE =>
            {
                *last = part.lines.end;
            }
            _ => ranges.push((part.lines.start, part.lines.end)),
        }
    }
    let texts: Vec<String> = ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    texts.join(", ")
}

fn place_name(item: &ContextItem, around: Option<&ContextItem>) -> String {
    let own = item.file_rel_path.rsplit('/').next().unwrap_or_default();
    if item.symbol_kind == "file" || item.name == own {
        return "lines".to_owned();
    }
    let outer = around.map(|outer| format!("{}.", outer.name)).unwrap_or_default();
    item.name.strip_prefix(&outer).filter(|rest| !rest.is_empty()).unwrap_or(&item.name).to_owned()
}

/// Returns the declaration on one line, cut at a word.
fn declaration(item: &ContextItem) -> String {
    let line = item.excerpt.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= DECLARATION {
        return safe(&line).into_owned();
    }
    let cut: String = line.chars().take(DECLARATION).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before);
    format!("{} …", safe(cut))
}

/// Writes the lines of a body with their numbers, and what is left out between them.
pub fn numbered(item: &ContextItem) -> String {
    numbered_parts(&[item])
}

/// Writes the lines of parts of one definition, in order, as one body.
fn numbered_parts(parts: &[&ContextItem]) -> String {
    let mut out = String::new();
    // Single lines are what a search would show: nobody takes them for the whole.
    let is_body = parts.iter().flat_map(|part| &part.excerpt.lines).any(|run| run.start < run.end);
    let mut next = parts.first().map_or(0, |part| part.lines.start);
    for part in parts {
        let mut lines = part.excerpt.text.split('\n');
        for run in &part.excerpt.lines {
            if is_body {
                left_out(&mut out, next, run.start);
            }
            for number in run.start..=run.end {
                let Some(line) = lines.next() else { break };
                let _ = writeln!(out, "{}", format!("{number:5} {}", safe(line)).trim_end());
            }
            next = run.end + 1;
        }
    }
    let end = parts.last().map_or(0, |part| part.lines.end + 1);
    if is_body {
        left_out(&mut out, next, end);
    }
    out
}

fn left_out(out: &mut String, from: u32, to: u32) {
    if to > from {
        let _ = writeln!(out, "      … {} lines", to - from);
    }
}

/// Says which guesses stand nowhere, what was left out, and how to get more.
fn end(pack: &ContextPack) -> String {
    let mut out = String::new();
    let Some(explain) = &pack.explain else { return out };
    if !explain.names_not_found.is_empty() {
        let names: Vec<String> = explain
            .names_not_found
            .iter()
            .map(|(name, near)| match near.as_slice() {
                [] => name.clone(),
                near => format!("{name} (near: {})", near.join(", ")),
            })
            .collect();
        let _ = writeln!(out, "not in the index: {}", safe(&names.join("; ")));
    } else if !explain.not_found.is_empty() {
        let _ = writeln!(out, "not in the index: {}", safe(&explain.not_found.join(", ")));
    }
    if !explain.hint.is_empty() {
        let _ = writeln!(out, "{}", safe(&explain.hint));
    }
    out
}
