//! The [`Ledger`] in one SQLite file.

use crate::database::{Database, OpenOptions};
use crate::encryption::{self, EncryptionKey};
use crate::error::{Result, StoreError};
use crate::ledger::*;
use crate::ledger::{
    bootstrap, chunks, embeddings, errors, feedback, files, jobs, layer, links, meta, packs,
    projects, returned, sessions, stats, usage,
};
use crate::migrations::LEDGER;
use crate::process::Liveness;
use crate::quarantine::beside;
use contextd_model::Problem;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;

/// Name under which the time of the last backup is kept.
const LAST_BACKUP: &str = "last_backup_at";

/// The ledger in a SQLite file (WAL): one writer at a time, any number of readers, several processes.
pub struct SqliteLedger {
    database: Database,
    key: Option<EncryptionKey>,
}

impl SqliteLedger {
    /// Opens or creates the ledger at `path`; jobs of processes that are gone become `failed`.
    pub fn open(path: &Path) -> Result<(Self, Vec<Problem>)> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens or creates the ledger with a key or a full check.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<(Self, Vec<Problem>)> {
        let (database, problems) = Database::open(path, &LEDGER, options)?;
        let mut ledger = Self { database, key: options.key.clone() };
        if ledger.database.read(jobs::any_orphan)? {
            ledger
                .database
                .write(|tx| jobs::interrupt(tx, |job| job.owner.liveness() == Liveness::Gone))?;
        }
        Ok((ledger, problems))
    }

    /// Opens a ledger that vanishes with the value, for work without an index folder.
    pub fn in_memory() -> Result<Self> {
        Ok(Self { database: Database::in_memory(&LEDGER)?, key: None })
    }
}

impl Ledger for SqliteLedger {
    fn replace_files(&mut self, changed: &[FileRecord], removed: &[String]) -> Result<Vec<FileId>> {
        self.database.write(|tx| files::replace(tx, changed, removed))
    }

    fn file_states(&self) -> Result<Vec<FileState>> {
        self.database.read(files::all)
    }

    fn file_states_at(&self, paths: &[&str]) -> Result<Vec<FileState>> {
        self.database.read(|connection| files::at(connection, paths))
    }

    fn file_state(&self, path: &str) -> Result<Option<FileState>> {
        self.database.read(|connection| files::one(connection, path))
    }

    fn file_ids(&self, paths: &[&str]) -> Result<Vec<Option<FileId>>> {
        self.database.read_once(|connection| files::ids(connection, paths))
    }

    fn clear_files(&mut self, scope: &JobScope, clear_errors: bool) -> Result<usize> {
        self.database.write(|tx| files::clear(tx, scope, clear_errors))
    }

    fn replace_chunks(&mut self, files: &[FileChunks]) -> Result<()> {
        self.database.write(|tx| chunks::replace(tx, files))
    }

    fn chunks(&self, file: FileId) -> Result<Vec<StoredChunk>> {
        self.database.read(|connection| chunks::of_file(connection, file))
    }

    fn replace_links(&mut self, files: &[FileLinks]) -> Result<()> {
        self.database.write(|tx| links::replace(tx, files))
    }

    fn links(&self, source: FileId) -> Result<Vec<LinkRecord>> {
        self.database.read(|connection| links::of_file(connection, source))
    }

    fn replace_layer(&mut self, snapshot: &str, records: &[String]) -> Result<()> {
        self.database.write(|tx| layer::replace(tx, snapshot, records))
    }

    fn layer(&self) -> Result<Option<(String, Vec<String>)>> {
        self.database.read(layer::all)
    }

    fn put_embeddings(&mut self, embeddings: &[Embedding]) -> Result<()> {
        self.database.write(|tx| embeddings::put(tx, embeddings))
    }

    fn embeddings(&self, model: &str, chunks: &[ChunkId]) -> Result<Vec<Option<Embedding>>> {
        self.database.read_once(|connection| embeddings::of_chunks(connection, model, chunks))
    }

    fn keep_embeddings_of(&mut self, model: &str) -> Result<usize> {
        self.database.write(|tx| embeddings::keep_only(tx, model))
    }

    fn bootstrap_start(&mut self, paths: &[String]) -> Result<()> {
        self.database.write(|tx| bootstrap::start(tx, paths))
    }

    fn bootstrap_mark(&mut self, files: &[BootstrapFile]) -> Result<()> {
        self.database.write(|tx| bootstrap::mark(tx, files))
    }

    fn bootstrap_pending(&self) -> Result<Option<Vec<String>>> {
        self.database.read_once(bootstrap::pending)
    }

    fn bootstrap_counts(&self) -> Result<Option<BootstrapCounts>> {
        self.database.read_once(bootstrap::counts)
    }

