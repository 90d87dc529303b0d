//! Names as 64-bit keys, and tables from a key to symbols.
//!
//! Keys replace a shared interner: files are read in parallel and no string is kept. Two names with
//! one key are not told apart; with a million names the odds of one such pair are one in ten million.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Returns the key of a name.
pub fn name(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.write_u8(0xff);
    hasher.finish()
}

/// Returns the key of a name inside a scope.
pub fn within(scope: u64, name: u64) -> u64 {
    let mixed = (scope ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ name;
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 29)
}

/// Scope numbers of packages lie above those of symbols.
pub fn package_scope(package: u32) -> u64 {
    (1 << 40) | u64::from(package)
}

/// Scope numbers of what a package adds to types from outside of them: extension functions.
pub fn extension_scope(package: u32) -> u64 {
    (1 << 42) | u64::from(package)
}

/// Scope numbers of families of languages.
pub fn family_scope(family: u8) -> u64 {
    (1 << 41) | u64::from(family)
}

/// Symbols by key, in the order of their numbers.
///
/// An open table: keys are mixed already, most have one symbol, and most questions are for keys that
/// are not there, so one look at one place answers nearly all of them.
#[derive(Default)]
pub struct Index {
    /// As many as a power of two, or none.
    slots: Vec<Slot>,
    /// The symbols of keys that have several.
    symbols: Vec<u32>,
    /// Keys whose symbols are others since the table was made.
    changed: FxHashMap<u64, Vec<u32>>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// The only symbol, or where several begin in [`Index::symbols`].
    first: u32,
    /// 0 where nothing is.
    count: u32,
}

impl Index {
    pub fn new(mut pairs: Vec<(u64, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let keys = pairs.chunk_by(|left, right| left.0 == right.0).count();
        let mut index = Self {
            slots: vec![
                Slot::default();
                if keys == 0 { 0 } else { (keys + keys / 3 + 1).next_power_of_two() }
            ],
            symbols: Vec::new(),
            changed: FxHashMap::default(),
        };
        for group in pairs.chunk_by(|left, right| left.0 == right.0) {
            let first = match group {
                [only] => only.1,
                several => {
                    let start = index.symbols.len() as u32;
                    index.symbols.extend(several.iter().map(|pair| pair.1));
                    start
                }
            };
            let at = index.find(group[0].0);
            index.slots[at] = Slot { key: group[0].0, first, count: group.len() as u32 };
        }
        index
    }

    /// Returns the place of a key, or the empty one where it would be; there are slots.
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].count != 0 && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Takes pairs out and then puts others in; the same pair may be among both.
    pub fn replace(&mut self, gone: &[(u64, u32)], come: &[(u64, u32)]) {
        for &(key, symbol) in gone {
            self.changing(key).retain(|&other| other != symbol);
        }
        for &(key, symbol) in come {
            let symbols = self.changing(key);
            if let Err(place) = symbols.binary_search(&symbol) {
                symbols.insert(place, symbol);
            }
        }
    }

    fn changing(&mut self, key: u64) -> &mut Vec<u32> {
        if !self.changed.contains_key(&key) {
            let known = self.made_with(key).to_vec();
            self.changed.insert(key, known);
        }
        self.changed.entry(key).or_default()
    }

    /// Returns the symbols under a key, none when it is unknown.
    pub fn get(&self, key: u64) -> &[u32] {
        if !self.changed.is_empty()
            && let Some(symbols) = self.changed.get(&key)
        {
            return symbols;
        }
        self.made_with(key)
    }

    fn made_with(&self, key: u64) -> &[u32] {
        if self.slots.is_empty() {
            return &[];
        }
        let slot = &self.slots[self.find(key)];
        match slot.count {
            0 => &[],
            1 => std::slice::from_ref(&slot.first),
            count => &self.symbols[slot.first as usize..(slot.first + count) as usize],
        }
    }
}

/// A set of symbols as bits.
#[derive(Default)]
pub struct Marks(Vec<u64>);

impl Marks {
    /// Makes an empty set of numbers below `count`.
    pub fn below(count: u32) -> Self {
        Self(vec![0; (count as usize).div_ceil(64)])
    }

    pub fn set(&mut self, symbol: u32) {
        if let Some(word) = self.0.get_mut(symbol as usize / 64) {
            *word |= 1 << (symbol % 64);
        }
    }

    pub fn has(&self, symbol: u32) -> bool {
        self.0.get(symbol as usize / 64).is_some_and(|word| word >> (symbol % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn an_index_holds_what_it_was_made_of(pairs in proptest::collection::vec((0u64..40, 0u32..20), 0..120), spread in 0u32..60) {
            let pairs: Vec<(u64, u32)> = pairs.into_iter().map(|(key, symbol)| (key << spread, symbol)).collect();
            let mut expected: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for &(key, symbol) in &pairs {
                expected.entry(key).or_default().insert(symbol);
            }
            let index = Index::new(pairs);
            for key in (0..64).map(|key| key << spread) {
                let found: Vec<u32> = expected.get(&key).into_iter().flatten().copied().collect();
                prop_assert_eq!(index.get(key), found);
            }
        }
    }
}
