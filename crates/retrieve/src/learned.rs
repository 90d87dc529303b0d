//! What callers' judgements and a session add to a ranking: named terms, never a silent change.
//!
//! [`Memory`] is made from judgements that still hold; for one request it yields a [`Learned`], which the
//! rankings add up beside their own signals. Everything here is a pure function of what is handed in:
//! no clock, no storage. Without a [`Learned`] a ranking is cold.

mod memory;
mod session;

pub use memory::{Memory, Observation};
pub use session::{Access, recency};

use rustc_hash::FxHashMap;
use serde::Deserialize;

/// Names of the terms, in the order of [`LearnedTerms`].
pub const LEARNED_NAMES: [&str; 4] =
    ["learned_feedback", "learned_kind", "learned_vocabulary", "session"];

/// Values of one candidate.
pub type LearnedTerms = [f32; 4];

/// How much each term counts, and how it is formed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnedWeights {
    /// Judgements of the symbol itself, for requests like this one.
    pub feedback: f32,
    /// Share of a judgement against a symbol: praise counts for more than blame.
    pub against: f32,
    /// Judgements of symbols of the same kind.
    pub kind: f32,
    /// Words that led to the symbol before.
    pub vocabulary: f32,
    /// Symbols of the session's last answers.
    pub session: f32,
    /// Share of a judgement that counts for requests with no word in common.
    pub across: f32,
    /// Steps after which an access counts half.
    pub half_life: f32,
    /// Most that accesses of one symbol add up to.
    pub cap: f32,
}

impl Default for LearnedWeights {
    fn default() -> Self {
        Self {
            feedback: 0.5,
            against: 0.2,
            kind: 1.0,
            vocabulary: 1.0,
            session: 0.2,
            across: 0.05,
            half_life: 3.0,
            cap: 2.0,
        }
    }
}

/// What was learned, seen from one request.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// Names the state that this was made from.
    pub version: String,
    pub(crate) feedback: FxHashMap<u32, f32>,
    pub(crate) kinds: FxHashMap<u8, f32>,
    pub(crate) vocabulary: FxHashMap<u32, f32>,
    pub(crate) session: FxHashMap<u32, f32>,
    pub(crate) weights: LearnedWeights,
}

/// Symbols that learning alone may bring into a pool.
const MOST: usize = 60;

impl Learned {
    /// Returns the terms of a candidate; all zero when nothing was learned about it.
    pub fn terms(&self, symbol: u32, kind: u8) -> LearnedTerms {
        let of = |map: &FxHashMap<u32, f32>| map.get(&symbol).copied().unwrap_or(0.0);
        let feedback = of(&self.feedback);
        [
            if feedback < 0.0 { feedback * self.weights.against } else { feedback },
            self.kinds.get(&kind).copied().unwrap_or(0.0),
            of(&self.vocabulary),
            of(&self.session),
        ]
    }

    /// Returns the weight of each term.
    pub fn weights(&self) -> LearnedTerms {
        [self.weights.feedback, self.weights.kind, self.weights.vocabulary, self.weights.session]
    }

    /// Returns what the terms add up to.
    pub fn sum(&self, terms: &LearnedTerms) -> f32 {
        terms.iter().zip(self.weights()).map(|(value, weight)| value * weight).sum()
    }

    /// Returns what speaks for a symbol itself, its kind aside.
    pub fn of_symbol(&self, symbol: u32) -> f32 {
        let mut terms = self.terms(symbol, 0);
        terms[1] = 0.0;
        self.sum(&terms)
    }

    /// Returns the symbols that learned words or judgements speak for, strongest first: a soft channel,
    /// whose finds compete with all others.
    pub fn candidates(&self) -> Vec<u32> {
        let mut found: Vec<(u32, f32)> = self
            .vocabulary
            .keys()
            .chain(self.feedback.keys())
            .map(|&symbol| (symbol, self.of_symbol(symbol)))
            .filter(|&(_, sum)| sum > 0.0)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.dedup_by_key(|(symbol, _)| *symbol);
        found.into_iter().take(MOST).map(|(symbol, _)| symbol).collect()
    }

    /// Returns the symbols that something was learned about, in the order of symbols.
    pub fn symbols(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self
            .feedback
            .keys()
            .chain(self.vocabulary.keys())
            .chain(self.session.keys())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Puts the session's symbols in place of earlier ones; values are from −1 to 1.
    pub fn with_session(mut self, values: impl IntoIterator<Item = (u32, f32)>) -> Self {
        self.session = values.into_iter().collect();
        self
    }
}
