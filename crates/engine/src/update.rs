//! One run: read what changed, freeze, link, publish, record.

use crate::changes::Changes;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::extraction::{BATCH, Extraction, Known, Outcome};
use crate::facts::Facts;
use crate::linking::{self, Relinked};
use crate::progress::{Progress, Stage};
use crate::records::{self, Recording};
use crate::refresh::{RefreshOptions, Refreshed, unchanged};
use crate::{early, freeze};
use contextd_lang::LanguageId;
use contextd_model::{ContentHash, Problem};
use contextd_scan::FileEntry;
use contextd_snapshot::{Durability, Manifest, Segment, Snapshot, SnapshotName, Tree, TreeFile, collect_garbage, publish, segment_path};
use contextd_store::{FactsKey, FileState, FileStatus, Ledger};
use std::sync::PoisonError;

/// What a run starts from.
pub struct Base {
    pub previous: Option<Snapshot>,
    /// The ledger's rows belong to the previous snapshot.
    pub complete: bool,
    /// The previous snapshot was made by this version with these settings.
    pub trusted: bool,
}

impl Base {
    fn name(&self) -> Option<SnapshotName> {
        self.previous.as_ref().map(Snapshot::name)
    }
}

/// A snapshot that is in place.
pub struct Published {
    pub name: SnapshotName,
    pub manifest: Manifest,
    pub segments_written: usize,
    /// Files whose facts could not be had.
    pub lost: Vec<String>,
    pub relinked: Relinked,
}

pub struct Run<'e> {
    pub engine: &'e Engine,
    pub options: &'e RefreshOptions,
    pub progress: &'e dyn Progress,
    pub problems: Vec<Problem>,
}

