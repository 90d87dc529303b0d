//! The classes of characters that the patterns of the vocabularies tell apart.

use crate::layout::BLOCK;

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.index"));
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.blocks"));

/// Returns the class of a character.
pub fn class_of(character: char) -> u8 {
    let code = character as usize;
    BLOCKS[INDEX[code / BLOCK] as usize * BLOCK + code % BLOCK]
}

/// Returns the class of the character that begins at `at` and how many bytes it has; at the end, nothing.
pub fn class_at(text: &str, at: usize) -> Option<(u8, usize)> {
    match text.as_bytes().get(at) {
        // The first block is the one of ASCII.
        Some(&byte) if byte < 128 => Some((BLOCKS[byte as usize], 1)),
        Some(_) => {
            text[at..].chars().next().map(|character| (class_of(character), character.len_utf8()))
        }
        None => None,
    }
}
