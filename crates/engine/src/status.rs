//! What is indexed, in numbers.

use crate::calm::Look;
use crate::engine::Engine;
use crate::error::Result;
use crate::scope::{Scope, Scoped};
use crate::{changes, records};
use contextd_lang::LanguageId;
use contextd_model::ContentHash;
use contextd_pack::Texts as _;
use contextd_scan::FileEntry;
use contextd_snapshot::Snapshot;
use contextd_store::{FileState, FileStatus, Ledger};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The state of a root's index.
#[derive(Clone, Debug, Default)]
pub struct Status {
    pub index_signature: ContentHash,
    pub files: u32,
    pub symbols: u32,
    pub edges: u64,
    pub chunks: u32,
    /// Files by language.
    pub languages: BTreeMap<&'static str, u32>,
    pub source_bytes: u64,
    /// Bytes of the index folder.
    pub size_bytes: u64,
    /// True when the snapshot was made by another version or with other settings.
    pub outdated: bool,
    /// Whether files changed since; `None` when not all were looked at and none of the others had.
    pub changed: Option<bool>,
    /// How many paths were looked at, of how many, where the time did not suffice for all.
    pub looked: Option<(usize, usize)>,
    /// True when a first run published before it had read all files.
    pub partial: bool,
}

/// How much of the files a published snapshot covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// There is no snapshot.
    Nothing,
    /// A first run goes on, or was interrupted, after it had published early.
    Part,
    Whole,
}

impl Status {
    /// Whether the index is what a run would make now; `None` when that is not known.
    pub fn staleness(&self) -> Option<bool> {
        if self.outdated { Some(true) } else { self.changed }
    }

    /// True when the index is known not to be what a run would make now.
    pub fn is_stale(&self) -> bool {
        self.staleness() == Some(true)
    }
}

impl Engine {
    /// Returns how much the published snapshot covers; cheap enough to ask before every answer.
    pub fn coverage(&self) -> Coverage {
        match contextd_snapshot::current(&self.places.index) {
            Ok(Some(name)) if crate::early::is_partial(&self.places.index, name) => Coverage::Part,
            Ok(Some(_)) => Coverage::Whole,
            Ok(None) | Err(_) => Coverage::Nothing,
        }
    }

    /// True when some file is not as it was recorded: added, removed, written since. When all are, a note says so to who
    /// asks next.
    pub fn has_changes(&self) -> Result<bool> {
        let began =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
        let ledger = self.ledger()?;
        self.load_overlays()?;
        let recorded = records::recorded(&ledger)?;
        let Scoped { files, problems, grounds, .. } = Scope::scan(self, None)?;
        let changes = changes::compare(files, ledger.file_states()?, |_| false);
        if changes.is_empty() {
            let is_same = |snapshot: &Snapshot| {
                recorded == Some(snapshot.name()) && self.is_current(snapshot)
            };
            let noted = self
                .published()
                .filter(is_same)
                .filter(|_| records::recorded(&ledger).is_ok_and(|after| after == recorded));
            if let (Some(snapshot), Some(grounds)) = (noted, grounds) {
                self.note_calm(
                    &snapshot,
                    &grounds,
                    changes.stamps_of_same(),
                    problems.len(),
                    began,
                    None,
                );
            }
        }
        // A stamp that is too young to be trusted says nothing of a change: what the file holds does.
        let differs = |entry: &FileEntry| {
            !changes
                .before
                .get(&entry.rel)
                .is_some_and(|state| changes::has_stamp(entry, state) && self.is_recorded(state))
        };
        Ok(!changes.removed.is_empty() || changes.read.par_iter().any(differs))
    }

    /// True when a file reads as it was recorded: the same content, or still nothing that can be indexed.
    fn is_recorded(&self, state: &FileState) -> bool {
        let indexed = state.record.status == FileStatus::Indexed;
        self.texts()
            .hash(&state.record.path)
            .map_or(!indexed, |hash| indexed && hash == state.record.content_hash)
    }

    /// Returns the state of the index, with a look at every file; `None` when there is none.
    pub fn status(&self) -> Result<Option<Status>> {
        self.status_looking(None)
    }

    /// Returns the state of the index; `None` when there is none. Files are looked at for no longer than `time` where
    /// nothing has changed since a whole look, and what that left out is told.
    pub fn status_within(&self, time: Duration) -> Result<Option<Status>> {
        self.status_looking(Some(time))
    }

    fn status_looking(&self, time: Option<Duration>) -> Result<Option<Status>> {
        let asked = self.ask();
        let Some(name) = contextd_snapshot::current(&self.places.index)? else { return Ok(None) };
        // Files are looked at while the snapshot is opened and figures are gathered.
        let (snapshot, looked) = std::thread::scope(|scope| {
            let looked = scope.spawn(|| match asked.calm(name) {
                Some(_) => (true, Some(Look::Same)),
                None => (
                    false,
                    self.look(name, usize::MAX, time.map(|time| Instant::now() + time), None),
                ),
            });
            let figures = self.snapshot().map(|snapshot| {
                snapshot.map(|snapshot| (snapshot.name(), self.figures_of(&snapshot)))
            });
            (figures, looked.join().unwrap_or((false, None)))
        });
        let Some((opened, figures)) = snapshot? else { return Ok(None) };
        // The word of who watches counts for its own settings; a look, for the snapshot that it was asked for.
        let seen = match looked {
            (is_told, seen) if opened == name && !(is_told && figures.outdated) => seen,
            _ => None,
        };
        let status = match seen {
            Some(Look::Same) => Status { changed: Some(false), ..figures },
            Some(Look::Part(looked, paths)) => {
                Status { changed: None, looked: Some((looked, paths)), ..figures }
            }
            Some(Look::Other) | None => Status { changed: Some(self.has_changes()?), ..figures },
        };
        Ok(Some(status))
    }

    /// Returns the state of the index right after a run that looked at the files; `None` when there is none.
    pub fn status_after_run(&self) -> Result<Option<Status>> {
        Ok(self.figures()?.map(|status| Status { changed: Some(false), ..status }))
    }

    /// Returns the state of the index without looking at files; `None` when there is none.
    pub fn figures(&self) -> Result<Option<Status>> {
        Ok(self.snapshot()?.map(|snapshot| self.figures_of(&snapshot)))
    }

    fn figures_of(&self, snapshot: &Snapshot) -> Status {
        let mut counts = [0; 256];
        for segment in snapshot.segments() {
            (0..segment.file_count())
                .for_each(|file| counts[usize::from(segment.language(file))] += 1);
        }
        let mut languages: BTreeMap<&'static str, u32> = BTreeMap::new();
        for (language, count) in (0..=u8::MAX).zip(counts).filter(|&(_, count)| count > 0) {
            *languages.entry(LanguageId(language).name()).or_default() += count;
        }
        Status {
            index_signature: snapshot.index_signature(),
            files: snapshot.file_count(),
            symbols: snapshot.symbol_count(),
            edges: snapshot.manifest().edges,
            chunks: snapshot.chunk_count(),
            languages,
            source_bytes: snapshot.manifest().segments.iter().map(|entry| entry.source_bytes).sum(),
            size_bytes: crate::places::size_of_folder(&self.places.index),
            outdated: !self.is_current(snapshot),
            changed: None,
            looked: None,
            partial: crate::early::is_partial(&self.places.index, snapshot.name()),
        }
    }
}
