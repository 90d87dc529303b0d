//! Rising documents with a frequency, in bits: the distance as a Golomb–Rice code whose parameter
//! follows from how many documents there are and how many have the term, the frequency in unary.
//!
//! A list ends at a whole byte. Its number of postings is kept elsewhere.

/// Ones that say that a distance follows in 32 bits, because its unary part would be this long.
const FAR: u32 = 24;
/// Ones that say that a frequency follows in 32 bits.
const FREQUENT: u32 = 12;

/// Returns the number of low bits of a distance that are written as they are. `count` of
/// `documents` documents have the term; the best is the logarithm of 0.69 times the mean distance.
pub(super) fn parameter(documents: u32, count: u32) -> u32 {
    let mean = u64::from(documents / count.max(1));
    (mean * 11 / 16).max(1).ilog2()
}

/// Appends a list of documents and frequencies; documents rise, frequencies are not 0.
pub(super) fn put(out: &mut Vec<u8>, postings: &[(u32, u32)], documents: u32) {
    let parameter = parameter(documents, postings.len() as u32);
    let mut bits = BitWriter { out, held: 0, count: 0 };
    let mut next = 0;
    for &(document, frequency) in postings {
        let distance = document - next;
        next = document + 1;
        match distance >> parameter {
            quotient if quotient < FAR => {
                bits.ones(quotient);
                bits.push(u64::from(distance & low_bits(parameter)) << 1, parameter + 1);
            }
            _ => {
                bits.ones(FAR);
                bits.push(distance.into(), 32);
            }
        }
        match frequency - 1 {
            more if more < FREQUENT => {
                bits.ones(more);
                bits.push(0, 1);
            }
            more => {
                bits.ones(FREQUENT);
                bits.push(more.into(), 32);
            }
        }
    }
    bits.finish();
}

/// Calls `each` with the `count` documents and frequencies of the list at the start of `bytes`,
/// which may go on behind the list; stops at a document not below `documents`.
#[inline]
pub(super) fn for_each(bytes: &[u8], count: u32, documents: u32, mut each: impl FnMut(u32, u32)) {
    let parameter = parameter(documents, count);
    let mask = u64::from(low_bits(parameter));
    let (mut bit, mut next) = (0usize, 0u64);
    for _ in 0..count {
        let word = load(bytes, bit);
        let quotient = word.trailing_ones();
        let (distance, used) = if quotient < FAR {
            (
                (u64::from(quotient) << parameter) + (word >> (quotient + 1) & mask),
                quotient + 1 + parameter,
            )
        } else {
            (load(bytes, bit + FAR as usize) & u64::from(u32::MAX), FAR + 32)
        };
        bit += used as usize;
        let word = if used <= LOADED - FREQUENT { word >> used } else { load(bytes, bit) };
        let mut more = word.trailing_ones();
        if more < FREQUENT {
            bit += more as usize + 1;
        } else {
            more = load(bytes, bit + FREQUENT as usize) as u32;
            bit += FREQUENT as usize + 32;
        }
        let document = next + distance;
        if document >= u64::from(documents) {
            return;
        }
        next = document + 1;
        each(document as u32, more.saturating_add(1));
    }
}

/// Bits that a load is sure to bring.
const LOADED: u32 = 57;

/// Returns the bits from `bit` on; zeros behind the end.
#[inline]
fn load(bytes: &[u8], bit: usize) -> u64 {
    let at = bit / 8;
    let word = match bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()) {
        Some(bytes) => u64::from_le_bytes(bytes),
        None => load_end(bytes, at),
    };
    word >> (bit % 8)
}

#[cold]
fn load_end(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    rest.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn low_bits(count: u32) -> u32 {
    1u32.checked_shl(count).unwrap_or(0).wrapping_sub(1)
}

/// Appends bits, low ones first.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    held: u64,
    count: u32,
}

impl BitWriter<'_> {
    /// Appends the low `count` bits of `bits`, at most 33.
    fn push(&mut self, bits: u64, count: u32) {
        self.held |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    fn ones(&mut self, count: u32) {
        self.push((1 << count) - 1, count);
    }

    fn finish(self) {
        if self.count > 0 {
            self.out.push(self.held as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(postings: &[(u32, u32)], documents: u32) {
        let mut bytes = vec![];
        put(&mut bytes, postings, documents);
        for tail in [0, 20] {
            bytes.resize(bytes.len() + tail, 0xa5);
            let mut found = Vec::new();
            for_each(&bytes, postings.len() as u32, documents, |document, frequency| {
                found.push((document, frequency))
            });
            assert_eq!(found, postings);
        }
    }

    proptest! {
        #[test]
        fn lists_come_back(
            documents in proptest::collection::btree_map(prop_oneof![0u32..60, 0u32..9_000, Just(u32::MAX - 1)], prop_oneof![1u32..4, 1u32..40, Just(u32::MAX)], 0..80),
            beyond in 0u32..100_000,
        ) {
            let postings: Vec<(u32, u32)> = documents.into_iter().collect();
            let least = postings.last().map_or(0, |&(document, _)| document + 1);
            check(&postings, least.saturating_add(beyond));
        }
    }

    #[test]
    fn a_dense_list_takes_two_bits_a_posting() {
        let postings: Vec<(u32, u32)> = (0..800).map(|document| (document, 1)).collect();
        let mut bytes = Vec::new();
        put(&mut bytes, &postings, 800);
        assert_eq!(bytes.len(), 200);
        check(&[(799, 1)], 800);
    }
}
