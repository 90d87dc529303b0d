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

/// Strings that are looked up together.
const TOGETHER: usize = 16;

impl Default for Interner {
    fn default() -> Self {
        Self::with_room_for(128)
    }
}

impl Interner {
    /// Returns an empty one that need not grow for about so many strings.
    pub fn with_room_for(strings: usize) -> Self {
        Self {
            table: StringTable::default(),
            slots: empty_slots((strings * 2).next_power_of_two().max(16)),
        }
    }

    /// Returns an empty one with room for the names of a text of `length` bytes.
    pub fn for_text(length: usize) -> Self {
        let mut interner = Self::with_room_for((length / 32).clamp(128, 1 << 13));
        interner.table.bytes.reserve(length / 6);
        interner.table.ends.reserve(length / 40);
        interner
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        if text.is_empty() { StrId::EMPTY } else { self.intern_hashed(text, hash(text)) }
    }

    /// Interns many strings in order; `each` hears of their ids. A table that is larger than the
    /// processor's caches answers several questions in the time of one when they are asked together.
    pub fn intern_many<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        mut each: impl FnMut(StrId),
    ) {
        let mut texts = texts.into_iter();
        let mut group = [("", 0u32); TOGETHER];
        loop {
            let mut count = 0;
            for (place, text) in group.iter_mut().zip(&mut texts) {
                *place = (text, hash(text));
                count += 1;
            }
            self.touch(&group[..count]);
            for &(text, hash) in &group[..count] {
                each(if text.is_empty() { StrId::EMPTY } else { self.intern_hashed(text, hash) });
            }
            if count < TOGETHER {
                return;
            }
        }
    }

    /// Reads what looking up these strings will read, without waiting for one before asking for the next.
    fn touch(&self, group: &[(&str, u32)]) {
        let (mask, mut sum) = (self.slots.len() - 1, 0);
        let mut ends = [0; TOGETHER];
        for (end, &(_, hash)) in ends.iter_mut().zip(group) {
            *end = self.slots[hash as usize & mask] as u32;
        }
        for end in &mut ends[..group.len()] {
            *end = self.table.ends.get((*end as usize).wrapping_sub(1)).copied().unwrap_or(0);
        }
        for &end in &ends[..group.len()] {
            sum |= self.table.bytes.as_bytes().get(end as usize).copied().unwrap_or(0);
        }
        std::hint::black_box(sum);
    }

    fn intern_hashed(&mut self, text: &str, hash: u32) -> StrId {
        if self.table.len() * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                let id = self.table.push(text);
                self.slots[at] = u64::from(hash) << 32 | u64::from(id.0);
                return id;
            }
            let id = StrId(slot as u32);
            if (slot >> 32) as u32 == hash && self.is(id, text) {
                return id;
            }
            at = (at + 1) & mask;
        }
    }

    /// True when an id that was given is the text's.
    fn is(&self, id: StrId, text: &str) -> bool {
        let (ends, at) = (&self.table.ends, id.0 as usize);
        self.table.bytes.as_bytes()[ends[at - 1] as usize..ends[at] as usize] == *text.as_bytes()
    }

    /// Forgets all strings and keeps the room they had.
    pub(crate) fn clear(&mut self) {
        self.table.bytes.clear();
        self.table.ends.truncate(1);
        self.slots.fill(0);
    }

    fn grow(&mut self) {
        let mut slots = empty_slots(self.slots.len() * 2);
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

/// Returns so many slots with nothing in them. They are written here: new memory that is read before it is written is made
/// twice by the system, the second time with a word to every other core.
fn empty_slots(count: usize) -> Vec<u64> {
    let mut slots = Vec::with_capacity(count);
    // Else the compiler makes it a question for memory that is empty already.
    std::hint::black_box(slots.as_mut_ptr());
    slots.resize(count, 0);
    slots
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

        #[test]
        fn many_at_once_are_as_one_after_the_other(texts in proptest::collection::vec("[ab\u{0}\u{e4}]{0,6}", 0..100), known in 0usize..40) {
            let (mut one, mut many) = (Interner::with_room_for(0), Interner::with_room_for(0));
            for text in texts.iter().rev().take(known) {
                one.intern(text);
                many.intern(text);
            }
            let expected: Vec<StrId> = texts.iter().map(|text| one.intern(text)).collect();
            let mut found = Vec::new();
            many.intern_many(texts.iter().map(String::as_str), |id| found.push(id));
            prop_assert_eq!(found, expected);
            prop_assert_eq!(&many.table, &one.table);
            many.clear();
            prop_assert!(many.table.is_empty());
            prop_assert!(texts.iter().all(|text| text.is_empty() || many.intern(text).0 > 0));
        }
    }
}
