//! Runs of bytes that may belong to words, found 64 bytes at a time.
//!
//! Words are short and no two neighbours are alike, so that a processor which goes byte by byte guesses wrong at the end of
//! almost each. Here every byte of a block is judged whatever the others are, and what is left to decide is where the bits
//! of the result change.

const BLOCK: usize = 64;

/// The runs of a text, from where to where.
pub(crate) struct Runs<'t> {
    rest: &'t [u8],
    /// Where the block in hand begins, and the next one.
    at: usize,
    next: usize,
    /// Bytes of the block at which a run begins or has ended.
    edges: u64,
    /// 1 where the byte before the next block belongs to a run.
    before: u64,
    end: usize,
}

impl<'t> Runs<'t> {
    pub fn of(text: &'t [u8]) -> Self {
        Self { rest: text, at: 0, next: 0, edges: 0, before: 0, end: text.len() }
    }

    #[inline]
    fn edge(&mut self) -> Option<usize> {
        while self.edges == 0 {
            let bits = match self.rest.split_first_chunk::<BLOCK>() {
                Some((block, rest)) => {
                    self.rest = rest;
                    word_bits(block)
                }
                None if self.rest.is_empty() => return None,
                None => {
                    let mut block = [0; BLOCK];
                    block[..self.rest.len()].copy_from_slice(self.rest);
                    self.rest = &[];
                    word_bits(&block)
                }
            };
            self.edges = bits ^ (bits << 1 | self.before);
            self.before = bits >> (BLOCK - 1);
            (self.at, self.next) = (self.next, self.next + BLOCK);
        }
        let edge = self.at + self.edges.trailing_zeros() as usize;
        self.edges &= self.edges - 1;
        Some(edge)
    }
}

impl Iterator for Runs<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.edge()?;
        // Behind the text nothing ends its last run.
        Some((start, self.edge().unwrap_or(self.end)))
    }
}

/// True for the bytes of words: letters, digits, `_`, and those above 127, which are looked at as characters later.
const fn is_word(byte: u8) -> bool {
    (byte | 0x20).wrapping_sub(b'a') < 26
        || byte.wrapping_sub(b'0') < 10
        || byte == b'_'
        || byte >= 0x80
}

/// Returns one bit for each byte, the first lowest.
#[inline]
fn word_bits(block: &[u8; BLOCK]) -> u64 {
    let flags = block.map(|byte| u8::from(is_word(byte)));
    let mut bits = 0;
    for (at, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        // The product has the lowest bits of the eight bytes side by side in its highest byte.
        let together = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= together << (8 * at);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one_by_one(text: &[u8]) -> Vec<(usize, usize)> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for at in (0..text.len()).filter(|&at| is_word(text[at])) {
            match runs.last_mut().filter(|run| run.1 == at) {
                Some(run) => run.1 = at + 1,
                None => runs.push((at, at + 1)),
            }
        }
        runs
    }

    proptest! {
        #[test]
        fn runs_are_what_a_look_at_each_byte_finds(text in prop_oneof![proptest::collection::vec(any::<u8>(), 0..300), "[a-z_ ]{0,300}".prop_map(String::into_bytes)]) {
            prop_assert_eq!(Runs::of(&text).collect::<Vec<_>>(), one_by_one(&text));
        }
    }

    #[test]
    fn every_byte_counts_at_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..2 * BLOCK {
                let mut text = [b' '; 2 * BLOCK];
                text[place] = byte;
                assert_eq!(
                    Runs::of(&text).collect::<Vec<_>>(),
                    one_by_one(&text),
                    "{byte} at {place}"
                );
            }
        }
        assert_eq!(Runs::of(&[b'a'; 2 * BLOCK]).collect::<Vec<_>>(), [(0, 2 * BLOCK)]);
    }
}
