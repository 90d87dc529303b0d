//! Where the facts of a file come from: the snapshot before, the archive, another worktree, or the
//! file itself. All give the same facts; only the cost differs.

use crate::archive::Archive;
use crate::extraction::{Extraction, Known, Texts};
use crate::neighbours::{Holdings, Neighbours, thaw};
use crate::progress::Progress;
use contextd_model::FileFacts;
use contextd_snapshot::Snapshot;
use contextd_store::FactsKey;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Everything that may have a file's facts.
pub struct Sources<'r> {
    pub extraction: Extraction<'r>,
    pub archive: &'r Archive,
    pub neighbours: &'r Neighbours<'r>,
    pub texts: &'r Texts,
    /// The snapshot before, when its facts were made as those of this run are.
    previous: Option<&'r Snapshot>,
    /// What it holds by content, for files that were moved; made when first needed.
    holdings: OnceLock<Vec<Holdings<'r>>>,
    made: AtomicU32,
}

impl<'r> Sources<'r> {
    pub fn new(
        extraction: Extraction<'r>,
        archive: &'r Archive,
        neighbours: &'r Neighbours<'r>,
        texts: &'r Texts,
        previous: Option<&'r Snapshot>,
    ) -> Self {
        let previous = previous.filter(|snapshot| extraction.engine.has_same_facts(snapshot));
        Self {
            extraction,
            archive,
            neighbours,
            texts,
            previous,
            holdings: OnceLock::new(),
            made: AtomicU32::new(0),
        }
    }

    /// Returns the facts of files that need not be taken apart, `None` for the others.
    pub fn held(&self, files: &[&Known]) -> Vec<Option<FileFacts>> {
        let mut found: Vec<Option<FileFacts>> = vec![None; files.len()];
        self.fill_by_path(files, &mut found);
        self.fill_by_content(files, &mut found);
        found
    }

    /// Takes a file apart; `None` when it was changed since it was hashed.
    pub fn make(&self, file: &Known, progress: &dyn Progress) -> Option<FileFacts> {
        progress.file(&file.path);
        let made = self.extraction.make(file, self.texts.take(&file.path));
        self.made.fetch_add(1, Ordering::Relaxed);
        made
    }

    /// Returns how many files had to be taken apart so far.
    pub fn made(&self) -> u32 {
        self.made.load(Ordering::Relaxed)
    }

    /// Most files stand where they stood.
    fn fill_by_path(&self, files: &[&Known], found: &mut [Option<FileFacts>]) {
        let Some(snapshot) = self.previous else { return };
        let place = |(at, file): (usize, &&Known)| {
            let number = snapshot.find_file(&file.path)?;
            let segment = snapshot.segment_of_file(number);
            let local = number - snapshot.files_of_segment(segment).start;
            let before = snapshot.file(number);
            (before.hash() == file.hash && before.language() == file.language.0).then_some((
                segment as u32,
                local,
                at,
            ))
        };
        thaw(snapshot, files.iter().enumerate().filter_map(place).collect(), found);
    }

    fn fill_by_content(&self, files: &[&Known], found: &mut [Option<FileFacts>]) {
        if found.iter().all(Option::is_some) {
            return;
        }
        let keys: Vec<FactsKey> = files
            .iter()
            .map(|file| self.extraction.key(&file.path, file.hash, file.language))
            .collect();
        let missing: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
        let asked: Vec<FactsKey> = missing.iter().map(|&at| keys[at]).collect();
        for (at, facts) in missing.into_iter().zip(self.archive.load(&asked)) {
            found[at] = facts;
        }
        let holdings = self.holdings.get_or_init(|| {
            let snapshots = self.previous.into_iter().chain(self.neighbours.snapshots());
            snapshots.map(Holdings::of).collect()
        });
        for holdings in holdings {
            holdings.fill(&self.extraction, &keys, found);
        }
    }
}
