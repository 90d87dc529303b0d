//! Documents against a revision instead of the baselines: what changed since, and was the document
//! touched with it.

use super::Knowledge;
use super::covers::covered_text;
use crate::engine::Engine;
use contextd_history::{CommitId, Range, Repository};
use contextd_knowledge::Covered;
use contextd_knowledge::sections::sections;
use contextd_knowledge::sync::{Pair, Recorded, State, Status, differences};
use contextd_knowledge::tokens::prose_hash;
use contextd_model::Problem;
use contextd_snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};

impl Engine {
    /// Returns the state of every document against a revision: stale where covered code changed since
    /// and the document did not.
    ///
    /// # Errors
    /// When there is no repository, or no such revision in it.
    pub fn sync_states_since(
        &self,
        snapshot: &Snapshot,
        knowledge: &Knowledge,
        revision: &str,
    ) -> Result<Vec<State>, Problem> {
        let repository = Repository::open(&self.places.root)?;
        let Some(commit) = repository.resolve(revision) else {
            return Err(Problem::error(
                "CTX_E_REVISION",
                format!("there is no revision `{revision}`"),
                "Name a commit, a branch or a tag.",
            ));
        };
        let (changes, problems) =
            repository.changed_files(&Range::WorkTree { base: revision.to_owned() });
        if let Some(problem) = problems.into_iter().next().filter(|_| changes.files.is_empty()) {
            return Err(problem);
        }
        let then = Then { engine: self, repository: &repository, commit };
        let changed: BTreeSet<&str> = changes.files.iter().map(|file| file.path.as_str()).collect();
        let gone: Vec<&str> = changes
            .files
            .iter()
            .filter(|file| file.new_path().is_none() || file.from.is_some())
            .filter_map(|file| file.old_path())
            .collect();
        let pairs = self.doc_pairs(snapshot, knowledge).pairs;
        let mut states: Vec<State> = pairs
            .iter()
            .map(|pair| then.state(knowledge, pair, &changed, &gone))
            .filter(|state| state.covers > 0 || !state.reasons.is_empty())
            .collect();
        states.sort_by(|a, b| (a.status, &a.key).cmp(&(b.status, &b.key)));
        Ok(states)
    }
}

struct Then<'a> {
    engine: &'a Engine,
    repository: &'a Repository,
    commit: CommitId,
}

impl Then<'_> {
    fn text(&self, path: &str) -> Option<String> {
        let bytes = self.repository.read(self.commit, path)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(self.engine.scrubber.scrub(&text, path).text.into_owned())
    }

    fn state(
        &self,
        knowledge: &Knowledge,
        pair: &Pair,
        changed: &BTreeSet<&str>,
        gone: &[&str],
    ) -> State {
        let recorded = self.recorded(knowledge, pair, changed, gone);
        let reasons = differences(pair, &recorded);
        let doc_changed = recorded.doc_hash != pair.doc_hash;
        let status = if reasons.is_empty() || doc_changed { Status::Fresh } else { Status::Stale };
        State {
            key: pair.key.clone(),
            status,
            reasons,
            doc_changed,
            covers: pair.covers.len(),
            line: pair.line,
        }
    }

    /// Returns what would have been recorded of the pair at the revision.
    fn recorded(
        &self,
        knowledge: &Knowledge,
        pair: &Pair,
        changed: &BTreeSet<&str>,
        gone: &[&str],
    ) -> Recorded {
        let now = pair.recorded();
        let mut covers: BTreeMap<String, BTreeMap<String, (String, String)>> = BTreeMap::new();
        for (path, symbols) in &now.covers {
            if !changed.contains(path.as_str()) {
                covers.insert(path.clone(), symbols.clone());
                continue;
            }
            let Some(text) = self.text(path) else { continue };
            // A pair may cover some definitions of a file only; whole files show what went too.
            let whole = !pair.key.ref_id.is_empty()
                && knowledge.annotated_refs().iter().all(|(_, annotated, _)| annotated != path);
            let old = covered_text(self.engine, path, &text)
                .into_iter()
                .filter(|own| whole || symbols.contains_key(&own.symbol));
            covers.insert(
                path.clone(),
                old.map(|own| (own.symbol, (own.interface, own.body))).collect(),
            );
        }
        let node = knowledge.graph.find(&pair.key.ref_id);
        for path in gone
            .iter()
            .filter(|path| node.is_some_and(|node| knowledge.nodes_of_file(path).contains(&node)))
        {
            if let Some(text) = self.text(path) {
                covers.insert(
                    (*path).to_owned(),
                    covered_text(self.engine, path, &text)
                        .into_iter()
                        .map(|own| (own.symbol, (own.interface, own.body)))
                        .collect(),
                );
            }
        }
        for path in gone.iter().chain(changed).filter(|_| !pair.missing.is_empty()) {
            for own in self.lost(path, &pair.missing) {
                covers
                    .entry((*path).to_owned())
                    .or_default()
                    .insert(own.symbol, (own.interface, own.body));
            }
        }
        Recorded { doc_hash: self.doc_hash(pair), covers }
    }

    /// Returns the definitions that a file had then under names that nothing has now.
    fn lost(&self, path: &str, missing: &[String]) -> Vec<Covered> {
        let meant = |name: &str, symbol: &str| {
            let (file, inner) = name
                .split_once("::")
                .filter(|(file, _)| file.contains(['.', '/']))
                .unwrap_or(("", name));
            let inner = inner.replace("::", ".");
            let own = symbol.split('+').next().unwrap_or(symbol);
            (file.is_empty() || file.trim_start_matches("./") == path)
                && (own == inner
                    || own.starts_with(&format!("{inner}."))
                    || own.ends_with(&format!(".{inner}")))
        };
        let whole = missing
            .iter()
            .any(|name| contextd_knowledge::globs::holds(name.trim_start_matches("./"), path));
        let Some(text) = self.text(path) else { return Vec::new() };
        covered_text(self.engine, path, &text)
            .into_iter()
            .filter(|own| whole || missing.iter().any(|name| meant(name, &own.symbol)))
            .collect()
    }

    fn doc_hash(&self, pair: &Pair) -> String {
        let Some(text) = self.text(&pair.key.doc) else { return String::new() };
        if pair.key.section.is_empty() {
            return prose_hash(&text);
        }
        sections(&text)
            .into_iter()
            .find(|section| section.heading == pair.key.section)
            .map_or(String::new(), |section| prose_hash(section.text))
    }
}
