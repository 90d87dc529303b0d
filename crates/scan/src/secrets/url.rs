//! Credentials inside addresses and connection strings.

use super::placeholder::is_fixture;
use super::rule::{Found, Hit};

/// Longest user information that is read before the `@`.
const LONGEST: usize = 512;

/// Words that documentation writes where a password goes, beside those that fixtures are made of.
const STAND_INS: &[&str] = &[
    "pw",
    "xxx",
    "example",
    "changeme",
    "pword",
    "passw0rd",
    "yourpassword",
    "your_password",
    "your-password",
    "hidden",
];

/// Returns the password of `scheme://user:password@host`; `hit` is the `://`.
pub(super) fn find(hit: &Hit<'_>) -> Option<Found> {
    let bytes = hit.bytes();
    let rest = &bytes[hit.end..bytes.len().min(hit.end + LONGEST)];
    let ends = |byte: u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'\\' | b',')
    };
    let length = rest
        .iter()
        .position(|&byte| ends(byte) || matches!(byte, b'/' | b'?' | b'#'))
        .unwrap_or(rest.len());
    let authority = &rest[..length];
    let at = authority.iter().rposition(|&byte| byte == b'@')?;
    let colon = authority[..at].iter().position(|&byte| byte == b':')?;
    let host_follows = authority.get(at + 1).is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'$' | b'{' | b'_' | b'%')
    });
    let range = hit.end + colon + 1..hit.end + at;
    let user = hit.text.get(hit.end..hit.end + colon)?;
    let password = hit.text.get(range.clone())?;
    (host_follows && is_credential(user, password)).then_some(Found { range, id: None })
}

/// Tells whether a password written next to `user` is one, and not a word that stands for it.
pub(super) fn is_credential(user: &str, password: &str) -> bool {
    let lowered = password.to_ascii_lowercase();
    let is_reference = password.contains(['$', '{', '}', '<', '[', ']', '*', '%'])
        && !is_percent_encoded(password)
        || password.contains("...");
    password.len() >= 3
        && !is_reference
        && !STAND_INS.contains(&lowered.as_str())
        && !lowered.contains("xxxx")
        && user != password
        && !is_fixture(&lowered)
}

/// `%21` is an encoded sign, `%s` a directive.
fn is_percent_encoded(password: &str) -> bool {
    let only_percent = !password.contains(['$', '{', '}', '<', '[', ']', '*']);
    only_percent
        && password
            .split('%')
            .skip(1)
            .all(|part| part.len() >= 2 && part.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit))
}
