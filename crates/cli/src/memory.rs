//! The program's allocator.

use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_t, mi_process_info};
use std::ptr::null_mut;
use std::time::Duration;

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

/// How often a process that waits looks whether it has something to give back.
const PAUSE: Duration = Duration::from_secs(10);
/// Milliseconds of CPU in a pause up to which nobody was at work.
const IDLE_MS: usize = 100;
/// Milliseconds of CPU that leave something to give back.
const WORK_MS: usize = 50;

/// Gives back what is free whenever the process has worked and then rests: who watches a tree works for a moment and then
/// waits for hours, and the allocator looks at its clock only when it is asked for memory.
pub fn give_back_at_rest() {
    // Where no thread can be had, what is free stays.
    let _ = std::thread::Builder::new().name("contextd-memory".into()).spawn(|| {
        let (mut given, mut before) = (0, used_ms());
        loop {
            std::thread::sleep(PAUSE);
            let now = used_ms();
            if now.saturating_sub(before) <= IDLE_MS && now.saturating_sub(given) > WORK_MS {
                // Each thread keeps free memory of its own.
                rayon::broadcast(|_| collect());
                collect();
                given = used_ms();
            }
            before = now;
        }
    });
}

/// Gives back what is free in this thread and in what threads share.
#[allow(unsafe_code)]
fn collect() {
    // SAFETY: it touches nothing that is in use, and may be called by any thread at any time.
    unsafe { mi_collect(true) };
}

/// Returns the milliseconds of CPU that the process has used.
#[allow(unsafe_code)]
fn used_ms() -> usize {
    let (mut user, mut system) = (0, 0);
    // SAFETY: each number is stored where its pointer leads, and nowhere when that is null.
    unsafe {
        mi_process_info(
            null_mut(),
            &mut user,
            &mut system,
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
        )
    };
    user + system
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

    #[test]
    fn work_shows_in_the_milliseconds() {
        let before = used_ms();
        let started = std::time::Instant::now();
        while used_ms() < before + 20 {
            assert!(started.elapsed() < Duration::from_secs(60), "no work shows");
        }
        collect();
    }
}
