//! The user's own patterns.

use contextd_model::Problem;
use regex::{Regex, RegexBuilder};

use super::findings::Finding;

/// Memory a user's pattern may take when compiled: a nested repetition must not eat the machine.
const SIZE_LIMIT: usize = 4 << 20;

/// A pattern from the configuration: its group `secret`, else its first group, else all of it is redacted.
#[derive(Debug)]
pub(super) struct UserRule {
    id: String,
    regex: Regex,
    group: usize,
}

impl UserRule {
    /// Returns the usable patterns and a problem for each other one.
    pub fn compile_all(patterns: &[String]) -> (Vec<Self>, Vec<Problem>) {
        let mut rules = Vec::new();
        let mut problems = Vec::new();
        for (index, pattern) in patterns.iter().enumerate() {
            match Self::compile(index + 1, pattern) {
                Ok(rule) => rules.push(rule),
                Err(problem) => problems.push(problem),
            }
        }
        (rules, problems)
    }

    /// Adds what the pattern finds in `text`.
    pub fn find(&self, text: &str, found: &mut Vec<Finding>) {
        if self.group == 0 {
            found.extend(
                self.regex.find_iter(text).map(|part| self.finding(part.start(), part.end())),
            );
            return;
        }
        for captures in self.regex.captures_iter(text) {
            if let Some(part) = captures.get(self.group).or_else(|| captures.get(0)) {
                found.push(self.finding(part.start(), part.end()));
            }
        }
    }

    fn compile(number: usize, pattern: &str) -> Result<Self, Problem> {
        let regex = RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build().map_err(|error| {
            Problem::error(
                "CTX_E_SECRET_PATTERN",
                format!("secret pattern {number} (`{pattern}`) is not a usable regular expression: {}", last_line(&error.to_string())),
                "Correct the pattern in `secret_patterns`; look-around and back-references do not exist here.",
            )
        })?;
        let named = regex.capture_names().position(|name| name == Some("secret"));
        let group = named.unwrap_or(usize::from(regex.captures_len() > 1));
        Ok(Self { id: format!("user-{number}"), regex, group })
    }

    fn finding(&self, start: usize, end: usize) -> Finding {
        Finding { start, end, rule: self.id.clone().into(), priority: u16::MAX }
    }
}

/// The regex crate draws the pattern first and says what is wrong last.
fn last_line(message: &str) -> &str {
    message.lines().last().unwrap_or(message).trim()
}
