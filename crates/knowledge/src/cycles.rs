//! Cycles among nodes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Returns one shortest cycle for every group of nodes that lead to each other, as the nodes in order;
/// a node that leads to itself is no cycle: declared roots point at themselves.
pub fn cycles(edges: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(from, to) in edges.iter().filter(|(from, to)| from != to) {
        next.entry(from).or_default().push(to);
    }
    let mut done: BTreeSet<usize> = BTreeSet::new();
    let mut found = Vec::new();
    for &start in next.keys() {
        if done.contains(&start) {
            continue;
        }
        if let Some(cycle) = shortest(&next, start) {
            // What both leads here and is led to from here is the same group, and is reported once.
            let ahead = reach(&next, start);
            done.extend(ahead.iter().copied().filter(|&node| reach(&next, node).contains(&start)));
            found.push(cycle);
        }
    }
    found
}

fn reach(next: &BTreeMap<usize, Vec<usize>>, start: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([start]);
    let mut queue = vec![start];
    while let Some(node) = queue.pop() {
        for &other in next.get(&node).into_iter().flatten() {
            if seen.insert(other) {
                queue.push(other);
            }
        }
    }
    seen
}

fn shortest(next: &BTreeMap<usize, Vec<usize>>, start: usize) -> Option<Vec<usize>> {
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &other in next.get(&node).into_iter().flatten() {
            if other == start {
                let mut path = vec![node];
                while let Some(&previous) = before.get(path.last()?) {
                    path.push(previous);
                }
                path.reverse();
                return Some(path);
            }
            if other != start && !before.contains_key(&other) {
                before.insert(other, node);
                queue.push_back(other);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_group_is_reported_once_by_its_shortest_cycle() {
        let edges =
            BTreeSet::from([(0, 1), (1, 2), (2, 0), (1, 0), (3, 3), (3, 0), (5, 6), (6, 5)]);
        assert_eq!(cycles(&edges), [vec![0, 1], vec![5, 6]]);
    }

    proptest! {
        #[test]
        fn cycles_are_made_of_edges_and_none_is_missed(edges in prop::collection::btree_set((0usize..8, 0usize..8), 0..20)) {
            let found = cycles(&edges);
            for cycle in &found {
                for at in 0..cycle.len() {
                    prop_assert!(edges.contains(&(cycle[at], cycle[(at + 1) % cycle.len()])));
                }
            }
            // Taking nodes without a way out or in away again and again leaves nothing exactly when there is no cycle.
            let mut left: BTreeSet<(usize, usize)> = edges.iter().copied().filter(|(from, to)| from != to).collect();
            loop {
                let keep: BTreeSet<(usize, usize)> = left.iter().copied().filter(|&(from, to)| left.iter().any(|edge| edge.1 == from) && left.iter().any(|edge| edge.0 == to)).collect();
                if keep == left { break; }
                left = keep;
            }
            prop_assert_eq!(found.is_empty(), left.is_empty());
        }
    }
}
