//! Where values go, as far as a file's own syntax shows it: the result of a call that is kept goes to
//! the caller, a value that is assigned to a field of `self` goes to the field.
//!
//! That arguments go from caller to callee is what `calls` says already; it is not repeated.

use super::FileLinker;
use crate::key;
use contextd_model::facts::binding;
use contextd_model::graph::EdgeRow;
use contextd_model::{EdgeKind, SymbolKind};

/// A result that is kept is likely used; whether it is, is not followed.
const KEPT: u8 = 80;
/// Results of calls whose callee the name alone does not tell from another one.
const SHARED_NAME: u8 = 60;
const FIELD: u8 = 95;

impl FileLinker<'_, '_> {
    pub(super) fn dataflow(&mut self) {
        let view = self.world.own();
        let calls = self.calls_by_name();
        for row in view.bindings {
            if row.how == binding::CALLED {
                self.result(&calls, row.owner, view.str(row.type_text), row.line);
            }
            if let Some(field) = view.str(row.name).strip_prefix("self.") {
                self.field_write(row.owner, field, row.line);
            }
        }
    }

    /// Returns the calls of this file by caller and callee's name, sorted.
    fn calls_by_name(&self) -> Vec<(u32, u64, EdgeRow)> {
        let calls = self.edges.iter().filter(|(_, edge)| edge.kind() == EdgeKind::Calls);
        let mut calls: Vec<_> = calls
            .map(|&(source, edge)| (source, key::name(self.world.name_of(edge.target)), edge))
            .collect();
        calls.sort_unstable();
        calls
    }

    fn result(&mut self, calls: &[(u32, u64, EdgeRow)], owner: u32, callee: &str, line: u32) {
        let caller = self.world.global(self.file, owner);
        let name = key::name(callee.rsplit('.').next().unwrap_or(callee));
        let start = calls.partition_point(|&(source, key, _)| (source, key) < (caller, name));
        let found: Vec<EdgeRow> = calls[start..]
            .iter()
            .take_while(|&&(source, key, _)| (source, key) == (caller, name))
            .map(|&(_, _, edge)| edge)
            .collect();
        let mut targets: Vec<u32> = found.iter().map(|edge| edge.target).collect();
        targets.dedup();
        let most = if targets.len() > 1 { SHARED_NAME } else { KEPT };
        let world = self.world;
        for edge in found.iter().filter(|edge| world.kind(edge.target).is_callable()) {
            self.push(edge.target, caller, EdgeKind::Dataflow, line, edge.confidence.min(most), 1);
        }
    }

    fn field_write(&mut self, owner: u32, field: &str, line: u32) {
        let world = self.world;
        let Some(class) = world.enclosing_type(self.file, owner) else { return };
        let found =
            world.in_scope(class, key::name(field)).iter().copied().find(|&symbol| {
                matches!(world.kind(symbol), SymbolKind::Field | SymbolKind::Property)
            });
        if let Some(target) = found {
            self.push(world.global(self.file, owner), target, EdgeKind::Dataflow, line, FIELD, 1);
        }
    }
}
