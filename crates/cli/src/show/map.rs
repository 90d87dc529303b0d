//! A map of places on a terminal: paths stand out, numbers stand beside the code.

use super::{Page, counted, grouped};
use contextd_pack::ContextPack;
use owo_colors::OwoColorize as _;

/// Lines after which the rest is only counted.
const MOST: usize = 120;

pub fn pack(page: &mut Page, pack: &ContextPack) {
    let text = contextd_render::pack(pack, "text").unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(MOST) {
        match numbered(line) {
            Some((number, code)) => page.line(format!("{} {code}", format!("{number} │").dimmed())),
            None if line.starts_with("      …") => page.line(line.dimmed().to_string()),
            None if pack.items().any(|item| item.file_rel_path == *line) => {
                page.line(line.bold().to_string());
            }
            None => page.line(line),
        }
    }
    page.more(lines.len().saturating_sub(MOST), "lines", "--format text has all");
    if pack.stats.items > 0 {
        page.gap();
        let (tokens, most) = (pack.stats.tokens, pack.budgets.max_total_tokens);
        let places = counted(u64::from(pack.stats.items), "place");
        let end = format!("{places}, {} of {} tokens", grouped(tokens), grouped(most));
        page.line(end.dimmed().to_string());
    }
}

/// Splits a line of a body into its number, as wide as it is written, and the code.
fn numbered(line: &str) -> Option<(&str, &str)> {
    let digits = line.trim_start_matches(' ').find(|c: char| !c.is_ascii_digit());
    let start = line.len() - line.trim_start_matches(' ').len();
    let end = digits.map_or(line.len(), |at| start + at);
    let rest = &line[end..];
    (start < end && (rest.is_empty() || rest.starts_with(' ')))
        .then(|| (&line[..end], rest.strip_prefix(' ').unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn numbers_are_told_from_names() {
        assert_eq!(numbered("   12   let a = 1;"), Some(("   12", "  let a = 1;")));
        assert_eq!(numbered("   12"), Some(("   12", "")));
        assert_eq!(numbered("  save 1-4"), None);
        assert_eq!(numbered("src/a.rs"), None);
    }
}
