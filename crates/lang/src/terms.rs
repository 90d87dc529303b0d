//! Words of code and prose: identifiers are split at case and underscores, lower-cased and stemmed.
//!
//! The index and the query use the same functions, so a word means the same on both sides.

use crate::intern::Interner;
use crate::remembered::{Remembered, Sought};
use crate::runs::Runs;
use crate::stem::stem;
use contextd_model::{StrId, StringTable};
use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// First character of a term that is a whole compound identifier, not a word.
pub const COMPOUND: char = '\u{1}';

/// Longest run of characters looked at as one identifier; longer ones are data, not names.
const MAX_IDENTIFIER: usize = 96;
/// Longest part of an identifier that counts as a word; longer ones are hashes and encoded data.
const MAX_WORD: usize = 40;

/// Splits `text` into identifiers: runs of letters, digits and `_`.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(is_alphanumeric(c) || c == '_')).filter(|run| !run.is_empty())
}

/// As the standard library says; it searches for every letter that is not ASCII, and a text has few scripts.
fn is_alphanumeric(c: char) -> bool {
    static BLOCKS: [OnceLock<[u64; 4]>; 256] = [const { OnceLock::new() }; 256];
    let code = c as usize;
    match BLOCKS.get(code >> 8) {
        Some(block) => {
            block.get_or_init(|| alphanumerics(code as u32 & !0xff))[code >> 6 & 3] >> (code & 63)
                & 1
                != 0
        }
        None => c.is_alphanumeric(),
    }
}

/// One bit for each of 256 characters.
fn alphanumerics(first: u32) -> [u64; 4] {
    let mut bits = [0; 4];
    for (offset, c) in (first..first + 256)
        .enumerate()
        .filter_map(|(offset, code)| Some((offset, char::from_u32(code)?)))
    {
        bits[offset >> 6] |= u64::from(c.is_alphanumeric()) << (offset & 63);
    }
    bits
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
        (Class::Upper, Class::Upper) => {
            bytes.get(at + 1).is_some_and(|&next| class(next) == Class::Lower)
        }
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
    /// Terms; their ids are their numbers.
    texts: Interner,
    /// Identifiers, and the word parts of others as written: a part alone is an identifier too.
    identifiers: Remembered<Known>,
    /// Terms of identifiers that have several, see [`Known`].
    expansions: Vec<u32>,
    /// Identifiers that the current cell has, in the order of their first mention.
    tallied: Vec<u32>,
    /// Room for what is being made of a word.
    lower: String,
    /// Room for what one file makes of the terms, kept between files; all empty between them.
    pub(crate) locals: Vec<StrId>,
    /// Tells memories apart: numbers of one mean nothing in another.
    epoch: u64,
}

/// What is known of an identifier: its terms, and how often the current cell mentions it.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Its only term, as most have; else where its terms begin in the expansions.
    first: u32,
    count: u32,
    length: u8,
}

impl Known {
    /// Returns the terms, compound last where there is one.
    fn terms<'a>(&'a self, expansions: &'a [u32]) -> &'a [u32] {
        if self.length == 1 {
            return std::slice::from_ref(&self.first);
        }
        &expansions[self.first as usize..][..usize::from(self.length)]
    }
}

static NEXT_EPOCH: AtomicU64 = AtomicU64::new(1);

impl Default for Terms {
    fn default() -> Self {
        Self {
            texts: Interner::default(),
            identifiers: Remembered::default(),
            expansions: Vec::new(),
            tallied: Vec::new(),
            lower: String::new(),
            locals: Vec::new(),
            epoch: NEXT_EPOCH.fetch_add(1, Ordering::Relaxed),
        }
    }
}

/// True unless the last two letters show that the stemmer leaves a word as it is: none of the suffixes that it takes off or
/// replaces ends like that.
fn has_suffix(word: &[u8]) -> bool {
    matches!(
        word,
        [.., _, b's' | b'e' | b'y']
            | [.., b'e', b'd' | b'r']
            | [.., b'n', b'g' | b't']
            | [.., b'o', b'n' | b'r']
            | [.., b's', b'm']
            | [.., b'i', b'c']
            | [.., b'a' | b'u' | b'l', b'l']
            | [.., b'c' | b'l' | b't' | b'g', b'i']
    )
}

/// Words and identifiers remembered before the memory is emptied: a long run stays bounded, and what is remembered
/// small enough to be near the processor.
const MAX_REMEMBERED: usize = 48_000;

/// Runs of word bytes that are looked up together: a memory that is larger than the processor's caches answers
/// several questions in the time of one.
const TOGETHER: usize = 16;

