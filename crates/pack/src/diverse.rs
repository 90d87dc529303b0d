//! The order in which candidates are looked at: value against novelty (MMR).

use crate::nearest::Chosen;
use crate::similar::{Likeness, Words};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The best that are taken by value alone: what looks alike at the top is the subject itself.
const LEADING: usize = 10;

/// A candidate that waits, with what it was worth when it was last compared.
struct Waiting {
    score: f64,
    at: usize,
    /// The greatest likeness to those it was compared with.
    alike: Likeness,
    /// How many of the order it was compared with.
    compared: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// Returns the first `most` candidates so that each next one is the best balance of value and novelty;
/// the very best come first, alike or not.
///
/// Likeness to what is chosen only grows, so a score that was computed earlier is never too low: only
/// what comes to the top is compared with what was chosen since.
pub fn diverse_order(values: &[f64], words: &[Words], lambda: f64, most: usize) -> Vec<usize> {
    let score = |at: usize, alike: Likeness| {
        lambda * values[at] - (1.0 - lambda) * alike.share() * values[at]
    };
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    if lambda == 1.0 {
        order.truncate(most);
        return order;
    }
    let rest = order.split_off(LEADING.min(most).min(order.len()));
    let mut waiting: BinaryHeap<Waiting> = rest
        .into_iter()
        .map(|at| Waiting {
            score: score(at, Likeness::NONE),
            at,
            alike: Likeness::NONE,
            compared: 0,
        })
        .collect();
    let mut chosen = Chosen::of(words);
    order.iter().enumerate().for_each(|(place, &at)| chosen.add(place, at));
    while order.len() < most {
        let Some(mut top) = waiting.pop() else { break };
        top.alike = chosen.nearest(top.at, top.compared, top.alike);
        top.compared = order.len();
        top.score = score(top.at, top.alike);
        // What is still before the next, which may be worth less than it seems, is the next of the order.
        if waiting.peek().is_none_or(|next| top > *next) {
            chosen.add(order.len(), top.at);
            order.push(top.at);
        } else {
            waiting.push(top);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::{jaccard, words};
    use proptest::prelude::*;

    /// The definition, step by step.
    fn plain(values: &[f64], words: &[Words], lambda: f64, most: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..values.len()).collect();
        let mut order: Vec<usize> = Vec::new();
        while !left.is_empty() && order.len() < most {
            let lambda = if order.len() < LEADING { 1.0 } else { lambda };
            let alike = |at: usize| {
                order.iter().map(|&chosen| jaccard(&words[chosen], &words[at])).fold(0.0, f64::max)
            };
            let score = |at: usize| lambda * values[at] - (1.0 - lambda) * alike(at) * values[at];
            let place = (0..left.len())
                .max_by(|&a, &b| {
                    score(left[a]).total_cmp(&score(left[b])).then(left[b].cmp(&left[a]))
                })
                .unwrap();
            order.push(left.remove(place));
        }
        order
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_the_definition(parts in proptest::collection::vec((0u32..12, "[a-d ]{0,9}"), 0..60), lambda in prop_oneof![4 => 0.0f64..=1.0, 1 => Just(1.0)], most in 0usize..70) {
            let values: Vec<f64> = parts.iter().map(|(value, _)| f64::from(*value) / 12.0).collect();
            let said: Vec<Words> = parts.iter().map(|(_, text)| words(&text.replace(' ', "x y"))).collect();
            prop_assert_eq!(diverse_order(&values, &said, lambda, most), plain(&values, &said, lambda, most));
        }
    }
}
