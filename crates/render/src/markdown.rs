//! Packs as Markdown.

use crate::safe::safe;
use crate::text::{marks, why};
use contextd_pack::ContextPack;
use std::fmt::Write as _;

/// Writes a pack as Markdown: a heading for each section and item, code in fences.
pub fn pack(pack: &ContextPack) -> String {
    let mut out = String::new();
    for section in pack.sections.iter().filter(|section| !section.items.is_empty()) {
        let _ = writeln!(out, "## {}\n", section.kind);
        for item in &section.items {
            let _ = writeln!(
                out,
                "### `{}` {}:{}-{}{}\n",
                safe(&item.name),
                safe(&item.file_rel_path),
                item.lines.start,
                item.lines.end,
                marks(item)
            );
            let reason = why(item);
            if !reason.is_empty() {
                let _ = writeln!(out, "{}\n", safe(&reason));
            }
            // Lines that are left out are marked, and numbers say which are shown.
            let text = if item.excerpt.detail == "lines" {
                crate::map::numbered(item)
            } else {
                safe(&item.excerpt.text).into_owned()
            };
            let fence = fence(&text);
            let language = if item.language_id == "text" { "" } else { &item.language_id };
            let more = if item.excerpt.truncated { "\n…" } else { "" };
            let _ = writeln!(out, "{fence}{language}\n{}{more}\n{fence}\n", text.trim_end());
        }
    }
    if !pack.notes.is_empty() {
        out.push_str("## notes\n\n");
        for note in &pack.notes {
            let _ = writeln!(out, "- {}: {}", note.kind, safe(&note.text));
        }
    }
    if out.is_empty() {
        let _ = writeln!(out, "{}", pack.nothing());
    }
    out
}

/// Returns a fence longer than any in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn fences_are_longer_than_those_inside() {
        assert_eq!(super::fence("a"), "```");
        assert_eq!(super::fence("a ````x```` b"), "`````");
    }
}
