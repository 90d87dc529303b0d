//! Signals of pure structure: how much leans on a symbol, how sure its edges are, how lately it
//! changed, how far it is from the matches, and whether it is a centre or a crossroads of them.

use crate::hits;
use crate::near::is_company;
use crate::signals::{Signals, at};
use crate::task::{Sources, top};
use contextd_model::EdgeKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// A commit that is this many commits old counts a third of the newest.
const FADE: f32 = 500.0;
/// Steps from a match after which a candidate counts as out of reach.
const FAR: u32 = 6;

/// Sets the structural signals of every row. `seeds` are the matches from which the walk started.
pub(crate) fn set(sources: &Sources<'_>, rows: &mut [(u32, Signals)], seeds: &[u32]) {
    let graph = sources.snapshot.graph();
    let seeds: FxHashSet<u32> = seeds.iter().copied().collect();
    let recency = recency(sources);
    let distance = distances(sources, rows, &seeds);
    let strong = top(
        rows.iter().map(|(symbol, signals)| (*symbol, signals[at::PPR])).collect(),
        sources.parameters.hits.max(0.0) as usize,
    );
    let centres = hits::hits(
        sources.snapshot,
        &strong.iter().map(|&(symbol, _)| symbol).collect::<Vec<_>>(),
        sources.parameters.hits_iterations.max(0.0) as u32,
    );
    for (symbol, signals) in rows.iter_mut() {
        let callers: FxHashSet<u32> = graph
            .incoming(*symbol)
            .filter(|(_, edge)| edge.kind() == EdgeKind::Calls)
            .map(|(source, _)| source)
            .collect();
        let sure = graph
            .out(*symbol)
            .iter()
            .map(|edge| edge.confidence)
            .chain(graph.incoming(*symbol).map(|(_, edge)| edge.confidence))
            .max()
            .unwrap_or(0);
        signals[at::BLAST] = callers.len() as f32;
        signals[at::CONFIDENCE] = f32::from(sure) / 100.0;
        signals[at::RECENCY] = recency[sources.catalog.file[*symbol as usize] as usize];
        signals[at::DISTANCE] = distance.get(symbol).map_or(0.0, |&hops| 1.0 / (1.0 + hops as f32));
        if let Some(&(authority, hub)) = centres.get(symbol) {
            let matches = seeds.contains(symbol);
            signals[if matches { at::AUTHORITY } else { at::AUTHORITY_OTHER }] = authority;
            signals[at::HUB] = if matches { hub } else { 0.0 };
        }
    }
    let most = rows.iter().map(|(_, signals)| signals[at::BLAST]).fold(1.0, f32::max);
    rows.iter_mut().for_each(|(_, signals)| signals[at::BLAST] /= most);
}

/// Returns how lately each file changed: 1 for the newest commit.
fn recency(sources: &Sources<'_>) -> Vec<f32> {
    let mut recency = vec![0f32; sources.snapshot.file_count() as usize];
    let Some(commits) = sources.commits else { return recency };
    let first = sources.hidden.map_or(0, |hidden| hidden + 1);
    for commit in first..commits.len() {
        let value = (-((commit - first) as f32) / FADE).exp();
        for &file in commits.touched(commit) {
            if let Some(slot) = recency.get_mut(file as usize) {
                *slot = slot.max(value);
            }
        }
    }
    recency
}

/// Returns the steps from the nearest match to each row, over rows alone.
fn distances(
    sources: &Sources<'_>,
    rows: &[(u32, Signals)],
    seeds: &FxHashSet<u32>,
) -> FxHashMap<u32, u32> {
    let inside: FxHashSet<u32> = rows.iter().map(|&(symbol, _)| symbol).collect();
    let mut found: FxHashMap<u32, u32> = FxHashMap::default();
    let mut frontier: Vec<u32> =
        rows.iter().map(|&(symbol, _)| symbol).filter(|symbol| seeds.contains(symbol)).collect();
    for hops in 0..FAR {
        frontier.retain(|&symbol| found.insert(symbol, hops).is_none());
        let graph = sources.snapshot.graph();
        let near = |symbol: u32| {
            graph.out(symbol).iter().filter(is_company).map(|edge| edge.target).chain(
                graph
                    .incoming(symbol)
                    .filter(|(_, edge)| is_company(edge))
                    .map(|(source, _)| source),
            )
        };
        let mut next: Vec<u32> = frontier
            .iter()
            .flat_map(|&symbol| near(symbol))
            .filter(|other| inside.contains(other) && !found.contains_key(other))
            .collect();
        next.sort_unstable();
        next.dedup();
        frontier = next;
    }
    found
}
