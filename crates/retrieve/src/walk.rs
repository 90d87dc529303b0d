//! Random walk with restart over the graph, from the best candidates.

use crate::catalog::Catalog;
use contextd_model::EdgeKind;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// How the walk goes.
#[derive(Clone, Copy, Debug)]
pub struct WalkOptions {
    pub restart: f32,
    pub iterations: u32,
    pub seeds: usize,
    /// Share of a reverse edge's weight.
    pub reverse: f32,
    /// Symbols that pass mass on in one step; the lightest are left out.
    pub breadth: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        crate::parameters::Parameters::DEFAULT.walk()
    }
}

/// Edges of one symbol that are followed: a hub's rest says nothing about it.
const MAX_EDGES: usize = 400;

/// Returns where the mass ends up, with the mass that restarts gave, for every symbol reached.
/// `seeds` are symbols with weights; the result is in the order of symbols.
pub fn walk(snapshot: &Snapshot, catalog: &Catalog, seeds: &[(u32, f32)], options: &WalkOptions) -> Vec<(u32, f32, f32)> {
    let total: f32 = seeds.iter().map(|seed| seed.1).sum();
    if total <= 0.0 || options.iterations == 0 {
        return Vec::new();
    }
    let start: Vec<(u32, f32)> = seeds.iter().map(|&(symbol, weight)| (symbol, weight / total)).collect();
    let mut rows: FxHashMap<u32, Box<[(u32, f32)]>> = FxHashMap::default();
    let mut mass: Vec<(u32, f32)> = start.clone();
    for _ in 0..options.iterations {
        let mut next: FxHashMap<u32, f32> = FxHashMap::default();
        for &(symbol, weight) in &mass {
            let row = rows.entry(symbol).or_insert_with(|| transitions(snapshot, catalog, symbol, options));
            for &(target, share) in row.iter() {
                *next.entry(target).or_default() += (1.0 - options.restart) * weight * share;
            }
        }
        for &(symbol, weight) in &start {
            *next.entry(symbol).or_default() += options.restart * weight;
        }
        mass = next.into_iter().collect();
        mass.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        mass.truncate(options.breadth);
    }
    let seeds: FxHashMap<u32, f32> = start.into_iter().collect();
    let mut reached: Vec<(u32, f32, f32)> = mass.into_iter().map(|(symbol, weight)| (symbol, weight, seeds.get(&symbol).copied().unwrap_or(0.0))).collect();
    reached.sort_by_key(|&(symbol, _, _)| symbol);
    reached
}

/// Returns where a step from `symbol` may lead, shares summing to one.
fn transitions(snapshot: &Snapshot, catalog: &Catalog, symbol: u32, options: &WalkOptions) -> Box<[(u32, f32)]> {
    let graph = snapshot.graph();
    let mut targets: FxHashMap<u32, f32> = FxHashMap::default();
    let mut add = |target: u32, weight: f32| {
        if target != symbol && (catalog.is_code(target)) && !catalog.is_test(target) && weight > 0.0 {
            let popularity = (1.0 + graph.sources(target).len() as f32).sqrt();
            *targets.entry(target).or_default() += weight / popularity;
        }
    };
    for edge in graph.out(symbol).iter().take(MAX_EDGES) {
        add(edge.target, weight(edge.kind(), edge.confidence, false));
    }
    for (source, edge) in graph.incoming(symbol).take(MAX_EDGES) {
        add(source, options.reverse * weight(edge.kind(), edge.confidence, true));
    }
    let mut row: Vec<(u32, f32)> = targets.into_iter().collect();
    row.sort_by_key(|&(target, _)| target);
    let sum: f32 = row.iter().map(|&(_, weight)| weight).sum();
    for (_, share) in &mut row {
        *share /= sum.max(f32::MIN_POSITIVE);
    }
    row.into()
}

/// Nesting has its own weights: a member leads to its type more than the type to each member. The
/// graph stores both directions, so neither is followed backwards.
fn weight(kind: EdgeKind, confidence: u8, reverse: bool) -> f32 {
    match kind {
        EdgeKind::MemberOf => if reverse { 0.0 } else { 0.7 },
        EdgeKind::Contains => if reverse { 0.0 } else { 0.3 },
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides => 2.0 * f32::from(confidence) / 100.0,
        EdgeKind::Imports | EdgeKind::Exports | EdgeKind::Documents | EdgeKind::OwnedBy | EdgeKind::CoTestedWith => 0.0,
        _ => f32::from(confidence) / 100.0,
    }
}
