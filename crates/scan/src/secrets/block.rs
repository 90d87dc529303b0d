//! Private keys in armour: PEM, OpenSSH, PGP, PuTTY.

use std::ops::Range;

use super::charset::any64;
use super::rule::{Found, Hit};

/// Longest key that is looked for.
const LONGEST: usize = 64 << 10;
/// `-----BEGIN`, the kind of key and the dashes after it are not longer.
const LONGEST_LABEL: usize = 80;
/// A real key has at least one run of base64 this long.
const SHORTEST_RUN: usize = 24;

/// Returns the block that `hit`, a `-----BEGIN`, opens, if it is a private key with a body.
pub(super) fn find_armour(hit: &Hit<'_>) -> Option<Found> {
    let text = hit.text;
    let to = text.floor_char_boundary((hit.end + LONGEST).min(text.len()));
    let block = &text[hit.start..to];
    let (label, _) =
        block[hit.end - hit.start..block.floor_char_boundary(LONGEST_LABEL)].split_once("-----")?;
    if !label.contains("PRIVATE KEY") || label.contains('\n') {
        return None;
    }
    let body_at = (hit.end - hit.start) + label.len() + "-----".len();
    let body = block.get(body_at..)?;
    // Where another block begins, this one has ended; it also keeps many openings from being read many times.
    let body = body.split("-----BEGIN").next().unwrap_or(body);
    let end_marker = format!("-----END{label}-----");
    let range = match body.find(&end_marker) {
        Some(at) => has_key_material(&body[..at]).then_some(0..body_at + at + end_marker.len()),
        None => unfinished(body).map(|length| 0..body_at + length),
    }?;
    Some(Found { range: shift(range, hit.start), id: None })
}

/// Returns the private lines of a PuTTY key; `hit` is `Private-Lines:`.
pub(super) fn find_putty(hit: &Hit<'_>) -> Option<Found> {
    let to = hit.text.floor_char_boundary((hit.end + LONGEST).min(hit.text.len()));
    let rest = &hit.text[hit.end..to];
    let body_at = rest.find('\n')? + 1;
    let length = key_lines(&rest[body_at..]);
    (length > 0).then(|| Found { range: shift(body_at..body_at + length, hit.end), id: None })
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn has_key_material(body: &str) -> bool {
    body.split(|c: char| !c.is_ascii() || !any64(c as u8))
        .any(|run| run.len() >= SHORTEST_RUN && run.bytes().any(|byte| byte != run.as_bytes()[0]))
}

/// A key cut off before its end: the lines of base64 that follow.
fn unfinished(body: &str) -> Option<usize> {
    let first_line = body.find('\n').map_or(body.len(), |at| at + 1);
    let length = first_line + key_lines(&body[first_line..]);
    has_key_material(&body[..length]).then_some(length)
}

/// Returns the length of the leading lines that are nothing but base64, without the last line feed.
fn key_lines(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '+' | '\\' | '#' | '*')
        });
        if content.len() < 4 || !content.bytes().all(any64) {
            break;
        }
        length += line.len();
    }
    text[..length].trim_end().len()
}
