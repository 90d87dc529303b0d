//! The ledger: what contextd knows about files, jobs, packs and its own use, as tables.

pub(crate) mod bootstrap;
pub(crate) mod chunks;
pub(crate) mod embeddings;
pub(crate) mod errors;
pub(crate) mod feedback;
pub(crate) mod files;
pub(crate) mod jobs;
pub(crate) mod json;
pub(crate) mod layer;
pub(crate) mod links;
pub(crate) mod many_rows;
pub(crate) mod meta;
pub(crate) mod packs;
pub(crate) mod projects;
pub(crate) mod returned;
pub(crate) mod sessions;
pub(crate) mod stats;
pub(crate) mod usage;

pub use bootstrap::{BootstrapCounts, BootstrapFile, BootstrapStatus};
pub use chunks::{ChunkId, ChunkRecord, FileChunks, StoredChunk};
pub use embeddings::{Embedding, VectorEncoding};
pub use errors::{ErrorRecord, FileError};
pub use feedback::{Feedback, FeedbackFilter, Verdict};
pub use files::{FileId, FileRecord, FileState, FileStatus};
pub use jobs::{
    Job, JobKind, JobLog, JobOutcome, JobProgress, JobScope, JobSignal, JobStatus, LogLevel, NewJob,
};
pub use links::{FileLinks, LinkRecord};
pub use packs::{PackRecord, PackSummary};
pub use projects::ProjectConfig;
pub use returned::{Answered, ProviderUsage, Returned, ReturnedItem, UsageBy, UsageGroup};
pub use sessions::Session;
pub use stats::{LanguageStats, LedgerStats};
pub use usage::{DayUsage, TaskSavings, UsageFilter, UsageRecord, UsageSummary};

use crate::error::Result;
use std::path::Path;

/// The tables beside the snapshot, behind one interface.
///
/// The engine opens one at its start and writes to it after a snapshot is published; servers and
/// commands of other processes open their own beside it. Every method that writes is one
/// transaction. Lists come in a fixed order. Times are Unix milliseconds given by the caller.
pub trait Ledger: Send {
    /// Adds or replaces files by path and forgets `removed` with everything that hangs on them;
    /// returns the ids of `changed`, in order. A path keeps its id as long as it stays.
    fn replace_files(&mut self, changed: &[FileRecord], removed: &[String]) -> Result<Vec<FileId>>;
    /// Returns every file, in path order.
    fn file_states(&self) -> Result<Vec<FileState>>;
    /// Returns the files that lie at some paths or below them, in path order.
    fn file_states_at(&self, paths: &[&str]) -> Result<Vec<FileState>>;
    /// Returns the file at `path`.
    fn file_state(&self, path: &str) -> Result<Option<FileState>>;
    /// Returns the ids of files by path.
    fn file_ids(&self, paths: &[&str]) -> Result<Vec<Option<FileId>>>;
    /// Forgets the files of `scope` as a rebuild does, maybe with their errors; returns how many.
    fn clear_files(&mut self, scope: &JobScope, clear_errors: bool) -> Result<usize>;

    /// Replaces the chunks of each given file; its embeddings go with the old ones.
    fn replace_chunks(&mut self, files: &[FileChunks]) -> Result<()>;
    /// Returns the chunks of a file, in order.
    fn chunks(&self, file: FileId) -> Result<Vec<StoredChunk>>;
    /// Replaces the links that start in each given file.
    fn replace_links(&mut self, files: &[FileLinks]) -> Result<()>;
    /// Returns the links that start in a file and end in a file that is still known.
    fn links(&self, source: FileId) -> Result<Vec<LinkRecord>>;
    /// Keeps what packs read of a snapshot, as records in their order; none forgets them.
    fn replace_layer(&mut self, snapshot: &str, records: &[String]) -> Result<()>;
    /// Returns the kept records and the snapshot they are of.
    fn layer(&self) -> Result<Option<(String, Vec<String>)>>;
    /// Adds or replaces vectors of chunks.
    fn put_embeddings(&mut self, embeddings: &[Embedding]) -> Result<()>;
    /// Returns the vector of each chunk under `model`.
    fn embeddings(&self, model: &str, chunks: &[ChunkId]) -> Result<Vec<Option<Embedding>>>;
    /// Forgets the vectors of every model but `model`; returns how many.
    fn keep_embeddings_of(&mut self, model: &str) -> Result<usize>;

