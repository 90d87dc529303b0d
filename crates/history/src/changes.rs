//! Changed files and lines, whether they come from git or from a patch text.

use crate::rows::{ChangeKind, CommitId};

/// Files that differ between two states, in path order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Commit the old side was read at.
    pub base: Option<CommitId>,
    /// Commit the new side was read at; `None` for the work tree and for patches.
    pub head: Option<CommitId>,
    pub files: Vec<FileChange>,
    /// Changed files outside the root.
    pub outside: u32,
}

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Path on the new side; of a deleted file the path it had.
    pub path: String,
    /// Path on the old side of a renamed file.
    pub from: Option<String>,
    pub kind: ChangeKind,
    /// Changed lines in order; empty when binary, when only the mode or the name changed, and when
    /// a side could not be read.
    pub hunks: Vec<Hunk>,
    /// No lines to compare: binary, a link or a submodule.
    pub binary: bool,
}

impl FileChange {
    /// Returns the path on the old side, or `None` for an added file.
    pub fn old_path(&self) -> Option<&str> {
        match self.kind {
            ChangeKind::Added => None,
            _ => Some(self.from.as_deref().unwrap_or(&self.path)),
        }
    }

    /// Returns the path on the new side, or `None` for a deleted file.
    pub fn new_path(&self) -> Option<&str> {
        (self.kind != ChangeKind::Deleted).then_some(self.path.as_str())
    }
}

/// Lines that were replaced by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hunk {
    pub old: LineRange,
    pub new: LineRange,
}

/// Consecutive lines. With no lines, `start` is the line the place lies before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct LineRange {
    /// One-based.
    pub start: u32,
    pub count: u32,
}

impl LineRange {
    /// Returns the line after the last.
    pub fn end(&self) -> u32 {
        self.start.saturating_add(self.count)
    }

    /// Tells whether the lines touch `first..=last`. An empty range touches what surrounds its
    /// place: lines inserted between two lines of a span change the span.
    pub fn touches(&self, first: u32, last: u32) -> bool {
        if self.count == 0 {
            return self.start > first && self.start <= last;
        }
        self.start <= last && self.end() > first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_touch_spans() {
        let range = |start, count| LineRange { start, count };
        assert!(range(3, 2).touches(4, 9));
        assert!(range(3, 2).touches(1, 3));
        assert!(!range(3, 2).touches(5, 9));
        assert!(!range(3, 2).touches(1, 2));
        assert!(range(3, 0).touches(2, 3));
        assert!(!range(3, 0).touches(3, 9));
        assert!(!range(3, 0).touches(1, 2));
    }
}
