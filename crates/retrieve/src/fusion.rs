//! Several ranked lists → one score for each that is in any.

use crate::channels::List;
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// How lists become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// Sum of `weight / (k + rank)`.
    #[default]
    Rrf,
    /// Mean of scores, each list scaled to its best, by weight.
    WeightedAverage,
    /// The first list with its order, then what the next one adds, and so on.
    Cascade,
}

/// Returns a score for everything in the lists, scaled so that the best has 1. `unit` says what an
/// entry stands for (itself, or its file); of several entries of one unit in a list the best counts.
pub fn fuse(
    lists: &[List],
    strategy: Fusion,
    k: f32,
    unit: impl Fn(u32) -> u32,
) -> FxHashMap<u32, f32> {
    let mut scores: FxHashMap<u32, f32> = FxHashMap::default();
    let total: f32 = lists.iter().map(|list| list.weight).sum();
    for list in lists {
        let best = list.symbols.first().map_or(1.0, |&(_, score)| score).max(f32::MIN_POSITIVE);
        let before = scores.len() as f32;
        let mut seen: FxHashMap<u32, ()> = FxHashMap::default();
        for &(symbol, score) in &list.symbols {
            let unit = unit(symbol);
            if seen.insert(unit, ()).is_some() {
                continue;
            }
            let rank = seen.len() as f32;
            match strategy {
                Fusion::Rrf => *scores.entry(unit).or_default() += list.weight / (k + rank),
                Fusion::WeightedAverage => {
                    *scores.entry(unit).or_default() += list.weight / total * score / best
                }
                Fusion::Cascade => {
                    scores.entry(unit).or_insert(1.0 / (1.0 + before + rank));
                }
            }
        }
    }
    let most = scores.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    scores.values_mut().for_each(|score| *score /= most);
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(channel: &'static str, weight: f32, symbols: &[(u32, f32)]) -> List {
        List { channel, weight, symbols: symbols.to_vec() }
    }

    fn order(scores: &FxHashMap<u32, f32>) -> Vec<u32> {
        let mut order: Vec<(u32, f32)> =
            scores.iter().map(|(&symbol, &score)| (symbol, score)).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.into_iter().map(|(symbol, _)| symbol).collect()
    }

    #[test]
    fn ranks_add_up() {
        let lists = [
            list("a", 1.0, &[(1, 9.0), (2, 8.0), (3, 1.0)]),
            list("b", 1.0, &[(2, 0.3), (4, 0.2)]),
        ];
        let fused = fuse(&lists, Fusion::Rrf, 60.0, |symbol| symbol);
        assert_eq!(order(&fused), [2, 1, 4, 3]);
        let sum = 1.0 / 62.0 + 1.0 / 61.0;
        assert!((fused[&1] - (1.0 / 61.0) / sum).abs() < 1e-6);
    }

    #[test]
    fn an_average_keeps_distances() {
        let lists = [list("a", 3.0, &[(1, 10.0), (2, 9.0)]), list("b", 1.0, &[(3, 1.0), (2, 0.1)])];
        let fused = fuse(&lists, Fusion::WeightedAverage, 60.0, |symbol| symbol);
        assert_eq!(order(&fused), [1, 2, 3]);
    }

    #[test]
    fn a_cascade_asks_the_next_list_only_for_what_is_new() {
        let lists = [
            list("a", 0.1, &[(5, 2.0), (1, 1.0)]),
            list("b", 9.0, &[(1, 9.0), (7, 8.0), (5, 1.0), (2, 0.5)]),
        ];
        assert_eq!(order(&fuse(&lists, Fusion::Cascade, 60.0, |symbol| symbol)), [5, 1, 7, 2]);
    }

    #[test]
    fn units_count_once_a_list() {
        let lists =
            [list("a", 1.0, &[(10, 3.0), (11, 2.0), (20, 1.0)]), list("b", 1.0, &[(20, 1.0)])];
        let fused = fuse(&lists, Fusion::Rrf, 60.0, |symbol| symbol / 10);
        assert_eq!(order(&fused), [2, 1]);
    }
}
