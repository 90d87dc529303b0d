//! Sorted strings written as the length they share with the string before and the rest.

use crate::varint::{self, Reader};

/// Strings in a block of a dictionary that is searched; the first of a block is whole.
pub(crate) const BLOCK: u32 = 16;

const LONG: usize = 15;

/// Appends `key`, which follows `before`; a key that starts a block follows the empty string.
pub(crate) fn put_key(out: &mut Vec<u8>, before: &[u8], key: &[u8]) {
    let shared = shared_length(before, key);
    let rest = key.len() - shared;
    out.push((shared.min(LONG) << 4 | rest.min(LONG)) as u8);
    for length in [shared, rest] {
        if length >= LONG {
            varint::put(out, (length - LONG) as u32);
        }
    }
    out.extend_from_slice(&key[shared..]);
}

/// Counts the bytes that two keys begin with alike, eight at a time.
fn shared_length(left: &[u8], right: &[u8]) -> usize {
    let words = left.chunks_exact(8).zip(right.chunks_exact(8));
    let shared = 8 * words.take_while(|(left, right)| left == right).count();
    let rest = left[shared..].iter().zip(&right[shared..]);
    shared + rest.take_while(|(left, right)| left == right).count()
}

/// Reads a key and returns how much it shares with the one before, and its rest.
pub(crate) fn take_key<'a>(reader: &mut Reader<'a>) -> (usize, &'a [u8]) {
    let lengths = usize::from(reader.byte());
    let mut long = |short: usize| {
        if short == LONG { LONG + reader.varint() as usize } else { short }
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

/// Writes sorted strings one after the other, to be read from the first on.
pub(crate) fn pack<'a>(strings: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::new(), "");
    for string in strings {
        put_key(&mut bytes, before.as_bytes(), string.as_bytes());
        before = string;
    }
    bytes
}

/// Reads up to `count` strings that [`pack`] wrote, laid end to end with their ends.
pub(crate) fn unpack(bytes: &[u8], count: u32, strings: &mut Vec<u8>, ends: &mut Vec<u32>) {
    strings.clear();
    ends.clear();
    let (mut reader, mut start) = (Reader::new(bytes), 0usize);
    for _ in 0..count {
        let (shared, rest) = take_key(&mut reader);
        let end = strings.len();
        let shared = start..start.saturating_add(shared).min(end);
        // What a damaged table claims to share may not grow beyond all bounds.
        if !reader.is_whole() || end > MAX_TABLE {
            return;
        }
        start = end;
        strings.extend_from_within(shared);
        strings.extend_from_slice(rest);
        ends.push(strings.len() as u32);
    }
}

/// Longest table of strings that is unpacked.
const MAX_TABLE: usize = 1 << 28;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_come_back(strings in proptest::collection::btree_set("[ab]{0,40}", 0..60)) {
            let packed = pack(strings.iter().map(String::as_str));
            let (mut bytes, mut ends) = (vec![1], vec![1]);
            unpack(&packed, strings.len() as u32, &mut bytes, &mut ends);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let found: Vec<&[u8]> = starts.zip(&ends).map(|(start, &end)| &bytes[start as usize..end as usize]).collect();
            prop_assert_eq!(found, strings.iter().map(String::as_bytes).collect::<Vec<_>>());
        }
    }
}
