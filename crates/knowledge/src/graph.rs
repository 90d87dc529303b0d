//! The declared graph: nodes and edges that people wrote down.

mod read;

pub use read::File;

use crate::yaml::Yaml;
use contextd_model::Problem;
use std::collections::BTreeMap;

/// One declared part of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    pub ref_id: String,
    pub kind: String,
    pub summary: String,
    /// Files or folders that hold its code.
    pub source: Vec<String>,
    pub lifecycle: String,
    /// Documents about it.
    pub docs: Vec<String>,
    pub tags: Vec<String>,
    pub owners: Vec<String>,
    /// Command that runs its tests.
    pub test: String,
    /// How much of its code its documents must follow.
    pub sync: SyncMode,
    /// Keys that have no meaning here, as they were written.
    pub extra: Vec<(String, Yaml)>,
    /// Where it is declared.
    pub file: String,
    pub line: u32,
}

/// How much of a node's code its documents must follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMode {
    /// Every change of a definition.
    #[default]
    Bodies,
    /// Names and signatures only.
    Interface,
    /// Nothing.
    Off,
}

/// One declared relation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Numbers of the nodes.
    pub from: usize,
    pub to: usize,
    pub kind: String,
    pub extra: Vec<(String, Yaml)>,
    pub file: String,
    pub line: u32,
}

/// Returns how early an edge is followed; 1 is first.
pub fn priority(kind: &str) -> u8 {
    match kind {
        "part_of" => 1,
        "touches_entity" => 2,
        "uses" | "implements" => 3,
        "depends_on" => 4,
        "touches_code" => 5,
        _ => 6,
    }
}

/// Nodes and edges of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub nodes: Vec<Node>,
    /// Edges between nodes of this graph, each once.
    pub edges: Vec<Edge>,
    /// Edges whose ends lie in another repository (`@repo:ref`): source, target, kind.
    pub foreign: Vec<(String, String, String)>,
    by_ref: BTreeMap<String, usize>,
}

impl Graph {
    /// Puts files together, in the order given.
    pub fn of(files: Vec<File>) -> (Graph, Vec<Problem>) {
        let mut graph = Graph::default();
        let mut problems = Vec::new();
        let mut loose = Vec::new();
        for file in files {
            for node in file.nodes {
                graph.add(node, &mut problems);
            }
            loose.extend(file.edges);
            for (tag, refs, place) in file.tags {
                for ref_id in refs {
                    match graph.by_ref.get(&ref_id) {
                        Some(&number) if !graph.nodes[number].tags.contains(&tag) => {
                            graph.nodes[number].tags.push(tag.clone())
                        }
                        Some(_) => {}
                        None => loose.push(read::Loose::tag(&tag, ref_id, &place)),
                    }
                }
            }
        }
        for edge in loose {
            graph.connect(edge, &mut problems);
        }
        (graph, problems)
    }

    fn add(&mut self, node: Node, problems: &mut Vec<Problem>) {
        if let Some(&known) = self.by_ref.get(&node.ref_id) {
            let first = &self.nodes[known];
            let message =
                format!("`{}` is declared already, at {}:{}", node.ref_id, first.file, first.line);
            problems.push(
                Problem::error(
                    "CTX_E_GRAPH_DUPLICATE",
                    message,
                    "Keep one of them; the first is used.",
                )
                .at(node.file, Some(node.line)),
            );
            return;
        }
        self.by_ref.insert(node.ref_id.clone(), self.nodes.len());
        self.nodes.push(node);
    }

    fn connect(&mut self, edge: read::Loose, problems: &mut Vec<Problem>) {
        if let Some(tag) = edge.tag {
            // Tags may stand in a file before the nodes that they name.
            match self.by_ref.get(&edge.to) {
                Some(&number) if !self.nodes[number].tags.contains(&tag) => {
                    self.nodes[number].tags.push(tag)
                }
                Some(_) => {}
                None => problems.push(self.unknown(
                    &edge.to,
                    &format!("the tag `{tag}`"),
                    &edge.file,
                    edge.line,
                )),
            }
            return;
        }
        if edge.from.starts_with('@') || edge.to.starts_with('@') {
            self.foreign.push((edge.from, edge.to, edge.kind));
            return;
        }
        for end in [&edge.from, &edge.to] {
            if !self.by_ref.contains_key(end) {
                problems.push(self.unknown(end, "the edge", &edge.file, edge.line));
                return;
            }
        }
        let (from, to) = (self.by_ref[&edge.from], self.by_ref[&edge.to]);
        if !self
            .edges
            .iter()
            .any(|known| (known.from, known.to, &known.kind) == (from, to, &edge.kind))
        {
            self.edges.push(Edge {
                from,
                to,
                kind: edge.kind,
                extra: edge.extra,
                file: edge.file,
                line: edge.line,
            });
        }
    }

    fn unknown(&self, ref_id: &str, what: &str, file: &str, line: u32) -> Problem {
        let near = crate::suggest(self.refs(), ref_id);
        let remedy = if near.is_empty() {
            "Declare the node, or remove the line.".to_owned()
        } else {
            format!("Declare the node, or write one of: {}.", near.join(", "))
        };
        Problem::error(
            "CTX_E_GRAPH_REF",
            format!("{what} names `{ref_id}`, which is not declared"),
            remedy,
        )
        .at(file, Some(line))
    }

    /// Returns the number of a node.
    pub fn find(&self, ref_id: &str) -> Option<usize> {
        self.by_ref.get(ref_id).copied()
    }

    /// Returns all ref_ids in order.
    pub fn refs(&self) -> impl Iterator<Item = &str> {
        self.by_ref.keys().map(String::as_str)
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns a node and what it is part of, nearest first, each once.
    pub fn ancestry(&self, node: usize) -> Vec<usize> {
        let mut found = vec![node];
        let mut at = 0;
        while at < found.len() {
            let here = found[at];
            for edge in self.edges.iter().filter(|edge| edge.from == here && edge.kind == "part_of")
            {
                if !found.contains(&edge.to) {
                    found.push(edge.to);
                }
            }
            at += 1;
        }
        found
    }

    /// Returns the nodes whose source holds a file, those with the longest source.
    pub fn sources_of(&self, path: &str) -> Vec<usize> {
        let mut best: (usize, Vec<usize>) = (0, Vec::new());
        for (number, node) in self.nodes.iter().enumerate() {
            let length = node
                .source
                .iter()
                .filter(|source| crate::globs::holds(source, path))
                .map(|source| source.len())
                .max()
                .unwrap_or(0);
            if length > best.0 {
                best = (length, vec![number]);
            } else if length > 0 && length == best.0 {
                best.1.push(number);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests;
