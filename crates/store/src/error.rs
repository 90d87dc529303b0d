//! What can go wrong with a database, with a stable code and a remedy for each.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Result of every operation of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Why a database could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "{path}: the database has version {found}, this program knows versions up to {supported}"
    )]
    Newer { path: PathBuf, found: i64, supported: i64 },
    #[error("{path}: the file is a database of another program")]
    Foreign { path: PathBuf },
    #[error("{path}: the database is damaged: {source}")]
    Corrupt { path: PathBuf, source: rusqlite::Error },
    #[error("{path}: the database cannot be read with the given key")]
    WrongKey { path: PathBuf },
    #[error("{path}: a key was given, but this program was built without encryption at rest")]
    NoEncryption { path: PathBuf },
    #[error("{path}: the database is locked by another process")]
    Busy { path: PathBuf },
    #[error("{path}: the disk is full")]
    Full { path: PathBuf },
    #[error("{path}: the database may not be written")]
    ReadOnly { path: PathBuf },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Sql { path: PathBuf, source: rusqlite::Error },
    #[error("job {job_id} is still running")]
    JobRunning { job_id: String },
    #[error("there is no job {job_id}")]
    JobUnknown { job_id: String },
    #[error("file {file_id} is not in the ledger")]
    FileUnknown { file_id: i64 },
    #[error("chunk {ordinal} of file {file_id} is outside the range of chunk numbers")]
    ChunkRange { file_id: i64, ordinal: u32 },
}

impl StoreError {
    /// Returns the stable code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Newer { .. } => "CTX_E_STORE_NEWER",
            Self::Foreign { .. } => "CTX_E_STORE_FOREIGN",
            Self::Corrupt { .. } => "CTX_E_STORE_CORRUPT",
            Self::WrongKey { .. } => "CTX_E_STORE_KEY",
            Self::NoEncryption { .. } => "CTX_E_STORE_NO_ENCRYPTION",
            Self::Busy { .. } => "CTX_E_STORE_BUSY",
            Self::Full { .. } => "CTX_E_STORE_FULL",
            Self::ReadOnly { .. } => "CTX_E_STORE_READ_ONLY",
            Self::Io { .. } => "CTX_E_STORE_IO",
            Self::Sql { .. } => "CTX_E_STORE_SQL",
            Self::JobRunning { .. } => "CTX_E_JOB_RUNNING",
            Self::JobUnknown { .. } => "CTX_E_JOB_UNKNOWN",
            Self::FileUnknown { .. } => "CTX_E_STORE_FILE",
            Self::ChunkRange { .. } => "CTX_E_STORE_CHUNK",
        }
    }

    /// Returns what to do next, as one sentence.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Newer { .. } => {
                "Update contextd, or delete the file: the next index run rebuilds it."
            }
            Self::Foreign { .. } => "Set `storage.path` to a folder that belongs to contextd.",
            Self::Corrupt { .. } => {
                "Run the command again: the damaged file is moved aside and rebuilt."
            }
            Self::WrongKey { .. } => {
                "Give the key the index was made with, or remove the index folder to rebuild it."
            }
            Self::NoEncryption { .. } => {
                "Build contextd with the feature `sqlcipher`, or set `encrypt_db = false`."
            }
            Self::Busy { .. } => {
                "Wait for the other contextd process to finish, then run the command again."
            }
            Self::Full { .. } => "Free some disk space, then run the command again.",
            Self::ReadOnly { .. } => {
                "Make the index folder writable for you, or keep it elsewhere with `storage.path`."
            }
            Self::Io { .. } => "Check that the folder exists and that you may write to it.",
            Self::Sql { .. } => "Run `contextd doctor`; if it finds nothing, report this message.",
            Self::JobRunning { .. } => "Wait for it, or cancel it with `contextd jobs`.",
            Self::JobUnknown { .. } => "List the jobs with `contextd jobs`.",
            Self::FileUnknown { .. } | Self::ChunkRange { .. } => {
                "Rebuild the index with `contextd rebuild`."
            }
        }
    }

    /// Returns the error with the database's path filled in and its class recognised.
    pub(crate) fn at(self, path: &Path) -> Self {
        let path = path.to_owned();
        match self {
            Self::Sql { source, .. } => match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Self::Corrupt { path, source }
                }
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
                Some(ErrorCode::DiskFull) => Self::Full { path },
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
                _ => Self::Sql { path, source },
            },
            other => other,
        }
    }

    /// Returns an input or output error on `path`.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<rusqlite::Error> for StoreError {
    /// Wraps the error without a path; [`StoreError::at`] adds it where the path is known.
    fn from(source: rusqlite::Error) -> Self {
        Self::Sql { path: PathBuf::new(), source }
    }
}
