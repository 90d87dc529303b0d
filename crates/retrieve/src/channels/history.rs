//! History: symbols of the files that commits with matching messages touched.

use super::{Channel, Found};
use crate::providers::Provider;
use crate::task::top;

pub struct History;

/// Files whose symbols are taken, and symbols of each.
const FILES: usize = 30;
const PER_FILE: usize = 12;

impl Channel for History {
    fn id(&self) -> &'static str {
        "history"
    }

    fn provider(&self) -> Provider {
        Provider::GitHistory
    }

    fn weight(&self) -> f32 {
        1.0
    }

    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)> {
        let lexical = found.lexical;
        let of_file = |&(file, score): &(u32, f32)| {
            let symbols = found
                .sources
                .snapshot
                .symbols_of_file(file)
                .map(|symbol| (symbol, lexical.symbols[symbol as usize]))
                .collect();
            let best = top(symbols, PER_FILE);
            let most = best.first().map_or(0.0, |&(_, words)| words).max(f32::MIN_POSITIVE);
            // Within a file, words tell its symbols apart.
            best.into_iter()
                .map(move |(symbol, words)| (symbol, score * (0.5 + 0.5 * words / most)))
        };
        found.git.iter().take(FILES).flat_map(of_file).collect()
    }
}
