//! Random walk with restart over the graph, from the best candidates.

use crate::catalog::Catalog;
use contextd_model::EdgeKind;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

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
    /// Whether the walk stays inside a community when all seeds belong to it.
    pub community: bool,
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
pub fn walk(
    snapshot: &Snapshot,
    catalog: &Catalog,
    seeds: &[(u32, f32)],
    options: &WalkOptions,
) -> Vec<(u32, f32, f32)> {
    let total: f32 = seeds.iter().map(|seed| seed.1).sum();
    if total <= 0.0 || options.iterations == 0 {
        return Vec::new();
    }
    let community = options.community.then(|| common_community(snapshot, seeds)).flatten();
    let mut ground = Ground {
        snapshot,
        catalog,
        options,
        community,
        columns: catalog.walks.take(snapshot.symbol_count() as usize),
        met: Vec::new(),
        steps: Vec::new(),
        reached: Vec::new(),
    };
    let start: Vec<(u32, f32)> =
        seeds.iter().map(|&(symbol, weight)| (symbol, weight / total)).collect();
    let mut mass: Vec<(u32, f32)> = start.clone();
    for _ in 0..options.iterations {
        for &(symbol, weight) in &mass {
            ground.pass_on(symbol, (1.0 - options.restart) * weight);
        }
        for &(symbol, weight) in &start {
            ground.give(symbol, options.restart * weight);
        }
        mass = ground.take(options.breadth);
    }
    let mut restarts: FxHashMap<u32, f32> = FxHashMap::default();
    start.iter().for_each(|&(symbol, weight)| *restarts.entry(symbol).or_default() += weight);
    let mut reached: Vec<(u32, f32, f32)> = mass
        .into_iter()
        .map(|(symbol, weight)| (symbol, weight, restarts.get(&symbol).copied().unwrap_or(0.0)))
        .collect();
    reached.sort_by_key(|&(symbol, _, _)| symbol);
    reached
}

/// Columns of a walk, by symbol; zero between walks.
#[derive(Default)]
struct Columns {
    /// Number of the row of steps, from 1 on; 0 for a symbol that has not passed anything on.
    rows: Vec<u32>,
    arrived: Vec<f32>,
}

/// Columns that are not in use: clearing what one walk touched costs less than new memory for every symbol.
#[derive(Default)]
pub(crate) struct Walks(Mutex<Vec<Columns>>);

/// Most columns kept; more walks at once make their own.
const KEPT: usize = 2;

impl Walks {
    fn take(&self, symbols: usize) -> Columns {
        let kept = self.0.lock().ok().and_then(|mut kept| kept.pop());
        kept.unwrap_or_else(|| Columns { rows: vec![0; symbols], arrived: vec![0.0; symbols] })
    }

    fn give_back(&self, columns: Columns) {
        if let Ok(mut kept) = self.0.lock()
            && kept.len() < KEPT
        {
            kept.push(columns);
        }
    }
}

/// Where a walk has been, with where a step from there may lead.
struct Ground<'s> {
    snapshot: &'s Snapshot,
    catalog: &'s Catalog,
    options: &'s WalkOptions,
    /// The community that is not left.
    community: Option<u32>,
    columns: Columns,
    /// Symbols that passed something on, with the end of their steps, by row.
    met: Vec<(u32, usize)>,
    steps: Vec<(u32, f32)>,
    reached: Vec<u32>,
}

impl Drop for Ground<'_> {
    fn drop(&mut self) {
        let mut columns = std::mem::take(&mut self.columns);
        self.met.iter().for_each(|&(symbol, _)| columns.rows[symbol as usize] = 0);
        self.reached.iter().for_each(|&symbol| columns.arrived[symbol as usize] = 0.0);
        self.catalog.walks.give_back(columns);
    }
}

