//! A graph in pieces, for a reader that begins before the writer is done.

use super::encode::{edges, header, heading, node_line};
use crate::graph::GraphPack;
use std::collections::BTreeMap;

/// Returns the pieces of a graph in order; together they are one text, whose counts stand at its end.
pub fn stream(graph: &GraphPack) -> impl Iterator<Item = String> + '_ {
    let first = std::iter::once(format!("{}\n", header(graph, false)));
    let nodes = graph.nodes.iter().enumerate().map(|(at, node)| {
        let mut piece = String::new();
        if at == 0 || graph.nodes[at - 1].distance != node.distance {
            piece = format!("## {}\n", heading(node.distance));
        }
        node_line(&mut piece, at as u32, node);
        piece
    });
    let rest = std::iter::once_with(|| {
        let mut piece = String::new();
        edges(&mut piece, &graph.edges, None);
        piece + &summary(graph)
    });
    first.chain(nodes).chain(rest)
}

fn summary(graph: &GraphPack) -> String {
    let mut groups: BTreeMap<u32, usize> = BTreeMap::new();
    graph.nodes.iter().for_each(|node| *groups.entry(node.distance).or_default() += 1);
    let mut counts: Vec<String> = groups.values().map(usize::to_string).collect();
    if !graph.edges.is_empty() {
        counts.push(graph.edges.len().to_string());
    }
    format!(
        "##! summary symbols={} edges={} counts={}\n",
        graph.nodes.len(),
        graph.edges.len(),
        counts.join(",")
    )
}
