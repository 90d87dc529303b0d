//! Words of commit messages, each with the commits that say it: made once for a history, read in place.
//!
//! Bytes: a header of four numbers, the length of each message, where each word and its commits end, the
//! words in order, the commits of each as differences and weights of seven bits a byte. What is damaged
//! says nothing; it never fails.

use crate::understand::is_stop_word;
use contextd_history::{CommitView, HistoryView};
use contextd_lang::terms::Terms;
use contextd_snapshot::varint::{Reader, put};
use rustc_hash::FxHashMap;

/// Commits that touch more files say little about each.
const MAX_FILES: usize = 30;
/// First number of the bytes; raised whenever what they hold or how words are made changes.
const FORMAT: u32 = 0xC0DE_0001;
const HEADER: usize = 16;

/// Full text of commit messages, by the numbers of the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitWords {
    bytes: Vec<u8>,
    commits: usize,
    words: usize,
}

/// True for commits whose message may tell something about the files they touch.
pub(crate) fn tells(commit: &CommitView<'_>) -> bool {
    !commit.is_merge() && (1..=MAX_FILES).contains(&commit.touches().len())
}

impl CommitWords {
    /// Reads the messages of a history.
    pub fn of(history: &HistoryView<'_>) -> CommitWords {
        let (mut postings, mut gathered, mut memory) =
            (Postings::default(), Gathered::default(), Terms::default());
        let mut lengths = Vec::with_capacity(history.len());
        for commit in history.commits() {
            lengths.push(if tells(&commit) {
                gathered.add(
                    &mut postings,
                    commit.number,
                    commit.subject(),
                    commit.body(),
                    &mut memory,
                )
            } else {
                0
            });
        }
        gathered.hand_over(&mut postings);
        CommitWords::encode(&lengths, postings)
    }

    fn encode(lengths: &[u32], postings: Postings) -> CommitWords {
        let mut postings: Vec<_> = postings.into_iter().collect();
        postings.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let (mut texts, mut runs) = (String::new(), Vec::new());
        let mut ends: Vec<u32> = Vec::with_capacity(2 * postings.len());
        for (word, commits) in &postings {
            texts.push_str(word);
            let mut next = 0;
            for &(commit, weight) in commits {
                put(&mut runs, commit - next);
                put(&mut runs, u32::from(weight));
                next = commit;
            }
            ends.extend([texts.len() as u32, runs.len() as u32]);
        }
        let header = [FORMAT, lengths.len() as u32, postings.len() as u32, texts.len() as u32];
        let mut bytes: Vec<u8> = header
            .iter()
            .chain(lengths)
            .chain(&ends)
            .flat_map(|number| number.to_le_bytes())
            .collect();
        bytes.extend_from_slice(texts.as_bytes());
        bytes.extend_from_slice(&runs);
        CommitWords { bytes, commits: lengths.len(), words: postings.len() }
    }

