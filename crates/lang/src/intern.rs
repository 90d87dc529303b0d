//! Interning of strings into a [`StringTable`] while facts are gathered.

use contextd_model::strings::{StrId, StringTable};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Builds a [`StringTable`] in which equal strings have equal ids.
///
/// Open addressing over ids: the strings themselves live only in the table, and half a hash beside each
/// id spares a look at most of those that are not meant.
pub struct Interner {
    pub table: StringTable,
    /// Half a hash and the id; 0 where nothing is. A power of two of them, at most half in use.
    slots: Vec<u64>,
}

impl Default for Interner {
    fn default() -> Self {
        Self::with_room_for(128)
    }
}

impl Interner {
    /// Returns an empty one that need not grow for about so many strings.
    pub fn with_room_for(strings: usize) -> Self {
        Self { table: StringTable::default(), slots: vec![0; (strings * 2).next_power_of_two().max(16)] }
    }

    /// Returns an empty one with room for the names of a text of `length` bytes.
    pub fn for_text(length: usize) -> Self {
        let mut interner = Self::with_room_for((length / 32).clamp(128, 1 << 13));
        interner.table.bytes.reserve(length / 6);
        interner.table.ends.reserve(length / 40);
        interner
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        if text.is_empty() {
            return StrId::EMPTY;
        }
        if self.table.len() * 2 > self.slots.len() {
            self.grow();
        }
        let (hash, mask) = (hash(text), self.slots.len() - 1);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                let id = self.table.push(text);
                self.slots[at] = u64::from(hash) << 32 | u64::from(id.0);
                return id;
            }
            let id = StrId(slot as u32);
            if (slot >> 32) as u32 == hash && self.table.get(id) == text {
                return id;
            }
            at = (at + 1) & mask;
        }
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

    proptest! {
        #[test]
        fn ids_are_given_once_in_order(texts in proptest::collection::vec("[ab\u{0}\u{e4}]{0,6}", 0..300)) {
            let mut interner = Interner::with_room_for(0);
            let mut next = 1;
            for text in &texts {
                let id = interner.intern(text);
                prop_assert_eq!(interner.table.get(id), text);
                prop_assert_eq!(interner.intern(text), id);
                prop_assert!(id.0 <= next, "{} comes after {}", id.0, next);
                next += u32::from(id.0 == next);
            }
            prop_assert_eq!(interner.table.len() as u32, next);
        }
    }
}
