//! Indexes of other worktrees of the same repository: content that one of them has read is not read
//! again. Each index leaves its place in a folder that all worktrees share.

use crate::claim;
use crate::engine::Engine;
use crate::extraction::Extraction;
use contextd_lang::LanguageId;
use contextd_model::{ContentHash, FileFacts};
use contextd_snapshot::{Segment, Snapshot};
use contextd_store::FactsKey;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Indexes that are looked into.
const MAX_NEIGHBOURS: usize = 32;

/// Files of a snapshot by their content.
pub struct Holdings<'s> {
    snapshot: &'s Snapshot,
    /// The short hash of a file's content, its segment and its number there, sorted.
    files: Vec<(u64, u32, u32)>,
}

impl<'s> Holdings<'s> {
    pub fn of(snapshot: &'s Snapshot) -> Self {
        let of_segment = |(number, segment): (u32, &'s Segment)| {
            (0..segment.file_count()).map(move |file| (segment.hash(file).short(), number, file))
        };
        let mut files: Vec<(u64, u32, u32)> =
            (0u32..).zip(snapshot.segments()).flat_map(of_segment).collect();
        files.sort_unstable();
        Self { snapshot, files }
    }

    /// Fills in the facts of those keys that the snapshot holds.
    pub fn fill(
        &self,
        extraction: &Extraction<'_>,
        keys: &[FactsKey],
        found: &mut [Option<FileFacts>],
    ) {
        let missing = keys.iter().enumerate().filter(|&(at, _)| found[at].is_none());
        let places = missing.filter_map(|(at, key)| {
            self.find(extraction, key).map(|(segment, file)| (segment, file, at))
        });
        thaw(self.snapshot, places.collect(), found);
    }

    fn find(&self, extraction: &Extraction<'_>, key: &FactsKey) -> Option<(u32, u32)> {
        let short = key.content.short();
        let from = self.files.partition_point(|file| file.0 < short);
        let same = self.files[from..].iter().take_while(|file| file.0 == short);
        same.map(|&(_, segment, file)| (segment, file)).find(|&(number, file)| {
            let segment = &self.snapshot.segments()[number as usize];
            extraction.key(
                segment.path(file),
                segment.hash(file),
                LanguageId(segment.language(file)),
            ) == *key
        })
    }
}

/// Reads facts at places (segment, file in it, where they go), a segment at a time.
pub fn thaw(
    snapshot: &Snapshot,
    mut places: Vec<(u32, u32, usize)>,
    found: &mut [Option<FileFacts>],
) {
    places.sort_unstable();
    for group in places.chunk_by(|left, right| left.0 == right.0) {
        let files: Vec<u32> = group.iter().map(|place| place.1).collect();
        for (&(_, _, at), facts) in
            group.iter().zip(snapshot.segments()[group[0].0 as usize].thaw(&files))
        {
            found[at] = facts;
        }
    }
}

/// The other worktrees' snapshots, opened when first asked.
pub struct Neighbours<'e> {
    engine: &'e Engine,
    snapshots: OnceLock<Vec<Snapshot>>,
}

impl<'e> Neighbours<'e> {
    pub fn new(engine: &'e Engine) -> Self {
        Self { engine, snapshots: OnceLock::new() }
    }

    /// Returns the snapshots whose facts are made as those of this root are.
    pub fn snapshots(&self) -> &[Snapshot] {
        self.snapshots.get_or_init(|| {
            let own = self.engine.places.index.as_path();
            let others = places(&self.engine.places.facts)
                .into_iter()
                .filter(|index| index != own && claim::is_marked(index))
                .take(MAX_NEIGHBOURS);
            others
                .filter_map(|index| Snapshot::open(&index).ok().flatten())
                .filter(|snapshot| self.engine.has_same_facts(snapshot))
                .collect()
        })
    }
}

/// Leaves the place of an index where other worktrees look.
pub fn register(index: &Path, shared: &Path) {
    if index == shared {
        return;
    }
    let folder = shared.join("indexes");
    let entry = folder.join(&ContentHash::of(index.as_os_str().as_encoded_bytes()).to_hex()[..16]);
    if !entry.exists() {
        // Not being found costs other worktrees time, nothing else.
        let _ = fs::create_dir_all(&folder)
            .and_then(|()| claim::write_new(&entry, index.as_os_str().as_encoded_bytes()));
    }
}

/// Returns the places of all registered indexes, in a fixed order; those that are gone are struck off.
fn places(shared: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(shared.join("indexes")) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let mut places = Vec::new();
    for entry in entries {
        let Ok(text) = fs::read_to_string(&entry) else { continue };
        let place = PathBuf::from(text);
        if place.is_absolute() && place.is_dir() {
            places.push(place);
        } else {
            let _ = fs::remove_file(&entry);
        }
    }
    places
}
