//! The graph's plain rows: edges between symbols, named by their global numbers.

use crate::{EdgeKind, Provenance};
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
