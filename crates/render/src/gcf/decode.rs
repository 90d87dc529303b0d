//! A strict reader: what it accepts is exactly what the format says.

use super::delta::Delta;
use super::session::Session;
use crate::graph::{Edge, GraphPack, Node, Status};
use std::collections::{BTreeMap, BTreeSet};

/// What a text said.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    Graph {
        graph: GraphPack,
        pack_root: Option<String>,
    },
    /// Nothing has changed since the graph with that root.
    Unchanged {
        pack_root: String,
        symbols: u64,
    },
    Delta(Delta),
}

/// Why a text is none of this format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// From 1; 0 for the text as a whole.
    pub line: usize,
    pub message: String,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for DecodeError {}

type Result<T> = std::result::Result<T, DecodeError>;

fn error<T>(line: usize, message: impl Into<String>) -> Result<T> {
    Err(DecodeError { line, message: message.into() })
}

/// Reads a text; ids of earlier texts are those of the session.
pub fn decode(text: &str, known: &Session) -> Result<Decoded> {
    let lines = lines(text)?;
    let header = Header::read(lines[0])?;
    let body = &lines[1..];
    if header.flag("unchanged")? {
        let pack_root = header.text("pack_root").filter(|_| body.is_empty());
        return match pack_root {
            Some(root) => Ok(Decoded::Unchanged {
                pack_root: root.to_owned(),
                symbols: header.number("symbols")?.unwrap_or(0),
            }),
            None => error(1, "an unchanged graph is its header with a pack_root and nothing else"),
        };
    }
    if header.flag("delta")? {
        return super::decode_delta::read(&header, body).map(Decoded::Delta);
    }
    let session = header.flag("session")?;
    let mut reader = Reader::new(session, known);
    for (at, line) in body.iter().enumerate() {
        reader.line(at + 2, line)?;
    }
    reader.finish(&header)
}

fn lines(text: &str) -> Result<Vec<&str>> {
    let Some(text) = text.strip_suffix('\n') else { return error(0, "the last line has no end") };
    let lines: Vec<&str> = text.split('\n').collect();
    for (at, line) in lines.iter().enumerate() {
        if line.is_empty() || line.ends_with([' ', '\t', '\r']) {
            return error(at + 1, "a line is empty or ends in white space");
        }
    }
    Ok(lines)
}

/// Keys and values of the first line.
pub(super) struct Header<'t> {
    fields: BTreeMap<&'t str, &'t str>,
}

impl<'t> Header<'t> {
    fn read(line: &'t str) -> Result<Header<'t>> {
        let Some(rest) = line.strip_prefix("GCF ") else { return error(1, "there is no header") };
        let mut fields = BTreeMap::new();
        for (at, field) in rest.split(' ').enumerate() {
            let Some((key, value)) =
                field.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty())
            else {
                return error(1, format!("`{field}` is no field"));
            };
            if at == 0 && key != "profile" {
                return error(1, "the first field is not the profile");
            }
            if fields.insert(key, value).is_some() {
                return error(1, format!("`{key}` stands twice"));
            }
        }
        if fields.get("profile") != Some(&"graph") {
            return error(1, "the profile is unknown");
        }
        Ok(Header { fields })
    }

    pub(super) fn text(&self, key: &str) -> Option<&'t str> {
        self.fields.get(key).copied()
    }

    fn flag(&self, key: &str) -> Result<bool> {
        match self.text(key) {
            None => Ok(false),
            Some("true") => Ok(true),
            Some(_) => error(1, format!("`{key}` can only be true")),
        }
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<u64>> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match text.parse() {
            Ok(number) if is_number(text) => Ok(Some(number)),
            _ => error(1, format!("`{key}` is no number")),
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}

/// Reads the fields of a node after its id: kind, name, score, provenance.
pub(super) fn node(number: usize, fields: &[&str], distance: u32) -> Result<Node> {
    let &[kind, qname, score, provenance] = fields else {
        return error(number, "a node has five fields");
    };
    for text in [kind, qname, provenance] {
        if text.is_empty() || !text.bytes().all(|byte| (b'!'..=b'~').contains(&byte)) {
            return error(number, "a field is empty or not printable ASCII");
        }
    }
    let shape = score.len() == 4
        && score
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 1 { byte == b'.' } else { byte.is_ascii_digit() });
    match score.parse::<f64>() {
        Ok(value) if shape && (0.0..=1.0).contains(&value) => Ok(Node {
            kind: kind.to_owned(),
            qname: qname.to_owned(),
            score: value,
            provenance: provenance.to_owned(),
            distance,
            ..Node::default()
        }),
        _ => error(number, format!("`{score}` is no score")),
    }
}

