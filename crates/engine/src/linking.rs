//! Segments → graph: all files linked, or those that a change can affect.

mod assembly;
mod owners;
mod parts;
mod pulls;
mod relink;
mod rows;
mod warm;

pub use warm::Warm;

use crate::error::Result;
use assembly::{Assembled, Edges, assemble};
use contextd_link::World;
use contextd_model::ContentHash;
use contextd_model::graph::OutsideEdge;
use contextd_snapshot::{Durability, GraphImage, GraphWriter, Segment, Snapshot};
use parts::{Part, Parts};
use rayon::prelude::*;
use relink::Outcome;
use rows::{Rows, first_symbols, symbols_of};
use std::path::Path;

/// Version of what edges mean. Edges of an older one are never taken over.
pub const LINK_VERSION: u32 = 9;

/// A written graph.
pub struct Linked {
    pub key: ContentHash,
    pub edges: u64,
    pub relinked: Relinked,
    /// What the next graph needs to be made from this one, where it is new.
    parts: Option<Parts>,
}

impl Linked {
    /// Keeps what the next run needs to link less. Nobody waits for it: without it that run links everything.
    pub fn keep(&self, index: &Path) {
        if let Some(parts) = &self.parts {
            parts.write(index, self.key);
        }
    }
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

/// A snapshot whose edges may be taken over, with what a graph does not hold.
pub struct Before<'p> {
    previous: &'p Snapshot,
    parts: Parts,
}

impl<'p> Before<'p> {
    /// Reads what was kept beside the graph; `None` when it was not.
    pub fn read(index: &Path, previous: &'p Snapshot) -> Option<Self> {
        Some(Self { previous, parts: Parts::read(index, previous.manifest().graph)? })
    }
}

/// Links the files of all segments and writes their graph into the index folder. Edges of files that
/// cannot have changed are taken over from the snapshot before, which must be of the same version.
pub fn link(
    index: &Path,
    segments: &[Segment],
    keys: &[ContentHash],
    before: Option<Before<'_>>,
    warm: Option<&Warm>,
) -> Result<Linked> {
    let manifest = before.as_ref().map(|before| before.previous.manifest());
    let planned =
        before.and_then(|before| relink::plan(segments, before)?.link(segments, keys, warm));
    let (made, relinked) = match (planned, manifest) {
        (Some((Outcome::Same, relinked)), Some(manifest)) => {
            return Ok(Linked {
                key: manifest.graph,
                edges: manifest.edges,
                relinked,
                parts: None,
            });
        }
        (Some((Outcome::New(made), relinked)), _) => (made, relinked),
        _ => (link_all(segments), Relinked::All),
    };
    let Made { image, edges, parts } = made;
    image.write(index, Durability::Fast)?;
    Ok(Linked { key: image.key, edges, relinked, parts: Some(parts) })
}

/// A graph that is laid out, with the number of its edges and what the next one needs to be made from it.
pub struct Made {
    image: GraphImage,
    edges: u64,
    parts: Parts,
}

/// What a graph holds beside the edges between symbols.
struct Rest {
    unresolved: Vec<u32>,
    outside: Vec<OutsideEdge>,
}

impl Rest {
    fn of(parts: &Parts, segments: &[Segment]) -> Self {
        // Triples of language, reason and count, in order.
        let unresolved = parts
            .unresolved()
            .counts
            .iter()
            .flat_map(|(&(language, reason), &count)| {
                [u32::from(language), reason as u32, count.min(u64::from(u32::MAX)) as u32]
            })
            .collect();
        let mut outside = parts.outside();
        outside.extend(owners::edges(segments));
        outside.sort_unstable();
        Self { unresolved, outside }
    }
}

fn link_all(segments: &[Segment]) -> Made {
    let first = first_symbols(segments);
    let linked: Vec<(Edges, Part)> = {
        let mut rows = Rows::default();
        let files = rows.read(segments);
        let world = World::build(&files);
        (0..files.len())
            .into_par_iter()
            .map(|file| parts::split(world.link_file(file), symbols_of(&first, file)))
            .collect()
    };
    let (own, files): (Vec<Edges>, Vec<Part>) = linked.into_iter().unzip();
    let parts = Parts { files };
    let assembled =
        assemble(&first, &parts, |file, edges| edges.extend_from_slice(&own[file as usize]));
    drop(own);
    lay_out(assembled, parts, segments, &first)
}

/// Lays a graph out, and finds communities beside.
fn lay_out(assembled: Assembled, parts: Parts, segments: &[Segment], first: &[u32]) -> Made {
    let rest = Rest::of(&parts, segments);
    let mut writer = GraphWriter::of(&assembled.offsets, assembled.edges);
    writer.unresolved(&rest.unresolved);
    writer.outside(&rest.outside);
    let image = writer.finish(|ends, edges| contextd_link::communities(ends, edges, first));
    Made { edges: image.edges + rest.outside.len() as u64, image, parts }
}
