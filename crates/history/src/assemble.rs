//! Commits as read → the tables of a [`History`]; pure, so that equal commits give equal tables.

use crate::derive::{CommitFiles, derive};
use crate::identity::follow_renames;
use crate::load::{History, Limits};
use crate::rows::{CommitId, CommitRow, NONE, TouchRow};
use crate::walk::RawCommit;
use contextd_model::strings::StringTable;
use rustc_hash::{FxHashMap, FxHashSet};

/// Everything the tables are a function of.
pub(crate) struct Parts {
    pub head: Option<CommitId>,
    pub prefix: String,
    pub limits: Limits,
    pub cut: bool,
    /// Newest first.
    pub commits: Vec<RawCommit>,
}

/// Returns the sorted paths that the commits name, each once.
pub(crate) fn paths_of(commits: &[RawCommit]) -> Vec<&str> {
    let touches = commits.iter().flat_map(|commit| &commit.touches);
    let names =
        touches.flat_map(|touch| std::iter::once(&*touch.path).chain(touch.from.as_deref()));
    // A path is named often; sorting each once is several times cheaper.
    let mut paths: Vec<&str> = names.collect::<FxHashSet<_>>().into_iter().collect();
    paths.sort_unstable();
    paths
}

/// Builds the tables; `present` answers for the paths of [`paths_of`].
pub(crate) fn assemble(parts: &Parts, paths: &[&str], present: &[bool]) -> History {
    let mut history =
        History { limits: parts.limits, prefix: parts.prefix.clone(), ..History::default() };
    history.head = parts.head;
    history.cut = parts.cut;
    history.head_time = parts.commits.first().map_or(0, |commit| commit.commit_time);
    for path in paths {
        history.paths.push(path);
    }
    let numbers: FxHashMap<&str, u32> =
        paths.iter().enumerate().map(|(at, path)| (*path, at as u32)).collect();
    let mut people = People::default();
    for commit in &parts.commits {
        push_commit(&mut history, commit, people.number(&commit.author), &numbers);
    }
    history.people = people.table;
    let ends: Vec<u32> = history.commits.iter().map(|row| row.touches_end).collect();
    let outside: Vec<u32> = history.commits.iter().map(|row| row.outside).collect();
    follow_renames(&mut history.touches, &ends, present);
    let derived =
        derive(&CommitFiles { touches: &history.touches, ends: &ends, outside: &outside }, present);
    history.files = derived.files;
    history.file_commits = derived.file_commits;
    history.partners = derived.partners;
    history
}

fn push_commit(
    history: &mut History,
    commit: &RawCommit,
    author: u32,
    numbers: &FxHashMap<&str, u32>,
) {
    let number = |path: &str| numbers.get(path).copied().unwrap_or(NONE);
    history.text.push_str(&commit.subject);
    let subject_end = history.text.len() as u32;
    history.text.push_str(&commit.body);
    history.parents.extend(&commit.parents);
    history.touches.extend(commit.touches.iter().map(|touch| TouchRow {
        path: number(&touch.path),
        file: NONE,
        from: touch.from.as_deref().map_or(NONE, number),
        kind: touch.kind as u8,
        pad: [0; 3],
    }));
    history.commits.push(CommitRow {
        id: commit.id,
        author,
        author_time: commit.author_time,
        commit_time: commit.commit_time,
        subject_end,
        body_end: history.text.len() as u32,
        parents_end: history.parents.len() as u32,
        touches_end: history.touches.len() as u32,
        outside: commit.outside,
        flags: commit.flags,
    });
}

/// Authors in the order of their newest commit; two strings each, so that empty ones keep a place.
#[derive(Default)]
struct People {
    table: StringTable,
    numbers: FxHashMap<(String, String), u32>,
}

impl People {
    fn number(&mut self, author: &(String, String)) -> u32 {
        if let Some(&number) = self.numbers.get(author) {
            return number;
        }
        let number = self.numbers.len() as u32;
        for text in [&author.0, &author.1] {
            self.table.bytes.push_str(text);
            self.table.ends.push(self.table.bytes.len() as u32);
        }
        self.numbers.insert(author.clone(), number);
        number
    }
}
