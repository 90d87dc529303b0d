//! The graph after a change, made of the one before: only what the change reaches is put together anew.

use super::{Again, Plan, own_edges};
use crate::linking::assembly::{Edges, merged};
use crate::linking::rows::symbols_of;
use crate::linking::{Made, Rest};
use contextd_link::{Pull, communities_of, files_of, of_symbols};
use contextd_model::graph::EdgeRow;
use contextd_snapshot::{Patch, Segment};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Symbols and all their edges.
type Rows = BTreeMap<u32, Vec<EdgeRow>>;

/// Makes the graph; `None` when its bytes cannot be taken from the one before.
pub fn patched(plan: &mut Plan<'_>, again: &Again, segments: &[Segment], first: &[u32]) -> Option<Made> {
    let symbols = *first.last()?;
    let file_of = files_of(first);
    let rows = rows(plan, again, first, &file_of)?;
    let rest = Rest::of(&plan.parts, segments);
    let patch = Patch { numbers: plan.moved.as_ref().map(|moved| moved.numbers.as_slice()), symbols, again: rows.clone() };
    let image = plan.previous.graph().patched(patch, &rest.unresolved, &rest.outside, || communities(plan, &rows, first, &file_of))?;
    Some(Made { edges: image.edges + rest.outside.len() as u64, image, parts: std::mem::take(&mut plan.parts) })
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
        let edges = own_edges(plan.previous, before.start + (symbol - first[file as usize]), &before);
        rows.insert(symbol, edges.map(|edge| plan.edge(edge)).collect::<Option<_>>()?);
    }
    let mut is_asked = vec![false; file_of.len()];
    rows.keys().for_each(|&symbol| is_asked[symbol as usize] = true);
    let joined: Edges = plan.parts.files.iter().flat_map(|part| &part.joined).filter(|(source, _)| is_asked.get(*source as usize).is_some_and(|&asked| asked)).copied().collect();
    for (source, edge) in merged(joined) {
        rows.get_mut(&source)?.push(edge);
    }
    Some(rows)
}

/// Returns the community of each symbol. Where no file leads elsewhere than before, or less or more so, they are as before.
fn communities(plan: &Plan<'_>, rows: &Rows, first: &[u32], file_of: &[u32]) -> Vec<u32> {
    let previous = plan.previous;
    let files = first.len().saturating_sub(1) as u32;
    let first_before: Vec<u32> = (0..files).map(|file| previous.symbols_of_file(file).start).chain([previous.symbol_count()]).collect();
    let file_before = files_of(&first_before);
    let mut touched: Vec<u32> = rows.keys().map(|&symbol| file_of[symbol as usize]).collect();
    touched.dedup();
    let changed: BTreeMap<u32, Pull> = touched.iter().map(|&file| (file, pull_now(plan, rows, file, first, file_of))).collect();
    let pull_before = |file: u32| Pull::of(previous.symbols_of_file(file).flat_map(|symbol| previous.graph().out(symbol).iter()), file, &file_before);
    let by_file = if changed.iter().all(|(&file, pull)| *pull == pull_before(file)) {
        first_before.iter().take(files as usize).map(|&symbol| previous.graph().community(symbol)).collect()
    } else {
        let pulls: Vec<Pull> = (0..files).into_par_iter().with_min_len(64).map(|file| changed.get(&file).cloned().unwrap_or_else(|| pull_before(file))).collect();
        communities_of(&pulls)
    };
    of_symbols(&by_file, first)
}

/// Returns where the edges of a file lead now.
fn pull_now(plan: &Plan<'_>, rows: &Rows, file: u32, first: &[u32], file_of: &[u32]) -> Pull {
    let before = plan.previous.symbols_of_file(file);
    let edges = symbols_of(first, file as usize).flat_map(|symbol| match rows.get(&symbol) {
        Some(rows) => rows.clone(),
        // A file with symbols that stay as they were was not linked again: nothing has moved within it.
        None => plan.previous.graph().out(before.start + (symbol - first[file as usize])).iter().filter_map(|edge| plan.edge(edge)).collect(),
    });
    Pull::of(edges, file, file_of)
}
