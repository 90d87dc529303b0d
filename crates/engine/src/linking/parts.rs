//! What each file adds to the graph beyond the edges of its own symbols.
//!
//! A graph keeps neither who counted a name as unresolved nor who joined two symbols of other files.
//! Both are needed to take a file's share out again, so they are kept beside the index. Losing them
//! costs one full linking.

use super::assembly::Edges;
use contextd_link::{FileLinks, Reason, Unresolved};
use contextd_model::graph::{EdgeRow, OutsideEdge};
use contextd_model::{ContentHash, EdgeKind, Provenance};
use contextd_store::{compress, decompress};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One file's share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub unresolved: Vec<(u8, u8, u64)>,
    /// Edges that other files may add to, or whose source stands in another file.
    pub joined: Edges,
    /// Edges to what no file defines.
    pub outside: Vec<OutsideEdge>,
}

/// The shares of all files, in global order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub files: Vec<Part>,
}

/// True for an edge that more than the source's own file may give rise to.
pub fn is_joined(source: u32, edge: &EdgeRow, own: &Range<u32>) -> bool {
    match edge.kind() {
        EdgeKind::CoTestedWith => true,
        // The result of a call goes from the callee's file to the caller's, which says so.
        EdgeKind::Contains | EdgeKind::Dataflow => {
            !(own.contains(&source) && own.contains(&edge.target))
        }
        _ => false,
    }
}

/// Tells what a file says of its own symbols from its share in others.
pub fn split(links: FileLinks, own: Range<u32>) -> (Edges, Part) {
    let FileLinks { edges, outside, unresolved } = links;
    let (joined, edges) = edges
        .into_iter()
        .partition(|(source, edge)| !own.contains(source) || is_joined(*source, edge, &own));
    let unresolved = unresolved
        .counts
        .into_iter()
        .map(|((language, reason), count)| (language, reason as u8, count))
        .collect();
    (edges, Part { unresolved, joined, outside })
}

impl Parts {
    /// Adds up what could not be resolved.
    pub fn unresolved(&self) -> Unresolved {
        let mut total = Unresolved::default();
        for (language, reason, count) in self.files.iter().flat_map(|part| &part.unresolved) {
            *total.counts.entry((*language, reason_of(*reason))).or_default() += count;
        }
        total
    }

    /// Gathers the edges to what no file defines.
    pub fn outside(&self) -> Vec<OutsideEdge> {
        let mut all: Vec<OutsideEdge> =
            self.files.iter().flat_map(|part| part.outside.iter().cloned()).collect();
        all.sort_unstable();
        all
    }

    /// Keeps the shares for the next run, as those of the graph `key`.
    pub fn write(&self, index: &Path, key: ContentHash) {
        let mut bytes = key.0.to_vec();
        put(&mut bytes, self.files.len() as u32);
        for part in &self.files {
            put(&mut bytes, part.unresolved.len() as u32);
            for (language, reason, count) in &part.unresolved {
                bytes.extend([*language, *reason]);
                bytes.extend(count.to_le_bytes());
            }
            put(&mut bytes, part.joined.len() as u32);
            for (source, edge) in &part.joined {
                [*source, edge.target, edge.line]
                    .into_iter()
                    .for_each(|number| put(&mut bytes, number));
                bytes.extend([edge.kind, edge.confidence, edge.provenance, edge.count]);
            }
            put(&mut bytes, part.outside.len() as u32);
            for edge in &part.outside {
                [edge.source, edge.line, edge.name.len() as u32]
                    .into_iter()
                    .for_each(|number| put(&mut bytes, number));
                bytes.extend([edge.kind as u8, edge.confidence, edge.provenance as u8, edge.count]);
                bytes.extend_from_slice(edge.name.as_bytes());
            }
        }
        let file = compress(&bytes);
        let (place, beside) =
            (place(index), index.join(format!(".writing-links-{}", std::process::id())));
        // Not being able to keep them costs time at the next change, nothing else.
        let _ = fs::write(&beside, file).and_then(|()| fs::rename(&beside, &place));
    }

    /// Reads the shares that belong to the graph `key`.
    pub fn read(index: &Path, key: ContentHash) -> Option<Self> {
        let bytes = decompress(&fs::read(place(index)).ok()?)?;
        if bytes.get(..32)? != key.0 {
            return None;
        }
        let mut rest = &bytes[32..];
        let count = take_number(&mut rest)?;
        let files = (0..count).map(|_| take_part(&mut rest)).collect::<Option<Vec<_>>>()?;
        rest.is_empty().then_some(Self { files })
    }
}

fn place(index: &Path) -> PathBuf {
    index.join("links")
}

fn reason_of(byte: u8) -> Reason {
    match byte {
        0 => Reason::External,
        1 => Reason::NotFound,
        _ => Reason::Ambiguous,
    }
}

fn put(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend(number.to_le_bytes());
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

fn take_part(rest: &mut &[u8]) -> Option<Part> {
    let mut part = Part::default();
    for _ in 0..take_number(rest)? {
        let row = take(rest, 10)?;
        part.unresolved.push((row[0], row[1], u64::from_le_bytes(row[2..].try_into().ok()?)));
    }
    for _ in 0..take_number(rest)? {
        let (source, target, line) = (take_number(rest)?, take_number(rest)?, take_number(rest)?);
        let row = take(rest, 4)?;
        part.joined.push((
            source,
            EdgeRow {
                target,
                line,
                kind: row[0],
                confidence: row[1],
                provenance: row[2],
                count: row[3],
            },
        ));
    }
    for _ in 0..take_number(rest)? {
        let (source, line, length) = (take_number(rest)?, take_number(rest)?, take_number(rest)?);
        let row = take(rest, 4)?;
        let name = std::str::from_utf8(take(rest, length as usize)?).ok()?.to_owned();
        part.outside.push(OutsideEdge {
            source,
            kind: EdgeKind::from_byte(row[0]),
            name,
            line,
            confidence: row[1],
            provenance: Provenance::from_byte(row[2]),
            count: row[3],
        });
    }
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_whole_and_for_their_graph_only() {
        let folder = tempfile::tempdir().unwrap();
        let edge = EdgeRow { target: 7, line: 3, kind: 2, confidence: 70, provenance: 1, count: 9 };
        let outside = OutsideEdge {
            source: 3,
            kind: EdgeKind::ReadsEnv,
            name: "HOME".into(),
            line: 8,
            confidence: 95,
            provenance: Provenance::AstResolved,
            count: 1,
        };
        let parts = Parts {
            files: vec![
                Part::default(),
                Part {
                    unresolved: vec![(4, 1, 1 << 40)],
                    joined: vec![(5, edge)],
                    outside: vec![outside],
                },
            ],
        };
        let key = ContentHash::of(b"graph");
        parts.write(folder.path(), key);
        assert_eq!(Parts::read(folder.path(), key), Some(parts));
        assert_eq!(Parts::read(folder.path(), ContentHash::of(b"other")), None);
        let mut bytes = fs::read(place(folder.path())).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(place(folder.path()), bytes).unwrap();
        assert_eq!(Parts::read(folder.path(), key), None, "damaged");
    }
}
