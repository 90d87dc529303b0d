//! Bringing the index up to date.

use crate::changes::{self, Changes};
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::extraction::{Extraction, Known, Outcome};
use crate::progress::{Progress, Stage};
use crate::{freeze, linking, records};
use contextd_lang::LanguageId;
use contextd_model::Problem;
use contextd_snapshot::{Durability, Manifest, Snapshot, SnapshotName, Tree, TreeFile, WriterLock, collect_garbage, publish};
use contextd_store::{FactsCache, FileState, FileStatus, Ledger};
use std::time::Duration;

/// How to refresh.
#[derive(Clone, Debug, Default)]
pub struct RefreshOptions {
    /// Forget everything recorded and read every file again; cached facts are kept.
    pub full: bool,
    /// Files and folders to read again whatever their state says.
    pub force: Vec<String>,
    /// How long to wait for another writer.
    pub wait: Duration,
    /// Time of the run, as Unix milliseconds.
    pub now: i64,
}

/// What a refresh did.
#[derive(Clone, Debug, Default)]
pub struct Refreshed {
    pub snapshot: Option<SnapshotName>,
    /// False when everything was as recorded and nothing was written.
    pub changed: bool,
    pub files: u32,
    pub read: u32,
    pub removed: u32,
    pub segments_written: u32,
    pub source_bytes: u64,
    pub problems: Vec<Problem>,
}

impl Engine {
    /// Brings the index up to date with the work tree and publishes a snapshot.
    pub fn refresh(&self, options: &RefreshOptions, progress: &dyn Progress) -> Result<Refreshed> {
        self.places.create()?;
        let Some(_lock) = WriterLock::lock_wait(&self.places.index, options.wait)? else {
            return Err(EngineError::Busy { root: self.places.root.clone() });
        };
        let mut ledger = self.ledger()?;
        let previous = self.snapshot()?;
        let current = previous.as_ref().is_some_and(|snapshot| self.is_current(snapshot));
        progress.begin(Stage::Scan, 0);
        let scan = self.scanner.scan();
        let states = if current && !options.full { ledger.file_states()? } else { Vec::new() };
        let changes = changes::compare(scan.files, states, |path| is_forced(path, &options.force));
        if current && !options.full && changes.read.is_empty() && changes.removed.is_empty() {
            return Ok(unchanged(previous, scan.problems));
        }
        let mut run = Run { engine: self, options, progress, problems: scan.problems };
        run.update(&mut ledger, changes, previous.as_ref())
    }

    /// True when the snapshot was made by this version with these settings.
    pub fn is_current(&self, snapshot: &Snapshot) -> bool {
        let manifest = snapshot.manifest();
        manifest.extractor == self.extractor() && manifest.config == self.config.fingerprint().all()
    }
}

fn is_forced(path: &str, force: &[String]) -> bool {
    force.iter().any(|forced| {
        let forced = forced.trim_end_matches('/');
        path == forced || forced.is_empty() || forced == "." || path.strip_prefix(forced).is_some_and(|rest| rest.starts_with('/'))
    })
}

fn unchanged(previous: Option<Snapshot>, problems: Vec<Problem>) -> Refreshed {
    let Some(snapshot) = previous else { return Refreshed { problems, ..Refreshed::default() } };
    let source_bytes = snapshot.manifest().segments.iter().map(|entry| entry.source_bytes).sum();
    Refreshed { snapshot: Some(snapshot.name()), files: snapshot.file_count(), source_bytes, problems, ..Refreshed::default() }
}

struct Run<'e> {
    engine: &'e Engine,
    options: &'e RefreshOptions,
    progress: &'e dyn Progress,
    problems: Vec<Problem>,
}

impl Run<'_> {
    fn update(&mut self, ledger: &mut dyn Ledger, changes: Changes, previous: Option<&Snapshot>) -> Result<Refreshed> {
        let (mut cache, problems) = FactsCache::open(&self.engine.places.facts_cache())?;
        self.problems.extend(problems);
        let extraction = Extraction::new(self.engine);
        self.progress.begin(Stage::Extract, changes.read.len() as u64);
        let outcomes = extraction.run(&mut cache, changes.read, self.progress)?;
        self.problems.extend(outcomes.iter().filter_map(|outcome| outcome.result.as_ref().err()?.problem.clone()));
        let known = known_files(&changes.same, &outcomes);
        let (manifest, written, lost) = self.publishable(&extraction, &cache, &known)?;
        let name = publish(&self.engine.places.index, &manifest, Durability::Fast)?;
        let keep: Vec<SnapshotName> = previous.map(|snapshot| snapshot.name()).into_iter().collect();
        collect_garbage(&self.engine.places.index, &keep)?;
        self.progress.begin(Stage::Record, 0);
        records::record(self.engine, ledger, &outcomes, &changes.removed, &lost, self.options.full || previous.is_none(), self.options.now)?;
        Ok(Refreshed {
            snapshot: Some(name),
            changed: previous.is_none_or(|snapshot| snapshot.name() != name),
            files: manifest.files(),
            read: outcomes.len() as u32,
            removed: changes.removed.len() as u32,
            segments_written: written,
            source_bytes: manifest.segments.iter().map(|entry| entry.source_bytes).sum(),
            problems: std::mem::take(&mut self.problems),
        })
    }

    /// Writes segments and graph, and returns the manifest that names them.
    fn publishable(&mut self, extraction: &Extraction<'_>, cache: &FactsCache, known: &[Known]) -> Result<(Manifest, u32, Vec<String>)> {
        let engine = self.engine;
        self.progress.begin(Stage::Freeze, u64::from(contextd_snapshot::shard_count(known.len())));
        let frozen = freeze::freeze(engine, extraction, cache, known, self.progress)?;
        self.progress.begin(Stage::Link, 1);
        let linked = linking::link(&engine.places, &frozen.entries, self.progress)?;
        let files: Vec<TreeFile<'_>> = known
            .iter()
            .filter(|file| !frozen.lost.contains(&file.path))
            .map(|file| TreeFile { path: &file.path, hash: file.hash, language: file.language.0, package: "" })
            .collect();
        let manifest = Manifest {
            extractor: engine.extractor(),
            config: engine.config.fingerprint().all(),
            tree: Tree::of(&files),
            segments: frozen.entries,
            graph: linked.key,
            edges: linked.edges,
        };
        Ok((manifest, frozen.written as u32, frozen.lost))
    }
}

/// Returns every file of the next snapshot, in path order.
fn known_files(same: &[FileState], outcomes: &[Outcome]) -> Vec<Known> {
    let kept = same.iter().filter(|state| state.record.status == FileStatus::Indexed).map(|state| Known {
        path: state.record.path.clone(),
        hash: state.record.content_hash,
        language: LanguageId::by_name(&state.record.lang).unwrap_or(contextd_lang::registry::TEXT),
    });
    let read = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok().cloned());
    let mut known: Vec<Known> = kept.chain(read).collect();
    known.sort_by(|a, b| a.path.cmp(&b.path));
    known
}
