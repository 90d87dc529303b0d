//! Names: the request's identifiers and words against names of symbols, whole before part.

use super::{Channel, Found};
use crate::providers::Provider;
use crate::task::top;
use crate::understand::{Query, is_stop_word};
use contextd_lang::terms;

pub struct Names;

/// Names that are compared: those whose own words match best.
const COMPARED: usize = 4_000;
/// What a name is worth that is the word, starts with it, has it inside.
const TIERS: [f32; 3] = [1.0, 0.6, 0.3];
/// Words that are compared.
const WORDS: usize = 64;
/// A word that is no identifier says less than one written as code.
const PLAIN: f32 = 0.5;

impl Channel for Names {
    fn id(&self) -> &'static str {
        "names"
    }

    fn provider(&self) -> Provider {
        Provider::Symbol
    }

    fn weight(&self) -> f32 {
        2.0
    }

    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)> {
        let snapshot = found.sources.snapshot;
        let wanted = wanted(found.query);
        let mut symbols: Vec<u32> = top(
            found
                .lexical
                .symbol_hits
                .iter()
                .map(|&symbol| (symbol, found.lexical.symbols[symbol as usize]))
                .collect(),
            COMPARED,
        )
        .into_iter()
        .map(|(symbol, _)| symbol)
        .collect();
        symbols.extend(
            found
                .query
                .identifiers
                .iter()
                .flat_map(|identifier| snapshot.symbols_named_like(&identifier.text)),
        );
        symbols.sort_unstable();
        symbols.dedup();
        let most = found
            .lexical
            .symbol_hits
            .iter()
            .map(|&symbol| found.lexical.symbols[symbol as usize])
            .fold(f32::MIN_POSITIVE, f32::max);
        let score = |symbol: u32| {
            let name = snapshot.symbol(symbol).name().to_lowercase();
            let tier =
                wanted.iter().map(|(word, sure)| sure * tier(&name, word)).fold(0.0, f32::max);
            // Of equal names the one whose surroundings match stands first.
            if tier > 0.0 {
                tier + 0.1 * found.lexical.symbols[symbol as usize] / most
            } else {
                0.0
            }
        };
        symbols.into_iter().map(|symbol| (symbol, score(symbol))).collect()
    }
}

/// Returns the identifiers and plain words of a request in lower case, with how much each says.
fn wanted(query: &Query) -> Vec<(String, f32)> {
    let mut wanted: Vec<(String, f32)> = query
        .identifiers
        .iter()
        .map(|identifier| {
            (identifier.text.to_lowercase(), if identifier.code { 1.0 } else { PLAIN })
        })
        .collect();
    for word in
        terms::identifiers(&query.text).map(str::to_lowercase).filter(|word| !is_stop_word(word))
    {
        if wanted.len() < WORDS && !wanted.iter().any(|(other, _)| *other == word) {
            wanted.push((word, PLAIN));
        }
    }
    wanted
}

fn tier(name: &str, word: &str) -> f32 {
    match name.find(word) {
        _ if word.len() < 3 => f32::from(u8::from(name == word)),
        Some(_) if name.len() == word.len() => TIERS[0],
        Some(0) => TIERS[1],
        Some(_) => TIERS[2],
        None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::tier;

    #[test]
    fn whole_before_start_before_inside() {
        assert_eq!(
            [
                tier("parse", "parse"),
                tier("parser", "parse"),
                tier("reparse", "parse"),
                tier("print", "parse"),
                tier("id", "id"),
                tier("identity", "id")
            ],
            [1.0, 0.6, 0.3, 0.0, 1.0, 0.0]
        );
    }
}
