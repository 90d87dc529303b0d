//! Everything that may be chosen, with what was left out before choosing.

use crate::budget::BudgetsResolved;
use crate::build::Inputs;
use crate::expand::{Expanded, Reach, Route, Section, expand};
use crate::layer::Layer;
use crate::pack::{Scores, Why};
use crate::plan::Plan;
use crate::request::{PackRequest, Strictness};
use crate::scope::Filter;
use crate::seeds::{Seeds, round};
use crate::select::{Candidate, Origin};
use contextd_model::EdgeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Share of the best score from which on a seed is strong: the graph never displaces it.
pub const STRONG: f64 = 0.5;

/// Candidates of a pack.
pub struct Pool<'a> {
    found: &'a Seeds<'a>,
    pub candidates: Vec<Candidate>,
    pub expanded: Expanded,
    pub dropped: BTreeMap<String, u32>,
    pub considered: u32,
}

impl<'a> Pool<'a> {
    /// Makes candidates of the seeds and of what the graph leads to from them.
    pub fn gather(
        inputs: &Inputs<'_>,
        request: &PackRequest,
        plan: &Plan,
        budgets: &BudgetsResolved,
        filter: &Filter,
        found: &'a Seeds<'a>,
    ) -> Pool<'a> {
        let most = request
            .k
            .map_or(budgets.max_items_per_section, u64::from)
            .min(budgets.max_items_per_section) as usize;
        let most = most.min(found.seeds.len());
        let roots: Vec<(u32, f64)> =
            found.seeds[..most].iter().map(|seed| (seed.symbol, seed.score)).collect();
        let route = Route {
            expansion: &request.expansion,
            plan,
            hops: budgets.max_hops as u32,
            strictness: request.strictness,
        };
        let expanded = expand(inputs.layer, &route, &roots);
        // Of several seeds of a symbol the first counts.
        let ranked: FxHashMap<u32, usize> =
            found.seeds.iter().enumerate().rev().map(|(at, seed)| (seed.symbol, at)).collect();
        let mut pool = Pool {
            found,
            candidates: (0..most).map(|at| of_seed(found, at, Section::Seeds, plan)).collect(),
            dropped: BTreeMap::new(),
            considered: 0,
            expanded,
        };
        pool.considered = (found.seeds.len() + pool.expanded.reached.len()) as u32
            + found.out_of_scope
            + found.low_score
            + found.duplicate;
        pool.drop("unsupported", found.out_of_scope as usize);
        pool.drop("lowScore", found.low_score as usize);
        pool.drop("duplicate", found.duplicate as usize);
        if request.strictness == Strictness::Strict {
            pool.drop("noEvidence", pool.expanded.without_evidence.len());
        }
        pool.add_reached(inputs, plan, filter, &ranked);
        pool.add_further(request, plan, most);
        pool
    }

    /// Makes candidates of the seeds alone, in their order.
    pub fn of_seeds(plan: &Plan, found: &'a Seeds<'a>) -> Pool<'a> {
        let mut pool = Pool {
            found,
            candidates: (0..found.seeds.len())
                .map(|at| of_seed(found, at, Section::Seeds, plan))
                .collect(),
            dropped: BTreeMap::new(),
            considered: found.seeds.len() as u32
                + found.out_of_scope
                + found.low_score
                + found.duplicate,
            expanded: Expanded::default(),
        };
        pool.drop("unsupported", found.out_of_scope as usize);
        pool.drop("lowScore", found.low_score as usize);
        pool.drop("duplicate", found.duplicate as usize);
        pool
    }

    fn add_reached(
        &mut self,
        inputs: &Inputs<'_>,
        plan: &Plan,
        filter: &Filter,
        ranked: &FxHashMap<u32, usize>,
    ) {
        let reached = std::mem::take(&mut self.expanded.reached);
        for (at, reach) in reached.iter().enumerate() {
            // That a whole file imports a seed says less than the symbol in it that uses it.
            let bare = inputs.layer.is_file(reach.symbol)
                && !matches!(reach.section, Section::Imports | Section::Exports | Section::Docs)
                && reach.path.last().is_some_and(|hop| hop.edge.kind() == EdgeKind::Imports);
            if bare {
                self.drop("unsupported", 1);
            } else if filter.allows(inputs.layer, reach.symbol) {
                self.candidates.push(of_reach(
                    self.found,
                    at,
                    reach,
                    ranked.get(&reach.symbol).copied(),
                    plan,
                ));
            } else {
                self.drop("unsupported", 1);
            }
        }
        self.expanded.reached = reached;
    }

    /// What ranks behind the seeds and is no neighbour of them is related by its words; a request that
    /// says how many seeds it wants gets no more.
    fn add_further(&mut self, request: &PackRequest, plan: &Plan, chosen: usize) {
        if request.k.is_some() {
            self.drop("budget", self.found.seeds.len() - chosen);
            return;
        }
        let known: FxHashSet<u32> =
            self.candidates.iter().map(|candidate| candidate.symbol).collect();
        for (at, seed) in self.found.seeds.iter().enumerate().skip(chosen) {
            if known.contains(&seed.symbol) {
                self.drop("duplicate", 1);
            } else {
                self.candidates.push(of_seed(self.found, at, Section::Related, plan));
            }
        }
    }

    /// Returns why a candidate is one.
    pub fn why(&self, layer: &dyn Layer, candidate: &Candidate) -> Why {
        match candidate.origin {
            Origin::Seed(at) => Why {
                rule: self.found.seeds[at].rule.clone().into_owned(),
                signals: self.found.signals(at),
                ..Why::default()
            },
            Origin::Reach(at, own) => {
                let reach = &self.expanded.reached[at];
                Why {
                    rule: reach.section.rule().to_owned(),
                    signals: own.map(|seed| self.found.signals(seed)).unwrap_or_default(),
                    path: reach.path.iter().map(|hop| hop.step(layer)).collect(),
                    evidence: reach.path.iter().map(|hop| hop.evidence(layer)).collect(),
                }
            }
        }
    }

    fn drop(&mut self, reason: &str, count: usize) {
        if count > 0 {
            *self.dropped.entry(reason.to_owned()).or_default() += count as u32;
        }
    }
}

