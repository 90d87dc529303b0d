//! Communities: groups of files that refer to each other more than to the rest.
//!
//! Louvain's local moving over files, nodes in their order and ties to the smaller number, then once
//! more over the groups. A symbol belongs to its file's community. The result depends on the edges
//! alone: weights are whole numbers, so that no order of adding them up shows.

use contextd_model::EdgeKind;
use contextd_model::graph::EdgeRow;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Passes over all nodes at one level; later passes move next to nothing.
const MAX_PASSES: usize = 10;
const MAX_LEVELS: usize = 4;
/// A gain that is worth moving for; whole weights are far above.
const LEAST_GAIN: f64 = 1e-3;

/// Where the edges of a file lead, by what they weigh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pull {
    /// To the file itself.
    inner: u32,
    /// To other files, rising.
    others: Vec<(u32, u32)>,
}

/// Returns the community of each symbol. Edges of symbol `s` are `edges[ends[s - 1]..ends[s]]`; `first` holds each file's
/// first symbol and the total.
pub fn communities(ends: &[u32], edges: &[EdgeRow], first: &[u32]) -> Vec<u32> {
    let files = first.len().saturating_sub(1);
    let file_of = files_of(first);
    let pull = |file: usize| {
        let start = (first[file] as usize).checked_sub(1).map_or(0, |before| ends[before]);
        let end = (first[file + 1] as usize).checked_sub(1).map_or(0, |last| ends[last]);
        Pull::of(edges[start as usize..end as usize].iter().copied(), file as u32, &file_of)
    };
    let pulls: Vec<Pull> = (0..files).into_par_iter().with_min_len(64).map(pull).collect();
    of_symbols(&communities_of(&pulls), first)
}

/// Returns the file of each symbol.
pub fn files_of(first: &[u32]) -> Vec<u32> {
    let mut files = Vec::with_capacity(first.last().copied().unwrap_or(0) as usize);
    (0..).zip(first.iter().skip(1)).for_each(|(file, &end)| files.resize(end as usize, file));
    files
}

/// Gives each symbol the community of its file.
pub fn of_symbols(communities: &[u32], first: &[u32]) -> Vec<u32> {
    let mut symbols = Vec::with_capacity(first.last().copied().unwrap_or(0) as usize);
    first
        .iter()
        .skip(1)
        .zip(communities)
        .for_each(|(&end, &community)| symbols.resize(end as usize, community));
    symbols
}

/// Returns the community of each file, numbered from 0 in the order of their first files.
pub fn communities_of(pulls: &[Pull]) -> Vec<u32> {
    let mut community: Vec<u32> = (0..pulls.len() as u32).collect();
    let mut groups = file_graph(pulls).join_groups(&mut community);
    for _ in 1..MAX_LEVELS {
        let Some(graph) = groups else { break };
        groups = graph.join_groups(&mut community);
    }
    renumbered(&community).0
}

/// Undirected graph with weights, whole numbers all. A neighbour may be listed several times; what it weighs is the sum.
struct Graph<W> {
    /// Where the neighbours of a node begin, and the end of all.
    starts: Vec<usize>,
    neighbours: Vec<(u32, W)>,
    /// Weight of edges inside a node, counted twice.
    inner: Vec<f64>,
}

impl<W: Copy + Into<f64>> Graph<W> {
    fn of_node(&self, node: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.neighbours[self.starts[node]..self.starts[node + 1]]
            .iter()
            .map(|&(other, weight)| (other, weight.into()))
    }

    fn degree(&self, node: usize) -> f64 {
        self.inner[node] + self.of_node(node).map(|(_, weight)| weight).sum::<f64>()
    }

    /// Joins nodes into groups, of which `community` then has the numbers in place of those of nodes, and returns the graph of
    /// the groups; `None` when every node stays alone.
    fn join_groups(&self, community: &mut [u32]) -> Option<Graph<f64>> {
        let (labels, moved) = local_moving(self);
        if !moved {
            return None;
        }
        let (labels, count) = renumbered(&labels);
        community.iter_mut().for_each(|node| *node = labels[*node as usize]);
        Some(self.grouped(&labels, count))
    }

    fn grouped(&self, labels: &[u32], count: usize) -> Graph<f64> {
        let mut inner = vec![0.0; count];
        let mut lists: Vec<FxHashMap<u32, f64>> = vec![FxHashMap::default(); count];
        for (node, &own) in labels.iter().enumerate() {
            inner[own as usize] += self.inner[node];
            for (other, weight) in self.of_node(node) {
                let theirs = labels[other as usize];
                if own == theirs {
                    inner[own as usize] += weight;
                } else {
                    *lists[own as usize].entry(theirs).or_default() += weight;
                }
            }
        }
        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        for list in lists {
            neighbours.extend(list);
            starts.push(neighbours.len());
        }
        Graph { starts, neighbours, inner }
    }
}

