//! Commit messages as a bridge: words of a request → commits that said them → files they touched.

use crate::understand::{Query, is_stop_word};
use contextd_history::HistoryView;
use contextd_lang::terms::Terms;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// Commits that touch more files say little about each.
const MAX_FILES: usize = 30;
/// Commits whose files are counted for one request.
const TOP_COMMITS: usize = 60;
const K1: f32 = 1.2;
const B: f32 = 0.6;

/// Full text of commit messages with the files they touched, in the snapshot's numbers.
#[derive(Default)]
pub struct Commits {
    postings: Postings,
    lengths: Vec<u32>,
    /// Files by commit, in the snapshot's numbers.
    files: Vec<Box<[u32]>>,
    average: f32,
    documents: u32,
}

/// Commits with how often each says a word.
type Postings = FxHashMap<Box<str>, Vec<(u32, u16)>>;

/// Postings by the numbers that a memory of terms gives out: texts are looked at once a word, not once a commit.
#[derive(Default)]
struct Gathered {
    /// The memory whose numbers these are.
    epoch: u64,
    words: Vec<Option<Word>>,
}

struct Word {
    text: Box<str>,
    /// False for words that say nothing.
    counts: bool,
    commits: Vec<(u32, u16)>,
}

impl Gathered {
    /// Adds the words of a message and returns its length; numbers of commits must not fall.
    fn add(&mut self, postings: &mut Postings, number: u32, subject: &str, body: &str, memory: &mut Terms) -> u32 {
        let mut length = 0;
        for (text, weight) in [(subject, 2u16), (body, 1)] {
            memory.word_numbers(text, |memory, term| {
                if memory.epoch() != self.epoch {
                    self.hand_over(postings);
                    self.epoch = memory.epoch();
                }
                let at = term as usize;
                if self.words.len() <= at {
                    self.words.resize_with(at + 1, || None);
                }
                let word = self.words[at].get_or_insert_with(|| Word { text: memory.text(term).into(), counts: !is_stop_word(memory.text(term)), commits: Vec::new() });
                if word.counts {
                    length += u32::from(weight);
                    count(&mut word.commits, number, weight);
                }
            });
        }
        length
    }

    /// Moves what was gathered to where it is looked up.
    fn hand_over(&mut self, postings: &mut Postings) {
        for word in self.words.drain(..).flatten().filter(|word| !word.commits.is_empty()) {
            let known = postings.entry(word.text).or_default();
            word.commits.into_iter().for_each(|(commit, weight)| count(known, commit, weight));
        }
    }
}

fn count(commits: &mut Vec<(u32, u16)>, commit: u32, weight: u16) {
    match commits.last_mut() {
        Some((last, count)) if *last == commit => *count = count.saturating_add(weight),
        _ => commits.push((commit, weight)),
    }
}

impl Commits {
    /// Reads the messages of a history. Commit numbers stay those of the history, newest first.
    pub fn of(history: &HistoryView<'_>, snapshot: &Snapshot) -> Commits {
        let numbers: Vec<Option<u32>> = (0..history.file_count() as u32).map(|file| snapshot.find_file(history.path(file))).collect();
        let mut commits = Commits::default();
        let mut memory = Terms::default();
        let mut gathered = Gathered::default();
        for commit in history.commits() {
            let touches = commit.touches();
            let skipped = commit.is_merge() || touches.is_empty() || touches.len() > MAX_FILES;
            let files: Vec<u32> = if skipped { Vec::new() } else { touches.iter().filter_map(|touch| numbers.get(touch.file as usize).copied().flatten()).collect() };
            let length = if files.is_empty() { 0 } else { gathered.add(&mut commits.postings, commit.number, commit.subject(), commit.body(), &mut memory) };
            commits.lengths.push(length);
            commits.files.push(files.into());
        }
        gathered.hand_over(&mut commits.postings);
        commits.documents = commits.lengths.iter().filter(|&&length| length > 0).count() as u32;
        commits.average = commits.lengths.iter().sum::<u32>() as f32 / commits.documents.max(1) as f32;
        commits
    }

