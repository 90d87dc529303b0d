//! Credentials in headers and in files of fixed form.

use std::ops::Range;

use super::base64::is_credential_pair;
use super::charset::{any64, hex, word};
use super::rule::{Found, Hit};
use super::url::is_credential;
use super::value::{Class, looks_secret};

/// Returns the token after `Bearer `.
pub(super) fn find_bearer(hit: &Hit<'_>) -> Option<Found> {
    let range = run(hit, |byte| any64(byte) || matches!(byte, b'.' | b'~'))?;
    let value = hit.text.get(range.clone())?;
    (hit.begins_word() && value.len() >= 16 && looks_secret(value, Class::Token))
        .then_some(Found { range, id: None })
}

/// Returns the pair after `Basic `, if it decodes to one.
pub(super) fn find_basic(hit: &Hit<'_>) -> Option<Found> {
    let range = run(hit, any64)?;
    let value = hit.text.get(range.clone())?;
    (hit.begins_word() && value.len() >= 8 && is_credential_pair(value))
        .then_some(Found { range, id: None })
}

/// Returns the pair of `"auth": "…"`, as container registries store it.
pub(super) fn find_registry_auth(hit: &Hit<'_>) -> Option<Found> {
    let bytes = hit.bytes();
    let gap = bytes[hit.end..]
        .iter()
        .take(8)
        .take_while(|byte| matches!(byte, b' ' | b':' | b'"' | b'='))
        .count();
    let value = run(&Hit { end: hit.end + gap, ..*hit }, any64)?;
    let pair = hit.text.get(value.clone())?;
    (gap > 0 && pair.len() >= 8 && is_credential_pair(pair))
        .then_some(Found { range: value, id: None })
}

/// Returns the password of `curl … -u user:password`.
pub(super) fn find_curl_user(hit: &Hit<'_>) -> Option<Found> {
    let rest = hit.text.get(hit.end..hit.line().end)?;
    let flag = [" -u ", " --user ", " --user="]
        .iter()
        .filter_map(|flag| rest.find(flag).map(|at| at + flag.len()));
    let from = flag.min().or_else(|| rest.starts_with("-u ").then_some(3))?;
    let from =
        from + rest[from..].bytes().take_while(|byte| matches!(byte, b' ' | b'"' | b'\'')).count();
    let pair =
        rest[from..].split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')).next()?;
    let (user, password) = pair.split_once(':')?;
    let end = hit.end + from + pair.len();
    is_credential(user, password).then_some(Found { range: end - password.len()..end, id: None })
}

/// Returns an Airtable token; the prefix is so common that a pattern would cost too much.
pub(super) fn find_airtable(hit: &Hit<'_>) -> Option<Found> {
    let bytes = hit.bytes();
    let (dot, end) = (hit.start + 17, hit.start + 18 + 64);
    if bytes.get(dot) != Some(&b'.') || !hit.begins_word() {
        return None;
    }
    let id = bytes.get(hit.end..dot)?.iter().all(u8::is_ascii_alphanumeric);
    let secret = bytes.get(dot + 1..end)?.iter().all(|&byte| hex(byte));
    let ends = bytes.get(end).is_none_or(|&byte| !word(byte));
    (id && secret && ends).then_some(Found { range: hit.start..end, id: None })
}

fn run(hit: &Hit<'_>, charset: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    let length =
        hit.bytes()[hit.end..].iter().take(4096).take_while(|&&byte| charset(byte)).count();
    (length > 0).then_some(hit.end..hit.end + length)
}
