//! Choosing: signatures of the best first, then bodies where they earn their tokens, inside every cap.

use crate::budget::BudgetsResolved;
use crate::expand::Section;
use crate::items::Shop;
use crate::pack::{Scores, Why};
use crate::request::Intent;
use crate::similar::{Words, jaccard, words};
use crate::tokens::Tokenizer;
use contextd_snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// Something that may be chosen.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub symbol: u32,
    pub lines: Option<(u32, u32)>,
    pub section: Section,
    pub scores: Scores,
    pub why: Why,
    /// What it is worth, for this intent.
    pub value: f64,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub candidate: usize,
    pub body: bool,
}

/// Estimated costs of a candidate, in tokens.
#[derive(Clone, Copy, Debug)]
struct Cost {
    signature: f64,
    body: f64,
}

/// Chooses among candidates under estimated costs; the caller checks the rendered bytes.
pub struct Selector<'a> {
    snapshot: &'a Snapshot,
    candidates: &'a [Candidate],
    costs: Vec<Cost>,
    words: Vec<Words>,
    budgets: &'a BudgetsResolved,
    lambda: f64,
    /// Tokens of an item beside its text.
    overhead: f64,
}

/// Share of the budget that signatures may take before bodies are considered.
const SIGNATURE_SHARE: f64 = 0.5;
/// Bytes of code a token stands for, on average; the rendered bytes decide.
const BYTES_PER_TOKEN: f64 = 3.6;
/// Tokens that even a tiny body is counted as, so that value decides among the small ones.
const SMALL_BODY: f64 = 120.0;

impl<'a> Selector<'a> {
    pub fn new(snapshot: &'a Snapshot, candidates: &'a [Candidate], shop: &Shop<'_>, budgets: &'a BudgetsResolved, lambda: f64, overhead: f64, tokenizer: Tokenizer) -> Self {
        let titles: Vec<String> = candidates.iter().map(|candidate| crate::items::title(snapshot, candidate.symbol)).collect();
        let costs = candidates
            .iter()
            .zip(&titles)
            .map(|(candidate, title)| Cost { signature: tokenizer.count(crate::texts::cut(title, 600).0) as f64, body: shop.body_bytes(candidate.symbol, candidate.lines) as f64 / BYTES_PER_TOKEN })
            .collect();
        let words = candidates.iter().zip(&titles).map(|(candidate, title)| words(&format!("{} {title}", snapshot.symbol(candidate.symbol).path()))).collect();
        Self { snapshot, candidates, costs, words, budgets, lambda, overhead }
    }

    /// Returns what to show for so many tokens, best first.
    pub fn choose(&self, tokens: f64, bodies: bool) -> Vec<Choice> {
        let order = self.diverse_order();
        let share = if bodies { tokens * SIGNATURE_SHARE } else { tokens };
        let mut chosen: Vec<Choice> = Vec::new();
        let mut spent = 0.0;
        let mut rest = Vec::new();
        let mut sections: BTreeMap<Section, u64> = BTreeMap::new();
        for at in order {
            let cost = self.signature_cost(at);
            let full = chosen.len() as u64 >= self.budgets.max_items || sections.get(&self.candidates[at].section).is_some_and(|&count| count >= self.budgets.max_items_per_section);
            if full {
                continue;
            }
            // The first item comes in whatever it costs; the rendered bytes have the last word.
            if spent + cost <= share || chosen.is_empty() {
                spent += cost;
                chosen.push(Choice { candidate: at, body: false });
                *sections.entry(self.candidates[at].section).or_default() += 1;
            } else {
                rest.push(at);
            }
        }
        if bodies {
            spent = self.upgrade(&mut chosen, spent, tokens);
        }
        for at in rest {
            let section = self.candidates[at].section;
            let room = (chosen.len() as u64) < self.budgets.max_items && sections.get(&section).copied().unwrap_or(0) < self.budgets.max_items_per_section;
            if room && spent + self.signature_cost(at) <= tokens && !self.is_inside(at, &chosen) {
                spent += self.signature_cost(at);
                chosen.push(Choice { candidate: at, body: false });
                *sections.entry(section).or_default() += 1;
            }
        }
        chosen
    }

