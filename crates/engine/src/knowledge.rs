//! Declared knowledge of a root, joined to its snapshot.

mod code;
mod covers;
mod meant;
mod notes;
mod since;

pub use covers::{DocPairs, documents};

use crate::engine::Engine;
use crate::reader::Reader;
use contextd_history::Owners;
use contextd_knowledge::annotations::{self, Annotation, Span};
use contextd_knowledge::graph::File;
use contextd_knowledge::{Graph, Place, Rules, rules};
use contextd_lang::LanguageId;
use contextd_lang::terms::Terms;
use contextd_model::{ContentHash, Problem, SymbolKind};
use contextd_pack::Texts;
use contextd_snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Arc, PoisonError};

/// Folders that hold the declared graph, in the order they are read.
const FOLDERS: &[&str] = &[".contextd/graph", ".beadloom/_graph"];
/// A file of rules beside the graph.
const RULES: &str = ".contextd/rules.yml";
/// Where owners may be written down.
const OWNERS: &[&str] =
    &["CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS"];
/// Keys of annotations whose values are no nodes.
const NOT_REFS: &[&str] = &["doc", "docs", "covers", "watches"];

/// An annotation with what it speaks of.
#[derive(Clone, Debug)]
pub struct Bound {
    pub path: String,
    /// Global number of the definition; `None` for the whole file.
    pub symbol: Option<u32>,
    pub annotation: Annotation,
}

impl Bound {
    /// Returns the values when they name nodes.
    pub fn refs(&self) -> &[String] {
        if NOT_REFS.contains(&self.annotation.key.as_str()) { &[] } else { &self.annotation.values }
    }
}

/// What people declared, and where it meets the code.
#[derive(Debug, Default)]
pub struct Knowledge {
    pub graph: Graph,
    pub rules: Rules,
    pub problems: Vec<Problem>,
    /// Annotations in code.
    pub bound: Vec<Bound>,
    /// Annotations in documents, with the document.
    pub in_documents: Vec<(String, Annotation)>,
    pub owners: Option<Owners>,
    /// Hash of everything declared; empty when nothing is.
    pub version: String,
    /// Nodes that annotations give a file or a definition.
    by_file: BTreeMap<String, Vec<usize>>,
    by_symbol: BTreeMap<u32, Vec<usize>>,
    ground: meant::Ground,
}

/// State of the declared files: when it is the same, so is what was read from them.
pub(crate) type Stamp = Vec<(String, u64, Option<std::time::SystemTime>)>;

impl Engine {
    /// Returns what is declared; it is read again when a file of it has changed.
    pub fn knowledge(&self, reader: &Reader) -> Arc<Knowledge> {
        let stamp = self.declared_stamp();
        let mut kept = reader.knowledge.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((own, knowledge)) = kept.as_ref().filter(|(own, _)| *own == stamp) {
            let _ = own;
            return knowledge.clone();
        }
        let knowledge = Arc::new(self.read_knowledge(&reader.snapshot, &stamp));
        *kept = Some((stamp, knowledge.clone()));
        knowledge
    }

    /// True when every name is a declared ref; reads the declarations alone, so no index is needed.
    pub fn are_refs(&self, names: &[String]) -> bool {
        let stamp = self.declared_stamp();
        let texts = stamp
            .iter()
            .filter(|(path, _, _)| !path.ends_with("CODEOWNERS"))
            .filter_map(|(path, _, _)| Some((path, self.scanner.read(path).ok()?.text)));
        let graph = Graph::of(texts.map(|(path, text)| File::parse(&text, path).0).collect()).0;
        !graph.is_empty() && names.iter().all(|name| graph.find(name).is_some())
    }

