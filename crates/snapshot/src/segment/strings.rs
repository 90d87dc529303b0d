//! Strings of a segment, each kept once.
//!
//! Names are sorted without regard to case first, so that looking a name up, looking it up without
//! regard to case and listing names by prefix are binary searches. The strings that only the linker
//! reads follow in byte order; both share one numbering, in which 0 is the empty string.

use crate::interned::{beginning, sorted};
use crate::{column, front};
use contextd_model::{StrId, StringTable};
use std::cmp::Ordering;

/// Collects strings while files are added.
pub(crate) struct Interner {
    strings: contextd_lang::intern::Interner,
    is_name: Vec<bool>,
}

impl Default for Interner {
    fn default() -> Self {
        Self::for_files(0)
    }
}

impl Interner {
    /// Returns one with room for what so many files mostly have.
    pub(crate) fn for_files(count: usize) -> Self {
        Self {
            strings: contextd_lang::intern::Interner::with_room_for(count * 48),
            is_name: vec![true],
        }
    }

    /// Returns the number of a string of the linker until [`Interner::finish`].
    pub(crate) fn link(&mut self, text: &str) -> u32 {
        let number = self.strings.intern(text).0;
        if number as usize == self.is_name.len() {
            self.is_name.push(false);
        }
        number
    }

    /// Returns the number of a name until [`Interner::finish`].
    pub(crate) fn name(&mut self, text: &str) -> u32 {
        let number = self.link(text);
        self.is_name[number as usize] = true;
        number
    }

    /// Sorts the strings.
    pub(crate) fn finish(self) -> Strings {
        let (strings, is_name) = (self.strings.table, self.is_name);
        let mut order = name_order(&strings, &is_name);
        let names = order.len();
        order.extend(sorted(&strings, |number| !is_name[number as usize]));
        let mut final_numbers = vec![0; is_name.len()];
        for (at, &number) in order.iter().enumerate() {
            final_numbers[number as usize] = at as u32;
        }
        Strings { final_numbers, strings, order, names }
    }
}

/// Returns the numbers of names in the order of [`compare_names`].
fn name_order(strings: &StringTable, is_name: &[bool]) -> Vec<u32> {
    let text = |number: u32| strings.get(StrId(number));
    let names = (0..is_name.len() as u32).filter(|&number| is_name[number as usize]);
    let mut keyed: Vec<(u64, u32)> =
        names.map(|number| (lower_beginning(text(number)), number)).collect();
    keyed.sort_unstable_by(|left, right| {
        left.0.cmp(&right.0).then_with(|| compare_names(text(left.1), text(right.1)))
    });
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// Returns how a name begins in the order of [`compare_names`].
fn lower_beginning(name: &str) -> u64 {
    if name.is_ascii() {
        return beginning(name.bytes().map(|byte| byte.to_ascii_lowercase()));
    }
    beginning(lower_chars(name).flat_map(|c| {
        let mut bytes = [0; 4];
        let length = c.encode_utf8(&mut bytes).len();
        bytes.into_iter().take(length)
    }))
}

/// Sorted strings and the numbers they got.
pub(crate) struct Strings {
    /// Final number of each string, by the number the interner gave.
    pub(crate) final_numbers: Vec<u32>,
    strings: StringTable,
    /// The interner's numbers in final order.
    order: Vec<u32>,
    /// How many of them are names; they come first.
    names: usize,
}

impl Strings {
    pub(crate) fn name_count(&self) -> usize {
        self.names
    }

    pub(crate) fn link_count(&self) -> usize {
        self.order.len() - self.names
    }

    /// Returns the bytes of all names and the column of their ends.
    pub(crate) fn pack_names(&self) -> (Vec<u8>, Vec<u8>) {
        pack(self.texts(&self.order[..self.names]))
    }

    /// Returns the front-coded strings of the linker.
    pub(crate) fn pack_links(&self) -> Vec<u8> {
        front::pack(self.texts(&self.order[self.names..]))
    }

    fn texts<'a>(&'a self, numbers: &'a [u32]) -> impl Iterator<Item = &'a str> {
        numbers.iter().map(|&number| self.strings.get(StrId(number)))
    }
}

/// Orders names without regard to case, then by their bytes.
fn compare_names(left: &str, right: &str) -> Ordering {
    let lower = if left.is_ascii() && right.is_ascii() {
        let (left, right) = (left.bytes(), right.bytes());
        left.map(|byte| byte.to_ascii_lowercase()).cmp(right.map(|byte| byte.to_ascii_lowercase()))
    } else {
        lower_chars(left).cmp(lower_chars(right))
    };
    lower.then_with(|| left.cmp(right))
}

/// Returns the characters that names are sorted by; UTF-8 keeps their order.
pub(crate) fn lower_chars(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().flat_map(char::to_lowercase)
}

/// Lays strings end to end; returns the bytes and the column of ends.
pub(crate) fn pack<'a>(strings: impl Iterator<Item = &'a str>) -> (Vec<u8>, Vec<u8>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for text in strings {
        bytes.extend_from_slice(text.as_bytes());
        ends.push(bytes.len() as u32);
    }
    (bytes, column::pack(ends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_sorted_without_regard_to_case(names in proptest::collection::vec("[abAB_\u{0}\u{c4}\u{e4}\u{130}]{0,12}", 0..100)) {
            let mut interner = Interner::default();
            for name in &names {
                interner.name(name);
            }
            interner.link("only linked");
            let strings = interner.finish();
            let sorted: Vec<&str> = strings.texts(&strings.order[..strings.names]).collect();
            let mut expected: Vec<&str> = names.iter().map(String::as_str).chain([""]).collect();
            expected.sort_by(|left, right| compare_names(left, right));
            expected.dedup();
            prop_assert_eq!(sorted, expected);
            prop_assert_eq!(strings.link_count(), 1);
        }
    }
}