    /// Begins a bootstrap of `paths`, all pending; one that was interrupted is thrown away.
    fn bootstrap_start(&mut self, paths: &[String]) -> Result<()>;
    /// Records how far files have come; files that the bootstrap does not know are ignored.
    fn bootstrap_mark(&mut self, files: &[BootstrapFile]) -> Result<()>;
    /// Returns the files still to do of an interrupted or running bootstrap, `None` when there is none.
    fn bootstrap_pending(&self) -> Result<Option<Vec<String>>>;
    /// Returns how many files of the bootstrap are in each state, `None` when there is none.
    fn bootstrap_counts(&self) -> Result<Option<BootstrapCounts>>;
    /// Ends the bootstrap and drops its table.
    fn bootstrap_finish(&mut self) -> Result<()>;

    /// Records failures of files; the same failure again counts as a retry.
    fn record_errors(&mut self, errors: &[ErrorRecord]) -> Result<()>;
    /// Returns the recorded failures, by path.
    fn errors(&self) -> Result<Vec<FileError>>;
    /// Forgets the failures of `paths`, or all of them; returns how many.
    fn clear_errors(&mut self, paths: Option<&[String]>) -> Result<usize>;
    /// Returns the files whose every failure was retried less than `max_retries` times, by path.
    fn retryable(&self, max_retries: u32) -> Result<Vec<String>>;

    /// Queues a job; an exclusive one is refused while another exclusive one waits or runs.
    fn job_create(&mut self, job: &NewJob, now: i64) -> Result<()>;
    /// Marks a queued job as running and says whether to go on.
    fn job_start(&mut self, job_id: &str, now: i64) -> Result<JobSignal>;
    /// Records progress and says whether to go on.
    fn job_update(&mut self, job_id: &str, progress: &JobProgress, now: i64) -> Result<JobSignal>;
    /// Ends a job.
    fn job_finish(&mut self, job_id: &str, outcome: &JobOutcome, now: i64) -> Result<()>;
    /// Cancels a queued job, asks a running one to stop; false when it has already ended.
    fn job_cancel(&mut self, job_id: &str, now: i64) -> Result<bool>;
    /// Returns a job.
    fn job(&self, job_id: &str) -> Result<Option<Job>>;
    /// Returns the newest jobs, at most `limit`, of one status or all.
    fn jobs(&self, status: Option<JobStatus>, limit: usize) -> Result<Vec<Job>>;
    /// Adds a line to a job's log.
    fn job_log(&mut self, job_id: &str, level: LogLevel, message: &str, now: i64) -> Result<()>;
    /// Returns a job's log, oldest first.
    fn job_logs(&self, job_id: &str) -> Result<Vec<JobLog>>;
    /// Fails jobs whose process is gone, or cannot be seen from here and was silent for `silence_ms`;
    /// returns their ids. Opening does the first half by itself.
    fn job_reap(&mut self, now: i64, silence_ms: i64) -> Result<Vec<String>>;
    /// Forgets all but the newest `keep` ended jobs and their logs; returns how many.
    fn job_prune(&mut self, keep: usize) -> Result<usize>;

    /// Stores the configuration of a project; true when it differs from the one in force.
    fn set_project_config(&mut self, config: &ProjectConfig, now: i64) -> Result<bool>;
    /// Returns the configuration of a project that is in force.
    fn project_config(&self, project: &str) -> Result<Option<ProjectConfig>>;

    /// Adds measurements of use.
    fn usage_record(&mut self, records: &[UsageRecord]) -> Result<()>;
    /// Returns measurements, oldest first.
    fn usage_query(&self, filter: &UsageFilter) -> Result<Vec<UsageRecord>>;
    /// Returns totals and means of measurements.
    fn usage_summary(&self, filter: &UsageFilter) -> Result<UsageSummary>;
    /// Returns the tasks that saved the largest share of tokens, best first.
    fn usage_savings(&self, limit: usize) -> Result<Vec<TaskSavings>>;
    /// Returns the mean tokens of an operation for each day (UTC), oldest first.
    fn usage_by_day(&self, op: &str) -> Result<Vec<DayUsage>>;

