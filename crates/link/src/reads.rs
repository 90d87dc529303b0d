//! What each file asked of the others while it was linked, kept to tell who must be linked again after a change.
//!
//! A question is a number of 28 bits, a hash of what was asked for: two questions with one number are taken for the same,
//! which links a file too many and never one too few. (With 22 bits hundreds of files were linked for nothing now and
//! then, where a question that many ask was taken for another.) Answers are not kept; who changes something says which
//! questions have other answers now.

use crate::key;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Bits of a question's number.
const BITS: u32 = 28;
/// Bits of a number that tell most questions apart at once.
const FIRST_BITS: u32 = 16;

/// A question to the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked(u32);

/// Symbols are meant by numbers that last (see [`Numbers`]), packages and files by their own.
impl Asked {
    fn new(kind: u64, of: u64, name: u64) -> Self {
        Self((key::within(key::within(kind, of), name) >> (64 - BITS)) as u32)
    }

    pub fn row(symbol: u64) -> Self {
        Self::new(1, symbol, 0)
    }

    pub fn constructors(symbol: u64) -> Self {
        Self::new(2, symbol, 0)
    }

    pub fn scope(symbol: u64, name: u64) -> Self {
        Self::new(3, symbol, name)
    }

    pub fn package(package: u32, name: u64) -> Self {
        Self::new(4, u64::from(package), name)
    }

    pub fn extension(package: u32, name: u64) -> Self {
        Self::new(5, u64::from(package), name)
    }

    pub fn members(family: u8, name: u64) -> Self {
        Self::new(6, u64::from(family), name)
    }

    pub fn few_members(family: u8, name: u64) -> Self {
        Self::new(7, u64::from(family), name)
    }

    pub fn globals(family: u8, name: u64) -> Self {
        Self::new(8, u64::from(family), name)
    }

    pub fn field(owner: u64, name: u64) -> Self {
        Self::new(9, owner, name)
    }

    pub fn outer(symbol: u64) -> Self {
        Self::new(10, symbol, 0)
    }

    pub fn supers(symbol: u64) -> Self {
        Self::new(11, symbol, 0)
    }

    pub fn satisfied(symbol: u64) -> Self {
        Self::new(12, symbol, 0)
    }

    pub fn import(file: u32, name: u64) -> Self {
        Self::new(13, u64::from(file), name)
    }

    pub fn wildcards(file: u32) -> Self {
        Self::new(14, u64::from(file), 0)
    }

    pub fn default_export(file: u32) -> Self {
        Self::new(15, u64::from(file), 0)
    }

    pub fn documented(name: u64) -> Self {
        Self::new(16, 0, name)
    }

    pub fn few_documented(name: u64) -> Self {
        Self::new(17, 0, name)
    }
}

/// The questions of one file while it is linked.
#[derive(Default)]
pub struct Seen {
    asked: RefCell<FxHashSet<u32>>,
}

impl Seen {
    pub fn note(&self, asked: Asked) {
        self.asked.borrow_mut().insert(asked.0);
    }

    /// Returns the questions so far, and begins anew.
    pub fn take(&self) -> Questions {
        let mut asked: Vec<u32> = self.asked.borrow_mut().drain().collect();
        asked.sort_unstable();
        Questions::of(&asked)
    }
}

/// A set of questions: the differences of sorted numbers, seven bits to a byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions(Box<[u8]>);

impl Questions {
    fn of(sorted: &[u32]) -> Self {
        let mut bytes = Vec::with_capacity(sorted.len() * 2 + sorted.len() / 4);
        let mut before = 0;
        for &number in sorted {
            let mut rest = number - before;
            before = number;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        Self(bytes.into_boxed_slice())
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (mut number, mut rest, mut shift) = (0, 0, 0);
        self.0.iter().filter_map(move |&byte| {
            rest |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 != 0 {
                return None;
            }
            number += rest;
            (rest, shift) = (0, 0);
            Some(number)
        })
    }

    /// Takes up further questions.
    fn add(&mut self, more: &Questions) {
        if self.0.is_empty() {
            *self = more.clone();
            return;
        }
        let mut all: Vec<u32> = self.iter().chain(more.iter()).collect();
        all.sort_unstable();
        all.dedup();
        *self = Self::of(&all);
    }
}

/// Questions that have other answers than before.
#[derive(Default)]
pub struct Changed {
    asked: FxHashSet<u32>,
    /// The first bits of their numbers.
    marks: Vec<u64>,
}

impl Changed {
    pub fn add(&mut self, asked: Asked) {
        self.marks.resize(1 << (FIRST_BITS - 6), 0);
        let first = asked.0 >> (BITS - FIRST_BITS);
        self.marks[(first >> 6) as usize] |= 1 << (first & 63);
        self.asked.insert(asked.0);
    }

    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Takes up what another set holds.
    pub fn extend(&mut self, other: &Changed) {
        other.asked.iter().for_each(|&number| self.add(Asked(number)));
    }

