//! Loading a history from git, from nothing or on top of an earlier one.

use crate::assemble::{Parts, assemble, paths_of};
use crate::commit_files::fill_files;
use crate::present::{present_in, present_since};
use crate::repository::Repository;
use crate::rows::{CommitId, CommitRow, FileRow, PartnerRow, TouchRow, commit_flag};
use crate::view::HistoryView;
use crate::walk::{RawCommit, RawTouch, WalkLimits, Walked, read_commit, walk};
use contextd_model::Problem;
use contextd_model::strings::StringTable;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// How much history is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Newest commits that are read; 0 for all.
    pub max_commits: u32,
    /// Bytes of a commit's body that are kept.
    pub max_body: u32,
    /// Paths of one comparison that are listed.
    pub max_files: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_commits: 5_000, max_body: 4 * 1024, max_files: 20_000 }
    }
}

/// Bytes of messages after which no older commit is read: offsets in the tables have 32 bits.
const MAX_TEXT: usize = 1 << 30;

/// Commits of a repository with what follows from them, as plain tables; read through [`History::view`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    pub head: Option<CommitId>,
    pub head_time: i64,
    pub cut: bool,
    pub limits: Limits,
    pub(crate) prefix: String,
    pub(crate) commits: Vec<CommitRow>,
    pub(crate) parents: Vec<CommitId>,
    pub(crate) touches: Vec<TouchRow>,
    pub(crate) people: StringTable,
    pub(crate) paths: StringTable,
    pub(crate) text: String,
    pub(crate) files: Vec<FileRow>,
    pub(crate) file_commits: Vec<u32>,
    pub(crate) partners: Vec<PartnerRow>,
}

impl History {
    /// Loads the commits reachable from the head of the repository that `root` lies in.
    ///
    /// Commits that `previous` has are taken over; the result is the same as without it. No
    /// repository and no commits give an empty history.
    pub fn load(
        root: &Path,
        limits: &Limits,
        previous: Option<HistoryView<'_>>,
    ) -> (Self, Vec<Problem>) {
        Self::load_at(root, "HEAD", limits, previous)
    }

    /// Loads the commits reachable from a revision, as [`History::load`] does from the head.
    pub fn load_at(
        root: &Path,
        revision: &str,
        limits: &Limits,
        previous: Option<HistoryView<'_>>,
    ) -> (Self, Vec<Problem>) {
        match Repository::open(root) {
            Ok(repository) => repository.history(revision, limits, previous),
            Err(problem) => (Self { limits: *limits, ..Self::default() }, vec![problem]),
        }
    }

    /// Returns the borrowed form that all reading goes through.
    pub fn view(&self) -> HistoryView<'_> {
        HistoryView {
            head: self.head,
            head_time: self.head_time,
            cut: self.cut,
            limits: self.limits,
            prefix: &self.prefix,
            commits: &self.commits,
            parents: &self.parents,
            touches: &self.touches,
            people: self.people.view(),
            paths: self.paths.view(),
            text: self.text.as_bytes(),
            files: &self.files,
            file_commits: &self.file_commits,
            partners: &self.partners,
        }
    }

    /// Replaces every subject and body by what `scrub` makes of it, to take secrets out.
    pub fn scrub_messages(&mut self, scrub: impl Fn(&str) -> String) {
        let scrubbed: Vec<(String, String)> = self
            .view()
            .commits()
            .map(|commit| (scrub(commit.subject()), scrub(commit.body())))
            .collect();
        self.text.clear();
        for (row, (subject, body)) in self.commits.iter_mut().zip(scrubbed) {
            self.text.push_str(&subject);
            row.subject_end = self.text.len() as u32;
            self.text.push_str(&body);
            row.body_end = self.text.len() as u32;
        }
    }
}

impl Repository {
    /// Loads the history of this repository; see [`History::load`].
    pub fn history(
        &self,
        revision: &str,
        limits: &Limits,
        previous: Option<HistoryView<'_>>,
    ) -> (History, Vec<Problem>) {
        let empty = History { limits: *limits, prefix: self.prefix.clone(), ..History::default() };
        let Some(head) = self.resolve(revision) else {
            return (empty, self.head_problem(revision));
        };
        let previous =
            previous.filter(|view| view.prefix == self.prefix && view.limits.same_reading(limits));
        let mut known = Known::new(previous);
        let walk_limits = WalkLimits {
            max_commits: limits.max_commits as usize,
            max_body: limits.max_body as usize,
            max_text: MAX_TEXT,
        };
        let mut walked = walk(&self.git, head, &walk_limits, &mut |id| known.take(id));
        let damaged = fill_files(self, &mut walked, limits.max_files as usize);
        let problems = self.problems(&walked, damaged);
        let tree = walked.trees.get(&head).copied().or_else(|| self.tree_of(head));
        let previous_tree = previous.and_then(|view| Some((view, self.tree_of(view.head?)?)));
        let parts = Parts {
            head: Some(head),
            prefix: self.prefix.clone(),
            limits: *limits,
            cut: walked.cut,
            commits: walked.commits,
        };
        let paths = paths_of(&parts.commits);
        let present = self.present(&paths, tree, previous_tree);
        (assemble(&parts, &paths, &present), problems)
    }

