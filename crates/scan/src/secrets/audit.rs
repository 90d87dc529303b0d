//! The audit list: which rule redacted what part of a file, never the value.

use std::borrow::Cow;

use super::findings::Finding;

/// One replaced secret. It names the place and the rule and never holds the value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Redaction {
    /// Identifier of the rule, such as `github-pat`; a user's pattern is `user-1`, `user-2`, ….
    pub rule: Cow<'static, str>,
    /// One-based line of the original on which the secret begins.
    pub line: u32,
    /// First byte in the original.
    pub start: usize,
    /// One past the last byte in the original.
    pub end: usize,
}

/// Returns the audit entries of `findings`, which are in order and in the coordinates of `original`.
pub(super) fn redactions(original: &str, findings: &[Finding]) -> Vec<Redaction> {
    let mut line = 1;
    let mut counted_to = 0;
    let mut entries = Vec::with_capacity(findings.len());
    for finding in findings {
        line += newlines(&original.as_bytes()[counted_to..finding.start]);
        counted_to = finding.start;
        entries.push(Redaction {
            rule: finding.rule.clone(),
            line,
            start: finding.start,
            end: finding.end,
        });
    }
    entries
}

/// Returns the number of line feeds, which is what ends a line throughout.
pub(super) fn newlines(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u32
}
