//! The hash that places tokens in their table.

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a hash of a few bytes; both halves depend on all of them.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut state = (bytes.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mixed(state ^ u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        state = mixed(state ^ u64::from_le_bytes(word));
    }
    state
}

fn mixed(state: u64) -> u64 {
    let state = state.wrapping_mul(FACTOR);
    state ^ (state >> 29)
}
