use crate::random::Random;
use contextd_model::ContentHash;
use contextd_model::graph::EdgeRow;
use contextd_snapshot::{Durability, Graph, GraphWriter, graph_path};
use proptest::prelude::*;

fn write(edges: &[Vec<EdgeRow>], dir: &tempfile::TempDir) -> (Graph, ContentHash) {
    let mut writer = GraphWriter::new(edges.len() as u32);
    edges.iter().for_each(|rows| writer.push(rows));
    writer.unresolved(&[3, 0, 9]);
    let image = writer.finish(|ends, _| (0..ends.len() as u32).map(|symbol| symbol / 3).collect());
    image.write(dir.path(), Durability::Sync).unwrap();
    (
        Graph::open(&graph_path(dir.path(), image.key)).unwrap(),
        image.key,
    )
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
    let row = |target| EdgeRow {
        target,
        ..EdgeRow::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let (graph, _) = write(
        &[vec![row(5), row(1)], vec![row(3)], vec![row(0), row(9)]],
        &dir,
    );
    assert_eq!(
        (0..3)
            .map(|symbol| graph.out(symbol).len())
            .collect::<Vec<_>>(),
        [1, 0, 1]
    );
}
