//! What the graph says about candidates once they have a first score: company of good ones is good.

use crate::catalog::Catalog;
use crate::signals::{Signals, at};
use contextd_model::EdgeKind;
use contextd_model::graph::EdgeRow;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// Edges that are less sure say nothing about company.
const SURE: u8 = 50;
/// How fast a candidate's word loses weight behind the best one's.
const FADE: f32 = 0.7;

/// Sets the signals `near_out` and `near_in` of every row from the rows' first scores: what a
/// candidate uses, and what uses it, each by how well it scored; one that has to do with many says
/// less about each.
pub(crate) fn set(
    snapshot: &Snapshot,
    catalog: &Catalog,
    rows: &mut [(u32, Signals)],
    first: &[f32],
    about_tests: bool,
) {
    let speaks = |symbol: u32| about_tests || !catalog.is_test(symbol);
    let places: FxHashMap<u32, u32> =
        rows.iter().enumerate().map(|(place, &(symbol, _))| (symbol, place as u32)).collect();
    let best = rows
        .iter()
        .zip(first)
        .filter(|((symbol, _), _)| speaks(*symbol))
        .map(|(_, &score)| score)
        .fold(f32::MIN, f32::max);
    let voice: Vec<f32> = rows
        .iter()
        .zip(first)
        .map(
            |(&(symbol, _), &score)| {
                if speaks(symbol) { ((score - best) / FADE).exp() } else { 0.0 }
            },
        )
        .collect();
    let edges = edges(snapshot, rows, &places, &voice);
    let (mut uses, mut used) = (vec![1f32; rows.len()], vec![1f32; rows.len()]);
    for &(source, target) in &edges {
        uses[source as usize] += 1.0;
        used[target as usize] += 1.0;
    }
    for &(source, target) in &edges {
        let (source, target) = (source as usize, target as usize);
        rows[source].1[at::NEAR_OUT] += voice[target] / used[target].sqrt();
        rows[target].1[at::NEAR_IN] += voice[source] / uses[source].sqrt();
    }
    for (_, signals) in rows.iter_mut() {
        signals[at::NEAR_OUT] = signals[at::NEAR_OUT].ln_1p();
        signals[at::NEAR_IN] = signals[at::NEAR_IN].ln_1p();
    }
}

/// True for a sure edge that says that its ends have to do with each other in the code itself.
pub fn is_company(edge: &EdgeRow) -> bool {
    edge.confidence >= SURE
        && !matches!(
            edge.kind(),
            EdgeKind::CoTestedWith | EdgeKind::OwnedBy | EdgeKind::Dataflow | EdgeKind::Documents
        )
}

/// Returns the sure edges among candidates that have a voice, as places, in the order of candidates.
fn edges(
    snapshot: &Snapshot,
    rows: &[(u32, Signals)],
    places: &FxHashMap<u32, u32>,
    voice: &[f32],
) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for (place, &(symbol, _)) in rows.iter().enumerate().filter(|&(place, _)| voice[place] > 0.0) {
        for edge in snapshot
            .graph()
            .out(symbol)
            .iter()
            .filter(|edge| is_company(edge) && edge.target != symbol)
        {
            if let Some(&target) =
                places.get(&edge.target).filter(|&&target| voice[target as usize] > 0.0)
            {
                edges.push((place as u32, target));
            }
        }
    }
    edges
}
