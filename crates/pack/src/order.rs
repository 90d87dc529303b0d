//! The order of items inside a section.

use crate::pack::ContextItem;
use crate::request::{PackRequest, Primary, TieBreaker};
use std::cmp::Ordering;

/// Keys that decide when all others are equal, in this order.
const LAST: &[TieBreaker] =
    &[TieBreaker::FileRelPath, TieBreaker::StartLine, TieBreaker::ChunkUid, TieBreaker::SymbolId];

/// Compares two items: the request's first key, score, distance, the request's tie breakers, the fixed ones.
pub fn order(request: &PackRequest, a: &ContextItem, b: &ContextItem) -> Ordering {
    let (one, two) = (&a.scores, &b.scores);
    let primary = match request.ordering.primary {
        Primary::SeedScore => two.seed_score.total_cmp(&one.seed_score),
        Primary::GraphDistance => one.graph_distance.cmp(&two.graph_distance),
        Primary::GraphEvidence => two.evidence_score.total_cmp(&one.evidence_score),
        Primary::HybridScore => two.hybrid_score.total_cmp(&one.hybrid_score),
    };
    let fixed = || {
        two.hybrid_score
            .total_cmp(&one.hybrid_score)
            .then(one.graph_distance.cmp(&two.graph_distance))
    };
    primary
        .then_with(fixed)
        .then_with(|| by(&request.ordering.stable_tie_breakers, a, b))
        .then_with(|| by(LAST, a, b))
}

fn by(keys: &[TieBreaker], a: &ContextItem, b: &ContextItem) -> Ordering {
    keys.iter().map(|key| tie(*key, a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn tie(key: TieBreaker, a: &ContextItem, b: &ContextItem) -> Ordering {
    match key {
        TieBreaker::SymbolId => a.symbol_id.cmp(&b.symbol_id),
        TieBreaker::ChunkUid => a.chunk_uid.cmp(&b.chunk_uid),
        TieBreaker::FileRelPath => a.file_rel_path.cmp(&b.file_rel_path),
        TieBreaker::StartLine => a.lines.start.cmp(&b.lines.start),
    }
}
