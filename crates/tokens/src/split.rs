//! Cuts a text into the pieces that are encoded one by one, as the patterns of the vocabularies do.
//!
//! The patterns are alternatives that are tried in order; each function here is one or two of them, and says
//! which. A match that would end inside a run of white space leaves the last of it to the next piece.

use crate::classes::class_at;
use crate::layout::{CASELESS, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER};

/// Returns where the piece ends that begins at `at`, by the pattern of a vocabulary.
pub type Cut = fn(&str, usize) -> usize;

/// Cuts as `o200k_base`: words are split where upper case follows lower case, and keep their contraction.
pub fn o200k(text: &str, at: usize) -> usize {
    let Some((class, len)) = class_at(text, at) else { return at };
    match class {
        UPPER | LOWER | CASELESS => cased(text, at).map_or(at + len, |end| contracted(text, end)),
        NUMBER => numbers(text, at),
        _ => {
            // One sign, mark or space before a word belongs to it; a mark may also begin a word.
            let starts = [(class != NEWLINE).then_some(at + len), (class == MARK).then_some(at)];
            let found = starts
                .iter()
                .flatten()
                .find_map(|&start| with_lower(text, start))
                .or_else(|| starts.iter().flatten().find_map(|&start| cased(text, start)));
            found
                .map(|end| contracted(text, end))
                .or_else(|| signs(text, at, b"\r\n/"))
                .unwrap_or_else(|| spaces(text, at))
        }
    }
}

/// Cuts as `cl100k_base`: contractions are pieces, words are letters of any case.
pub fn cl100k(text: &str, at: usize) -> usize {
    let end = contracted(text, at);
    if end > at {
        return end;
    }
    let Some((class, len)) = class_at(text, at) else { return at };
    match class {
        UPPER | LOWER | CASELESS => run(text, at, is_letter),
        NUMBER => numbers(text, at),
        _ => {
            let word = if class == NEWLINE { at } else { run(text, at + len, is_letter) };
            if word > at + len {
                return word;
            }
            signs(text, at, b"\r\n").unwrap_or_else(|| spaces(text, at))
        }
    }
}

fn is_letter(class: u8) -> bool {
    matches!(class, UPPER | LOWER | CASELESS)
}

/// Letters that may stand where upper case is looked for.
fn is_head(class: u8) -> bool {
    matches!(class, UPPER | CASELESS | MARK)
}

/// Letters that may stand where lower case is looked for.
fn is_tail(class: u8) -> bool {
    matches!(class, LOWER | CASELESS | MARK)
}

/// Returns the end of the characters from `at` on whose class is wanted.
fn run(text: &str, mut at: usize, wanted: fn(u8) -> bool) -> usize {
    while let Some((class, len)) = class_at(text, at)
        && wanted(class)
    {
        at += len;
    }
    at
}

/// Matches any heads and at least one tail.
fn with_lower(text: &str, start: usize) -> Option<usize> {
    let (mut at, mut both) = (start, None);
    while let Some((class, len)) = class_at(text, at)
        && is_head(class)
    {
        at += len;
        if class != UPPER {
            both = Some(at);
        }
    }
    // Without lower case the last letter that is head and tail is taken back for the tail.
    let end = run(text, at, is_tail);
    if end > at { Some(end) } else { both }
}

/// Matches heads and tails, at least one of either.
fn cased(text: &str, start: usize) -> Option<usize> {
    let heads = || Some(run(text, start, is_head)).filter(|&end| end > start);
    with_lower(text, start).or_else(heads)
}

/// Returns the end of a contraction such as `'ll`, or `at` where there is none.
fn contracted(text: &str, at: usize) -> usize {
    let Some(rest) = text.as_bytes().get(at..).and_then(|rest| rest.strip_prefix(b"'")) else {
        return at;
    };
    let first = rest.first().map(u8::to_ascii_lowercase);
    let second = rest.get(1).map(u8::to_ascii_lowercase);
    match (first, second) {
        (Some(b's' | b't' | b'm' | b'd'), _) => at + 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => at + 3,
        // The long s is an s, too, when case is not looked at.
        _ if rest.starts_with("ſ".as_bytes()) => at + 3,
        _ => at,
    }
}

/// Matches up to three numbers.
fn numbers(text: &str, mut at: usize) -> usize {
    for _ in 0..3 {
        match class_at(text, at) {
            Some((NUMBER, len)) => at += len,
            _ => break,
        }
    }
    at
}

/// Matches a space before signs, signs and marks, and what of `after` follows them.
fn signs(text: &str, at: usize, after: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = if bytes.get(at) == Some(&b' ') { at + 1 } else { at };
    let mut end = run(text, start, |class| matches!(class, OTHER | MARK));
    if end == start {
        return None;
    }
    while bytes.get(end).is_some_and(|byte| after.contains(byte)) {
        end += 1;
    }
    Some(end)
}

/// Matches white space: up to its last line end, to the end of the text, or all but its last character.
fn spaces(text: &str, start: usize) -> usize {
    let (mut at, mut last, mut line) = (start, start, None);
    while let Some((class @ (SPACE | NEWLINE), len)) = class_at(text, at) {
        last = at;
        at += len;
        if class == NEWLINE {
            line = Some(at);
        }
    }
    match line {
        Some(end) => end,
        None if at == text.len() || last == start => at,
        None => last,
    }
}
