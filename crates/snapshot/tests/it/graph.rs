use crate::random::Random;
use contextd_model::ContentHash;
use contextd_model::graph::EdgeRow;
use contextd_snapshot::{Durability, Graph, GraphImage, GraphWriter, Patch, graph_path};
use proptest::prelude::*;

fn image(edges: &[Vec<EdgeRow>]) -> GraphImage {
    let mut writer = GraphWriter::new(edges.len() as u32);
    edges.iter().for_each(|rows| writer.push(rows));
    writer.unresolved(&[3, 0, 9]);
    writer.finish(|ends, _| grouped(ends.len()))
}

fn grouped(symbols: usize) -> Vec<u32> {
    (0..symbols as u32).map(|symbol| symbol / 3).collect()
}

fn write(edges: &[Vec<EdgeRow>], dir: &tempfile::TempDir) -> (Graph, ContentHash) {
    let image = image(edges);
    image.write(dir.path(), Durability::Sync).unwrap();
    (Graph::open(&graph_path(dir.path(), image.key)).unwrap(), image.key)
}

proptest! {
    #[test]
    fn edges_are_found_from_both_ends(seed: u64, symbols in 0u64..30) {
        let mut random = Random::new(seed);
        let edges: Vec<Vec<EdgeRow>> = (0..symbols)
            .map(|_| (0..random.below(8)).map(|_| EdgeRow { target: random.below(symbols), line: random.number(), kind: random.below(28) as u8, confidence: random.below(101) as u8, provenance: random.below(8) as u8, count: 1 }).collect())
            .collect();
        let dir = tempfile::tempdir().unwrap();
        let (graph, key) = write(&edges, &dir);
        prop_assert_eq!(graph.edge_count() as usize, edges.iter().map(Vec::len).sum::<usize>());
        let order = |row: &EdgeRow| (row.target, row.kind, row.line, row.confidence, row.provenance, row.count);
        for (symbol, rows) in edges.iter().enumerate() {
            let mut expected = rows.clone();
            expected.sort_by_key(order);
            prop_assert_eq!(graph.out(symbol as u32).iter().collect::<Vec<_>>(), expected);
            prop_assert_eq!(graph.community(symbol as u32), symbol as u32 / 3);
            let mut incoming: Vec<(u32, EdgeRow)> = edges.iter().enumerate().flat_map(|(source, rows)| rows.iter().map(move |row| (source as u32, *row))).filter(|(_, row)| row.target == symbol as u32).collect();
            incoming.sort_by_key(|(source, row)| (*source, order(row)));
            prop_assert_eq!(graph.incoming(symbol as u32).collect::<Vec<_>>(), incoming);
        }
        prop_assert_eq!(graph.unresolved().collect::<Vec<_>>(), [3, 0, 9]);
        graph.verify().unwrap();
        // The order in which the linker found a symbol's edges does not show.
        let reversed: Vec<Vec<EdgeRow>> = edges.iter().map(|rows| rows.iter().rev().copied().collect()).collect();
        prop_assert_eq!(write(&reversed, &dir).1, key);
    }
}

#[test]
fn edges_to_nowhere_are_dropped() {
    let row = |target| EdgeRow { target, ..EdgeRow::default() };
    let dir = tempfile::tempdir().unwrap();
    let (graph, _) = write(&[vec![row(5), row(1)], vec![row(3)], vec![row(0), row(9)]], &dir);
    assert_eq!((0..3).map(|symbol| graph.out(symbol).len()).collect::<Vec<_>>(), [1, 0, 1]);
}

/// A row of few kinds, so that marks repeat, on lines of up to `bits` bits.
fn row(random: &mut Random, symbols: u64, bits: u64) -> EdgeRow {
    let bits = random.below(bits);
    EdgeRow {
        target: random.below(symbols),
        line: random.below(1 << bits),
        kind: random.below(3) as u8,
        confidence: 90,
        provenance: random.below(2) as u8,
        count: random.below(4) as u8,
    }
}

