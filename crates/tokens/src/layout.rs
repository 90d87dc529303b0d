//! How the tables are laid out; the build script writes by it, the program reads by it.

/// A place of the hash table that holds nothing.
pub const EMPTY: u32 = u32::MAX;
/// Bits of an entry that hold the rank; the others hold a part of the hash.
pub const RANK_BITS: u32 = 18;
/// Code points of a block of classes.
pub const BLOCK: usize = 256;

/// Neither letter, mark, number nor space.
pub const OTHER: u8 = 0;
/// Upper and title case.
pub const UPPER: u8 = 1;
pub const LOWER: u8 = 2;
/// Letters that have no case, and modifiers.
pub const CASELESS: u8 = 3;
pub const MARK: u8 = 4;
pub const NUMBER: u8 = 5;
/// White space but line ends.
pub const SPACE: u8 = 6;
/// CR and LF.
pub const NEWLINE: u8 = 7;

/// Returns where a hash is looked for first, and the entry of a rank that has it.
pub fn slot_of(hash: u64, slots: usize, rank: u32) -> (usize, u32) {
    // The upper half chooses the place, the lower tells entries of one place apart.
    let place = (hash >> 32) as usize & (slots - 1);
    (place, (hash as u32) << RANK_BITS | rank)
}
