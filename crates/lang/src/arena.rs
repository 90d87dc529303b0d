//! Memory for one syntax tree: what the parser makes for a file lies together and is given back at once.
//!
//! A parser makes a node for every token. Pieces are cut from blocks one after the other, those that the parser gives
//! back while it works are used again, and nobody visits the tree to free it.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::Once;

/// Pieces begin and end at multiples of it, as far as the parser sees them.
const UNIT: usize = 16;
/// Room in front of a piece for its size.
const HEADER: usize = 8;
/// Classes of sizes that are one unit apart; above them each size is twice the one before.
const FINE: usize = 128;
const CLASSES: usize = FINE + usize::BITS as usize;
/// Mark in the size of a piece that is in no arena.
const ALONE: usize = 1;

const BLOCK: usize = 1 << 20;
/// Bytes that an arena keeps for the next file.
const KEPT: usize = 4 << 20;

thread_local! {
    /// Where the parser's memory comes from on this thread; null outside of [`within`].
    static CURRENT: Cell<*mut Arena> = const { Cell::new(ptr::null_mut()) };
    /// The arena of the last file.
    static SPARE: Cell<Option<Box<Arena>>> = const { Cell::new(None) };
}

/// Runs `work` while everything that the parser's library makes on this thread comes from an arena; it is emptied
/// afterwards.
///
/// # Safety
/// Nothing that the library made before may be changed in `work`, and nothing that it makes there may be used or dropped
/// afterwards.
pub unsafe fn within<T>(work: impl FnOnce() -> T) -> T {
    install();
    if !CURRENT.get().is_null() {
        // The file around this one empties the arena.
        return work();
    }
    let mut scope = Scope { arena: Some(SPARE.take().unwrap_or_default()) };
    CURRENT.set(scope.arena.as_deref_mut().map_or(ptr::null_mut(), ptr::from_mut));
    work()
}

/// Closes the arena, however `work` ends.
struct Scope {
    arena: Option<Box<Arena>>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        CURRENT.set(ptr::null_mut());
        if let Some(mut arena) = self.arena.take() {
            arena.empty();
            // A thread that is ending keeps nothing.
            let _ = SPARE.try_with(|spare| spare.set(Some(arena)));
        }
    }
}

/// What one parse may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Bytes, those that were given back again included: a measure of the library's work.
    pub bytes: u64,
    /// Nodes of its stack that are in use.
    pub stack_nodes: i64,
}

impl Allowance {
    /// Outside of a parse nothing is counted.
    const ANY: Allowance = Allowance { bytes: u64::MAX, stack_nodes: i64::MAX };
}

/// Size of a node of the library's parse stack, by its `stack.c`. The library lets go of nodes by recursion, so that their
/// number decides how much of the thread's own stack it needs.
const STACK_NODE: usize = 232;

/// From here on the parser gets no memory on this thread once it asked for more than that. [`crate::guard`] sees to it that
/// the library, which would end the program, does not hear of it.
pub fn allow(allowance: Allowance) {
    // SAFETY: the pointer is null or that of the arena of a scope that is open on this thread.
    if let Some(arena) = unsafe { CURRENT.get().as_mut() } {
        (arena.asked, arena.allowed) = (Allowance { bytes: 0, stack_nodes: 0 }, allowance);
    }
}

/// Lifts what [`allow`] said, and returns what was asked for since.
pub fn allow_any() -> Allowance {
    // SAFETY: the pointer is null or that of the arena of a scope that is open on this thread.
    unsafe { CURRENT.get().as_mut() }.map_or(Allowance::ANY, |arena| {
        arena.allowed = Allowance::ANY;
        arena.asked
    })
}

/// Makes the library ask here for memory, whichever thread it works on.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let allocator = crate::guard::allocator(malloc, calloc, realloc, free);
        // SAFETY: every use of the library in this crate comes behind this call, so nothing of it is alive yet; the four
        // functions belong together, never return null to the library and align to 16 bytes.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    });
}

struct Arena {
    blocks: Vec<(*mut u8, Layout)>,
    /// Blocks that this file has begun.
    begun: usize,
    /// What is left of the last of them.
    at: *mut u8,
    left: usize,
    /// Pieces that were given back, by class; each holds the address of the next.
    free: [*mut u8; CLASSES],
    asked: Allowance,
    allowed: Allowance,
}