impl Ground<'_> {
    fn give(&mut self, symbol: u32, mass: f32) {
        let slot = &mut self.columns.arrived[symbol as usize];
        if *slot == 0.0 {
            self.reached.push(symbol);
        }
        *slot += mass;
    }

    fn pass_on(&mut self, symbol: u32, mass: f32) {
        let row = match self.columns.rows[symbol as usize] {
            0 => self.look_up(symbol),
            row => row as usize - 1,
        };
        let start = row.checked_sub(1).map_or(0, |before| self.met[before].1);
        for at in start..self.met[row].1 {
            let (target, share) = self.steps[at];
            self.give(target, mass * share);
        }
    }

    /// Finds the steps of a symbol and returns the number of their row.
    fn look_up(&mut self, symbol: u32) -> usize {
        self.steps.extend(transitions(
            self.snapshot,
            self.catalog,
            symbol,
            self.options,
            self.community,
        ));
        self.met.push((symbol, self.steps.len()));
        self.columns.rows[symbol as usize] = self.met.len() as u32;
        self.met.len() - 1
    }

    /// Returns the heaviest `breadth` with what arrived there, and starts over.
    fn take(&mut self, breadth: usize) -> Vec<(u32, f32)> {
        let arrived = &mut self.columns.arrived;
        let mut mass: Vec<(u32, f32)> = self
            .reached
            .drain(..)
            .map(|symbol| (symbol, std::mem::take(&mut arrived[symbol as usize])))
            .collect();
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if mass.len() > breadth && breadth > 0 {
            mass.select_nth_unstable_by(breadth - 1, order);
            mass.truncate(breadth);
        }
        // Sums are taken in one order, whatever the selection did.
        mass.sort_unstable_by(order);
        mass
    }
}

/// Returns the community of all seeds, if it is one.
fn common_community(snapshot: &Snapshot, seeds: &[(u32, f32)]) -> Option<u32> {
    let community = snapshot.graph().community(seeds.first()?.0);
    seeds
        .iter()
        .all(|&(symbol, _)| snapshot.graph().community(symbol) == community)
        .then_some(community)
}

/// Most implementations taken of one interface.
const IMPLEMENTATIONS: usize = 20;

/// Returns what implements or extends one of the first `count` seeds and is no seed itself, half as heavy.
pub fn implementors(snapshot: &Snapshot, seeds: &[(u32, f32)], count: usize) -> Vec<(u32, f32)> {
    let mut found: Vec<(u32, f32)> = Vec::new();
    for &(symbol, weight) in seeds.iter().take(count) {
        let below = snapshot
            .graph()
            .incoming(symbol)
            .filter(|(_, edge)| matches!(edge.kind(), EdgeKind::Implements | EdgeKind::Extends));
        for (source, _) in below.take(IMPLEMENTATIONS) {
            if !seeds.iter().chain(&found).any(|&(other, _)| other == source) {
                found.push((source, 0.5 * weight));
            }
        }
    }
    found
}

/// Returns where a step from `symbol` may lead, rising, shares summing to one.
fn transitions(
    snapshot: &Snapshot,
    catalog: &Catalog,
    symbol: u32,
    options: &WalkOptions,
    community: Option<u32>,
) -> Vec<(u32, f32)> {
    let graph = snapshot.graph();
    let mut row: Vec<(u32, f32)> = Vec::new();
    let inside =
        |target: u32| community.is_none_or(|community| graph.community(target) == community);
    let leads_to = |other: u32| {
        other != symbol && catalog.is_code(other) && !catalog.is_test(other) && inside(other)
    };
    for edge in graph.out(symbol).iter().take(MAX_EDGES) {
        let weight = weight(edge.kind(), edge.confidence, false);
        if weight > 0.0 && leads_to(edge.target) {
            row.push((edge.target, weight));
        }
    }
    // What is not gone to is left out before its edges are looked up, and does not count as followed.
    let back = graph
        .sources(symbol)
        .filter(|&source| leads_to(source))
        .flat_map(|source| graph.between(source, symbol).iter().map(move |edge| (source, edge)));
    for (source, edge) in back.take(MAX_EDGES) {
        let weight = options.reverse * weight(edge.kind(), edge.confidence, true);
        if weight > 0.0 {
            row.push((source, weight));
        }
    }
    row.sort_by_key(|&(target, _)| target);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    let mut sum = 0.0;
    for (target, weight) in &mut row {
        *weight /= (1.0 + graph.sources(*target).len() as f32).sqrt();
        sum += *weight;
    }
    row.iter_mut().for_each(|(_, share)| *share /= sum.max(f32::MIN_POSITIVE));
    row
}

/// Nesting has its own weights: a member leads to its type more than the type to each member. The
/// graph stores both directions, so neither is followed backwards.
fn weight(kind: EdgeKind, confidence: u8, reverse: bool) -> f32 {
    match kind {
        EdgeKind::MemberOf => {
            if reverse {
                0.0
            } else {
                0.7
            }
        }
        EdgeKind::Contains => {
            if reverse {
                0.0
            } else {
                0.3
            }
        }
        EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides => {
            2.0 * f32::from(confidence) / 100.0
        }
        EdgeKind::Imports
        | EdgeKind::Exports
        | EdgeKind::Documents
        | EdgeKind::OwnedBy
        | EdgeKind::CoTestedWith
        | EdgeKind::Dataflow => 0.0,
        _ => f32::from(confidence) / 100.0,
    }
}
