//! Byte pair encoding of one piece: of all neighbours the pair with the lowest rank is joined, the first of
//! equals, until no pair is a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pieces up to this length are joined by looking through all parts; longer ones keep their pairs in a heap.
const SHORT: usize = 96;

/// No pair.
const NONE: u32 = u32::MAX;

/// Returns the number of tokens of a piece; `rank` finds those of bytes.
pub fn count(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> usize {
    if piece.len() <= SHORT { short(piece, rank) } else { long(piece, rank) }
}

fn short(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> usize {
    let mut starts = [0_u8; SHORT + 1];
    let mut ranks = [NONE; SHORT + 1];
    let mut parts = piece.len();
    for (at, start) in starts.iter_mut().enumerate().take(parts + 1) {
        *start = at as u8;
    }
    let joined = |starts: &[u8; SHORT + 1], parts: usize, at: usize| match at + 2 <= parts {
        true => rank(&piece[starts[at] as usize..starts[at + 2] as usize]).unwrap_or(NONE),
        false => NONE,
    };
    for (at, own) in ranks.iter_mut().enumerate().take(parts) {
        *own = joined(&starts, parts, at);
    }
    loop {
        let mut best = 0;
        for at in 1..parts {
            if ranks[at] < ranks[best] {
                best = at;
            }
        }
        if parts < 2 || ranks[best] == NONE {
            return parts;
        }
        starts.copy_within(best + 2..parts + 1, best + 1);
        ranks.copy_within(best + 2..parts + 1, best + 1);
        parts -= 1;
        ranks[best] = joined(&starts, parts, best);
        if best > 0 {
            ranks[best - 1] = joined(&starts, parts, best - 1);
        }
    }
}

/// A part of a long piece, by where it begins.
#[derive(Clone, Copy)]
struct Part {
    before: usize,
    end: usize,
    /// Rank of this part joined with the next.
    rank: u32,
}

fn long(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> usize {
    let mut parts: Vec<Part> = (0..piece.len())
        .map(|at| Part { before: at.wrapping_sub(1), end: at + 1, rank: NONE })
        .collect();
    let mut heap = BinaryHeap::with_capacity(piece.len());
    let joined = |parts: &mut [Part], heap: &mut BinaryHeap<Reverse<(u32, usize)>>, at: usize| {
        let next = parts[at].end;
        parts[at].rank =
            parts.get(next).and_then(|next| rank(&piece[at..next.end])).unwrap_or(NONE);
        if parts[at].rank != NONE {
            heap.push(Reverse((parts[at].rank, at)));
        }
    };
    for at in 0..piece.len() {
        joined(&mut parts, &mut heap, at);
    }
    let mut count = piece.len();
    while let Some(Reverse((best, at))) = heap.pop() {
        // Pairs that were joined since, or whose neighbour grew, are left behind in the heap.
        if parts[at].rank != best {
            continue;
        }
        let next = parts[at].end;
        let end = parts[next].end;
        parts[at].end = end;
        parts[next].rank = NONE;
        if let Some(after) = parts.get_mut(end) {
            after.before = at;
        }
        count -= 1;
        joined(&mut parts, &mut heap, at);
        let before = parts[at].before;
        if before < at {
            joined(&mut parts, &mut heap, before);
        }
    }
    count
}
