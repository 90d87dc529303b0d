//! Choosing: signatures of the best first, then outlines and bodies where they earn their tokens, inside
//! every cap.

use crate::budget::BudgetsResolved;
use crate::diverse::diverse_order;
use crate::expand::Section;
use crate::held::Shown;
use crate::items::Shop;
use crate::layer::Layer;
use crate::pack::Scores;
use crate::plan::Plan;
use crate::shelf::Size;
use crate::similar::Words;
use std::collections::{BTreeMap, BTreeSet};

/// Something that may be chosen.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub symbol: u32,
    pub lines: Option<(u32, u32)>,
    pub section: Section,
    pub scores: Scores,
    pub origin: Origin,
    /// What it is worth, for this intent.
    pub value: f64,
    /// Nothing that only the graph leads to takes its place.
    pub strong: bool,
}

/// Where a candidate comes from, by number: reasons are put into words only for what is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A seed.
    Seed(usize),
    /// What the graph leads to, and the seed that is the same symbol.
    Reach(usize, Option<usize>),
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub candidate: usize,
    pub shown: Shown,
}

/// Estimated costs of a candidate, in tokens.
#[derive(Clone, Copy, Debug)]
struct Cost {
    signature: f64,
    body: f64,
}

/// Lines of a candidate.
#[derive(Clone, Copy, Debug)]
struct Span {
    file: u32,
    first: u32,
    last: u32,
}

impl Span {
    fn holds(&self, inner: &Span) -> bool {
        self.file == inner.file && self.first <= inner.first && inner.last <= self.last
    }
}

/// What is shown with something else: all that lies in a body, the members that an outline lists.
struct ShownWith {
    spans: Vec<Span>,
    members: BTreeSet<u32>,
}

impl ShownWith {
    fn holds(&self, symbol: u32, span: &Span) -> bool {
        self.members.contains(&symbol) || self.spans.iter().any(|whole| whole.holds(span))
    }
}

/// What a choice has to keep within.
pub struct Terms<'a> {
    pub budgets: &'a BudgetsResolved,
    pub plan: &'a Plan,
    pub lambda: f64,
    /// Tokens of an item beside its text.
    pub overhead: f64,
    /// Items that are in the pack whatever is chosen, all in `related`.
    pub notes: u64,
}

/// Chooses among candidates under estimated costs; the caller checks the rendered bytes.
pub struct Selector<'a> {
    layer: &'a dyn Layer,
    candidates: &'a [Candidate],
    shop: &'a Shop<'a>,
    terms: Terms<'a>,
    costs: Vec<Cost>,
    spans: Vec<Span>,
    order: Vec<usize>,
}

/// Share of the budget that signatures may take before bodies have their turn.
const SIGNATURE_SHARE: f64 = 0.5;
/// Bytes of code a token stands for, on average; the rendered bytes decide.
const BYTES_PER_TOKEN: f64 = 3.6;
/// Tokens that even a tiny body is counted as, so that value decides among the small ones.
const SMALL_BODY: f64 = 120.0;
/// Largest share of the budget that one body may take.
const BODY_SHARE: f64 = 0.35;
/// Tokens of an item that the caller has already.
const HELD: f64 = 1.0;

/// A choice in the making.
#[derive(Default)]
struct Taken {
    chosen: Vec<Choice>,
    spent: f64,
    sections: BTreeMap<Section, u64>,
}

impl<'a> Selector<'a> {
    pub fn new(
        layer: &'a dyn Layer,
        candidates: &'a [Candidate],
        shop: &'a Shop<'a>,
        terms: Terms<'a>,
    ) -> Self {
        let tokenizer = terms.budgets.tokenizer;
        let sizes: Vec<Size> =
            candidates.iter().map(|candidate| shop.size(candidate.symbol, tokenizer)).collect();
        let cost = |(candidate, size): (&Candidate, &Size)| {
            if shop.may_be_held(candidate.symbol) {
                return Cost { signature: HELD, body: HELD };
            }
            Cost {
                signature: f64::from(size.tokens),
                body: shop.body_bytes(candidate.symbol, candidate.lines) as f64 / BYTES_PER_TOKEN,
            }
        };
        let costs = candidates.iter().zip(&sizes).map(cost).collect();
        let words: Vec<Words> = sizes.iter().map(|size| size.words).collect();
        let span = |candidate: &Candidate| {
            let (first, last) = candidate.lines.unwrap_or_else(|| layer.lines(candidate.symbol));
            Span { file: layer.file_number(candidate.symbol), first, last }
        };
        let spans = candidates.iter().map(span).collect();
        let most = terms.budgets.max_items as usize * 3;
        let values: Vec<f64> = candidates.iter().map(|candidate| candidate.value).collect();
        let order = diverse_order(&values, &words, terms.lambda, most);
        Self { layer, candidates, shop, terms, costs, spans, order }
    }

