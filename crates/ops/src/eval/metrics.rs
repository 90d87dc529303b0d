//! Measures of a ranked list against what was wanted.

use super::matching::{matches, normalize, same_name};
use super::places::Place;
use super::tasks::{Target, Truth};
use std::collections::BTreeSet;

/// Places of a list that are looked at.
const TOP: usize = 10;

/// Measures of one list, or the mean of several; those that do not apply are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    pub precision: f64,
    pub recall: f64,
    /// Share of the distinct wanted names in the top ten, a class not counting for its methods.
    pub strict_recall: f64,
    pub ndcg: f64,
    pub mrr: f64,
    /// 1 when nothing in the top ten was wanted.
    pub zero: f64,
}

impl Measures {
    /// Names of the measures, in the order of [`Measures::values`].
    pub const NAMES: [&'static str; 6] = ["P@10", "R@10", "strictR@10", "NDCG@10", "MRR", "zero"];

    pub fn values(&self) -> [f64; 6] {
        [self.precision, self.recall, self.strict_recall, self.ndcg, self.mrr, self.zero]
    }

    /// Returns the mean of several lists' measures.
    pub fn mean(all: &[Measures]) -> Measures {
        let count = all.len().max(1) as f64;
        let mean = |value: fn(&Measures) -> f64| all.iter().map(value).sum::<f64>() / count;
        Measures {
            precision: mean(|m| m.precision),
            recall: mean(|m| m.recall),
            strict_recall: mean(|m| m.strict_recall),
            ndcg: mean(|m| m.ndcg),
            mrr: mean(|m| m.mrr),
            zero: mean(|m| m.zero),
        }
    }
}

/// Measures a list of places against a truth.
pub fn measure(places: &[Place], truth: &Truth) -> Measures {
    match truth {
        Truth::Symbols(names) => symbols(places, names),
        Truth::Files(targets) => files(places, targets),
    }
}

fn symbols(places: &[Place], names: &[String]) -> Measures {
    let found: Vec<String> = places.iter().map(|place| normalize(&place.symbol)).collect();
    let wanted: Vec<String> = names.iter().map(|name| normalize(name)).collect();
    let hits: Vec<usize> = (0..found.len())
        .filter(|&at| wanted.iter().any(|name| matches(&found[at], name)))
        .collect();
    let top = &found[..found.len().min(TOP)];
    let share = |same: fn(&str, &str) -> bool| {
        wanted.iter().filter(|name| top.iter().any(|own| same(own, name))).count() as f64
            / wanted.len().max(1) as f64
    };
    let early: Vec<usize> = hits.iter().copied().filter(|&rank| rank < TOP).collect();
    Measures {
        precision: early.len() as f64 / TOP as f64,
        recall: share(matches),
        strict_recall: share(same_name),
        ndcg: gain(early.iter().copied()) / gain(0..wanted.len().clamp(1, TOP)),
        mrr: hits.first().map_or(0.0, |&rank| 1.0 / (rank + 1) as f64),
        zero: f64::from(u8::from(early.is_empty())),
    }
}

/// Several places of one file count once, at the rank of the file; a target with lines needs a place that overlaps them.
fn files(places: &[Place], targets: &[Target]) -> Measures {
    let mut order: Vec<&str> = Vec::new();
    for place in places {
        if !order.contains(&place.file.as_str()) {
            order.push(&place.file);
        }
    }
    let rank = |target: &Target| {
        places
            .iter()
            .find(|place| target.is_at(place))
            .and_then(|place| order.iter().position(|file| *file == place.file))
    };
    let found: Vec<usize> = targets.iter().filter_map(rank).filter(|&rank| rank < TOP).collect();
    let ranks: BTreeSet<usize> = found.iter().copied().collect();
    let share = found.len() as f64 / targets.len().max(1) as f64;
    Measures {
        precision: ranks.len() as f64 / TOP as f64,
        recall: share,
        strict_recall: share,
        ndcg: gain(ranks.iter().copied()) / gain(0..targets.len().clamp(1, TOP)),
        mrr: ranks.first().map_or(0.0, |&rank| 1.0 / (rank + 1) as f64),
        zero: f64::from(u8::from(ranks.is_empty())),
    }
}

fn gain(ranks: impl Iterator<Item = usize>) -> f64 {
    ranks.map(|rank| 1.0 / ((rank + 2) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(symbol: &str, file: &str, lines: (u32, u32)) -> Place {
        Place {
            symbol: symbol.to_owned(),
            kind: String::new(),
            file: file.to_owned(),
            start_line: lines.0,
            end_line: lines.1,
            score: 0.0,
        }
    }

    #[test]
    fn symbols_are_measured_by_both_rules() {
        let places = [
            place("Order", "a", (1, 1)),
            place("Cart", "a", (1, 1)),
            place("Cart.total", "a", (1, 1)),
        ];
        let measures = symbols(&places, &["Cart.total".to_owned(), "Cart.add".to_owned()]);
        assert_eq!(
            (measures.precision, measures.recall, measures.strict_recall, measures.mrr),
            (0.2, 1.0, 0.5, 0.5)
        );
        let expected = (1.0 / 3f64.log2() + 1.0 / 4f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((measures.ndcg - expected).abs() < 1e-12);
    }

    #[test]
    fn a_file_counts_once_and_lines_must_overlap() {
        let places =
            [place("", "x/a.py", (1, 5)), place("", "x/a.py", (50, 60)), place("", "b.py", (1, 9))];
        let target = |path: &str, lines| Target { path: path.to_owned(), lines };
        let measures = files(
            &places,
            &[target("a.py", Some((55, 56))), target("b.py", None), target("c.py", None)],
        );
        assert!((measures.recall - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(measures.mrr, 1.0);
        assert_eq!(files(&places, &[target("b.py", Some((20, 30)))]).zero, 1.0);
    }

    proptest! {
        #[test]
        fn measures_stay_in_range(found in proptest::collection::vec("[A-C](\\.[a-c])?", 0..30), wanted in proptest::collection::vec("[A-C](\\.[a-c])?", 1..6)) {
            let places: Vec<Place> = found.iter().map(|name| place(name, name, (1, 2))).collect();
            let measures = symbols(&places, &wanted);
            for value in [measures.precision, measures.recall, measures.strict_recall, measures.mrr, measures.zero] {
                prop_assert!((0.0..=1.0).contains(&value));
            }
            prop_assert!(measures.strict_recall <= measures.recall);
        }
    }
}
