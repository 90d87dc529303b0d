//! Ranking for a change: which source files the described work will touch.
//!
//! Where `search` asks which files explain something, this asks which are edited: what similar commits
//! touched, what changed together with it, and what is being worked on count beside the words.

use crate::catalog::flag;
use crate::commits::Commits;
use crate::lexical::{self, Lexical, Mode};
use crate::search::{self, SearchWeights, Stems};
use crate::task::{Sources, top};
use crate::understand::Query;
use contextd_lang::LanguageId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Names of the signals, in the order of [`ChangeSignals`].
pub const NAMES: [&str; COUNT] = ["symbols", "blocks", "definition", "stem", "git", "git_best", "git_doc", "together", "activity", "recent", "latest", "declares", "filebody", "filesum", "lines", "aside", "foreign"];

/// Number of signals.
pub const COUNT: usize = 17;

/// Values of one file.
pub type ChangeSignals = [f32; COUNT];

/// Signals that are divided by their greatest value among the files.
const SCALED: [usize; 8] = [0, 1, 4, 6, 7, 12, 13, 5];

/// One ranked file with everything that was added up.
#[derive(Clone, Debug)]
pub struct RankedChange {
    pub file: u32,
    pub score: f32,
    pub signals: ChangeSignals,
}

/// Ranks source files for a change, best first. Tests are left out: they follow the code they test.
pub fn rank(sources: &Sources<'_>, query: &Query, weights: &BTreeMap<String, f32>, limit: usize) -> Vec<RankedChange> {
    let weights: ChangeSignals = NAMES.map(|name| weights.get(name).copied().unwrap_or(0.0));
    let mut ranked: Vec<RankedChange> = candidates(sources, query)
        .into_iter()
        .map(|(file, signals)| RankedChange { file, score: signals.iter().zip(weights).map(|(value, weight)| value * weight).sum(), signals })
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| sources.snapshot.file(a.file).path().cmp(sources.snapshot.file(b.file).path())));
    ranked.truncate(limit);
    ranked
}

/// Returns every source file that any signal speaks for, with its signals, in the order of files.
pub fn candidates(sources: &Sources<'_>, query: &Query) -> Vec<(u32, ChangeSignals)> {
    let Sources { snapshot, catalog, .. } = *sources;
    let files = snapshot.file_count() as usize;
    let wide = lexical::score(snapshot, catalog, query, Mode::Task);
    let first = search::rank(sources, query, &SearchWeights::default(), files);
    let by_file: FxHashMap<u32, &search::RankedFile> = first.iter().map(|row| (row.file, row)).collect();
    let filesum = filesum(sources, query, &wide);
    let past = Past::of(sources, query, &first);
    let stems = Stems::new(query);
    let mut rows: Vec<(u32, ChangeSignals)> = Vec::new();
    for file in (0..snapshot.file_count()).filter(|&file| is_candidate(sources, file)) {
        let at = file as usize;
        let row = by_file.get(&file);
        let value = |of: fn(&search::RankedFile) -> f32| row.map_or(0.0, |row| of(row));
        let past = past.of_file(at);
        if row.is_none() && wide.files[at] <= 0.0 && past.iter().take(4).all(|&value| value <= 0.0) {
            continue;
        }
        let flags = catalog.file_flags[at];
        let bit = |bit: u8| f32::from(u8::from(flags & bit != 0));
        let path = snapshot.file(file);
        rows.push((
            file,
            [
                value(|row| row.symbols), value(|row| row.blocks), value(|row| row.definition), stems.coverage(path.path()),
                past[0], past[1], past[2], past[3], past[4], past[5], past[6],
                catalog.declares[at], wide.files[at], filesum[at], (1.0 + path.lines() as f32).ln(), bit(flag::ASIDE), bit(flag::FOREIGN),
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

fn filesum(sources: &Sources<'_>, query: &Query, wide: &Lexical) -> Vec<f32> {
    let mut sums = vec![0f32; sources.snapshot.file_count() as usize];
    for (symbol, &score) in wide.symbols.iter().enumerate() {
        if score > 0.0 && sources.catalog.flags[symbol] & flag::CODE != 0 {
            sums[sources.catalog.file[symbol] as usize] += (score * sources.parameters.prior(sources.catalog.flags[symbol], query.about_tests)).powi(3);
        }
    }
    sums.iter_mut().for_each(|sum| *sum = sum.cbrt());
    sums
}

/// What history says of each file.
#[derive(Default)]
struct Past {
    git: FxHashMap<u32, f32>,
    best: FxHashMap<u32, f32>,
    doc: Vec<f32>,
    together: Vec<f32>,
    activity: Vec<f32>,
    recent: Vec<f32>,
    latest: Vec<f32>,
}

/// Files from whose company others are known.
const COMPANY: usize = 5;

impl Past {
    fn of(sources: &Sources<'_>, query: &Query, first: &[search::RankedFile]) -> Past {
        let Some(commits) = sources.commits else { return Past::default() };
        let files = sources.snapshot.file_count() as usize;
        let hidden = sources.hidden;
        let best = commits.best(query, hidden);
        let leading: Vec<(u32, f32)> = top(first.iter().filter(|row| is_candidate(sources, row.file)).map(|row| (row.file, row.score)).collect(), COMPANY);
        Past {
            git: commits.files(query, hidden).into_iter().collect(),
            best: best_commit(commits, &best),
            doc: commits.file_documents(query, files, hidden),
            together: commits.together(&leading, files, hidden),
            activity: commits.activity(files, hidden, 1_000.0),
            recent: commits.activity(files, hidden, 60.0),
            latest: commits.activity(files, hidden, 6.0),
        }
    }

    fn of_file(&self, file: usize) -> [f32; 7] {
        let number = file as u32;
        let map = |map: &FxHashMap<u32, f32>| map.get(&number).copied().unwrap_or(0.0);
        let list = |list: &[f32]| list.get(file).copied().unwrap_or(0.0);
        [map(&self.git), map(&self.best), list(&self.doc), list(&self.together), list(&self.activity), list(&self.recent), list(&self.latest)]
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
