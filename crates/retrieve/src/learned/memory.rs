//! Judgements, added up so that a request can ask what they say about it.

use super::{Learned, LearnedWeights};
use crate::understand::Query;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What callers said about one symbol for one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    pub symbol: u32,
    /// Distinct stemmed words of the request, sorted; empty when none is known.
    pub words: Vec<String>,
    /// How often it was used or called useful.
    pub useful: f32,
    /// How often it was returned and not used, or called useless.
    pub useless: f32,
    /// How likely the ranking took it to be needed, 0 to 1; `None` when no ranking showed it.
    pub chance: Option<f32>,
}

/// Judgements of one request and symbol count so often at most: insisting is no evidence.
const MOST_OF_ONE: f32 = 3.0;
/// Observations before a word stands for a symbol.
const OBSERVED: f32 = 2.0;
/// A word that led to more symbols than this says nothing about each.
const SPREAD: usize = 12;
/// Judgements that are imagined beforehand, so that few real ones do not settle a question.
const SYMBOL_PRIOR: f32 = 2.0;
/// Uses that are imagined of each kind, as many as expected.
const KIND_PRIOR: f32 = 9.0;
/// Share that counts of a judgement given without a request.
const GENERAL: f32 = 0.5;

/// Everything judged that still holds for a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Words of the distinct requests.
    requests: Vec<Vec<String>>,
    /// By symbol: number of the request, and what was counted.
    symbols: BTreeMap<u32, Vec<(u32, Count)>>,
    kinds: BTreeMap<u8, Count>,
    vocabulary: BTreeMap<String, Vec<(u32, f32)>>,
    /// Weight of a word: how few requests have it.
    rarity: BTreeMap<String, f32>,
    /// Share of judgements in favour.
    rate: f32,
    /// By how much all uses together pass what was expected.
    lift: f32,
}

/// Judgements for and against, and how many for were to be expected: only the difference teaches, for
/// what the ranking is sure of anyway is used more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    useful: f32,
    useless: f32,
    expected: f32,
}

impl Count {
    fn plus(self, other: Count) -> Count {
        Count {
            useful: self.useful + other.useful,
            useless: self.useless + other.useless,
            expected: self.expected + other.expected,
        }
    }

    fn times(self, share: f32) -> Count {
        Count {
            useful: self.useful * share,
            useless: self.useless * share,
            expected: self.expected * share,
        }
    }
}

impl Memory {
    /// Adds judgements up. Their order does not matter; `kinds` holds the kind of each symbol.
    pub fn of(kinds: &[u8], observations: &[Observation]) -> Memory {
        let requests: BTreeSet<&Vec<String>> =
            observations.iter().map(|observation| &observation.words).collect();
        let (rate, sums) = sums(kinds, observations, &requests);
        let mut memory = Memory {
            rarity: rarity(&requests),
            requests: requests.into_iter().cloned().collect(),
            rate,
            ..Memory::default()
        };
        let (mut all, mut words): (Count, BTreeMap<(&str, u32), f32>) = Default::default();
        for (&(symbol, request), &count) in &sums {
            memory.symbols.entry(symbol).or_default().push((request, count));
            let kind = memory.kinds.entry(kinds[symbol as usize]).or_default();
            *kind = kind.plus(count);
            all = all.plus(count);
            for word in memory.requests[request as usize].iter().filter(|_| count.useful > 0.0) {
                *words.entry((word, symbol)).or_default() += count.useful;
            }
        }
        memory.vocabulary = vocabulary(words);
        memory.lift = if all.expected > 0.0 { all.useful / all.expected } else { 1.0 };
        memory
    }