/// Draws a graph and one that came out of it: symbols gone, new ones between, some with other edges. Returns both, the
/// numbers of the old symbols among the new, and how the patch came out.
fn drawn(seed: u64, symbols: u64, changes: u64) -> (Vec<Vec<EdgeRow>>, Option<GraphImage>) {
    let mut random = Random::new(seed);
    let bits = 1 + u64::from(random.below(24));
    let before: Vec<Vec<EdgeRow>> = (0..symbols)
        .map(|_| (0..random.below(6)).map(|_| row(&mut random, symbols, bits)).collect())
        .collect();
    let (mut numbers, mut count) = (Vec::new(), 0);
    let is_moved = random.below(3) > 0;
    for _ in 0..symbols {
        let new = if is_moved && u64::from(random.below(symbols)) < changes {
            random.below(3)
        } else {
            0
        };
        let is_gone = is_moved && u64::from(random.below(symbols)) < changes;
        count += new;
        numbers.push(if is_gone { u32::MAX } else { count });
        count += u32::from(!is_gone);
    }
    let mut after: Vec<Option<Vec<EdgeRow>>> = vec![None; count as usize];
    let mut again = std::collections::BTreeMap::new();
    for (rows, &number) in before.iter().zip(&numbers).filter(|(_, number)| **number != u32::MAX) {
        let moved: Option<Vec<EdgeRow>> = rows
            .iter()
            .map(|edge| {
                Some(EdgeRow {
                    target: Some(numbers[edge.target as usize])
                        .filter(|&number| number != u32::MAX)?,
                    ..*edge
                })
            })
            .collect();
        after[number as usize] = moved.filter(|_| u64::from(random.below(symbols)) >= changes);
    }
    for (symbol, rows) in after.iter_mut().enumerate().filter(|(_, rows)| rows.is_none()) {
        let drawn: Vec<EdgeRow> =
            (0..random.below(4)).map(|_| row(&mut random, u64::from(count), bits)).collect();
        again.insert(symbol as u32, drawn.clone());
        *rows = Some(drawn);
    }
    let after: Vec<Vec<EdgeRow>> = after.into_iter().map(Option::unwrap_or_default).collect();
    let dir = tempfile::tempdir().unwrap();
    let graph = write(&before, &dir).0;
    let patch = Patch { numbers: is_moved.then_some(&numbers), symbols: count, again };
    let patched = graph.patched(patch, &[3, 0, 9], &[], || grouped(count as usize));
    (after, patched)
}

proptest! {
    #[test]
    fn a_patched_graph_is_the_one_made_from_nothing(seed: u64, symbols in 1u64..400, changes in 0u64..6) {
        let (after, patched) = drawn(seed, symbols, changes);
        if let Some(patched) = patched {
            prop_assert!(patched.bytes() == image(&after).bytes());
            prop_assert_eq!(patched.key, image(&after).key);
        }
    }
}

#[test]
fn most_changes_can_be_patched() {
    let is_patched = |seed: u64| drawn(seed, 20_000, 3).1.is_some();
    let patched = (0..20).filter(|&seed| is_patched(seed)).count();
    assert!(patched >= 15, "{patched} of 20");
}

#[test]
fn what_a_patch_leaves_open_is_not_guessed() {
    let edge = |target| EdgeRow { target, kind: 1, line: 7, count: 1, ..EdgeRow::default() };
    let dir = tempfile::tempdir().unwrap();
    let graph = write(&[vec![edge(1)], vec![edge(0)], vec![]], &dir).0;
    let patched = |numbers: Option<&[u32]>, symbols, again: &[(u32, Vec<EdgeRow>)]| {
        graph
            .patched(
                Patch { numbers, symbols, again: again.iter().cloned().collect() },
                &[],
                &[],
                Vec::new,
            )
            .is_some()
    };
    assert!(patched(None, 3, &[]));
    assert!(patched(Some(&[0, 2, 3]), 4, &[(1, vec![])]));
    assert!(!patched(Some(&[0, 2, 3]), 4, &[]), "nothing is said of a new symbol");
    assert!(!patched(Some(&[0, u32::MAX, 1]), 2, &[]), "an edge to what is gone");
    assert!(!patched(None, 3, &[(9, vec![])]), "a symbol that is not there");
    assert!(!patched(None, 3, &[(2, vec![EdgeRow { confidence: 5, ..edge(0) }])]), "another mark");
    assert!(!patched(None, 3, &[(2, vec![EdgeRow { line: 700, ..edge(0) }])]), "a wider line");
    assert!(!patched(None, 3, &[(0, vec![]), (1, vec![])]), "no mark is left");
}