impl Terms {
    /// Empties the memory when it is full; numbers given out before mean nothing afterwards.
    pub(crate) fn forget_if_full(&mut self) {
        if self.texts.table.len().max(self.identifiers.len()) > MAX_REMEMBERED {
            self.texts.clear();
            self.identifiers.clear();
            self.expansions.clear();
            self.tallied.clear();
            self.locals.clear();
            self.epoch = NEXT_EPOCH.fetch_add(1, Ordering::Relaxed);
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
        for (start, end) in Runs::of(text.as_bytes()) {
            self.known(Sought::within(text.as_bytes(), start, end), |terms, slot| {
                let known = *terms.identifiers.value(slot);
                let expansion = known.terms(&terms.expansions);
                let words = expansion.len() - usize::from(expansion.len() > 1);
                for &word in &expansion[..words] {
                    each(terms, word);
                }
            });
        }
    }

    /// Counts the identifiers of a text for the current cell.
    pub(crate) fn tally(&mut self, text: &str) {
        let mut runs = Runs::of(text.as_bytes());
        let mut group = [Sought::NOTHING; TOGETHER];
        loop {
            let (mut count, mut touched) = (0, 0);
            for (place, (start, end)) in group.iter_mut().zip(&mut runs) {
                *place = Sought::within(text.as_bytes(), start, end);
                count += 1;
            }
            // In a loop of its own, so short that the processor has all of them under way at once.
            for &sought in &group[..count] {
                touched |= self.identifiers.touch(sought);
            }
            std::hint::black_box(touched);
            for &sought in &group[..count] {
                self.known(sought, |terms, slot| {
                    let known = terms.identifiers.value(slot);
                    known.count += 1;
                    if known.count == 1 {
                        terms.tallied.push(slot as u32);
                    }
                });
            }
            if count < TOGETHER {
                return;
            }
        }
    }

    /// Calls `each` with what the current cell has: terms of an identifier, compound last where there
    /// is one, and how often it is mentioned. The next cell begins.
    pub(crate) fn tallied(&mut self, mut each: impl FnMut(&StringTable, &[u32], u32)) {
        let mut tallied = std::mem::take(&mut self.tallied);
        for slot in tallied.drain(..) {
            let slot = self.identifiers.value(slot as usize);
            let known = *slot;
            slot.count = 0;
            each(&self.texts.table, known.terms(&self.expansions), known.count);
        }
        self.tallied = tallied;
    }

    /// Returns the text of a term.
    pub fn text(&self, number: u32) -> &str {
        self.texts.table.get(StrId(number))
    }

    /// Calls `each` with the slots of the identifiers in a run of word bytes, in order.
    #[inline]
    fn known(&mut self, run: Sought<'_>, mut each: impl FnMut(&mut Self, usize)) {
        // What is remembered is one identifier, whatever bytes it has.
        match self.identifiers.find(run) {
            Some(slot) => each(self, slot),
            None => self.learn_run(run.bytes, &mut each),
        }
    }

    /// Takes in a run that is not remembered as one identifier.
    fn learn_run(&mut self, run: &[u8], each: &mut impl FnMut(&mut Self, usize)) {
        // Runs end where characters do.
        let Ok(text) = std::str::from_utf8(run) else { return };
        if text.is_ascii() {
            return self.learn(text, each);
        }
        for identifier in identifiers(text) {
            match self.identifiers.find(Sought::of(identifier.as_bytes())) {
                Some(slot) => each(self, slot),
                None => self.learn(identifier, each),
            }
        }
    }

    /// Takes in an identifier that is not remembered yet.
    fn learn(&mut self, identifier: &str, each: &mut impl FnMut(&mut Self, usize)) {
        if identifier.len() > MAX_IDENTIFIER {
            return;
        }
        let start = self.expansions.len();
        self.expand(identifier);
        let length = (self.expansions.len() - start) as u8;
        let only = if length == 1 { self.expansions.pop() } else { None };
        let known = Known { first: only.unwrap_or(start as u32), count: 0, length };
        let slot = self.identifiers.add(identifier, known, &mut self.tallied);
        each(self, slot);
    }

    /// Returns the term of one word part: lower-cased, and stemmed when it has over three letters.
    pub fn stem(&mut self, part: &str) -> &str {
        self.forget_if_full();
        let number = self.stem_number(part);
        self.text(number)
    }

    fn stem_number(&mut self, part: &str) -> u32 {
        let Some(slot) = self.identifiers.find(Sought::of(part.as_bytes())) else {
            let first = self.new_stem(part);
            self.identifiers.add(part, Known { first, count: 0, length: 1 }, &mut self.tallied);
            return first;
        };
        let known = *self.identifiers.value(slot);
        if known.length == 1 { known.first } else { self.new_stem(part) }
    }

    /// Returns the number of the term of a word part that is not remembered.
    fn new_stem(&mut self, part: &str) -> u32 {
        lower_into(part, &mut self.lower);
        if self.lower.len() > 3
            && self.lower.bytes().all(|byte| byte.is_ascii_lowercase())
            && has_suffix(self.lower.as_bytes())
        {
            let mut word = std::mem::take(&mut self.lower).into_bytes();
            stem(&mut word);
            self.lower = String::from_utf8(word).unwrap_or_default();
        }
        self.texts.intern(&self.lower).0
    }

    /// Adds the numbers of the terms of an identifier to the expansions.
    fn expand(&mut self, identifier: &str) {
        let before = self.expansions.len();
        parts(identifier, |part| {
            if part.len() <= MAX_WORD {
                // An identifier of one part is about to be remembered itself.
                let number = if part.len() == identifier.len() {
                    self.new_stem(part)
                } else {
                    self.stem_number(part)
                };
                self.expansions.push(number);
            }
        });
        if self.expansions.len() > before + 1 {
            compound_into(identifier, &mut self.lower);
            self.expansions.push(self.texts.intern(&self.lower).0);
        }
    }

    /// Calls `each` with every term of an identifier, then with its compound when it has two parts
    /// or more. Words and compounds are told apart by [`COMPOUND`].
    pub fn identifier(&mut self, identifier: &str, mut each: impl FnMut(&str)) {
        self.forget_if_full();
        self.known(Sought::of(identifier.as_bytes()), |terms, slot| {
            let known = *terms.identifiers.value(slot);
            known.terms(&terms.expansions).iter().for_each(|&term| each(terms.text(term)));
        });
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

fn lower_into(part: &str, out: &mut String) {
    out.clear();
    if part.is_ascii() {
        out.push_str(part);
        out.make_ascii_lowercase();
    } else {
        out.push_str(&part.to_lowercase());
    }
}

/// Returns the term of a whole identifier: naming styles fall together, `before_request` and
/// `beforeRequest` are one compound.
pub fn compound(identifier: &str) -> String {
    let mut term = String::with_capacity(identifier.len() + 1);
    compound_into(identifier, &mut term);
    term
}

fn compound_into(identifier: &str, out: &mut String) {
    out.clear();
    out.push(COMPOUND);
    if identifier.is_ascii() {
        identifier.split('_').for_each(|part| out.push_str(part));
        out.make_ascii_lowercase();
        return;
    }
    out.extend(identifier.chars().filter(|&c| c != '_').flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn letters_are_those_of_the_standard_library() {
        assert_eq!(('\0'..=char::MAX).find(|&c| is_alphanumeric(c) != c.is_alphanumeric()), None);
    }

    #[test]
    fn words_without_a_suffix_are_their_own_stems() {
        let endings = || {
            (b'a'..=b'z').flat_map(|one| {
                (b'a'..=b'z').flat_map(move |two| (b'a'..=b'z').map(move |three| [one, two, three]))
            })
        };
        for head in
            ["t", "ay", "yes", "comp", "relat", "aeiou", "strm", "inter", "nation", "yellowy"]
        {
            for ending in endings().filter(|ending| !has_suffix(ending)) {
                let word = [head.as_bytes(), &ending].concat();
                let mut stemmed = word.clone();
                stem(&mut stemmed);
                assert_eq!(stemmed, word);
            }
        }
    }

    proptest! {
        /// What was remembered before changes nothing: an identifier may have been a part of another.
        #[test]
        fn memory_changes_no_term(texts in proptest::collection::vec("([A-Z]{1,3}|[a-z]{1,5}|_|[0-9]|\u{e9}|\u{df}){1,5}|[a-z]{38,43}(_[a-z])?", 1..60)) {
            let terms_of = |terms: &mut Terms, text: &str| {
                let mut found = Vec::new();
                terms.identifier(text, |term| found.push(term.to_owned()));
                terms.words(text, |term| found.push(term.to_owned()));
                found
            };
            let mut memory = Terms::default();
            for text in &texts {
                prop_assert_eq!(terms_of(&mut memory, text), terms_of(&mut Terms::default(), text), "{}", text);
            }
        }
    }

    #[test]
    fn styles_share_their_compound() {
        assert_eq!(compound("beforeRequest"), compound("before_request"));
    }
}
