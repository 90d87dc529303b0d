//! Environment variables, programs and routes: what code names and no file defines.

use super::FileLinker;
use crate::resolve::Kind;
use contextd_model::facts::RefRow;
use contextd_model::graph::{KNOWN_CONFIDENCE, OutsideEdge};
use contextd_model::{EdgeKind, Provenance, RefKind};

/// The literal stands where the name is asked for.
const WRITTEN: u8 = 95;
/// A call registers a route, and a function beside the pattern handles it.
const HANDLER: u8 = 90;
/// A call that looks like registering a route; it may as well be a request.
const CALL: u8 = 60;
/// Lines after the pattern in which its handler is looked for.
const HANDLER_LINES: u32 = 2;
/// References after the pattern that are looked at.
const MAX_LOOKED_AT: usize = 8;
/// Arguments of a reference that is no call.
const NO_CALL: u8 = 255;

impl FileLinker<'_, '_> {
    /// Adds the edge of a reference to something outside, `at` among the references.
    pub(super) fn refer_outside(&mut self, at: usize) {
        let view = self.world.own();
        let row = &view.refs[at];
        let name = view.str(row.name);
        match row.kind() {
            RefKind::Env => {
                self.push_outside(row, row.owner, EdgeKind::ReadsEnv, name.to_owned(), WRITTEN)
            }
            RefKind::Process => self.push_outside(
                row,
                row.owner,
                EdgeKind::ExecutesProcess,
                name.to_owned(),
                WRITTEN,
            ),
            _ => {
                let method = view.str(row.qualifier);
                let is_method =
                    !matches!(method, "" | "ROUTE" | "HANDLE" | "HANDLEFUNC" | "ALL" | "ANY");
                let route = if is_method { format!("{method} {name}") } else { name.to_owned() };
                self.route(at, route);
            }
        }
    }

    /// A decorated or annotated function handles its route; a call names the handler beside the pattern,
    /// or writes it in place.
    fn route(&mut self, at: usize, route: String) {
        let row = &self.world.own().refs[at];
        if row.arguments == NO_CALL {
            self.push_outside(row, row.owner, EdgeKind::HandlesRoute, route, WRITTEN);
            return;
        }
        match self.handler(at) {
            Some((handler, sure)) => {
                self.push_from(row, handler, EdgeKind::HandlesRoute, route, sure.min(HANDLER))
            }
            None => self.push_outside(row, row.owner, EdgeKind::HandlesRoute, route, CALL),
        }
    }

    /// Returns the last function that is named, not called, right behind the pattern.
    fn handler(&mut self, at: usize) -> Option<(u32, u8)> {
        let world = self.world;
        let refs = world.own().refs;
        let pattern = &refs[at];
        let behind = refs[at + 1..].iter().take(MAX_LOOKED_AT).take_while(|row| {
            row.owner == pattern.owner
                && row.line <= pattern.line + HANDLER_LINES
                && row.kind() != RefKind::Route
        });
        let mut found = None;
        for row in behind.filter(|row| matches!(row.kind(), RefKind::Name | RefKind::Field)) {
            let value = self.resolve(row);
            if let Kind::Symbol(symbol) = value.kind
                && world.kind(symbol).is_callable()
            {
                found = Some((symbol, value.sure));
            }
        }
        found
    }

    fn push_outside(
        &mut self,
        row: &RefRow,
        owner: u32,
        kind: EdgeKind,
        name: String,
        confidence: u8,
    ) {
        self.push_from(row, self.world.global(self.file, owner), kind, name, confidence);
    }

    fn push_from(
        &mut self,
        row: &RefRow,
        source: u32,
        kind: EdgeKind,
        name: String,
        confidence: u8,
    ) {
        let provenance = if confidence >= KNOWN_CONFIDENCE {
            Provenance::AstResolved
        } else {
            Provenance::AstInferred
        };
        self.outside.push(OutsideEdge {
            source,
            kind,
            name,
            line: row.line,
            confidence,
            provenance,
            count: row.count.min(255) as u8,
        });
    }
}

/// Sorts; of repeated edges the surest stays, with the first line.
pub(super) fn merge(mut edges: Vec<OutsideEdge>) -> Vec<OutsideEdge> {
    edges.sort_unstable();
    edges.dedup_by(|later, edge| {
        let same = (later.source, later.kind, &later.name) == (edge.source, edge.kind, &edge.name);
        if same {
            edge.count = edge.count.saturating_add(later.count);
            if later.confidence > edge.confidence {
                (edge.confidence, edge.provenance) = (later.confidence, later.provenance);
            }
        }
        same
    });
    edges
}
