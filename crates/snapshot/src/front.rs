//! Sorted strings written as the length they share with the string before and the rest.

use crate::column::{self, Column};
use crate::varint::{self, Reader};

/// Strings in a block; the first of a block is whole.
pub(crate) const BLOCK: u32 = 16;

const LONG: usize = 15;

/// Appends `key`, which follows `before`; a key that starts a block follows the empty string.
pub(crate) fn put_key(out: &mut Vec<u8>, before: &[u8], key: &[u8]) {
    let shared = before.iter().zip(key).take_while(|(a, b)| a == b).count();
    let rest = key.len() - shared;
    out.push((shared.min(LONG) << 4 | rest.min(LONG)) as u8);
    for length in [shared, rest] {
        if length >= LONG {
            varint::put(out, (length - LONG) as u32);
        }
    }
    out.extend_from_slice(&key[shared..]);
}

/// Reads a key and returns how much it shares with the one before, and its rest.
pub(crate) fn take_key<'a>(reader: &mut Reader<'a>) -> (usize, &'a [u8]) {
    let lengths = usize::from(reader.byte());
    let mut long = |short: usize| {
        if short == LONG {
            LONG + reader.varint() as usize
        } else {
            short
        }
    };
    let (shared, rest) = (long(lengths >> 4), long(lengths & LONG));
    (shared, reader.take(rest))
}

/// Reads a key into `key`, which holds the one before.
pub(crate) fn next_key(reader: &mut Reader<'_>, key: &mut Vec<u8>) {
    let (shared, rest) = take_key(reader);
    key.truncate(shared);
    key.extend_from_slice(rest);
}

/// Writes sorted strings; returns the column of block ends and the bytes.
pub(crate) fn pack<'a>(strings: impl Iterator<Item = &'a str>) -> (Vec<u8>, Vec<u8>) {
    let (mut ends, mut bytes, mut before) = (Vec::new(), Vec::new(), "");
    for (number, string) in strings.enumerate() {
        if (number as u32).is_multiple_of(BLOCK) {
            if number > 0 {
                ends.push(bytes.len() as u32);
            }
            before = "";
        }
        put_key(&mut bytes, before.as_bytes(), string.as_bytes());
        before = string;
    }
    if !bytes.is_empty() {
        ends.push(bytes.len() as u32);
    }
    (column::pack(ends), bytes)
}

/// Sorted strings of a mapped section, by number.
#[derive(Clone, Copy)]
pub(crate) struct FrontCoded<'a> {
    pub(crate) ends: Column<'a>,
    pub(crate) bytes: &'a [u8],
}

impl FrontCoded<'_> {
    /// Replaces `key` by string `number`; by the empty one when damaged.
    pub(crate) fn read(&self, number: u32, key: &mut Vec<u8>) {
        key.clear();
        let start = self.ends.start(number / BLOCK) as usize;
        let mut reader = Reader::new(self.bytes.get(start..).unwrap_or(&[]));
        for _ in 0..=number % BLOCK {
            next_key(&mut reader, key);
        }
        if !reader.is_whole() {
            key.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_come_back_by_number(strings in proptest::collection::btree_set("[ab]{0,40}", 0..60)) {
            let (ends, bytes) = pack(strings.iter().map(String::as_str));
            let packed = FrontCoded { ends: Column::new(&ends, strings.len().div_ceil(BLOCK as usize)).unwrap(), bytes: &bytes };
            let mut key = Vec::new();
            for (number, string) in strings.iter().enumerate().rev() {
                packed.read(number as u32, &mut key);
                prop_assert_eq!(&key, string.as_bytes());
            }
        }
    }
}
