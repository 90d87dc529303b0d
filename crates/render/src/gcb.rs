//! The graph binary format: the same graph for programs.

use crate::graph::{Edge, GraphPack, Node, Status};

const MAGIC: &[u8; 4] = b"GCB1";
const VERSION: u8 = 1;

/// Kinds by number, from 1.
const KINDS: &[&str] = &[
    "fn", "type", "method", "iface", "var", "const", "resource", "table", "class", "selector",
    "field", "route", "ext", "file", "pkg", "svc", "env_var", "process",
];
const PROVENANCES: &[&str] = &[
    "ast_inferred",
    "ast_resolved",
    "lsp_resolved",
    "otel_trace",
    "scip_resolved",
    "runtime_observed",
    "structural",
];
const EDGES: &[&str] = &[
    "calls",
    "imports",
    "implements",
    "references",
    "handles_route",
    "depends_on",
    "deploys",
    "exposes",
    "configures",
    "extends",
    "overrides",
    "decorates",
    "throws",
    "owned_by",
    "authored_by",
    "tests",
    "runtime_calls",
    "runtime_rpc",
    "runtime_produces",
    "runtime_consumes",
    "contains",
    "member_of",
    "documents",
    "consumes_endpoint",
    "implements_rpc",
    "consumes_rpc",
    "gated_by_flag",
    "deployed_by",
    "tested_by",
    "publishes",
    "subscribes",
    "connects_to",
    "similar_to",
    "co_tested_with",
    "type_hint_of",
    "accesses_field",
    "reads_env",
    "executes_process",
];
/// What stands for a kind that has no number: a part of a file, a mention, a guess.
const OTHER: (&str, &str, &str) = ("file", "references", "ast_inferred");

/// Returns a graph as this format can carry it: kinds without a number become the nearest that has one.
pub fn carried(graph: &GraphPack) -> GraphPack {
    let among = |set: &[&str], text: &str, other: &str| {
        if set.contains(&text) { text.to_owned() } else { other.to_owned() }
    };
    let node = |node: &Node| Node {
        kind: among(KINDS, &node.kind, OTHER.0),
        provenance: among(PROVENANCES, &node.provenance, OTHER.2),
        score: f64::from(node.score as f32),
        distance: node.distance.min(255),
        ..node.clone()
    };
    let edge = |edge: &Edge| Edge { kind: among(EDGES, &edge.kind, OTHER.1), ..edge.clone() };
    let mut edges: Vec<Edge> = graph.edges.iter().map(edge).collect();
    edges.sort();
    edges.dedup();
    GraphPack { nodes: graph.nodes.iter().map(node).collect(), edges, ..graph.clone() }
}

/// Writes a pack.
pub fn pack(pack: &contextd_pack::ContextPack) -> Vec<u8> {
    encode(&GraphPack::of(pack))
}

/// Writes a pack as base64, for channels that carry text.
pub fn base64(own: &contextd_pack::ContextPack) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in pack(own).chunks(3) {
        let bits = part.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - part.len()));
        for place in 0..4 {
            out.push(if place <= part.len() {
                char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize])
            } else {
                '='
            });
        }
    }
    out
}

/// Writes a graph.
pub fn encode(graph: &GraphPack) -> Vec<u8> {
    let graph = carried(graph);
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    text(&mut out, &graph.tool);
    for number in [graph.tokens, graph.budget, graph.nodes.len() as u64, graph.edges.len() as u64] {
        varint(&mut out, number);
    }
    for node in &graph.nodes {
        text(&mut out, &node.qname);
        out.push(place(KINDS, &node.kind));
        out.extend((node.score as f32).to_le_bytes());
        out.extend([place(PROVENANCES, &node.provenance), node.distance as u8]);
        text(&mut out, &node.signature);
        node.components.iter().for_each(|component| out.extend(component.to_le_bytes()));
    }
    for edge in &graph.edges {
        varint(&mut out, u64::from(edge.source));
        varint(&mut out, u64::from(edge.target));
        out.extend([place(EDGES, &edge.kind), edge.status as u8]);
    }
    out
}

/// Returns the number of a word; [`carried`] has left only words that have one.
fn place(set: &[&str], text: &str) -> u8 {
    set.iter().position(|word| *word == text).map_or(0, |at| at as u8 + 1)
}

fn text(out: &mut Vec<u8>, text: &str) {
    varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Why bytes are none of this format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcbError {
    pub offset: usize,
    pub message: &'static str,
}

/// Reads a graph; every byte must have its place.
pub fn decode(bytes: &[u8]) -> Result<GraphPack, GcbError> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != MAGIC || reader.byte()? != VERSION {
        return Err(GcbError { offset: 0, message: "it does not begin with GCB1 and version 1" });
    }
    let tool = reader.text()?;
    let (tokens, budget, nodes, edges) =
        (reader.varint()?, reader.varint()?, reader.varint()?, reader.varint()?);
    // A node takes at least 25 bytes and an edge 4, so the counts cannot make it reserve more than there is.
    let mut graph = GraphPack { tool, tokens, budget, ..GraphPack::default() };
    for _ in 0..nodes {
        let qname = reader.text()?;
        let kind = reader.word(KINDS)?;
        let score = f64::from(reader.float()?);
        let (provenance, distance) = (reader.word(PROVENANCES)?, u32::from(reader.byte()?));
        let signature = reader.text()?;
        let components = [reader.float()?, reader.float()?, reader.float()?, reader.float()?];
        graph.nodes.push(Node { kind, qname, score, provenance, distance, signature, components });
    }
    for _ in 0..edges {
        let (source, target) = (reader.node(nodes)?, reader.node(nodes)?);
        let kind = reader.word(EDGES)?;
        let status = match reader.byte()? {
            0 => Status::Unchanged,
            1 => Status::Added,
            2 => Status::Removed,
            _ => return Err(reader.error("the status of an edge is unknown")),
        };
        graph.edges.push(Edge { source, target, kind, status });
    }
    if reader.at != bytes.len() { Err(reader.error("bytes follow the end")) } else { Ok(graph) }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn error(&self, message: &'static str) -> GcbError {
        GcbError { offset: self.at, message }
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], GcbError> {
        let end = self
            .at
            .checked_add(count)
            .filter(|&end| end <= self.bytes.len())
            .ok_or(self.error("the bytes end too early"))?;
        let part = &self.bytes[self.at..end];
        self.at = end;
        Ok(part)
    }

    fn byte(&mut self) -> Result<u8, GcbError> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn varint(&mut self) -> Result<u64, GcbError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part || byte == 0 && shift > 0 {
                return Err(self.error("a number is too large or longer than it must be"));
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.error("a number does not end"))
    }

    fn text(&mut self) -> Result<String, GcbError> {
        let length = self.varint()?;
        let bytes = self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| self.error("a text is no UTF-8"))
    }

    fn float(&mut self) -> Result<f32, GcbError> {
        let bytes = self.take(4)?;
        let value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if value.is_finite() { Ok(value) } else { Err(self.error("a number is not finite")) }
    }

    fn word(&mut self, set: &[&str]) -> Result<String, GcbError> {
        let number = self.byte()?;
        let word = usize::from(number).checked_sub(1).and_then(|at| set.get(at));
        word.map(|word| (*word).to_owned()).ok_or(self.error("a kind is unknown"))
    }

    fn node(&mut self, count: u64) -> Result<u32, GcbError> {
        let number = self.varint()?;
        if number < count {
            u32::try_from(number).map_err(|_| self.error("a number is too large"))
        } else {
            Err(self.error("an edge names a node that is not there"))
        }
    }
}
