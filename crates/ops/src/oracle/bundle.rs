//! `get_context`: everything around declared refs in one bundle.

use super::activity::{Activity, activity};
use super::inputs::RefInput;
use super::{Oracle, node_of};
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_engine::{Knowledge, Reader};
use contextd_knowledge::graph::Graph;
use contextd_knowledge::sections::{chunks, sections};
use contextd_knowledge::sync::Status;
use contextd_knowledge::yaml::{Value as Yaml, Yaml as YamlNode};
use contextd_knowledge::{Limits, Subgraph, traverse};
use contextd_model::{ContentHash, EdgeKind, RefKind};
use contextd_pack::Texts;
use contextd_snapshot::{LinkRows, Wanted};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Pieces of documents in a bundle.
const CHUNKS: usize = 10;
/// Code symbols in a bundle.
const SYMBOLS: usize = 40;
/// Routes and test files in a bundle.
const LISTED: usize = 20;

/// What is known around refs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bundle {
    pub version: u32,
    pub focus: Focus,
    /// Further refs that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Focus>,
    pub graph: BundleGraph,
    pub text_chunks: Vec<TextChunk>,
    pub code_symbols: Vec<CodeSymbol>,
    pub sync_status: SyncStatus,
    /// Rules in force for the focus.
    pub constraints: Vec<Constraint>,
    pub routes: Vec<Route>,
    pub tests: Tests,
    /// Hash of all of the above but the time of indexing.
    pub etag: String,
    pub warning: Option<String>,
}

/// A ref that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "RefFocus")]
pub struct Focus {
    pub ref_id: String,
    pub kind: String,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub links: Value,
    pub activity: Activity,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<String>,
}

/// Nodes and edges around the focus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BundleGraph {
    pub nodes: Vec<Value>,
    pub edges: Vec<BundleEdge>,
}

/// A declared edge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BundleEdge {
    pub src: String,
    pub dst: String,
    pub kind: String,
}

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TextChunk {
    pub doc_path: String,
    /// Class of the section: spec, invariants, constraints, api, tests or other.
    pub section: String,
    pub heading: String,
    pub content: String,
    pub ref_id: String,
}

/// A definition of the focus or of what is around it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CodeSymbol {
    pub file_path: String,
    pub symbol_name: String,
    pub kind: String,
    pub line_start: u32,
    pub line_end: u32,
    pub ref_id: String,
}

/// Which documents no longer agree with the code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SyncStatus {
    pub stale_docs: Vec<StaleDoc>,
    /// Unix milliseconds.
    pub last_reindex: Option<i64>,
}

/// A stale document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StaleDoc {
    pub doc_path: String,
    pub section: String,
    pub ref_id: String,
    pub reasons: Vec<String>,
}

/// A rule in force.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Constraint {
    pub rule: String,
    pub kind: String,
    pub severity: String,
    pub description: String,
}

/// A route that the focus handles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Route {
    pub method: String,
    pub path: String,
    pub file_path: String,
    pub line: u32,
}

/// Tests that reach the focus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Tests {
    pub files: Vec<String>,
    pub count: usize,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
}

pub fn get_context(context: &Context, input: RefInput) -> Result<Answer, OpError> {
    if input.ref_ids.iter().all(|ref_id| ref_id.trim().is_empty()) {
        return Err(OpError::request(
            "no ref is named",
            "Name a declared node: contextd ref my-service.",
        ));
    }
    let reader = context.reader()?;
    let knowledge = context.engine.knowledge(&reader);
    let focus = input
        .ref_ids
        .iter()
        .map(|ref_id| node_of(&knowledge, ref_id))
        .collect::<Result<Vec<_>, _>>()?;
    let limits = Limits {
        depth: input.depth.unwrap_or(2).min(10),
        max_nodes: input.max_nodes.unwrap_or(20).min(1_000),
    };
    let around = traverse(&knowledge.graph, &focus, &limits).map_err(|many| OpError {
        code: "CTX_E_LIMIT",
        message: format!("{} refs are asked for and {} nodes are allowed", many.focus, many.limit),
        remedy: "Ask for fewer refs, or allow more with --max-nodes.".to_owned(),
    })?;
    let maker = Maker { context, reader: &reader, knowledge: &knowledge, around: &around };
    let bundle = maker.bundle(&focus, input.max_chunks.unwrap_or(CHUNKS).min(1_000))?;
    Ok(Answer::Oracle(Box::new(match input.etag {
        Some(etag) if etag == bundle.etag => Oracle::Unchanged { etag },
        _ => Oracle::Bundle(Box::new(bundle)),
    })))
}

