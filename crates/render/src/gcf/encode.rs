//! A whole graph, and the word that nothing has changed.

use super::root::pack_root;
use crate::graph::{Edge, GraphPack, Node, Status};
use std::fmt::Write as _;

/// Writes a graph whole.
pub fn encode(graph: &GraphPack) -> String {
    let mut out = header(graph, true);
    let _ = writeln!(out, " pack_root={}", pack_root(graph));
    groups(&mut out, &graph.nodes, |out, at, node| node_line(out, at as u32, node));
    edges(&mut out, &graph.edges, Some(graph.edges.len()));
    out
}

/// Says that a graph is the one with that root.
pub fn unchanged(graph: &GraphPack) -> String {
    let tool = tool(graph);
    format!(
        "GCF profile=graph{tool} unchanged=true pack_root={} symbols={}\n",
        pack_root(graph),
        graph.nodes.len()
    )
}

fn tool(graph: &GraphPack) -> String {
    if graph.tool.is_empty() {
        String::new()
    } else {
        format!(" tool={}", crate::graph::plain(&graph.tool))
    }
}

/// Returns the first line without its end; counts are left out where they are not known yet.
pub(super) fn header(graph: &GraphPack, counted: bool) -> String {
    let mut out = format!("GCF profile=graph{}", tool(graph));
    let counts =
        [("symbols", graph.nodes.len() as u64, true), ("edges", graph.edges.len() as u64, false)];
    for (key, value, always) in [("budget", graph.budget, false), ("tokens", graph.tokens, false)]
        .into_iter()
        .chain(counts.into_iter().filter(|_| counted))
    {
        if always || value > 0 {
            let _ = write!(out, " {key}={value}");
        }
    }
    out
}

/// Returns the heading of a distance.
pub(super) fn heading(distance: u32) -> String {
    match distance {
        0 => "targets".to_owned(),
        1 => "related".to_owned(),
        2 => "extended".to_owned(),
        far => format!("distance_{far}"),
    }
}

/// Writes nodes below the heading of their distance.
pub(super) fn groups(
    out: &mut String,
    nodes: &[Node],
    mut line: impl FnMut(&mut String, usize, &Node),
) {
    let mut last = None;
    for (at, node) in nodes.iter().enumerate() {
        if last != Some(node.distance) {
            let _ = writeln!(out, "## {}", heading(node.distance));
            last = Some(node.distance);
        }
        line(out, at, node);
    }
}

pub(super) fn node_line(out: &mut String, id: u32, node: &Node) {
    let _ =
        writeln!(out, "@{id} {} {} {:.2} {}", node.kind, node.qname, node.score, node.provenance);
}

/// Writes edges; an unknown count is a question mark.
pub(super) fn edges(out: &mut String, edges: &[Edge], count: Option<usize>) {
    if edges.is_empty() {
        return;
    }
    let count = count.map_or("?".to_owned(), |count| count.to_string());
    let _ = writeln!(out, "## edges [{count}]");
    for edge in edges {
        let status = match edge.status {
            Status::Unchanged => "",
            Status::Added => " added",
            Status::Removed => " removed",
        };
        let _ = writeln!(out, "@{}<@{} {}{status}", edge.target, edge.source, edge.kind);
    }
}
