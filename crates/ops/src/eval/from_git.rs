//! Tasks from the repository's own past: the last commits ask, the files and symbols they touched answer.

use super::bootstrap::{Estimate, estimate};
use super::table::{Row, Table};
use super::touched::{is_source, touched_symbols};
use contextd_engine::{Engine, Reader};
use contextd_history::{
    MAX_MINED_FILES, MAX_MINED_SOURCES, Mined, MinedTask, MiningRules, Repository, mine_tasks,
};
use contextd_retrieve::lexical::{self, Mode};
use contextd_retrieve::{Query, Sources, Weights, change, task, understand};
use rayon::prelude::*;
use serde_json::{Value, json};

/// Places of a list that count.
const TOP: usize = 10;

/// How well one way of ranking finds what the commits touched.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    pub name: &'static str,
    pub recall: Estimate,
    pub mrr: Estimate,
}

/// What an evaluation on the past found.
#[derive(Clone, Debug)]
pub struct PastReport {
    pub mined: Mined,
    /// Files: the ranking, the ranking without its history channel, plain text search.
    pub files: Vec<Way>,
    /// The ranking over plain text search, task by task.
    pub gain: Way,
    /// What the history channel adds, task by task.
    pub history_gain: Way,
    /// Symbols: the task ranking with and without history; empty where no touched symbol is left.
    pub symbols: Vec<Way>,
    /// Commits of which a touched symbol is still there.
    pub symbol_tasks: usize,
}

/// Ranks of one task: recall and reciprocal rank by way.
struct Scores {
    files: [(f64, f64); 3],
    symbols: Option<[(f64, f64); 2]>,
}

/// Turns the last `count` fitting commits into tasks.
pub fn mine(reader: &Reader, count: usize) -> Mined {
    let rules = MiningRules {
        max_sources: MAX_MINED_SOURCES,
        max_files: MAX_MINED_FILES,
        is_present: &|path| reader.snapshot.find_file(path).is_some(),
        is_test: &contextd_lang::paths::is_test,
        is_source: &is_source,
    };
    mine_tasks(reader.history.view(), count, &rules)
}

/// Evaluates on the last `count` fitting commits. Every answer sees only commits older than its own.
pub fn from_git(engine: &Engine, reader: &Reader, weights: &Weights, count: usize) -> PastReport {
    let mined = mine(reader, count);
    let root = engine.places.root.clone();
    let scores: Vec<Scores> = mined
        .tasks
        .par_iter()
        .map_init(
            || Repository::open(&root).ok(),
            |repository, task| score(reader, repository.as_ref(), weights, task),
        )
        .collect();
    let names = ["contextd", "without history", "plain text search"];
    let file =
        |way: usize| -> Vec<(f64, f64)> { scores.iter().map(|score| score.files[way]).collect() };
    let symbols: Vec<[(f64, f64); 2]> = scores.iter().filter_map(|score| score.symbols).collect();
    let less = |name, one: &[(f64, f64)], two: &[(f64, f64)]| {
        way(
            name,
            &one.iter()
                .zip(two)
                .map(|(one, two)| (one.0 - two.0, one.1 - two.1))
                .collect::<Vec<_>>(),
        )
    };
    PastReport {
        files: (0..3).map(|at| way(names[at], &file(at))).collect(),
        gain: less("over plain text search", &file(0), &file(2)),
        history_gain: less("gain of history", &file(0), &file(1)),
        symbols: if symbols.is_empty() {
            Vec::new()
        } else {
            (0..2)
                .map(|at| {
                    way(names[at], &symbols.iter().map(|score| score[at]).collect::<Vec<_>>())
                })
                .collect()
        },
        symbol_tasks: symbols.len(),
        mined,
    }
}

fn way(name: &'static str, scores: &[(f64, f64)]) -> Way {
    let column = |of: fn(&(f64, f64)) -> f64| estimate(&scores.iter().map(of).collect::<Vec<_>>());
    Way { name, recall: column(|score| score.0), mrr: column(|score| score.1) }
}

