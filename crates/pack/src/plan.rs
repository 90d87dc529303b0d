//! What an intent changes: which edges are followed, what is shown, which sections have room of their own.

use crate::expand::Section;
use crate::words::Intent;
use contextd_model::EdgeKind;

/// How a pack for one intent is put together.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Bodies are worth their tokens.
    pub bodies: bool,
    /// Doc comments stand with the signatures.
    pub documented: bool,
    /// What the graph leads to may stand before what the words lead to.
    pub graph_first: bool,
    /// Only what leans on the seeds is sought, unless the request says more.
    pub incoming: bool,
    /// Kinds of edges that are followed on every hop, whatever the request's edge types.
    pub follow: &'static [EdgeKind],
    /// The last commits of the files in question belong to the answer.
    pub commits: bool,
    /// Rules that are in force belong to the answer.
    pub rules: bool,
    /// How much more than usual sections matter.
    pub weights: &'static [(Section, f64)],
    /// Shares of the budget that sections have for themselves.
    pub reserve: &'static [(Section, f64)],
}

const USUAL: Plan = Plan {
    bodies: true,
    documented: false,
    graph_first: false,
    incoming: false,
    follow: &[],
    commits: false,
    rules: false,
    weights: &[],
    reserve: &[],
};

const INHERITANCE: &[EdgeKind] = &[EdgeKind::Overrides, EdgeKind::Extends, EdgeKind::Implements];

/// Returns the plan of an intent.
pub const fn plan(intent: Intent) -> Plan {
    use Section::*;
    match intent {
        Intent::Answer => USUAL,
        Intent::Summarize => Plan {
            bodies: false,
            documented: true,
            weights: &[(Docs, 2.0)],
            reserve: &[(Docs, 0.15)],
            ..USUAL
        },
        Intent::Refactor => Plan {
            follow: INHERITANCE,
            weights: &[(Callers, 2.0), (Tests, 2.0), (Usages, 2.0), (Related, 2.0)],
            reserve: &[(Callers, 0.12), (Tests, 0.08), (Related, 0.08), (Usages, 0.05)],
            ..USUAL
        },
        Intent::Debug => Plan {
            commits: true,
            weights: &[(Callers, 1.5), (Callees, 1.5), (Tests, 1.5)],
            reserve: &[(Tests, 0.08), (Callers, 0.08), (Callees, 0.08)],
            ..USUAL
        },
        Intent::Impact => Plan {
            graph_first: true,
            incoming: true,
            follow: INHERITANCE,
            weights: &[(Callers, 3.0), (Usages, 3.0), (Tests, 3.0)],
            reserve: &[(Callers, 0.3), (Tests, 0.15), (Usages, 0.15)],
            ..USUAL
        },
        Intent::Contract => Plan {
            bodies: false,
            documented: true,
            rules: true,
            follow: INHERITANCE,
            weights: &[(Docs, 1.5), (Related, 1.5)],
            reserve: &[(Docs, 0.15)],
            ..USUAL
        },
    }
}

impl Plan {
    /// Returns how much a section matters.
    pub fn weight(&self, section: Section) -> f64 {
        self.weights.iter().find(|(other, _)| *other == section).map_or(1.0, |(_, weight)| *weight)
    }
}
