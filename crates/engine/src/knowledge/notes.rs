//! What declared knowledge has to say about the files of a pack.

use super::Knowledge;
use super::covers::covered_file;
use crate::engine::Engine;
use crate::reader::Reader;
use contextd_knowledge::rules::{Law, Rule as Declared};
use contextd_knowledge::sync::Lock;
use contextd_model::EdgeKind;
use contextd_pack::{Note, Rule};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Notes of one kind.
const EACH: usize = 4;
/// Files of a pack that are looked at.
const FILES: usize = 24;
/// Files whose newest commits are told.
const TOLD: usize = 6;

impl Engine {
    /// Returns who speaks of files for packs; `None` where nothing is declared, so that packs stay as they are.
    pub(crate) fn author<'a>(
        &'a self,
        reader: &'a Reader,
        knowledge: &'a Knowledge,
    ) -> Option<Author<'a>> {
        if knowledge.is_empty() {
            return None;
        }
        let lock = self.sync_lock().0.unwrap_or_default();
        Some(Author { engine: self, reader, knowledge, lock, stale: RefCell::default() })
    }
}

/// Says what is declared about the files of a pack, the weightiest files first.
pub(crate) struct Author<'a> {
    engine: &'a Engine,
    reader: &'a Reader,
    knowledge: &'a Knowledge,
    lock: Lock,
    /// Stale documents of files that were looked at.
    stale: RefCell<BTreeMap<String, BTreeSet<String>>>,
}

