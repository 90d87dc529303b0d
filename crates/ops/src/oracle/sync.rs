//! `sync_check`, `sync_update`: whether documents still agree with the code, and saying that they do.

use super::Oracle;
use super::inputs::{SyncInput, SyncUpdateInput};
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_knowledge::sync::{Key, State, Status, compare};
use contextd_model::Problem;
use schemars::JsonSchema;
use serde::Serialize;

/// The state of documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SyncReport {
    /// What was compared with: `lock`, `none`, or a revision.
    pub baseline: String,
    pub summary: SyncSummary,
    pub pairs: Vec<SyncEntry>,
    /// What documents name and nothing has: `path:line name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncSummary {
    pub ok: u32,
    pub stale: u32,
    /// Nothing is recorded, so nothing can be said.
    pub unknown: u32,
    pub updated: u32,
}

/// One document, or a section of it, against its code.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SyncEntry {
    pub doc_path: String,
    pub section: String,
    pub ref_id: String,
    /// `ok`, `stale` or `unknown`.
    pub status: String,
    /// The first reason; `ok` without one.
    pub reason: String,
    pub reasons: Vec<SyncReason>,
    /// The document was edited since, too.
    pub doc_changed: bool,
    /// Definitions that it covers.
    pub covers: usize,
    /// Line at which the section begins; 1 for a whole document.
    pub line: u32,
}

/// Why, and what it is about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SyncReason {
    pub reason: String,
    pub details: Vec<String>,
}

pub fn sync_check(context: &Context, input: SyncInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let engine = &context.engine;
    let knowledge = engine.knowledge(&reader);
    refuse(knowledge.problems.iter())?;
    let mut pairs = engine.doc_pairs(&reader.snapshot, &knowledge);
    let (states, baseline) =
        match input.since.as_deref().map(str::trim).filter(|since| !since.is_empty()) {
            Some(revision) => (
                engine
                    .sync_states_since(&reader.snapshot, &knowledge, revision)
                    .map_err(problem)?,
                revision.to_owned(),
            ),
            None => {
                let (lock, problems) = engine.sync_lock();
                refuse(problems.iter())?;
                let lost = lock
                    .as_ref()
                    .map(|lock| engine.lost_pairs(&reader.snapshot, lock, &pairs.pairs));
                pairs.pairs.extend(lost.unwrap_or_default());
                (
                    compare(&pairs.pairs, lock.as_ref()),
                    if lock.is_some() { "lock" } else { "none" }.to_owned(),
                )
            }
        };
    known(&input.refs, pairs.pairs.iter().map(|pair| &pair.key))?;
    let states: Vec<&State> = states
        .iter()
        .filter(|state| {
            input.refs.is_empty() || input.refs.iter().any(|name| is_meant(name, &state.key))
        })
        .collect();
    let mut report = report(&states, baseline);
    report.unknown =
        pairs.unknown.iter().map(|(path, line, name)| format!("{path}:{line} {name}")).collect();
    if report.pairs.is_empty() {
        report.note = "No document is joined to code: give a node `source` and `docs`, or write <!-- contextd:covers=… --> into a document.".to_owned();
    } else if report.baseline == "none" {
        report.note = "Nothing is recorded yet: `contextd docs update --all` writes .contextd/sync.lock, which is to be committed.".to_owned();
    }
    Ok(Answer::Oracle(Box::new(Oracle::Sync(report))))
}