struct Maker<'a> {
    context: &'a Context,
    reader: &'a Reader,
    knowledge: &'a Knowledge,
    around: &'a Subgraph,
}

impl Maker<'_> {
    fn graph(&self) -> &Graph {
        &self.knowledge.graph
    }

    fn bundle(&self, focus: &[usize], max_chunks: usize) -> Result<Bundle, OpError> {
        let mut all: Vec<Focus> = focus.iter().map(|&node| self.focus(node)).collect();
        let first = all.remove(0);
        let paths: Vec<&str> = self.focus_paths(focus);
        let sync_status = self.sync_status()?;
        let mut bundle = Bundle {
            version: 1,
            focus: first,
            also: all,
            graph: BundleGraph {
                nodes: self
                    .around
                    .nodes
                    .iter()
                    .map(|&(node, distance)| self.node(node, distance))
                    .collect(),
                edges: self.edges(),
            },
            text_chunks: self.text_chunks(max_chunks),
            code_symbols: self.code_symbols(focus),
            constraints: self.constraints(focus),
            routes: self.routes(&paths),
            tests: self.tests(focus, &paths),
            etag: String::new(),
            warning: self.warning(&sync_status),
            sync_status,
        };
        let timeless = Bundle {
            sync_status: SyncStatus { last_reindex: None, ..bundle.sync_status.clone() },
            ..bundle.clone()
        };
        bundle.etag = ContentHash::of(contextd_pack::canonical::to_string(&timeless).as_bytes())
            .to_hex()[..16]
            .to_owned();
        Ok(bundle)
    }

    fn focus_paths(&self, focus: &[usize]) -> Vec<&str> {
        let mut paths: Vec<&str> = focus
            .iter()
            .flat_map(|&node| self.knowledge.files_of_node(&self.reader.snapshot, node))
            .collect();
        let annotated = focus.iter().flat_map(|&node| self.knowledge.annotated_symbols(node));
        paths.extend(annotated.map(|symbol| self.reader.snapshot.symbol(symbol).path()));
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    fn focus(&self, number: usize) -> Focus {
        let node = &self.graph().nodes[number];
        let links = node
            .extra
            .iter()
            .find(|(key, _)| key == "links")
            .map_or(Value::Null, |(_, value)| json_of(value));
        let paths = self.focus_paths(&[number]);
        let mut owners = node.owners.clone();
        if let Some(rules) = self.knowledge.owners.as_ref().filter(|_| owners.is_empty()) {
            let found: BTreeSet<String> = paths.iter().flat_map(|path| rules.of(path)).collect();
            owners.extend(found);
        }
        Focus {
            ref_id: node.ref_id.clone(),
            kind: node.kind.clone(),
            summary: node.summary.clone(),
            links,
            activity: activity(self.reader, paths.into_iter()),
            owners,
        }
    }

    fn node(&self, number: usize, distance: u32) -> Value {
        let node = &self.graph().nodes[number];
        let mut value = json!({"ref_id": node.ref_id, "kind": node.kind, "summary": node.summary, "distance": distance, "lifecycle": node.lifecycle});
        for (key, list) in [("source", &node.source), ("docs", &node.docs), ("tags", &node.tags)] {
            if !list.is_empty() {
                value[key] = json!(list);
            }
        }
        if !node.extra.is_empty() {
            value["extra"] = Value::Object(
                node.extra.iter().map(|(key, own)| (key.clone(), json_of(own))).collect(),
            );
        }
        value
    }

    fn edges(&self) -> Vec<BundleEdge> {
        let graph = self.graph();
        let name = |node: usize| graph.nodes[node].ref_id.clone();
        self.around
            .edges
            .iter()
            .map(|&edge| &graph.edges[edge])
            .map(|edge| BundleEdge {
                src: name(edge.from),
                dst: name(edge.to),
                kind: edge.kind.clone(),
            })
            .collect()
    }

    /// Pieces of the documents around, those of wanted sections and near nodes first.
    fn text_chunks(&self, most: usize) -> Vec<TextChunk> {
        let mut found = Vec::new();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (order, &(number, _)) in self.around.nodes.iter().enumerate() {
            let node = &self.graph().nodes[number];
            for doc in node.docs.iter().filter(|doc| seen.insert(doc)) {
                let Some(text) = self.context.engine.texts().read(doc) else { continue };
                for section in sections(&text.scrubbed) {
                    for piece in chunks(section.text) {
                        let chunk = TextChunk {
                            doc_path: doc.clone(),
                            section: section.class.name().to_owned(),
                            heading: section.heading.clone(),
                            content: piece.to_owned(),
                            ref_id: node.ref_id.clone(),
                        };
                        found.push(((section.class, order, found.len()), chunk));
                    }
                }
            }
        }
        found.sort_by_key(|(key, _)| *key);
        found.into_iter().take(most).map(|(_, chunk)| chunk).collect()
    }

    /// The focus first: its annotated definitions, then what its code is mostly used for; then what is around.
    fn code_symbols(&self, focus: &[usize]) -> Vec<CodeSymbol> {
        let snapshot = &self.reader.snapshot;
        let annotated = |node: usize| {
            self.knowledge.annotated_symbols(node).into_iter().map(move |symbol| (symbol, node))
        };
        let mut found: Vec<(u32, usize)> = focus.iter().flat_map(|&node| annotated(node)).collect();
        for &node in focus {
            let mut own: Vec<u32> = Vec::new();
            for path in self.knowledge.files_of_node(snapshot, node) {
                let Some(file) = snapshot.find_file(path) else { continue };
                own.extend(
                    snapshot.symbols_of_file(file).skip(1).filter(|&symbol| self.is_shown(symbol)),
                );
            }
            let uses = |symbol: u32| snapshot.graph().sources(symbol).len();
            own.sort_by_key(|&symbol| {
                (
                    std::cmp::Reverse(uses(symbol)),
                    snapshot.symbol(symbol).path(),
                    snapshot.symbol(symbol).start_line(),
                )
            });
            found.extend(own.into_iter().map(|symbol| (symbol, node)));
        }
        found.extend(self.around.nodes.iter().flat_map(|&(node, _)| annotated(node)));
        let mut seen = BTreeSet::new();
        found.retain(|(symbol, _)| seen.insert(*symbol));
        found.truncate(SYMBOLS);
        found
            .into_iter()
            .map(|(number, node)| {
                let symbol = snapshot.symbol(number);
                CodeSymbol {
                    file_path: symbol.path().to_owned(),
                    symbol_name: symbol.qualified().into_owned(),
                    kind: symbol.kind().name().to_owned(),
                    line_start: symbol.start_line(),
                    line_end: symbol.end_line(),
                    ref_id: self.graph().nodes[node].ref_id.clone(),
                }
            })
            .collect()
    }

    fn is_shown(&self, symbol: u32) -> bool {
        let own = self.reader.snapshot.symbol(symbol);
        let wanted = own.kind().is_callable()
            || own.kind().is_type() && own.kind() != contextd_model::SymbolKind::Extension;
        wanted
            && !own
                .has(contextd_model::facts::modifier::LOCAL | contextd_model::facts::modifier::TEST)
    }

    fn sync_status(&self) -> Result<SyncStatus, OpError> {
        let (states, _) = self.context.engine.sync_states(&self.reader.snapshot, self.knowledge);
        let members: BTreeSet<&str> = self
            .around
            .nodes
            .iter()
            .map(|&(node, _)| self.graph().nodes[node].ref_id.as_str())
            .collect();
        let docs: BTreeSet<&str> = self
            .around
            .nodes
            .iter()
            .flat_map(|&(node, _)| &self.graph().nodes[node].docs)
            .map(String::as_str)
            .collect();
        let ours = |state: &&contextd_knowledge::sync::State| {
            state.status == Status::Stale
                && if state.key.ref_id.is_empty() {
                    docs.contains(state.key.doc.as_str())
                } else {
                    members.contains(state.key.ref_id.as_str())
                }
        };
        let stale_docs = states
            .iter()
            .filter(ours)
            .map(|state| StaleDoc {
                doc_path: state.key.doc.clone(),
                section: state.key.section.clone(),
                ref_id: state.key.ref_id.clone(),
                reasons: state
                    .reasons
                    .iter()
                    .map(|(reason, what)| reason_text(reason.name(), what))
                    .collect(),
            })
            .collect();
        Ok(SyncStatus { stale_docs, last_reindex: crate::last_indexed(&self.context.engine)? })
    }

    fn constraints(&self, focus: &[usize]) -> Vec<Constraint> {
        let mut found: BTreeMap<&str, Constraint> = BTreeMap::new();
        for &node in focus {
            for rule in self.knowledge.rules.in_force(self.graph(), node) {
                found.entry(&rule.name).or_insert_with(|| Constraint {
                    rule: rule.name.clone(),
                    kind: rule.law.name().to_owned(),
                    severity: severity(rule.severity).to_owned(),
                    description: rule.description.clone(),
                });
            }
        }
        found.into_values().collect()
    }

    fn routes(&self, paths: &[&str]) -> Vec<Route> {
        let snapshot = &self.reader.snapshot;
        let mut found: BTreeSet<Route> = BTreeSet::new();
        let mut rows = LinkRows::default();
        for path in paths {
            let Some(facts) = snapshot
                .find_file(path)
                .and_then(|file| snapshot.file(file).facts(Wanted::Links, &mut rows))
            else {
                continue;
            };
            let routes = facts.refs.iter().filter(|row| row.kind() == RefKind::Route);
            found.extend(routes.map(|row| Route {
                method: facts.str(row.qualifier).to_uppercase(),
                path: facts.str(row.name).to_owned(),
                file_path: (*path).to_owned(),
                line: row.line,
            }));
        }
        found.into_iter().take(LISTED).collect()
    }

    fn tests(&self, focus: &[usize], paths: &[&str]) -> Tests {
        let snapshot = &self.reader.snapshot;
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        for path in paths {
            let Some(file) = snapshot.find_file(path) else { continue };
            for symbol in snapshot.symbols_of_file(file) {
                for (source, edge) in snapshot.graph().incoming(symbol).take(2_000) {
                    if edge.kind() == EdgeKind::Tests
                        || self.reader.catalog.is_test(source) && !edge.kind().is_structural()
                    {
                        *files.entry(snapshot.symbol(source).path()).or_default() += 1;
                    }
                }
            }
        }
        let mut ordered: Vec<(&str, usize)> = files.into_iter().collect();
        ordered.sort_by_key(|&(path, uses)| (std::cmp::Reverse(uses), path));
        let command = focus
            .iter()
            .flat_map(|&node| self.graph().ancestry(node))
            .map(|node| &self.graph().nodes[node].test)
            .find(|test| !test.is_empty())
            .cloned()
            .unwrap_or_default();
        Tests {
            count: ordered.len(),
            files: ordered.into_iter().take(LISTED).map(|(path, _)| path.to_owned()).collect(),
            command,
        }
    }

    fn warning(&self, sync: &SyncStatus) -> Option<String> {
        let mut said = Vec::new();
        if !sync.stale_docs.is_empty() {
            let docs: BTreeSet<&str> =
                sync.stale_docs.iter().map(|stale| stale.doc_path.as_str()).collect();
            said.push(format!(
                "documents that no longer agree with the code: {}",
                docs.into_iter().collect::<Vec<_>>().join(", ")
            ));
        }
        if self.around.cut {
            said.push("more nodes lie around than the limit allows".to_owned());
        }
        if let Some(problem) = self.knowledge.problems.first() {
            said.push(format!(
                "the declared graph has {} problems, the first: {problem}",
                self.knowledge.problems.len()
            ));
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// Writes a reason with what it is about.
pub fn reason_text(reason: &str, what: &[String]) -> String {
    if what.is_empty() { reason.to_owned() } else { format!("{reason}: {}", what.join(", ")) }
}

/// Returns the word for a severity.
pub fn severity(severity: contextd_model::Severity) -> &'static str {
    match severity {
        contextd_model::Severity::Error => "error",
        contextd_model::Severity::Warning => "warn",
        contextd_model::Severity::Info => "info",
    }
}

/// Returns a declared value as JSON; plain scalars that are numbers or truths stay that.
pub fn json_of(value: &YamlNode) -> Value {
    match &value.value {
        Yaml::Null => Value::Null,
        Yaml::Scalar { text, quoted: true } => json!(text),
        Yaml::Scalar { text, .. } if text == "true" => json!(true),
        Yaml::Scalar { text, .. } if text == "false" => json!(false),
        Yaml::Scalar { text, .. } => text
            .parse::<i64>()
            .map(|number| json!(number))
            .or_else(|_| text.parse::<f64>().map(|number| json!(number)))
            .unwrap_or_else(|_| json!(text)),
        Yaml::List(items) => Value::Array(items.iter().map(json_of).collect()),
        Yaml::Map(entries) => Value::Object(
            entries.iter().map(|(key, own)| (key.clone(), json_of(own))).collect::<Map<_, _>>(),
        ),
    }
}
