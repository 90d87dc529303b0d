//! Strings numbered in the order they come, each kept once, for what a segment is made of.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Strings of one segment while it is written: one run of bytes and an open table of their hashes.
pub(crate) struct Interned {
    /// Half a hash and the number plus one; 0 where nothing is. As many as a power of two.
    slots: Vec<u64>,
    text: String,
    ends: Vec<u32>,
}

impl Interned {
    /// Makes a table that need not grow for about `strings` strings.
    pub(crate) fn with_room_for(strings: usize) -> Self {
        Self {
            slots: vec![0; (strings * 2).next_power_of_two().max(16)],
            text: String::new(),
            ends: Vec::new(),
        }
    }

    /// Returns the number of a string, the next one when it is new.
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        let hash = hash(text);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return self.insert(at, hash, text);
            }
            let number = slot as u32 - 1;
            if (slot >> 32) as u32 == hash && self.get(number) == text {
                return number;
            }
            at = (at + 1) & mask;
        }
    }

    pub(crate) fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns those numbers for which `wanted` says so, in the byte order of their strings.
    pub(crate) fn sorted(&self, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut keyed: Vec<(u64, u32)> = (0..self.len() as u32)
            .filter(|&number| wanted(number))
            .map(|number| (beginning(self.get(number).bytes()), number))
            .collect();
        keyed.sort_unstable_by(|left, right| {
            left.0
                .cmp(&right.0)
                .then_with(|| self.get(left.1).cmp(self.get(right.1)))
        });
        keyed.into_iter().map(|(_, number)| number).collect()
    }

    fn insert(&mut self, at: usize, hash: u32, text: &str) -> u32 {
        let number = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.slots[at] = u64::from(hash) << 32 | u64::from(number + 1);
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for &slot in self.slots.iter().filter(|&&slot| slot != 0) {
            let mut at = (slot >> 32) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = slot;
        }
        self.slots = slots;
    }
}

/// Returns the first eight bytes as a number that sorts as they do; what is equal may differ further on.
pub(crate) fn beginning(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut first = [0u8; 8];
    for (to, byte) in first.iter_mut().zip(bytes) {
        *to = byte;
    }
    u64::from_be_bytes(first)
}

fn hash(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn numbers_are_given_once_and_sort_as_strings(texts in proptest::collection::vec("[ab\u{0}\u{1}\u{e4}]{0,12}", 0..200)) {
            let mut interned = Interned::with_room_for(0);
            let numbers: Vec<u32> = texts.iter().map(|text| interned.number(text)).collect();
            for (text, number) in texts.iter().zip(numbers) {
                prop_assert_eq!(interned.get(number), text);
                prop_assert_eq!(interned.number(text), number);
            }
            let sorted: Vec<&str> = interned.sorted(|_| true).into_iter().map(|number| interned.get(number)).collect();
            let expected: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
            prop_assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
