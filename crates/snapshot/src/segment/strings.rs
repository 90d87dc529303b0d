//! Strings of a segment, each kept once.
//!
//! Names are sorted without regard to case first, so that looking a name up, looking it up without
//! regard to case and listing names by prefix are binary searches. The strings that only the linker
//! reads follow in byte order; both share one numbering, in which 0 is the empty string.

use crate::{column, front};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Collects strings while files are added.
pub(crate) struct Interner {
    numbers: FxHashMap<Box<str>, u32>,
    is_name: Vec<bool>,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            numbers: FxHashMap::from_iter([("".into(), 0)]),
            is_name: vec![true],
        }
    }
}

impl Interner {
    /// Returns the number of a string of the linker until [`Interner::finish`].
    pub(crate) fn link(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.is_name.len() as u32;
        self.numbers.insert(text.into(), number);
        self.is_name.push(false);
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
        let Self { numbers, is_name } = self;
        let (mut names, mut links): (Vec<_>, Vec<_>) = numbers
            .into_iter()
            .partition(|&(_, number)| is_name[number as usize]);
        names.sort_unstable_by(|(left, _), (right, _)| compare_names(left, right));
        links.sort_unstable();
        let mut final_numbers = vec![0; is_name.len()];
        for (at, (_, number)) in names.iter().chain(&links).enumerate() {
            final_numbers[*number as usize] = at as u32;
        }
        Strings {
            final_numbers,
            names: names.into_iter().map(|(text, _)| text).collect(),
            links: links.into_iter().map(|(text, _)| text).collect(),
        }
    }
}

/// Sorted strings and the numbers they got.
pub(crate) struct Strings {
    /// Final number of each string, by the number the interner gave.
    pub(crate) final_numbers: Vec<u32>,
    pub(crate) names: Vec<Box<str>>,
    pub(crate) links: Vec<Box<str>>,
}

impl Strings {
    /// Returns the bytes of all names and the column of their ends.
    pub(crate) fn pack_names(&self) -> (Vec<u8>, Vec<u8>) {
        pack(self.names.iter().map(AsRef::as_ref))
    }

    /// Returns the front-coded strings of the linker.
    pub(crate) fn pack_links(&self) -> Vec<u8> {
        front::pack(self.links.iter().map(AsRef::as_ref))
    }
}

/// Orders names without regard to case, then by their bytes.
fn compare_names(left: &str, right: &str) -> Ordering {
    let lower = if left.is_ascii() && right.is_ascii() {
        let (left, right) = (left.bytes(), right.bytes());
        left.map(|byte| byte.to_ascii_lowercase())
            .cmp(right.map(|byte| byte.to_ascii_lowercase()))
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
