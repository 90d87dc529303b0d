//! One run: read what changed, freeze, link, publish, record.

use crate::ahead::Ahead;
use crate::archive::Archive;
use crate::calm::Own;
use crate::changes::Changes;
use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::extraction::{Extraction, Known, Outcome, Texts};
use crate::freeze::{Done, Freezer, Frozen};
use crate::linking::{self, Before, Relinked};
use crate::neighbours::{self, Neighbours};
use crate::progress::{Progress, Stage};
use crate::records::{self, Recording};
use crate::refresh::{RefreshOptions, Refreshed, unchanged, unparsed};
use crate::sources::Sources;
use crate::{early, leaving};
use contextd_model::{ContentHash, Problem};
use contextd_scan::FileEntry;
use contextd_snapshot::{
    Durability, MANY_FILES, Manifest, Segment, Snapshot, SnapshotName, Tree, TreeFile, beside,
    collect_garbage, publish, segment_path,
};
use contextd_store::{FileStatus, Ledger};
use rayon::prelude::*;
use std::sync::PoisonError;

/// Files from which on a run leaves a long log in the ledger.
const MANY_ROWS: usize = 1_000;

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
    /// Files whose facts had to be made.
    pub extracted: u32,
    /// Files whose facts could not be had.
    pub lost: Vec<String>,
    pub relinked: Relinked,
}

pub struct Run<'e> {
    pub engine: &'e Engine,
    pub options: &'e RefreshOptions,
    pub progress: &'e dyn Progress,
    pub problems: Vec<Problem>,
    /// Paths besides the files that decided what was found, where the whole tree was scanned.
    pub grounds: Option<Vec<String>>,
    /// What the scan of a first run saw of the program's own places.
    pub own: Option<Own>,
    pub ahead: WrittenAhead,
}

/// What was written while files were still being read.
#[derive(Default)]
pub struct WrittenAhead {
    is_used: bool,
    segments: usize,
    extracted: u32,
}

/// What facts are made with and looked up in.
struct Tools<'e> {
    extraction: Extraction<'e>,
    archive: Archive,
    neighbours: Neighbours<'e>,
    texts: Texts,
}

impl<'e> Tools<'e> {
    fn new(engine: &'e Engine) -> Self {
        Self {
            extraction: Extraction::new(engine),
            archive: Archive::open(engine),
            neighbours: Neighbours::new(engine),
            texts: Texts::new(engine.max_texts),
        }
    }

    fn sources<'t>(&'t self, previous: Option<&'t Snapshot>) -> Sources<'t> {
        Sources::new(self.extraction, &self.archive, &self.neighbours, &self.texts, previous)
    }
}

