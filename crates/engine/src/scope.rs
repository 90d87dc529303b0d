//! Which part of the tree a refresh looks at.

use crate::engine::Engine;
use crate::error::Result;
use crate::refresh::is_under;
use contextd_model::Problem;
use contextd_scan::{FileEntry, Rule, ScanError, Verdict};
use std::collections::BTreeSet;
use std::path::Path;

/// Above this many paths one scan of the whole tree is cheaper.
const MAX_PATHS: usize = 500;

/// Names of files that decide about other files.
const IGNORE_FILES: &[&str] =
    &[".gitignore", ".contextignore", ".dockerignore", ".gitmodules", ".git"];

/// The whole tree, or the paths that may have changed.
pub enum Scope<'o> {
    Whole,
    Paths(&'o BTreeSet<String>),
}

/// What a scan of a scope found.
pub struct Scoped<'o> {
    pub scope: Scope<'o>,
    pub files: Vec<FileEntry>,
    pub problems: Vec<Problem>,
    /// Paths besides the files that decided, for a scan of the whole tree.
    pub grounds: Option<Vec<String>>,
}

impl<'o> Scope<'o> {
    /// Finds the files of the scope. What cannot be judged path by path is scanned whole; a root that cannot be listed is
    /// an error, since an index without files would take the place of the one that is there.
    pub fn scan(engine: &Engine, only: Option<&'o BTreeSet<String>>) -> Result<Scoped<'o>> {
        if let Some((paths, files)) = only.and_then(|paths| Some((paths, files_at(engine, paths)?)))
        {
            let mut files = files;
            engine
                .overlays()
                .apply(&mut files, |path| paths.iter().any(|changed| is_under(path, changed)));
            return Ok(Scoped {
                scope: Scope::Paths(paths),
                files,
                problems: Vec::new(),
                grounds: None,
            });
        }
        let mut scan = engine.scanner.scan();
        if let Some(why) = scan.refused_root {
            return Err(
                ScanError::RootUnusable { path: engine.scanner.root().to_owned(), why }.into()
            );
        }
        let limit = engine.config.bootstrap.max_initial_files;
        if limit > 0 {
            scan.files.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        let overlays = engine.overlays();
        overlays.apply(&mut scan.files, |_| true);
        // What is put over files, and how many are left out for their number, no stamp tells.
        let grounds = scan.grounds.filter(|_| overlays.is_empty() && limit == 0);
        Ok(Scoped { scope: Scope::Whole, files: scan.files, problems: scan.problems, grounds })
    }

    /// True when the scan decides about the path.
    pub fn covers(&self, path: &str) -> bool {
        match self {
            Scope::Whole => true,
            Scope::Paths(paths) => paths.iter().any(|changed| is_under(path, changed)),
        }
    }
}

/// Returns the files that lie at the paths and belong to the index; `None` when a path is a folder or
/// decides about others.
fn files_at(engine: &Engine, paths: &BTreeSet<String>) -> Option<Vec<FileEntry>> {
    if paths.len() > MAX_PATHS
        || engine.config.indexing.follow_symlinks
        || engine.config.bootstrap.max_initial_files > 0
    {
        return None;
    }
    let mut files = Vec::new();
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path);
        if path.is_empty() || IGNORE_FILES.contains(&name) {
            return None;
        }
        match std::fs::symlink_metadata(engine.scanner.root().join(path)) {
            Ok(metadata) if metadata.is_dir() => return None,
            Ok(_) => files.extend(entry(engine, path)),
            // Gone, or below something that is no folder any more: recorded files there are removed.
            Err(_) => {}
        }
    }
    Some(files)
}

/// Returns the file at a path when its name passes. Its state is left open: reading fills it in.
fn entry(engine: &Engine, path: &str) -> Option<FileEntry> {
    match engine.scanner.check(Path::new(path)).verdict {
        Verdict::Included => {}
        // The name passes and the content does not: that is for reading to find out and to record.
        Verdict::Excluded { rule: Rule::Binary | Rule::Unreadable | Rule::Changing, .. } => {}
        Verdict::Excluded { .. } => return None,
    }
    Some(FileEntry {
        rel: path.to_owned(),
        size: 0,
        mtime_ns: 0,
        ctime_ns: 0,
        inode: 0,
        mode: 0,
        tracked: false,
    })
}
