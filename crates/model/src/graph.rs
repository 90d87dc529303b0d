//! The graph's plain rows: edges between symbols, named by their global numbers.

use crate::{EdgeKind, OutsideKind, Provenance};
use bytemuck::{Pod, Zeroable};

/// One edge, without its source: rows stand grouped by source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct EdgeRow {
    /// Global number of the symbol the edge leads to.
    pub target: u32,
    /// Line of the evidence in the source's file; 0 when the edge has no place.
    pub line: u32,
    pub kind: u8,
    /// Percent, 0 to 100.
    pub confidence: u8,
    pub provenance: u8,
    /// How often the source mentions the target this way, capped.
    pub count: u8,
}

/// Confidence in percent from which on an edge counts as known.
pub const KNOWN_CONFIDENCE: u8 = 90;

impl EdgeRow {
    pub fn kind(&self) -> EdgeKind {
        EdgeKind::from_byte(self.kind)
    }

    pub fn provenance(&self) -> Provenance {
        Provenance::from_byte(self.provenance)
    }

    /// True when the edge is known, false when it is guessed.
    pub fn is_known(&self) -> bool {
        self.confidence >= KNOWN_CONFIDENCE
    }
}

/// One edge to something that no file of the repository defines: an environment variable, a program, a
/// route, an owner. Such things have no symbol, so they are named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutsideEdge {
    /// Number of the symbol the edge comes from.
    pub source: u32,
    pub kind: EdgeKind,
    /// `HOME`, `git`, `GET /users`, `@team`.
    pub name: String,
    /// Line of the evidence; 0 when the edge has no place.
    pub line: u32,
    /// Percent, 0 to 100.
    pub confidence: u8,
    pub provenance: Provenance,
    pub count: u8,
}

impl OutsideEdge {
    /// Returns what the edge leads to.
    pub fn target_kind(&self) -> OutsideKind {
        match self.kind {
            EdgeKind::ReadsEnv => OutsideKind::Env,
            EdgeKind::ExecutesProcess => OutsideKind::Process,
            EdgeKind::HandlesRoute => OutsideKind::Route,
            _ => OutsideKind::Owner,
        }
    }
}
