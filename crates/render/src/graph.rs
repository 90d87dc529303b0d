//! A pack as a graph: what the formats for machines carry of it.

use contextd_pack::{ContextItem, ContextPack};
use std::collections::BTreeMap;

/// Symbols and the edges among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphPack {
    pub tool: String,
    pub budget: u64,
    pub tokens: u64,
    /// By distance, then by score, the best first; an edge names them by their place here.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// One symbol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Short kind: `fn`, `type`, `method`.
    pub kind: String,
    /// Printable ASCII without white space.
    pub qname: String,
    /// From 0 to 1, with two decimals.
    pub score: f64,
    pub provenance: String,
    pub distance: u32,
    pub signature: String,
    /// Score by words, nearness, evidence, and all together.
    pub components: [f32; 4],
}

/// One edge, from `source` to `target`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub source: u32,
    pub target: u32,
    pub kind: String,
    pub status: Status,
}

/// Whether an edge came or went since the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    #[default]
    Unchanged,
    Added,
    Removed,
}

impl GraphPack {
    /// Returns the symbols of a pack with the edges among them; what is no symbol is left out.
    pub fn of(pack: &ContextPack) -> GraphPack {
        let mut items: Vec<&ContextItem> =
            pack.items().filter(|item| item.kind == "symbol" || item.kind == "chunk").collect();
        items.sort_by(|a, b| {
            a.scores
                .graph_distance
                .cmp(&b.scores.graph_distance)
                .then(score(b).total_cmp(&score(a)))
                .then_with(|| {
                    (&a.file_rel_path, a.lines, &a.chunk_uid).cmp(&(
                        &b.file_rel_path,
                        b.lines,
                        &b.chunk_uid,
                    ))
                })
        });
        let mut seen: BTreeMap<(String, String), u32> = BTreeMap::new();
        let mut nodes: Vec<Node> = Vec::new();
        let mut places: BTreeMap<&str, u32> = BTreeMap::new();
        for item in items {
            let mut node = node(item);
            let count = seen.entry((node.kind.clone(), node.qname.clone())).or_insert(0);
            *count += 1;
            // An id stays bound to kind and name, so two of one name need a difference.
            if *count > 1 {
                node.qname = format!("{}~{count}", node.qname);
            }
            places.insert(&item.chunk_uid, nodes.len() as u32);
            nodes.push(node);
        }
        let ends = |edge: &contextd_pack::pack::PackEdge| {
            Some((*places.get(edge.from.as_str())?, *places.get(edge.to.as_str())?))
        };
        let mut edges: Vec<Edge> = pack
            .edges
            .iter()
            .filter_map(|edge| {
                ends(edge).map(|(source, target)| Edge {
                    source,
                    target,
                    kind: plain(&edge.kind),
                    status: Status::Unchanged,
                })
            })
            .collect();
        edges.sort();
        edges.dedup();
        GraphPack {
            tool: "contextd".to_owned(),
            budget: pack.budgets.max_total_tokens,
            tokens: pack.stats.tokens,
            nodes,
            edges,
        }
    }
}

fn score(item: &ContextItem) -> f64 {
    two_decimals(item.scores.hybrid_score)
}

/// Rounds to two decimals, halves to the even one.
pub fn two_decimals(score: f64) -> f64 {
    (score * 100.0).round_ties_even() / 100.0
}

fn node(item: &ContextItem) -> Node {
    let scores = &item.scores;
    let near = 1.0 / (1.0 + f64::from(scores.graph_distance));
    let lines =
        if item.kind == "chunk" { format!("#L{}", item.lines.start) } else { String::new() };
    let name = if item.symbol_kind == "file" { String::new() } else { format!(":{}", item.name) };
    Node {
        kind: short_kind(&item.symbol_kind).to_owned(),
        qname: plain(&format!("{}{name}{lines}", item.file_rel_path)),
        score: score(item),
        provenance: item
            .why
            .evidence
            .last()
            .map_or("ast_resolved", |evidence| evidence.provenance.as_str())
            .to_owned(),
        distance: scores.graph_distance,
        signature: item.title.clone(),
        components: [
            scores.seed_score as f32,
            near as f32,
            scores.evidence_score as f32,
            scores.hybrid_score as f32,
        ],
    }
}

/// Writes what is no printable ASCII as percent codes of its bytes.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'%' => out.push_str("%25"),
            b'!'..=b'~' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    // A name that is nothing still needs a place.
    if out.is_empty() { "%00".to_owned() } else { out }
}

/// Kinds of symbols with their short names; others keep their own.
fn short_kind(kind: &str) -> &str {
    match kind {
        "function" | "macro" => "fn",
        "struct" | "enum" | "union" | "extension" | "message" => "type",
        "interface" | "trait" => "iface",
        "object" => "class",
        "constructor" | "rpc" => "method",
        "variable" => "var",
        "constant" | "variant" => "const",
        "property" => "field",
        "module" | "namespace" => "pkg",
        "service" => "svc",
        other => other,
    }
}
