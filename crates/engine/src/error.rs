//! Why the engine could not do what was asked.

use contextd_model::Problem;
use std::path::PathBuf;

pub type Result<T> = std::result::Result<T, EngineError>;

/// One thing that stopped an operation; files that cannot be read never do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Scan(#[from] contextd_scan::ScanError),
    #[error(transparent)]
    Store(#[from] contextd_store::StoreError),
    #[error(transparent)]
    Snapshot(#[from] contextd_snapshot::SnapshotError),
    #[error(transparent)]
    Pack(#[from] contextd_pack::PackError),
    #[error("the configuration {path} has errors", path = path.display())]
    Config { path: PathBuf, problems: Vec<Problem> },
    #[error("{what} {path}: {source}", path = path.display())]
    Io { what: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{path} is left alone: {why}", path = path.display())]
    NotOurs { path: PathBuf, why: String },
    #[error("another process is indexing {root}", root = root.display())]
    Busy { root: PathBuf },
    #[error("there is no index of {root} yet", root = root.display())]
    NoIndex { root: PathBuf },
    #[error("{path} failed: {why}")]
    FileFailed { path: String, why: String },
    #[error("the run was cancelled")]
    Cancelled,
    #[error("the index cannot be encrypted at rest: snapshots have no encryption")]
    Encryption,
    #[error("{message}")]
    Watch { code: &'static str, message: String },
}

impl EngineError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            EngineError::Scan(error) => error.code(),
            EngineError::Store(error) => error.code(),
            EngineError::Snapshot(error) => error.code(),
            EngineError::Pack(error) => error.code(),
            EngineError::Config { .. } => "CTX_E_CONFIG",
            EngineError::Io { .. } => "CTX_E_IO",
            EngineError::NotOurs { .. } => "CTX_E_NOT_OURS",
            EngineError::Busy { .. } => "CTX_E_BUSY",
            EngineError::NoIndex { .. } => "POC_E_INDEX_MISSING",
            EngineError::FileFailed { .. } => "CTX_E_FILE_FAILED",
            EngineError::Cancelled => "CTX_E_CANCELLED",
            EngineError::Encryption => "CTX_E_ENCRYPTION",
            EngineError::Watch { code, .. } => code,
        }
    }

    /// True when the system did not let the index be written; what is in it is as good as before.
    pub fn is_refused_by_system(&self) -> bool {
        use contextd_snapshot::SnapshotError;
        use contextd_store::StoreError;
        matches!(
            self,
            EngineError::Io { .. }
                | EngineError::Snapshot(SnapshotError::Io { .. })
                | EngineError::Store(
                    StoreError::Io { .. } | StoreError::Full { .. } | StoreError::ReadOnly { .. }
                )
        )
    }

    /// Returns what to do next, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            EngineError::Scan(error) => error.remedy().to_owned(),
            EngineError::Store(error) => error.remedy().to_owned(),
            EngineError::Snapshot(contextd_snapshot::SnapshotError::Io { .. }) => "Make the index folder writable for you and see that the disk has room, or keep the index elsewhere with `storage.path`.".to_owned(),
            EngineError::Snapshot(_) => "Run `contextd clean` and index again; nothing but time is lost.".to_owned(),
            EngineError::Pack(error) => error.remedy(),
            EngineError::Config { .. } => "Correct the lines that are named.".to_owned(),
            EngineError::Io { .. } => "Check that it exists, and that you may read and write it.".to_owned(),
            EngineError::NotOurs { .. } => "Look at what is there and remove it if you do not need it, or keep the index elsewhere with `storage.path`.".to_owned(),
            EngineError::Busy { .. } => "Wait for it, or ask again: queries wait a little, then answer from the last snapshot.".to_owned(),
            EngineError::NoIndex { .. } => "Run `contextd index` first.".to_owned(),
            EngineError::FileFailed { .. } => "Make it readable or leave it out, or set `bootstrap.fail_fast` to false.".to_owned(),
            EngineError::Encryption => "Keep the index on an encrypted disk with `storage.path`, and set `security.encrypt_db` to false.".to_owned(),
            EngineError::Watch { .. } => "Index by hand with `contextd index`, or set `watcher.enabled` to false.".to_owned(),
            EngineError::Cancelled => "Run it again: what was read is kept.".to_owned(),
        }
    }
}
