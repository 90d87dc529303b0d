//! Communities: groups of files that refer to each other more than to the rest.
//!
//! Louvain's local moving over files, nodes in their order and ties to the smaller number, then once
//! more over the groups. A symbol belongs to its file's community. The result depends on the edges
//! alone.

use crate::Links;
use contextd_model::EdgeKind;
use rustc_hash::FxHashMap;

/// Passes over all nodes at one level; later passes move next to nothing.
const MAX_PASSES: usize = 10;
const MAX_LEVELS: usize = 4;

/// Returns the community of each symbol; `first` holds each file's first symbol and the total.
pub fn communities(links: &Links, first: &[u32]) -> Vec<u32> {
    let files = first.len().saturating_sub(1);
    let mut graph = file_graph(links, first);
    let mut community: Vec<u32> = (0..files as u32).collect();
    for _ in 0..MAX_LEVELS {
        let (labels, moved) = local_moving(&graph);
        if !moved {
            break;
        }
        let (labels, count) = renumbered(&labels);
        for slot in &mut community {
            *slot = labels[*slot as usize];
        }
        graph = graph.grouped(&labels, count);
    }
    let (community, _) = renumbered(&community);
    (0..files)
        .flat_map(|file| {
            std::iter::repeat_n(community[file], (first[file + 1] - first[file]) as usize)
        })
        .collect()
}

/// Undirected graph with weights; neighbours in ascending order.
struct Graph {
    neighbours: Vec<Vec<(u32, f64)>>,
    /// Weight of edges inside a node, counted twice.
    inner: Vec<f64>,
}

impl Graph {
    fn from_weights(nodes: usize, weights: FxHashMap<(u32, u32), f64>, inner: Vec<f64>) -> Self {
        let mut sorted: Vec<((u32, u32), f64)> = weights.into_iter().collect();
        sorted.sort_unstable_by_key(|&(pair, _)| pair);
        let mut neighbours = vec![Vec::new(); nodes];
        for ((left, right), weight) in sorted {
            neighbours[left as usize].push((right, weight));
            neighbours[right as usize].push((left, weight));
        }
        for list in &mut neighbours {
            list.sort_unstable_by_key(|&(node, _)| node);
        }
        Self { neighbours, inner }
    }

    fn degree(&self, node: usize) -> f64 {
        self.inner[node]
            + self.neighbours[node]
                .iter()
                .map(|&(_, weight)| weight)
                .sum::<f64>()
    }

    fn grouped(&self, labels: &[u32], count: usize) -> Graph {
        let mut inner = vec![0.0; count];
        let mut weights: FxHashMap<(u32, u32), f64> = FxHashMap::default();
        for (node, list) in self.neighbours.iter().enumerate() {
            let own = labels[node];
            inner[own as usize] += self.inner[node];
            for &(other, weight) in list {
                let theirs = labels[other as usize];
                if own == theirs {
                    inner[own as usize] += weight;
                } else if own < theirs {
                    *weights.entry((own, theirs)).or_default() += weight;
                }
            }
        }
        Self::from_weights(count, weights, inner)
    }
}

fn file_graph(links: &Links, first: &[u32]) -> Graph {
    let files = first.len().saturating_sub(1);
    let mut inner = vec![0.0; files];
    let mut weights: FxHashMap<(u32, u32), f64> = FxHashMap::default();
    let file_of: Vec<u32> = (0..files)
        .flat_map(|file| std::iter::repeat_n(file as u32, (first[file + 1] - first[file]) as usize))
        .collect();
    for file in 0..files {
        for symbol in first[file]..first[file + 1] {
            let range = links.offsets[symbol as usize] as usize
                ..links.offsets[symbol as usize + 1] as usize;
            for edge in &links.edges[range] {
                // Nesting says nothing new; dataflow goes where calls go.
                if matches!(
                    edge.kind(),
                    EdgeKind::Contains | EdgeKind::MemberOf | EdgeKind::Dataflow
                ) {
                    continue;
                }
                let target = file_of[edge.target as usize] as usize;
                let weight =
                    f64::from(edge.kind().walk_weight()) * f64::from(edge.confidence) / 100.0;
                match file.cmp(&target) {
                    std::cmp::Ordering::Equal => inner[file] += 2.0 * weight,
                    std::cmp::Ordering::Less => {
                        *weights.entry((file as u32, target as u32)).or_default() += weight
                    }
                    std::cmp::Ordering::Greater => {
                        *weights.entry((target as u32, file as u32)).or_default() += weight
                    }
                }
            }
        }
    }
    Graph::from_weights(files, weights, inner)
}

/// Moves each node to the neighbouring community that gains most modularity, until nothing moves.
fn local_moving(graph: &Graph) -> (Vec<u32>, bool) {
    let nodes = graph.neighbours.len();
    let degrees: Vec<f64> = (0..nodes).map(|node| graph.degree(node)).collect();
    let total: f64 = degrees.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut labels: Vec<u32> = (0..nodes as u32).collect();
    let mut weight_of = degrees.clone();
    let mut to: Vec<(u32, f64)> = Vec::new();
    let mut moved_ever = false;
    for _ in 0..MAX_PASSES {
        let mut moved = false;
        for node in 0..nodes {
            let own = labels[node];
            to.clear();
            to.extend(
                graph.neighbours[node]
                    .iter()
                    .map(|&(other, weight)| (labels[other as usize], weight)),
            );
            to.sort_unstable_by_key(|&(label, _)| label);
            weight_of[own as usize] -= degrees[node];
            let best = best_label(&to, own, degrees[node], &weight_of, total);
            weight_of[best as usize] += degrees[node];
            labels[node] = best;
            moved |= best != own;
        }
        moved_ever |= moved;
        if !moved {
            break;
        }
    }
    (labels, moved_ever)
}

fn best_label(to: &[(u32, f64)], own: u32, degree: f64, weight_of: &[f64], total: f64) -> u32 {
    let gain = |label: u32, weight: f64| weight - weight_of[label as usize] * degree / total;
    let own_weight: f64 = to
        .iter()
        .filter(|&&(label, _)| label == own)
        .map(|&(_, weight)| weight)
        .sum();
    let (mut best, mut best_gain) = (own, gain(own, own_weight));
    for group in to.chunk_by(|left, right| left.0 == right.0) {
        let label = group[0].0;
        let value = gain(label, group.iter().map(|&(_, weight)| weight).sum());
        if value > best_gain + 1e-9 {
            (best, best_gain) = (label, value);
        }
    }
    best
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
