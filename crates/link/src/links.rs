//! All files linked: the graph's edges in their final order.

use crate::{LinkFile, World, communities};
use contextd_model::graph::{EdgeRow, OutsideEdge};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What linking may be told.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// Whether communities are found; they cost a pass over the edges.
    pub communities: bool,
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self { communities: true }
    }
}

/// Why a reference yields no edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The name is imported or inherited from outside, or a built-in.
    External,
    /// No symbol has the name.
    NotFound,
    /// Too many symbols have it.
    Ambiguous,
}

/// References without an edge, by language number and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unresolved {
    pub counts: BTreeMap<(u8, Reason), u64>,
}

impl Unresolved {
    pub(crate) fn add(&mut self, language: u8, reason: Reason, count: u16) {
        *self.counts.entry((language, reason)).or_default() += u64::from(count);
    }

    /// Takes up the counts of another file.
    pub fn extend(&mut self, other: &Unresolved) {
        for (&key, &count) in &other.counts {
            *self.counts.entry(key).or_default() += count;
        }
    }
}

/// The edges of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Edges of symbol `s` are `edges[offsets[s]..offsets[s + 1]]`.
    pub offsets: Vec<u32>,
    /// Sorted by source, kind and target.
    pub edges: Vec<EdgeRow>,
    /// Edges to what no file defines, sorted.
    pub outside: Vec<OutsideEdge>,
    pub unresolved: Unresolved,
    /// Community of each symbol, numbered from 0 in the order of their first symbols.
    pub communities: Vec<u32>,
}

/// Links all files, which are in global order: symbol numbers count through them.
pub fn link(files: &[LinkFile<'_>], options: &LinkOptions) -> Links {
    let world = World::build(files);
    let linked: Vec<_> =
        (0..files.len()).into_par_iter().map(|file| world.link_file(file)).collect();
    let mut unresolved = Unresolved::default();
    let mut outside = Vec::new();
    let mut edges = Vec::with_capacity(linked.iter().map(|part| part.edges.len()).sum());
    for part in linked {
        unresolved.extend(&part.unresolved);
        outside.extend(part.outside);
        edges.extend(part.edges);
    }
    let mut links = assemble(edges, world.symbol_count());
    outside.sort_unstable();
    links.outside = outside;
    links.unresolved = unresolved;
    if options.communities {
        let first: Vec<u32> = world.first_symbols().to_vec();
        drop(world);
        links.communities = communities::communities(&links.offsets[1..], &links.edges, &first);
    }
    links
}

/// Puts edges into their final order, whatever the order they come in.
pub fn assemble(edges: Vec<(u32, EdgeRow)>, symbols: u32) -> Links {
    let edges = crate::edges::merge(edges);
    let mut offsets = vec![0u32; symbols as usize + 1];
    for (source, _) in &edges {
        offsets[*source as usize + 1] += 1;
    }
    for at in 1..offsets.len() {
        offsets[at] += offsets[at - 1];
    }
    Links { offsets, edges: edges.into_iter().map(|(_, edge)| edge).collect(), ..Links::default() }
}