fn of_seed(found: &Seeds<'_>, at: usize, section: Section, plan: &Plan) -> Candidate {
    let seed = &found.seeds[at];
    let scores = scores(seed.score, 0, 1.0, plan);
    Candidate {
        symbol: seed.symbol,
        lines: seed.lines,
        section,
        value: scores.hybrid_score,
        scores,
        origin: Origin::Seed(at),
        strong: section == Section::Seeds && seed.score >= STRONG,
    }
}

fn of_reach(
    found: &Seeds<'_>,
    at: usize,
    reach: &Reach,
    own: Option<usize>,
    plan: &Plan,
) -> Candidate {
    let scores = scores(
        own.map_or(0.0, |seed| found.seeds[seed].score),
        reach.distance,
        reach.evidence,
        plan,
    );
    // A neighbour of a weak seed is worth less than one of a strong seed.
    let value = scores.hybrid_score * plan.weight(reach.section) * (0.5 + 0.5 * reach.origin_score);
    Candidate {
        symbol: reach.symbol,
        lines: None,
        section: reach.section,
        value,
        scores,
        origin: Origin::Reach(at, own),
        strong: false,
    }
}

/// The seed's formula; a plan that puts the graph first turns its weights around.
fn scores(seed: f64, distance: u32, evidence: f64, plan: &Plan) -> Scores {
    let near = 1.0 / (1.0 + f64::from(distance));
    let (seed_weight, near_weight, evidence_weight) =
        if plan.graph_first { (0.3, 0.5, 0.2) } else { (0.7, 0.2, 0.1) };
    let hybrid =
        (seed_weight * seed + near_weight * near + evidence_weight * evidence).clamp(0.0, 1.0);
    Scores {
        seed_score: round(seed),
        graph_distance: distance,
        evidence_score: round(evidence),
        hybrid_score: round(hybrid),
    }
}
