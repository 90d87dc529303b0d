//! What a question about recent changes means: files, a symbol, and the commits that touched them.

use crate::context::Context;
use contextd_engine::Reader;
use contextd_pack::resolve;
use contextd_retrieve::{Weights, search, understand};

/// Files that words may mean.
const FILES: usize = 8;
/// Share of the best file's score that a file needs to be meant as well.
const MEANT: f32 = 0.5;
/// Share of the best message's score from which on a commit is about the words.
const SAID: f32 = 0.6;

/// What is meant.
#[derive(Debug, Default)]
pub struct About {
    /// Newest first.
    pub commits: Vec<u32>,
    /// Numbers of files in the history, rising; `None` for all.
    pub files: Option<Vec<u32>>,
    pub symbol: Option<u32>,
}

/// Finds what a topic means: everything, a file or folder, a symbol, or what words lead to.
pub fn about(context: &Context, reader: &Reader, topic: &str, most: usize) -> About {
    let history = reader.history.view();
    let plain = crate::packs::relative(context, topic);
    if plain.is_empty() || plain == "." {
        let commits =
            history.commits().filter(|commit| !commit.is_merge() && !commit.touches().is_empty());
        return About {
            commits: commits.map(|commit| commit.number).take(most).collect(),
            ..About::default()
        };
    }
    let folder = format!("{}/", plain.trim_end_matches('/'));
    let below: Vec<u32> = (0..history.file_count() as u32)
        .filter(|&file| history.path(file) == plain || history.path(file).starts_with(&folder))
        .collect();
    if !below.is_empty() {
        return of_files(reader, below, Vec::new(), most);
    }
    // A plain word means a subject, even where something happens to be called so.
    let is_name = !topic.contains(char::is_whitespace)
        && topic.contains(|letter: char| "._:#(".contains(letter) || letter.is_uppercase());
    if let Some(symbol) = is_name
        .then(|| resolve::symbols(&reader.snapshot, topic).ok())
        .flatten()
        .and_then(|found| found.first().copied())
    {
        let commits = context.engine.commits_of_symbol(reader, symbol, most);
        if !commits.is_empty() {
            let file = history.file(reader.snapshot.symbol(symbol).path());
            return About { commits, files: file.map(|file| vec![file]), symbol: Some(symbol) };
        }
    }
    of_words(reader, topic, most)
}

/// Files that the ranking for questions finds, and commits whose messages say the words.
fn of_words(reader: &Reader, topic: &str, most: usize) -> About {
    let query = understand(topic);
    let Some(weights) = Weights::profile("recall").filter(|_| !query.is_empty) else {
        return About::default();
    };
    let ranked = search::scores(&reader.sources(None), &query, &weights.search, FILES);
    let best = ranked.first().map_or(0.0, |row| row.score);
    let history = reader.history.view();
    let meant = ranked
        .iter()
        .filter(|row| row.score >= MEANT * best)
        .filter_map(|row| history.file(reader.snapshot.file(row.file).path()));
    let mut files: Vec<u32> = meant.collect();
    let said = reader.commits.best(&query, None);
    let loudest = said.first().map_or(0.0, |(_, score)| *score);
    let commits: Vec<u32> = said
        .into_iter()
        .filter(|(_, score)| *score >= SAID * loudest)
        .map(|(commit, _)| commit)
        .collect();
    files.sort_unstable();
    of_files(reader, files, commits, most)
}

/// Commits that touched one of the files, or that are named already; newest first.
fn of_files(reader: &Reader, files: Vec<u32>, named: Vec<u32>, most: usize) -> About {
    let history = reader.history.view();
    let mut commits: Vec<u32> = files
        .iter()
        .flat_map(|&file| history.file_commits(file).iter().copied().take(most))
        .chain(named.iter().copied())
        .collect();
    commits.sort_unstable();
    commits.dedup();
    commits.truncate(most);
    // What a message names may lie in other files than the words lead to.
    let said = commits
        .iter()
        .filter(|commit| named.contains(commit))
        .filter_map(|&commit| history.commit(commit));
    let mut files: Vec<u32> = said
        .flat_map(|commit| commit.touches().iter().map(|touch| touch.file))
        .chain(files)
        .collect();
    files.sort_unstable();
    files.dedup();
    About { commits, files: Some(files), symbol: None }
}
