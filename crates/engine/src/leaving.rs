//! Content that leaves the snapshot: its facts go into the archive before they are gone.

use crate::archive::Archive;
use crate::engine::Engine;
use crate::extraction::{Extraction, Known};
use contextd_lang::LanguageId;
use contextd_model::{ContentHash, FileFacts};
use contextd_snapshot::Snapshot;
use contextd_store::FactsKey;
use rustc_hash::FxHashSet;

/// Keeps the facts of those files among `paths` whose content was in `previous` and is not among
/// `known`, which is in path order.
pub fn keep<'p>(
    engine: &Engine,
    extraction: &Extraction<'_>,
    archive: &mut Archive,
    previous: &Snapshot,
    paths: impl Iterator<Item = &'p str>,
    known: &[Known],
) {
    let mut gone: Vec<u32> = paths
        .filter_map(|path| Some((previous.find_file(path)?, path)))
        .filter(|&(file, path)| !stays(known, path, previous.file(file).hash()))
        .map(|(file, _)| file)
        .collect();
    if gone.is_empty() {
        return;
    }
    // What only moved is still there.
    let contents: FxHashSet<ContentHash> = known.iter().map(|file| file.hash).collect();
    gone.retain(|&file| !contents.contains(&previous.file(file).hash()));
    gone.sort_unstable();
    gone.dedup();
    for group in gone
        .chunk_by(|&left, &right| previous.segment_of_file(left) == previous.segment_of_file(right))
    {
        archive.keep(engine, &thawed(extraction, previous, group));
    }
}

fn stays(known: &[Known], path: &str, hash: ContentHash) -> bool {
    known
        .binary_search_by(|file| file.path.as_str().cmp(path))
        .is_ok_and(|at| known[at].hash == hash)
}

/// Returns the facts of files of one segment.
fn thawed(
    extraction: &Extraction<'_>,
    previous: &Snapshot,
    files: &[u32],
) -> Vec<(FactsKey, FileFacts)> {
    let number = previous.segment_of_file(files[0]);
    let (segment, first) = (&previous.segments()[number], previous.files_of_segment(number).start);
    let locals: Vec<u32> = files.iter().map(|file| file - first).collect();
    let key = |&file: &u32| {
        extraction.key(segment.path(file), segment.hash(file), LanguageId(segment.language(file)))
    };
    locals
        .iter()
        .zip(segment.thaw(&locals))
        .filter_map(|(file, facts)| Some((key(file), facts?)))
        .collect()
}
