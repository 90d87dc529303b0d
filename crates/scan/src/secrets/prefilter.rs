//! One pass over the text for the literals of all rules.
//!
//! Three bytes at a time, folded to fifteen bits, are looked up in a table of four kilobytes: that needs no chain of
//! dependent loads, as an automaton does, and stays in the nearest cache. What passes is compared with the keywords.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::findings::Finding;
use super::path_kind::PathKind;
use super::rule::{Hit, Matcher, Shape};
use super::rules::RULES;

/// Bytes of a keyword that the table sees.
const GRAM: usize = 3;
/// Five bits a byte: letters of either case fold together, signs and digits fall onto letters.
const GRAMS: usize = 1 << (5 * GRAM);
const WORDS: usize = GRAMS / 64;

/// The keywords of all rules, found by how they begin.
struct Prefilter {
    /// Bits of the folded beginnings.
    begins: [u64; WORDS],
    /// Bits of the folded bytes one further on, which spare most comparisons.
    goes_on: [u64; WORDS],
    /// Keywords by their folded beginning.
    keywords: Vec<Vec<Keyword>>,
    /// Where in `keywords` a folded beginning is.
    slots: Vec<u16>,
    matchers: Vec<Matcher>,
}

/// A literal and the rules that need it.
struct Keyword {
    lowered: Vec<u8>,
    users: Vec<User>,
}

/// Number of a rule and its spelling of the keyword.
type User = (u16, &'static str);

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(Prefilter::build);

/// One text being searched.
struct Search<'a> {
    text: &'a str,
    kind: PathKind,
    found: Vec<Finding>,
    /// For each rule that searches lines, where its last search ended; filled when the first such rule is tried.
    searched_to: BTreeMap<u16, usize>,
}

/// Returns what the built-in rules find in `text`, unsorted.
pub(super) fn find(text: &str, kind: PathKind) -> Vec<Finding> {
    let prefilter = &*PREFILTER;
    let mut search = Search { text, kind, found: Vec::new(), searched_to: BTreeMap::new() };
    let Some((first, rest)) = text.as_bytes().split_first_chunk::<GRAM>() else {
        return search.found;
    };
    let mut folded = fold(first);
    for (start, &byte) in rest.iter().enumerate() {
        let next = (folded << 5 | usize::from(byte & 31)) % GRAMS;
        if has(&prefilter.begins, folded) && has(&prefilter.goes_on, next) {
            prefilter.find_at(&mut search, start, folded);
        }
        folded = next;
    }
    // A keyword of three bytes may end the text; it is no secret by itself, and every rule needs more behind it.
    search.found
}

impl Prefilter {
    fn build() -> Self {
        let mut by_gram: BTreeMap<usize, BTreeMap<Vec<u8>, Vec<User>>> = BTreeMap::new();
        for (number, rule) in RULES.iter().enumerate() {
            for &keyword in rule.keywords {
                let lowered = keyword.to_ascii_lowercase().into_bytes();
                let same_beginning = by_gram.entry(fold(&lowered)).or_default();
                same_beginning.entry(lowered).or_default().push((number as u16, keyword));
            }
        }
        let mut prefilter = Self {
            begins: [0; WORDS],
            goes_on: [0; WORDS],
            keywords: Vec::new(),
            slots: vec![0; GRAMS],
            matchers: RULES.iter().map(Matcher::new).collect(),
        };
        for (folded, keywords) in by_gram {
            set(&mut prefilter.begins, folded);
            for lowered in keywords.keys() {
                prefilter.allow_second(lowered);
            }
            prefilter.slots[folded] = prefilter.keywords.len() as u16;
            let keywords = keywords.into_iter().map(|(lowered, users)| Keyword { lowered, users });
            prefilter.keywords.push(keywords.collect());
        }
        prefilter
    }

    fn allow_second(&mut self, lowered: &[u8]) {
        match lowered.get(1..=GRAM) {
            Some(gram) => set(&mut self.goes_on, fold(gram)),
            None => {
                (0..32).for_each(|any| set(&mut self.goes_on, fold(&[lowered[1], lowered[2], any])))
            }
        }
    }

    fn find_at(&self, search: &mut Search<'_>, start: usize, folded: usize) {
        let rest = &search.text.as_bytes()[start..];
        for keyword in &self.keywords[usize::from(self.slots[folded])] {
            let length = keyword.lowered.len();
            if rest.len() < length || !rest[..length].eq_ignore_ascii_case(&keyword.lowered) {
                continue;
            }
            let hit = Hit { text: search.text, start, end: start + length, kind: search.kind };
            for &user in &keyword.users {
                self.find_by(search, &hit, user);
            }
        }
    }

    fn find_by(&self, search: &mut Search<'_>, hit: &Hit<'_>, (number, spelling): User) {
        let matcher = &self.matchers[usize::from(number)];
        let searches_lines = matches!(matcher.rule.shape, Shape::Line(_));
        let mut nowhere = 0;
        let searched_to = if searches_lines {
            search.searched_to.entry(number).or_default()
        } else {
            &mut nowhere
        };
        matcher.find(hit, spelling, searched_to, |secret| {
            let rule = secret.id.unwrap_or(matcher.rule.id).into();
            search.found.push(Finding {
                start: secret.range.start,
                end: secret.range.end,
                rule,
                priority: number,
            });
        });
    }
}

#[inline(always)]
fn has(bits: &[u64; WORDS], folded: usize) -> bool {
    bits[folded / 64] >> (folded % 64) & 1 == 1
}

fn set(bits: &mut [u64; WORDS], folded: usize) {
    bits[folded / 64] |= 1 << (folded % 64);
}

/// Folds the first bytes to a number below [`GRAMS`].
#[inline(always)]
fn fold(bytes: &[u8]) -> usize {
    let bits = |at: usize| usize::from(bytes[at] & 31);
    bits(0) << 10 | bits(1) << 5 | bits(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        for rule in RULES {
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            assert!(Matcher::new(rule).compiles(), "{}", rule.id);
            assert!(rule.keywords.iter().all(|keyword| keyword.len() >= GRAM), "{}", rule.id);
        }
    }
}
