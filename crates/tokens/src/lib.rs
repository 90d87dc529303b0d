//! Counting tokens as published vocabularies do, without loading anything: the tables lie in the program, so
//! that all processes share them and the first count costs as little as the next.
//!
//! The build script makes the tables from the vocabularies of `bpe-openai`, and the tests hold every count
//! against that crate. Not for encoding: which tokens a text has is not said.

mod classes;
mod hash;
mod layout;
mod merge;
mod split;

use layout::{EMPTY, RANK_BITS};

/// A vocabulary with the pattern that cuts a text into pieces.
pub struct Vocabulary {
    /// All tokens, one after the other.
    bytes: &'static [u8],
    /// Where each token begins in them, and where the last ends.
    starts: &'static [[u8; 4]],
    /// Ranks by the hash of the token.
    slots: &'static [[u8; 4]],
    cut: split::Cut,
}

macro_rules! vocabulary {
    ($name:literal, $cut:path) => {
        Vocabulary {
            bytes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bytes")),
            starts: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".starts")).as_chunks().0,
            slots: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".slots")).as_chunks().0,
            cut: $cut,
        }
    };
}

/// The vocabulary `o200k_base`.
pub static O200K: Vocabulary = vocabulary!("o200k", split::o200k);
/// The vocabulary `cl100k_base`.
pub static CL100K: Vocabulary = vocabulary!("cl100k", split::cl100k);

impl Vocabulary {
    /// Returns the number of tokens of a text.
    pub fn count(&self, text: &str) -> usize {
        self.pieces(text).map(|piece| self.tokens(piece.as_bytes())).sum()
    }

    /// Returns the pieces of a text that are encoded one by one.
    pub fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> + use<'t> {
        let (cut, mut at) = (self.cut, 0);
        std::iter::from_fn(move || {
            let start = at;
            at = cut(text, start);
            (at > start).then(|| &text[start..at])
        })
    }

    fn tokens(&self, piece: &[u8]) -> usize {
        // Most pieces are tokens.
        if piece.len() == 1 || self.rank(piece).is_some() {
            1
        } else {
            merge::count(piece, |bytes| self.rank(bytes))
        }
    }

    /// Returns the rank of the token with these bytes.
    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        let (mut at, wanted) = layout::slot_of(hash::hash(bytes), self.slots.len(), 0);
        loop {
            let entry = u32::from_le_bytes(self.slots[at]);
            if entry == EMPTY {
                return None;
            }
            let rank = entry & ((1 << RANK_BITS) - 1);
            if entry - rank == wanted && self.token(rank) == bytes {
                return Some(rank);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn token(&self, rank: u32) -> &'static [u8] {
        let start = |rank: usize| u32::from_le_bytes(self.starts[rank]) as usize;
        &self.bytes[start(rank as usize)..start(rank as usize + 1)]
    }
}