    /// True when nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the learned vocabulary in the order of words: word, symbol, observations.
    pub fn words(&self) -> Vec<(String, u32, f32)> {
        let mut rows: Vec<(String, u32, f32)> = self
            .vocabulary
            .iter()
            .flat_map(|(word, symbols)| {
                symbols.iter().map(move |&(symbol, count)| (word.clone(), symbol, count))
            })
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)).then(a.1.cmp(&b.1)));
        rows
    }

    /// Returns what was learned, seen from a request.
    pub fn of_request(&self, query: &Query, weights: &LearnedWeights, version: String) -> Learned {
        let words: Vec<&str> = query.words.iter().map(|(word, _)| word.as_str()).collect();
        let shares: Vec<f32> = self
            .requests
            .iter()
            .map(|request| {
                if request.is_empty() {
                    GENERAL
                } else {
                    (weights.across + self.likeness(&words, request)).min(1.0)
                }
            })
            .collect();
        let mut feedback = FxHashMap::default();
        for (&symbol, rows) in &self.symbols {
            let sum = rows.iter().fold(Count::default(), |sum, &(request, count)| {
                sum.plus(count.times(shares[request as usize]))
            });
            feedback.insert(symbol, surprise(sum.useful, sum.expected, SYMBOL_PRIOR * self.rate));
        }
        let kinds = self
            .kinds
            .iter()
            .map(|(&kind, count)| {
                (kind, surprise(count.useful, count.expected * self.lift, KIND_PRIOR))
            })
            .collect();
        Learned {
            version,
            feedback,
            kinds,
            vocabulary: self.bridged(&words),
            session: FxHashMap::default(),
            weights: *weights,
        }
    }

    /// Returns the cosine of two lists of words, rare words counting for more.
    fn likeness(&self, words: &[&str], request: &[String]) -> f32 {
        let weight = |word: &str| self.rarity.get(word).copied().unwrap_or(1.0).powi(2);
        let common: f32 = words
            .iter()
            .filter(|word| request.binary_search_by(|other| other.as_str().cmp(word)).is_ok())
            .map(|word| weight(word))
            .sum();
        let (own, other): (f32, f32) = (
            words.iter().map(|word| weight(word)).sum(),
            request.iter().map(|word| weight(word)).sum(),
        );
        if common <= 0.0 { 0.0 } else { common / (own * other).sqrt() }
    }

    /// Returns the symbols that words of a request led to before, each with the share of the request
    /// that speaks for it.
    fn bridged(&self, words: &[&str]) -> FxHashMap<u32, f32> {
        let weight = |word: &str| self.rarity.get(word).copied().unwrap_or(1.0);
        let total: f32 = words.iter().map(|word| weight(word)).sum::<f32>().max(f32::MIN_POSITIVE);
        let mut found: FxHashMap<u32, f32> = FxHashMap::default();
        for word in words {
            for &(symbol, count) in self.vocabulary.get(*word).into_iter().flatten() {
                *found.entry(symbol).or_default() += weight(word) / total * sureness(count);
            }
        }
        found
    }
}

/// From .3 after two observations to .8 after ten.
fn sureness(count: f32) -> f32 {
    0.3 + 0.5 * (count.clamp(2.0, 10.0) - 2.0) / 8.0
}

/// Returns by how much uses differ from what was expected: the logarithm of the ratio, held back by
/// imagined ones.
fn surprise(useful: f32, expected: f32, prior: f32) -> f32 {
    let prior = prior.max(f32::MIN_POSITIVE);
    ((useful + prior) / (expected + prior)).ln()
}