    /// Adds measurements of answers with what they held.
    fn usage_answered(&mut self, answers: &[Answered<'_>]) -> Result<()>;
    /// Returns the words of the request and the items of an answer, as long as they are kept.
    fn returned(&self, pack_id: &str) -> Result<Option<Returned>>;
    /// Returns the newest answer of a session that is still kept.
    fn last_returned(&self, session_id: &str) -> Result<Option<String>>;
    /// Notes which items of an answer were used.
    fn usage_used(
        &mut self,
        pack_id: &str,
        used: &std::collections::BTreeSet<String>,
    ) -> Result<()>;
    /// Returns sums of measurements in groups, in the order of their keys.
    fn usage_groups(&self, by: UsageBy, filter: &UsageFilter) -> Result<Vec<UsageGroup>>;
    /// Returns what each provider gave, and what of it was used.
    fn usage_providers(&self) -> Result<Vec<ProviderUsage>>;

    /// Stores a pack; the same id again changes nothing.
    fn put_pack(&mut self, pack: &PackRecord) -> Result<()>;
    /// Returns a pack with its body.
    fn get_pack(&self, pack_id: &str) -> Result<Option<PackRecord>>;
    /// Returns the newest packs without their bodies, at most `limit`.
    fn list_packs(&self, limit: usize) -> Result<Vec<PackSummary>>;
    /// Forgets all but the newest `keep` packs; returns how many.
    fn prune_packs(&mut self, keep: usize) -> Result<usize>;

    /// Adds judgements of what was returned.
    fn put_feedback(&mut self, feedback: &[Feedback]) -> Result<()>;
    /// Returns the judgements that are meant, in the order they came.
    fn feedback(&self, filter: &FeedbackFilter) -> Result<Vec<Feedback>>;
    /// Forgets judgements; returns how many.
    fn forget_feedback(&mut self, filter: &FeedbackFilter) -> Result<usize>;
    /// Returns numbers that change when judgements are added or forgotten.
    fn feedback_stamp(&self) -> Result<(i64, i64)>;
    /// Adds or replaces a session.
    fn put_session(&mut self, session: &Session) -> Result<()>;
    /// Returns a session.
    fn session(&self, session_id: &str) -> Result<Option<Session>>;
    /// Replaces a session by what `change` makes of it; no change of another writer is lost between.
    fn update_session(
        &mut self,
        session_id: &str,
        change: &mut dyn FnMut(Option<Session>) -> Session,
    ) -> Result<Session>;
    /// Returns the sessions last seen first, without their state.
    fn sessions(&self, limit: usize) -> Result<Vec<Session>>;
    /// Forgets one session; returns how many there were.
    fn forget_session(&mut self, session_id: &str) -> Result<usize>;
    /// Forgets sessions last seen before a time; returns how many.
    fn expire_sessions(&mut self, before: i64) -> Result<usize>;

    /// Stores a named value, or removes it.
    fn set_meta(&mut self, key: &str, value: Option<&str>) -> Result<()>;
    /// Returns a named value.
    fn meta(&self, key: &str) -> Result<Option<String>>;

    /// Returns totals of what is stored.
    fn stats(&self) -> Result<LedgerStats>;
    /// Brings what lies in the log into the file and empties the log; after many rows it is large.
    fn settle(&mut self) -> Result<()>;
    /// Removes what nothing refers to and gives unused space back.
    fn vacuum(&mut self) -> Result<()>;
    /// Returns the bytes on disk.
    fn size_bytes(&self) -> u64;
    /// Returns what is wrong with the database itself; reads all of it.
    fn check(&self) -> Result<Vec<String>>;
    /// Writes a copy to `target`, replacing it at once when it is whole; others may go on writing.
    fn backup_to(&mut self, target: &Path, now: i64) -> Result<()>;
    /// True when the last backup is at least `interval_ms` old, or there is none.
    fn backup_due(&self, interval_ms: i64, now: i64) -> Result<bool>;
}
