//! Bytes of edges to environment variables, programs, routes and owners: few, so they are read whole.

use crate::varint::{self, Reader};
use contextd_model::graph::OutsideEdge;
use contextd_model::{EdgeKind, Provenance};

/// Writes edges that are sorted by source.
pub(super) fn pack(edges: &[OutsideEdge]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut before = 0;
    for edge in edges {
        varint::put(&mut out, edge.source.wrapping_sub(before));
        before = edge.source;
        varint::put(&mut out, edge.line);
        out.extend([edge.kind as u8, edge.confidence, edge.provenance as u8, edge.count]);
        varint::put(&mut out, edge.name.len() as u32);
        out.extend_from_slice(edge.name.as_bytes());
    }
    out
}

/// Reads what [`pack`] wrote, as far as it is whole.
pub(super) fn unpack(bytes: &[u8], symbols: u32) -> Vec<OutsideEdge> {
    let mut reader = Reader::new(bytes);
    let (mut edges, mut source) = (Vec::new(), 0u32);
    while !reader.rest().is_empty() {
        source = source.wrapping_add(reader.varint());
        let line = reader.varint();
        let [kind, confidence, provenance, count] =
            [reader.byte(), reader.byte(), reader.byte(), reader.byte()];
        let length = reader.varint() as usize;
        let name = reader.take(length);
        let Some(name) = std::str::from_utf8(name)
            .ok()
            .filter(|name| reader.is_whole() && name.len() == length && source < symbols)
        else {
            break;
        };
        edges.push(OutsideEdge {
            source,
            kind: EdgeKind::from_byte(kind),
            name: name.to_owned(),
            line,
            confidence,
            provenance: Provenance::from_byte(provenance),
            count,
        });
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_come_back_and_damage_ends_them() {
        let edge = |source, name: &str| OutsideEdge {
            source,
            kind: EdgeKind::ReadsEnv,
            name: name.to_owned(),
            line: 300,
            confidence: 95,
            provenance: Provenance::AstResolved,
            count: 2,
        };
        let edges = [edge(1, "HOME"), edge(1, "PATH"), edge(700, "Größe")];
        let bytes = pack(&edges);
        assert_eq!(unpack(&bytes, 701), edges);
        assert_eq!(unpack(&bytes, 2), edges[..2]);
        for end in 0..bytes.len() {
            let found = unpack(&bytes[..end], 701);
            assert_eq!(found, edges[..found.len()], "cut at {end}");
        }
    }
}