impl Run<'_> {
    /// Brings snapshot and ledger up to date.
    pub fn update(mut self, ledger: &mut dyn Ledger, mut changes: Changes, base: &Base) -> Result<Refreshed> {
        let mut facts = Facts::open(self.engine);
        let extraction = Extraction::new(self.engine);
        let entries = std::mem::take(&mut changes.read);
        let outcomes = self.extract(&extraction, &mut facts, ledger, entries, base)?;
        self.problems.extend(outcomes.iter().filter_map(|outcome| outcome.result.as_ref().err()?.problem.clone()));
        self.problems.extend(facts.take_problems());
        if base.trusted && base.complete && is_as_before(&outcomes, &changes) {
            records::restamp(self.engine, ledger, &outcomes, &changes.before, self.options.now)?;
            return Ok(Refreshed { read: outcomes.len() as u32, ..unchanged(base.previous.as_ref(), self.problems) });
        }
        let known = known_files(&changes.same, &outcomes);
        let published = self.publish(&extraction, &facts, &known, base.previous.as_ref())?;
        self.progress.begin(Stage::Record, 0);
        let snapshot = Snapshot::open_named(&self.engine.places.index, published.name)?;
        let recording = Recording { engine: self.engine, snapshot: &snapshot, outcomes: &outcomes, changes: &changes, published: &published, complete: base.complete && base.trusted, now: self.options.now };
        recording.write(ledger)?;
        self.keep_house(ledger, &mut facts, &extraction, &known);
        Ok(self.refreshed(&published, outcomes.len(), changes.removed.len(), base))
    }

    fn refreshed(self, published: &Published, read: usize, removed: usize, base: &Base) -> Refreshed {
        let files = published.manifest.files();
        Refreshed {
            snapshot: Some(published.name),
            changed: base.name() != Some(published.name),
            files,
            read: read as u32,
            removed: removed as u32,
            segments_written: published.segments_written as u32,
            linked: published.relinked.count(files),
            source_bytes: published.manifest.segments.iter().map(|entry| entry.source_bytes).sum(),
            problems: self.problems,
        }
    }

    /// Reads files batch by batch. On a first run over many files, a snapshot of the first ones is
    /// published on the way.
    fn extract(&mut self, extraction: &Extraction<'_>, facts: &mut Facts, ledger: &mut dyn Ledger, entries: Vec<FileEntry>, base: &Base) -> Result<Vec<Outcome>> {
        self.progress.begin(Stage::Extract, entries.len() as u64);
        if entries.len() >= BATCH {
            facts.advance();
        }
        let mut outcomes = Vec::with_capacity(entries.len());
        let mut plan = early::Plan::new(self.engine, entries, base.previous.is_none());
        plan.begin(ledger)?;
        while let Some(batch) = plan.next_batch() {
            if self.progress.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let done = extraction.batch(facts, batch, self.progress);
            self.stop_at_failure(&done)?;
            plan.mark(ledger, &done, self.options.now)?;
            outcomes.extend(done);
            if plan.is_time_to_publish(outcomes.len()) {
                let known = known_files(&[], &outcomes);
                let published = self.publish(extraction, facts, &known, None)?;
                early::mark_partial(&self.engine.places.index, published.name)?;
                self.progress.begin(Stage::Extract, plan.left() as u64);
            }
        }
        Ok(outcomes)
    }

    fn stop_at_failure(&self, outcomes: &[Outcome]) -> Result<()> {
        let failed = outcomes.iter().find_map(|outcome| outcome.result.as_ref().err().filter(|left| left.problem.is_some()).map(|left| (outcome, left)));
        match failed {
            Some((outcome, left)) if self.engine.config.bootstrap.fail_fast => Err(EngineError::FileFailed { path: outcome.entry.rel.clone(), why: left.detail.clone() }),
            _ => Ok(()),
        }
    }

    /// Writes segments and graph, publishes the manifest that names them, and removes what is unused.
    fn publish(&mut self, extraction: &Extraction<'_>, facts: &Facts, known: &[Known], previous: Option<&Snapshot>) -> Result<Published> {
        let engine = self.engine;
        let index = &engine.places.index;
        self.progress.begin(Stage::Freeze, u64::from(contextd_snapshot::shard_count(known.len())));
        let frozen = freeze::freeze(engine, extraction, facts, known, self.progress)?;
        let segments = frozen.entries.iter().map(|entry| Segment::open(&segment_path(index, entry.key))).collect::<std::result::Result<Vec<_>, _>>()?;
        self.progress.begin(Stage::Link, 1);
        let taken_over = previous.filter(|snapshot| !self.options.full && snapshot.manifest().extractor == engine.extractor());
        let keys: Vec<ContentHash> = frozen.entries.iter().map(|entry| entry.key).collect();
        let warm = engine.warm.lock().unwrap_or_else(PoisonError::into_inner);
        let linked = linking::link(index, &segments, &keys, taken_over, warm.as_ref())?;
        self.progress.advance(1);
        let manifest = Manifest { extractor: engine.extractor(), config: engine.config.fingerprint().all(), tree: tree_of(&segments), segments: frozen.entries, graph: linked.key, edges: linked.edges };
        let name = publish(index, &manifest, Durability::Fast)?;
        early::unmark_partial(index);
        let keep: Vec<SnapshotName> = previous.map(Snapshot::name).into_iter().collect();
        collect_garbage(index, &keep)?;
        if let Some(warm) = warm.as_ref() {
            warm.rebase(keys);
        }
        Ok(Published { name, manifest, segments_written: frozen.written, lost: frozen.lost, relinked: linked.relinked })
    }

    /// Does what may be late: the cache's size, the ledger's copy. Failing at it loses nothing.
    fn keep_house(&mut self, ledger: &mut dyn Ledger, facts: &mut Facts, extraction: &Extraction<'_>, known: &[Known]) {
        let storage = &self.engine.config.storage;
        let keys = || -> Vec<FactsKey> { known.iter().map(|file| extraction.key(&file.path, file.hash, file.language)).collect() };
        facts.trim(keys, storage.facts_cache_max_mb.saturating_mul(1 << 20));
        self.problems.extend(facts.take_problems());
        if storage.backup_enabled
            && let Err(error) = records::back_up(self.engine, ledger, self.options.now)
        {
            self.problems.push(Problem::warning("CTX_W_BACKUP", format!("The ledger was not copied: {error}."), error.remedy()));
        }
    }
}

/// True when the next snapshot would be the one before: files were touched, not changed.
fn is_as_before(outcomes: &[Outcome], changes: &Changes) -> bool {
    changes.removed.is_empty()
        && outcomes.iter().all(|outcome| {
            let before = changes.before.get(&outcome.entry.rel).map(|state| &state.record).filter(|record| record.status == FileStatus::Indexed);
            match (&outcome.result, before) {
                (Ok(known), Some(record)) => record.content_hash == known.hash && record.lang == known.language.name(),
                (Err(_), None) => true,
                _ => false,
            }
        })
}

fn tree_of(segments: &[Segment]) -> Tree {
    let files = segments.iter().flat_map(|segment| (0..segment.file_count()).map(move |file| TreeFile { path: segment.path(file), hash: segment.hash(file), language: segment.language(file), package: segment.package(file) }));
    Tree::of(&files.collect::<Vec<_>>())
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
