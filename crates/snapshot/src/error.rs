//! What can go wrong with the index folder.

use std::io;
use std::path::{Path, PathBuf};

/// Failure to write or read the index folder.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} is damaged ({what}); run `contextd index --full` to build the index again")]
    Damaged { path: PathBuf, what: &'static str },
    #[error(
        "{path} was written by another version of contextd; run `contextd index` to build the index again"
    )]
    Version { path: PathBuf },
}

impl SnapshotError {
    /// Returns the stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            SnapshotError::Io { .. } => "CTX_E_INDEX_IO",
            SnapshotError::Damaged { .. } => "CTX_E_INDEX_DAMAGED",
            SnapshotError::Version { .. } => "CTX_E_INDEX_VERSION",
        }
    }

    /// True when a file that should be there is not.
    pub fn is_missing(&self) -> bool {
        matches!(self, SnapshotError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| SnapshotError::Io { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, what: &'static str) -> Self {
        SnapshotError::Damaged { path: path.to_owned(), what }
    }
}

pub type Result<T> = std::result::Result<T, SnapshotError>;