impl Author<'_> {
    /// Returns the notes of a pack with these files.
    pub(crate) fn notes(&self, paths: &[&str]) -> Vec<Note> {
        let paths = &paths[..paths.len().min(FILES)];
        let graph = &self.knowledge.graph;
        let nodes = self.nodes(paths);
        if nodes.is_empty() {
            return Vec::new();
        }
        let note = |kind: &str, ref_id: &str, text: String| Note {
            kind: kind.to_owned(),
            ref_id: ref_id.to_owned(),
            text,
        };
        let mut notes: Vec<Note> = self
            .in_force(&nodes)
            .into_iter()
            .map(|(node, rule)| {
                note("rule", &graph.nodes[node].ref_id, format!("{}: {}", rule.name, said(rule)))
            })
            .collect();
        notes.extend(
            self.stale(paths)
                .into_iter()
                .take(EACH)
                .map(|doc| note("stale-doc", "", format!("{doc} no longer agrees with the code"))),
        );
        notes.extend(nodes.iter().take(EACH).map(|&node| &graph.nodes[node]).map(|own| {
            note("part", &own.ref_id, format!("{} `{}`: {}", own.kind, own.ref_id, own.summary))
        }));
        let owners = self.owners(&nodes, paths);
        if !owners.is_empty() {
            notes.push(note(
                "owner",
                "",
                owners.into_iter().take(EACH).collect::<Vec<_>>().join(", "),
            ));
        }
        notes.extend(
            self.commands(&nodes)
                .into_iter()
                .take(2)
                .map(|command| note("test", "", format!("run `{command}`"))),
        );
        let tests = self.tests(paths);
        if !tests.is_empty() {
            notes.push(note("test", "", format!("reached by {}", tests.join(", "))));
        }
        notes.extend(self.commits(paths).into_iter().map(|text| note("commit", "", text)));
        notes
    }

    /// Returns the rules that are in force for these files, with the places that declare them.
    pub(crate) fn rules(&self, paths: &[&str]) -> Vec<Rule> {
        let found = self.in_force(&self.nodes(&paths[..paths.len().min(FILES)]));
        let text = |rule: &Declared| format!("{}: {} ({})", rule.name, said(rule), rule.law.name());
        found
            .into_iter()
            .map(|(_, rule)| Rule {
                name: rule.name.clone(),
                path: rule.file.clone(),
                line: rule.line,
                text: text(rule),
            })
            .collect()
    }

    /// Returns the declared nodes that files belong to.
    fn nodes(&self, paths: &[&str]) -> Vec<usize> {
        let mut nodes: Vec<usize> = Vec::new();
        for node in paths.iter().flat_map(|path| self.knowledge.nodes_of_file(path)) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    fn in_force(&self, nodes: &[usize]) -> Vec<(usize, &Declared)> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut found = Vec::new();
        for &node in nodes {
            // What must be declared is of no use to who writes code.
            for rule in self
                .knowledge
                .rules
                .in_force(&self.knowledge.graph, node)
                .filter(|rule| !matches!(rule.law, Law::Require { .. }))
            {
                if found.len() < EACH && seen.insert(&rule.name) {
                    found.push((node, rule));
                }
            }
        }
        found
    }

    /// Returns the documents whose record of the files differs from what the files are.
    fn stale(&self, paths: &[&str]) -> BTreeSet<String> {
        let mut kept = self.stale.borrow_mut();
        let mut found = BTreeSet::new();
        for path in paths {
            found.extend(
                kept.entry((*path).to_owned())
                    .or_insert_with(|| self.stale_for(path))
                    .iter()
                    .cloned(),
            );
        }
        found
    }

    fn stale_for(&self, path: &str) -> BTreeSet<String> {
        let recorded: Vec<_> = self
            .lock
            .pairs
            .iter()
            .filter_map(|(key, own)| Some((&key.doc, own.covers.get(path)?)))
            .collect();
        if recorded.is_empty() {
            return BTreeSet::new();
        }
        let now = covered_file(self.engine, &self.reader.snapshot, path).unwrap_or_default();
        let holds = |symbol: &str, (interface, body): &(String, String)| {
            now.iter().any(|own| {
                own.symbol == symbol
                    && own.interface == *interface
                    && (body == "-" || own.body == *body)
            })
        };
        recorded
            .into_iter()
            .filter(|(_, symbols)| !symbols.iter().all(|(symbol, hashes)| holds(symbol, hashes)))
            .map(|(doc, _)| doc.clone())
            .collect()
    }

    fn owners(&self, nodes: &[usize], paths: &[&str]) -> BTreeSet<String> {
        let declared =
            nodes.iter().flat_map(|&node| self.knowledge.graph.nodes[node].owners.clone());
        let by_path = self
            .knowledge
            .owners
            .iter()
            .flat_map(|rules| paths.iter().flat_map(|path| rules.of(path)));
        declared.chain(by_path).collect()
    }

    /// Returns the test commands of the nodes, or of what they are part of.
    fn commands(&self, nodes: &[usize]) -> Vec<&str> {
        let graph = &self.knowledge.graph;
        let mut found: Vec<&str> = Vec::new();
        for &node in nodes {
            let own = graph
                .ancestry(node)
                .into_iter()
                .map(|node| graph.nodes[node].test.as_str())
                .find(|test| !test.is_empty());
            found.extend(own.filter(|test| !found.contains(test)));
        }
        found
    }

    /// Returns the test files that reach the files, those with the most ways first.
    fn tests(&self, paths: &[&str]) -> Vec<String> {
        let snapshot = &self.reader.snapshot;
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        for path in paths {
            let Some(file) = snapshot.find_file(path) else { continue };
            for symbol in snapshot.symbols_of_file(file) {
                for (source, edge) in snapshot
                    .graph()
                    .incoming(symbol)
                    .take(500)
                    .filter(|(_, edge)| edge.kind() == EdgeKind::Tests)
                {
                    let _ = edge;
                    let other = snapshot.symbol(source).path();
                    if other != *path {
                        *files.entry(other).or_default() += 1;
                    }
                }
            }
        }
        let mut ordered: Vec<(&str, usize)> = files.into_iter().collect();
        ordered.sort_by_key(|&(path, count)| (std::cmp::Reverse(count), path));
        ordered.into_iter().take(EACH).map(|(path, _)| path.to_owned()).collect()
    }

    /// Returns the newest commits of the first files: short id and subject.
    fn commits(&self, paths: &[&str]) -> Vec<String> {
        let history = self.reader.history.view();
        let mut numbers: BTreeSet<u32> = BTreeSet::new();
        for file in paths.iter().take(TOLD).filter_map(|path| history.file(path)) {
            numbers.extend(history.file_commits(file).iter().take(3));
        }
        // Commits are numbered newest first.
        let newest = numbers.into_iter().take(3).filter_map(|number| history.commit(number));
        newest
            .map(|commit| {
                format!(
                    "{} {}",
                    commit.id().to_string().chars().take(9).collect::<String>(),
                    commit.subject()
                )
            })
            .collect()
    }
}

/// Returns what a rule says in words, else the key it is written with.
fn said(rule: &Declared) -> &str {
    if rule.description.is_empty() { rule.law.name() } else { &rule.description }
}
