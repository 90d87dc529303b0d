//! Ranking for a change: which source files the described work will touch.
//!
//! Where `search` asks which files explain something, this asks which are edited: what similar commits
//! touched and what is being worked on count beside the words.

use crate::catalog::flag;
use crate::commits::Commits;
use crate::lexical::{self, Mode};
use crate::search::{self, SearchWeights, Stems};
use crate::task::Sources;
use crate::understand::Query;
use contextd_lang::LanguageId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Names of the signals, in the order of [`ChangeSignals`].
pub const NAMES: [&str; COUNT] = [
    "blocks",
    "definition",
    "stem",
    "git",
    "git_best",
    "git_doc",
    "activity",
    "recent",
    "latest",
    "filebody",
    "aside",
    "foreign",
];

/// Number of signals.
pub const COUNT: usize = 12;

/// Values of one file.
pub type ChangeSignals = [f32; COUNT];

/// Signals that are divided by their greatest value among the files.
const SCALED: [usize; 5] = [0, 3, 4, 5, 9];

/// One ranked file with everything that was added up.
#[derive(Clone, Debug)]
pub struct RankedChange {
    pub file: u32,
    pub score: f32,
    pub signals: ChangeSignals,
}

/// Ranks source files for a change, best first. Tests are left out: they follow the code they test.
pub fn rank(
    sources: &Sources<'_>,
    query: &Query,
    weights: &BTreeMap<String, f32>,
    limit: usize,
) -> Vec<RankedChange> {
    let weights: ChangeSignals = NAMES.map(|name| weights.get(name).copied().unwrap_or(0.0));
    let mut ranked: Vec<RankedChange> = candidates(sources, query)
        .into_iter()
        .map(|(file, signals)| RankedChange {
            file,
            score: signals.iter().zip(weights).map(|(value, weight)| value * weight).sum(),
            signals,
        })
        .collect();
    ranked.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| {
            sources.snapshot.file(a.file).path().cmp(sources.snapshot.file(b.file).path())
        })
    });
    ranked.truncate(limit);
    ranked
}

/// Returns every source file that any signal speaks for, with its signals, in the order of files.
pub fn candidates(sources: &Sources<'_>, query: &Query) -> Vec<(u32, ChangeSignals)> {
    let Sources { snapshot, catalog, .. } = *sources;
    let files = snapshot.file_count() as usize;
    let lexical = lexical::score(
        snapshot,
        catalog,
        query,
        Mode::Task,
        &crate::parameters::Parameters::DEFAULT,
    );
    let bodies = &lexical.files;
    let found = search::scores(sources, query, &SearchWeights::default(), files);
    let by_file: FxHashMap<u32, &search::RankedFile> =
        found.iter().map(|row| (row.file, row)).collect();
    let past = Past::of(sources, query);
    let stems = Stems::new(query);
    let mut rows: Vec<(u32, ChangeSignals)> = Vec::new();
    for file in (0..snapshot.file_count()).filter(|&file| is_candidate(sources, file)) {
        let at = file as usize;
        let (blocks, definition) =
            by_file.get(&file).map_or((0.0, 0.0), |row| (row.blocks, row.definition));
        let [git, best, doc, activity, recent, latest] = past.of_file(at);
        if blocks + definition + bodies[at] + git + best + doc <= 0.0 {
            continue;
        }
        let bit = |bit: u8| f32::from(u8::from(catalog.file_flags[at] & bit != 0));
        rows.push((
            file,
            [
                blocks,
                definition,
                stems.coverage(snapshot.file(file).path()),
                git,
                best,
                doc,
                activity,
                recent,
                latest,
                bodies[at],
                bit(flag::ASIDE),
                bit(flag::FOREIGN),
            ],
        ));
    }
    for signal in SCALED {
        let max = rows.iter().map(|(_, signals)| signals[signal]).fold(0.0, f32::max);
        if max > 0.0 {
            rows.iter_mut().for_each(|(_, signals)| signals[signal] /= max);
        }
    }
    rows
}

/// True for program code outside tests.
pub fn is_candidate(sources: &Sources<'_>, file: u32) -> bool {
    let language = LanguageId(sources.snapshot.file(file).language());
    let is_test = sources.catalog.file_flags[file as usize] & flag::TEST != 0;
    is_program(language) && !is_test
}

/// True for languages that programs are written in.
pub fn is_program(language: LanguageId) -> bool {
    language.get().full || matches!(language.name(), "bash" | "lua" | "elixir" | "haskell" | "zig")
}

/// What history says of each file.
#[derive(Default)]
struct Past {
    git: FxHashMap<u32, f32>,
    best: FxHashMap<u32, f32>,
    doc: Vec<f32>,
    activity: Vec<f32>,
    recent: Vec<f32>,
    latest: Vec<f32>,
}

impl Past {
    fn of(sources: &Sources<'_>, query: &Query) -> Past {
        let Some(commits) = sources.commits else { return Past::default() };
        let (files, hidden) = (sources.snapshot.file_count() as usize, sources.hidden);
        Past {
            git: commits.files(query, hidden).into_iter().collect(),
            best: best_commit(commits, &commits.best(query, hidden)),
            doc: commits.file_documents(query, files, hidden),
            activity: commits.activity(files, hidden, 1_000.0),
            recent: commits.activity(files, hidden, 60.0),
            latest: commits.activity(files, hidden, 6.0),
        }
    }

    fn of_file(&self, file: usize) -> [f32; 6] {
        let number = file as u32;
        let map = |map: &FxHashMap<u32, f32>| map.get(&number).copied().unwrap_or(0.0);
        let list = |list: &[f32]| list.get(file).copied().unwrap_or(0.0);
        [
            map(&self.git),
            map(&self.best),
            list(&self.doc),
            list(&self.activity),
            list(&self.recent),
            list(&self.latest),
        ]
    }
}

fn best_commit(commits: &Commits, best: &[(u32, f32)]) -> FxHashMap<u32, f32> {
    let mut found: FxHashMap<u32, f32> = FxHashMap::default();
    for &(commit, score) in best {
        for &file in commits.touched(commit) {
            let value = found.entry(file).or_default();
            *value = value.max(score);
        }
    }
    found
}
