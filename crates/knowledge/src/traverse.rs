//! What lies around some nodes: breadth first, against and along the edges, the important ones first.

use crate::graph::{Graph, priority};
use std::collections::VecDeque;

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Edges between a focus and the farthest node.
    pub depth: u32,
    /// Nodes in all, the focus included.
    pub max_nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 2, max_nodes: 20 }
    }
}

/// A part of the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subgraph {
    /// Nodes with their distance from the focus, in the order they were met; each once.
    pub nodes: Vec<(usize, u32)>,
    /// Numbers of all edges among the nodes, rising.
    pub edges: Vec<usize>,
    /// True when the limit left nodes out.
    pub cut: bool,
}

/// Walks from the focus nodes; numbers that do not exist are passed over.
///
/// # Errors
/// When the focus alone has more nodes than the limit: both always holding is worth a refusal.
pub fn traverse(graph: &Graph, focus: &[usize], limits: &Limits) -> Result<Subgraph, TooMany> {
    let mut found = Subgraph::default();
    let mut seen = vec![false; graph.nodes.len()];
    for &node in focus.iter().filter(|&&node| node < graph.nodes.len()) {
        if !std::mem::replace(&mut seen[node], true) {
            found.nodes.push((node, 0));
        }
    }
    if found.nodes.len() > limits.max_nodes {
        return Err(TooMany { focus: found.nodes.len(), limit: limits.max_nodes });
    }
    let neighbours = neighbours(graph);
    let mut queue: VecDeque<(usize, u32)> = found.nodes.iter().copied().collect();
    while let Some((node, distance)) = queue.pop_front() {
        if distance >= limits.depth {
            continue;
        }
        for &other in &neighbours[node] {
            if seen[other] {
                continue;
            }
            if found.nodes.len() >= limits.max_nodes {
                found.cut = true;
                break;
            }
            seen[other] = true;
            found.nodes.push((other, distance + 1));
            queue.push_back((other, distance + 1));
        }
    }
    found.edges = (0..graph.edges.len())
        .filter(|&edge| seen[graph.edges[edge].from] && seen[graph.edges[edge].to])
        .collect();
    Ok(found)
}

/// More focus nodes than the limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub focus: usize,
    pub limit: usize,
}

/// Returns the neighbours of every node, by the priority of the edge, then by name.
fn neighbours(graph: &Graph) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<(u8, &str, &str, usize)>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        let rank = priority(&edge.kind);
        for (here, there) in [(edge.from, edge.to), (edge.to, edge.from)] {
            found[here].push((rank, &edge.kind, &graph.nodes[there].ref_id, there));
        }
    }
    found
        .into_iter()
        .map(|mut own| {
            own.sort_unstable();
            own.into_iter().map(|(_, _, _, node)| node).collect()
        })
        .collect()
}

