//! One pass over the text for the literals of all rules.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::findings::Finding;
use super::path_kind::PathKind;
use super::rule::{Hit, Matcher};
use super::rules::RULES;

/// The automaton over all keywords, and which rules each keyword concerns.
struct Prefilter {
    automaton: AhoCorasick,
    matchers: Vec<Matcher>,
    /// For each keyword: the rule's number and its spelling of the keyword.
    users: Vec<Vec<(u16, &'static str)>>,
}

static PREFILTER: LazyLock<Option<Prefilter>> = LazyLock::new(Prefilter::build);

/// Returns what the built-in rules find in `text`, unsorted.
pub(super) fn find(text: &str, kind: PathKind) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let Some(prefilter) = &*PREFILTER else {
        return found;
    };
    for keyword in prefilter.automaton.find_overlapping_iter(text.as_bytes()) {
        let hit = Hit {
            text,
            start: keyword.start(),
            end: keyword.end(),
            kind,
        };
        for &(number, spelling) in &prefilter.users[keyword.pattern().as_usize()] {
            let matcher = &prefilter.matchers[usize::from(number)];
            if let Some(secret) = matcher.find(&hit, spelling) {
                let id = secret.id.unwrap_or(matcher.rule.id);
                found.push(Finding {
                    start: secret.range.start,
                    end: secret.range.end,
                    rule: id.into(),
                    priority: number,
                });
            }
        }
    }
    found
}

impl Prefilter {
    /// Returns nothing only when the table's keywords exceed the automaton's limits, which a test rules out.
    fn build() -> Option<Self> {
        let mut by_keyword: BTreeMap<String, Vec<(u16, &'static str)>> = BTreeMap::new();
        for (number, rule) in RULES.iter().enumerate() {
            for &keyword in rule.keywords {
                by_keyword
                    .entry(keyword.to_ascii_lowercase())
                    .or_default()
                    .push((number as u16, keyword));
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(by_keyword.keys())
            .ok()?;
        let matchers = RULES.iter().map(Matcher::new).collect();
        Some(Self {
            automaton,
            matchers,
            users: by_keyword.into_values().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert!(PREFILTER.is_some());
        for rule in RULES {
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            assert!(Matcher::new(rule).compiles(), "{}", rule.id);
            assert!(
                rule.keywords
                    .iter()
                    .all(|keyword| keyword.len() >= 3 || *keyword == "q~"),
                "{}",
                rule.id
            );
        }
    }
}