    fn bootstrap_finish(&mut self) -> Result<()> {
        self.database.write(|tx| bootstrap::finish(tx))
    }

    fn record_errors(&mut self, errors: &[ErrorRecord]) -> Result<()> {
        self.database.write(|tx| errors::record(tx, errors))
    }

    fn errors(&self) -> Result<Vec<FileError>> {
        self.database.read(errors::all)
    }

    fn clear_errors(&mut self, paths: Option<&[String]>) -> Result<usize> {
        self.database.write(|tx| errors::clear(tx, paths))
    }

    fn retryable(&self, max_retries: u32) -> Result<Vec<String>> {
        self.database.read(|connection| errors::retryable(connection, max_retries))
    }

    fn job_create(&mut self, job: &NewJob, now: i64) -> Result<()> {
        self.database.write(|tx| jobs::create(tx, job, now))
    }

    fn job_start(&mut self, job_id: &str, now: i64) -> Result<JobSignal> {
        self.database.write(|tx| jobs::start(tx, job_id, now))
    }

    fn job_update(&mut self, job_id: &str, progress: &JobProgress, now: i64) -> Result<JobSignal> {
        self.database.write(|tx| jobs::update(tx, job_id, progress, now))
    }

    fn job_finish(&mut self, job_id: &str, outcome: &JobOutcome, now: i64) -> Result<()> {
        self.database.write(|tx| jobs::finish(tx, job_id, outcome, now))
    }

    fn job_cancel(&mut self, job_id: &str, now: i64) -> Result<bool> {
        self.database.write(|tx| jobs::cancel(tx, job_id, now))
    }

    fn job(&self, job_id: &str) -> Result<Option<Job>> {
        self.database.read(|connection| jobs::one(connection, job_id))
    }

    fn jobs(&self, status: Option<JobStatus>, limit: usize) -> Result<Vec<Job>> {
        self.database.read(|connection| jobs::newest(connection, status, limit))
    }

    fn job_log(&mut self, job_id: &str, level: LogLevel, message: &str, now: i64) -> Result<()> {
        self.database.write(|tx| jobs::log(tx, job_id, level, message, now))
    }

    fn job_logs(&self, job_id: &str) -> Result<Vec<JobLog>> {
        self.database.read(|connection| jobs::logs(connection, job_id))
    }

    fn job_reap(&mut self, now: i64, silence_ms: i64) -> Result<Vec<String>> {
        self.database.write(|tx| jobs::reap(tx, now, silence_ms))
    }

    fn job_prune(&mut self, keep: usize) -> Result<usize> {
        self.database.write(|tx| jobs::prune(tx, keep))
    }

    fn set_project_config(&mut self, config: &ProjectConfig, now: i64) -> Result<bool> {
        self.database.write(|tx| projects::set(tx, config, now))
    }

    fn project_config(&self, project: &str) -> Result<Option<ProjectConfig>> {
        self.database.read(|connection| projects::get(connection, project))
    }

    fn usage_record(&mut self, records: &[UsageRecord]) -> Result<()> {
        self.database.write(|tx| usage::record(tx, records))
    }

    fn usage_query(&self, filter: &UsageFilter) -> Result<Vec<UsageRecord>> {
        self.database.read(|connection| usage::query(connection, filter))
    }

    fn usage_summary(&self, filter: &UsageFilter) -> Result<UsageSummary> {
        self.database.read(|connection| usage::summary(connection, filter))
    }

    fn usage_savings(&self, limit: usize) -> Result<Vec<TaskSavings>> {
        self.database.read(|connection| usage::savings(connection, limit))
    }

    fn usage_by_day(&self, op: &str) -> Result<Vec<DayUsage>> {
        self.database.read(|connection| usage::by_day(connection, op))
    }

