//! The part of a text, or of a difference, that is worth showing.

use contextd_history::{Hunk, line_hunks};
use contextd_pack::texts::cut;
use std::fmt::Write as _;

/// Lines, first and last.
pub type Lines = (u32, u32);

/// Returns lines of a text, at most `most` bytes of them.
pub fn lines(text: &str, (first, last): Lines, most: usize) -> String {
    let count = (last + 1).saturating_sub(first) as usize;
    let part: Vec<&str> = text.lines().skip(first.saturating_sub(1) as usize).take(count).collect();
    let least = part
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let dedented: Vec<&str> = part.iter().map(|line| line.get(least..).unwrap_or("")).collect();
    cut(&dedented.join("\n"), most).0.to_owned()
}

/// Returns the unified difference of two texts with so many lines of context, at most `most` bytes;
/// `within` (old lines, new lines) leaves out what lies elsewhere.
pub fn unified(
    old: &str,
    new: &str,
    within: Option<(Lines, Lines)>,
    context: u32,
    most: usize,
) -> String {
    let hunks = line_hunks(old.as_bytes(), new.as_bytes()).unwrap_or_default();
    let touches = |hunk: &Hunk| {
        within.is_none_or(|(old, new)| {
            hunk.old.touches(old.0, old.1) || hunk.new.touches(new.0, new.1)
        })
    };
    let wanted: Vec<Hunk> = hunks.into_iter().filter(touches).collect();
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let bounds = within.map_or((1, new.len() as u32), |(_, new)| new);
    let mut out = String::new();
    let mut shown = 0;
    for (at, hunk) in wanted.iter().enumerate() {
        let before = hunk.new.start.saturating_sub(context).max(bounds.0).max(shown + 1);
        if before > shown + 1 || at == 0 {
            let _ = writeln!(out, "@@ -{} +{} @@", hunk.old.start, hunk.new.start);
        }
        push(&mut out, ' ', &new, before, hunk.new.start);
        push(&mut out, '-', &old, hunk.old.start, hunk.old.end());
        push(&mut out, '+', &new, hunk.new.start, hunk.new.end());
        let next = wanted.get(at + 1).map_or(u32::MAX, |next| next.new.start);
        let after = (hunk.new.end() + context).min(next).min(bounds.1 + 1);
        push(&mut out, ' ', &new, hunk.new.end(), after);
        shown = after.max(hunk.new.end()) - 1;
        if out.len() > most {
            break;
        }
    }
    cut(out.trim_end(), most).0.to_owned()
}

fn push(out: &mut String, mark: char, lines: &[&str], from: u32, to: u32) {
    for line in (from..to).filter_map(|number| lines.get(number as usize - 1)) {
        let _ = writeln!(out, "{mark}{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_shown_with_their_surroundings() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nC\nd\ne\nf\ng\nh\ni\n";
        assert_eq!(
            unified(old, new, None, 1, 999),
            "@@ -3 +3 @@\n b\n-c\n+C\n d\n@@ -9 +9 @@\n h\n+i"
        );
        assert_eq!(unified(old, new, Some(((1, 4), (1, 4))), 0, 999), "@@ -3 +3 @@\n-c\n+C");
        assert_eq!(unified(old, old, None, 1, 999), "");
        assert_eq!(lines("  a\n    b\n c", (1, 2), 99), "a\n  b");
    }
}