impl Run<'_> {
    /// Brings snapshot and ledger up to date.
    pub fn update(
        mut self,
        ledger: &mut dyn Ledger,
        mut changes: Changes,
        base: &Base,
    ) -> Result<Refreshed> {
        let mut tools = Tools::new(self.engine);
        let mut plan = early::Plan::new(
            self.engine,
            std::mem::take(&mut changes.read),
            base.previous.is_none(),
        );
        plan.begin(ledger)?;
        let (mut outcomes, first) = self.read(&tools, ledger, &mut plan)?;
        self.read_ahead(
            &tools,
            ledger,
            &mut plan,
            (&changes, first.as_ref().or(base.previous.as_ref())),
            &mut outcomes,
        )?;
        self.problems.extend(
            outcomes.iter().filter_map(|outcome| outcome.result.as_ref().err()?.problem.clone()),
        );
        self.problems.extend(tools.archive.take_problems());
        if base.trusted && base.complete && is_as_before(&outcomes, &changes) {
            records::restamp(self.engine, ledger, &outcomes, &changes.before, self.options.now)?;
            self.problems.extend(base.previous.as_ref().map(unparsed).unwrap_or_default());
            return Ok(Refreshed {
                read: outcomes.len() as u32,
                ..unchanged(base.previous.as_ref(), self.problems)
            });
        }
        let known = known_files(changes.kept(), &outcomes);
        let previous = first.as_ref().or(base.previous.as_ref());
        let now = self.options.now;
        let is_marked = self.ahead.is_used;
        let published = self.publish(&tools.sources(previous), &known, previous, &mut |files| {
            if is_marked { Ok(()) } else { plan.mark(ledger, files, now) }
        })?;
        self.progress.begin(Stage::Record, 0);
        let snapshot = Snapshot::open_named(&self.engine.places.index, published.name)?;
        let recording = Recording {
            engine: self.engine,
            snapshot: &snapshot,
            outcomes: &outcomes,
            changes: &changes,
            published: &published,
            complete: base.complete && base.trusted,
            now: self.options.now,
        };
        recording.write(ledger)?;
        self.problems.extend(unparsed(&snapshot));
        self.keep_house(ledger, &mut tools, &outcomes, &changes, &known, base.previous.as_ref());
        self.note_calm(&snapshot, &outcomes, &changes, &published);
        Ok(self.refreshed(&published, outcomes.len(), changes.removed.len(), base))
    }

    fn refreshed(
        self,
        published: &Published,
        read: usize,
        removed: usize,
        base: &Base,
    ) -> Refreshed {
        let files = published.manifest.files();
        Refreshed {
            snapshot: Some(published.name),
            changed: base.name() != Some(published.name),
            files,
            read: read as u32,
            removed: removed as u32,
            extracted: published.extracted,
            segments_written: published.segments_written as u32,
            linked: published.relinked.count(files),
            source_bytes: published.manifest.segments.iter().map(|entry| entry.source_bytes).sum(),
            problems: self.problems,
        }
    }

    /// Reads files batch by batch. On a first run over many files, a snapshot of the first ones is
    /// published on the way and returned.
    fn read(
        &mut self,
        tools: &Tools<'_>,
        ledger: &mut dyn Ledger,
        plan: &mut early::Plan,
    ) -> Result<(Vec<Outcome>, Option<Snapshot>)> {
        let (mut outcomes, mut first, now) = (Vec::new(), None, self.options.now);
        while let Some(batch) = plan.next_batch() {
            outcomes.extend(self.read_batch(tools, ledger, plan, batch)?);
            if plan.is_time_to_publish(outcomes.len()) {
                let known = known_files(std::iter::empty(), &outcomes);
                let published = self.publish(&tools.sources(None), &known, None, &mut |files| {
                    plan.mark(ledger, files, now)
                })?;
                plan.record(ledger)?;
                early::mark_partial(&self.engine.places.index, published.name)?;
                first = Some(Snapshot::open_named(&self.engine.places.index, published.name)?);
                self.progress.begin(Stage::Scan, 0);
            }
        }
        Ok((outcomes, first))
    }

    fn read_batch(
        &self,
        tools: &Tools<'_>,
        ledger: &mut dyn Ledger,
        plan: &early::Plan,
        batch: Vec<FileEntry>,
    ) -> Result<Vec<Outcome>> {
        if self.progress.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let done = tools.extraction.batch(&tools.texts, batch);
        self.stop_at_failure(&done)?;
        plan.mark_failed(ledger, &done, self.options.now)?;
        Ok(done)
    }

    /// Reads the files that no batch had, too many to hold, and freezes each group of their shards.
    fn read_ahead(
        &mut self,
        tools: &Tools<'_>,
        ledger: &mut dyn Ledger,
        plan: &mut early::Plan,
        (changes, previous): (&Changes, Option<&Snapshot>),
        outcomes: &mut Vec<Outcome>,
    ) -> Result<()> {
        let rest = plan.take_rest();
        if rest.is_empty() {
            return Ok(());
        }
        let known = known_files(changes.kept(), outcomes);
        self.progress.begin(Stage::Extract, (known.len() + rest.len()) as u64);
        let mut ahead = Ahead::new(known, rest);
        let sources = tools.sources(previous);
        let freezer = Freezer { engine: self.engine, sources: &sources, progress: self.progress };
        while let Some(unread) = ahead.next_unread() {
            let done = self.read_batch(tools, ledger, plan, unread)?;
            let now = self.options.now;
            let frozen: Result<Frozen> = ahead.freeze(&done, |shards| {
                freezer.shards(shards, false, &mut |files| plan.mark(ledger, files, now))
            });
            self.ahead.segments += frozen?.written;
            tools.texts.clear();
            outcomes.extend(done);
        }
        (self.ahead.is_used, self.ahead.extracted) = (true, sources.made());
        outcomes.sort_by(|a, b| a.entry.rel.cmp(&b.entry.rel));
        Ok(())
    }

    fn stop_at_failure(&self, outcomes: &[Outcome]) -> Result<()> {
        let failed = outcomes.iter().find_map(|outcome| {
            outcome
                .result
                .as_ref()
                .err()
                .filter(|left| left.problem.is_some())
                .map(|left| (outcome, left))
        });
        match failed {
            Some((outcome, left)) if self.engine.config.bootstrap.fail_fast => {
                Err(EngineError::FileFailed {
                    path: outcome.entry.rel.clone(),
                    why: left.detail.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    /// Writes segments and graph, publishes the manifest that names them, and removes what is unused.
    fn publish(
        &mut self,
        sources: &Sources<'_>,
        known: &[Known],
        previous: Option<&Snapshot>,
        done: Done<'_>,
    ) -> Result<Published> {
        match previous {
            Some(previous) => self.publish_after(sources, known, Some(previous), done),
            // From outside of the pool each of many short steps would be handed over and waited for. Only here: what links
            // again after a snapshot waits for threads that need the pool themselves.
            None => rayon::scope(|_| self.publish_after(sources, known, None, done)),
        }
    }

    fn publish_after(
        &mut self,
        sources: &Sources<'_>,
        known: &[Known],
        previous: Option<&Snapshot>,
        done: Done<'_>,
    ) -> Result<Published> {
        let engine = self.engine;
        let index = &engine.places.index;
        let taken_over = previous.filter(|snapshot| {
            !self.options.full && snapshot.manifest().extractor == engine.extractor()
        });
        let (before, frozen) = beside(
            taken_over.is_some(),
            || taken_over.and_then(|previous| Before::read(index, previous)),
            || Freezer { engine, sources, progress: self.progress }.freeze(known, done),
        );
        let frozen = frozen?;
        let segments = frozen
            .entries
            .iter()
            .map(|entry| Segment::open(&segment_path(index, entry.key)))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        self.progress.begin(Stage::Link, 1);
        let keys: Vec<ContentHash> = frozen.entries.iter().map(|entry| entry.key).collect();
        let warm = engine.warm.lock().unwrap_or_else(PoisonError::into_inner);
        let (tree, linked) = beside(
            known.len() > MANY_FILES,
            || tree_of(&segments),
            || linking::link(index, &segments, &keys, before, warm.as_ref()),
        );
        let linked = linked?;
        self.progress.advance(1);
        let manifest = Manifest {
            extractor: engine.extractor(),
            config: engine.config.fingerprint().all(),
            tree,
            segments: frozen.entries,
            graph: linked.key,
            edges: linked.edges,
        };
        let name = publish(index, &manifest, Durability::Fast)?;
        early::unmark_partial(index);
        linked.keep(index);
        neighbours::register(index, &engine.places.facts);
        collect_garbage(index, &[])?;
        if let Some(warm) = warm.as_ref() {
            warm.rebase(keys);
        }
        Ok(Published {
            name,
            manifest,
            segments_written: frozen.written + self.ahead.segments,
            extracted: sources.made() + self.ahead.extracted,
            lost: frozen.lost,
            relinked: linked.relinked,
        })
    }

    /// Tells who asks next that nothing is to be done as long as the files stay as they are. What could not be read may be
    /// readable at any time, and no stamp tells.
    fn note_calm(
        &self,
        snapshot: &Snapshot,
        outcomes: &[Outcome],
        changes: &Changes,
        published: &Published,
    ) {
        let is_read = |outcome: &Outcome| {
            outcome.result.as_ref().err().is_none_or(|left| left.problem.is_none())
        };
        let is_whole =
            self.options.quick && published.lost.is_empty() && outcomes.iter().all(is_read);
        if let Some(grounds) = self.grounds.as_ref().filter(|_| is_whole) {
            let read =
                outcomes.iter().map(|outcome| (outcome.entry.rel.as_str(), outcome.entry.stamp()));
            self.engine.note_calm(
                snapshot,
                grounds,
                changes.stamps_of_same().chain(read),
                self.problems.len(),
                self.options.now,
                self.own.as_ref(),
            );
        }
    }

    /// Does what may be late: facts that leave are kept, the ledger is copied. Failing at it loses nothing.
    fn keep_house(
        &mut self,
        ledger: &mut dyn Ledger,
        tools: &mut Tools<'_>,
        outcomes: &[Outcome],
        changes: &Changes,
        known: &[Known],
        previous: Option<&Snapshot>,
    ) {
        if let Some(previous) = previous.filter(|snapshot| self.engine.has_same_facts(snapshot)) {
            let paths = outcomes
                .iter()
                .map(|outcome| outcome.entry.rel.as_str())
                .chain(changes.removed.iter().map(String::as_str));
            leaving::keep(
                self.engine,
                &tools.extraction,
                &mut tools.archive,
                previous,
                paths,
                known,
            );
            self.problems.extend(tools.archive.take_problems());
        }
        if outcomes.len() > MANY_ROWS {
            // A log that somebody reads from stays; it is emptied another time.
            let _ = ledger.settle();
        }
        if self.engine.config.storage.backup_enabled
            && let Err(error) = records::back_up(self.engine, ledger, self.options.now)
        {
            self.problems.push(Problem::warning(
                "CTX_W_BACKUP",
                format!("The ledger was not copied: {error}."),
                error.remedy(),
            ));
        }
    }
}

/// True when the next snapshot would be the one before: files were touched, not changed.
fn is_as_before(outcomes: &[Outcome], changes: &Changes) -> bool {
    changes.removed.is_empty()
        && outcomes.iter().all(|outcome| {
            let before = changes
                .before
                .get(&outcome.entry.rel)
                .map(|state| &state.record)
                .filter(|record| record.status == FileStatus::Indexed);
            match (&outcome.result, before) {
                (Ok(known), Some(record)) => {
                    record.content_hash == known.hash && record.lang == known.language.name()
                }
                (Err(_), None) => true,
                _ => false,
            }
        })
}

fn tree_of(segments: &[Segment]) -> Tree {
    let files = segments.iter().flat_map(|segment| {
        (0..segment.file_count()).map(move |file| TreeFile {
            path: segment.path(file),
            hash: segment.hash(file),
            language: segment.language(file),
            package: segment.package(file),
        })
    });
    Tree::of(&files.collect::<Vec<_>>())
}

/// Returns every file of the next snapshot, in path order.
fn known_files(kept: impl Iterator<Item = Known>, outcomes: &[Outcome]) -> Vec<Known> {
    let read = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok().cloned());
    let mut known: Vec<Known> = kept.chain(read).collect();
    known.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
    known
}