    /// Turns signatures into bodies where the value for a token is greatest; what lies inside a shown
    /// body is not shown again.
    fn upgrade(&self, chosen: &mut Vec<Choice>, mut spent: f64, tokens: f64) -> f64 {
        let mut order: Vec<usize> = chosen.iter().map(|choice| choice.candidate).collect();
        let whole = |candidate: usize| self.density(&Choice { candidate, body: true });
        order.sort_by(|&a, &b| whole(b).total_cmp(&whole(a)).then(a.cmp(&b)));
        for at in order {
            let extra = (self.costs[at].body - self.costs[at].signature).max(0.0);
            let Some(place) = chosen.iter().position(|choice| choice.candidate == at) else { continue };
            let inside: BTreeSet<usize> = chosen.iter().map(|choice| choice.candidate).filter(|&other| other != at && self.holds(at, other)).collect();
            // What is worth more than the whole around it stays by itself.
            let displaces = inside.iter().any(|&other| self.candidates[other].value > self.candidates[at].value);
            if spent + extra > tokens || displaces || self.is_whole_file(at) {
                continue;
            }
            spent += extra;
            chosen[place].body = true;
            if self.costs[at].body * BYTES_PER_TOKEN < self.budgets.max_bytes_per_item as f64 {
                spent -= inside.iter().map(|&other| self.signature_cost(other)).sum::<f64>();
                chosen.retain(|choice| !inside.contains(&choice.candidate));
            }
        }
        spent
    }

    /// Files that only the graph leads to are named, not shown.
    fn is_whole_file(&self, at: usize) -> bool {
        let candidate = &self.candidates[at];
        candidate.section != Section::Seeds && candidate.lines.is_none() && self.snapshot.symbol(candidate.symbol).parent().is_none()
    }

    fn signature_cost(&self, at: usize) -> f64 {
        self.costs[at].signature + self.overhead
    }

    /// Returns an estimate of what a choice costs.
    pub fn cost(&self, choice: &Choice) -> f64 {
        let cost = &self.costs[choice.candidate];
        self.overhead + if choice.body { cost.body.max(cost.signature) } else { cost.signature }
    }

    /// Returns what a choice gives for its tokens. Value counts by a high power and length by its root:
    /// the best are worth reading whole, even when many short ones could be read instead.
    pub fn density(&self, choice: &Choice) -> f64 {
        let tokens = if choice.body { self.costs[choice.candidate].body } else { self.costs[choice.candidate].signature };
        self.candidates[choice.candidate].value.powi(8) / (tokens + SMALL_BODY).sqrt()
    }

    /// True when `inner` lies inside what showing `outer` whole shows.
    fn holds(&self, outer: usize, inner: usize) -> bool {
        let (one, two) = (&self.candidates[outer], &self.candidates[inner]);
        let span = |candidate: &Candidate| candidate.lines.unwrap_or_else(|| (self.snapshot.symbol(candidate.symbol).start_line(), self.snapshot.symbol(candidate.symbol).end_line()));
        let ((first, last), (start, end)) = (span(one), span(two));
        self.snapshot.file_of(one.symbol) == self.snapshot.file_of(two.symbol) && first <= start && end <= last
    }

    fn is_inside(&self, at: usize, chosen: &[Choice]) -> bool {
        chosen.iter().any(|choice| choice.body && self.holds(choice.candidate, at))
    }

    /// Returns the candidates so that each next one is the best balance of value and novelty.
    fn diverse_order(&self) -> Vec<usize> {
        let most = self.budgets.max_items as usize * 3;
        let mut left: Vec<usize> = (0..self.candidates.len()).collect();
        let mut alike = vec![0f64; self.candidates.len()];
        let mut order = Vec::new();
        while !left.is_empty() && order.len() < most {
            let score = |at: usize| self.lambda * self.candidates[at].value - (1.0 - self.lambda) * alike[at] * self.candidates[at].value;
            let Some(place) = (0..left.len()).max_by(|&a, &b| score(left[a]).total_cmp(&score(left[b])).then(left[b].cmp(&left[a]))) else { break };
            let at = left.remove(place);
            for &other in &left {
                alike[other] = alike[other].max(jaccard(&self.words[at], &self.words[other]));
            }
            order.push(at);
        }
        order
    }
}

/// Returns how much a section matters for an intent.
pub fn weight(intent: Intent, section: Section) -> f64 {
    match (intent, section) {
        (Intent::Refactor, Section::Callers | Section::Tests | Section::Usages | Section::Related) => 2.0,
        (Intent::Debug, Section::Callers | Section::Callees | Section::Tests) => 1.5,
        (Intent::Impact, Section::Callers | Section::Usages | Section::Tests) => 3.0,
        (Intent::Contract, Section::Docs | Section::Related | Section::Callees) => 1.5,
        (Intent::Summarize, Section::Docs) => 2.0,
        _ => 1.0,
    }
}

/// True when bodies are worth their tokens for an intent.
pub fn wants_bodies(intent: Intent) -> bool {
    !matches!(intent, Intent::Contract | Intent::Summarize)
}
