//! What changed between two graphs.

use super::encode::{encode, unchanged};
use super::root::pack_root;
use crate::graph::{GraphPack, Node};
use contextd_pack::Tokenizer;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The difference between two graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    pub base_root: String,
    pub new_root: String,
    /// Kind and name.
    pub removed: Vec<(String, String)>,
    pub added: Vec<Node>,
    /// Source, target and kind, by name.
    pub edges_removed: Vec<(String, String, String)>,
    pub edges_added: Vec<(String, String, String)>,
}

/// Largest share of the whole that a difference may take to be worth it.
const WORTH: f64 = 0.6;

/// Returns what changed from `base` to `new`; a symbol whose score or provenance changed leaves and enters.
pub fn delta(base: &GraphPack, new: &GraphPack) -> Delta {
    let line = |node: &Node| {
        format!(
            "{} {} {:.2} {} {}",
            node.kind, node.qname, node.score, node.provenance, node.distance
        )
    };
    let lines = |graph: &GraphPack| graph.nodes.iter().map(line).collect::<BTreeSet<String>>();
    let (old, now) = (lines(base), lines(new));
    let (old_edges, new_edges) = (named_edges(base), named_edges(new));
    Delta {
        base_root: pack_root(base),
        new_root: pack_root(new),
        removed: base
            .nodes
            .iter()
            .filter(|node| !now.contains(&line(node)))
            .map(|node| (node.kind.clone(), node.qname.clone()))
            .collect(),
        added: new
            .nodes
            .iter()
            .filter(|node| !old.contains(&line(node)))
            .map(|node| Node { signature: String::new(), components: [0.0; 4], ..node.clone() })
            .collect(),
        edges_removed: old_edges.difference(&new_edges).cloned().collect(),
        edges_added: new_edges.difference(&old_edges).cloned().collect(),
    }
}

fn named_edges(graph: &GraphPack) -> BTreeSet<(String, String, String)> {
    let name =
        |at: u32| graph.nodes.get(at as usize).map(|node| node.qname.clone()).unwrap_or_default();
    graph
        .edges
        .iter()
        .map(|edge| (name(edge.source), name(edge.target), edge.kind.clone()))
        .collect()
}

/// Writes `new` for somebody who has `base`: nothing when they are equal, the difference when it is much
/// shorter than the whole, else the whole.
pub fn delta_text(base: &GraphPack, new: &GraphPack, tokenizer: Tokenizer) -> String {
    let delta = delta(base, new);
    if delta.base_root == delta.new_root {
        return unchanged(new);
    }
    let full = encode(new);
    let whole = tokenizer.count(&full) as f64;
    let body = body(&delta);
    let tokens = tokenizer.count(&body);
    if tokens as f64 >= WORTH * whole {
        return full;
    }
    let savings = (100.0 * (1.0 - tokens as f64 / whole)).round();
    format!(
        "GCF profile=graph tool=contextd delta=true base_root={} new_root={} tokens={tokens} savings={savings}%\n{body}",
        delta.base_root, delta.new_root
    )
}

fn body(delta: &Delta) -> String {
    let mut out = String::new();
    let mut section = |name: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(out, "## {name}\n{}", lines.join("\n"));
        }
    };
    let edge =
        |(source, target, kind): &(String, String, String)| format!("{source} -> {target} {kind}");
    section(
        "removed",
        delta.removed.iter().map(|(kind, qname)| format!("{kind} {qname}")).collect(),
    );
    section(
        "added",
        delta
            .added
            .iter()
            .enumerate()
            .map(|(at, node)| {
                format!(
                    "@{at} {} {} {:.2} {} {}",
                    node.kind, node.qname, node.score, node.provenance, node.distance
                )
            })
            .collect(),
    );
    section("edges_removed", delta.edges_removed.iter().map(edge).collect());
    section("edges_added", delta.edges_added.iter().map(edge).collect());
    out
}
