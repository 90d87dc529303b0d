//! What is new to somebody who has been sent graphs before.

use super::encode::{edges, groups, header, node_line};
use super::root::pack_root;
use crate::graph::{Edge, GraphPack, Node};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Ids that stay bound to what they were given to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    ids: BTreeMap<(String, String), u32>,
    /// As they were sent, by id.
    nodes: Vec<Node>,
}

impl Session {
    /// Returns the session of somebody who was sent these graphs, in this order.
    pub fn of<'g>(graphs: impl IntoIterator<Item = &'g GraphPack>) -> Session {
        let mut session = Session::default();
        graphs.into_iter().for_each(|graph| session.bind(graph));
        session
    }

    fn bind(&mut self, graph: &GraphPack) {
        for node in &graph.nodes {
            let next = self.ids.len() as u32;
            if *self.ids.entry(key(node)).or_insert(next) == next
                && self.nodes.len() == next as usize
            {
                self.nodes.push(Node {
                    signature: String::new(),
                    components: [0.0; 4],
                    ..node.clone()
                });
            }
        }
    }

    /// Returns the symbol that was sent under an id.
    pub fn node(&self, id: u32) -> Option<&Node> {
        self.nodes.get(id as usize)
    }
}

fn key(node: &Node) -> (String, String) {
    (node.kind.clone(), node.qname.clone())
}

/// Writes a graph to somebody with that session: what was sent is referred to. Returns the text and the
/// session after it.
pub fn encode_session(graph: &GraphPack, session: &Session) -> (String, Session) {
    let mut after = session.clone();
    after.bind(graph);
    // Every node was just bound, so the map has it.
    let id = |at: usize| after.ids.get(&key(&graph.nodes[at])).copied().unwrap_or_default();
    let mut out = header(graph, true);
    let _ = writeln!(out, " pack_root={} session=true", pack_root(graph));
    groups(&mut out, &graph.nodes, |out, at, node| {
        if session.ids.contains_key(&key(node)) {
            let _ = writeln!(out, "@{}  # previously transmitted", id(at));
        } else {
            node_line(out, id(at), node);
        }
    });
    let mut renamed: Vec<Edge> = graph
        .edges
        .iter()
        .map(|edge| Edge {
            source: id(edge.source as usize),
            target: id(edge.target as usize),
            ..edge.clone()
        })
        .collect();
    renamed.sort();
    let count = renamed.len();
    edges(&mut out, &renamed, Some(count));
    (out, after)
}