fn file_graph(pulls: &[Pull]) -> Graph<u32> {
    let files = pulls.len();
    let mut starts = vec![0; files + 1];
    for (file, pull) in pulls.iter().enumerate() {
        starts[file + 1] += pull.others.len();
        pull.others.iter().for_each(|&(other, _)| starts[other as usize + 1] += 1);
    }
    (0..files).for_each(|file| starts[file + 1] += starts[file]);
    let mut next = starts.clone();
    let mut neighbours = vec![(0, 0); starts[files]];
    for (file, pull) in pulls.iter().enumerate() {
        for &(other, weight) in &pull.others {
            for (node, neighbour) in [(file, other), (other as usize, file as u32)] {
                neighbours[next[node]] = (neighbour, weight);
                next[node] += 1;
            }
        }
    }
    let inner = pulls.iter().map(|pull| 2.0 * f64::from(pull.inner)).collect();
    Graph { starts, neighbours, inner }
}

/// Nesting says nothing new; dataflow goes where calls go. Others weigh what they do in tenths.
fn weight(kind: EdgeKind) -> u32 {
    match kind {
        EdgeKind::Contains | EdgeKind::MemberOf | EdgeKind::Dataflow => 0,
        kind => (kind.walk_weight() * 10.0).round() as u32,
    }
}

/// What an edge of each kind weighs.
static WEIGHTS: LazyLock<[u32; 256]> =
    LazyLock::new(|| std::array::from_fn(|kind| weight(EdgeKind::from_byte(kind as u8))));

impl Pull {
    /// Adds up where the edges of a file lead; `file_of` has the file of each symbol.
    pub fn of(edges: impl IntoIterator<Item = EdgeRow>, file: u32, file_of: &[u32]) -> Self {
        let weights: &[u32; 256] = &WEIGHTS;
        let (mut inner, mut others) = (0u32, Vec::new());
        for edge in edges {
            let weight = weights[edge.kind as usize] * u32::from(edge.confidence);
            let Some(&target) = file_of.get(edge.target as usize).filter(|_| weight > 0) else {
                continue;
            };
            if target == file {
                inner = inner.saturating_add(weight);
            } else {
                others.push((target, weight));
            }
        }
        others.sort_unstable();
        others.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = first.1.saturating_add(later.1);
            }
            same
        });
        Self { inner, others }
    }
}

/// Moves each node to the neighbouring community that gains most modularity, until nothing moves.
fn local_moving<W: Copy + Into<f64>>(graph: &Graph<W>) -> (Vec<u32>, bool) {
    let nodes = graph.inner.len();
    let degrees: Vec<f64> = (0..nodes).map(|node| graph.degree(node)).collect();
    let total: f64 = degrees.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut labels: Vec<u32> = (0..nodes as u32).collect();
    let mut weight_of = degrees.clone();
    let mut sums = vec![0.0; nodes];
    let mut seen: Vec<u32> = Vec::new();
    let mut moved_ever = false;
    for _ in 0..MAX_PASSES {
        let mut moved = false;
        for node in 0..nodes {
            for (other, weight) in graph.of_node(node) {
                let sum = &mut sums[labels[other as usize] as usize];
                if *sum == 0.0 {
                    seen.push(labels[other as usize]);
                }
                *sum += weight;
            }
            let (own, degree) = (labels[node], degrees[node]);
            weight_of[own as usize] -= degree;
            let gain =
                |label: u32| sums[label as usize] - weight_of[label as usize] * degree / total;
            let best = seen
                .iter()
                .map(|&label| (gain(label), label))
                .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)));
            let label = best
                .filter(|(best, _)| *best > gain(own) + LEAST_GAIN)
                .map_or(own, |(_, label)| label);
            weight_of[label as usize] += degree;
            labels[node] = label;
            moved |= label != own;
            seen.drain(..).for_each(|label| sums[label as usize] = 0.0);
        }
        moved_ever |= moved;
        if !moved {
            break;
        }
    }
    (labels, moved_ever)
}

/// Numbers labels from 0 in the order they first occur.
fn renumbered(labels: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let renamed = labels
        .iter()
        .map(|&label| {
            let next = numbers.len() as u32;
            *numbers.entry(label).or_insert(next)
        })
        .collect();
    (renamed, numbers.len())
}
