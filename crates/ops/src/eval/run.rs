//! Answering tasks and measuring the answers.

use super::metrics::{Measures, measure};
use super::places::{EvalRanking, Place, places};
use super::table::{Row, Table};
use super::tasks::EvalTask;
use contextd_engine::Reader;
use contextd_retrieve::{Sources, Weights, understand_with};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// How tasks are answered.
#[derive(Clone, Debug)]
pub struct EvalOptions {
    pub ranking: EvalRanking,
    pub weights: Weights,
    /// Results a task.
    pub k: usize,
    /// False where the history channel is left out.
    pub history: bool,
}

/// One answered task.
#[derive(Clone, Debug)]
pub struct Answered {
    pub task: EvalTask,
    pub places: Vec<Place>,
    pub latency_ms: f64,
    /// Measures, where the truth is known.
    pub measures: Option<Measures>,
}

impl Answered {
    /// Returns the line that an independent scorer reads.
    pub fn line(&self) -> Value {
        json!({"task_id": self.task.id, "results": self.places, "latency_ms": self.latency_ms})
    }
}

/// Answers tasks one after the other, so that times are those of a single request.
pub fn answer_tasks(reader: &Reader, tasks: Vec<EvalTask>, options: &EvalOptions) -> Vec<Answered> {
    let sources = reader.sources(None);
    let sources = Sources { commits: sources.commits.filter(|_| options.history), ..sources };
    let answer = |task: EvalTask| {
        let start = Instant::now();
        let places = places(
            reader,
            &sources,
            &understand_with(&task.query, &task.names),
            &options.weights,
            options.ranking,
            options.k,
        );
        let latency_ms = start.elapsed().as_secs_f64() * 1e3;
        let measures =
            task.truth.as_ref().map(|truth| measure(&below(&places, task.root()), truth));
        Answered { task, places, latency_ms, measures }
    };
    tasks.into_iter().map(answer).collect()
}

/// Puts the folder that was indexed in front of the paths, as the truth has it.
pub(super) fn below(places: &[Place], root: &str) -> Vec<Place> {
    let prefixed = |place: &Place| Place {
        file: if root.is_empty() {
            place.file.clone()
        } else {
            format!("{}/{}", root.trim_end_matches('/'), place.file)
        },
        ..place.clone()
    };
    places.iter().map(prefixed).collect()
}

/// Returns the measures by a field of the tasks, and over all; `None` when no truth is known.
pub fn measured(answered: &[Answered], by: &str) -> Option<Table> {
    let mut groups: BTreeMap<String, Vec<&Answered>> = BTreeMap::new();
    for one in answered.iter().filter(|one| one.measures.is_some()) {
        let group = &one.task.fields[by];
        groups
            .entry(group.as_str().map_or_else(|| group.to_string(), str::to_owned))
            .or_default()
            .push(one);
    }
    let all: Vec<&Answered> = answered.iter().filter(|one| one.measures.is_some()).collect();
    if all.is_empty() {
        return None;
    }
    // A field that no task has makes no groups.
    groups.remove("null");
    let mut rows: Vec<Row> = groups.into_iter().map(|(name, group)| row(name, &group)).collect();
    rows.push(row("overall".to_owned(), &all));
    let heads = Measures::NAMES
        .iter()
        .chain(&["p50_ms", "p95_ms"])
        .map(|head| (*head).to_owned())
        .collect();
    Some(Table { by: by.to_owned(), heads, rows })
}

fn row(name: String, group: &[&Answered]) -> Row {
    let measures: Vec<Measures> = group.iter().filter_map(|one| one.measures).collect();
    let mut times: Vec<f64> = group.iter().map(|one| one.latency_ms).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| {
        times
            .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
            .copied()
    };
    let values = Measures::mean(&measures)
        .values()
        .into_iter()
        .map(Some)
        .chain([at(0.5), at(0.95)])
        .collect();
    Row { name, tasks: group.len(), values }
}
