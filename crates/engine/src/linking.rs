//! Segments → graph.

use crate::error::Result;
use contextd_link::{LinkFile, LinkOptions, Links};
use contextd_model::ContentHash;
use contextd_model::facts::FactsView;
use contextd_snapshot::{Durability, GraphWriter, LinkRows, Segment, Snapshot, Wanted};
use rayon::prelude::*;
use std::path::Path;

/// A written graph.
pub struct Linked {
    pub key: ContentHash,
    pub edges: u64,
    pub relinked: Relinked,
}

/// Which files were linked again, by their numbers in the new snapshot.
pub enum Relinked {
    All,
    Files(Vec<u32>),
}

impl Relinked {
    /// Returns how many files were linked again, of `all`.
    pub fn count(&self, all: u32) -> u32 {
        match self {
            Relinked::All => all,
            Relinked::Files(files) => files.len() as u32,
        }
    }
}

/// Links the files of all segments and writes their graph into the index folder.
pub fn link(index: &Path, segments: &[Segment], _previous: Option<&Snapshot>) -> Result<Linked> {
    let links = link_all(segments);
    let edges = links.edges.len() as u64;
    let key = write_graph(index, links)?;
    Ok(Linked { key, edges, relinked: Relinked::All })
}

fn write_graph(index: &Path, links: Links) -> Result<ContentHash> {
    let mut writer = GraphWriter::new(links.offsets.len().saturating_sub(1) as u32);
    for range in links.offsets.windows(2) {
        writer.push(&links.edges[range[0] as usize..range[1] as usize]);
    }
    // Triples of language, reason and count, in order.
    let unresolved: Vec<u32> = links.unresolved.counts.iter().flat_map(|(&(language, reason), &count)| [u32::from(language), reason as u32, count.min(u64::from(u32::MAX)) as u32]).collect();
    writer.unresolved(&unresolved);
    writer.communities(&links.communities);
    let image = writer.finish();
    image.write(index, Durability::Fast)?;
    Ok(image.key)
}

fn link_all(segments: &[Segment]) -> Links {
    let places: Vec<(&Segment, u32)> = segments.iter().flat_map(|segment| (0..segment.file_count()).map(move |file| (segment, file))).collect();
    let mut rows: Vec<LinkRows> = Vec::new();
    rows.resize_with(places.len(), LinkRows::default);
    // Runs of neighbours go to one thread: they share the strings of their segment.
    let views: Vec<_> = rows.par_iter_mut().with_min_len(32).zip(places.par_iter()).map(|(rows, &(segment, file))| (segment.path(file), segment.facts(file, Wanted::Links, rows))).collect();
    let files: Vec<LinkFile<'_>> = views.into_iter().map(|(path, view)| LinkFile { path, view: view.unwrap_or(EMPTY) }).collect();
    contextd_link::link(&files, &LinkOptions::default())
}

/// What a damaged record reads as; the segment's checksum is verified by `doctor`.
const EMPTY: FactsView<'static> = FactsView {
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