    /// Returns how many commits there are.
    pub fn len(&self) -> u32 {
        self.files.len() as u32
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
            let touched = &self.files[commit as usize];
            for &file in touched {
                *files.entry(file).or_default() += (score / max).powi(3) / (touched.len() as f32).sqrt();
            }
        }
        let mut files: Vec<(u32, f32)> = files.into_iter().collect();
        files.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        files
    }

    /// Returns how much each file was worked on, 1 for the busiest; a commit `fade` commits ago counts a third.
    pub fn activity(&self, files: usize, hidden: Option<u32>, fade: f32) -> Vec<f32> {
        let mut activity = vec![0f32; files];
        let first = hidden.map_or(0, |hidden| hidden as usize + 1);
        for (number, touched) in self.files.iter().enumerate().skip(first) {
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
        self.files.get(commit as usize).map_or(&[], |files| files)
    }

    /// Returns how well the messages about each file match, all of them read as one text.
    pub fn file_documents(&self, query: &Query, files: usize, hidden: Option<u32>) -> Vec<f32> {
        let first = hidden.map_or(0, |hidden| hidden + 1);
        let mut lengths = vec![0f32; files];
        for (commit, touched) in self.files.iter().enumerate().skip(first as usize) {
            for &file in touched {
                lengths[file as usize] += self.lengths[commit] as f32;
            }
        }
        let with_text = lengths.iter().filter(|&&length| length > 0.0).count().max(1) as f32;
        let average = lengths.iter().sum::<f32>() / with_text;
        let (mut scores, mut counts) = (vec![0f32; files], vec![0f32; files]);
        for (word, _) in &query.words {
            let Some(postings) = self.postings.get(word.as_str()) else { continue };
            let mut with: Vec<u32> = Vec::new();
            for &(commit, count) in &postings[postings.partition_point(|&(commit, _)| commit < first)..] {
                for &file in &self.files[commit as usize] {
                    if counts[file as usize] == 0.0 {
                        with.push(file);
                    }
                    counts[file as usize] += f32::from(count);
                }
            }
            let idf = (1.0 + (with_text - with.len() as f32 + 0.5) / (with.len() as f32 + 0.5)).ln();
            for file in with {
                let count = std::mem::take(&mut counts[file as usize]) / (1.0 - B + B * lengths[file as usize] / average);
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
            let Some(postings) = self.postings.get(word.as_str()) else { continue };
            // What is hidden tells nothing, not even how rare a word is.
            let postings = &postings[postings.partition_point(|&(commit, _)| commit < first)..];
            let with = postings.len() as f32;
            let idf = (1.0 + (self.documents as f32 - with + 0.5) / (with + 0.5)).ln();
            for &(commit, count) in postings {
                let length = self.lengths[commit as usize] as f32 / self.average;
                let count = f32::from(count) / (1.0 - B + B * length);
                scores[commit as usize] += idf * count * (K1 + 1.0) / (K1 + count);
            }
        }
        let mut best: Vec<(u32, f32)> = scores.iter().enumerate().map(|(commit, &score)| (commit as u32, score)).filter(|&(commit, score)| score > 0.0 && commit >= first).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(TOP_COMMITS);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_message_are_counted_once_a_commit_whatever_the_memory_forgets() {
        let messages = [("Fix the cart total", "The total was wrong; total it."), ("Rename cart", "")];
        let gather = |forget: bool| {
            let (mut postings, mut gathered, mut memory, mut lengths) = (Postings::default(), Gathered::default(), Terms::default(), Vec::new());
            for (number, (subject, body)) in messages.iter().enumerate() {
                lengths.push(gathered.add(&mut postings, number as u32, subject, body, &mut memory));
                if forget {
                    memory = Terms::default();
                }
            }
            gathered.hand_over(&mut postings);
            let mut found: Vec<(String, Vec<(u32, u16)>)> = postings.into_iter().map(|(word, commits)| (word.into_string(), commits)).collect();
            found.sort();
            (found, lengths)
        };
        let (found, lengths) = gather(false);
        assert_eq!(found.iter().find(|(word, _)| word == "cart").map(|(_, commits)| commits.as_slice()), Some(&[(0, 2), (1, 2)][..]));
        assert_eq!(found.iter().find(|(word, _)| word == "total").map(|(_, commits)| commits.as_slice()), Some(&[(0, 4)][..]));
        assert!(!found.iter().any(|(word, _)| word == "the"));
        assert_eq!(lengths, [6 + 3, 4]);
        assert_eq!(gather(true), (found, lengths));
    }
}
