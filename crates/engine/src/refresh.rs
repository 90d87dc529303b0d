//! Bringing the index up to date: what to look at, and whether there is anything to do.

use crate::asking::Looked;
use crate::calm::Own;
use crate::changes::{self, Changes};
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::progress::{Progress, Stage};
use crate::records;
use crate::scope::{Scope, Scoped};
use crate::update::{Base, Run, WrittenAhead};
use contextd_model::Problem;
use contextd_model::facts::file_flag;
use contextd_scan::Beside;
use contextd_snapshot::{Graph, Segment, Snapshot, SnapshotName, WriterLock};
use contextd_store::Ledger;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How to refresh.
#[derive(Clone, Debug, Default)]
pub struct RefreshOptions {
    /// Forget everything recorded and read every file again; cached facts are kept.
    pub full: bool,
    /// Files and folders to read again whatever their state says.
    pub force: Vec<String>,
    /// Files and folders that may have changed, when the caller knows: the rest is not looked at.
    pub only: Option<BTreeSet<String>>,
    /// Look at stamps first: when none has changed since a whole scan found nothing to do, neither is
    /// anything now. Problems are not listed then.
    pub quick: bool,
    /// Who runs this wants the files as they are and what is wrong with them: files that were taken out come
    /// back, and stamps are enough only where a whole scan had no problem to list.
    pub by_hand: bool,
    /// What this process does meanwhile; one core is left to it as long as only stamps are looked at.
    pub beside: Option<Arc<Beside>>,
    /// How long to wait for another writer.
    pub wait: Duration,
    /// Time of the run, as Unix milliseconds.
    pub now: i64,
}

/// What a refresh did.
#[derive(Clone, Debug, Default)]
pub struct Refreshed {
    pub snapshot: Option<SnapshotName>,
    /// False when the published snapshot is the one that was published before.
    pub changed: bool,
    pub files: u32,
    pub read: u32,
    pub removed: u32,
    /// Files whose content no snapshot and no archive had.
    pub extracted: u32,
    pub segments_written: u32,
    /// Files whose references were resolved again.
    pub linked: u32,
    pub source_bytes: u64,
    pub problems: Vec<Problem>,
}

impl Engine {
    /// Brings the index up to date with the work tree and publishes a snapshot.
    pub fn refresh(&self, options: &RefreshOptions, progress: &dyn Progress) -> Result<Refreshed> {
        Ok(self.refresh_looking(options, progress)?.0)
    }