pub fn sync_update(context: &Context, input: SyncUpdateInput) -> Result<Answer, OpError> {
    if input.refs.is_empty() && !input.all {
        return Err(OpError::request(
            "nothing is named",
            "Name refs or documents that agree with the code again, or say --all.",
        ));
    }
    let reader = context.reader()?;
    let engine = &context.engine;
    let knowledge = engine.knowledge(&reader);
    refuse(knowledge.problems.iter())?;
    let mut pairs = engine.doc_pairs(&reader.snapshot, &knowledge).pairs;
    let (lock, problems) = engine.sync_lock();
    let joined = pairs.len();
    pairs.extend(
        lock.as_ref()
            .map(|lock| engine.lost_pairs(&reader.snapshot, lock, &pairs))
            .unwrap_or_default(),
    );
    if !input.all {
        known(&input.refs, pairs.iter().map(|pair| &pair.key))?;
    }
    // Writing everything anew is the way out of a broken lock.
    if !input.all {
        refuse(problems.iter())?;
    }
    let mut lock = lock.unwrap_or_default();
    let is_chosen = |key: &Key| input.all || input.refs.iter().any(|name| is_meant(name, key));
    let chosen: Vec<_> = pairs[..joined].iter().filter(|pair| is_chosen(&pair.key)).collect();
    // What lost its code stays recorded until somebody says that its document agrees.
    let exists = |key: &Key| {
        pairs[..joined].iter().any(|pair| pair.key == *key)
            || !is_chosen(key) && pairs[joined..].iter().any(|pair| pair.key == *key)
    };
    lock.update(chosen.iter().copied(), exists);
    pairs.retain(|pair| {
        lock.pairs.contains_key(&pair.key) || !pair.covers.is_empty() && !is_chosen(&pair.key)
    });
    let chosen = pairs.iter().filter(|pair| is_chosen(&pair.key)).count();
    engine.write_sync_lock(&lock)?;
    let states = compare(&pairs, Some(&lock));
    let mut report = report(&states.iter().collect::<Vec<_>>(), "lock".to_owned());
    report.summary.updated = chosen as u32;
    Ok(Answer::Oracle(Box::new(Oracle::Sync(report))))
}

/// A broken declaration makes the answer unsure, and a check must not pass by being unsure.
fn refuse<'p>(mut problems: impl Iterator<Item = &'p Problem>) -> Result<(), OpError> {
    match problems.find(|own| own.severity == contextd_model::Severity::Error) {
        Some(own) => Err(problem(own.clone())),
        None => Ok(()),
    }
}

fn problem(problem: Problem) -> OpError {
    OpError { code: problem.code, message: problem.to_string(), remedy: problem.remedy }
}

fn known<'k>(names: &[String], keys: impl Iterator<Item = &'k Key> + Clone) -> Result<(), OpError> {
    for name in names {
        if keys.clone().any(|key| is_meant(name, key)) {
            continue;
        }
        let near = contextd_knowledge::suggest(
            keys.clone()
                .flat_map(|key| [key.ref_id.as_str(), key.doc.as_str()])
                .filter(|name| !name.is_empty()),
            name,
        );
        let remedy = if near.is_empty() {
            "`contextd docs check` lists what is covered.".to_owned()
        } else {
            format!("Did you mean: {}?", near.join(", "))
        };
        return Err(OpError::not_found(
            format!("`{name}` is neither a ref with documents nor a document that covers code"),
            remedy,
        ));
    }
    Ok(())
}

fn is_meant(name: &str, key: &Key) -> bool {
    let name = name.trim_start_matches("./");
    name == key.ref_id
        || name == key.doc
        || name.split_once('#') == Some((key.doc.as_str(), key.section.as_str()))
}

fn report(states: &[&State], baseline: String) -> SyncReport {
    let count =
        |status: Status| states.iter().filter(|state| state.status == status).count() as u32;
    let summary = SyncSummary {
        ok: count(Status::Fresh),
        stale: count(Status::Stale),
        unknown: count(Status::Unknown),
        updated: 0,
    };
    let pairs = states
        .iter()
        .map(|state| SyncEntry {
            doc_path: state.key.doc.clone(),
            section: state.key.section.clone(),
            ref_id: state.key.ref_id.clone(),
            status: state.status.name().to_owned(),
            reason: state.reasons.first().map_or("ok", |(reason, _)| reason.name()).to_owned(),
            reasons: state
                .reasons
                .iter()
                .map(|(reason, details)| SyncReason {
                    reason: reason.name().to_owned(),
                    details: details.clone(),
                })
                .collect(),
            doc_changed: state.doc_changed,
            covers: state.covers,
            line: state.line,
        })
        .collect();
    SyncReport { baseline, summary, pairs, ..SyncReport::default() }
}
