//! Named values: `password = "…"`, `"apiKey": "…"`, `TOKEN=…`, `--secret …`, `<password>…</password>`.
//!
//! Reads outwards from a telling word such as `token`: first what follows, because most hits end there, then the whole
//! name, then the value. Source code is full of such words, so the value itself must look like a secret.

use std::ops::Range;

use super::charset::word;
use super::name::{self, Meaning};
use super::path_kind::PathKind;
use super::placeholder::is_stand_in;
use super::rule::{Found, Hit};
use super::url::is_credential;
use super::value::{Class, looks_random, looks_secret};

/// Words that make an assignment worth reading.
pub(super) const KEYWORDS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "authkey",
    "auth_key",
    "auth-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "signingkey",
    "signing_key",
    "signing-key",
    "masterkey",
    "master_key",
    "master-key",
    "accountkey",
    "account_key",
    "account-key",
    "appkey",
    "app_key",
    "app-key",
    "application_key",
    "applicationkey",
    "service_key",
    "servicekey",
    "admin_key",
    "adminkey",
    "storage_key",
    "storagekey",
    "shared_key",
    "sharedkey",
    "license_key",
    "licensekey",
    "deploy_key",
    "deploykey",
    "write_key",
    "writekey",
    "session_key",
    "sessionkey",
    "hmac_key",
    "hmackey",
    "jwt_key",
    "jwtkey",
    "aes_key",
    "aeskey",
];

/// A name goes on for at most so many bytes on either side of the word.
const LONGEST_NAME_SIDE: usize = 48;
const LONGEST_VALUE: usize = 4096;
/// A value without quotes is shorter; what runs on is data.
const LONGEST_BARE: usize = 512;
const LONGEST_GAP: usize = 48;

/// How name and value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    /// `=`, `:`, `:=`, `=>`, `==`, `||`, `??`.
    Sign,
    /// Exactly `=` with nothing around it.
    TightEquals,
    /// `,` after a quoted name or `(` after a bare one: the value must be quoted.
    Argument,
    /// `>` of an element: the value ends at `<`.
    Element,
    /// White space: after a flag, in SQL, in a netrc.
    Space,
}

/// Returns the secret assigned to the name around `hit`.
pub(super) fn find(hit: &Hit<'_>) -> Option<Found> {
    let bytes = hit.bytes();
    let name_end = name_end(bytes, hit.end)?;
    let (join, value_at) = join(bytes, name_end)?;
    let name_start = name_start(bytes, hit.start);
    if join == Join::Space && !is_separated_by_space(hit, name_start, name_end, value_at) {
        return None;
    }
    let meaning = name::meaning(&hit.text[name_start..name_end])?;
    let found = match join {
        Join::Element => element(hit, name_start, value_at, meaning),
        _ => quoted(hit, value_at, meaning)
            .or_else(|| if join == Join::Sign { typed(hit, value_at, meaning) } else { None })
            .or_else(|| bare(hit, name_start, join, value_at, meaning)),
    }?;
    Some(Found { range: found, id: Some(meaning.id) })
}

/// Returns the end of the name; a name that goes on too long is data.
fn name_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        let joins =
            matches!(byte, b'-' | b'.') && bytes.get(at + 1).is_some_and(|&next| word(next));
        if !word(byte) && !joins {
            break;
        }
        at += 1;
        if at - from > LONGEST_NAME_SIDE {
            return None;
        }
    }
    Some(at)
}

fn name_start(bytes: &[u8], from: usize) -> usize {
    let floor = from.saturating_sub(LONGEST_NAME_SIDE);
    let mut at = from;
    while at > floor && (word(bytes[at - 1]) || matches!(bytes[at - 1], b'-' | b'.')) {
        at -= 1;
    }
    at
}

/// Reads what joins a name and its value; returns it and where the value begins.
fn join(bytes: &[u8], name_end: usize) -> Option<(Join, usize)> {
    let mut at = name_end;
    let mut closed_quote = false;
    while at < name_end + 5 {
        match bytes.get(at)? {
            b'"' | b'\'' | b'`' => closed_quote = true,
            b'\\' | b']' | b')' | b'?' | b'!' => {}
            _ => break,
        }
        at += 1;
    }
    let gap_at = at;
    at = skip_blanks(bytes, at);
    let two = bytes.get(at..at + 2).unwrap_or_default();
    let (join, length) = match *bytes.get(at)? {
        b'=' if at == name_end && !matches!(two, b"==" | b"=>") => (Join::TightEquals, 1),
        b'=' | b':' | b'!' => (
            Join::Sign,
            bytes[at..].iter().take_while(|byte| matches!(byte, b'=' | b':' | b'>' | b'!')).count(),
        ),
        b'|' | b'?' | b'+' if matches!(two, b"||" | b"??" | b"?=" | b"|=" | b"+=") => {
            (Join::Sign, 2)
        }
        b',' if closed_quote => (Join::Argument, 1),
        b'(' if at == name_end => (Join::Argument, 1),
        b'>' if at == name_end => (Join::Element, 1),
        b'v' | b'V'
            if closed_quote
                && bytes
                    .get(at..at + 6)
                    .is_some_and(|part| part.eq_ignore_ascii_case(b"value=")) =>
        {
            (Join::Sign, 6)
        }
        _ if at > gap_at && gap_at == name_end => (Join::Space, 0),
        _ => return None,
    };
    let value_at = skip_blanks(bytes, at + length);
    let join = if join == Join::TightEquals && value_at > at + length { Join::Sign } else { join };
    Some((join, value_at))
}

fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    let blanks = bytes[from.min(bytes.len())..]
        .iter()
        .take(LONGEST_GAP)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    from + blanks
}

/// Reads a quoted value, also behind `b`, `r`, `String::from(` and the like.
fn quoted(hit: &Hit<'_>, value_at: usize, meaning: Meaning) -> Option<Range<usize>> {
    let range = quoted_range(hit.bytes(), skip_wrapper(hit.bytes(), value_at))?;
    let value = hit.text.get(range.clone())?;
    (looks_secret(value, meaning.class) || is_chosen(hit, value, meaning.class)).then_some(range)
}

/// True for any password that is set where a program's environment is written down, words included.
fn is_chosen(hit: &Hit<'_>, value: &str, class: Class) -> bool {
    let is_value =
        (6..=256).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic());
    hit.kind == PathKind::Environment && class == Class::Password && is_value && !is_stand_in(value)
}

/// Constructors that take the value as it is.
const WRAPPERS: &[&[u8]] = &[
    b"String::from(",
    b"Some(",
    b"Secret::new(",
    b"SecretString::new(",
    b"SecretString::from(",
    b"new String(",
    b"Buffer.from(",
    b"bytes(",
    b"str(",
    b"[]byte(",
    b"Just(",
    b"ptr.To(",
    b"SecretStr(",
    b"b",
    b"r",
    b"f",
    b"u",
    b"rb",
    b"br",
    b"B",
    b"R",
    b"L",
    b"@",
    b"$",
    b"N",
    b"(",
];

fn skip_wrapper(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.first().is_none_or(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\')) {
        return at;
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| {
        rest.starts_with(wrapper)
            && rest.get(wrapper.len()).is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`'))
    });
    at + wrapper.map_or(0, |wrapper| wrapper.len())
}

/// Returns the inside of the quotes that open at `at`, on one line.
fn quoted_range(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let escapes = bytes.get(at..)?.iter().take(4).take_while(|&&byte| byte == b'\\').count();
    let quote = *bytes.get(at + escapes).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let mut start = at + escapes + 1;
    if escapes == 0 && bytes.get(start..start + 2) == Some(&[quote, quote]) {
        start += 2;
    }
    let limit = bytes.len().min(start + LONGEST_VALUE);
    let mut end = start;
    while end < limit {
        match bytes[end] {
            b'\n' => return None,
            b'\\' if escapes == 0 => end += 1,
            b'\\' if bytes[end..].iter().take_while(|&&byte| byte == b'\\').count() >= escapes => {
                return (bytes.get(end + escapes) == Some(&quote)).then_some(start..end);
            }
            byte if byte == quote => return Some(start..end),
            _ => {}
        }
        end += 1;
    }
    None
}

/// Reads `: Type = "…"`.
fn typed(hit: &Hit<'_>, value_at: usize, meaning: Meaning) -> Option<Range<usize>> {
    let bytes = hit.bytes();
    let is_type = |byte: u8| {
        word(byte)
            || matches!(
                byte,
                b'&' | b'\'' | b'[' | b']' | b'<' | b'>' | b'?' | b'.' | b'|' | b' ' | b':' | b'*'
            )
    };
    let rest = bytes.get(value_at..)?;
    let length = rest.iter().take(LONGEST_GAP).take_while(|&&byte| is_type(byte)).count();
    let follows =
        length > 0 && rest.get(length) == Some(&b'=') && rest.get(length + 1) != Some(&b'=');
    follows.then(|| quoted(hit, skip_blanks(bytes, value_at + length + 1), meaning))?
}

/// Reads a value without quotes: in configuration, in `KEY=value` lines, after flags and in queries.
fn bare(
    hit: &Hit<'_>,
    name_start: usize,
    join: Join,
    value_at: usize,
    meaning: Meaning,
) -> Option<Range<usize>> {
    let range = bare_range(hit.bytes(), value_at)?;
    let value = hit.text.get(range.clone())?;
    if meaning.class == Class::Password
        && is_connection_string(line_before(hit.bytes(), name_start))
    {
        return (join == Join::TightEquals && is_credential("", value)).then_some(range);
    }
    let is_plain = match join {
        Join::Argument | Join::Element => return None,
        Join::Space => true,
        Join::Sign => hit.kind != PathKind::Code && begins_line(hit, name_start),
        Join::TightEquals => {
            hit.kind != PathKind::Code
                || is_shell_name(hit, name_start)
                || is_query(hit.bytes(), name_start)
                || hit.text[name_start..].starts_with("--")
        }
    };
    let secret = if is_plain {
        looks_plain_secret(value, meaning.class) || is_chosen(hit, value, meaning.class)
    } else {
        looks_random(value) && !is_code(hit, range.end)
    };
    secret.then_some(range)
}

/// `--token VALUE`, `PASSWORD 'VALUE'`, `password VALUE` in a netrc, `ENV TOKEN VALUE`; anything else with a space is prose.
fn is_separated_by_space(
    hit: &Hit<'_>,
    name_start: usize,
    name_end: usize,
    value_at: usize,
) -> bool {
    let bytes = hit.bytes();
    if bytes[name_start..].starts_with(b"--") {
        return true;
    }
    if bytes.get(value_at).is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
        return bytes[name_end.saturating_sub(8)..name_end].eq_ignore_ascii_case(b"password");
    }
    let before = line_before(bytes, name_start);
    let is_docker = hit.kind == PathKind::Config && before.starts_with(b"ENV ");
    hit.kind == PathKind::Netrc || is_docker || before.windows(8).any(|part| part == b"machine ")
}

/// Returns the line up to `at`, or its last part when it is long.
fn line_before(bytes: &[u8], at: usize) -> &[u8] {
    let before = &bytes[at.saturating_sub(160)..at];
    before.rsplit(|&byte| byte == b'\n').next().unwrap_or(before)
}

fn bare_range(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = bytes.get(start..bytes.len().min(start + LONGEST_BARE + 1))?;
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'"' | b'\'' | b'`' | b';' | b',' | b'<' | b'>' | b'&' | b'(' | b')' | b'\\'
            )
    };
    let length = rest.iter().take_while(|&&byte| !ends(byte)).count();
    (1..=LONGEST_BARE).contains(&length).then_some(start..start + length)
}

