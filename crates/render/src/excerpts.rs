//! Lines under their definitions as text.

use crate::safe::safe;
use contextd_ops::Excerpts;
use std::fmt::Write as _;

/// Writes places file by file, each with its numbered lines.
pub fn text(answer: &Excerpts) -> String {
    let mut out = String::new();
    let mut file = "";
    for place in &answer.places {
        if place.file != file {
            let _ = writeln!(out, "{}", safe(&place.file));
            file = &place.file;
        }
        let stale = if place.stale { " (stale: the file has changed)" } else { "" };
        if !place.symbol.is_empty() {
            let range = format!("{}-{}", place.start_line, place.end_line);
            let _ = writeln!(out, "  {} {range}{stale}", safe(&place.symbol));
        }
        for line in &place.lines {
            let text = format!("{:5} {}", line.number, safe(&line.text));
            let _ = writeln!(out, "{}", text.trim_end());
        }
    }
    for missing in &answer.not_found {
        let near = match missing.near.as_slice() {
            [] => String::new(),
            near => format!(" (near: {})", near.join(", ")),
        };
        let _ = writeln!(out, "not in the index: {}{}", safe(&missing.asked), safe(&near));
    }
    if out.is_empty() {
        let _ = writeln!(out, "Nothing was found.");
    }
    if !answer.hint.is_empty() {
        let _ = writeln!(out, "{}", safe(&answer.hint));
    }
    out
}
