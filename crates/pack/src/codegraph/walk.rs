//! Entities around the bases, nearest first, and how they lean on one another.

use super::keys::Keys;
use super::{FocusArea, QueryContext, Relationship, RelationshipContext, formulas};
use crate::layer::Layer;
use contextd_model::facts::modifier;
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// An entity that was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    pub symbol: u32,
    pub level: u32,
    /// A base leans on it directly.
    pub direct: bool,
    pub critical: bool,
    pub relevance: f64,
}

/// Entities that are followed and described at most: more than fits under the limit.
const MOST: usize = 400;
/// Relationships that are looked at, the strongest; under the limit there is room for a few hundred.
const RELATIONSHIPS: usize = 1_000;
/// Edges of one entity that are followed, the strongest first.
const BREADTH: usize = 200;

/// Follows edges both ways from the bases: what they lean on, and what leans on them.
pub fn walk(snapshot: &Snapshot, bases: &[u32], query: &QueryContext) -> Vec<Reached> {
    let mut level: BTreeMap<u32, (u32, bool)> =
        bases.iter().map(|&symbol| (symbol, (0, false))).collect();
    let mut order: Vec<u32> = bases.to_vec();
    let mut frontier: Vec<u32> = bases.to_vec();
    for hop in 1..=query.hop_depth {
        let mut next: BTreeMap<u32, (f64, bool)> = BTreeMap::new();
        for &from in &frontier {
            for (other, strength, outward) in neighbours(snapshot, from) {
                if !level.contains_key(&other) && wanted(snapshot, other, query) {
                    let best = next.entry(other).or_insert((0.0, false));
                    *best = (best.0.max(strength), best.1 || hop == 1 && outward);
                }
            }
        }
        let mut found: Vec<(u32, f64, bool)> = next
            .into_iter()
            .map(|(symbol, (strength, direct))| (symbol, strength, direct))
            .collect();
        found.sort_by(|a, b| b.2.cmp(&a.2).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
        found.truncate(MOST.saturating_sub(order.len()));
        frontier = found.iter().map(|&(symbol, _, _)| symbol).collect();
        for (symbol, _, direct) in found {
            level.insert(symbol, (hop, direct));
            order.push(symbol);
        }
    }
    let mut reached: Vec<Reached> =
        order.into_iter().map(|symbol| reached(snapshot, symbol, level[&symbol])).collect();
    reached.sort_by(|a, b| {
        a.level
            .min(1)
            .cmp(&b.level.min(1))
            .then(b.relevance.total_cmp(&a.relevance))
            .then(a.level.cmp(&b.level))
            .then(b.direct.cmp(&a.direct))
            .then(a.symbol.cmp(&b.symbol))
    });
    reached
}

fn reached(snapshot: &Snapshot, symbol: u32, (level, direct): (u32, bool)) -> Reached {
    let critical = formulas::is_critical(snapshot.graph().sources(symbol).len());
    Reached {
        symbol,
        level,
        direct,
        critical,
        relevance: formulas::relevance(level, Layer::is_test(snapshot, symbol), critical),
    }
}

/// Entities are declarations that others can name.
fn wanted(snapshot: &Snapshot, symbol: u32, query: &QueryContext) -> bool {
    let kind = snapshot.symbol(symbol).kind();
    let entity = kind.is_type() && kind != SymbolKind::Extension
        || kind.is_callable()
        || matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Module);
    let area = if Layer::is_test(snapshot, symbol) {
        FocusArea::TestInterfaces
    } else {
        FocusArea::NonTestInterfaces
    };
    entity
        && !snapshot.symbol(symbol).has(modifier::LOCAL)
        && (query.focus_areas.is_empty() || query.focus_areas.contains(&area))
}

fn leans(kind: EdgeKind) -> bool {
    !matches!(
        kind,
        EdgeKind::OwnedBy | EdgeKind::Documents | EdgeKind::CoTestedWith | EdgeKind::Contains
    )
}

/// Returns neighbours with the strength of the edge and whether it leads away from `symbol`.
fn neighbours(snapshot: &Snapshot, symbol: u32) -> Vec<(u32, f64, bool)> {
    let graph = snapshot.graph();
    let outward = graph
        .out(symbol)
        .iter()
        .filter(|edge| leans(edge.kind()))
        .map(|edge| (edge.target, formulas::strength(&edge), true));
    let inward = graph
        .incoming(symbol)
        .filter(|(_, edge)| leans(edge.kind()))
        .map(|(source, edge)| (source, formulas::strength(&edge), false));
    let mut found: Vec<(u32, f64, bool)> =
        outward.chain(inward.take(4 * BREADTH)).filter(|&(other, _, _)| other != symbol).collect();
    found.sort_by(|a, b| b.2.cmp(&a.2).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
    found.truncate(BREADTH);
    found
}

/// Returns the edges among the reached, the strongest first.
pub fn relationships(
    snapshot: &Snapshot,
    keys: &Keys<'_>,
    reached: &[Reached],
) -> Vec<Relationship> {
    let inside: BTreeSet<u32> = reached.iter().map(|entity| entity.symbol).collect();
    let mut found: Vec<Relationship> = Vec::new();
    for entity in reached {
        let mut seen: BTreeSet<(u32, u8)> = BTreeSet::new();
        for edge in snapshot.graph().out(entity.symbol).iter().filter(|edge| {
            leans(edge.kind()) && edge.target != entity.symbol && inside.contains(&edge.target)
        }) {
            if seen.insert((edge.target, edge.kind)) {
                found.push(Relationship {
                    dependent: keys.key(entity.symbol),
                    dependency: keys.key(edge.target),
                    relationship_type: edge.kind().name().to_owned(),
                    strength: formulas::strength(&edge),
                    context: context(snapshot, entity.symbol, edge.target, edge.kind(), edge.line),
                });
            }
        }
    }
    found.sort_by(|a, b| {
        b.strength.total_cmp(&a.strength).then_with(|| {
            (&a.dependent, &a.dependency, &a.relationship_type).cmp(&(
                &b.dependent,
                &b.dependency,
                &b.relationship_type,
            ))
        })
    });
    found.truncate(RELATIONSHIPS);
    found
}

fn context(
    snapshot: &Snapshot,
    source: u32,
    target: u32,
    kind: EdgeKind,
    line: u32,
) -> Option<RelationshipContext> {
    let path = snapshot.symbol(source).path();
    let inherits = matches!(kind, EdgeKind::Implements | EdgeKind::Extends);
    let trait_methods = if inherits { methods(snapshot, target) } else { Vec::new() };
    (line > 0).then(|| RelationshipContext {
        implementation_location: format!("{path}:{line}"),
        trait_methods,
    })
}

fn methods(snapshot: &Snapshot, symbol: u32) -> Vec<String> {
    snapshot
        .symbol(symbol)
        .descendants()
        .map(|member| snapshot.symbol(member))
        .filter(|member| member.parent() == Some(symbol) && member.kind().is_callable())
        .take(20)
        .map(|member| member.name().to_owned())
        .collect()
}
