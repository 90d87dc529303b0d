//! Commit messages as text.

use gix::bstr::ByteSlice;
use std::borrow::Cow;

/// Subject and body of a commit message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub subject: String,
    pub body: String,
    pub cut: bool,
}

/// Longest subject kept, in bytes.
const MAX_SUBJECT: usize = 1024;

/// Splits a message: the first paragraph folded into one line, then the rest up to `max_body` bytes.
pub(crate) fn split(message: &[u8], max_body: usize) -> Message {
    let text = decode(message);
    let text = text.trim_start_matches(['\n', '\r']);
    let mut subject = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if !subject.is_empty() {
            subject.push(' ');
        }
        subject.push_str(line);
    }
    let body = rest.trim_start_matches(['\n', '\r']).trim_end();
    let kept = cut_at(body, max_body);
    let short = cut_at(&subject, MAX_SUBJECT).len();
    subject.truncate(short);
    Message { subject, body: kept.replace('\r', ""), cut: kept.len() < body.len() }
}

/// Reads UTF-8, or Latin-1 where the bytes are not UTF-8: old commits seldom say their encoding.
/// Control characters other than line breaks and tabs become spaces.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let text = match bytes.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| byte as char).collect()),
    };
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if text.contains(control) {
        return Cow::Owned(text.replace(control, " "));
    }
    text
}

/// Returns the longest prefix of at most `limit` bytes that ends between characters.
fn cut_at(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], subject: &str, body: &str) {
        let message = split(input, 16);
        assert_eq!((message.subject.as_str(), message.body.as_str()), (subject, body));
    }

    #[test]
    fn messages_are_split_after_the_first_paragraph() {
        check(b"One\n", "One", "");
        check(b"\n\nOne\ntwo\n\nbody\n", "One two", "body");
        check(b"One\r\n\r\nbody\r\nmore\r\n", "One", "body\nmore");
        check("Über\n\n0123456789abcdeü".as_bytes(), "Über", "0123456789abcde");
        check(b"caf\xe9\n", "café", "");
        check(b"", "", "");
        check(b"a\x1b[31mb", "a [31mb", "");
    }
}
