//! Segments → graph: all files linked, or those that a change can affect.

mod assembly;
mod owners;
mod parts;
mod relink;
mod rows;
mod warm;

pub use warm::Warm;

use crate::error::Result;
use assembly::{Edges, assemble};
use contextd_link::{Links, World};
use contextd_model::ContentHash;
use contextd_snapshot::{Durability, GraphImage, GraphWriter, Segment, Snapshot};
use parts::{Part, Parts};
use rayon::prelude::*;
use relink::Outcome;
use rows::{Rows, first_symbols, symbols_of};
use std::path::Path;

/// Version of what edges mean. Edges of an older one are never taken over.
pub const LINK_VERSION: u32 = 8;

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

/// Links the files of all segments and writes their graph into the index folder. Edges of files that
/// cannot have changed are taken over from `previous`, which must be of the same version.
pub fn link(index: &Path, segments: &[Segment], keys: &[ContentHash], previous: Option<&Snapshot>, warm: Option<&Warm>) -> Result<Linked> {
    let planned = previous.and_then(|previous| relink::plan(index, segments, previous)?.link(segments, keys, warm));
    let (mut links, parts, relinked) = match (planned, previous.map(Snapshot::manifest)) {
        (Some((Outcome::Same, relinked)), Some(manifest)) => return Ok(Linked { key: manifest.graph, edges: manifest.edges, relinked }),
        (Some((Outcome::New(links, parts), relinked)), _) => (links, parts, relinked),
        _ => link_all(segments),
    };
    links.outside.extend(owners::edges(segments));
    links.outside.sort_unstable();
    let edges = (links.edges.len() + links.outside.len()) as u64;
    let image = graph_of(links, &first_symbols(segments));
    let (written, ()) = rayon::join(|| image.write(index, Durability::Fast), || parts.write(index, image.key));
    written?;
    Ok(Linked { key: image.key, edges, relinked })
}

fn link_all(segments: &[Segment]) -> (Links, Parts, Relinked) {
    let first = first_symbols(segments);
    let linked: Vec<(Edges, Part)> = {
        let mut rows = Rows::default();
        let files = rows.read(segments);
        let world = World::build(&files);
        (0..files.len()).into_par_iter().map(|file| parts::split(world.link_file(file), symbols_of(&first, file))).collect()
    };
    let (own, files): (Vec<Edges>, Vec<Part>) = linked.into_iter().unzip();
    let parts = Parts { files };
    let links = assemble(&first, &parts, |file, edges| edges.extend_from_slice(&own[file as usize]));
    (links, parts, Relinked::All)
}

/// Lays out a graph; communities are found beside where the links have none.
fn graph_of(links: Links, first: &[u32]) -> GraphImage {
    let mut writer = GraphWriter::of(&links.offsets, links.edges);
    // Triples of language, reason and count, in order.
    let unresolved: Vec<u32> = links.unresolved.counts.iter().flat_map(|(&(language, reason), &count)| [u32::from(language), reason as u32, count.min(u64::from(u32::MAX)) as u32]).collect();
    writer.unresolved(&unresolved);
    writer.outside(&links.outside);
    let known = links.communities;
    writer.finish(|ends, edges| if known.is_empty() { contextd_link::communities(ends, edges, first) } else { known })
}