fn score(
    reader: &Reader,
    repository: Option<&Repository>,
    weights: &Weights,
    task: &MinedTask,
) -> Scores {
    let query = understand(&task.query);
    let seeing = reader.sources(Some(task.commit));
    let blind = Sources { commits: None, ..seeing };
    let wanted: Vec<u32> =
        task.files.iter().filter_map(|path| reader.snapshot.find_file(path)).collect();
    let files = |sources: &Sources<'_>| judge(&wanted, &changed(sources, &query, weights));
    let symbols = repository
        .map(|repository| touched_symbols(reader, repository, task))
        .filter(|symbols| !symbols.is_empty());
    let ranked = |sources: &Sources<'_>, wanted: &[u32]| {
        judge(
            wanted,
            &task::rank(sources, &query, weights).iter().map(|hit| hit.symbol).collect::<Vec<_>>(),
        )
    };
    Scores {
        files: [files(&seeing), files(&blind), judge(&wanted, &plain(&seeing, &query))],
        symbols: symbols.map(|wanted| [ranked(&seeing, &wanted), ranked(&blind, &wanted)]),
    }
}

/// Files by the ranking for a change.
fn changed(sources: &Sources<'_>, query: &Query, weights: &Weights) -> Vec<u32> {
    let table =
        if sources.commits.is_some() { &weights.change } else { &weights.change_without_history };
    change::rank(sources, query, table, usize::MAX).iter().map(|row| row.file).collect()
}

/// Plain text search: BM25 (k1 1.2, b .75) over whole files with the same split and stemmed words, among
/// the same source files.
fn plain(sources: &Sources<'_>, query: &Query) -> Vec<u32> {
    let lexical =
        lexical::score(sources.snapshot, sources.catalog, query, Mode::Task, sources.parameters);
    let scores = &lexical.files;
    let mut found: Vec<(u32, f32)> = (0..sources.snapshot.file_count())
        .map(|file| (file, scores[file as usize]))
        .filter(|&(file, score)| score > 0.0 && change::is_candidate(sources, file))
        .collect();
    found.sort_by(|a, b| {
        b.1.total_cmp(&a.1)
            .then_with(|| sources.snapshot.file(a.0).path().cmp(sources.snapshot.file(b.0).path()))
    });
    found.into_iter().map(|(file, _)| file).collect()
}

/// Returns the share of what is wanted in the top ten, and the reciprocal rank of the first.
fn judge(wanted: &[u32], ranked: &[u32]) -> (f64, f64) {
    let found =
        wanted.iter().filter(|item| ranked.iter().take(TOP).any(|other| other == *item)).count();
    let first = ranked.iter().position(|item| wanted.contains(item));
    (found as f64 / wanted.len().max(1) as f64, first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64))
}

/// Returns the signals of every candidate file of every task, for fitting weights.
pub fn change_signals(reader: &Reader, mined: &Mined) -> Vec<Value> {
    let line = |task: &MinedTask| {
        let rows = change::candidates(&reader.sources(Some(task.commit)), &understand(&task.query));
        let files: Vec<Value> = rows
            .iter()
            .map(|(file, values)| {
                json!([
                    u8::from(
                        task.files.iter().any(|path| path == reader.snapshot.file(*file).path())
                    ),
                    values
                ])
            })
            .collect();
        json!({"id": task.id.to_string(), "wanted": task.files.len(), "names": change::NAMES, "files": files})
    };
    mined.tasks.par_iter().map(line).collect()
}

