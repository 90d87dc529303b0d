//! The order of a first run, and the snapshot that it publishes on the way.
//!
//! A first run over many files takes a while. Small files come first, then code, documents, settings
//! and large files, and after the first of them questions can be asked. The last snapshot does not
//! depend on any of this.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::extraction::{BATCH, Known, Left, Outcome};
use contextd_scan::FileEntry;
use contextd_snapshot::SnapshotName;
use contextd_store::{BootstrapFile, BootstrapStatus, Ledger};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// From this many files on a first run publishes early.
const MANY_FILES: usize = 3_000;
/// Files in the first snapshot, which is thrown away: they are written and linked twice.
const FIRST_FILES: usize = BATCH;
/// Files up to this size come first.
const SMALL: u64 = 10 * 1024;
/// Files above this size come last.
const LARGE: u64 = 256 * 1024;

/// The files of a run in the order they are read.
pub struct Plan {
    rest: Vec<FileEntry>,
    /// A first run of many files.
    is_long: bool,
    published: bool,
    /// The texts do not fit into memory.
    is_large: bool,
    /// Files that are done and not yet recorded as such.
    done: Vec<BootstrapFile>,
    /// When some were recorded last.
    recorded: Instant,
}

/// Time between two records of how far a first run is: each is a transaction of its own, and nobody looks more often.
const RECORD_EVERY: Duration = Duration::from_secs(1);

impl Plan {
    /// Orders the files; `first` tells that there is no snapshot yet.
    pub fn new(engine: &Engine, mut entries: Vec<FileEntry>, first: bool) -> Self {
        let is_long = first && entries.len() > MANY_FILES;
        if is_long {
            let chosen = &engine.config.bootstrap.priority_extensions;
            entries.sort_by_cached_key(|entry| (priority(entry, chosen), entry.rel.clone()));
        }
        let is_large =
            entries.iter().map(|entry| entry.size).sum::<u64>() > engine.max_texts as u64;
        // Batches are taken off the end.
        entries.reverse();
        Self {
            rest: entries,
            is_long,
            published: false,
            is_large,
            done: Vec::new(),
            recorded: Instant::now(),
        }
    }

    /// Lists the files of a first run where other processes can see how far it is.
    pub fn begin(&self, ledger: &mut dyn Ledger) -> Result<()> {
        if self.is_long {
            let paths: Vec<String> = self.rest.iter().map(|entry| entry.rel.clone()).collect();
            ledger.bootstrap_start(&paths)?;
        }
        Ok(())
    }

    /// Returns the files to read next, `None` when the others are better read shard by shard.
    pub fn next_batch(&mut self) -> Option<Vec<FileEntry>> {
        if self.is_large && (self.published || !self.is_long) {
            return None;
        }
        let at = self.rest.len().saturating_sub(BATCH);
        let mut batch = self.rest.split_off(at);
        batch.reverse();
        (!batch.is_empty()).then_some(batch)
    }

    /// Hands out the files that no batch had.
    pub fn take_rest(&mut self) -> Vec<FileEntry> {
        std::mem::take(&mut self.rest)
    }

    /// Records the files of a first run that could not be read.
    pub fn mark_failed(
        &self,
        ledger: &mut dyn Ledger,
        outcomes: &[Outcome],
        now: i64,
    ) -> Result<()> {
        let failures = outcomes
            .iter()
            .filter_map(|outcome| Some((&outcome.entry.rel, outcome.result.as_ref().err()?)));
        let files: Vec<BootstrapFile> =
            failures.map(|(path, left)| failed(path, left, now)).collect();
        if self.is_long && !files.is_empty() {
            ledger.bootstrap_mark(&files)?;
        }
        Ok(())
    }

    /// Records how far a first run has come, now and then.
    pub fn mark(&mut self, ledger: &mut dyn Ledger, files: &[&Known], now: i64) -> Result<()> {
        if self.is_long {
            let done = |file: &&Known| BootstrapFile {
                path: file.path.clone(),
                status: BootstrapStatus::Completed,
                at: now,
                error_message: None,
            };
            self.done.extend(files.iter().map(done));
            if self.recorded.elapsed() >= RECORD_EVERY {
                self.record(ledger)?;
            }
        }
        Ok(())
    }

    /// Records what is done.
    pub fn record(&mut self, ledger: &mut dyn Ledger) -> Result<()> {
        ledger.bootstrap_mark(&std::mem::take(&mut self.done))?;
        self.recorded = Instant::now();
        Ok(())
    }

    /// True once, when enough files of a long first run are read.
    pub fn is_time_to_publish(&mut self, done: usize) -> bool {
        let due = self.is_long && !self.published && done >= FIRST_FILES && !self.rest.is_empty();
        self.published |= due;
        due
    }
}

/// A file that was left out by a rule counts as done, one with a problem does not.
fn failed(path: &str, left: &Left, now: i64) -> BootstrapFile {
    let status =
        if left.problem.is_some() { BootstrapStatus::Failed } else { BootstrapStatus::Completed };
    let error_message = left.problem.is_some().then(|| left.detail.clone());
    BootstrapFile { path: path.to_owned(), status, at: now, error_message }
}

/// Returns the place of a file in the queue, the first first.
fn priority(entry: &FileEntry, chosen: &[String]) -> u8 {
    // The name alone tells the language well enough for an order.
    let is_code = contextd_lang::detect(&entry.rel, "").get().full;
    let is_first =
        is_code || chosen.iter().any(|extension| entry.rel.ends_with(extension.as_str()));
    match entry.size {
        size if size > LARGE => 5,
        size if size <= SMALL && is_first => 0,
        size if size <= SMALL => 1,
        _ if is_first => 2,
        _ if contextd_lang::paths::is_documentation(&entry.rel) => 3,
        _ => 4,
    }
}

/// Says that the published snapshot holds a part of the files.
pub fn mark_partial(index: &Path, name: SnapshotName) -> Result<()> {
    let path = mark_path(index);
    fs::write(&path, name.0.to_hex()).map_err(|source| EngineError::Io {
        what: "cannot write",
        path,
        source,
    })
}

/// Takes the mark away when another snapshot is published.
pub fn unmark_partial(index: &Path) {
    // A mark that stays names another snapshot and means nothing.
    let _ = fs::remove_file(mark_path(index));
}

/// True when the snapshot was published before all files were read.
pub fn is_partial(index: &Path, name: SnapshotName) -> bool {
    fs::read_to_string(mark_path(index)).is_ok_and(|text| text.trim() == name.0.to_hex())
}

fn mark_path(index: &Path) -> PathBuf {
    index.join("PARTIAL")
}