    fn declared_stamp(&self) -> Stamp {
        let mut paths: Vec<String> = Vec::new();
        for folder in FOLDERS {
            let Ok(entries) = fs::read_dir(self.places.root.join(folder)) else { continue };
            let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
            let mut names: Vec<String> =
                names.filter(|name| name.ends_with(".yml") || name.ends_with(".yaml")).collect();
            names.sort();
            paths.extend(names.into_iter().map(|name| format!("{folder}/{name}")));
        }
        paths.push(RULES.to_owned());
        paths.extend(OWNERS.iter().map(|&path| path.to_owned()));
        let stat = |path: String| {
            let metadata =
                fs::metadata(self.places.root.join(&path)).ok().filter(fs::Metadata::is_file)?;
            Some((path, metadata.len(), metadata.modified().ok()))
        };
        paths.into_iter().filter_map(stat).collect()
    }

    fn read_knowledge(&self, snapshot: &Snapshot, stamp: &Stamp) -> Knowledge {
        let mut knowledge = Knowledge::default();
        let mut declared = String::new();
        let mut files = Vec::new();
        for (path, _, _) in stamp {
            let text = match self.scanner.read(path) {
                Ok(bytes) => bytes.text,
                Err(failure) => {
                    knowledge.problems.push(
                        Problem::error(
                            "CTX_E_GRAPH_READ",
                            format!("the file cannot be read: {failure}"),
                            "Make it readable.",
                        )
                        .at(path.clone(), None),
                    );
                    continue;
                }
            };
            declared.push_str(&format!("{path}\0{text}\0"));
            if path.ends_with("CODEOWNERS") {
                knowledge.owners.get_or_insert_with(|| Owners::parse(&text));
            } else {
                let (file, problems) = File::parse(&text, path);
                knowledge.problems.extend(problems);
                files.push(file);
            }
        }
        let (graph, problems) = Graph::of(files.clone());
        knowledge.problems.extend(problems);
        let (rules, problems) = rules::read(&files, &graph);
        knowledge.problems.extend(problems);
        (knowledge.graph, knowledge.rules) = (graph, rules);
        self.annotations(snapshot, &mut knowledge);
        if !declared.is_empty() {
            knowledge.version = ContentHash::of(declared.as_bytes()).to_hex()[..16].to_owned();
        }
        knowledge
    }

    /// Reads the annotations of the files that may have some, by the words in the index.
    fn annotations(&self, snapshot: &Snapshot, knowledge: &mut Knowledge) {
        for path in candidates(snapshot) {
            let Some(text) = self.texts().read(&path) else { continue };
            let Some(file) = snapshot.find_file(&path) else { continue };
            if is_document(snapshot, file) {
                knowledge.in_documents.extend(
                    annotations::in_document(&text.scrubbed)
                        .into_iter()
                        .map(|own| (path.clone(), own)),
                );
                continue;
            }
            let found = annotations::in_code(
                &text.scrubbed,
                LanguageId(snapshot.file(file).language()).name(),
            );
            if found.is_empty() {
                continue;
            }
            let symbols: Vec<u32> = snapshot
                .symbols_of_file(file)
                .skip(1)
                .filter(|&symbol| is_definition(snapshot.symbol(symbol).kind()))
                .collect();
            let spans: Vec<Span> = symbols
                .iter()
                .map(|&symbol| Span {
                    start_line: snapshot.symbol(symbol).start_line(),
                    end_line: snapshot.symbol(symbol).end_line(),
                })
                .collect();
            let lines: Vec<&str> = text.scrubbed.lines().collect();
            for annotation in found {
                let symbol = match annotations::place(&lines, annotation.line, &spans) {
                    Place::File => None,
                    Place::Definition(number) => symbols.get(number).copied(),
                };
                knowledge.bound.push(Bound { path: path.clone(), symbol, annotation });
            }
        }
        knowledge.bind();
    }
}

fn is_definition(kind: SymbolKind) -> bool {
    kind.is_callable()
        || kind.is_type()
        || matches!(kind, SymbolKind::Module | SymbolKind::Namespace)
}

/// True for Markdown, reStructuredText and AsciiDoc.
pub(crate) fn is_document(snapshot: &Snapshot, file: u32) -> bool {
    matches!(LanguageId(snapshot.file(file).language()).name(), "markdown" | "rst" | "asciidoc")
}

