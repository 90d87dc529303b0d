//! Ledger rows that follow a publication: files, errors, chunks, links.

mod chunks;
mod links;

use crate::changes::Changes;
use crate::engine::Engine;
use crate::error::Result;
use crate::extraction::Outcome;
use crate::linking::Relinked;
use crate::update::Published;
use contextd_model::ContentHash;
use contextd_snapshot::{Snapshot, SnapshotName};
use contextd_store::{ErrorRecord, FileRecord, FileState, FileStatus, Ledger, ProjectConfig};
use rustc_hash::{FxHashMap, FxHashSet};

/// Name under which the ledger keeps the snapshot that its rows belong to.
const SNAPSHOT: &str = "snapshot";

/// Returns the snapshot that the ledger's rows belong to; `None` while they are being written.
pub fn recorded(ledger: &dyn Ledger) -> Result<Option<SnapshotName>> {
    Ok(ledger.meta(SNAPSHOT)?.as_deref().and_then(ContentHash::from_hex).map(SnapshotName))
}

/// Everything that a run's rows are made of.
pub struct Recording<'r> {
    pub engine: &'r Engine,
    /// The snapshot just published.
    pub snapshot: &'r Snapshot,
    pub outcomes: &'r [Outcome],
    pub changes: &'r Changes,
    pub published: &'r Published,
    /// Rows of files that did not change are right; otherwise all are written again.
    pub complete: bool,
    pub now: i64,
}

impl Recording<'_> {
    /// Writes the rows. Killed in between, the next run finds no snapshot named and writes them all.
    pub fn write(&self, ledger: &mut dyn Ledger) -> Result<()> {
        ledger.set_meta(SNAPSHOT, None)?;
        // First, so that the rows that follow take its place in the file.
        ledger.bootstrap_finish()?;
        let mut records: Vec<FileRecord> = Vec::new();
        let lost: FxHashSet<&str> = self.published.lost.iter().map(String::as_str).collect();
        records.extend(
            self.outcomes
                .iter()
                .map(|outcome| file_record(self.engine, outcome, self.now))
                .filter(|record| !lost.contains(record.path.as_str())),
        );
        if !self.complete {
            records.extend(
                self.changes
                    .same
                    .iter()
                    .map(|state| state.record.clone())
                    .filter(|record| !lost.contains(record.path.as_str())),
            );
        }
        let removed: Vec<String> =
            self.changes.removed.iter().chain(&self.published.lost).cloned().collect();
        ledger.replace_files(&[], &removed)?;
        let written = chunks::write(ledger, self.snapshot, records)?;
        links::write(
            ledger,
            self.snapshot,
            if self.complete { &self.published.relinked } else { &Relinked::All },
            &written,
        )?;
        self.write_errors(ledger)?;
        ledger.set_project_config(&project_config(self.engine), self.now)?;
        ledger.set_meta(SNAPSHOT, Some(&self.published.name.0.to_hex()))?;
        Ok(())
    }

    fn write_errors(&self, ledger: &mut dyn Ledger) -> Result<()> {
        record_errors(ledger, self.outcomes, self.now)?;
        if !self.changes.removed.is_empty() {
            ledger.clear_errors(Some(&self.changes.removed))?;
        }
        Ok(())
    }
}

/// Records new states of files whose content is what it was.
pub fn restamp(
    engine: &Engine,
    ledger: &mut dyn Ledger,
    outcomes: &[Outcome],
    before: &FxHashMap<String, FileState>,
    now: i64,
) -> Result<()> {
    let record = |outcome: &Outcome| {
        let record = file_record(engine, outcome, now);
        match before.get(&outcome.entry.rel).map(|state| &state.record) {
            Some(old) => FileRecord {
                lines: old.lines,
                symbols: old.symbols,
                chunks: old.chunks,
                tokens: old.tokens,
                ..record
            },
            None => record,
        }
    };
    let records: Vec<FileRecord> = outcomes.iter().map(record).collect();
    ledger.replace_files(&records, &[])?;
    record_errors(ledger, outcomes, now)
}

/// Copies the ledger beside itself when the last copy is old enough.
pub fn back_up(engine: &Engine, ledger: &mut dyn Ledger, now: i64) -> contextd_store::Result<()> {
    let interval = i64::try_from(engine.config.storage.backup_interval_hours)
        .unwrap_or(i64::MAX)
        .saturating_mul(3_600_000);
    if ledger.backup_due(interval, now)? {
        ledger.backup_to(&engine.places.ledger_backup(), now)?;
    }
    Ok(())
}

fn record_errors(ledger: &mut dyn Ledger, outcomes: &[Outcome], now: i64) -> Result<()> {
    let errors: Vec<ErrorRecord> =
        outcomes.iter().filter_map(|outcome| error_record(outcome, now)).collect();
    if !ledger.errors()?.is_empty() {
        let healed: Vec<String> = outcomes
            .iter()
            .filter(|outcome| outcome.result.is_ok())
            .map(|outcome| outcome.entry.rel.clone())
            .collect();
        ledger.clear_errors(Some(&healed))?;
    }
    if !errors.is_empty() {
        ledger.record_errors(&errors)?;
    }
    Ok(())
}

fn file_record(engine: &Engine, outcome: &Outcome, now: i64) -> FileRecord {
    let entry = &outcome.entry;
    let (hash, lang, status) = match &outcome.result {
        Ok(known) => (known.hash, known.language.name(), FileStatus::Indexed),
        Err(left) if left.problem.is_some() => (ContentHash::default(), "", FileStatus::Failed),
        Err(_) => (ContentHash::default(), "", FileStatus::Skipped),
    };
    FileRecord {
        path: entry.rel.clone(),
        lang: lang.to_owned(),
        content_hash: hash,
        size: entry.size,
        mtime_ns: entry.mtime_ns,
        ctime_ns: entry.ctime_ns,
        inode: entry.inode,
        mode: entry.mode,
        status,
        indexed_at: now,
        project: engine
            .scanner
            .projects_of(&entry.rel)
            .first()
            .map(|name| (*name).to_owned())
            .unwrap_or_default(),
        lines: 0,
        symbols: 0,
        chunks: 0,
        tokens: 0,
    }
}

fn error_record(outcome: &Outcome, now: i64) -> Option<ErrorRecord> {
    let left = outcome.result.as_ref().err()?;
    let problem = left.problem.as_ref()?;
    Some(ErrorRecord {
        file_path: outcome.entry.rel.clone(),
        error_type: problem.code.to_owned(),
        error_message: left.detail.clone(),
        stack_trace: None,
        occurred_at: now,
    })
}

fn project_config(engine: &Engine) -> ProjectConfig {
    let config = &engine.config;
    ProjectConfig {
        project: String::new(),
        watch_paths: config.watcher.watch_paths.clone(),
        ignore_patterns: config.watcher.ignore_patterns.clone().unwrap_or_default(),
        allowed_extensions: config.indexing.allowed_extensions.clone(),
        blocked_extensions: config.indexing.blocked_extensions.clone(),
        max_file_size_mb: config.indexing.max_file_size_mb,
        follow_symlinks: config.indexing.follow_symlinks,
        fingerprint: config.fingerprint().all(),
    }
}
