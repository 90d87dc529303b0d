//! Segments → graph.

use crate::error::Result;
use crate::places::Places;
use crate::progress::Progress;
use contextd_link::{LinkFile, LinkOptions, Links};
use contextd_model::ContentHash;
use contextd_snapshot::{Durability, GraphWriter, LinkRows, Segment, SegmentEntry, Wanted, segment_path};
use rayon::prelude::*;

/// A written graph.
pub struct Linked {
    pub key: ContentHash,
    pub edges: u64,
}

/// Links the files of all segments and writes their graph.
pub fn link(places: &Places, entries: &[SegmentEntry], progress: &dyn Progress) -> Result<Linked> {
    let segments = entries.iter().map(|entry| Segment::open(&segment_path(&places.index, entry.key))).collect::<std::result::Result<Vec<_>, _>>()?;
    let links = link_segments(&segments);
    let symbols = entries.iter().map(|entry| entry.symbols).sum();
    let mut writer = GraphWriter::new(symbols);
    for range in links.offsets.windows(2) {
        writer.push(&links.edges[range[0] as usize..range[1] as usize]);
    }
    // Triples of language, reason and count, in order.
    let unresolved: Vec<u32> = links.unresolved.counts.iter().flat_map(|(&(language, reason), &count)| [u32::from(language), reason as u32, count.min(u64::from(u32::MAX)) as u32]).collect();
    writer.unresolved(&unresolved);
    writer.communities(&links.communities);
    let image = writer.finish();
    image.write(&places.index, Durability::Fast)?;
    progress.advance(1);
    Ok(Linked { key: image.key, edges: links.edges.len() as u64 })
}

fn link_segments(segments: &[Segment]) -> Links {
    let places: Vec<(&Segment, u32)> = segments.iter().flat_map(|segment| (0..segment.file_count()).map(move |file| (segment, file))).collect();
    let mut rows: Vec<LinkRows> = Vec::new();
    rows.resize_with(places.len(), LinkRows::default);
    let views: Vec<_> = rows.par_iter_mut().zip(places.par_iter()).map(|(rows, &(segment, file))| (segment.path(file), segment.facts(file, Wanted::Links, rows))).collect();
    let files: Vec<LinkFile<'_>> = views.into_iter().map(|(path, view)| LinkFile { path, view: view.unwrap_or(EMPTY) }).collect();
    contextd_link::link(&files, &LinkOptions::default())
}

/// What a damaged record reads as; the segment's checksum is verified by `doctor`.
const EMPTY: contextd_model::facts::FactsView<'static> = contextd_model::facts::FactsView {
    language: 0,
    flags: 0,
    lines: 0,
    size: 0,
    package: contextd_model::StrId::EMPTY,
    strings: contextd_model::strings::Strings { bytes: &[], ends: &[] },
    symbols: &[],
    refs: &[],
    imports: &[],
    bases: &[],
    bindings: &[],
    chunks: &[],
};
