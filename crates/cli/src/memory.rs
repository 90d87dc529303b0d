//! The program's allocator.

use libmimalloc_sys::{mi_option_set, mi_option_t};

/// Parsing makes and frees a node for every token, on all threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long freed memory is kept before the system gets it back, in milliseconds: an option of the allocator that the
/// crate has no name for.
const PURGE_DELAY: mi_option_t = 15;
/// A file finds the memory that the last one used, and an edit that of the edit before.
const KEPT_MS: std::ffi::c_long = 60_000;

/// Keeps freed memory for a minute: the next shard, or the next edit of a large tree, needs as much as the last one. Asking
/// the system for it again takes a twentieth of a large index and a sixth of an edit.
#[allow(unsafe_code)]
pub fn keep() {
    // SAFETY: it stores a number in a table of the allocator, by an index that is in it.
    unsafe { mi_option_set(PURGE_DELAY, KEPT_MS) };
}

/// Gives nothing back any more: the process ends, and the system takes all of it at once.
#[allow(unsafe_code)]
pub fn leave() {
    // SAFETY: as in `keep`.
    unsafe { mi_option_set(PURGE_DELAY, -1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code)]
    fn the_option_is_the_one_that_is_meant() {
        // SAFETY: it reads a number from the same table.
        let before = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        // No other option is a second by default.
        assert_eq!(before, 1_000);
    }
}