    fn usage_answered(&mut self, answers: &[Answered<'_>]) -> Result<()> {
        self.database.write(|tx| returned::record(tx, answers))
    }

    fn returned(&self, pack_id: &str) -> Result<Option<Returned>> {
        self.database.read(|connection| returned::get(connection, pack_id))
    }

    fn last_returned(&self, session_id: &str) -> Result<Option<String>> {
        self.database.read(|connection| returned::last(connection, session_id))
    }

    fn usage_used(
        &mut self,
        pack_id: &str,
        used: &std::collections::BTreeSet<String>,
    ) -> Result<()> {
        self.database.write(|tx| returned::mark_used(tx, pack_id, used))
    }

    fn usage_groups(&self, by: UsageBy, filter: &UsageFilter) -> Result<Vec<UsageGroup>> {
        self.database.read(|connection| returned::groups(connection, by, filter))
    }

    fn usage_providers(&self) -> Result<Vec<ProviderUsage>> {
        self.database.read(returned::providers)
    }

    fn put_pack(&mut self, pack: &PackRecord) -> Result<()> {
        self.database.write(|tx| packs::put(tx, pack))
    }

    fn get_pack(&self, pack_id: &str) -> Result<Option<PackRecord>> {
        self.database.read(|connection| packs::get(connection, pack_id))
    }

    fn list_packs(&self, limit: usize) -> Result<Vec<PackSummary>> {
        self.database.read(|connection| packs::newest(connection, limit))
    }

    fn prune_packs(&mut self, keep: usize) -> Result<usize> {
        self.database.write(|tx| packs::prune(tx, keep))
    }

    fn put_feedback(&mut self, feedback: &[Feedback]) -> Result<()> {
        self.database.write(|tx| feedback::put(tx, feedback))
    }

    fn feedback(&self, filter: &FeedbackFilter) -> Result<Vec<Feedback>> {
        self.database.read(|connection| feedback::matching(connection, filter))
    }

    fn forget_feedback(&mut self, filter: &FeedbackFilter) -> Result<usize> {
        self.database.write(|tx| feedback::forget(tx, filter))
    }

    fn feedback_stamp(&self) -> Result<(i64, i64)> {
        self.database.read(feedback::stamp)
    }

    fn put_session(&mut self, session: &Session) -> Result<()> {
        self.database.write(|tx| sessions::put(tx, session))
    }

    fn session(&self, session_id: &str) -> Result<Option<Session>> {
        self.database.read(|connection| sessions::get(connection, session_id))
    }

    fn update_session(
        &mut self,
        session_id: &str,
        change: &mut dyn FnMut(Option<Session>) -> Session,
    ) -> Result<Session> {
        self.database.write(|tx| sessions::update(tx, session_id, change))
    }

    fn sessions(&self, limit: usize) -> Result<Vec<Session>> {
        self.database.read(|connection| sessions::newest(connection, limit))
    }

    fn forget_session(&mut self, session_id: &str) -> Result<usize> {
        self.database.write(|tx| sessions::forget(tx, session_id))
    }

    fn expire_sessions(&mut self, before: i64) -> Result<usize> {
        self.database.write(|tx| sessions::expire(tx, before))
    }

    fn set_meta(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        self.database.write(|tx| meta::set(tx, key, value))
    }

    fn meta(&self, key: &str) -> Result<Option<String>> {
        self.database.read(|connection| meta::get(connection, key))
    }

    fn stats(&self) -> Result<LedgerStats> {
        self.database.read_once(stats::totals)
    }

    fn settle(&mut self) -> Result<()> {
        self.database.checkpoint()
    }

    fn vacuum(&mut self) -> Result<()> {
        self.database.write(|tx| links::remove_dangling(tx))?;
        self.database
            .read(|connection| Ok(connection.execute_batch("VACUUM; PRAGMA optimize;")?))?;
        self.database.checkpoint()
    }

    fn size_bytes(&self) -> u64 {
        self.database.size_bytes()
    }

    fn check(&self) -> Result<Vec<String>> {
        self.database.check()
    }

    fn backup_to(&mut self, target: &Path, now: i64) -> Result<()> {
        if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|source| StoreError::io(folder, source))?;
        }
        let partial = beside(target, ".partial");
        self.database.read(|connection| copy_to(connection, &partial, self.key.as_ref()))?;
        std::fs::rename(&partial, target).map_err(|source| StoreError::io(target, source))?;
        self.set_meta(LAST_BACKUP, Some(&now.to_string()))
    }

    fn backup_due(&self, interval_ms: i64, now: i64) -> Result<bool> {
        let last = self.meta(LAST_BACKUP)?.and_then(|text| text.parse::<i64>().ok());
        Ok(last.is_none_or(|last| now.saturating_sub(last) >= interval_ms))
    }
}

/// Copies the database page by page; a leftover of an interrupted copy is overwritten.
fn copy_to(connection: &Connection, partial: &Path, key: Option<&EncryptionKey>) -> Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let leftover = beside(partial, suffix);
        match std::fs::remove_file(&leftover) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io(&leftover, source));
            }
            _ => {}
        }
    }
    let mut copy = Connection::open(partial)?;
    encryption::unlock(&copy, key)?;
    let backup = Backup::new(connection, &mut copy)?;
    // All pages in one step: a reader of a WAL database is in nobody's way, and a copy in several
    // steps starts over whenever another process writes in between.
    while backup.step(-1)? != StepResult::Done {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(backup);
    Ok(copy.close().map_err(|(_, error)| error)?)
}
