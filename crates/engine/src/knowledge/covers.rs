//! Documents and the code they cover, from nodes and annotations.

use super::{Bound, Knowledge, code, is_document};
use crate::engine::Engine;
use contextd_knowledge::graph::SyncMode;
use contextd_knowledge::sections::{Section, sections};
use contextd_knowledge::sync::{Key, Lock, Pair, State, compare, mentions};
use contextd_knowledge::tokens::prose_hash;
use contextd_knowledge::{Covered, covered};
use contextd_lang::LanguageId;
use contextd_model::Problem;
use contextd_pack::{Texts, resolve};
use contextd_snapshot::{LinkRows, Snapshot, Wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// The file with the baselines.
pub(crate) const LOCK: &str = ".contextd/sync.lock";

/// Every document with the code it covers, as both are now.
pub struct DocPairs {
    pub pairs: Vec<Pair>,
    /// What documents name and nothing has: document, line, name.
    pub unknown: Vec<(String, u32, String)>,
}

impl Engine {
    /// Joins documents to the code they cover.
    pub fn doc_pairs(&self, snapshot: &Snapshot, knowledge: &Knowledge) -> DocPairs {
        let mut join = Join {
            engine: self,
            snapshot,
            knowledge,
            texts: BTreeMap::new(),
            files: BTreeMap::new(),
            found: BTreeMap::new(),
            unknown: Vec::new(),
        };
        join.named_by_documents();
        join.named_by_code();
        let own: BTreeMap<String, BTreeSet<(String, String)>> = join.covered_by_sections();
        join.of_nodes(&own);
        DocPairs { pairs: join.found.into_values().collect(), unknown: join.unknown }
    }

    fn lock_path(&self) -> PathBuf {
        self.places.root.join(LOCK)
    }

    /// Reads the baselines; `None` when nothing was ever recorded.
    pub fn sync_lock(&self) -> (Option<Lock>, Vec<Problem>) {
        match fs::read_to_string(self.lock_path()) {
            Ok(text) => {
                let (lock, problems) = Lock::parse(&text, LOCK);
                (Some(lock), problems)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (None, Vec::new()),
            Err(error) => (
                None,
                vec![
                    Problem::error(
                        "CTX_E_SYNC_LOCK",
                        format!("the lock cannot be read: {error}"),
                        "Make it readable.",
                    )
                    .at(LOCK, None),
                ],
            ),
        }
    }

    /// Writes the baselines, whole or not at all.
    pub fn write_sync_lock(&self, lock: &Lock) -> crate::error::Result<()> {
        let path = self.lock_path();
        let failed = |source| crate::error::EngineError::Io {
            what: "cannot write",
            path: path.clone(),
            source,
        };
        let folder = self.places.root.join(".contextd");
        if fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_symlink()) {
            let why = "it is a link".to_owned();
            return Err(crate::error::EngineError::NotOurs { path: folder, why });
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        let temporary = folder.join(format!(".sync-{}", std::process::id()));
        crate::claim::write_new(&temporary, lock.write().as_bytes()).map_err(failed)?;
        fs::rename(&temporary, &path).map_err(failed)
    }

    /// Returns the state of every document against the baselines.
    pub fn sync_states(
        &self,
        snapshot: &Snapshot,
        knowledge: &Knowledge,
    ) -> (Vec<State>, Vec<Problem>) {
        let (lock, problems) = self.sync_lock();
        let mut pairs = self.doc_pairs(snapshot, knowledge).pairs;
        pairs.extend(
            lock.as_ref().map(|lock| self.lost_pairs(snapshot, lock, &pairs)).unwrap_or_default(),
        );
        (compare(&pairs, lock.as_ref()), problems)
    }
}

impl Engine {
    /// Returns recorded pairs that nothing joins any more because code of theirs is gone, with what is left of them.
    pub fn lost_pairs(&self, snapshot: &Snapshot, lock: &Lock, pairs: &[Pair]) -> Vec<Pair> {
        let joined: BTreeSet<&Key> = pairs.iter().map(|pair| &pair.key).collect();
        let mut lost = Vec::new();
        for (key, recorded) in lock.pairs.iter().filter(|(key, _)| !joined.contains(key)) {
            let Some(text) = self.texts().read(&key.doc) else { continue };
            let covers: Vec<Covered> = recorded
                .covers
                .iter()
                .flat_map(|(path, symbols)| {
                    covered_file(self, snapshot, path)
                        .unwrap_or_default()
                        .into_iter()
                        .filter(|own| symbols.contains_key(&own.symbol))
                })
                .collect();
            // All of it is there: somebody took the join itself away.
            if covers.len() < recorded.covers.values().map(BTreeMap::len).sum() {
                let (part, line) = part_of(&text.scrubbed, &key.section);
                lost.push(Pair {
                    key: key.clone(),
                    doc_hash: prose_hash(part),
                    covers,
                    mentions: mentions(part),
                    line,
                    ..Pair::default()
                });
            }
        }
        lost
    }
}

struct Join<'a> {
    engine: &'a Engine,
    snapshot: &'a Snapshot,
    knowledge: &'a Knowledge,
    texts: BTreeMap<String, Option<String>>,
    files: BTreeMap<String, Vec<Covered>>,
    found: BTreeMap<Key, Pair>,
    unknown: Vec<(String, u32, String)>,
}

impl Join<'_> {
    fn text(&mut self, path: &str) -> Option<String> {
        let engine = self.engine;
        self.texts
            .entry(path.to_owned())
            .or_insert_with(|| engine.texts().read(path).map(|text| text.scrubbed))
            .clone()
    }

    /// Returns the definitions of a file.
    fn file(&mut self, path: &str) -> Vec<Covered> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let made = covered_file(self.engine, self.snapshot, path).unwrap_or_default();
        self.files.insert(path.to_owned(), made.clone());
        made
    }

    /// Adds code to the pair of a document or of one of its sections.
    fn add(
        &mut self,
        doc: &str,
        section: &str,
        covers: Vec<Covered>,
        missing: Vec<String>,
        interface_only: bool,
    ) {
        let Some(text) = self.text(doc) else { return };
        let (part, line) = part_of(&text, section);
        let key = Key { doc: doc.to_owned(), section: section.to_owned(), ref_id: String::new() };
        let pair = self.found.entry(key.clone()).or_insert_with(|| Pair {
            key,
            doc_hash: prose_hash(part),
            mentions: mentions(part),
            interface_only: true,
            line,
            ..Pair::default()
        });
        pair.interface_only &= interface_only;
        pair.missing.extend(missing);
        pair.covers.extend(covers);
        pair.covers.sort();
        pair.covers.dedup();
    }

    /// `<!-- contextd:covers=a,b -->` in a document; `watches` minds only interfaces.
    fn named_by_documents(&mut self) {
        let knowledge = self.knowledge;
        for (doc, annotation) in &knowledge.in_documents {
            if !["covers", "watches"].contains(&annotation.key.as_str()) {
                continue;
            }
            let Some(text) = self.text(doc) else { continue };
            let section = section_at(&sections(&text), annotation.line);
            let (mut covers, mut missing) = (Vec::new(), Vec::new());
            for name in &annotation.values {
                let found = self.named(name);
                // What is only watched may be something that other tools know.
                if found.is_empty() && annotation.key == "covers" {
                    self.unknown.push((doc.clone(), annotation.line, name.clone()));
                }
                missing.extend(found.is_empty().then(|| name.clone()));
                covers.extend(found);
            }
            self.add(doc, &section, covers, missing, annotation.key == "watches");
        }
    }

    /// `contextd:doc=path#Heading` in code.
    fn named_by_code(&mut self) {
        let knowledge = self.knowledge;
        for bound in knowledge
            .bound
            .iter()
            .filter(|bound| ["doc", "docs"].contains(&bound.annotation.key.as_str()))
        {
            let covers = self.bound(bound);
            for value in &bound.annotation.values {
                let (doc, heading) = value.split_once('#').unwrap_or((value, ""));
                let Some(text) = self.text(doc) else {
                    self.unknown.push((bound.path.clone(), bound.annotation.line, value.clone()));
                    continue;
                };
                let wanted = anchor(heading);
                let section = sections(&text)
                    .into_iter()
                    .map(|own| own.heading)
                    .find(|own| !wanted.is_empty() && anchor(own) == wanted);
                if section.is_none() && !wanted.is_empty() {
                    self.unknown.push((bound.path.clone(), bound.annotation.line, value.clone()));
                }
                self.add(doc, &section.unwrap_or_default(), covers.clone(), Vec::new(), false);
            }
        }
    }

    fn bound(&mut self, bound: &Bound) -> Vec<Covered> {
        let all = self.file(&bound.path);
        match bound.symbol {
            None => all,
            Some(symbol) => self.within(&all, symbol),
        }
    }

    /// Keeps the definitions that are a symbol or lie in it.
    fn within(&self, all: &[Covered], symbol: u32) -> Vec<Covered> {
        let own = self.snapshot.symbol(symbol);
        let first = own.file().symbols().start;
        let rows = (symbol - first) as usize
            ..=(own.descendants().end.max(symbol + 1) - 1 - first) as usize;
        all.iter().filter(|covered| rows.contains(&covered.row)).cloned().collect()
    }

    /// Returns what a name in a document means: a node, a file, a folder, a pattern, or a definition.
    fn named(&mut self, name: &str) -> Vec<Covered> {
        if let Some(node) = self.knowledge.graph.find(name) {
            return self.of_node(node);
        }
        let snapshot = self.snapshot;
        let name = name.trim_start_matches("./");
        let mut paths: Vec<String> = (0..snapshot.file_count())
            .map(|file| snapshot.file(file))
            .filter(|file| {
                code::is_code(file.language())
                    && contextd_knowledge::globs::holds(name, file.path())
            })
            .map(|file| file.path().to_owned())
            .collect();
        if name != "." && !paths.is_empty() {
            paths.sort();
            return paths.iter().flat_map(|path| self.file(path)).collect();
        }
        let Ok(symbols) = resolve::symbols(snapshot, name) else { return Vec::new() };
        let symbols: Vec<u32> = symbols
            .into_iter()
            .filter(|&symbol| {
                !contextd_lang::paths::is_test(snapshot.symbol(symbol).path())
                    && code::is_code(snapshot.symbol(symbol).language())
            })
            .collect();
        let mut found = Vec::new();
        for symbol in symbols {
            let all = self.file(snapshot.symbol(symbol).path());
            found.extend(self.within(&all, symbol));
        }
        found
    }

    /// Returns the code of a node: what belongs to it and to no part of it.
    fn of_node(&mut self, node: usize) -> Vec<Covered> {
        let (snapshot, knowledge) = (self.snapshot, self.knowledge);
        let mut found = Vec::new();
        for path in knowledge.files_of_node(snapshot, node) {
            let first =
                snapshot.find_file(path).map_or(0, |file| snapshot.symbols_of_file(file).start);
            let fresh = snapshot.find_file(path).is_some();
            // Definitions that an annotation gives to another node are that node's.
            let mine = |own: &Covered| {
                !fresh
                    || knowledge.nodes_of_symbol(snapshot, first + own.row as u32).contains(&node)
            };
            found.extend(self.file(path).into_iter().filter(mine));
        }
        for symbol in knowledge.annotated_symbols(node) {
            let all = self.file(snapshot.symbol(symbol).path());
            found.extend(self.within(&all, symbol));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns what sections of each document cover by name.
    fn covered_by_sections(&self) -> BTreeMap<String, BTreeSet<(String, String)>> {
        let mut own: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
        for pair in self.found.values().filter(|pair| !pair.key.section.is_empty()) {
            own.entry(pair.key.doc.clone()).or_default().extend(
                pair.covers.iter().map(|covered| (covered.path.clone(), covered.symbol.clone())),
            );
        }
        own
    }

    /// Documents of nodes cover the node's code, less what a section of the same document covers by name.
    fn of_nodes(&mut self, by_sections: &BTreeMap<String, BTreeSet<(String, String)>>) {
        let knowledge = self.knowledge;
        for (number, node) in knowledge
            .graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.sync != SyncMode::Off && !node.docs.is_empty())
        {
            let covers = self.of_node(number);
            let folders: Vec<String> = node
                .source
                .iter()
                .filter(|source| covers.iter().all(|own| own.path != **source))
                .cloned()
                .collect();
            for doc in &node.docs {
                let Some(text) = self.text(doc) else { continue };
                let skipped = by_sections.get(doc);
                let kept = covers
                    .iter()
                    .filter(|own| {
                        !skipped.is_some_and(|skipped| {
                            skipped.contains(&(own.path.clone(), own.symbol.clone()))
                        })
                    })
                    .cloned()
                    .collect();
                let key =
                    Key { doc: doc.clone(), section: String::new(), ref_id: node.ref_id.clone() };
                self.found.insert(
                    key.clone(),
                    Pair {
                        key,
                        doc_hash: prose_hash(&text),
                        covers: kept,
                        interface_only: node.sync == SyncMode::Interface,
                        mentions: mentions(&text),
                        folders: folders.clone(),
                        line: 1,
                        missing: Vec::new(),
                    },
                );
            }
        }
    }
}