/// A bare value in configuration: as a quoted one, but names of variables and members stay.
fn looks_plain_secret(value: &str, class: Class) -> bool {
    !value.starts_with(['$', '{', '[', '!', '*', '%', '@', '|', '#']) && looks_secret(value, class)
}

/// Code goes on after a bare word: a call, a member, an index.
fn is_code(hit: &Hit<'_>, end: usize) -> bool {
    hit.bytes().get(end).is_some_and(|byte| matches!(byte, b'(' | b'[' | b'<'))
}

/// Only white space, `-`, `export` and the like stand before the name on its line.
fn begins_line(hit: &Hit<'_>, name_start: usize) -> bool {
    line_before(hit.bytes(), name_start).iter().all(|byte| {
        byte.is_ascii_whitespace()
            || byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'"' | b'\'' | b'{' | b',' | b':' | b'/')
    })
}

/// `Server=db;User Id=app;` stands before the name.
fn is_connection_string(before: &[u8]) -> bool {
    let Some(fields) = before.trim_ascii_end().strip_suffix(b";") else {
        return false;
    };
    let lowered = fields.to_ascii_lowercase();
    let names: [&[u8]; 7] =
        [b"server=", b"host=", b"source=", b"uid=", b"user id=", b"username=", b"user="];
    names.iter().any(|name| lowered.windows(name.len()).any(|part| part == *name))
}

/// `NAME=` at the beginning of a line, as a shell or an env file writes it.
fn is_shell_name(hit: &Hit<'_>, name_start: usize) -> bool {
    let bytes = hit.bytes();
    let is_upper = !bytes[name_start..hit.end].iter().any(u8::is_ascii_lowercase);
    let before = bytes[..name_start].last().copied().unwrap_or(b'\n');
    is_upper && matches!(before, b'\n' | b' ' | b'\t')
}

/// `?name=` or `&name=`.
fn is_query(bytes: &[u8], name_start: usize) -> bool {
    name_start > 0 && matches!(bytes[name_start - 1], b'?' | b'&')
}

/// Reads `<name>value</`.
fn element(
    hit: &Hit<'_>,
    name_start: usize,
    value_at: usize,
    meaning: Meaning,
) -> Option<Range<usize>> {
    let bytes = hit.bytes();
    if name_start == 0 || bytes[name_start - 1] != b'<' {
        return None;
    }
    let range = bare_range(bytes, value_at)?;
    let closed = bytes.get(range.end..range.end + 2) == Some(b"</");
    (closed && looks_secret(hit.text.get(range.clone())?, meaning.class)).then_some(range)
}
