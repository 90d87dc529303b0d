//! The graph after a change, made of the one before: only what the change reaches is put together anew.

use super::{Again, Plan, own_edges};
use crate::linking::assembly::{Edges, merged};
use crate::linking::pulls::{Pulls, first_of, pull_of, pulls_of};
use crate::linking::rows::symbols_of;
use crate::linking::{Made, Rest};
use contextd_link::{Pull, communities_of, files_of, of_symbols};
use contextd_model::graph::EdgeRow;
use contextd_snapshot::{Patch, Segment};
use std::collections::BTreeMap;

/// Symbols and all their edges.
type Rows = BTreeMap<u32, Vec<EdgeRow>>;

/// Makes the graph; `None` when its bytes cannot be taken from the one before.
pub fn patched(
    plan: &mut Plan<'_>,
    again: &Again,
    segments: &[Segment],
    first: &[u32],
    pulls: &Pulls,
) -> Option<Made> {
    let symbols = *first.last()?;
    let file_of = files_of(first);
    let rows = rows(plan, again, first, &file_of)?;
    let rest = Rest::of(&plan.parts, segments);
    let patch = Patch {
        numbers: plan.moved.as_ref().map(|moved| moved.numbers.as_slice()),
        symbols,
        again: rows.clone(),
    };
    let (mut led, kept) = (None, pulls.take(plan.previous.manifest().graph));
    let find = || {
        let (found, now) = communities(plan, &rows, first, &file_of, kept);
        led = now;
        found
    };
    let image = plan.previous.graph().patched(patch, &rest.unresolved, &rest.outside, find)?;
    if let Some(led) = led {
        pulls.keep(image.key, led);
    }
    Some(Made {
        edges: image.edges + rest.outside.len() as u64,
        image,
        parts: std::mem::take(&mut plan.parts),
    })
}

/// Puts the edges of all symbols together that may have others than before.
fn rows(plan: &Plan<'_>, again: &Again, first: &[u32], file_of: &[u32]) -> Option<Rows> {
    let mut rows = Rows::new();
    for (&file, own) in &again.own {
        rows.extend(symbols_of(first, file as usize).map(|symbol| (symbol, Vec::new())));
        for (source, edge) in own {
            rows.get_mut(source)?.push(*edge);
        }
    }
    for &symbol in &again.joined {
        let file = *file_of.get(symbol as usize)?;
        if again.own.contains_key(&file) {
            continue;
        }
        // Nothing of a file that was not linked again has moved within it.
        let before = plan.previous.symbols_of_file(file);
        let edges =
            own_edges(plan.previous, before.start + (symbol - first[file as usize]), &before);
        rows.insert(symbol, edges.map(|edge| plan.edge(edge)).collect::<Option<_>>()?);
    }
    let mut is_asked = vec![false; file_of.len()];
    rows.keys().for_each(|&symbol| is_asked[symbol as usize] = true);
    let joined: Edges = plan
        .parts
        .files
        .iter()
        .flat_map(|part| &part.joined)
        .filter(|(source, _)| is_asked.get(*source as usize).is_some_and(|&asked| asked))
        .copied()
        .collect();
    for (source, edge) in merged(joined) {
        rows.get_mut(&source)?.push(edge);
    }
    Some(rows)
}

/// Returns the community of each symbol, and where the edges of each file lead now if that is known. Where no file leads
/// elsewhere than before, or less or more so, communities are as before. `kept` has where the edges of each file led.
fn communities(
    plan: &Plan<'_>,
    rows: &Rows,
    first: &[u32],
    file_of: &[u32],
    kept: Option<Vec<Pull>>,
) -> (Vec<u32>, Option<Vec<Pull>>) {
    let previous = plan.previous;
    let first_before = first_of(previous);
    let file_before = files_of(&first_before);
    let mut touched: Vec<u32> = rows.keys().map(|&symbol| file_of[symbol as usize]).collect();
    touched.dedup();
    let changed: Vec<(u32, Pull)> =
        touched.iter().map(|&file| (file, pull_now(plan, rows, file, first, file_of))).collect();
    if changed.iter().all(|(file, pull)| *pull == pull_of(previous, *file, &file_before)) {
        let by_file: Vec<u32> = first_before
            .iter()
            .take(previous.file_count() as usize)
            .map(|&symbol| previous.graph().community(symbol))
            .collect();
        return (of_symbols(&by_file, first), kept);
    }
    let mut pulls = kept.unwrap_or_else(|| pulls_of(previous));
    changed.into_iter().for_each(|(file, pull)| pulls[file as usize] = pull);
    (of_symbols(&communities_of(&pulls), first), Some(pulls))
}

/// Returns where the edges of a file lead now.
fn pull_now(plan: &Plan<'_>, rows: &Rows, file: u32, first: &[u32], file_of: &[u32]) -> Pull {
    let before = plan.previous.symbols_of_file(file);
    let edges = symbols_of(first, file as usize).flat_map(|symbol| match rows.get(&symbol) {
        Some(rows) => rows.clone(),
        // A file with symbols that stay as they were was not linked again: nothing has moved within it.
        None => plan
            .previous
            .graph()
            .out(before.start + (symbol - first[file as usize]))
            .iter()
            .filter_map(|edge| plan.edge(edge))
            .collect(),
    });
    Pull::of(edges, file, file_of)
}
