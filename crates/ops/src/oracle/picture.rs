//! `graph`: what lies around a ref, a symbol, a file or a folder, as nodes and edges to draw.

use super::Oracle;
use super::inputs::GraphInput;
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_engine::{Knowledge, Reader};
use contextd_knowledge::rules::Code;
use contextd_knowledge::{Limits, Subgraph, traverse};
use contextd_model::EdgeKind;
use contextd_model::graph::EdgeRow;
use contextd_pack::resolve;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes to draw and the lines between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Picture {
    pub title: String,
    pub nodes: Vec<PictureNode>,
    pub edges: Vec<PictureEdge>,
    /// True when the limit left nodes out.
    pub cut: bool,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PictureNode {
    pub id: String,
    pub label: String,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The picture turns around it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub focus: bool,
}

/// A line between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct PictureEdge {
    pub from: String,
    pub to: String,
    pub kind: String,
    /// Uses behind it; 1 for declared edges.
    pub count: u32,
    /// Declared, known or guessed.
    pub certainty: String,
}

/// Nodes drawn unless told otherwise.
const NODES: usize = 30;

pub fn graph(context: &Context, input: GraphInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let knowledge = context.engine.knowledge(&reader);
    let artist = Artist {
        reader: &reader,
        knowledge: &knowledge,
        most: input.max_nodes.unwrap_or(NODES).clamp(1, 1_000),
    };
    // A slash at the end means the folder, whatever else has the name.
    let is_folder = input.target.trim().ends_with('/');
    let target = input.target.trim().trim_start_matches("./").trim_end_matches('/');
    let snapshot = &reader.snapshot;
    let picture = if let Some(node) = knowledge.graph.find(target).filter(|_| !is_folder) {
        artist.declared(&[node], input.depth.unwrap_or(2))
    } else if target.is_empty() && !knowledge.graph.is_empty() {
        artist.declared(&(0..knowledge.graph.nodes.len().min(artist.most)).collect::<Vec<_>>(), 0)
    } else if let Some(file) = snapshot.find_file(target) {
        artist.file(file, input.depth.unwrap_or(1))
    } else if target.is_empty()
        || target == "."
        || (0..snapshot.file_count())
            .any(|file| contextd_knowledge::globs::holds(target, snapshot.file(file).path()))
    {
        artist.folder(if target == "." { "" } else { target })
    } else {
        artist.symbol(
            resolve::symbols(snapshot, target)
                .map_err(|error| wrong(&knowledge, target, error.into()))?[0],
            input.depth.unwrap_or(1),
        )
    };
    Ok(Answer::Oracle(Box::new(Oracle::Picture(picture))))
}

/// A name that is nothing may have been meant as a ref.
fn wrong(knowledge: &Knowledge, target: &str, error: OpError) -> OpError {
    match contextd_knowledge::suggest(knowledge.graph.refs(), target) {
        near if near.is_empty() => error,
        near => OpError::not_found(
            format!("there is no ref, file, folder or symbol `{target}`"),
            format!("Did you mean: {}?", near.join(", ")),
        ),
    }
}

struct Artist<'a> {
    reader: &'a Reader,
    knowledge: &'a Knowledge,
    most: usize,
}