pub(super) fn id(number: usize, text: &str) -> Result<u32> {
    match text
        .strip_prefix('@')
        .filter(|digits| is_number(digits))
        .and_then(|digits| digits.parse().ok())
    {
        Some(id) => Ok(id),
        None => error(number, format!("`{text}` is no id")),
    }
}

struct Reader<'s> {
    session: bool,
    known: &'s Session,
    /// Something is only referred to, so scores are those it was sent with.
    refers: bool,
    section: Option<Part>,
    /// Ids in the order they came.
    ids: Vec<u32>,
    nodes: Vec<Node>,
    edges: Vec<(u32, u32, String, Status)>,
    announced: Option<u64>,
    streamed: bool,
    summary: Option<(u64, u64, Vec<u64>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Distance(u32),
    Edges,
}

impl<'s> Reader<'s> {
    fn new(session: bool, known: &'s Session) -> Self {
        Reader {
            session,
            known,
            refers: false,
            section: None,
            ids: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            announced: None,
            streamed: false,
            summary: None,
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<()> {
        if self.summary.is_some() {
            return error(number, "something follows the summary");
        }
        if let Some(rest) = line.strip_prefix("##! summary ") {
            self.summary = Some(summary(number, rest)?);
            return Ok(());
        }
        if let Some(name) = line.strip_prefix("## ") {
            return self.heading(number, name);
        }
        match self.section {
            Some(Part::Distance(distance)) => self.node(number, line, distance),
            Some(Part::Edges) => self.edge(number, line),
            None => error(number, "a line stands before the first heading"),
        }
    }

    fn heading(&mut self, number: usize, name: &str) -> Result<()> {
        let part = match name {
            "targets" => Part::Distance(0),
            "related" => Part::Distance(1),
            "extended" => Part::Distance(2),
            name => match name
                .strip_prefix("distance_")
                .filter(|digits| is_number(digits))
                .and_then(|digits| digits.parse().ok())
                .filter(|&far: &u32| far > 2)
            {
                Some(far) => Part::Distance(far),
                None => self.edges_heading(number, name)?,
            },
        };
        if self.section.is_some_and(|section| section >= part) {
            return error(number, "a heading stands twice or out of order");
        }
        self.section = Some(part);
        Ok(())
    }

    fn edges_heading(&mut self, number: usize, name: &str) -> Result<Part> {
        let Some(count) = name.strip_prefix("edges [").and_then(|rest| rest.strip_suffix(']'))
        else {
            return error(number, format!("`{name}` is no heading"));
        };
        if count == "?" {
            self.streamed = true;
        } else if is_number(count) {
            self.announced = count.parse().ok();
        } else {
            return error(number, "the number of edges is no number");
        }
        Ok(Part::Edges)
    }

    fn node(&mut self, number: usize, line: &str, distance: u32) -> Result<()> {
        if let Some(head) = line.strip_suffix("  # previously transmitted") {
            let own = id(number, head)?;
            let Some(node) =
                self.known.node(own).filter(|_| self.session && !self.ids.contains(&own))
            else {
                return error(number, format!("@{own} was never sent"));
            };
            self.nodes.push(Node { distance, ..node.clone() });
            self.ids.push(own);
            self.refers = true;
            return Ok(());
        }
        let fields: Vec<&str> = line.split(' ').collect();
        if fields.len() != 5 {
            return error(number, "a node has five fields");
        }
        let own = id(number, fields[0])?;
        let is_known = self.session && self.known.node(own).is_some();
        let free = !is_known && !self.ids.contains(&own);
        let next = self.ids.len() as u32;
        if !free || !self.session && own != next {
            return error(number, format!("@{own} is not the next id"));
        }
        self.nodes.push(node(number, &fields[1..], distance)?);
        self.ids.push(own);
        Ok(())
    }

    fn edge(&mut self, number: usize, line: &str) -> Result<()> {
        let mut fields = line.split(' ');
        let (ends, kind, status, rest) = (
            fields.next().unwrap_or_default(),
            fields.next().unwrap_or_default(),
            fields.next(),
            fields.next(),
        );
        let Some((target, source)) =
            ends.split_once('<').filter(|_| rest.is_none() && !kind.is_empty())
        else {
            return error(number, "an edge is `@target<@source kind`");
        };
        let (target, source) = (id(number, target)?, id(number, source)?);
        if !self.ids.contains(&target) || !self.ids.contains(&source) {
            return error(number, "an edge names an id that was not declared");
        }
        let status = match status {
            None => Status::Unchanged,
            Some("added") => Status::Added,
            Some("removed") => Status::Removed,
            Some(_) => return error(number, "an edge is added, removed or neither"),
        };
        let edge = (source, target, kind.to_owned(), status);
        if self.edges.last().is_some_and(|last| (last.0, last.1) > (edge.0, edge.1))
            || self.edges.contains(&edge)
        {
            return error(number, "edges are sorted by source and target, each once");
        }
        self.edges.push(edge);
        Ok(())
    }

    fn finish(self, header: &Header<'_>) -> Result<Decoded> {
        let (symbols, edges) = (self.nodes.len() as u64, self.edges.len() as u64);
        let counted = header.number("symbols")?;
        let wrong = match &self.summary {
            Some((all, lines, groups)) => {
                *all != symbols || *lines != edges || *groups != self.groups() || counted.is_some()
            }
            None => {
                counted != Some(symbols)
                    || header.number("edges")?.unwrap_or(0) != edges
                    || self.streamed
                    || self.announced.unwrap_or(0) != edges
            }
        };
        if wrong {
            return error(0, "the counts are wrong");
        }
        let sorted = self.nodes.windows(2).all(|pair| {
            pair[0].distance < pair[1].distance
                || pair[0].distance == pair[1].distance
                    && (pair[0].score >= pair[1].score || self.refers)
        });
        let names: BTreeSet<(&str, &str)> =
            self.nodes.iter().map(|node| (node.kind.as_str(), node.qname.as_str())).collect();
        if !sorted || names.len() != self.nodes.len() {
            return error(0, "nodes stand twice or out of order");
        }
        let place =
            |own: u32| self.ids.iter().position(|&other| other == own).unwrap_or_default() as u32;
        let mut lines: Vec<Edge> = self
            .edges
            .iter()
            .map(|(source, target, kind, status)| Edge {
                source: place(*source),
                target: place(*target),
                kind: kind.clone(),
                status: *status,
            })
            .collect();
        lines.sort();
        let graph = GraphPack {
            tool: header.text("tool").unwrap_or_default().to_owned(),
            budget: header.number("budget")?.unwrap_or(0),
            tokens: header.number("tokens")?.unwrap_or(0),
            nodes: self.nodes,
            edges: lines,
        };
        let pack_root = header.text("pack_root").map(str::to_owned);
        if !self.refers && pack_root.as_ref().is_some_and(|root| *root != super::pack_root(&graph))
        {
            return error(1, "the pack_root is not that of the graph");
        }
        Ok(Decoded::Graph { graph, pack_root })
    }

    /// Returns the number of nodes by heading, then of edges.
    fn groups(&self) -> Vec<u64> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        self.nodes.iter().for_each(|node| *counts.entry(node.distance).or_default() += 1);
        counts
            .into_values()
            .chain((!self.edges.is_empty()).then_some(self.edges.len() as u64))
            .collect()
    }
}

fn summary(number: usize, rest: &str) -> Result<(u64, u64, Vec<u64>)> {
    let part = |key: &str, field: Option<&str>| {
        field.and_then(|field| field.strip_prefix(key)).map(str::to_owned)
    };
    let mut fields = rest.split(' ');
    let (symbols, edges, counts) = (
        part("symbols=", fields.next()),
        part("edges=", fields.next()),
        part("counts=", fields.next()),
    );
    let read = |text: Option<String>| {
        text.filter(|text| is_number(text)).and_then(|text| text.parse::<u64>().ok())
    };
    let groups: Option<Vec<u64>> = counts
        .map(|text| {
            if text.is_empty() {
                Some(Vec::new())
            } else {
                text.split(',').map(|count| read(Some(count.to_owned()))).collect()
            }
        })
        .unwrap_or_default();
    match (read(symbols), read(edges), groups) {
        (Some(symbols), Some(edges), Some(groups)) if fields.next().is_none() => {
            Ok((symbols, edges, groups))
        }
        _ => error(number, "the summary cannot be read"),
    }
}