/// Returns the means of several repositories, and over them.
pub fn past_table(reports: &[(String, PastReport)]) -> Table {
    let heads = [
        "R@10",
        "MRR",
        "R no history",
        "MRR no history",
        "R plain",
        "MRR plain",
        "R symbols",
        "MRR symbols",
        "R symbols no history",
        "MRR symbols no history",
    ];
    let values = |report: &PastReport| -> Vec<Option<f64>> {
        let ways = report.files.iter().chain(&report.symbols);
        ways.flat_map(|way| [Some(way.recall.mean), Some(way.mrr.mean)]).collect()
    };
    let mut rows: Vec<Row> = reports
        .iter()
        .map(|(name, report)| Row {
            name: name.clone(),
            tasks: report.mined.tasks.len(),
            values: values(report),
        })
        .collect();
    let mean = |at: usize| {
        let column: Vec<f64> =
            rows.iter().filter_map(|row| row.values.get(at).copied().flatten()).collect();
        (!column.is_empty()).then(|| column.iter().sum::<f64>() / column.len() as f64)
    };
    let overall = Row {
        name: "mean".to_owned(),
        tasks: rows.iter().map(|row| row.tasks).sum(),
        values: (0..heads.len()).map(mean).collect(),
    };
    rows.push(overall);
    Table {
        by: "repository".to_owned(),
        heads: heads.iter().map(|head| (*head).to_owned()).collect(),
        rows,
    }
}

impl PastReport {
    /// Writes the figures for people.
    pub fn text(&self) -> String {
        let aside = &self.mined.set_aside;
        let mut lines = vec![
            format!(
                "{} commits of {} looked at became tasks; history at and after each is hidden from its answer.",
                self.mined.tasks.len(),
                self.mined.looked_at
            ),
            format!(
                "Set aside: {} merges, {} by machines, {} too large, {} with vanished files only, {} without source files, {} without words, {} unreadable; {} vanished files of kept commits.",
                aside.merges,
                aside.bots,
                aside.large,
                aside.vanished,
                aside.no_source,
                aside.silent,
                aside.unknown,
                aside.vanished_files
            ),
            String::new(),
            format!("{:<26}{:>28}{:>28}", "files", "recall@10 [95 %]", "MRR [95 %]"),
        ];
        lines.extend(self.files.iter().chain([&self.gain, &self.history_gain]).map(row));
        if !self.symbols.is_empty() {
            lines.push(String::new());
            lines.push(format!(
                "{:<26}{:>28}{:>28}",
                format!("symbols ({} commits)", self.symbol_tasks),
                "recall@10 [95 %]",
                "MRR [95 %]"
            ));
            lines.extend(self.symbols.iter().map(row));
        }
        lines.push(String::new());
        lines.push("Plain text search is BM25 over whole source files with the same words. Intervals: 2,000 bootstrap draws, fixed seed.".to_owned());
        lines.join("\n")
    }

    /// Returns the figures for programs.
    pub fn json(&self) -> Value {
        let aside = &self.mined.set_aside;
        let ways = |ways: &[Way]| {
            Value::Object(
                ways.iter().map(|way| (way.name.replace(' ', "_"), way_json(way))).collect(),
            )
        };
        json!({
            "tasks": self.mined.tasks.len(), "lookedAt": self.mined.looked_at,
            "setAside": {"merges": aside.merges, "bots": aside.bots, "large": aside.large, "vanished": aside.vanished, "noSource": aside.no_source, "silent": aside.silent, "unknown": aside.unknown, "vanishedFiles": aside.vanished_files},
            "files": ways(&self.files), "overPlainTextSearch": way_json(&self.gain), "historyGain": way_json(&self.history_gain),
            "symbolTasks": self.symbol_tasks, "symbols": ways(&self.symbols),
        })
    }
}

fn row(way: &Way) -> String {
    let cell = |estimate: Estimate| {
        format!("{:.3} [{:.3}, {:.3}]", estimate.mean, estimate.low, estimate.high)
    };
    format!("{:<26}{:>28}{:>28}", way.name, cell(way.recall), cell(way.mrr))
}

fn way_json(way: &Way) -> Value {
    let estimate = |estimate: Estimate| json!({"mean": estimate.mean, "low": estimate.low, "high": estimate.high});
    json!({"recall@10": estimate(way.recall), "MRR": estimate(way.mrr)})
}