/// Returns the definitions of a file: by the index when the file is as it was indexed, else read anew.
pub(crate) fn covered_file(
    engine: &Engine,
    snapshot: &Snapshot,
    path: &str,
) -> Option<Vec<Covered>> {
    let text = engine.texts().read(path)?;
    let file = snapshot.find_file(path).map(|file| snapshot.file(file));
    if let Some(file) = file.filter(|file| file.hash() == text.hash) {
        let mut rows = LinkRows::default();
        let facts = file.facts(Wanted::All, &mut rows)?;
        return Some(covered(&facts, &text.scrubbed, path, LanguageId(file.language()).name()));
    }
    Some(covered_text(engine, path, &text.scrubbed))
}

/// Returns the definitions of a text that is in no index.
pub(crate) fn covered_text(engine: &Engine, path: &str, text: &str) -> Vec<Covered> {
    let language = contextd_lang::detect(path, text);
    let facts = contextd_lang::extract(text, language, engine.config.chunking.of(language.name()));
    covered(&facts.view(), text, path, language.name())
}

/// Returns the text of a section and the line it begins at; the whole document when there is no such section.
fn part_of<'t>(text: &'t str, section: &str) -> (&'t str, u32) {
    let found =
        sections(text).into_iter().find(|own| !section.is_empty() && own.heading == section);
    found.map_or((text, 1), |own| (own.text, own.start_line))
}

/// Returns the heading under which a line stands; empty before the first of the second level.
fn section_at(all: &[Section<'_>], line: u32) -> String {
    let at = all.iter().position(|section| section.start_line <= line && line <= section.end_line);
    at.filter(|&at| all[at].text.starts_with("##") || at > 0 && !all[at].text.starts_with("# "))
        .map_or(String::new(), |at| all[at].heading.clone())
}

/// Writes a heading as links name it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace([' ', '_'], "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || *letter == '-').collect()
}

/// Returns the documents of a snapshot in path order.
pub fn documents(snapshot: &Snapshot) -> Vec<String> {
    let mut found: Vec<String> = (0..snapshot.file_count())
        .filter(|&file| is_document(snapshot, file))
        .map(|file| snapshot.file(file).path().to_owned())
        .collect();
    found.sort();
    found
}
