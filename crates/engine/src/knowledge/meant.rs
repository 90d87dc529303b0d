//! From the parts that a request means to their code.

use super::{Knowledge, code};
use crate::reader::Reader;
use contextd_model::Visibility;
use contextd_retrieve::declared::{Declared, Parts};
use contextd_retrieve::{Catalog, Query};
use contextd_snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Symbols that one part brings into a ranking; of a larger part the most used ones.
const BROUGHT: usize = 40;
/// Code of a part's parts counts so much.
const BELOW: f32 = 0.5;

/// The files of each node, and of each whether it is the node's own, not of a part of it.
type FilesOfNodes = BTreeMap<usize, Vec<(u32, bool)>>;

/// Where the code of the nodes lies; looked for once, when a request first needs it.
#[derive(Debug, Default)]
pub(super) struct Ground {
    kept: OnceLock<(Parts, FilesOfNodes)>,
}

impl Ground {
    /// Returns the nodes' words and files.
    fn of(&self, knowledge: &Knowledge, snapshot: &Snapshot) -> &(Parts, FilesOfNodes) {
        self.kept.get_or_init(|| {
            let mut files = FilesOfNodes::new();
            for file in (0..snapshot.file_count())
                .filter(|&file| code::is_code(snapshot.file(file).language()))
            {
                let path = snapshot.file(file).path();
                let own: BTreeSet<usize> = knowledge.nodes_of_file(path).into_iter().collect();
                let all: BTreeSet<usize> =
                    own.iter().flat_map(|&node| knowledge.graph.ancestry(node)).collect();
                all.into_iter().for_each(|node| {
                    files.entry(node).or_default().push((file, own.contains(&node)))
                });
            }
            (Parts::of(&knowledge.graph), files)
        })
    }
}

impl Knowledge {
    /// Returns what is declared about the parts that a request means; `None` when it means none.
    pub fn meant(&self, reader: &Reader, query: &Query) -> Option<Declared> {
        if self.graph.is_empty() {
            return None;
        }
        let (snapshot, catalog) = (&reader.snapshot, &reader.catalog);
        let (parts, files) = self.ground.of(self, snapshot);
        let (mut by_symbol, mut by_file, mut brought) = (Vec::new(), Vec::new(), Vec::new());
        for (node, sure) in parts.meant(query) {
            let own: &[(u32, bool)] = files.get(&node).map_or(&[], Vec::as_slice);
            // A part that is everything tells nothing apart.
            let sure = sure * (1.0 - own.len() as f32 / snapshot.file_count().max(1) as f32);
            by_file.extend(
                own.iter().map(|&(file, own)| (file, if own { sure } else { sure * BELOW })),
            );
            let annotated: Vec<u32> = self
                .annotated_symbols(node)
                .into_iter()
                .flat_map(|symbol| {
                    [symbol].into_iter().chain(snapshot.symbol(symbol).descendants())
                })
                .collect();
            by_symbol.extend(annotated.iter().map(|&symbol| (symbol, sure)));
            brought.extend(most_used(
                snapshot,
                catalog,
                annotated
                    .into_iter()
                    .chain(own.iter().flat_map(|&(file, _)| snapshot.symbols_of_file(file))),
                query.about_tests,
            ));
        }
        let found = !by_symbol.is_empty() || !by_file.is_empty();
        found.then(|| Declared::new(by_symbol, by_file, brought))
    }
}

/// Public definitions that most others use, in the order of symbols.
fn most_used(
    snapshot: &Snapshot,
    catalog: &Catalog,
    symbols: impl Iterator<Item = u32>,
    tests: bool,
) -> Vec<u32> {
    let wanted =
        symbols.filter(|&symbol| catalog.is_code(symbol) && (tests || !catalog.is_test(symbol)));
    let mut scored: Vec<(bool, usize, u32)> = wanted
        .map(|symbol| {
            (
                snapshot.symbol(symbol).visibility() != Visibility::Public,
                snapshot.graph().sources(symbol).len(),
                symbol,
            )
        })
        .collect();
    scored.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    scored.dedup_by_key(|(_, _, symbol)| *symbol);
    let mut found: Vec<u32> =
        scored.into_iter().take(BROUGHT).map(|(_, _, symbol)| symbol).collect();
    found.sort_unstable();
    found
}
