//! How much of one blob is found again in another.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Longest piece that is compared as one, so that files without line breaks have pieces too.
const MAX_PIECE: usize = 64;

/// Pieces of a blob (lines, or parts of long lines) by hash, with the bytes they cover.
pub(crate) struct Fingerprint {
    pieces: Vec<(u32, u32)>,
    size: usize,
}

impl Fingerprint {
    pub fn of(blob: &[u8]) -> Self {
        let mut pieces = Vec::with_capacity(blob.len() / 24 + 1);
        for line in blob.split_inclusive(|&byte| byte == b'\n') {
            for piece in line.chunks(MAX_PIECE) {
                let mut hasher = FxHasher::default();
                hasher.write(piece);
                let hash = hasher.finish();
                pieces.push(((hash ^ (hash >> 32)) as u32, piece.len() as u32));
            }
        }
        pieces.sort_unstable();
        pieces.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        Self { pieces, size: blob.len() }
    }

    /// Returns the share of the larger blob's bytes that both have, in percent.
    pub fn similarity(&self, other: &Fingerprint) -> u32 {
        let largest = self.size.max(other.size);
        if largest == 0 || self.size.min(other.size) * 100 / largest < 50 {
            return 0;
        }
        let (mut one, mut two) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        let mut common = 0u64;
        while let (Some(&&(a, a_bytes)), Some(&&(b, b_bytes))) = (one.peek(), two.peek()) {
            match a.cmp(&b) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    common += u64::from(a_bytes.min(b_bytes));
                    one.next();
                    two.next();
                }
            }
        }
        (common * 100 / largest as u64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_the_share_of_common_bytes() {
        let of = |text: &str| Fingerprint::of(text.as_bytes());
        assert_eq!(of("aa\nbb\n").similarity(&of("aa\nbb\n")), 100);
        assert_eq!(of("aa\nbb\n").similarity(&of("bb\ncc\n")), 50);
        assert_eq!(of("aa\nbb\n").similarity(&of("cc\ndd\n")), 0);
        assert_eq!(of("").similarity(&of("")), 0);
        assert_eq!(of("a\n").similarity(&of("a\na\na\na\n")), 0);
    }
}
