//! What is left to do when every node has been seen.

use super::Walk;
use contextd_model::RefKind;
use contextd_model::facts::{FileFacts, NONE};
use rustc_hash::FxHashSet;

impl Walk<'_> {
    /// Returns the facts, references in the order of their owners and without mentions of locals.
    pub fn finish(mut self) -> FileFacts {
        let locals: FxHashSet<(u32, u32)> =
            self.bindings.iter().map(|row| (row.owner, row.name.0)).collect();
        let symbols = &self.symbols;
        let is_local = |owner: u32, name: u32| {
            let mut at = owner;
            while at != 0 && at != NONE {
                if locals.contains(&(at, name)) {
                    return true;
                }
                at = symbols[at as usize].parent;
            }
            false
        };
        self.refs.retain(|row| {
            row.kind() != RefKind::Name
                || !row.qualifier.is_empty()
                || !is_local(row.owner, row.name.0)
        });
        self.refs.sort_by_key(|row| (row.owner, row.start, row.kind));
        self.bindings.sort_by_key(|row| row.owner);
        FileFacts {
            package: self.package,
            strings: self.strings.table,
            symbols: self.symbols,
            refs: self.refs,
            imports: self.imports,
            bases: self.bases,
            bindings: self.bindings,
            ..FileFacts::default()
        }
    }
}
