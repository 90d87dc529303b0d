//! Two things at once.

/// Files from which on a thread costs less than what it does beside.
pub const MANY_FILES: usize = 2_000;

/// Does two things, the first by a thread of its own where that is worth it. None of the pool's: one that waits there would
/// begin other work and hold both, and there may be only one.
pub fn beside<A: Send, B>(
    is_worth_it: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if !is_worth_it {
        return (first(), second());
    }
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        (first.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), second)
    })
}