impl Default for Arena {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            begun: 0,
            at: ptr::null_mut(),
            left: 0,
            free: [ptr::null_mut(); CLASSES],
            asked: Allowance { bytes: 0, stack_nodes: 0 },
            allowed: Allowance::ANY,
        }
    }
}

/// Returns the size of the piece for so many bytes, with its header.
#[inline]
fn piece(bytes: usize) -> usize {
    let size = bytes.saturating_add(HEADER + UNIT - 1) & !(UNIT - 1);
    if size < FINE * UNIT {
        size
    } else {
        size.checked_next_power_of_two().unwrap_or_else(|| no_memory(bytes))
    }
}

#[inline]
fn class(size: usize) -> usize {
    if size < FINE * UNIT { size / UNIT } else { FINE + size.trailing_zeros() as usize }
}

#[cold]
fn no_memory(bytes: usize) -> ! {
    handle_alloc_error(
        Layout::from_size_align(bytes.min(isize::MAX as usize - UNIT), UNIT)
            .unwrap_or(Layout::new::<u8>()),
    )
}

/// Asks the program's allocator for a block.
fn block(size: usize) -> (*mut u8, Layout) {
    let Ok(layout) = Layout::from_size_align(size, UNIT) else { no_memory(size) };
    // SAFETY: no caller asks for nothing.
    let start = unsafe { alloc(layout) };
    if start.is_null() {
        handle_alloc_error(layout)
    }
    (start, layout)
}

impl Arena {
    /// Returns a piece of at least so many bytes; null when the parse asked for too much.
    #[inline]
    fn take(&mut self, bytes: usize) -> *mut u8 {
        let size = piece(bytes);
        self.asked.bytes += size as u64;
        self.asked.stack_nodes += i64::from(size == piece(STACK_NODE));
        if self.asked.bytes > self.allowed.bytes
            || self.asked.stack_nodes > self.allowed.stack_nodes
        {
            return ptr::null_mut();
        }
        let free = &mut self.free[class(size)];
        if !free.is_null() {
            let found = *free;
            // SAFETY: a piece that was given back holds the address of the next, see `give`.
            *free = unsafe { found.cast::<*mut u8>().read() };
            return found;
        }
        if self.left < size {
            self.begin_block(size);
        }
        let header = self.at;
        // SAFETY: `size` bytes are left behind `at`, and more than a header's; `at` lies 8 bytes before a unit.
        unsafe {
            header.cast::<usize>().write(size);
            self.at = header.add(size);
            self.left -= size;
            header.add(HEADER)
        }
    }

    #[cold]
    fn begin_block(&mut self, size: usize) {
        let needed = size.saturating_add(UNIT);
        while self.blocks.get(self.begun).is_some_and(|(_, layout)| layout.size() < needed) {
            self.begun += 1;
        }
        if self.begun == self.blocks.len() {
            self.blocks.push(block(needed.max(BLOCK)));
        }
        let (start, layout) = self.blocks[self.begun];
        self.begun += 1;
        // SAFETY: a block is larger than a unit.
        self.at = unsafe { start.add(UNIT - HEADER) };
        self.left = layout.size() - UNIT;
    }

    /// Takes a piece back.
    ///
    /// # Safety
    /// It is a piece of this arena, of this size, and nobody uses it.
    #[inline]
    unsafe fn give(&mut self, start: *mut u8, size: usize) {
        self.asked.stack_nodes -= i64::from(size == piece(STACK_NODE));
        let free = &mut self.free[class(size)];
        // SAFETY: a piece has room for an address behind its header.
        unsafe { start.cast::<*mut u8>().write(*free) };
        *free = start;
    }

    /// Makes a piece larger where it lies, if it is the last one and its block has room.
    ///
    /// # Safety
    /// It is a piece of this arena, of this size.
    unsafe fn grow(&mut self, start: *mut u8, size: usize, bytes: usize) -> bool {
        let (header, larger) = (start.wrapping_sub(HEADER), piece(bytes));
        if header.wrapping_add(size) != self.at || self.left < larger - size {
            return false;
        }
        // SAFETY: what lies behind the piece is left of the same block.
        unsafe {
            header.cast::<usize>().write(larger);
            self.at = header.add(larger);
        }
        self.left -= larger - size;
        self.asked.bytes += (larger - size) as u64;
        self.asked.stack_nodes +=
            i64::from(larger == piece(STACK_NODE)) - i64::from(size == piece(STACK_NODE));
        true
    }

