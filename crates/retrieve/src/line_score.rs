//! How much each line of a text has to do with a request: which lines of a long function to show.

use crate::evidence;
use crate::understand::Query;
use contextd_lang::terms::{self, Terms};
use contextd_snapshot::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};

/// Scores lines by the rarity of the request's words and guesses in them.
pub struct LineScorer {
    weights: FxHashMap<String, f32>,
    memory: Terms,
}

impl LineScorer {
    pub fn new(snapshot: &Snapshot, query: &Query) -> LineScorer {
        LineScorer { weights: evidence::term_weights(snapshot, query), memory: Terms::default() }
    }

    /// Returns the worth of a line: each of its terms counts once.
    pub fn score(&mut self, line: &str) -> f32 {
        if self.weights.is_empty() {
            return 0.0;
        }
        let mut seen: FxHashSet<String> = FxHashSet::default();
        for identifier in terms::identifiers(line) {
            let mut parts = 0;
            terms::parts(identifier, |part| {
                parts += 1;
                seen.insert(self.memory.stem(part).to_owned());
            });
            if parts > 1 {
                seen.insert(terms::compound(identifier));
            }
        }
        // Summed in a fixed order: floats added in another order differ in their last digit.
        let mut found: Vec<&String> = seen.iter().collect();
        found.sort_unstable();
        found.iter().filter_map(|term| self.weights.get(*term)).sum()
    }
}
