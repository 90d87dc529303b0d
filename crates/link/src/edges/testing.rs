//! Tests and what they test.

use super::FileLinker;
use contextd_model::EdgeKind;
use contextd_model::facts::modifier;
use contextd_model::graph::EdgeRow;

/// Neighbours in a test's list of tested symbols that are joined.
const MAX_TESTED: usize = 6;
/// Tests of a file whose symbols are joined.
const MAX_TESTS: usize = 400;

impl FileLinker<'_, '_> {
    /// A test tests what it calls outside of tests; symbols known to be called together by one test
    /// are tested together.
    pub(super) fn testing(&mut self) {
        let world = self.world;
        let in_tests = world.is_test(self.file);
        let is_test =
            |symbol: u32| world.is_test(world.file_of(symbol)) || world.has(symbol, modifier::TEST);
        let mut tested: Vec<(u32, EdgeRow)> = Vec::new();
        for &(source, edge) in &self.edges {
            if edge.kind() == EdgeKind::Calls
                && (in_tests || world.row(source).has(modifier::TEST))
                && !is_test(edge.target)
            {
                tested.push((source, edge));
            }
        }
        for &(source, edge) in &tested {
            self.push(
                source,
                edge.target,
                EdgeKind::Tests,
                edge.line,
                edge.confidence,
                u16::from(edge.count),
            );
        }
        tested.retain(|(_, edge)| edge.is_known());
        tested.sort_by_key(|(source, edge)| (*source, edge.line, edge.target));
        for group in tested.chunk_by(|left, right| left.0 == right.0).take(MAX_TESTS) {
            let mut targets: Vec<u32> = group.iter().map(|(_, edge)| edge.target).collect();
            targets.dedup();
            targets.truncate(MAX_TESTED);
            for pair in targets.windows(2) {
                let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                self.push(low, high, EdgeKind::CoTestedWith, 0, 70, 1);
            }
        }
    }
}
