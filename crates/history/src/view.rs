//! Reading a history, from memory or from a mapped file. Damaged numbers read as nothing.

use crate::rows::{
    ChangeKind, CommitId, CommitRow, FileRow, NONE, PartnerRow, TouchRow, commit_flag, file_flag,
};
use contextd_model::StrId;
use contextd_model::strings::Strings;

/// Borrowed tables of a history. Commits are numbered newest first; files in the order of paths.
#[derive(Clone, Copy, Debug)]
pub struct HistoryView<'a> {
    pub head: Option<CommitId>,
    /// Commit time of the head: ages are measured from here, never from a clock.
    pub head_time: i64,
    /// True when older commits exist that the limits left out.
    pub cut: bool,
    pub(crate) limits: crate::Limits,
    pub(crate) prefix: &'a str,
    pub(crate) commits: &'a [CommitRow],
    pub(crate) parents: &'a [CommitId],
    pub(crate) touches: &'a [TouchRow],
    pub(crate) people: Strings<'a>,
    pub(crate) paths: Strings<'a>,
    pub(crate) text: &'a [u8],
    pub(crate) files: &'a [FileRow],
    pub(crate) file_commits: &'a [u32],
    pub(crate) partners: &'a [PartnerRow],
}

/// How often and how recently a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Churn {
    /// Non-merge commits that touched it.
    pub commits: u32,
    /// Number of the newest of them.
    pub newest: u32,
    /// Seconds from the newest of them to the head; 0 where clocks ran backwards.
    pub age: i64,
}

impl<'a> HistoryView<'a> {
    /// Returns the number of commits.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Returns a commit by number.
    pub fn commit(&self, number: u32) -> Option<CommitView<'a>> {
        let row = self.commits.get(number as usize)?;
        let previous = (number as usize)
            .checked_sub(1)
            .and_then(|at| self.commits.get(at))
            .copied()
            .unwrap_or_default();
        Some(CommitView { number, row, previous, history: *self })
    }

    /// Returns all commits, newest first.
    pub fn commits(self) -> impl Iterator<Item = CommitView<'a>> {
        (0..self.commits.len() as u32).filter_map(move |number| self.commit(number))
    }

    /// Returns the number of a commit by a scan of the table.
    pub fn find_commit(&self, id: CommitId) -> Option<u32> {
        self.commits.iter().position(|row| row.id == id).map(|at| at as u32)
    }

    /// Returns the number of paths in the file table.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Returns the number of a path.
    pub fn file(&self, path: &str) -> Option<u32> {
        let (mut low, mut high) = (0u32, self.files.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.path(middle).cmp(path) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// Returns the path of a file, relative to the root.
    pub fn path(&self, file: u32) -> &'a str {
        self.paths.get(StrId(file.saturating_add(1)))
    }

    /// True when the path exists at the head.
    pub fn is_present(&self, file: u32) -> bool {
        self.files.get(file as usize).is_some_and(|row| row.flags & file_flag::PRESENT != 0)
    }

    /// Returns the numbers of the non-merge commits that touched the file under any of its names,
    /// newest first.
    pub fn file_commits(&self, file: u32) -> &'a [u32] {
        let (previous, row) = self.file_rows(file);
        slice(self.file_commits, previous.commits_end, row.commits_end)
    }

    /// Returns the files most often touched together with this one, most often first.
    pub fn partners(&self, file: u32) -> &'a [PartnerRow] {
        let (previous, row) = self.file_rows(file);
        slice(self.partners, previous.partners_end, row.partners_end)
    }

    /// Returns how often and how recently the file changed; `None` when no commit touched it.
    pub fn churn(&self, file: u32) -> Option<Churn> {
        let commits = self.file_commits(file);
        let newest = *commits.first()?;
        let age =
            self.head_time.saturating_sub(self.commits.get(newest as usize)?.commit_time).max(0);
        Some(Churn { commits: commits.len() as u32, newest, age })
    }

    fn file_rows(&self, file: u32) -> (FileRow, FileRow) {
        let row =
            |at: Option<usize>| at.and_then(|at| self.files.get(at)).copied().unwrap_or_default();
        (row((file as usize).checked_sub(1)), row(Some(file as usize)))
    }
}

/// One commit of a [`HistoryView`].
#[derive(Clone, Copy, Debug)]
pub struct CommitView<'a> {
    pub number: u32,
    row: &'a CommitRow,
    previous: CommitRow,
    history: HistoryView<'a>,
}

impl<'a> CommitView<'a> {
    pub fn id(&self) -> CommitId {
        self.row.id
    }

    pub fn subject(&self) -> &'a str {
        text(self.history.text, self.previous.body_end, self.row.subject_end)
    }

    pub fn body(&self) -> &'a str {
        text(self.history.text, self.row.subject_end, self.row.body_end)
    }

    pub fn author_name(&self) -> &'a str {
        self.history.people.get(StrId(self.row.author.saturating_mul(2).saturating_add(1)))
    }

    pub fn author_email(&self) -> &'a str {
        self.history.people.get(StrId(self.row.author.saturating_mul(2).saturating_add(2)))
    }

    /// Returns seconds since 1970.
    pub fn author_time(&self) -> i64 {
        self.row.author_time
    }

    /// Returns seconds since 1970.
    pub fn commit_time(&self) -> i64 {
        self.row.commit_time
    }

    pub fn parents(&self) -> &'a [CommitId] {
        slice(self.history.parents, self.previous.parents_end, self.row.parents_end)
    }

    /// Returns the touched files below the root, in path order; none for merges.
    pub fn touches(&self) -> &'a [TouchRow] {
        slice(self.history.touches, self.previous.touches_end, self.row.touches_end)
    }

    /// Returns the number of touched files outside the root.
    pub fn outside(&self) -> u32 {
        self.row.outside
    }

    pub fn is_merge(&self) -> bool {
        self.has(commit_flag::MERGE)
    }

    /// Tells a property of [`commit_flag`].
    pub fn has(&self, flag: u32) -> bool {
        self.row.flags & flag != 0
    }

    pub(crate) fn flags(&self) -> u32 {
        self.row.flags
    }

    /// Returns the touched paths as they were called then, with the path before a rename.
    pub fn changes(&self) -> impl Iterator<Item = (ChangeKind, &'a str, Option<&'a str>)> {
        let history = self.history;
        self.touches().iter().map(move |touch| {
            let from = (touch.from != NONE).then(|| history.path(touch.from));
            (touch.kind(), history.path(touch.path), from)
        })
    }
}

fn slice<T>(rows: &[T], start: u32, end: u32) -> &[T] {
    rows.get(start as usize..end as usize).unwrap_or_default()
}

fn text(bytes: &[u8], start: u32, end: u32) -> &str {
    std::str::from_utf8(slice(bytes, start, end)).unwrap_or_default()
}
