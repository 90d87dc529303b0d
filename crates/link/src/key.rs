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
#[derive(Default)]
pub struct Index {
    ranges: FxHashMap<u64, (u32, u32)>,
    symbols: Vec<u32>,
}

impl Index {
    pub fn new(mut pairs: Vec<(u64, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut ranges = FxHashMap::with_capacity_and_hasher(pairs.len(), Default::default());
        let mut start = 0;
        for at in 1..=pairs.len() {
            if at == pairs.len() || pairs[at].0 != pairs[start].0 {
                ranges.insert(pairs[start].0, (start as u32, at as u32));
                start = at;
            }
        }
        ranges.shrink_to_fit();
        Self {
            ranges,
            symbols: pairs.into_iter().map(|(_, symbol)| symbol).collect(),
        }
    }

    /// Returns the symbols under a key, none when it is unknown.
    pub fn get(&self, key: u64) -> &[u32] {
        match self.ranges.get(&key) {
            Some(&(start, end)) => &self.symbols[start as usize..end as usize],
            None => &[],
        }
    }
}
