//! Configuration as plain structs, and how it is written in `context.toml`.
//!
//! [`parse`] turns text into a [`Config`]; a key that is wrong is reported and keeps its default, so
//! there is always a configuration to go on with. Finding and reading the file is the engine's job.

mod chunking;
mod fingerprint;
mod nearest;
mod read;
mod section;
mod sections;
mod substitute;
mod table;
#[cfg(test)]
mod tests;
mod validate;

pub use chunking::Chunking;
pub use fingerprint::Fingerprints;
pub use nearest::nearest;
pub use read::{parse, reference};
pub use section::Key;
pub use sections::*;

use std::collections::BTreeMap;

/// Where the configuration lies, relative to the root; the first that exists is read.
pub const CONFIG_PLACES: &[&str] = &["config/context.toml", "context.toml"];

/// Patterns that are left out where git does not say what belongs.
pub const DEFAULT_IGNORE_PATTERNS: &[&str] = &[
    ".git",
    "node_modules",
    "target",
    "build",
    "dist",
    ".venv",
    "__pycache__",
    "*.class",
    "*.pyc",
    ".idea",
    ".vscode",
];

/// Bytes in the megabyte of `max_file_size_mb`.
pub const MEGABYTE: f64 = 1_048_576.0;

/// Everything that can be configured, with the defaults filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    pub core: Core,
    pub engine: Engine,
    pub storage: Storage,
    pub watcher: Watcher,
    pub indexing: Indexing,
    pub embedding: Embedding,
    pub chunking: Chunking,
    pub query: Query,
    pub budget: Budget,
    pub providers: Providers,
    pub metrics: Metrics,
    pub bootstrap: Bootstrap,
    pub security: Security,
    pub history: History,
    pub prompt: Prompt,
    /// Projects by name; empty when the root is one project.
    pub projects: BTreeMap<String, Project>,
}

/// The sources of an answer, by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Providers {
    pub semantic: SemanticProvider,
    pub symbol: SymbolProvider,
    pub full_text: FullTextProvider,
    pub git_history: GitHistoryProvider,
    pub dependency: DependencyProvider,
    pub hybrid: HybridProvider,
}

/// Ids of the providers.
pub const PROVIDERS: &[&str] =
    &["semantic", "symbol", "full_text", "git_history", "dependency", "hybrid"];

impl Config {
    /// Returns the size in bytes above which files are skipped.
    pub fn max_file_bytes(&self) -> u64 {
        let indexing = self.indexing.max_file_size_mb;
        let limit = self.watcher.max_file_size_mb.map_or(indexing, |watcher| watcher.min(indexing));
        (limit * MEGABYTE) as u64
    }

    /// Returns the size in bytes above which files are reported.
    pub fn warn_file_bytes(&self) -> u64 {
        (self.indexing.warn_file_size_mb * MEGABYTE) as u64
    }

    /// True when `.dockerignore` applies, by either of its two keys.
    pub fn use_dockerignore(&self) -> bool {
        self.indexing.use_dockerignore || self.watcher.use_dockerignore
    }

    /// Returns the configured folders, or `None` when the whole root is meant.
    pub fn watch_paths(&self) -> Option<&[String]> {
        let paths = &self.watcher.watch_paths;
        let auto = paths.is_empty() || paths.iter().any(|path| path.trim() == "auto");
        (!auto).then_some(paths)
    }
}
