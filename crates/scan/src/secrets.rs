//! Secrets: what looks like a credential is replaced by `[REDACTED]` before anything is stored.
//!
//! One pass finds the literals that the rules need; only around such a literal is a rule tried. The text
//! keeps its number of lines, so that line numbers found in the scrubbed text are those of the original.

mod assignment;
mod audit;
mod base64;
mod block;
mod charset;
mod findings;
mod headers;
mod name;
mod path_kind;
mod placeholder;
mod prefilter;
mod rule;
mod rules;
mod url;
mod user;
mod value;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod planted;

use std::borrow::Cow;

use contextd_model::Problem;

pub use audit::Redaction;

use findings::Finding;
use path_kind::PathKind;
use user::UserRule;

/// What stands in place of a secret.
pub const MARK: &str = "[REDACTED]";

/// Each round can only redact text that earlier rounds left, so a few rounds reach the fixed point.
const MAX_ROUNDS: usize = 16;

/// Finds and replaces secrets; made once from the configuration, shared by all workers.
#[derive(Debug)]
pub struct Scrubber {
    enabled: bool,
    user_rules: Vec<UserRule>,
}

/// A text without its secrets, and where they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scrubbed<'a> {
    /// The text to store: borrowed when nothing was found.
    pub text: Cow<'a, str>,
    /// What was replaced, in the order of the text.
    pub redactions: Vec<Redaction>,
}

/// Returns a number that tells kinds of paths apart: the same text is scrubbed alike under paths with
/// the same number, so results may be shared between them.
pub fn path_kind_number(path: &str) -> u8 {
    PathKind::of(path) as u8
}

impl Scrubber {
    /// Returns a scrubber with the built-in rules and the user's, and a problem for each pattern that cannot be used.
    ///
    /// With `enabled` false nothing is redacted.
    pub fn new(user_patterns: &[String], enabled: bool) -> (Self, Vec<Problem>) {
        let (user_rules, problems) = UserRule::compile_all(user_patterns);
        (Self { enabled, user_rules }, problems)
    }

    /// Returns `text` with every secret replaced by [`MARK`]; `path` tells configuration from code.
    ///
    /// Scrubbing the result again changes nothing, and it has as many lines as `text`.
    pub fn scrub<'a>(&self, text: &'a str, path: &str) -> Scrubbed<'a> {
        if !self.enabled {
            return Scrubbed { text: Cow::Borrowed(text), redactions: Vec::new() };
        }
        let kind = PathKind::of(path);
        let mut all: Vec<Finding> = Vec::new();
        let mut current: Cow<'a, str> = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            let found = self.find(&current, kind);
            if found.is_empty() {
                break;
            }
            let found = found
                .into_iter()
                .map(|finding| findings::to_original(finding, &all, text))
                .collect();
            all = findings::merge(all, found);
            current = Cow::Owned(findings::apply(text, &all));
        }
        Scrubbed { redactions: audit::redactions(text, &all), text: current }
    }

    fn find(&self, text: &str, kind: PathKind) -> Vec<Finding> {
        let mut found = prefilter::find(text, kind);
        for rule in &self.user_rules {
            rule.find(text, &mut found);
        }
        findings::normalise(text, found)
    }
}
