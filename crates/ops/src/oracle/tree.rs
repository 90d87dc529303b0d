//! What a declared node leans on, and what leans on it.

use contextd_engine::Knowledge;
use contextd_knowledge::traverse::tree;
use schemars::JsonSchema;
use serde::Serialize;

/// How far the trees go.
const DEPTH: u32 = 3;

/// A node between what it needs and what needs it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RefTree {
    pub ref_id: String,
    pub kind: String,
    pub summary: String,
    /// What the node leans on.
    pub upstream: Vec<TreeLine>,
    /// What leans on the node.
    pub downstream: Vec<TreeLine>,
}

/// One node of a tree.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TreeLine {
    pub level: u32,
    pub ref_id: String,
    pub edge: String,
    pub summary: String,
}

/// Returns both trees of a node.
pub fn tree_of(knowledge: &Knowledge, node: usize) -> RefTree {
    let graph = &knowledge.graph;
    let lines = |up: bool| -> Vec<TreeLine> {
        tree(graph, node, up, DEPTH)
            .into_iter()
            .map(|(level, node, edge)| TreeLine {
                level,
                ref_id: graph.nodes[node].ref_id.clone(),
                edge,
                summary: graph.nodes[node].summary.clone(),
            })
            .collect()
    };
    let own = &graph.nodes[node];
    RefTree {
        ref_id: own.ref_id.clone(),
        kind: own.kind.clone(),
        summary: own.summary.clone(),
        upstream: lines(true),
        downstream: lines(false),
    }
}
