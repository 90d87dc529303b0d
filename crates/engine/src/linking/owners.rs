//! Owners of files, as a CODEOWNERS file of the snapshot declares them.

use super::rows::first_symbols;
use contextd_history::Owners;
use contextd_model::graph::OutsideEdge;
use contextd_model::{EdgeKind, Provenance};
use contextd_snapshot::{LinkRows, Segment, Wanted};
use rayon::prelude::*;

/// Where the file is looked for; the first that is there counts.
const PLACES: [&str; 4] =
    [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// True for a file that may say who owns the others.
pub fn declares(path: &str) -> bool {
    PLACES.contains(&path)
}

/// Returns an edge from each owned file to each of its owners.
pub fn edges(segments: &[Segment]) -> Vec<OutsideEdge> {
    let Some(owners) = PLACES.iter().find_map(|place| rules(segments, place)) else {
        return Vec::new();
    };
    let first = first_symbols(segments);
    let paths: Vec<&str> = segments
        .iter()
        .flat_map(|segment| (0..segment.file_count()).map(move |file| segment.path(file)))
        .collect();
    let edge = |source, name| OutsideEdge {
        source,
        kind: EdgeKind::OwnedBy,
        name,
        line: 0,
        confidence: 100,
        provenance: Provenance::Declared,
        count: 1,
    };
    paths
        .par_iter()
        .zip(&first)
        .flat_map_iter(|(path, &source)| {
            owners.of(path).into_iter().map(move |name| edge(source, name))
        })
        .collect()
}

/// Reads the rules that a file's keys and their types were made of.
fn rules(segments: &[Segment], place: &str) -> Option<Owners> {
    let (segment, file) =
        segments.iter().find_map(|segment| Some((segment, segment.find_file(place)?)))?;
    let mut rows = LinkRows::default();
    let facts = segment.facts(file, Wanted::Links, &mut rows)?;
    let lines: Vec<String> = facts
        .symbols
        .iter()
        .skip(1)
        .map(|row| format!("{} {}", facts.str(row.name), facts.str(row.type_text)))
        .collect();
    Some(Owners::parse(&lines.join("\n")))
}
