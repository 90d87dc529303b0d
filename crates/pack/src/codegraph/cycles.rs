//! Entities that lean on themselves in a circle.

use super::Relationship;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Cycles that are named.
const MOST: usize = 20;

/// Returns a shortest cycle for each group of entities that lean on one another, its first key again at its end.
/// Membership is no dependency: a method and its type are one thing.
pub fn cycles(relationships: &[Relationship]) -> Vec<Vec<String>> {
    let mut out: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for relationship in
        relationships.iter().filter(|relationship| relationship.relationship_type != "member_of")
    {
        out.entry(&relationship.dependent).or_default().insert(&relationship.dependency);
    }
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for &start in out.keys() {
        if known.contains(start) {
            continue;
        }
        if let Some(cycle) = shortest(&out, start) {
            known.extend(cycle.iter().copied());
            found.push(cycle.iter().chain([&start]).map(|key| (*key).to_owned()).collect());
            if found.len() == MOST {
                break;
            }
        }
    }
    found
}

/// Returns a shortest way from `start` back to it, without its end.
fn shortest<'k>(
    out: &BTreeMap<&'k str, BTreeSet<&'k str>>,
    start: &'k str,
) -> Option<Vec<&'k str>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &next in out.get(at).into_iter().flatten() {
            if next == start {
                let mut way = vec![at];
                while let Some(&earlier) = before.get(way[way.len() - 1]) {
                    way.push(earlier);
                }
                way.reverse();
                return Some(way);
            }
            if next != start && !before.contains_key(next) {
                before.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: &str, to: &str) -> Relationship {
        Relationship {
            dependent: from.into(),
            dependency: to.into(),
            relationship_type: "calls".into(),
            strength: 1.0,
            context: None,
        }
    }

    #[test]
    fn the_shortest_circle_of_each_group_is_named() {
        let edges = [
            edge("A", "B"),
            edge("B", "C"),
            edge("C", "A"),
            edge("C", "D"),
            edge("X", "Y"),
            edge("Y", "X"),
            edge("D", "E"),
        ];
        assert_eq!(cycles(&edges), [vec!["A", "B", "C", "A"], vec!["X", "Y", "X"]]);
        assert!(cycles(&[edge("A", "B")]).is_empty());
    }
}