    fn concerns(&self, questions: &Questions) -> bool {
        let is_marked = |number: u32| {
            let first = number >> (BITS - FIRST_BITS);
            self.marks[(first >> 6) as usize] >> (first & 63) & 1 == 1
        };
        questions.iter().any(|number| is_marked(number) && self.asked.contains(&number))
    }
}

/// What all files asked.
#[derive(Default)]
pub struct Reads {
    /// While what others read was gathered: types of members outside of them, bases, interfaces.
    early: Vec<Questions>,
    /// For the file's own edges.
    late: Vec<Questions>,
    numbers: Numbers,
}

impl Reads {
    pub(crate) fn of(early: Vec<Questions>, late: Vec<Questions>, numbers: Numbers) -> Self {
        Self { early, late, numbers }
    }

    pub(crate) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    pub(crate) fn set_numbers(&mut self, numbers: Numbers) {
        self.numbers = numbers;
    }

    /// Returns the files that asked one of the questions early.
    pub(crate) fn early(&self, changed: &Changed) -> Vec<u32> {
        concerned(&self.early, changed)
    }

    /// Returns the files that asked one of the questions for their own edges.
    pub(crate) fn late(&self, changed: &Changed) -> Vec<u32> {
        concerned(&self.late, changed)
    }

    pub(crate) fn add_early(&mut self, file: u32, questions: &Questions) {
        self.early[file as usize].add(questions);
    }

    /// Puts what a file asked for its own edges in place of what it asked before.
    pub fn set_late(&mut self, file: u32, questions: Questions) {
        self.late[file as usize] = questions;
    }
}

fn concerned(questions: &[Questions], changed: &Changed) -> Vec<u32> {
    if changed.is_empty() {
        return Vec::new();
    }
    let files = questions.par_iter().with_min_len(64).enumerate();
    files
        .filter(|(_, questions)| changed.concerns(questions))
        .map(|(file, _)| file as u32)
        .collect()
}

/// Numbers of symbols that stay when their rows move: those of the rows at first, save in files that have changed since.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    files: FxHashMap<u32, Lasting>,
}

/// The numbers of a file's rows, and the next one for a row that is new.
#[derive(Clone, Debug, Default)]
struct Lasting {
    rows: Vec<u32>,
    next: u32,
}

impl Numbers {
    pub fn of(&self, file: u32, local: u32) -> u64 {
        let number = match self.files.get(&file) {
            Some(lasting) => lasting.rows[local as usize],
            None => local,
        };
        u64::from(file) << 32 | u64::from(number)
    }

    /// Tells what became of the rows of a file: by new row the old one, where there was one.
    pub fn renew(&mut self, file: u32, before: usize, now: impl Iterator<Item = Option<u32>>) {
        let known = self
            .files
            .remove(&file)
            .unwrap_or_else(|| Lasting { rows: (0..before as u32).collect(), next: before as u32 });
        let mut next = known.next;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        let rows =
            now.map(|old| old.map_or_else(&mut fresh, |old| known.rows[old as usize])).collect();
        self.files.insert(file, Lasting { rows, next });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn questions_come_back(numbers in proptest::collection::btree_set(0u32..1 << BITS, 0..200), more in proptest::collection::btree_set(0u32..1 << BITS, 0..50)) {
            let of = |numbers: &BTreeSet<u32>| {
                let seen = Seen::default();
                numbers.iter().rev().chain(numbers).for_each(|&number| seen.note(Asked(number)));
                let questions = seen.take();
                assert_eq!(seen.take(), Questions::default());
                questions
            };
            let mut questions = of(&numbers);
            prop_assert_eq!(questions.iter().collect::<BTreeSet<_>>(), numbers.clone());
            questions.add(&of(&more));
            prop_assert_eq!(questions.iter().collect::<Vec<_>>(), numbers.union(&more).copied().collect::<Vec<_>>());
            let mut changed = Changed::default();
            more.iter().for_each(|&number| changed.add(Asked(number)));
            prop_assert_eq!(!more.is_empty() && changed.concerns(&of(&numbers)), !more.is_disjoint(&numbers));
        }
    }
}
