//! The format's own identity of a graph.

use crate::graph::GraphPack;
use contextd_pack::canonical;
use sha2::{Digest, Sha256};

/// Returns the hash of a graph's symbols and edges, whatever their order.
pub fn pack_root(graph: &GraphPack) -> String {
    let mut symbols: Vec<String> = graph
        .nodes
        .iter()
        .map(|node| {
            format!(
                "S\t{}\t{}\t{}\t{}\t{}\n",
                node.kind,
                node.qname,
                canonical::to_string(&node.score),
                node.provenance,
                node.distance
            )
        })
        .collect();
    symbols.sort();
    let end = |at: u32| {
        graph
            .nodes
            .get(at as usize)
            .map_or(("", ""), |node| (node.kind.as_str(), node.qname.as_str()))
    };
    let line = |edge: &crate::graph::Edge| {
        let ((source_kind, source), (target_kind, target)) = (end(edge.source), end(edge.target));
        format!("E\t{source_kind}\t{source}\t{target_kind}\t{target}\t{}\n", edge.kind)
    };
    let mut edges: Vec<String> = graph.edges.iter().map(line).collect();
    edges.sort();
    let mut sha = Sha256::new();
    symbols.iter().chain(&edges).for_each(|line| sha.update(line.as_bytes()));
    let hex: String = sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
