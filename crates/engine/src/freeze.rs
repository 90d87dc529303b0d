//! Facts → segments: every shard whose inputs are new is written, the others are there already.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::extraction::Known;
use crate::progress::{Progress, Stage};
use crate::sources::Sources;
use contextd_model::{ContentHash, FileFacts};
use contextd_snapshot::{
    Durability, Segment, SegmentEntry, SegmentFile, SegmentWriter, segment_key, segment_path,
    shard_count, shard_of,
};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shards that are frozen between two questions whether to go on.
pub const GROUP: usize = 8;

/// Files that are taken apart before their facts are handed on: facts take several times the room of
/// the text, and of what is kept of them.
const TOGETHER: usize = 32;

/// Hears of files whose segments are in place.
pub type Done<'d> = &'d mut (dyn FnMut(&[&Known]) -> Result<()> + Send);

/// The segments of a snapshot, in the order of shards, with the files that had to be left out.
#[derive(Default)]
pub struct Frozen {
    pub entries: Vec<SegmentEntry>,
    pub written: usize,
    /// Files whose facts could not be had: they changed between reading and freezing.
    pub lost: Vec<String>,
}

/// What freezing needs beside the files.
#[derive(Clone, Copy)]
pub struct Freezer<'r, 's> {
    pub engine: &'r Engine,
    pub sources: &'r Sources<'s>,
    pub progress: &'r dyn Progress,
}

impl Freezer<'_, '_> {
    /// Freezes `files`, which are in path order.
    pub fn freeze(&self, files: &[Known], done: Done<'_>) -> Result<Frozen> {
        let count = shard_count(files.len());
        let mut shards: Vec<Vec<&Known>> = vec![Vec::new(); count as usize];
        for file in files {
            shards[shard_of(&file.path, count) as usize].push(file);
        }
        self.shards(&shards, true, done)
    }

    /// Freezes whole shards, whose files are in path order; `counts` tells that progress is to count
    /// from here on.
    pub fn shards(&self, shards: &[Vec<&Known>], counts: bool, done: Done<'_>) -> Result<Frozen> {
        let extractor = self.engine.facts_version();
        let places = shards.par_iter().map(|shard| self.place(&extractor, shard));
        let work: Vec<(&Vec<&Known>, Place)> =
            shards.iter().zip(places.collect::<Vec<_>>()).collect();
        let missing = work
            .iter()
            .filter(|(_, place)| place.segment.is_none())
            .map(|(shard, _)| shard.len() as u64)
            .sum();
        if counts {
            self.progress.begin(Stage::Extract, missing);
        }
        let mut frozen = Frozen::default();
        for group in work.chunks(GROUP) {
            if self.progress.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            self.group(&extractor, group, &mut frozen)?;
            let files: Vec<&Known> =
                group.iter().flat_map(|(shard, _)| shard.iter().copied()).collect();
            done(&files)?;
        }
        Ok(frozen)
    }

    fn place(&self, extractor: &str, shard: &[&Known]) -> Place {
        let key = key_of(extractor, shard);
        Place { key, segment: Segment::open(&segment_path(&self.engine.places.index, key)).ok() }
    }

    fn group(
        &self,
        extractor: &str,
        group: &[(&Vec<&Known>, Place)],
        frozen: &mut Frozen,
    ) -> Result<()> {
        let waiting =
            AtomicUsize::new(group.iter().filter(|(_, place)| place.segment.is_none()).count());
        let results: Vec<Result<(SegmentEntry, bool, Vec<String>)>> = group
            .par_iter()
            .map(|(shard, place)| match &place.segment {
                Some(segment) => {
                    Ok((SegmentEntry::new(place.key, segment.counts()), false, Vec::new()))
                }
                None => {
                    // A thread that waits for a part of its shard would begin another one meanwhile and hold
                    // both, so a shard is split only when there is no other left for an idle thread.
                    let is_split =
                        waiting.fetch_sub(1, Ordering::Relaxed) <= rayon::current_num_threads();
                    self.shard(extractor, place.key, shard, is_split)
                }
            })
            .collect();
        for result in results {
            let (entry, written, lost) = result?;
            frozen.entries.push(entry);
            frozen.written += usize::from(written);
            frozen.lost.extend(lost);
        }
        Ok(())
    }

    fn shard(
        &self,
        extractor: &str,
        key: ContentHash,
        shard: &[&Known],
        is_split: bool,
    ) -> Result<(SegmentEntry, bool, Vec<String>)> {
        let mut held = self.sources.held(shard);
        let (mut writer, mut whole, mut lost) =
            (SegmentWriter::for_files(shard.len()), Vec::new(), Vec::new());
        // A thread alone hands on the facts of a file while they are near.
        let together = if is_split { TOGETHER } else { 1 };
        for (files, held) in shard.chunks(together).zip(held.chunks_mut(together)) {
            let facts_of = |(file, held): (&&Known, &mut Option<FileFacts>)| {
                held.take().or_else(|| self.sources.make(file, self.progress))
            };
            let facts: Vec<Option<FileFacts>> = if is_split {
                files.par_iter().zip(held).map(facts_of).collect()
            } else {
                files.iter().zip(held).map(facts_of).collect()
            };
            self.progress.advance(files.len() as u64);
            for (file, facts) in files.iter().zip(&facts) {
                match facts {
                    Some(facts) => {
                        writer.push(SegmentFile { path: &file.path, hash: file.hash, facts });
                        whole.push(*file);
                    }
                    None => lost.push(file.path.clone()),
                }
            }
        }
        let key = if lost.is_empty() { key } else { key_of(extractor, &whole) };
        let image = if is_split { writer.finish_split() } else { writer.finish() };
        image.write(&self.engine.places.index, key, Durability::Fast)?;
        Ok((SegmentEntry::new(key, &image.counts), true, lost))
    }
}

/// Where the segment of a shard belongs, and the segment when it is there.
struct Place {
    key: ContentHash,
    segment: Option<Segment>,
}

fn key_of(extractor: &str, shard: &[&Known]) -> ContentHash {
    segment_key(
        extractor,
        shard.iter().map(|file| (file.path.as_str(), file.hash, file.language.0)),
    )
}