    /// Returns what to show for so many tokens, best first.
    pub fn choose(&self, tokens: f64) -> Vec<Choice> {
        let mut taken = Taken {
            sections: BTreeMap::from([(Section::Related, self.terms.notes)]),
            ..Taken::default()
        };
        let share = tokens * SIGNATURE_SHARE;
        let plan = self.terms.plan;
        if !plan.graph_first {
            self.take(&mut taken, share, |candidate| candidate.strong);
        }
        for &(section, part) in plan.reserve {
            let limit = taken.spent + tokens * part;
            self.take(&mut taken, limit, |candidate| candidate.section == section);
        }
        self.take(&mut taken, share, |_| true);
        self.upgrade(&mut taken, tokens);
        self.take(&mut taken, tokens, |_| true);
        taken.chosen
    }

    /// Takes signatures in order while they fit under `limit`.
    fn take(&self, taken: &mut Taken, limit: f64, wanted: impl Fn(&Candidate) -> bool) {
        let budgets = self.terms.budgets;
        let known: BTreeSet<usize> = taken.chosen.iter().map(|choice| choice.candidate).collect();
        // Only signatures are taken here, so what is whole stays what it is.
        let shown = self.shown_with(&taken.chosen);
        for &at in &self.order {
            let candidate = &self.candidates[at];
            let full = taken.chosen.len() as u64 + self.terms.notes >= budgets.max_items;
            if full {
                return;
            }
            if known.contains(&at)
                || !wanted(candidate)
                || shown.holds(candidate.symbol, &self.spans[at])
            {
                continue;
            }
            let count = taken.sections.entry(candidate.section).or_default();
            // The first item comes in whatever it costs; the rendered bytes have the last word.
            let fits = taken.spent + self.signature_cost(at) <= limit || taken.chosen.is_empty();
            if *count < budgets.max_items_per_section && fits {
                *count += 1;
                taken.spent += self.signature_cost(at);
                taken.chosen.push(Choice { candidate: at, shown: Shown::Signature });
            }
        }
    }

    /// Turns signatures into bodies and outlines where the value for a token is greatest; what lies
    /// inside them is not shown again.
    fn upgrade(&self, taken: &mut Taken, tokens: f64) {
        let mut order: Vec<usize> = taken.chosen.iter().map(|choice| choice.candidate).collect();
        let whole = |candidate: usize| self.density(&Choice { candidate, shown: Shown::Body });
        order.sort_by(|&a, &b| whole(b).total_cmp(&whole(a)).then(a.cmp(&b)));
        for at in order {
            let Some(place) = taken.chosen.iter().position(|choice| choice.candidate == at) else {
                continue;
            };
            let Some((shown, cost)) = self.best_detail(at, taken, tokens) else { continue };
            taken.spent += (cost - self.costs[at].signature).max(0.0);
            taken.chosen[place].shown = shown;
            let cut = shown == Shown::Body
                && self.costs[at].body * BYTES_PER_TOKEN
                    >= self.terms.budgets.max_bytes_per_item as f64;
            if !cut {
                let with = self.shown_with(&[Choice { candidate: at, shown }]);
                let inside: BTreeSet<usize> = self
                    .inside(at, &taken.chosen)
                    .into_iter()
                    .filter(|&other| with.holds(self.candidates[other].symbol, &self.spans[other]))
                    .collect();
                taken.spent -= inside.iter().map(|&other| self.signature_cost(other)).sum::<f64>();
                for &other in &inside {
                    let section = self.candidates[other].section;
                    if let Some(count) = taken.sections.get_mut(&section) {
                        *count = count.saturating_sub(1);
                    }
                }
                taken.chosen.retain(|choice| !inside.contains(&choice.candidate));
            }
        }
    }