/// Returns what leads to a node (`up`) or from it along edges of one direction, as an indented tree;
/// each node is opened once.
pub fn tree(graph: &Graph, root: usize, up: bool, depth: u32) -> Vec<(u32, usize, String)> {
    let mut lines = Vec::new();
    let mut seen = vec![false; graph.nodes.len()];
    let mut stack = vec![(0u32, root, String::new())];
    while let Some((level, node, kind)) = stack.pop() {
        let opened = std::mem::replace(&mut seen[node], true);
        if level > 0 {
            lines.push((level, node, kind));
        }
        if opened || level >= depth {
            continue;
        }
        let mut next: Vec<(u8, &str, usize)> = graph
            .edges
            .iter()
            .filter(|edge| {
                edge.from != edge.to && if up { edge.from == node } else { edge.to == node }
            })
            .map(|edge| {
                (priority(&edge.kind), edge.kind.as_str(), if up { edge.to } else { edge.from })
            })
            .collect();
        next.sort_by_key(|&(rank, kind, node)| {
            (rank, kind.to_owned(), graph.nodes[node].ref_id.clone())
        });
        for (_, kind, node) in next.into_iter().rev() {
            stack.push((level + 1, node, kind.to_owned()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, File};
    use proptest::prelude::*;

    const KINDS: &[&str] = &[
        "part_of",
        "touches_entity",
        "uses",
        "implements",
        "depends_on",
        "touches_code",
        "produces",
    ];

    fn graph(nodes: usize, edges: &[(usize, usize, usize)]) -> Graph {
        let text = (0..nodes)
            .map(|node| format!("- {{ref_id: n{node}, kind: domain}}\n"))
            .collect::<String>();
        let (mut graph, problems) =
            Graph::of(vec![File::parse(&format!("nodes:\n{text}"), "g.yml").0]);
        assert!(problems.is_empty());
        for &(from, to, kind) in edges {
            graph.edges.push(Edge {
                from: from % nodes,
                to: to % nodes,
                kind: KINDS[kind % KINDS.len()].to_owned(),
                ..Edge::default()
            });
        }
        graph
    }

    /// Distances by repeated relaxation, as a second opinion.
    fn distances(graph: &Graph, focus: &[usize]) -> Vec<u32> {
        let mut far = vec![u32::MAX; graph.nodes.len()];
        focus.iter().for_each(|&node| far[node] = 0);
        for _ in 0..graph.nodes.len() {
            for edge in &graph.edges {
                for (here, there) in [(edge.from, edge.to), (edge.to, edge.from)] {
                    far[there] = far[there].min(far[here].saturating_add(1));
                }
            }
        }
        far
    }

    proptest! {
        #[test]
        fn the_five_invariants_hold(
            nodes in 1usize..30,
            edges in prop::collection::vec((0usize..30, 0usize..30, 0usize..7), 0..90),
            focus in prop::collection::vec(0usize..40, 1..5),
            depth in 0u32..5,
            max_nodes in 1usize..25,
        ) {
            let graph = graph(nodes, &edges);
            let limits = Limits { depth, max_nodes };
            let mut existing: Vec<usize> = focus.iter().copied().filter(|&node| node < nodes).collect();
            existing.sort_unstable();
            existing.dedup();
            let result = traverse(&graph, &focus, &limits);
            if existing.len() > max_nodes {
                prop_assert_eq!(result, Err(TooMany { focus: existing.len(), limit: max_nodes }));
                return Ok(());
            }
            // It ends, so it does not cycle.
            let found = result.unwrap();
            let mut members: Vec<usize> = found.nodes.iter().map(|&(node, _)| node).collect();
            let count = members.len();
            members.sort_unstable();
            members.dedup();
            // Each node once; never more than the limit.
            prop_assert_eq!(members.len(), count);
            prop_assert!(count <= max_nodes);
            // The focus is in.
            prop_assert!(existing.iter().all(|node| members.contains(node)));
            // Every edge between members is recorded, however they were reached.
            let inside = |node: usize| members.binary_search(&node).is_ok();
            let expected: Vec<usize> = (0..graph.edges.len()).filter(|&at| inside(graph.edges[at].from) && inside(graph.edges[at].to)).collect();
            prop_assert_eq!(&found.edges, &expected);
            // Distances are right, and without a cut everything within reach is there.
            let far = distances(&graph, &existing);
            for &(node, distance) in &found.nodes {
                prop_assert_eq!(distance, far[node]);
                prop_assert!(distance <= depth);
            }
            let reachable = far.iter().filter(|&&distance| distance <= depth).count();
            prop_assert_eq!(found.cut, reachable > max_nodes);
            prop_assert_eq!(count, reachable.min(max_nodes));
        }
    }

    #[test]
    fn important_edges_come_first() {
        let graph = graph(4, &[(0, 1, 5), (2, 0, 0), (0, 3, 4)]);
        let found = traverse(&graph, &[0], &Limits { depth: 1, max_nodes: 3 }).unwrap();
        assert_eq!(found.nodes, [(0, 0), (2, 1), (3, 1)]);
        assert!(found.cut);
    }

    #[test]
    fn trees_open_a_node_once() {
        let graph = graph(3, &[(0, 1, 4), (1, 2, 4), (2, 0, 4)]);
        let lines: Vec<(u32, usize)> =
            tree(&graph, 0, true, 9).into_iter().map(|(level, node, _)| (level, node)).collect();
        assert_eq!(lines, [(1, 1), (2, 2), (3, 0)]);
    }
}