    /// Takes everything back, and gives what is more than the next file should need to the system.
    fn empty(&mut self) {
        (self.begun, self.at, self.left) = (0, ptr::null_mut(), 0);
        self.free = [ptr::null_mut(); CLASSES];
        self.allowed = Allowance::ANY;
        let mut kept = 0;
        self.blocks.retain(|&(start, layout)| {
            let keeps = kept + layout.size() <= KEPT;
            if keeps {
                kept += layout.size();
            } else {
                // SAFETY: `block` made it with this layout, and it is forgotten here.
                unsafe { dealloc(start, layout) };
            }
            keeps
        });
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for &(start, layout) in &self.blocks {
            // SAFETY: `block` made it with this layout, and nothing else knows of it.
            unsafe { dealloc(start, layout) };
        }
    }
}

/// Returns a piece of its own, outside of an arena.
fn alone(bytes: usize) -> *mut u8 {
    let (start, layout) = block(bytes.saturating_add(2 * UNIT - 1) & !(UNIT - 1));
    // SAFETY: the block has a unit more than the bytes that were asked for.
    unsafe {
        start.add(HEADER).cast::<usize>().write(layout.size() | ALONE);
        start.add(UNIT)
    }
}

unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    // SAFETY: the pointer is null or that of the arena of a scope that is open on this thread.
    match unsafe { CURRENT.get().as_mut() } {
        Some(arena) => arena.take(bytes).cast(),
        None => alone(bytes).cast(),
    }
}

unsafe extern "C" fn calloc(count: usize, each: usize) -> *mut c_void {
    let Some(bytes) = count.checked_mul(each) else { no_memory(usize::MAX) };
    // SAFETY: the piece has as many bytes.
    unsafe {
        let start = malloc(bytes);
        if !start.is_null() {
            start.write_bytes(0, bytes);
        }
        start
    }
}

unsafe extern "C" fn realloc(start: *mut c_void, bytes: usize) -> *mut c_void {
    if start.is_null() {
        // SAFETY: it asks for nothing special.
        return unsafe { malloc(bytes) };
    }
    let start = start.cast::<u8>();
    // SAFETY: the library gives back only what it got from here, which has its size in front.
    unsafe {
        let size = start.sub(HEADER).cast::<usize>().read();
        let room = if size & ALONE == 0 { size - HEADER } else { (size & !ALONE) - UNIT };
        if bytes <= room {
            return start.cast();
        }
        if size & ALONE == 0
            && CURRENT.get().as_mut().is_some_and(|arena| arena.grow(start, size, bytes))
        {
            return start.cast();
        }
        let larger = malloc(bytes).cast::<u8>();
        if larger.is_null() {
            return larger.cast();
        }
        ptr::copy_nonoverlapping(start, larger, room);
        free(start.cast());
        larger.cast()
    }
}