/// Returns the share of judgements in favour, and sums by symbol and number of the request, each held
/// to what one may count.
fn sums(
    kinds: &[u8],
    observations: &[Observation],
    requests: &BTreeSet<&Vec<String>>,
) -> (f32, BTreeMap<(u32, u32), Count>) {
    let numbers: BTreeMap<&Vec<String>, u32> =
        requests.iter().enumerate().map(|(number, words)| (*words, number as u32)).collect();
    let mut rows: Vec<(u32, u32, f32, f32, Option<f32>)> = observations
        .iter()
        .filter(|own| (own.symbol as usize) < kinds.len())
        .map(|own| (own.symbol, numbers[&own.words], own.useful, own.useless, own.chance))
        .collect();
    // Sums of fractions depend on their order.
    rows.sort_by(|a, b| {
        (a.0, a.1)
            .cmp(&(b.0, b.1))
            .then(a.2.total_cmp(&b.2))
            .then(a.3.total_cmp(&b.3))
            .then(a.4.unwrap_or(-1.0).total_cmp(&b.4.unwrap_or(-1.0)))
    });
    // By key: useful, useless, how much of both has a chance, and the sum of those chances.
    let mut raw: BTreeMap<(u32, u32), [f32; 4]> = BTreeMap::new();
    for (symbol, request, useful, useless, chance) in rows {
        let [yes, no, known, likely] = raw.entry((symbol, request)).or_default();
        (*yes, *no) = (*yes + useful, *no + useless);
        if let Some(chance) = chance {
            (*known, *likely) =
                (*known + useful + useless, *likely + (useful + useless) * chance.clamp(0.0, 1.0));
        }
    }
    let held =
        |[useful, useless, ..]: [f32; 4]| (useful.min(MOST_OF_ONE), useless.min(MOST_OF_ONE));
    let all = raw
        .values()
        .map(|&own| held(own))
        .fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
    let rate: f32 = ((all.0 + 1.0) / (all.0 + all.1 + 6.0)).clamp(0.02, 0.35);
    let count = |own: [f32; 4]| {
        let (useful, useless) = held(own);
        // What no ranking showed is taken to be as likely as anything else.
        let chance = if own[2] > 0.0 { own[3] / own[2] } else { rate };
        Count { useful, useless, expected: (useful + useless) * chance }
    };
    (rate, raw.into_iter().map(|(key, own)| (key, count(own))).collect())
}

fn rarity(requests: &BTreeSet<&Vec<String>>) -> BTreeMap<String, f32> {
    let mut with: BTreeMap<String, f32> = BTreeMap::new();
    requests
        .iter()
        .flat_map(|words| words.iter())
        .for_each(|word| *with.entry(word.clone()).or_default() += 1.0);
    with.values_mut().for_each(|count| *count = (1.0 + requests.len() as f32 / *count).ln());
    with
}

