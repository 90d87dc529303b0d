//! Which files under a root belong to its index, and why the others do not; their content; secrets
//! in it; and watching for changes.
//!
//! [`Scanner`] is made from a root and a configuration. [`Scanner::scan`] lists files without opening
//! them, [`Scanner::read`] hands out text, [`Scanner::check`] explains one path. Nothing outside the
//! root is read, and every path that is left out has a [`Rule`].

mod check;
mod content;
mod dockerignore;
mod entry;
mod folder;
mod git;
mod grounds;
mod links;
mod open;
mod pattern_match;
mod patterns;
mod projects;
mod read;
mod root;
mod rule;
mod rules;
mod scanner;
pub mod secrets;
mod walk;
pub mod watch;
mod watch_paths;

pub use content::Encoding;
pub use entry::{FileEntry, Stamp};
pub use grounds::{Beside, Mark, Seen, in_pieces};
pub use open::HeldRoot;
pub use read::{FileBytes, ReadFailure};
pub use root::{find_root, find_root_with};
pub use rule::{Check, Reason, Rejected, Rule, Verdict};
pub use scanner::{REJECTED_PER_RULE, Scan, Scanner};

use contextd_model::Problem;
use std::path::PathBuf;

/// Why there is nothing to scan.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScanError {
    #[error("the folder {path} cannot be used: {why}", path = path.display())]
    RootUnusable { path: PathBuf, why: String },
    #[error("the folder {path} is not indexed: {why}", path = path.display())]
    ProtectedRoot { path: PathBuf, why: &'static str },
    #[error("no watch path of the configuration can be used under {root}", root = root.display())]
    NoWatchPath { root: PathBuf, problems: Vec<Problem> },
}

impl ScanError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            ScanError::RootUnusable { .. } => "CTX_E_ROOT",
            ScanError::ProtectedRoot { .. } => "CTX_E_PROTECTED_ROOT",
            ScanError::NoWatchPath { .. } => "CTX_E_NO_WATCH_PATH",
        }
    }

    /// Returns what to do next, as one sentence.
    pub fn remedy(&self) -> &'static str {
        match self {
            ScanError::RootUnusable { .. } => "Name an existing, readable folder with --repo.",
            ScanError::ProtectedRoot { .. } => "Name the folder of one project with --repo.",
            ScanError::NoWatchPath { .. } => {
                "Correct `watcher.watch_paths`, or remove it to index the whole root."
            }
        }
    }
}
