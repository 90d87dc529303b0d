//! What differs between two revisions, in one commit, or between a revision and the work tree.

use crate::changes::{ChangeSet, FileChange};
use crate::commit_files::placed;
use crate::hunks::line_hunks;
use crate::renames::{PathChange, with_renames};
use crate::repository::Repository;
use crate::rows::CommitId;
use crate::touched::{Side, TreeChange, tree_changes};
use crate::walk::read_commit;
use crate::work_tree::WorkTree;
use contextd_model::Problem;
use std::path::Path;

/// Two states to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Range {
    /// Two revisions; with `fork`, the old side is where `head` left `base`.
    Between { base: String, head: String, fork: bool },
    /// A revision and the files as they are now, untracked ones included.
    WorkTree { base: String },
    /// A commit and its first parent.
    Commit(String),
}

impl Range {
    /// Reads `BASE`, `BASE..HEAD` or `BASE...HEAD`; a side left out is the head, and a base alone is
    /// compared with the work tree.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let name = |side: &str| {
            if side.is_empty() { "HEAD".to_owned() } else { side.to_owned() }
        };
        if let Some((base, head)) = text.split_once("...") {
            return Self::Between { base: name(base), head: name(head), fork: true };
        }
        if let Some((base, head)) = text.split_once("..") {
            return Self::Between { base: name(base), head: name(head), fork: false };
        }
        Self::WorkTree { base: name(text) }
    }
}

/// Paths of one comparison that are listed.
const MAX_FILES: usize = 20_000;
/// Files of one comparison whose lines are compared.
const MAX_LINE_FILES: usize = 3_000;

/// Returns the files and lines that differ, for the root's part of its repository.
pub fn changed_files(root: &Path, range: &Range) -> (ChangeSet, Vec<Problem>) {
    match Repository::open(root) {
        Ok(repository) => repository.changed_files(range),
        Err(problem) => (ChangeSet::default(), vec![problem]),
    }
}

impl Repository {
    /// Returns the files and lines that differ; see [`changed_files`].
    pub fn changed_files(&self, range: &Range) -> (ChangeSet, Vec<Problem>) {
        match self.compare(range) {
            Ok(found) => found,
            Err(problem) => (ChangeSet::default(), vec![problem]),
        }
    }

    fn compare(&self, range: &Range) -> Result<(ChangeSet, Vec<Problem>), Problem> {
        match range {
            Range::Between { base, head, fork } => {
                let (mut base, head) = (self.commit_named(base)?, self.commit_named(head)?);
                if *fork {
                    base = self.merge_base(base, head).ok_or_else(|| no_fork(base, head))?;
                }
                self.between(Some(base), head)
            }
            Range::Commit(name) => {
                let head = self.commit_named(name)?;
                let parent = read_commit(&self.git, head, 0)
                    .and_then(|(commit, _)| commit.parents.first().copied());
                self.between(parent, head)
            }
            Range::WorkTree { base } => {
                // Without a commit everything in the work tree is new.
                let unborn = base == "HEAD" && self.git.head().is_ok_and(|head| head.is_unborn());
                let base = if unborn { None } else { Some(self.commit_named(base)?) };
                let tree = base.map(|base| self.tree_named(base)).transpose()?;
                let (changes, work_tree, problems) = WorkTree::changes(&self.git, tree)?;
                Ok(self.change_set(base, None, changes, &work_tree, problems))
            }
        }
    }

    fn between(
        &self,
        base: Option<CommitId>,
        head: CommitId,
    ) -> Result<(ChangeSet, Vec<Problem>), Problem> {
        let old = base.map(|base| self.tree_named(base)).transpose()?;
        let new = self.tree_named(head)?;
        let found = tree_changes(&self.git, old, new, MAX_FILES, &mut Default::default())
            .map_err(|reason| unreadable(&head.to_string(), &reason))?;
        Ok(self.change_set(base, Some(head), found.changes, &WorkTree::default(), Vec::new()))
    }

    fn change_set(
        &self,
        base: Option<CommitId>,
        head: Option<CommitId>,
        changes: Vec<TreeChange>,
        work_tree: &WorkTree,
        mut problems: Vec<Problem>,
    ) -> (ChangeSet, Vec<Problem>) {
        let mut set = ChangeSet { base, head, ..ChangeSet::default() };
        let read =
            |id| work_tree.read(id).or_else(|| Some(self.git.find_object(id).ok()?.detach().data));
        let mut missing = 0;
        for change in with_renames(changes, &mut |id| read(id)) {
            let Some(touch) = placed(&change, self.prefix.as_bytes()) else {
                set.outside += 1;
                continue;
            };
            let lines = if set.files.len() < MAX_LINE_FILES {
                file_lines(&change, &read)
            } else {
                Lines::Missing
            };
            let (hunks, binary) = match lines {
                Lines::Hunks(hunks) => (hunks, false),
                Lines::Binary => (Vec::new(), true),
                Lines::Missing => {
                    missing += 1;
                    (Vec::new(), false)
                }
            };
            set.files.push(FileChange {
                path: touch.path.to_string(),
                from: touch.from.map(|from| from.to_string()),
                kind: touch.kind,
                hunks,
                binary,
            });
        }
        set.files.sort_by(|one, two| one.path.cmp(&two.path));
        problems.extend(lines_problem(missing));
        (set, problems)
    }

    fn commit_named(&self, name: &str) -> Result<CommitId, Problem> {
        self.resolve(name).ok_or_else(|| unreadable(name, "it does not name a commit"))
    }

    fn tree_named(&self, commit: CommitId) -> Result<gix::ObjectId, Problem> {
        self.tree_of(commit).ok_or_else(|| unreadable(&commit.to_string(), "its tree is missing"))
    }
}

fn lines_problem(missing: usize) -> Option<Problem> {
    let message = format!(
        "The changed lines of {missing} files are not known: too many files, or missing objects"
    );
    let remedy = "Compare fewer commits, or run `git fsck`.";
    (missing > 0).then(|| Problem::warning("CTX_W_HISTORY_LINES", message, remedy))
}

enum Lines {
    Hunks(Vec<crate::Hunk>),
    Binary,
    Missing,
}

fn file_lines(change: &PathChange, read: &impl Fn(gix::ObjectId) -> Option<Vec<u8>>) -> Lines {
    let sides = [change.old, change.new];
    if sides.iter().flatten().any(|side| !side.is_file()) {
        return Lines::Binary;
    }
    if change.old.map(|side| side.id) == change.new.map(|side| side.id) {
        return Lines::Hunks(Vec::new());
    }
    let text = |side: Option<Side>| match side {
        Some(side) => read(side.id),
        None => Some(Vec::new()),
    };
    match sides.map(text) {
        [Some(old), Some(new)] => line_hunks(&old, &new).map_or(Lines::Binary, Lines::Hunks),
        _ => Lines::Missing,
    }
}

pub(crate) fn unreadable(name: &str, reason: &str) -> Problem {
    let message = format!(
        "The revision `{name}` cannot be compared: {}",
        crate::repository::first_line(reason)
    );
    Problem::error(
        "CTX_E_HISTORY_REVISION",
        message,
        "Check the name with `git rev-parse`, and the repository with `git fsck`.",
    )
}

fn no_fork(base: CommitId, head: CommitId) -> Problem {
    unreadable(&format!("{base}...{head}"), "the two have no common ancestor here")
}
