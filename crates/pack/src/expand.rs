//! Following the graph from the seeds, a few hops, each with its evidence.

use crate::layer::Layer;
use crate::pack::{Evidence, Step};
use crate::plan::Plan;
use crate::request::{Direction, EdgeType, EvidenceKind, Expansion, Strictness, edge_type};
use contextd_model::graph::EdgeRow;
use contextd_model::{EdgeKind, Provenance};
use std::collections::BTreeSet;

/// Parts of a pack, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    Seeds,
    Callers,
    Callees,
    Imports,
    Exports,
    Usages,
    Dataflow,
    Tests,
    Docs,
    Related,
}

impl Section {
    pub const ALL: &'static [Section] = &[
        Section::Seeds,
        Section::Callers,
        Section::Callees,
        Section::Imports,
        Section::Exports,
        Section::Usages,
        Section::Dataflow,
        Section::Tests,
        Section::Docs,
        Section::Related,
    ];

    /// Returns the name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Section::Seeds => "seeds",
            Section::Callers => "callers",
            Section::Callees => "callees",
            Section::Imports => "imports",
            Section::Exports => "exports",
            Section::Usages => "usages",
            Section::Dataflow => "dataflow",
            Section::Tests => "tests",
            Section::Docs => "docs",
            Section::Related => "related",
        }
    }

    /// Returns the name of the rule that brings items into the section.
    pub fn rule(self) -> &'static str {
        match self {
            Section::Seeds => "seed",
            Section::Callers | Section::Callees => "call-neighbor",
            Section::Imports => "import-neighbor",
            Section::Exports => "export-neighbor",
            Section::Usages => "usage-neighbor",
            Section::Dataflow => "dataflow-neighbor",
            Section::Tests => "test-of",
            Section::Docs => "documents",
            Section::Related => "related",
        }
    }
}

/// Returns the section for what an edge leads to; `incoming` edges are followed against their direction.
pub fn section_of(kind: EdgeKind, incoming: bool) -> Option<Section> {
    Some(match (kind, incoming) {
        (EdgeKind::Calls, true) => Section::Callers,
        (EdgeKind::Calls, false) => Section::Callees,
        (EdgeKind::Imports, false) => Section::Imports,
        (EdgeKind::Exports, _) => Section::Exports,
        (
            EdgeKind::Imports
            | EdgeKind::References
            | EdgeKind::AccessesField
            | EdgeKind::TypeHintOf,
            true,
        ) => Section::Usages,
        (EdgeKind::Dataflow, _) => Section::Dataflow,
        (EdgeKind::Tests | EdgeKind::CoTestedWith, _) => Section::Tests,
        (EdgeKind::Documents, true) => Section::Docs,
        (EdgeKind::References | EdgeKind::AccessesField | EdgeKind::TypeHintOf, false) => {
            Section::Related
        }
        (EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides | EdgeKind::Throws, _) => {
            Section::Related
        }
        _ => return None,
    })
}

/// A symbol that the graph led to.
#[derive(Clone, Debug)]
pub struct Reach {
    pub symbol: u32,
    pub section: Section,
    pub distance: u32,
    /// Product of the confidences along the path.
    pub evidence: f64,
    /// Score of the seed it was reached from.
    pub origin_score: f64,
    pub path: Vec<Hop>,
}

/// One edge of a path.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    pub from: u32,
    pub to: u32,
    pub edge: EdgeRow,
}

/// What following the graph found.
#[derive(Default)]
pub struct Expanded {
    pub reached: Vec<Reach>,
    /// Symbols that only edges without the required evidence lead to.
    pub without_evidence: Vec<u32>,
    pub max_hop: u32,
}

/// Seeds that are followed; later ones bring more noise than context.
const FOLLOWED: usize = 12;
/// Edges of one symbol that are followed, the surest first.
const BREADTH: usize = 30;
/// Symbols reached in all.
const MOST: usize = 400;

/// What is followed, and how far.
pub struct Route<'a> {
    pub expansion: &'a Expansion,
    pub plan: &'a Plan,
    pub hops: u32,
    pub strictness: Strictness,
}

