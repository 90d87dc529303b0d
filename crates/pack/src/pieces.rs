//! Counts of tokens that are remembered by the text they are of.
//!
//! Both vocabularies cut a text into words before they look at tokens, and none of their words goes on
//! from an ASCII letter or digit into another ASCII character than an apostrophe. So a text may be cut at
//! such places, and the counts of its pieces add up to its own. Where it is cut follows from the text
//! alone: what two renderings have in common is cut alike, and counted once.

use crate::generations::Generations;
use contextd_model::ContentHash;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Shortest piece, in bytes; shorter ones cost more to look up than to count.
const SHORT: usize = 48;
/// One place in so many is a cut, on average.
const SELDOM: u32 = 8;
/// Pieces remembered in one generation; there are two.
const MOST: usize = 1 << 16;

/// Half of the hash of a piece.
type Key = [u8; 16];

type Memory = Generations<Key, u32>;

/// One for each vocabulary.
static MEMORIES: LazyLock<[Mutex<Memory>; 2]> =
    LazyLock::new(|| [Mutex::new(Memory::new(MOST)), Mutex::new(Memory::new(MOST))]);

/// Returns the tokens of a text as `count` counts them; `who` is the number of the vocabulary.
pub(crate) fn count(who: usize, text: &str, count: impl Fn(&str) -> usize) -> usize {
    if text.len() < 2 * SHORT {
        return count(text);
    }
    let pieces: Vec<(&str, Key)> = pieces(text).map(|piece| (piece, key(piece))).collect();
    let memory = || MEMORIES[who].lock().unwrap_or_else(PoisonError::into_inner);
    let known: Vec<Option<u32>> = {
        let mut memory = memory();
        pieces.iter().map(|(_, key)| memory.get(key)).collect()
    };
    let mut sum = 0;
    let mut found: Vec<(Key, u32)> = Vec::new();
    for ((piece, key), known) in pieces.iter().zip(known) {
        let tokens = known.map_or_else(|| count(piece), |tokens| tokens as usize);
        if known.is_none() {
            found.push((*key, tokens as u32));
        }
        sum += tokens;
    }
    if !found.is_empty() {
        let mut memory = memory();
        found.into_iter().for_each(|(key, tokens)| memory.put(key, tokens, 1));
    }
    sum
}

/// Forgets all counts, so that a measurement can begin cold.
pub fn forget_counts() {
    MEMORIES.iter().for_each(|memory| {
        *memory.lock().unwrap_or_else(PoisonError::into_inner) = Memory::new(MOST)
    });
}

fn key(piece: &str) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(&ContentHash::of(piece.as_bytes()).0[..16]);
    key
}

/// Cuts a text where no word of a vocabulary can go on.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == bytes.len() {
            return None;
        }
        let from = start;
        let cut = (from + SHORT..bytes.len())
            .find(|&at| is_border(bytes[at - 1], bytes[at]) && is_chosen(&bytes[at - 4..at]));
        start = cut.unwrap_or(bytes.len());
        Some(&text[from..start])
    })
}

/// Both bytes are ASCII, so a border never lies inside a character.
fn is_border(before: u8, after: u8) -> bool {
    before.is_ascii_alphanumeric()
        && after.is_ascii()
        && !after.is_ascii_alphanumeric()
        && after != b'\''
}

fn is_chosen(last: &[u8]) -> bool {
    let sum =
        last.iter().fold(0u32, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (sum >> 13) % SELDOM == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokenizer;
    use proptest::prelude::*;

    /// Words, numbers, marks, white space and what joins them, in any order.
    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => "[a-zA-Z]{1,12}", 2 => "[0-9]{1,8}", 3 => "[ \t\n\r]{1,4}", 3 => "[-_/.,;:'\"(){}<>=+*&|\\\\]{1,4}",
            1 => "\\PC{1,3}", 1 => Just("don't".to_owned()), 1 => Just("I'LL".to_owned()), 1 => Just("\n//\n".to_owned()), 1 => Just("e\u{301}".to_owned()),
        ];
        proptest::collection::vec(part, 0..200).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
        #[test]
        fn counts_of_pieces_add_up(text in text()) {
            prop_assert_eq!(pieces(&text).collect::<String>(), text.clone());
            for (tokenizer, direct) in [(Tokenizer::O200k, contextd_tokens::O200K.count(&text)), (Tokenizer::Cl100k, contextd_tokens::CL100K.count(&text))] {
                // The first call counts, the second remembers.
                prop_assert_eq!(tokenizer.count(&text), direct);
                prop_assert_eq!(tokenizer.count(&text), direct);
            }
        }
    }

    #[test]
    fn common_parts_are_cut_alike() {
        let body: String = (0..200)
            .map(|line| format!("    value_{line} = compute(value, {line}) + offset\n"))
            .collect();
        let (one, two) =
            (format!("first heading\n{body}end"), format!("quite another heading {{\n{body}"));
        let one: std::collections::BTreeSet<&str> = pieces(&one).collect();
        let two: Vec<&str> = pieces(&two).collect();
        let shared = two.iter().filter(|piece| one.contains(**piece)).count();
        assert!(two.len() > 30 && shared + 4 >= two.len(), "{shared} of {}", two.len());
    }
}