    /// Tells which paths exist at the head's tree, with the help of an earlier history and its tree.
    fn present(
        &self,
        paths: &[&str],
        tree: Option<gix::ObjectId>,
        previous: Option<(HistoryView<'_>, gix::ObjectId)>,
    ) -> Vec<bool> {
        match (tree, previous) {
            (Some(tree), Some((view, old))) => {
                present_since(&self.git, tree, &self.prefix, paths, &view, old)
            }
            (Some(tree), None) => present_in(&self.git, tree, &self.prefix, paths),
            (None, _) => vec![false; paths.len()],
        }
    }

    pub(crate) fn tree_of(&self, commit: CommitId) -> Option<gix::ObjectId> {
        Some(read_commit(&self.git, commit, 0)?.1)
    }

    fn head_problem(&self, revision: &str) -> Vec<Problem> {
        let unborn = revision == "HEAD" && self.git.head().is_ok_and(|head| head.is_unborn());
        if unborn {
            return Vec::new();
        }
        vec![Problem::warning(
            "CTX_W_HISTORY_REVISION",
            format!("The revision `{revision}` does not name a commit that can be read"),
            "Check the name with `git rev-parse`, and the repository with `git fsck`.",
        )]
    }

    fn problems(&self, walked: &Walked, damaged: usize) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(first) = walked.missing.first() {
            problems.push(Problem::warning(
                "CTX_W_HISTORY_COMMIT_MISSING",
                format!(
                    "{} commits are missing or damaged, {first} among them; history ends there",
                    walked.missing.len()
                ),
                "Run `git fsck`, or fetch the missing objects.",
            ));
        }
        if damaged > 0 {
            problems.push(Problem::warning(
                "CTX_W_HISTORY_TREE_MISSING",
                format!("{damaged} commits name trees that are missing or damaged; their files are not known"),
                "Run `git fsck`, or fetch the missing objects.",
            ));
        }
        if walked.commits.iter().any(|commit| commit.has(commit_flag::BOUNDARY)) {
            problems.push(Problem {
                severity: contextd_model::Severity::Info,
                ..Problem::warning(
                    "CTX_I_HISTORY_SHALLOW",
                    "The clone is shallow; history ends at its edge",
                    "Run `git fetch --unshallow` to have the whole history.",
                )
            });
        }
        problems
    }
}

impl Limits {
    /// True when commits read under `other` look the same.
    fn same_reading(&self, other: &Limits) -> bool {
        self.max_body == other.max_body && self.max_files == other.max_files
    }
}

/// Commits of an earlier history by id. Those whose files could not be read are read again.
struct Known<'a> {
    view: Option<HistoryView<'a>>,
    numbers: FxHashMap<CommitId, u32>,
    /// Paths of the earlier history, by number.
    paths: Vec<Arc<str>>,
}

impl<'a> Known<'a> {
    fn new(view: Option<HistoryView<'a>>) -> Self {
        let commits = view.iter().flat_map(|view| view.commits.iter().enumerate());
        let unsure = commit_flag::BOUNDARY | commit_flag::FILES_UNKNOWN;
        let numbers = commits
            .filter(|(_, row)| row.flags & unsure == 0)
            .map(|(at, row)| (row.id, at as u32))
            .collect();
        let paths = view
            .iter()
            .flat_map(|view| (0..view.file_count() as u32).map(|file| view.path(file).into()))
            .collect();
        Self { view, numbers, paths }
    }

    fn take(&mut self, id: CommitId) -> Option<RawCommit> {
        let commit = self.view?.commit(*self.numbers.get(&id)?)?;
        let path = |file: u32| self.paths.get(file as usize).cloned();
        let touch = |row: &TouchRow| {
            Some(RawTouch { path: path(row.path)?, from: path(row.from), kind: row.kind() })
        };
        Some(RawCommit {
            id: commit.id(),
            parents: commit.parents().to_vec(),
            author: (commit.author_name().to_owned(), commit.author_email().to_owned()),
            author_time: commit.author_time(),
            commit_time: commit.commit_time(),
            subject: commit.subject().to_owned(),
            body: commit.body().to_owned(),
            flags: commit.flags(),
            touches: commit.touches().iter().filter_map(touch).collect(),
            outside: commit.outside(),
        })
    }
}