impl Artist<'_> {
    fn declared(&self, focus: &[usize], depth: u32) -> Picture {
        let graph = &self.knowledge.graph;
        let found =
            traverse(graph, focus, &Limits { depth, max_nodes: self.most }).unwrap_or_default();
        let node = |&(number, distance): &(usize, u32)| {
            let own = &graph.nodes[number];
            PictureNode {
                id: own.ref_id.clone(),
                label: own.ref_id.clone(),
                kind: own.kind.clone(),
                file: Some(own.file.clone()),
                line: Some(own.line),
                focus: distance == 0 && focus.len() == 1,
            }
        };
        let mut edges: Vec<PictureEdge> = found
            .edges
            .iter()
            .map(|&edge| &graph.edges[edge])
            .filter(|edge| edge.from != edge.to)
            .map(|edge| PictureEdge {
                from: graph.nodes[edge.from].ref_id.clone(),
                to: graph.nodes[edge.to].ref_id.clone(),
                kind: edge.kind.clone(),
                count: 1,
                certainty: "declared".to_owned(),
            })
            .collect();
        edges.extend(self.seen(&found));
        let cut =
            found.cut || focus.len() < graph.nodes.len() && focus.len() == self.most && depth == 0;
        Picture {
            title: if focus.len() == 1 {
                graph.nodes[focus[0]].ref_id.clone()
            } else {
                "declared graph".to_owned()
            },
            nodes: found.nodes.iter().map(node).collect(),
            edges,
            cut,
        }
    }

    /// Uses in code between nodes that declare no edge themselves.
    fn seen(&self, found: &Subgraph) -> Vec<PictureEdge> {
        let graph = &self.knowledge.graph;
        let members: BTreeSet<usize> = found.nodes.iter().map(|&(node, _)| node).collect();
        let declared: BTreeSet<(usize, usize)> =
            graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let code: Code = self.knowledge.code(&self.reader.snapshot);
        let mut counts: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for used in code.uses.iter().filter(|used| !code.files[used.from].test) {
            for &from in &code.files[used.from].nodes {
                for &to in code.files[used.to].nodes.iter().filter(|&&to| to != from) {
                    *counts.entry((from, to)).or_default() += 1;
                }
            }
        }
        counts
            .into_iter()
            .filter(|(pair, _)| {
                members.contains(&pair.0) && members.contains(&pair.1) && !declared.contains(pair)
            })
            .map(|((from, to), count)| PictureEdge {
                from: graph.nodes[from].ref_id.clone(),
                to: graph.nodes[to].ref_id.clone(),
                kind: "uses".to_owned(),
                count,
                certainty: "known".to_owned(),
            })
            .collect()
    }

    fn symbol(&self, start: u32, depth: u32) -> Picture {
        let snapshot = &self.reader.snapshot;
        let members = self.spread(start, depth, |symbol| self.neighbours(symbol));
        let id = |symbol: u32| {
            format!(
                "{}:{} {}",
                snapshot.symbol(symbol).path(),
                snapshot.symbol(symbol).start_line(),
                snapshot.symbol(symbol).qualified()
            )
        };
        let node = |&symbol: &u32| {
            let own = snapshot.symbol(symbol);
            let label = if own.parent().is_none() {
                own.path().to_owned()
            } else {
                own.qualified().into_owned()
            };
            PictureNode {
                id: id(symbol),
                label,
                kind: own.kind().name().to_owned(),
                file: Some(own.path().to_owned()),
                line: Some(own.start_line()),
                focus: symbol == start,
            }
        };
        let inside: BTreeSet<u32> = members.0.iter().copied().collect();
        let mut edges: BTreeMap<(u32, u32, &'static str), (u32, bool)> = BTreeMap::new();
        for &from in &members.0 {
            for edge in snapshot.graph().out(from).iter().filter(|edge| {
                is_drawn(edge) && inside.contains(&edge.target) && edge.target != from
            }) {
                let own = edges.entry((from, edge.target, edge.kind().name())).or_default();
                *own = (own.0 + u32::from(edge.count.max(1)), own.1 | edge.is_known());
            }
        }
        let edges = edges
            .into_iter()
            .map(|((from, to, kind), (count, known))| PictureEdge {
                from: id(from),
                to: id(to),
                kind: kind.to_owned(),
                count,
                certainty: if known { "known" } else { "guessed" }.to_owned(),
            })
            .collect();
        Picture {
            title: snapshot.symbol(start).qualified().into_owned(),
            nodes: members.0.iter().map(node).collect(),
            edges,
            cut: members.1,
        }
    }

    /// Neighbours of a symbol, the surest and most used first.
    fn neighbours(&self, symbol: u32) -> Vec<u32> {
        let graph = self.reader.snapshot.graph();
        let out = graph.out(symbol).iter().map(|edge| (edge.target, edge));
        let mut found: Vec<(u32, EdgeRow)> = out
            .chain(graph.incoming(symbol).take(2_000))
            .filter(|(_, edge)| is_drawn(edge))
            .collect();
        found.sort_by_key(|(other, edge)| {
            (std::cmp::Reverse(edge.confidence), std::cmp::Reverse(edge.count), *other)
        });
        found.into_iter().map(|(other, _)| other).collect()
    }

    /// Goes out from a start, breadth first, within the limit; true when something was left out.
    fn spread(
        &self,
        start: u32,
        depth: u32,
        neighbours: impl Fn(u32) -> Vec<u32>,
    ) -> (Vec<u32>, bool) {
        let mut found = vec![start];
        let (mut from, mut cut) = (0, false);
        for _ in 0..depth {
            let end = found.len();
            for at in from..end {
                for other in neighbours(found[at]) {
                    if found.contains(&other) {
                        continue;
                    }
                    if found.len() >= self.most {
                        cut = true;
                        break;
                    }
                    found.push(other);
                }
            }
            from = end;
        }
        (found, cut)
    }

    fn file(&self, start: u32, depth: u32) -> Picture {
        let snapshot = &self.reader.snapshot;
        let around = |file: u32| {
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            for symbol in snapshot.symbols_of_file(file) {
                let out = snapshot.graph().out(symbol).iter().map(|edge| (edge.target, edge));
                for (other, edge) in out.chain(snapshot.graph().incoming(symbol).take(2_000)) {
                    let other = snapshot.file_of(other);
                    if is_drawn(&edge) && edge.is_known() && other != file {
                        *counts.entry(other).or_default() += 1;
                    }
                }
            }
            let mut ordered: Vec<(u32, u32)> = counts.into_iter().collect();
            ordered.sort_by_key(|&(other, count)| {
                (std::cmp::Reverse(count), snapshot.file(other).path())
            });
            ordered.into_iter().map(|(other, _)| other).collect()
        };
        let (members, cut) = self.spread(start, depth, around);
        let place = |file: u32| snapshot.file(file).path().to_owned();
        let nodes = members
            .iter()
            .map(|&file| PictureNode {
                id: place(file),
                label: place(file),
                kind: "file".to_owned(),
                file: Some(place(file)),
                line: None,
                focus: file == start,
            })
            .collect();
        let groups: BTreeMap<u32, String> =
            members.iter().map(|&file| (file, place(file))).collect();
        Picture { title: place(start), nodes, edges: self.between(&groups), cut }
    }

    /// The files and folders directly inside a folder, and which uses which.
    fn folder(&self, folder: &str) -> Picture {
        let snapshot = &self.reader.snapshot;
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut groups: BTreeMap<u32, String> = BTreeMap::new();
        let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
        for file in 0..snapshot.file_count() {
            let Some(rest) = snapshot.file(file).path().strip_prefix(&prefix) else { continue };
            let own = match rest.split_once('/') {
                Some((child, _)) => format!("{prefix}{child}/"),
                None => format!("{prefix}{rest}"),
            };
            *sizes.entry(own.clone()).or_default() += snapshot.file(file).lines();
            groups.insert(file, own);
        }
        // The largest stay when there are too many.
        let mut ordered: Vec<(&String, &u32)> = sizes.iter().collect();
        ordered.sort_by_key(|&(name, lines)| (std::cmp::Reverse(lines), name));
        let kept: BTreeSet<String> =
            ordered.iter().take(self.most).map(|(name, _)| (*name).clone()).collect();
        groups.retain(|_, own| kept.contains(own));
        let nodes = kept
            .iter()
            .map(|name| PictureNode {
                id: name.clone(),
                label: name.strip_prefix(&prefix).unwrap_or(name).to_owned(),
                kind: if name.ends_with('/') { "folder" } else { "file" }.to_owned(),
                file: None,
                line: None,
                focus: false,
            })
            .collect();
        Picture {
            title: if folder.is_empty() { ".".to_owned() } else { folder.to_owned() },
            nodes,
            edges: self.between(&groups),
            cut: sizes.len() > kept.len(),
        }
    }

    /// Known uses between groups of files.
    fn between(&self, groups: &BTreeMap<u32, String>) -> Vec<PictureEdge> {
        let snapshot = &self.reader.snapshot;
        let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for (&file, own) in groups {
            for symbol in snapshot.symbols_of_file(file) {
                for edge in snapshot
                    .graph()
                    .out(symbol)
                    .iter()
                    .filter(|edge| edge.is_known() && is_drawn(edge))
                {
                    if let Some(other) =
                        groups.get(&snapshot.file_of(edge.target)).filter(|other| *other != own)
                    {
                        *counts.entry((own, other)).or_default() += 1;
                    }
                }
            }
        }
        counts
            .into_iter()
            .map(|((from, to), count)| PictureEdge {
                from: from.to_owned(),
                to: to.to_owned(),
                kind: "uses".to_owned(),
                count,
                certainty: "known".to_owned(),
            })
            .collect()
    }
}

fn is_drawn(edge: &EdgeRow) -> bool {
    !edge.kind().is_structural()
        && !matches!(edge.kind(), EdgeKind::CoTestedWith | EdgeKind::OwnedBy)
}
