//! Values that stand in for a secret: variables, calls, `changeme`, test words.

use super::value::Mix;

/// Parts that only a stand-in has.
const TELLTALES: &[&str] = &[
    "example",
    "sample",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "your",
    "dummy",
    "redacted",
    "xxxx",
    "****",
    "....",
    "${",
    "#{",
    "{{",
    "}}",
    "$(",
    "%(",
    "<%",
    "process.env",
    "environ",
    "getenv",
    "lorem",
    "foobar",
    "todo",
    "not-a-",
    "not_a_",
    "fake",
    "insert",
    "replace",
    "notreal",
    "enc[",
    "function",
    "return",
    "=>",
    "&&",
    "||",
    "deadbeef",
    "4_request",
];

/// Words that test fixtures are built of; a value made of nothing else, digits aside, is one.
const FIXTURE_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passw",
    "pass",
    "pwd",
    "secret",
    "token",
    "testing",
    "tests",
    "test",
    "api",
    "access",
    "auth",
    "username",
    "user",
    "admin",
    "root",
    "foo",
    "bar",
    "baz",
    "qux",
    "demo",
    "default",
    "value",
    "string",
    "client",
    "invalid",
    "wrong",
    "bad",
    "good",
    "valid",
    "correct",
    "incorrect",
    "expired",
    "mock",
    "null",
    "none",
    "field",
    "name",
    "login",
    "private",
    "public",
    "bearer",
    "basic",
    "oauth",
    "jwt",
    "csrf",
    "refresh",
    "session",
    "key",
    "new",
    "old",
    "some",
    "any",
    "app",
    "the",
    "my",
    "raw",
    "id",
    "is",
    "word",
    "abc",
    "xyz",
    "def",
    "hash",
    "sha",
    "md",
    "long",
    "short",
    "random",
    "unused",
    "only",
    "another",
    "other",
    "first",
    "second",
    "service",
    "account",
    "server",
    "bootstrap",
    "with",
    "for",
    "and",
    "of",
    "to",
    "no",
    "not",
    "kube",
    "system",
    "image",
    "pull",
];

/// Tells whether `value` is written in place of a secret.
pub(super) fn is_placeholder(value: &str, mix: &Mix) -> bool {
    is_stand_in(value) || (!mix.has_all_classes() && is_fixture(&value.to_ascii_lowercase()))
}

/// Tells whether `value` says itself that something else belongs there.
pub(super) fn is_stand_in(value: &str) -> bool {
    let lowered = value.to_ascii_lowercase();
    TELLTALES.iter().any(|part| lowered.contains(part)) || is_reference(value) || repeats(value)
}

/// A variable, an angle-bracketed name, a format directive or a call.
fn is_reference(value: &str) -> bool {
    let wrapped = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    let is_variable = |sign: char| {
        value.strip_prefix(sign).is_some_and(|name| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !starts_with_digit(name)
        })
    };
    let is_crypt_hash = value.starts_with('$') && value[1..].contains('$');
    let calls = value.find('(').is_some_and(|at| {
        value[..at].bytes().all(is_path_byte) && value[at..].contains(')') && at > 0
    });
    wrapped('<', '>')
        || wrapped('%', '%')
        || wrapped('{', '}')
        || wrapped('[', ']')
        || wrapped('_', '_')
        || (is_variable('$') && !is_crypt_hash)
        || is_variable('@')
        || calls
        || (value.contains('{') && value.contains('}'))
        || ["%s", "%d", "%v", "%r"].iter().any(|directive| value.contains(directive))
}

fn starts_with_digit(text: &str) -> bool {
    text.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':')
}

/// One byte five times in a row does not happen in a random value of ordinary length.
fn repeats(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() < 64 && bytes.windows(5).any(|run| run.iter().all(|byte| *byte == run[0]))
}

/// What is left of `lowered` without digits, signs and fixture words is next to nothing.
pub(super) fn is_fixture(lowered: &str) -> bool {
    let mut left = 0;
    for word in lowered.split(|c: char| !c.is_ascii_alphabetic()) {
        left += without_fixture_words(word);
    }
    left <= 2
}

fn without_fixture_words(word: &str) -> usize {
    let mut rest = word;
    let mut left = 0;
    while !rest.is_empty() {
        match FIXTURE_WORDS
            .iter()
            .filter(|known| rest.starts_with(**known))
            .map(|known| known.len())
            .max()
        {
            Some(length) => rest = &rest[length..],
            None => {
                left += 1;
                rest = &rest[1..];
            }
        }
    }
    left
}
