//! Words of code and prose: identifiers are split at case and underscores, lower-cased and stemmed.
//!
//! The index and the query use the same functions, so a word means the same on both sides.

use rust_stemmers::{Algorithm, Stemmer};
use contextd_model::StrId;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// First character of a term that is a whole compound identifier, not a word.
pub const COMPOUND: char = '\u{1}';

/// Longest run of characters looked at as one identifier; longer ones are data, not names.
const MAX_IDENTIFIER: usize = 96;
/// Longest part of an identifier that counts as a word; longer ones are hashes and encoded data.
const MAX_WORD: usize = 40;

/// Splits `text` into identifiers: runs of letters, digits and `_`.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty())
}

/// Calls `each` with every part of an identifier: `parseHTTPRequest2` → parse, HTTP, Request, 2.
pub fn parts<'a>(identifier: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = identifier.as_bytes();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let here = class(bytes[at]);
        if here == Class::Separator {
            if start < at {
                each(&identifier[start..at]);
            }
            at += 1;
            start = at;
            continue;
        }
        if at > start && is_boundary(bytes, at) {
            each(&identifier[start..at]);
            start = at;
        }
        at += 1;
    }
    if start < bytes.len() {
        each(&identifier[start..]);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Separator,
}

/// Bytes of other scripts count as lower-case letters: they have no case boundary to split at.
fn class(byte: u8) -> Class {
    match byte {
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'_' => Class::Separator,
        _ => Class::Lower,
    }
}

fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (class(bytes[at - 1]), class(bytes[at]));
    match (before, here) {
        (Class::Lower, Class::Upper) => true,
        (Class::Digit, Class::Digit) => false,
        (Class::Digit, _) | (_, Class::Digit) => true,
        (Class::Upper, Class::Upper) => bytes.get(at + 1).is_some_and(|&next| class(next) == Class::Lower),
        _ => false,
    }
}

thread_local! {
    static REMEMBERED: RefCell<Terms> = RefCell::default();
}

/// Runs `work` with the memory of this thread: whatever reads words there finds them stemmed already.
/// `work` must not ask for it again.
pub fn with_remembered<T>(work: impl FnOnce(&mut Terms) -> T) -> T {
    REMEMBERED.with_borrow_mut(work)
}

/// Turns words into terms, remembering those it has seen: most words and identifiers of a repository
/// repeat.
pub struct Terms {
    stemmer: Stemmer,
    /// Numbers of the terms of word parts as written.
    stems: FxHashMap<Box<str>, u32>,
    /// Numbers of terms.
    numbers: FxHashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    /// Ranges of `expansions`: the terms of whole identifiers.
    identifiers: FxHashMap<Box<str>, (u32, u32)>,
    expansions: Vec<u32>,
    /// Room for what one file makes of the terms, kept between files; all empty between them.
    pub(crate) locals: Vec<StrId>,
    /// Tells memories apart: numbers of one mean nothing in another.
    epoch: u64,
}

static NEXT_EPOCH: AtomicU64 = AtomicU64::new(1);

impl Default for Terms {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), stems: FxHashMap::default(), numbers: FxHashMap::default(), texts: Vec::new(), identifiers: FxHashMap::default(), expansions: Vec::new(), locals: Vec::new(), epoch: NEXT_EPOCH.fetch_add(1, Ordering::Relaxed) }
    }
}

/// Words and identifiers remembered before the memory is emptied, so that a long run stays bounded.
const MAX_REMEMBERED: usize = 200_000;

impl Terms {
    /// Empties the memory when it is full; numbers given out before mean nothing afterwards.
    pub(crate) fn forget_if_full(&mut self) {
        if self.texts.len().max(self.stems.len()).max(self.identifiers.len()) > MAX_REMEMBERED {
            *self = Self::default();
        }
    }

    /// Returns what tells this memory from others and from itself before it was emptied; never 0.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Calls `each` with the number of every word term of a text, compounds left out. Numbers hold
    /// while [`Terms::epoch`] stays the same.
    pub fn word_numbers(&mut self, text: &str, mut each: impl FnMut(&Self, u32)) {
        self.forget_if_full();
        for identifier in identifiers(text) {
            let (start, end) = self.expansion(identifier);
            let words_end = end - u32::from(end - start > 1);
            for place in start..words_end {
                each(self, self.term_at(place));
            }
        }
    }