/// Returns the files in which one of the prefixes stands as a word, in path order.
fn candidates(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut terms = Terms::default();
    let words: Vec<String> =
        ["contextd", "beadloom"].iter().map(|word| terms.stem(word).to_owned()).collect();
    let mut found = BTreeSet::new();
    for segment in snapshot.segments() {
        for word in &words {
            if let Some(postings) = segment.term(word) {
                postings.cells.for_each(|cell, _| {
                    found.insert(segment.path(segment.file_of_cell(cell)).to_owned());
                });
            }
        }
    }
    found
}

impl Knowledge {
    /// True when there is nothing that concerns the code.
    pub fn is_empty(&self) -> bool {
        self.graph.is_empty() && self.rules.rules.is_empty()
    }

    fn bind(&mut self) {
        let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for bound in &self.bound {
            let nodes: Vec<usize> =
                bound.refs().iter().filter_map(|ref_id| self.graph.find(ref_id)).collect();
            let own = match bound.symbol {
                None => by_file.entry(bound.path.clone()).or_default(),
                Some(symbol) => self.by_symbol.entry(symbol).or_default(),
            };
            own.extend(
                nodes.iter().filter(|node| !own.contains(node)).copied().collect::<Vec<_>>(),
            );
        }
        self.by_file = by_file;
    }

    /// Returns the nodes a file belongs to, by annotation and by source, the most particular ones.
    pub fn nodes_of_file(&self, path: &str) -> Vec<usize> {
        let mut nodes = self.by_file.get(path).cloned().unwrap_or_default();
        nodes.extend(self.graph.sources_of(path));
        self.particular(nodes)
    }

    /// Returns the nodes a definition belongs to: its own, those of what holds it, else its file's.
    pub fn nodes_of_symbol(&self, snapshot: &Snapshot, symbol: u32) -> Vec<usize> {
        let mut at = Some(symbol);
        while let Some(number) = at {
            if let Some(nodes) = self.by_symbol.get(&number).filter(|nodes| !nodes.is_empty()) {
                return self.particular(nodes.clone());
            }
            at = snapshot.symbol(number).parent();
        }
        self.nodes_of_file(snapshot.symbol(symbol).path())
    }

    /// Leaves out nodes that another one of them is part of.
    fn particular(&self, mut nodes: Vec<usize>) -> Vec<usize> {
        nodes.sort_unstable();
        nodes.dedup();
        let wholes: BTreeSet<usize> =
            nodes.iter().flat_map(|&node| self.graph.ancestry(node).into_iter().skip(1)).collect();
        let kept: Vec<usize> =
            nodes.iter().copied().filter(|node| !wholes.contains(node)).collect();
        // Nodes that are part of each other would all vanish.
        if kept.is_empty() { nodes } else { kept }
    }

    /// Returns the definitions that annotations give a node, in order.
    pub fn annotated_symbols(&self, node: usize) -> Vec<u32> {
        self.by_symbol
            .iter()
            .filter(|(_, nodes)| nodes.contains(&node))
            .map(|(&symbol, _)| symbol)
            .collect()
    }

    /// Returns the refs that annotations name, with their places.
    pub fn annotated_refs(&self) -> Vec<(String, String, u32)> {
        self.bound
            .iter()
            .flat_map(|bound| {
                bound
                    .refs()
                    .iter()
                    .map(|ref_id| (ref_id.clone(), bound.path.clone(), bound.annotation.line))
            })
            .collect()
    }

    /// Returns the code files of a node in path order, tests left out.
    pub fn files_of_node<'s>(&self, snapshot: &'s Snapshot, node: usize) -> Vec<&'s str> {
        let mut paths: Vec<&str> = (0..snapshot.file_count())
            .map(|file| snapshot.file(file))
            .filter(|file| code::is_code(file.language()))
            .map(|file| file.path())
            .filter(|path| {
                !contextd_lang::paths::is_test(path) && self.nodes_of_file(path).contains(&node)
            })
            .collect();
        paths.sort_unstable();
        paths
    }
}
