//! What a rule is: the literal that makes it worth trying, and the shape a secret has around it.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::charset::{Charset, word};
use super::path_kind::PathKind;
use super::value::entropy;

/// Longest part of a line that a pattern looks at on either side of its keyword.
const WINDOW_BEFORE: usize = 200;
const WINDOW_AFTER: usize = 800;

/// One kind of secret.
#[derive(Debug)]
pub(super) struct Rule {
    pub id: &'static str,
    /// Literals of which one must be in the text, compared without regard to case.
    pub keywords: &'static [&'static str],
    pub shape: Shape,
    /// Fewest bits a byte of the secret must have on average; keeps `xxxx` and repeated letters.
    pub entropy: f32,
}

/// Where the secret lies relative to a keyword.
#[derive(Debug)]
pub(super) enum Shape {
    /// The keyword, in exactly its case, then `min` to `max` bytes of a set; keyword and run are the secret.
    Run { charset: Charset, min: usize, max: usize },
    /// A pattern that matches at the keyword's first byte; group 1 is the secret, or all of it.
    At(&'static str),
    /// A pattern searched in the keyword's line; group 1 is the secret, or all of it.
    Line(&'static str),
    /// Code, where a pattern cannot say it.
    Code(fn(&Hit<'_>) -> Option<Found>),
}

/// A secret found by a rule's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub range: Range<usize>,
    /// A more exact identifier than the rule's, where the code knows one.
    pub id: Option<&'static str>,
}

/// A place where a keyword stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit<'a> {
    pub text: &'a str,
    pub start: usize,
    pub end: usize,
    pub kind: PathKind,
}

/// A rule ready for use; its pattern is compiled when it is first needed.
#[derive(Debug)]
pub(super) struct Matcher {
    pub rule: &'static Rule,
    regex: OnceLock<Option<Regex>>,
}

impl Matcher {
    pub const fn new(rule: &'static Rule) -> Self {
        Self { rule, regex: OnceLock::new() }
    }

    /// Hands out the secrets at `hit`; `keyword` is the rule's own spelling.
    ///
    /// A line is searched once however many hits it has: `searched_to` is where the rule's last search ended.
    pub fn find(
        &self,
        hit: &Hit<'_>,
        keyword: &str,
        searched_to: &mut usize,
        mut found: impl FnMut(Found),
    ) {
        let mut checked = |range: Range<usize>| {
            let secret = hit.text.get(range.clone()).unwrap_or_default();
            if entropy(secret.as_bytes()) >= self.rule.entropy {
                found(Found { range, id: None });
            }
        };
        match self.rule.shape {
            Shape::Run { charset, min, max } => {
                run(hit, keyword, charset, min..=max).into_iter().for_each(checked)
            }
            Shape::At(pattern) => {
                self.regex(pattern).and_then(|regex| at(hit, regex)).into_iter().for_each(checked)
            }
            Shape::Line(pattern) if hit.end > *searched_to => {
                let line = hit.line();
                let is_clipped = line.end < hit.text.len() && hit.bytes()[line.end] != b'\n';
                *searched_to = if is_clipped { line.end - WINDOW_AFTER / 2 } else { line.end };
                self.regex(pattern)
                    .into_iter()
                    .for_each(|regex| each_in(hit.text, line.clone(), regex, &mut checked));
            }
            Shape::Line(_) => {}
            Shape::Code(code) => code(hit).into_iter().for_each(found),
        }
    }

    /// Returns the compiled pattern; it is absent only when the table holds a wrong one, which a test rules out.
    fn regex(&self, pattern: &str) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(pattern).ok()).as_ref()
    }
}

impl Hit<'_> {
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Tells whether a word could not have begun before the hit.
    pub fn begins_word(&self) -> bool {
        self.start == 0 || !word(self.bytes()[self.start - 1])
    }

    /// Returns the hit's line, clipped to a window around it.
    pub fn line(&self) -> Range<usize> {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(WINDOW_BEFORE));
        let to = self.text.ceil_char_boundary((self.end + WINDOW_AFTER).min(self.text.len()));
        let bytes = self.bytes();
        let before = bytes[from..self.start].iter().rposition(|&byte| byte == b'\n');
        let after = bytes[self.end..to].iter().position(|&byte| byte == b'\n');
        before.map_or(from, |at| from + at + 1)..after.map_or(to, |at| self.end + at)
    }
}

fn run(
    hit: &Hit<'_>,
    keyword: &str,
    charset: Charset,
    length: std::ops::RangeInclusive<usize>,
) -> Option<Range<usize>> {
    let bytes = hit.bytes();
    if !hit.begins_word() || &bytes[hit.start..hit.end] != keyword.as_bytes() {
        return None;
    }
    let rest = &bytes[hit.end..bytes.len().min(hit.end + length.end() + 1)];
    let count = rest.iter().take_while(|&&byte| charset(byte)).count();
    let ends_word = rest.get(count).is_none_or(|&byte| !word(byte));
    (length.contains(&count) && ends_word).then_some(hit.start..hit.end + count)
}

fn at(hit: &Hit<'_>, pattern: &Regex) -> Option<Range<usize>> {
    let to = hit.text.ceil_char_boundary((hit.end + WINDOW_AFTER).min(hit.text.len()));
    let captures = pattern.captures(&hit.text[hit.start..to])?;
    let whole = captures.get(0)?;
    let secret = captures.get(1).unwrap_or(whole);
    (whole.start() == 0).then(|| hit.start + secret.start()..hit.start + secret.end())
}

fn each_in(text: &str, line: Range<usize>, pattern: &Regex, found: &mut impl FnMut(Range<usize>)) {
    for captures in pattern.captures_iter(&text[line.clone()]) {
        if let Some(secret) = captures.get(1).or_else(|| captures.get(0)) {
            found(line.start + secret.start()..line.start + secret.end());
        }
    }
}

#[cfg(test)]
impl Matcher {
    pub fn compiles(&self) -> bool {
        match self.rule.shape {
            Shape::At(pattern) | Shape::Line(pattern) => self.regex(pattern).is_some(),
            Shape::Run { .. } | Shape::Code(_) => true,
        }
    }
}
