//! The rules of a configuration, compiled once, that need nothing but a path and a size.

use crate::content::BinaryTests;
use crate::patterns::{Stack, configured};
use crate::projects::Projects;
use crate::rule::{Reason, Rule};
use crate::watch_paths::WatchPaths;
use contextd_model::config::{Config, DEFAULT_IGNORE_PATTERNS};
use std::collections::BTreeSet;

/// No exception lifts this limit: offsets inside a file are 32 bits wide.
pub(crate) const HARD_LIMIT: u64 = 1 << 30;

pub(crate) struct Rules {
    pub watch_paths: WatchPaths,
    pub projects: Projects,
    /// True when a file must belong to a project to be indexed.
    pub only_projects: bool,
    /// Patterns of the user; they apply to everything.
    pub patterns: Stack,
    /// Patterns that apply where git does not say what belongs.
    pub default_patterns: Option<Stack>,
    private: Stack,
    allowed: BTreeSet<String>,
    blocked: BTreeSet<String>,
    pub max_bytes: u64,
    pub warn_bytes: u64,
    size_exceptions: Stack,
    pub binary: BinaryTests,
    pub follow_symlinks: bool,
    pub max_symlink_depth: u32,
    pub use_gitignore: bool,
    pub use_contextignore: bool,
    /// Folder of the index, relative to the root, when it lies under the root.
    pub index_folders: Vec<String>,
}

impl Rules {
    pub fn new(
        config: &Config,
        watch_paths: WatchPaths,
        projects: Projects,
        index_folders: Vec<String>,
    ) -> Self {
        let watcher = &config.watcher;
        let given = watcher.ignore_patterns.as_deref();
        let defaults: Vec<String> =
            DEFAULT_IGNORE_PATTERNS.iter().map(|&pattern| pattern.to_owned()).collect();
        Self {
            watch_paths,
            only_projects: config.watcher.watch_paths.is_empty() && !projects.is_empty(),
            projects,
            patterns: configured(given.unwrap_or_default(), watcher.ignore_case),
            default_patterns: given.is_none().then(|| configured(&defaults, watcher.ignore_case)),
            private: configured(&config.security.private_patterns, true),
            allowed: config
                .indexing
                .allowed_extensions
                .iter()
                .map(|extension| bare(extension))
                .collect(),
            blocked: config
                .indexing
                .blocked_extensions
                .iter()
                .map(|extension| bare(extension))
                .collect(),
            max_bytes: config.max_file_bytes(),
            warn_bytes: config.warn_file_bytes(),
            size_exceptions: configured(&from_root(&config.indexing.size_exceptions), false),
            binary: BinaryTests::new(config),
            follow_symlinks: config.indexing.follow_symlinks,
            max_symlink_depth: config.indexing.max_symlink_depth,
            use_gitignore: watcher.use_gitignore,
            use_contextignore: watcher.use_contextignore,
            index_folders,
        }
    }

    /// Judges the name of a file: private names and extensions.
    pub fn judge_name(&self, rel: &str) -> Result<(), Reason> {
        let name = rel.rsplit('/').next().unwrap_or(rel);
        if let Some(pattern) = self.private.excludes(name, false) {
            return Err(Reason::new(Rule::PrivateName, pattern));
        }
        if self.allowed.is_empty() && self.blocked.is_empty() {
            return Ok(());
        }
        let extension = extension(name);
        let shown =
            if extension.is_empty() { "no extension".to_owned() } else { format!(".{extension}") };
        if self.blocked.contains(&extension) {
            return Err(Reason::new(Rule::ExtensionBlocked, shown));
        }
        if !self.allowed.is_empty() && !self.allowed.contains(&extension) {
            return Err(Reason::new(Rule::ExtensionNotAllowed, shown));
        }
        Ok(())
    }

    /// Judges the size of a file.
    pub fn judge_size(&self, rel: &str, size: u64) -> Result<(), Reason> {
        let limit = self.limit(rel, size);
        if size <= limit {
            return Ok(());
        }
        Err(Reason::new(Rule::TooLarge, format!("{size} bytes, the limit is {limit}")))
    }

    /// Returns the limit that holds for a file of this size; exceptions are looked up only when needed.
    pub fn limit(&self, rel: &str, size: u64) -> u64 {
        let excepted = size > self.max_bytes && self.size_exceptions.excludes(rel, false).is_some();
        if excepted { HARD_LIMIT } else { self.max_bytes.min(HARD_LIMIT) }
    }

    /// Judges by extension whether a file is binary, where the configuration asks for it.
    pub fn judge_extension_binary(&self, rel: &str) -> Result<(), Reason> {
        let name = rel.rsplit('/').next().unwrap_or(rel);
        self.binary
            .by_extension(&extension(name))
            .map_or(Ok(()), |why| Err(Reason::new(Rule::Binary, why)))
    }
}

/// Returns the extension in lower case without its dot; a leading dot alone makes none.
fn extension(name: &str) -> String {
    match name.rfind('.') {
        Some(at) if at > 0 => name[at + 1..].to_lowercase(),
        _ => String::new(),
    }
}

fn bare(extension: &str) -> String {
    extension.trim().trim_start_matches('.').to_lowercase()
}

/// Exceptions are paths from the root, so a bare name must not match anywhere.
fn from_root(paths: &[String]) -> Vec<String> {
    let anchor = |path: &String| match path.trim() {
        path if path.starts_with('/') || path.starts_with("**") => path.to_owned(),
        path => format!("/{}", path.trim_start_matches("./")),
    };
    paths.iter().map(anchor).collect()
}