unsafe extern "C" fn free(start: *mut c_void) {
    if start.is_null() {
        return;
    }
    let start = start.cast::<u8>();
    // SAFETY: the library gives back only what it got from here, which has its size in front.
    unsafe {
        let size = start.sub(HEADER).cast::<usize>().read();
        if size & ALONE != 0 {
            dealloc(start.sub(UNIT), Layout::from_size_align_unchecked(size & !ALONE, UNIT));
        } else if let Some(arena) = CURRENT.get().as_mut() {
            arena.give(start, size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A piece that is in use: where it is, its bytes, and what fills them.
    type Piece = (*mut u8, usize, u8);

    #[derive(Clone, Debug)]
    enum Step {
        Make(usize),
        MakeZeroed(usize),
        Resize(usize, usize),
        Free(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let bytes = || prop_oneof![8 => 0usize..200, 2 => 0usize..5_000, 1 => (0usize..40).prop_map(|units| units * 40_000)];
        let step = prop_oneof![
            3 => bytes().prop_map(Step::Make),
            1 => bytes().prop_map(Step::MakeZeroed),
            3 => (any::<usize>(), bytes()).prop_map(|(which, bytes)| Step::Resize(which, bytes)),
            2 => any::<usize>().prop_map(Step::Free),
        ];
        proptest::collection::vec(step, 0..100)
    }

    fn holds(&(start, bytes, filling): &Piece) -> bool {
        assert_eq!(start as usize % UNIT, 0);
        // SAFETY: the piece is in use and has been filled.
        unsafe { std::slice::from_raw_parts(start, bytes) }.iter().all(|&byte| byte == filling)
    }

    fn fill(start: *mut c_void, bytes: usize, filling: u8) -> Piece {
        // SAFETY: the piece has as many bytes.
        unsafe { start.cast::<u8>().write_bytes(filling, bytes) };
        (start.cast(), bytes, filling)
    }

    /// Takes the steps; every piece keeps what it was filled with until it is given back.
    fn take(steps: &[Step]) -> bool {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut whole = true;
        for (number, step) in steps.iter().enumerate() {
            let filling = number as u8 | 1;
            // SAFETY: pieces are given back once, and used only before.
            unsafe {
                match *step {
                    Step::Make(bytes) => pieces.push(fill(malloc(bytes), bytes, filling)),
                    Step::MakeZeroed(bytes) => {
                        let start = calloc(bytes, 1);
                        whole &= holds(&(start.cast(), bytes, 0));
                        pieces.push(fill(start, bytes, filling));
                    }
                    Step::Resize(which, bytes) if !pieces.is_empty() => {
                        let which = which % pieces.len();
                        let (start, before, old) = pieces[which];
                        let start = realloc(start.cast(), bytes);
                        whole &= holds(&(start.cast(), before.min(bytes), old));
                        pieces[which] = fill(start, bytes, filling);
                    }
                    Step::Free(which) if !pieces.is_empty() => {
                        let piece = pieces.swap_remove(which % pieces.len());
                        whole &= holds(&piece);
                        free(piece.0.cast());
                    }
                    _ => {}
                }
            }
            whole &= number % 16 != 0 || pieces.iter().all(holds);
        }
        whole &= pieces.iter().all(holds);
        if CURRENT.get().is_null() {
            // SAFETY: nobody uses them any more.
            pieces.iter().for_each(|piece| unsafe { free(piece.0.cast()) });
        }
        whole
    }

    proptest! {
        #[test]
        fn pieces_keep_their_bytes(first in steps(), second in steps()) {
            // SAFETY: pieces made in the arena are forgotten in it.
            let (one, then, outside) = unsafe { (within(|| take(&first)), within(|| take(&second)), take(&first)) };
            prop_assert!(one && then && outside);
        }
    }

    fn spare_bytes() -> usize {
        let spare = SPARE.take();
        let bytes =
            spare.iter().flat_map(|arena| &arena.blocks).map(|(_, layout)| layout.size()).sum();
        SPARE.set(spare);
        bytes
    }

    #[test]
    fn what_is_given_back_is_used_again() {
        // SAFETY: pieces are used before they are given back.
        unsafe {
            within(|| {
                for bytes in [8, 100, 3_000, 70_000].repeat(2_000) {
                    free(fill(malloc(bytes), bytes, 1).0.cast());
                }
                let arena = &*CURRENT.get();
                assert_eq!(arena.blocks.len(), 1);
            });
        }
    }

    #[test]
    fn a_large_file_leaves_little_behind() {
        // SAFETY: nothing made in the arena is used afterwards.
        unsafe {
            within(|| {
                (0..100).for_each(|_| {
                    fill(malloc(900_000), 900_000, 1);
                })
            })
        };
        let kept = spare_bytes();
        assert!(0 < kept && kept <= KEPT, "{kept}");
    }

    #[test]
    fn a_panic_closes_the_arena() {
        // SAFETY: nothing is made.
        let result = std::panic::catch_unwind(|| unsafe { within(|| panic!("broken")) });
        assert!(result.is_err());
        assert!(CURRENT.get().is_null());
    }

    #[test]
    fn a_file_inside_another_shares_its_arena() {
        // SAFETY: the piece is used while the outer scope is open.
        unsafe {
            within(|| {
                let piece = within(|| fill(malloc(64), 64, 7));
                assert!(holds(&piece));
                let again = fill(malloc(64), 64, 9);
                assert_ne!(piece.0, again.0);
                assert!(holds(&piece) && holds(&again));
            });
        }
    }
}