fn vocabulary(words: BTreeMap<(&str, u32), f32>) -> BTreeMap<String, Vec<(u32, f32)>> {
    let mut found: BTreeMap<String, Vec<(u32, f32)>> = BTreeMap::new();
    for ((word, symbol), count) in words.into_iter().filter(|&(_, count)| count >= OBSERVED) {
        found.entry(word.to_owned()).or_default().push((symbol, count));
    }
    found.retain(|_, symbols| symbols.len() <= SPREAD);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::understand;
    use proptest::prelude::*;

    const KINDS: [u8; 6] = [1, 1, 1, 2, 2, 2];

    fn seen(symbol: u32, request: &str, useful: f32, useless: f32) -> Observation {
        Observation { symbol, words: words(request), useful, useless, chance: None }
    }

    fn words(request: &str) -> Vec<String> {
        let mut words: Vec<String> =
            understand(request).words.into_iter().map(|(word, _)| word).collect();
        words.sort();
        words
    }

    fn learned(observations: &[Observation], request: &str) -> Learned {
        Memory::of(&KINDS, observations).of_request(
            &understand(request),
            &LearnedWeights::default(),
            String::new(),
        )
    }

    #[test]
    fn praise_counts_for_more_than_blame_and_more_for_requests_alike() {
        let judged = [
            seen(0, "resume uploads", 1.0, 0.0),
            seen(1, "resume uploads", 0.0, 1.0),
            seen(2, "resume uploads", 0.0, 1.0),
        ];
        let alike = learned(&judged, "uploads resume slowly");
        let other = learned(&judged, "print invoices");
        let feedback = |learned: &Learned, symbol| learned.terms(symbol, 1)[0];
        assert!(feedback(&alike, 0) > feedback(&other, 0) && feedback(&other, 0) > 0.0);
        assert!(feedback(&alike, 1) < 0.0);
        assert!(
            feedback(&alike, 0) > -2.0 * feedback(&alike, 1),
            "{} {}",
            feedback(&alike, 0),
            feedback(&alike, 1)
        );
        assert_eq!(alike.terms(5, 9), [0.0; 4]);
    }

    #[test]
    fn a_word_stands_for_a_symbol_after_two_observations() {
        let once = [seen(3, "basket price", 1.0, 0.0)];
        assert_eq!(learned(&once, "basket colour").terms(3, 2)[2], 0.0);
        let twice = [seen(3, "basket price", 1.0, 0.0), seen(3, "basket shipping", 1.0, 0.0)];
        let value = learned(&twice, "basket colour").terms(3, 2)[2];
        assert!(value > 0.0);
        assert!(
            learned(&twice, "basket").terms(3, 2)[2] > value,
            "more of the request speaks for it"
        );
        assert_eq!(learned(&twice, "colour").terms(3, 2)[2], 0.0);
        assert_eq!(learned(&twice, "basket colour").candidates(), [3]);
        let spread = |symbols: u32| {
            Memory::of(
                &[1; 20],
                &(0..symbols).map(|symbol| seen(symbol, "basket", 2.0, 0.0)).collect::<Vec<_>>(),
            )
            .words()
            .len()
        };
        assert_eq!((spread(12), spread(13)), (12, 0));
    }

    #[test]
    fn kinds_that_are_used_gain_on_kinds_that_are_not() {
        let judged: Vec<Observation> = (0..6)
            .map(|symbol| {
                seen(
                    symbol,
                    "x y",
                    f32::from(u8::from(symbol < 3)),
                    f32::from(u8::from(symbol >= 3)),
                )
            })
            .collect();
        let learned = learned(&judged, "something else");
        assert!(learned.terms(9, 1)[1] > 0.0 && learned.terms(9, 2)[1] < 0.0);
    }

    #[test]
    fn what_was_expected_teaches_less_than_a_surprise() {
        let judged = |chance: f32| {
            let mut rows: Vec<Observation> = (0..6)
                .map(|symbol| {
                    seen(
                        symbol,
                        "resume uploads",
                        f32::from(u8::from(symbol < 3)),
                        f32::from(u8::from(symbol >= 3)),
                    )
                })
                .collect();
            rows.iter_mut()
                .for_each(|row| row.chance = Some(if row.symbol < 3 { chance } else { 0.1 }));
            learned(&rows, "uploads")
        };
        let (sure, unsure) = (judged(0.9), judged(0.1));
        assert!(unsure.terms(0, 1)[0] > sure.terms(0, 1)[0] && sure.terms(0, 1)[0] > 0.0);
        assert!(unsure.terms(9, 1)[1] > sure.terms(9, 1)[1]);
        assert!(unsure.terms(9, 1)[1] > 0.0 && unsure.terms(9, 2)[1] < 0.0);
    }

    proptest! {
        #[test]
        fn the_order_of_judgements_does_not_matter(rows in prop::collection::vec((0u32..6, 0usize..4, 0u8..3, 0u8..3), 0..40), turn in 0usize..40) {
            let requests = ["a cart total", "cart", "session expiry", ""];
            let judged: Vec<Observation> = rows.iter().map(|&(symbol, request, useful, useless)| seen(symbol, requests[request], f32::from(useful), f32::from(useless))).collect();
            let judged: Vec<Observation> = judged.into_iter().zip(&rows).map(|(own, row)| Observation { chance: (row.2 > 0).then_some(f32::from(row.3) / 7.0), ..own }).collect();
            let mut turned = judged.clone();
            turned.rotate_left(turn.min(judged.len()));
            let (one, two) = (learned(&judged, "cart expiry"), learned(&turned, "cart expiry"));
            for symbol in 0..7 {
                prop_assert_eq!(one.terms(symbol, 1), two.terms(symbol, 1));
                prop_assert!(one.terms(symbol, 1).iter().all(|value| value.is_finite()));
            }
            prop_assert_eq!(one.candidates(), two.candidates());
        }

        #[test]
        fn insisting_is_no_evidence(times in 3u8..200) {
            let judged = |count: u8| learned(&[seen(0, "cart", f32::from(count), 0.0), seen(1, "cart", 0.0, 5.0)], "cart").terms(0, 1);
            prop_assert_eq!(judged(3), judged(times));
        }
    }
}
