//! Interning of strings into a [`StringTable`] while facts are gathered.

use contextd_model::strings::{StrId, StringTable};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Builds a [`StringTable`] in which equal strings have equal ids.
///
/// Open addressing over ids: the strings themselves live only in the table.
pub struct Interner {
    pub table: StringTable,
    slots: Vec<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Self { table: StringTable::default(), slots: vec![0; 256] }
    }
}

impl Interner {
    /// Returns an empty one with room for the names of a text of `length` bytes.
    pub fn for_text(length: usize) -> Self {
        let mut table = StringTable::default();
        table.bytes.reserve(length / 6);
        table.ends.reserve(length / 40);
        Self { table, slots: vec![0; (length / 16).next_power_of_two().clamp(256, 1 << 14)] }
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        if text.is_empty() {
            return StrId::EMPTY;
        }
        if self.table.len() * 2 > self.slots.len() {
            self.grow();
        }
        let mut slot = hash(text) & (self.slots.len() - 1);
        loop {
            match self.slots[slot] {
                0 => {
                    let id = self.table.push(text);
                    self.slots[slot] = id.0;
                    return id;
                }
                id if self.table.get(StrId(id)) == text => return StrId(id),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let mut slots = vec![0u32; size];
        for id in 1..self.table.len() as u32 {
            let mut slot = hash(self.table.get(StrId(id))) & (size - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = id;
        }
        self.slots = slots;
    }
}

fn hash(text: &str) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish() as usize
}