/// Follows the graph from `seeds` (symbol and score), nearest first.
pub fn expand(layer: &dyn Layer, route: &Route<'_>, seeds: &[(u32, f64)]) -> Expanded {
    let mut expanded = Expanded::default();
    let mut seen: BTreeSet<u32> = seeds.iter().map(|&(symbol, _)| symbol).collect();
    let mut gaps: BTreeSet<u32> = BTreeSet::new();
    let mut frontier: Vec<Reach> = seeds
        .iter()
        .take(FOLLOWED)
        .map(|&(symbol, score)| Reach {
            symbol,
            section: Section::Seeds,
            distance: 0,
            evidence: 1.0,
            origin_score: score,
            path: Vec::new(),
        })
        .collect();
    for hop in 1..=route.hops {
        let mut next: Vec<Neighbor<'_>> =
            frontier.iter().flat_map(|from| neighbors(layer, route, from)).collect();
        next.sort_by(|a, b| {
            b.worth
                .total_cmp(&a.worth)
                .then(a.symbol.cmp(&b.symbol))
                .then(a.section.cmp(&b.section))
        });
        let mut reached: Vec<Reach> = Vec::new();
        for near in next {
            if expanded.reached.len() + reached.len() >= MOST || seen.contains(&near.symbol) {
                continue;
            }
            let counted = |edge: &EdgeRow| counts(edge, &route.expansion.evidence_kinds);
            let gap = route.expansion.require_evidence
                && !(near.from.path.iter().all(|hop| counted(&hop.edge)) && counted(&near.edge));
            if gap && route.strictness != Strictness::Loose {
                gaps.insert(near.symbol);
            }
            // A path without evidence does not stand in the way of a later one that has it.
            if gap && route.strictness == Strictness::Strict {
                continue;
            }
            seen.insert(near.symbol);
            expanded.max_hop = hop;
            reached.push(near.reach());
        }
        // What was reached by the last hop is not followed.
        frontier = if hop < route.hops { reached.clone() } else { Vec::new() };
        expanded.reached.append(&mut reached);
    }
    if route.strictness == Strictness::Strict {
        gaps.retain(|symbol| !seen.contains(symbol));
    }
    expanded.without_evidence = gaps.into_iter().collect();
    expanded
}

/// A symbol beside one that was reached; it is reached when nothing better leads to it.
struct Neighbor<'f> {
    from: &'f Reach,
    symbol: u32,
    edge: EdgeRow,
    section: Section,
    /// Evidence of the path, by the score of the seed it begins with.
    worth: f64,
}

fn neighbors<'f>(layer: &dyn Layer, route: &Route<'_>, from: &'f Reach) -> Vec<Neighbor<'f>> {
    let mut found: Vec<(u32, EdgeRow, Section)> = Vec::new();
    let first = from.distance == 0;
    // Imports hang on the file; what a seed imports is what its file imports.
    let file = layer.file_range(layer.file_number(from.symbol)).start;
    for (place, only) in [(from.symbol, None), (file, Some(EdgeKind::Imports))] {
        if only.is_some() && (!first || place == from.symbol) {
            continue;
        }
        gather(layer, route, place, only, first, &mut found);
    }
    let mut reached: Vec<Neighbor<'f>> = Vec::new();
    for (target, edge, section) in found {
        let test = layer.is_test(target) && section != Section::Docs;
        let section =
            if from.distance > 0 && section != from.section { Section::Related } else { section };
        reached.push(from.near(target, edge, if test { Section::Tests } else { section }));
    }
    if first {
        reached.extend(around(layer, route.expansion, from));
    }
    reached
}

fn gather(
    layer: &dyn Layer,
    route: &Route<'_>,
    place: u32,
    only: Option<EdgeKind>,
    first: bool,
    found: &mut Vec<(u32, EdgeRow, Section)>,
) {
    let Route { expansion, plan, .. } = route;
    let wanted = |kind: EdgeKind| {
        only.is_none_or(|only| only == kind)
            && (expansion.follows(kind)
                || plan.follow.contains(&kind)
                || first && edge_type(kind).is_none())
    };
    let mut add = |incoming: bool, edges: &mut dyn Iterator<Item = (u32, EdgeRow)>| {
        let mut rows: Vec<(u32, EdgeRow, Section)> = edges
            .filter(|(_, edge)| wanted(edge.kind()))
            .filter_map(|(other, edge)| Some((other, edge, section_of(edge.kind(), incoming)?)))
            .collect();
        rows.sort_by_key(|(other, edge, section)| {
            (std::cmp::Reverse(edge.confidence), std::cmp::Reverse(edge.count), *other, *section)
        });
        rows.truncate(BREADTH);
        found.extend(rows);
    };
    let outward = match expansion.direction {
        Direction::Out => true,
        Direction::Both => !plan.incoming,
        Direction::In => false,
    };
    if outward {
        add(false, &mut layer.out(place).map(|edge| (edge.target, edge)));
    }
    if expansion.direction != Direction::Out && only.is_none() {
        add(true, &mut layer.incoming(place).take(4_000));
    }
}

