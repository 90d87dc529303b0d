//! Where the line of an edge stands. Mostly in the file of its source, but not always.

use crate::Snapshot;
use contextd_model::graph::EdgeRow;
use contextd_model::{EdgeKind, SymbolKind};

impl Snapshot {
    /// Returns the file in which an edge of `source` is written.
    ///
    /// What a type extends or implements may stand in an extension elsewhere (`impl Trait for Type`),
    /// and that a result is kept is said where the call stands.
    pub fn written_in(&self, source: u32, edge: &EdgeRow) -> u32 {
        let found = match edge.kind() {
            EdgeKind::Extends | EdgeKind::Implements => self.extension_at(source, edge),
            EdgeKind::Dataflow if self.symbol(edge.target).kind().is_callable() => {
                Some(edge.target)
            }
            _ => None,
        };
        self.file_of(found.unwrap_or(source))
    }

    /// Returns the extension of a type that holds the line of one of its bases.
    fn extension_at(&self, source: u32, edge: &EdgeRow) -> Option<u32> {
        let own = self.symbol(source);
        if (own.start_line()..=own.end_line()).contains(&edge.line) {
            return None;
        }
        let members =
            self.graph().incoming(source).filter(|(_, member)| member.kind() == EdgeKind::MemberOf);
        let holding: Vec<u32> = members
            .map(|(symbol, _)| symbol)
            .filter(|&symbol| {
                let row = self.symbol(symbol);
                row.kind() == SymbolKind::Extension
                    && (row.start_line()..=row.end_line()).contains(&edge.line)
            })
            .collect();
        // Extensions in several files may hold a line of that number; the one that names the base counts.
        let base = self.symbol(edge.target).name();
        let names_it = |symbol: &&u32| self.symbol(**symbol).signature().contains(base);
        holding.iter().find(names_it).or(holding.first()).copied()
    }
}