    /// Returns the most detail that a candidate earns and has room for, with its tokens.
    fn best_detail(&self, at: usize, taken: &Taken, tokens: f64) -> Option<(Shown, f64)> {
        let candidate = &self.candidates[at];
        let room = tokens - taken.spent + self.costs[at].signature;
        // What is worth more than the whole around it stays by itself, and nothing is shown twice.
        let shown = |choice: &Choice| {
            choice.candidate != at
                && choice.shown != Shown::Signature
                && self.holds(at, choice.candidate)
        };
        let displaces = self
            .inside(at, &taken.chosen)
            .iter()
            .any(|&other| self.candidates[other].value > candidate.value)
            || taken.chosen.iter().any(shown);
        let body = self.costs[at].body;
        let cut = body * BYTES_PER_TOKEN >= self.terms.budgets.max_bytes_per_item as f64;
        let outlined = self.layer.kind(candidate.symbol).is_type() && candidate.lines.is_none();
        if self.terms.plan.bodies
            && !displaces
            && !self.is_whole_file(at)
            && body <= room
            && body <= BODY_SHARE * tokens
            && !(cut && outlined)
        {
            return Some((Shown::Body, body));
        }
        if !outlined || displaces || !candidate.strong {
            return None;
        }
        let outline =
            f64::from(self.shop.outline_tokens(candidate.symbol, self.terms.budgets.tokenizer)?);
        (outline <= room && outline <= BODY_SHARE * tokens && outline < body)
            .then_some((Shown::Outline, outline))
    }

    /// Files that only the graph leads to are named, not shown.
    fn is_whole_file(&self, at: usize) -> bool {
        let candidate = &self.candidates[at];
        candidate.section != Section::Seeds
            && candidate.lines.is_none()
            && self.layer.is_file(candidate.symbol)
    }

    fn signature_cost(&self, at: usize) -> f64 {
        self.costs[at].signature + self.terms.overhead
    }

    /// Returns an estimate of what a choice costs.
    pub fn cost(&self, choice: &Choice) -> f64 {
        let cost = &self.costs[choice.candidate];
        self.terms.overhead
            + match choice.shown {
                Shown::Signature => cost.signature,
                Shown::Outline => cost.signature.max(cost.body / 4.0),
                Shown::Lines => cost.body.max(cost.signature),
                Shown::Body => cost.body.max(cost.signature),
            }
    }

    /// Returns what a choice gives for its tokens. Value counts by a high power and length by its root:
    /// the best are worth reading whole, even when many short ones could be read instead.
    fn density(&self, choice: &Choice) -> f64 {
        self.candidates[choice.candidate].value.powi(8) / (self.cost(choice) + SMALL_BODY).sqrt()
    }

    /// Takes bodies back and drops items, the least value for a token first, until `over` tokens are
    /// saved. What only the graph leads to goes before strong seeds.
    pub fn drop_least(&self, choices: &mut Vec<Choice>, over: f64) {
        let mut saved = 0.0;
        let rank = |choice: &Choice| {
            (
                self.candidates[choice.candidate].strong
                    && choice.shown == Shown::Signature
                    && !self.terms.plan.graph_first,
                self.density(choice),
            )
        };
        let mut ranks: Vec<(bool, f64)> = choices.iter().map(rank).collect();
        while saved < over {
            let least = (0..choices.len()).min_by(|&a, &b| {
                ranks[a].0.cmp(&ranks[b].0).then(ranks[a].1.total_cmp(&ranks[b].1)).then(b.cmp(&a))
            });
            let Some(place) = least else { return };
            let before = self.cost(&choices[place]);
            let after = self.cost(&Choice { shown: Shown::Signature, ..choices[place] });
            if choices[place].shown != Shown::Signature && after < before {
                choices[place].shown = Shown::Signature;
                ranks[place] = rank(&choices[place]);
                saved += before - after;
            } else {
                choices.remove(place);
                ranks.remove(place);
                saved += before;
            }
        }
    }

    /// Returns the chosen that lie inside what showing `at` whole shows.
    fn inside(&self, at: usize, chosen: &[Choice]) -> BTreeSet<usize> {
        chosen
            .iter()
            .filter(|choice| {
                choice.candidate != at
                    && choice.shown == Shown::Signature
                    && self.holds(at, choice.candidate)
            })
            .map(|choice| choice.candidate)
            .collect()
    }

    fn holds(&self, outer: usize, inner: usize) -> bool {
        self.spans[outer].holds(&self.spans[inner])
    }

    /// Returns what is shown with those that are shown whole or by their members.
    fn shown_with(&self, chosen: &[Choice]) -> ShownWith {
        let whole = |choice: &&Choice| {
            choice.shown == Shown::Body
                && self.costs[choice.candidate].body * BYTES_PER_TOKEN
                    < self.terms.budgets.max_bytes_per_item as f64
        };
        let spans =
            chosen.iter().filter(whole).map(|choice| self.spans[choice.candidate]).collect();
        let outlines = chosen.iter().filter(|choice| choice.shown == Shown::Outline);
        ShownWith {
            spans,
            members: outlines
                .flat_map(|choice| self.shop.outlined(self.candidates[choice.candidate].symbol))
                .collect(),
        }
    }
}
