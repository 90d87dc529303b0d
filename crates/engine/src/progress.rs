//! What an index run tells while it goes on.

/// A part of an index run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Scan,
    Extract,
    Link,
    Record,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Scan => "scanning",
            Stage::Extract => "reading",
            Stage::Link => "linking",
            Stage::Record => "recording",
        }
    }
}

/// Hears how far a run has come; called from several threads.
pub trait Progress: Sync {
    /// A stage begins; `total` units of work are known, 0 when not.
    fn begin(&self, stage: Stage, total: u64);
    /// So many units of the current stage are done.
    fn advance(&self, done: u64);
    /// A file is being read; of several at once, any.
    fn file(&self, _path: &str) {}
    /// True when the run should end; asked between batches of files.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: Stage, _total: u64) {}
    fn advance(&self, _done: u64) {}
}