    /// Returns the text of a term.
    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// Returns where the terms of an identifier stand, see [`Terms::identifier`].
    pub(crate) fn expansion(&mut self, identifier: &str) -> (u32, u32) {
        if let Some(&range) = self.identifiers.get(identifier) {
            return range;
        }
        let start = self.expansions.len() as u32;
        let mut expansions = std::mem::take(&mut self.expansions);
        self.expand(identifier, |number| expansions.push(number));
        self.expansions = expansions;
        let range = (start, self.expansions.len() as u32);
        self.identifiers.insert(identifier.into(), range);
        range
    }

    /// Returns the number of the term at a place that [`Terms::expansion`] told.
    pub(crate) fn term_at(&self, place: u32) -> u32 {
        self.expansions[place as usize]
    }

    /// Returns the term of one word part: lower-cased, and stemmed when it has over three letters.
    pub fn stem(&mut self, part: &str) -> &str {
        self.forget_if_full();
        let number = self.stem_number(part);
        self.text(number)
    }

    fn stem_number(&mut self, part: &str) -> u32 {
        if let Some(&number) = self.stems.get(part) {
            return number;
        }
        let number = self.number(self.compute(part));
        self.stems.insert(part.into(), number);
        number
    }

    fn number(&mut self, term: Box<str>) -> u32 {
        if let Some(&number) = self.numbers.get(&term) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(term.clone());
        self.numbers.insert(term, number);
        number
    }

    /// Calls `each` with the number of every term of an identifier.
    fn expand(&mut self, identifier: &str, mut each: impl FnMut(u32)) {
        if identifier.len() > MAX_IDENTIFIER {
            return;
        }
        let mut count = 0;
        parts(identifier, |part| {
            if part.len() <= MAX_WORD {
                count += 1;
                each(self.stem_number(part));
            }
        });
        if count > 1 {
            each(self.number(compound(identifier).into()));
        }
    }

    fn compute(&self, part: &str) -> Box<str> {
        let lower = part.to_lowercase();
        if lower.len() <= 3 || !lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return lower.into();
        }
        self.stemmer.stem(&lower).into_owned().into()
    }

    /// Calls `each` with every term of an identifier, then with its compound when it has two parts
    /// or more. Words and compounds are told apart by [`COMPOUND`].
    pub fn identifier(&mut self, identifier: &str, mut each: impl FnMut(&str)) {
        self.forget_if_full();
        let (start, end) = self.expansion(identifier);
        for place in start..end {
            each(self.text(self.term_at(place)));
        }
    }

    /// Calls `each` with every word term of a text, compounds left out.
    pub fn words(&mut self, text: &str, mut each: impl FnMut(&str)) {
        for identifier in identifiers(text) {
            if identifier.len() > MAX_IDENTIFIER {
                continue;
            }
            parts(identifier, |part| {
                if part.len() <= MAX_WORD {
                    each(self.stem(part));
                }
            });
        }
    }
}

/// Returns the term of a whole identifier: naming styles fall together, `before_request` and
/// `beforeRequest` are one compound.
pub fn compound(identifier: &str) -> String {
    let mut term = String::with_capacity(identifier.len() + 1);
    term.push(COMPOUND);
    term.extend(identifier.chars().filter(|&c| c != '_').flat_map(char::to_lowercase));
    term
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(identifier: &str, expected: &[&str]) {
        let mut found = Vec::new();
        Terms::default().identifier(identifier, |term| found.push(term.to_owned()));
        assert_eq!(found, expected, "{identifier}");
    }

    #[test]
    fn identifiers_split_at_case_underscore_and_digit() {
        check("parseHTTPRequest2", &["pars", "http", "request", "2", "\u{1}parsehttprequest2"]);
        check("before_request", &["befor", "request", "\u{1}beforerequest"]);
        check("__init__", &["init"]);
        check("XMLHttp", &["xml", "http", "\u{1}xmlhttp"]);
        check("größe", &["größe"]);
        check("___", &[]);
    }

    #[test]
    fn styles_share_their_compound() {
        assert_eq!(compound("beforeRequest"), compound("before_request"));
    }
}
