//! Damaged files are refused or give wrong answers; they never panic, hang or ask for endless memory.

use crate::random::{Random, files, freeze};
use contextd_model::ContentHash;
use contextd_model::graph::EdgeRow;
use contextd_snapshot::{Graph, GraphWriter, LinkRows, Segment, Wanted};
use proptest::prelude::*;
use std::path::Path;

/// Reads everything a segment offers.
fn exercise_segment(path: &Path) {
    let Ok(segment) = Segment::open(path) else {
        return;
    };
    let mut rows = LinkRows::default();
    for file in 0..segment.file_count().min(500) + 2 {
        assert!(segment.symbols_of_file(file).end <= segment.symbol_count());
        assert!(segment.cells_of_file(file).end <= segment.cell_count());
        let _ = (
            segment.path(file),
            segment.package(file),
            segment.hash(file),
            segment.chunks_of_file(file),
            segment.find_file("src/get0.rs"),
        );
        for wanted in [Wanted::Links, Wanted::Chunks, Wanted::All] {
            if let Some(view) = segment.facts(file, wanted, &mut rows) {
                view.symbols
                    .iter()
                    .for_each(|row| assert!(view.str(row.qualified).len() < 1 << 20));
            }
        }
    }
    for symbol in 0..segment.symbol_count().min(2_000) + 2 {
        assert!(segment.file_of(symbol) <= segment.file_count());
        assert!(segment.parent(symbol).is_none_or(|parent| parent < symbol));
        assert!(segment.descendants(symbol).end <= segment.symbol_count());
        assert!(segment.cells_of_symbol(symbol).end <= segment.cell_count());
        let _ = (
            segment.name(symbol),
            segment.qualified(symbol),
            segment.detail(symbol),
            segment.field_lengths(symbol),
        );
    }
    for cell in 0..segment.cell_count().min(2_000) {
        assert!(segment.cell(segment.file_of_cell(cell), cell).symbol <= segment.symbol_count());
    }
    for (term, postings) in segment.terms_with_prefix("", 10_000) {
        postings.symbols.for_each(|symbol, _| assert!(symbol < segment.symbol_count()));
        postings.cells.for_each(|cell, _| assert!(cell < segment.cell_count()));
        let _ = segment.term(&term);
    }
    for symbol in
        segment.symbols_with_prefix("", 1_000).into_iter().chain(segment.symbols_named_like("get"))
    {
        assert!(symbol < segment.symbol_count());
    }
    let _ = segment.verify();
}

fn exercise_graph(path: &Path) {
    let Ok(graph) = Graph::open(path) else { return };
    for symbol in 0..graph.symbol_count().min(2_000) + 2 {
        let _ = (
            graph.out(symbol).len(),
            graph.incoming(symbol).take(10_000).count(),
            graph.community(symbol),
        );
    }
    let _ = (graph.unresolved().take(1_000).count(), graph.verify());
}

/// Makes the header's checksum right again, so that damage in it is not found at once.
fn sum_header(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let end = 16 + count * 24;
    if bytes.len() >= end + 8 {
        let sum = ContentHash::of(&bytes[..end]).short();
        bytes[end..end + 8].copy_from_slice(&sum.to_le_bytes());
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let header = 16 + 24 * u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    for _ in 0..1 + random.below(8) {
        let at = if random.below(4) == 0 {
            16 + random.below(header as u64 - 16) as usize
        } else {
            random.below(bytes.len() as u64) as usize
        };
        bytes[at] = match random.below(4) {
            0 => 0xff,
            1 => 0,
            _ => random.next() as u8,
        };
    }
    if random.below(8) == 0 {
        bytes.truncate(random.below(bytes.len() as u64) as usize);
    }
    if random.below(2) == 0 && bytes.len() > 16 {
        sum_header(bytes);
    }
}

fn graph_bytes(random: &mut Random) -> Vec<u8> {
    let mut writer = GraphWriter::new(40);
    for _ in 0..40 {
        let edges: Vec<_> = (0..random.below(6))
            .map(|_| EdgeRow {
                target: random.below(40),
                line: random.number(),
                ..EdgeRow::default()
            })
            .collect();
        writer.push(&edges);
    }
    writer.finish(|_, _| vec![7; 40]).bytes()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_segments_do_not_panic(seed: u64) {
        let mut random = Random::new(seed);
        let mut bytes = freeze(&files(&mut random, 5)).bytes;
        damage(&mut bytes, &mut random);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        exercise_segment(file.path());
    }

    #[test]
    fn damaged_graphs_do_not_panic(seed: u64) {
        let mut random = Random::new(seed);
        let mut bytes = graph_bytes(&mut random);
        damage(&mut bytes, &mut random);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        exercise_graph(file.path());
    }

    #[test]
    fn a_flipped_byte_is_found_by_verify(seed: u64) {
        let mut random = Random::new(seed);
        let files = files(&mut random, 3);
        let mut bytes = freeze(&files).bytes;
        let header = 24 + 24 * u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        // Padding between sections is the only place where a byte may change unseen: it is zero.
        let at = (header..bytes.len()).cycle().skip(random.below(bytes.len() as u64) as usize).find(|&at| bytes[at] != 0).unwrap();
        bytes[at] ^= 1 << random.below(8);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        prop_assert!(Segment::open(file.path()).and_then(|segment| segment.verify()).is_err());
    }
}
