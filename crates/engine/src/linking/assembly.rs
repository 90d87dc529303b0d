//! Edges of single files → the edges of all, in their final order.

use super::parts::Parts;
use super::rows::symbols_of;
use contextd_model::graph::EdgeRow;
use rayon::prelude::*;

/// Files whose edges are put in order by one thread at a time.
const GROUP: usize = 512;

/// The edges of all files: those of symbol `s` are `edges[offsets[s]..offsets[s + 1]]`.
pub struct Assembled {
    pub offsets: Vec<u32>,
    pub edges: Vec<EdgeRow>,
}

/// Edges by source, sorted.
pub type Edges = Vec<(u32, EdgeRow)>;

/// Puts the edges of all files in order: those of their own symbols, as `own` hands them out, and what
/// files say of each other. `first` has the number of each file's first symbol and the total.
pub fn assemble(first: &[u32], parts: &Parts, own: impl Fn(u32, &mut Edges) + Sync) -> Assembled {
    let joined = merged(parts.files.iter().flat_map(|part| part.joined.iter().copied()).collect());
    let files: Vec<usize> = (0..first.len().saturating_sub(1)).collect();
    let groups: Vec<(Vec<EdgeRow>, Vec<u32>)> =
        files.par_chunks(GROUP).map(|files| group(first, files, &joined, &own)).collect();
    let (edges, counts): (Vec<Vec<EdgeRow>>, Vec<Vec<u32>>) = groups.into_iter().unzip();
    let (edges, offsets) = rayon::join(|| joined_up(&edges), || added_up(&counts));
    Assembled { offsets, edges }
}

/// Puts lists behind each other, by several threads.
fn joined_up(lists: &[Vec<EdgeRow>]) -> Vec<EdgeRow> {
    let mut all = vec![EdgeRow::default(); lists.iter().map(Vec::len).sum()];
    let mut rest = all.as_mut_slice();
    let mut places = Vec::with_capacity(lists.len());
    for list in lists {
        let (place, after) = rest.split_at_mut(list.len());
        places.push((place, list));
        rest = after;
    }
    places.into_par_iter().for_each(|(place, list)| place.copy_from_slice(list));
    all
}

/// Adds counts up: where what is counted begins, and the end of all.
fn added_up(counts: &[Vec<u32>]) -> Vec<u32> {
    let ends = counts.iter().flatten().scan(0, |end, &count| {
        *end += count;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Returns the edges of some files in order, and how many each symbol has.
fn group(
    first: &[u32],
    files: &[usize],
    joined: &[(u32, EdgeRow)],
    own: &(impl Fn(u32, &mut Edges) + Sync),
) -> (Vec<EdgeRow>, Vec<u32>) {
    let (mut rows, mut counts) = (Vec::new(), Vec::new());
    let mut edges: Edges = Vec::new();
    for &file in files {
        let symbols = symbols_of(first, file);
        edges.clear();
        own(file as u32, &mut edges);
        let from = joined.partition_point(|(source, _)| *source < symbols.start);
        edges.extend(joined[from..].iter().take_while(|(source, _)| *source < symbols.end));
        // Those taken over are in order, as are those that others add: merging is all there is to do.
        edges.sort_by_key(order);
        let start = counts.len();
        counts.resize(start + symbols.len(), 0u32);
        for (source, edge) in &edges {
            counts[start + (source - symbols.start) as usize] += 1;
            rows.push(*edge);
        }
    }
    (rows, counts)
}

/// Joins the shares of files, which are in their order; the same edge from several is one that counts as often.
pub fn merged(mut joined: Edges) -> Edges {
    joined.par_sort_by_key(order);
    joined.dedup_by(|later, first| {
        let same = order(later) == order(first);
        if same {
            first.1.count = first.1.count.saturating_add(later.1.count);
        }
        same
    });
    joined
}

/// The order of edges, as a graph keeps them.
fn order((source, edge): &(u32, EdgeRow)) -> (u32, u32, u8) {
    (*source, edge.target, edge.kind)
}