    /// Does what [`Engine::refresh`] does and returns what was looked at, too.
    pub(crate) fn refresh_looking(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<(Refreshed, Looked)> {
        let workers = self.config.bootstrap.parallel_workers as usize;
        // Without a number, or when no pool of that size can be had, the shared one does the work.
        match (workers > 0).then(|| rayon::ThreadPoolBuilder::new().num_threads(workers).build()) {
            Some(Ok(pool)) => pool.install(|| self.refresh_here(options, progress)),
            _ => self.refresh_here(options, progress),
        }
    }

    fn refresh_here(
        &self,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<(Refreshed, Looked)> {
        let asked_for_more = options.full || !options.force.is_empty() || options.only.is_some();
        if options.quick && !asked_for_more {
            // The answer comes while the snapshot is opened.
            let asked = self.ask();
            let published =
                self.shared_snapshot().ok().flatten().filter(|snapshot| self.is_current(snapshot));
            let most = if options.by_hand { 0 } else { usize::MAX };
            if let Some(snapshot) = published.filter(|_| self.places.ledger().exists()) {
                let (snapshot, confirmed) = self.settled(asked, snapshot);
                if confirmed.is_some_and(|problems| problems <= most)
                    || self.is_calm_by_stamps(snapshot.name(), most, options.beside.as_deref())
                {
                    return Ok((unchanged(Some(&snapshot), Vec::new()), Looked::Part));
                }
            }
        }
        if options.by_hand {
            self.lift_tombstones(&[])?;
        }
        self.places.create()?;
        let Some(_lock) = WriterLock::lock_wait(&self.places.index, options.wait)? else {
            return Err(EngineError::Busy { root: self.places.root.clone() });
        };
        // Before there is a ledger, nothing was put over files.
        self.load_overlays()?;
        if options.full {
            remove_damaged(&self.places.index);
        }
        let previous = self.published();
        let name = previous.as_ref().map(Snapshot::name);
        let own = (options.quick && previous.is_none()).then(|| Own::of(self));
        progress.begin(Stage::Scan, 0);
        // How large the ledger will be is known only after the scan.
        let first =
            (!self.places.ledger().exists()).then(|| Scope::scan(self, None)).transpose()?;
        let mut ledger = self.ledger_for(first.as_ref().map_or(0, |scoped| scoped.files.len()))?;
        // The ledger says to which snapshot its rows belong; a run that was killed in between left others.
        let complete = name.is_some() && records::recorded(&ledger)? == name;
        let trusted =
            previous.as_ref().is_some_and(|snapshot| self.is_current(snapshot)) && !options.full;
        let only = options.only.as_ref().filter(|_| trusted && complete);
        let Scoped { scope, files, mut problems, grounds } =
            first.map_or_else(|| Scope::scan(self, only), Ok)?;
        let (looked, states, others) = match &scope {
            Scope::Whole => (Looked::Whole(grounds.clone()), ledger.file_states()?, Vec::new()),
            // The snapshot before has what the ledger would say of the others.
            Scope::Paths(paths) => {
                let others = previous
                    .as_ref()
                    .map(|snapshot| changes::not_covered(snapshot, |path| scope.covers(path)));
                (
                    Looked::Part,
                    ledger.file_states_at(&paths.iter().map(String::as_str).collect::<Vec<_>>())?,
                    others.unwrap_or_default(),
                )
            }
        };
        let changes = Changes {
            others,
            ..changes::compare(files, states, |path| !trusted || is_forced(path, &options.force))
        };
        if trusted && complete && changes.is_empty() {
            problems.extend(previous.as_ref().map(unparsed).unwrap_or_default());
            // Who lists problems looks at all files anyway while there are some.
            let is_of_use = options.quick && (!options.by_hand || problems.is_empty());
            if let (Some(snapshot), Some(grounds)) =
                (previous.as_ref().filter(|_| is_of_use), grounds)
            {
                self.note_calm(
                    snapshot,
                    &grounds,
                    changes.stamps_of_same(),
                    problems.len(),
                    options.now,
                    None,
                );
            }
            return Ok((unchanged(previous.as_ref(), problems), looked));
        }
        let base = Base { previous, complete, trusted };
        let refreshed = Run {
            engine: self,
            options,
            progress,
            problems,
            grounds,
            own,
            ahead: WrittenAhead::default(),
        }
        .update(&mut ledger, changes, &base)?;
        Ok((refreshed, looked))
    }

    /// Opens the published snapshot; one that is damaged counts as none, since the next replaces it.
    pub(crate) fn published(&self) -> Option<Snapshot> {
        self.snapshot().ok().flatten()
    }

    /// True when the snapshot was made by this version with these settings.
    pub fn is_current(&self, snapshot: &Snapshot) -> bool {
        let manifest = snapshot.manifest();
        manifest.extractor == self.extractor() && manifest.config == self.config.fingerprint().all()
    }
}

/// Removes segments and graphs that no longer hold what was written, so that nothing is taken over from them: who asks for
/// everything anew may have a reason.
fn remove_damaged(index: &Path) {
    let names = |folder: &str| {
        std::fs::read_dir(index.join(folder))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    };
    let is_whole_segment =
        |path: &PathBuf| Segment::open(path).and_then(|segment| segment.verify()).is_ok();
    let is_whole_graph =
        |path: &PathBuf| Graph::open(path).and_then(|graph| graph.verify()).is_ok();
    let damaged = names("segments")
        .into_par_iter()
        .filter(|path| !is_whole_segment(path))
        .chain(names("graph").into_par_iter().filter(|path| !is_whole_graph(path)));
    // What cannot be removed is not writable either, which the run says.
    damaged.for_each(|path| drop(std::fs::remove_file(path)));
}

/// True for a path that is one of `forced` or lies below one.
fn is_forced(path: &str, forced: &[String]) -> bool {
    forced.iter().any(|forced| is_under(path, forced))
}

/// True when `path` is `folder` or lies below it; the root holds everything.
pub fn is_under(path: &str, folder: &str) -> bool {
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    folder.is_empty()
        || folder == "."
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns a problem for each file that the parser gave up on.
pub(crate) fn unparsed(snapshot: &Snapshot) -> Vec<Problem> {
    let files = (0..snapshot.file_count()).map(|number| snapshot.file(number));
    files
        .filter(|file| file.flags() & file_flag::UNPARSED != 0)
        .map(|file| {
            let remedy = "It can be found by its words; leave it out with a pattern in .contextignore if it is no source.";
            let message = "The parser gave up on it: it is nested too deeply or broken too badly.";
            Problem::warning("CTX_W_FILE_UNPARSED", message, remedy).at(file.path(), None)
        })
        .collect()
}

/// Returns what a run says that found everything as it was.
pub(crate) fn unchanged(previous: Option<&Snapshot>, problems: Vec<Problem>) -> Refreshed {
    let Some(snapshot) = previous else { return Refreshed { problems, ..Refreshed::default() } };
    let source_bytes = snapshot.manifest().segments.iter().map(|entry| entry.source_bytes).sum();
    Refreshed {
        snapshot: Some(snapshot.name()),
        files: snapshot.file_count(),
        source_bytes,
        problems,
        ..Refreshed::default()
    }
}

#[cfg(test)]
mod tests {
    use super::is_under;

    #[test]
    fn folders_hold_what_lies_below_them() {
        for (path, folder) in
            [("a/b", "a"), ("a/b", "a/"), ("a/b", "./a"), ("a", "a"), ("a", "."), ("a", "")]
        {
            assert!(is_under(path, folder), "{path} in {folder}");
        }
        for (path, folder) in [("ab", "a"), ("a", "a/b"), ("b/a", "a")] {
            assert!(!is_under(path, folder), "{path} not in {folder}");
        }
    }
}