    /// Takes over what [`CommitWords::bytes`] gave; `None` when it is something else or was cut short.
    pub fn decode(bytes: Vec<u8>) -> Option<CommitWords> {
        let number =
            |at: usize| bytes.get(4 * at..4 * at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let (commits, words) = (number(1)? as usize, number(2)? as usize);
        let tables =
            words.checked_mul(8)?.checked_add(commits.checked_mul(4)?)?.checked_add(HEADER)?;
        let last = if words > 0 { number(3 + commits + 2 * words)? as usize } else { 0 };
        let whole = tables.checked_add(number(3)? as usize)?.checked_add(last)? == bytes.len();
        (number(0)? == FORMAT && whole).then_some(CommitWords { bytes, commits, words })
    }

    /// Returns the bytes that [`CommitWords::decode`] reads.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns how many words a message has, those that say nothing left out.
    pub(crate) fn length(&self, commit: u32) -> u32 {
        if (commit as usize) < self.commits { self.number(4 + commit as usize) } else { 0 }
    }

    /// Calls `each` with the commits that say a word, the newest first, and how often.
    pub(crate) fn each(&self, word: &str, mut each: impl FnMut(u32, u16)) {
        let Some(at) = self.find(word) else { return };
        let (_, start) = self.ends(at);
        let (_, end) = self.ends(at + 1);
        let base = HEADER + 4 * self.commits + 8 * self.words + self.number(3) as usize;
        let mut run = Reader::new(self.bytes.get(base + start..base + end).unwrap_or_default());
        let mut commit = 0u32;
        while !run.rest().is_empty() {
            commit = commit.saturating_add(run.varint());
            let weight = run.varint();
            if (commit as usize) < self.commits {
                each(commit, weight.min(u32::from(u16::MAX)) as u16);
            }
        }
    }

    fn find(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.words);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.text(middle).cmp(word.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn text(&self, at: usize) -> &[u8] {
        let base = HEADER + 4 * self.commits + 8 * self.words;
        self.bytes.get(base + self.ends(at).0..base + self.ends(at + 1).0).unwrap_or_default()
    }

    /// Returns where the text and the commits of a word begin.
    fn ends(&self, at: usize) -> (usize, usize) {
        if at == 0 {
            return (0, 0);
        }
        let place = 4 + self.commits + 2 * (at - 1);
        (self.number(place) as usize, self.number(place + 1) as usize)
    }

    fn number(&self, at: usize) -> u32 {
        self.bytes
            .get(4 * at..4 * at + 4)
            .and_then(|four| four.try_into().ok())
            .map_or(0, u32::from_le_bytes)
    }
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
    fn add(
        &mut self,
        postings: &mut Postings,
        number: u32,
        subject: &str,
        body: &str,
        memory: &mut Terms,
    ) -> u32 {
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
                let word = self.words[at].get_or_insert_with(|| Word {
                    text: memory.text(term).into(),
                    counts: !is_stop_word(memory.text(term)),
                    commits: Vec::new(),
                });
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(words: &CommitWords, word: &str) -> Vec<(u32, u16)> {
        let mut found = Vec::new();
        words.each(word, |commit, weight| found.push((commit, weight)));
        found
    }

    #[test]
    fn words_of_a_message_are_counted_once_a_commit_whatever_the_memory_forgets() {
        let messages =
            [("Fix the cart total", "The total was wrong; total it."), ("Rename cart", "")];
        let gather = |forget: bool| {
            let (mut postings, mut gathered, mut memory, mut lengths) =
                (Postings::default(), Gathered::default(), Terms::default(), Vec::new());
            for (number, (subject, body)) in messages.iter().enumerate() {
                lengths.push(gathered.add(
                    &mut postings,
                    number as u32,
                    subject,
                    body,
                    &mut memory,
                ));
                if forget {
                    memory = Terms::default();
                }
            }
            gathered.hand_over(&mut postings);
            CommitWords::encode(&lengths, postings)
        };
        let words = gather(false);
        assert_eq!(said(&words, "cart"), [(0, 2), (1, 2)]);
        assert_eq!(said(&words, "total"), [(0, 4)]);
        assert_eq!(said(&words, "the"), []);
        assert_eq!([words.length(0), words.length(1), words.length(2)], [6 + 3, 4, 0]);
        assert_eq!(gather(true), words);
    }

    fn postings() -> impl Strategy<Value = Vec<(String, Vec<(u32, u16)>)>> {
        let commits = proptest::collection::btree_map(0u32..5_000, 1u16.., 1..20);
        proptest::collection::btree_map("[a-zé\u{4e00}]{1,8}", commits, 0..40).prop_map(|words| {
            words.into_iter().map(|(word, commits)| (word, commits.into_iter().collect())).collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(postings in postings(), other in "[a-z]{1,8}", lengths in proptest::collection::vec(0u32..900, 5_000)) {
            let words = CommitWords::encode(&lengths, postings.iter().map(|(word, commits)| (word.as_str().into(), commits.clone())).collect());
            let words = CommitWords::decode(words.bytes().to_vec()).unwrap();
            for (word, commits) in &postings {
                prop_assert_eq!(&said(&words, word), commits);
            }
            prop_assert_eq!(said(&words, &other).is_empty(), !postings.iter().any(|(word, _)| *word == other));
            prop_assert!((0..5_000).all(|commit| words.length(commit) == lengths[commit as usize]));
        }

        #[test]
        fn damage_says_little_and_never_fails(postings in postings(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(), word in "[a-z]{1,3}") {
            let whole = CommitWords::encode(&[3, 4, 5], postings.iter().map(|(word, commits)| (word.as_str().into(), commits.clone())).collect());
            let mut bytes = whole.bytes().to_vec();
            let short = bytes[..cut.index(bytes.len())].to_vec();
            prop_assert!(CommitWords::decode(short).is_none());
            let place = at.index(bytes.len());
            bytes[place] = byte;
            if let Some(words) = CommitWords::decode(bytes) {
                for (word, _) in postings.iter().map(|(word, commits)| (word.as_str(), commits)).chain([(word.as_str(), &Vec::new())]) {
                    prop_assert!(said(&words, word).iter().all(|&(commit, _)| commit < 5_000));
                }
            }
        }
    }
}
