//! Facts → segments: every shard whose inputs are new is written, the others are there already.

use crate::engine::Engine;
use crate::error::Result;
use crate::extraction::{Extraction, Known};
use crate::facts::Facts;
use crate::progress::Progress;
use contextd_model::ContentHash;
use contextd_snapshot::{Durability, Segment, SegmentEntry, SegmentFile, SegmentWriter, segment_key, segment_path, shard_count, shard_of};
use rayon::prelude::*;

/// The segments of a snapshot, in the order of shards, with the files that had to be left out.
pub struct Frozen {
    pub entries: Vec<SegmentEntry>,
    pub written: usize,
    /// Files whose facts could not be had: they changed between reading and freezing.
    pub lost: Vec<String>,
}

/// Freezes `files`, which are in path order.
pub fn freeze(engine: &Engine, extraction: &Extraction<'_>, facts: &Facts, files: &[Known], progress: &dyn Progress) -> Result<Frozen> {
    let count = shard_count(files.len());
    let mut shards: Vec<Vec<&Known>> = vec![Vec::new(); count as usize];
    for file in files {
        shards[shard_of(&file.path, count) as usize].push(file);
    }
    let extractor = engine.facts_version();
    let results: Vec<Result<(SegmentEntry, bool, Vec<String>)>> = shards
        .par_iter()
        .map(|shard| {
            let result = freeze_shard(engine, extraction, facts, &extractor, shard);
            progress.advance(1);
            result
        })
        .collect();
    let mut frozen = Frozen { entries: Vec::new(), written: 0, lost: Vec::new() };
    for result in results {
        let (entry, written, lost) = result?;
        frozen.entries.push(entry);
        frozen.written += usize::from(written);
        frozen.lost.extend(lost);
    }
    Ok(frozen)
}

fn freeze_shard(engine: &Engine, extraction: &Extraction<'_>, facts: &Facts, extractor: &str, shard: &[&Known]) -> Result<(SegmentEntry, bool, Vec<String>)> {
    let key = key_of(extractor, shard);
    let index = &engine.places.index;
    if let Ok(segment) = Segment::open(&segment_path(index, key)) {
        return Ok((SegmentEntry::new(key, segment.counts()), false, Vec::new()));
    }
    let facts = extraction.load(facts, shard);
    let whole: Vec<&Known> = shard.iter().zip(&facts).filter(|(_, facts)| facts.is_some()).map(|(file, _)| *file).collect();
    let lost = shard.iter().zip(&facts).filter(|(_, facts)| facts.is_none()).map(|(file, _)| file.path.clone()).collect();
    let key = if whole.len() == shard.len() { key } else { key_of(extractor, &whole) };
    let mut writer = SegmentWriter::default();
    for (file, facts) in shard.iter().zip(&facts) {
        if let Some(facts) = facts {
            writer.push(SegmentFile { path: &file.path, hash: file.hash, facts });
        }
    }
    let image = writer.finish();
    image.write(index, key, Durability::Fast)?;
    Ok((SegmentEntry::new(key, &image.counts), true, lost))
}

fn key_of(extractor: &str, shard: &[&Known]) -> ContentHash {
    segment_key(extractor, shard.iter().map(|file| (file.path.as_str(), file.hash, file.language.0)))
}
