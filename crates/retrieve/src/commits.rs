//! Commit messages as a bridge: words of a request → commits that said them → files they touched.

use crate::commit_words::{CommitWords, tells};
use crate::understand::Query;
use contextd_history::HistoryView;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Commits whose files are counted for one request.
const TOP_COMMITS: usize = 60;
const K1: f32 = 1.2;
const B: f32 = 0.6;

/// Full text of commit messages with the files they touched, in the snapshot's numbers.
#[derive(Default)]
pub struct Commits {
    words: Arc<CommitWords>,
    /// Words by commit; 0 where nothing that it touched is in the snapshot.
    lengths: Vec<u32>,
    /// Where the files of each commit end in `files`.
    ends: Vec<u32>,
    /// Files by commit, in the snapshot's numbers.
    files: Vec<u32>,
    average: f32,
    documents: u32,
}

impl Commits {
    /// Joins the messages of a history with a snapshot. Commit numbers stay those of the history, newest first.
    pub fn of(history: &HistoryView<'_>, words: Arc<CommitWords>, snapshot: &Snapshot) -> Commits {
        let numbers: Vec<Option<u32>> = (0..history.file_count() as u32)
            .map(|file| snapshot.find_file(history.path(file)))
            .collect();
        let mut commits = Commits::default();
        for commit in history.commits() {
            let before = commits.files.len();
            if tells(&commit) {
                commits.files.extend(
                    commit
                        .touches()
                        .iter()
                        .filter_map(|touch| numbers.get(touch.file as usize).copied().flatten()),
                );
            }
            commits.lengths.push(if commits.files.len() > before {
                words.length(commit.number)
            } else {
                0
            });
            commits.ends.push(commits.files.len() as u32);
        }
        commits.documents = commits.lengths.iter().filter(|&&length| length > 0).count() as u32;
        commits.average =
            commits.lengths.iter().sum::<u32>() as f32 / commits.documents.max(1) as f32;
        commits.words = words;
        commits
    }

    /// Returns the commits from `first` on that say a word and touch something of the snapshot.
    fn saying(&self, word: &str, first: u32) -> Vec<(u32, u16)> {
        let mut found = Vec::new();
        self.words.each(word, |commit, weight| {
            if commit >= first
                && self.lengths.get(commit as usize).is_some_and(|&length| length > 0)
            {
                found.push((commit, weight));
            }
        });
        found
    }

    /// Returns commits from `first` on with the files that each touched.
    fn with_files(&self, first: u32) -> impl Iterator<Item = (u32, &[u32])> {
        (first..self.len()).map(|commit| (commit, self.touched(commit)))
    }

    /// Returns the words of the messages, to be joined with another snapshot.
    pub fn words(&self) -> Arc<CommitWords> {
        self.words.clone()
    }

    /// Returns how many commits there are.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Returns a score for each file that the best commits touched. Commits up to `hidden` are not
    /// looked at: an evaluation hides what came at or after the moment it asks about.
    pub fn files(&self, query: &Query, hidden: Option<u32>) -> Vec<(u32, f32)> {
        let mut files: FxHashMap<u32, f32> = FxHashMap::default();
        let best = self.best(query, hidden);
        let Some(&(_, max)) = best.first() else { return Vec::new() };
        for (commit, score) in best {
            let touched = self.touched(commit);
            for &file in touched {
                *files.entry(file).or_default() +=
                    (score / max).powi(3) / (touched.len() as f32).sqrt();
            }
        }
        let mut files: Vec<(u32, f32)> = files.into_iter().collect();
        files.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        files
    }

    /// Returns how much each file was worked on, 1 for the busiest; a commit `fade` commits ago counts a third.
    pub fn activity(&self, files: usize, hidden: Option<u32>, fade: f32) -> Vec<f32> {
        let mut activity = vec![0f32; files];
        let first = hidden.map_or(0, |hidden| hidden + 1);
        for (number, touched) in self.with_files(first) {
            let weight = (-((number - first) as f32) / fade).exp();
            for &file in touched {
                if let Some(sum) = activity.get_mut(file as usize) {
                    *sum += weight;
                }
            }
        }
        activity.iter_mut().for_each(|sum| *sum = (1.0 + *sum).ln());
        let most = activity.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        activity.iter_mut().for_each(|sum| *sum /= most);
        activity
    }

    /// Returns the files that a commit touched.
    pub fn touched(&self, commit: u32) -> &[u32] {
        let at = commit as usize;
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.ends.get(before).copied().unwrap_or_default());
        self.ends.get(at).map_or(&[], |&end| &self.files[start as usize..end as usize])
    }

    /// Returns how well the messages about each file match, all of them read as one text.
    pub fn file_documents(&self, query: &Query, files: usize, hidden: Option<u32>) -> Vec<f32> {
        let first = hidden.map_or(0, |hidden| hidden + 1);
        let mut lengths = vec![0f32; files];
        for (commit, touched) in self.with_files(first) {
            for &file in touched {
                lengths[file as usize] += self.lengths[commit as usize] as f32;
            }
        }
        let with_text = lengths.iter().filter(|&&length| length > 0.0).count().max(1) as f32;
        let average = lengths.iter().sum::<f32>() / with_text;
        let (mut scores, mut counts) = (vec![0f32; files], vec![0f32; files]);
        for (word, _) in &query.words {
            let mut with: Vec<u32> = Vec::new();
            for (commit, count) in self.saying(word, first) {
                for &file in self.touched(commit) {
                    if counts[file as usize] == 0.0 {
                        with.push(file);
                    }
                    counts[file as usize] += f32::from(count);
                }
            }
            let idf =
                (1.0 + (with_text - with.len() as f32 + 0.5) / (with.len() as f32 + 0.5)).ln();
            for file in with {
                let count = std::mem::take(&mut counts[file as usize])
                    / (1.0 - B + B * lengths[file as usize] / average);
                scores[file as usize] += idf * count * (K1 + 1.0) / (K1 + count);
            }
        }
        scores
    }

    /// Returns the best commits with their scores, best first.
    pub fn best(&self, query: &Query, hidden: Option<u32>) -> Vec<(u32, f32)> {
        let first = hidden.map_or(0, |hidden| hidden + 1);
        let mut scores = vec![0f32; self.lengths.len()];
        for (word, _) in &query.words {
            // What is hidden tells nothing, not even how rare a word is.
            let postings = self.saying(word, first);
            let with = postings.len() as f32;
            let idf = (1.0 + (self.documents as f32 - with + 0.5) / (with + 0.5)).ln();
            for (commit, count) in postings {
                let length = self.lengths[commit as usize] as f32 / self.average;
                let count = f32::from(count) / (1.0 - B + B * length);
                scores[commit as usize] += idf * count * (K1 + 1.0) / (K1 + count);
            }
        }
        let mut best: Vec<(u32, f32)> = scores
            .iter()
            .enumerate()
            .map(|(commit, &score)| (commit as u32, score))
            .filter(|&(commit, score)| score > 0.0 && commit >= first)
            .collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(TOP_COMMITS);
        best
    }
}
