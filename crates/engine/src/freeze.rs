//! Facts → segments: every shard whose inputs are new is written, the others are there already.

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::extraction::Known;
use crate::progress::{Progress, Stage};
use crate::sources::Sources;
use contextd_model::ContentHash;
use contextd_snapshot::{Durability, Segment, SegmentEntry, SegmentFile, SegmentWriter, segment_key, segment_path, shard_count, shard_of};
use rayon::prelude::*;

/// Shards that are frozen between two questions whether to go on.
const GROUP: usize = 8;

/// The segments of a snapshot, in the order of shards, with the files that had to be left out.
pub struct Frozen {
    pub entries: Vec<SegmentEntry>,
    pub written: usize,
    /// Files whose facts could not be had: they changed between reading and freezing.
    pub lost: Vec<String>,
}

/// Freezes `files`, which are in path order; `done` hears of files whose segments are in place.
pub fn freeze(engine: &Engine, sources: &Sources<'_>, files: &[Known], progress: &dyn Progress, done: &mut dyn FnMut(&[&Known]) -> Result<()>) -> Result<Frozen> {
    let count = shard_count(files.len());
    let mut shards: Vec<Vec<&Known>> = vec![Vec::new(); count as usize];
    for file in files {
        shards[shard_of(&file.path, count) as usize].push(file);
    }
    let extractor = engine.facts_version();
    let index = &engine.places.index;
    let keys: Vec<(ContentHash, Option<Segment>)> = shards
        .par_iter()
        .map(|shard| {
            let key = key_of(&extractor, shard);
            (key, Segment::open(&segment_path(index, key)).ok())
        })
        .collect();
    let missing = shards.iter().zip(&keys).filter(|(_, (_, segment))| segment.is_none()).map(|(shard, _)| shard.len() as u64);
    progress.begin(Stage::Extract, missing.sum());
    let mut frozen = Frozen { entries: Vec::new(), written: 0, lost: Vec::new() };
    let work: Vec<(&Vec<&Known>, &(ContentHash, Option<Segment>))> = shards.iter().zip(&keys).collect();
    for group in work.chunks(GROUP) {
        if progress.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let results: Vec<Result<(SegmentEntry, bool, Vec<String>)>> = group
            .par_iter()
            .map(|(shard, (key, segment))| match segment {
                Some(segment) => Ok((SegmentEntry::new(*key, segment.counts()), false, Vec::new())),
                None => freeze_shard(engine, sources, &extractor, *key, shard, progress),
            })
            .collect();
        for result in results {
            let (entry, written, lost) = result?;
            frozen.entries.push(entry);
            frozen.written += usize::from(written);
            frozen.lost.extend(lost);
        }
        let files: Vec<&Known> = group.iter().flat_map(|(shard, _)| shard.iter().copied()).collect();
        done(&files)?;
    }
    Ok(frozen)
}

fn freeze_shard(engine: &Engine, sources: &Sources<'_>, extractor: &str, key: ContentHash, shard: &[&Known], progress: &dyn Progress) -> Result<(SegmentEntry, bool, Vec<String>)> {
    let facts = sources.facts(shard, progress);
    let whole: Vec<&Known> = shard.iter().zip(&facts).filter(|(_, facts)| facts.is_some()).map(|(file, _)| *file).collect();
    let lost = shard.iter().zip(&facts).filter(|(_, facts)| facts.is_none()).map(|(file, _)| file.path.clone()).collect();
    let key = if whole.len() == shard.len() { key } else { key_of(extractor, &whole) };
    let mut writer = SegmentWriter::default();
    for (file, facts) in shard.iter().zip(&facts) {
        if let Some(facts) = facts {
            writer.push(SegmentFile { path: &file.path, hash: file.hash, facts });
        }
    }
    drop(facts);
    let image = writer.finish();
    image.write(&engine.places.index, key, Durability::Fast)?;
    Ok((SegmentEntry::new(key, &image.counts), true, lost))
}

fn key_of(extractor: &str, shard: &[&Known]) -> ContentHash {
    segment_key(extractor, shard.iter().map(|file| (file.path.as_str(), file.hash, file.language.0)))
}
