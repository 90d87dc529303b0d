//! Authorities and hubs of a small part of the graph, by power iteration.

use crate::near::is_company;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// Returns authority and hub score of each symbol, over the edges among them; the greatest of each is 1.
pub fn hits(snapshot: &Snapshot, symbols: &[u32], iterations: u32) -> FxHashMap<u32, (f32, f32)> {
    let places: FxHashMap<u32, usize> =
        symbols.iter().enumerate().map(|(place, &symbol)| (symbol, place)).collect();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (place, &symbol) in symbols.iter().enumerate() {
        let targets = snapshot
            .graph()
            .out(symbol)
            .iter()
            .filter(|edge| is_company(edge) && edge.target != symbol)
            .filter_map(|edge| places.get(&edge.target));
        edges.extend(targets.map(|&target| (place, target)));
    }
    edges.sort_unstable();
    edges.dedup();
    let (authority, hub) = iterate(&edges, symbols.len(), iterations);
    symbols
        .iter()
        .enumerate()
        .map(|(place, &symbol)| (symbol, (authority[place], hub[place])))
        .collect()
}

fn iterate(edges: &[(usize, usize)], count: usize, iterations: u32) -> (Vec<f32>, Vec<f32>) {
    let (mut authority, mut hub) = (vec![1f32; count], vec![1f32; count]);
    for _ in 0..iterations {
        let mut next = vec![0f32; count];
        edges.iter().for_each(|&(source, target)| next[target] += hub[source]);
        authority = scaled(next);
        let mut next = vec![0f32; count];
        edges.iter().for_each(|&(source, target)| next[source] += authority[target]);
        hub = scaled(next);
    }
    (authority, hub)
}

fn scaled(mut values: Vec<f32>) -> Vec<f32> {
    let most = values.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        values.iter_mut().for_each(|value| *value /= most);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_hubs_point_to_is_an_authority() {
        // 0 and 1 point to 2; 3 points to 2 and 4; 2 points nowhere.
        let (authority, hub) = iterate(&[(0, 2), (1, 2), (3, 2), (3, 4)], 5, 10);
        assert_eq!(authority[2], 1.0);
        assert!(authority[4] > 0.0 && authority[4] < 1.0 && authority[0] == 0.0);
        assert_eq!(hub[3], 1.0);
        assert!(hub[0] > 0.0 && hub[0] < 1.0 && hub[2] == 0.0);
    }

    proptest! {
        #[test]
        fn scores_stay_between_zero_and_one(edges in prop::collection::vec((0..20usize, 0..20usize), 0..80)) {
            let (authority, hub) = iterate(&edges, 20, 10);
            prop_assert!(authority.iter().chain(&hub).all(|score| (0.0..=1.0).contains(score)));
        }
    }
}
