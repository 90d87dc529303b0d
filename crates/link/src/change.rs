//! Which symbols of a file are the same in a new version of it.

use contextd_model::facts::{FactsView, NONE};
use rustc_hash::FxHashMap;

/// What became of the symbols of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// By old row the new one, [`NONE`] for what is gone. Rows that stay keep their order.
    pub rows: Vec<u32>,
    /// How many rows there are now.
    pub now: usize,
}

impl Change {
    /// Compares two versions: a symbol of one kind and name stays one, the second of that name the second.
    pub fn between(old: &FactsView<'_>, new: &FactsView<'_>) -> Self {
        let pairs = longest_rise(&alike(old, new));
        let mut rows = vec![NONE; old.symbols.len()];
        for (before, now) in pairs {
            rows[before as usize] = now;
        }
        Self { rows, now: new.symbols.len() }
    }

    /// True when every row is where it was, and there is none more.
    pub fn is_none(&self) -> bool {
        self.now == self.rows.len() && self.rows.iter().zip(0..).all(|(&now, before)| now == before)
    }

    /// Returns where a row is now.
    pub fn row(&self, before: u32) -> Option<u32> {
        self.rows.get(before as usize).copied().filter(|&now| now != NONE)
    }

    /// Returns by new row the old one, where there was one.
    pub fn origins(&self) -> Vec<Option<u32>> {
        let mut origins = vec![None; self.now];
        for (&now, before) in self.rows.iter().zip(0..).filter(|(now, _)| **now != NONE) {
            origins[now as usize] = Some(before);
        }
        origins
    }
}

/// Pairs each old row with the new one of its kind, name and place among those of that name.
fn alike(old: &FactsView<'_>, new: &FactsView<'_>) -> Vec<(u32, u32)> {
    let mut known: FxHashMap<(u8, &str, &str), std::collections::VecDeque<u32>> =
        FxHashMap::default();
    for (row, at) in new.symbols.iter().zip(0..) {
        known
            .entry((row.kind, new.str(row.qualified), new.str(row.name)))
            .or_default()
            .push_back(at);
    }
    let pair = |(row, at): (&contextd_model::facts::SymbolRow, u32)| {
        Some((
            at,
            known.get_mut(&(row.kind, old.str(row.qualified), old.str(row.name)))?.pop_front()?,
        ))
    };
    old.symbols.iter().zip(0..).filter_map(pair).collect()
}

/// Leaves out as few pairs as it takes for both sides to rise.
fn longest_rise(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // The last pair of the best run of each length, and the pair before each one in its run.
    let (mut ends, mut before): (Vec<usize>, Vec<usize>) =
        (Vec::new(), Vec::with_capacity(pairs.len()));
    for (at, &(_, now)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < now);
        before.push(if length == 0 { usize::MAX } else { ends[length - 1] });
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut rise = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        rise.push(pairs[at]);
        at = before[at];
    }
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_stays_rises(numbers in proptest::collection::vec(0u32..12, 0..9)) {
            let pairs: Vec<(u32, u32)> = (0..).zip(numbers.iter().copied()).collect();
            let rise = longest_rise(&pairs);
            prop_assert!(rise.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert!(rise.iter().all(|pair| pairs.contains(pair)));
            let rises = |set: u32| {
                let chosen: Vec<u32> = (0..pairs.len()).filter(|at| set >> at & 1 == 1).map(|at| pairs[at].1).collect();
                chosen.windows(2).all(|pair| pair[0] < pair[1]).then_some(chosen.len())
            };
            prop_assert_eq!(Some(rise.len()), (0..1u32 << pairs.len()).filter_map(rises).max());
        }
    }
}