/// Returns the type that a seed belongs to, and its neighbours in the file when they are wanted.
fn around<'f>(layer: &dyn Layer, expansion: &Expansion, from: &'f Reach) -> Vec<Neighbor<'f>> {
    let structural = |target: u32| EdgeRow {
        target,
        kind: EdgeKind::MemberOf as u8,
        confidence: 100,
        provenance: Provenance::Structural as u8,
        line: layer.lines(from.symbol).0,
        count: 1,
    };
    let mut found = Vec::new();
    let owner = layer.owner(from.symbol);
    if owner != from.symbol {
        found.push(from.near(owner, structural(owner), Section::Related));
    }
    if expansion.include_same_file_neighbors {
        let parent = layer.parent(from.symbol);
        let siblings = layer
            .file_range(layer.file_number(from.symbol))
            .skip(1)
            .filter(|&other| other != from.symbol && layer.parent(other) == parent);
        found.extend(
            siblings
                .take(BREADTH)
                .map(|other| from.near(other, structural(other), Section::Related)),
        );
    }
    found
}

impl Reach {
    fn near(&self, symbol: u32, edge: EdgeRow, section: Section) -> Neighbor<'_> {
        Neighbor {
            from: self,
            symbol,
            edge,
            section,
            worth: self.evidence_with(&edge) * self.origin_score,
        }
    }

    fn evidence_with(&self, edge: &EdgeRow) -> f64 {
        self.evidence * f64::from(edge.confidence) / 100.0
    }
}

impl Neighbor<'_> {
    fn reach(&self) -> Reach {
        let Neighbor { from, symbol, edge, section, .. } = *self;
        let path = from
            .path
            .iter()
            .copied()
            .chain([Hop { from: from.symbol, to: symbol, edge }])
            .collect();
        Reach {
            symbol,
            section,
            distance: from.distance + 1,
            evidence: from.evidence_with(&edge),
            origin_score: from.origin_score,
            path,
        }
    }
}

/// Returns what supports an edge.
pub fn evidence_kind(edge: &EdgeRow) -> EvidenceKind {
    match (edge.provenance(), edge.kind()) {
        (
            Provenance::LspResolved
            | Provenance::ScipResolved
            | Provenance::OtelTrace
            | Provenance::RuntimeObserved,
            _,
        ) => EvidenceKind::Tooling,
        (_, EdgeKind::Calls) => EvidenceKind::Callsite,
        (_, EdgeKind::Imports | EdgeKind::Exports) => EvidenceKind::ImportStmt,
        (_, EdgeKind::References | EdgeKind::AccessesField | EdgeKind::TypeHintOf) => {
            EvidenceKind::Identifier
        }
        _ => EvidenceKind::Span,
    }
}

fn counts(edge: &EdgeRow, kinds: &[EvidenceKind]) -> bool {
    edge.line > 0 && (kinds.is_empty() || kinds.contains(&evidence_kind(edge)))
}

impl Hop {
    /// Returns the end of the edge where its evidence lies: the source's file.
    fn holder(&self) -> u32 {
        if self.edge.target == self.to { self.from } else { self.to }
    }

    pub fn step(&self, layer: &dyn Layer) -> Step {
        let holder = self.holder();
        let target = if holder == self.from { self.to } else { self.from };
        Step {
            edge_type: edge_type(self.edge.kind())
                .map_or(self.edge.kind().name(), EdgeType::name)
                .to_owned(),
            kind: self.edge.kind().name().to_owned(),
            from: name(layer, holder),
            to: name(layer, target),
            evidence_id: self.evidence_id(layer),
        }
    }

    pub fn evidence(&self, layer: &dyn Layer) -> Evidence {
        Evidence {
            kind: evidence_kind(&self.edge).name().to_owned(),
            evidence_id: self.evidence_id(layer),
            confidence: f64::from(self.edge.confidence) / 100.0,
            provenance: self.edge.provenance().name().to_owned(),
            certainty: if self.edge.is_known() { "known" } else { "guessed" }.to_owned(),
        }
    }

    fn evidence_id(&self, layer: &dyn Layer) -> String {
        let path = layer.path(self.holder());
        if self.edge.line == 0 {
            self.edge.kind().name().to_owned()
        } else {
            format!("{path}:{}", self.edge.line)
        }
    }
}

fn name(layer: &dyn Layer, symbol: u32) -> String {
    if layer.is_file(symbol) {
        layer.path(symbol).to_owned()
    } else {
        layer.qualified(symbol).into_owned()
    }
}
