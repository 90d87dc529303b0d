//! Keeps the parser's library and the grammars' scanners, native code that reads strangers' files, from ending the program.
//!
//! A scanner that would write more than the library has room for, write what it cannot read back, or go on for ever is
//! stopped; so is the library when it would need more of the thread's stack than there is, or copy its own again and again.
//! The parse of that text is given up then. See `guard/guard.c`.

use crate::arena::{self, Allowance};
use crate::registry::LanguageId;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use tree_sitter::ffi::{TSLanguage, TSParser};
use tree_sitter::ffi::{ts_parser_delete, ts_parser_new, ts_parser_set_language};
use tree_sitter::{Language as Grammar, Tree};

#[allow(unsafe_code)]
mod c {
    use super::{Calloc, Malloc, Realloc};
    use std::ffi::{c_char, c_int, c_uint, c_void};
    use tree_sitter::ffi::{TSLanguage, TSParser, TSTree};

    unsafe extern "C" {
        pub fn contextd_guarded(
            upstream: *const TSLanguage,
            slot: c_uint,
            name: *const c_char,
        ) -> *const TSLanguage;
        pub fn contextd_parse(
            parser: *mut TSParser,
            text: *const c_char,
            length: u32,
            done: *mut u64,
            most: u64,
            scanner_steps: u64,
            tree: *mut *mut TSTree,
        ) -> c_int;
        pub safe fn contextd_guard_memory(malloc: Malloc, calloc: Calloc, realloc: Realloc);
        pub fn contextd_guard_malloc(size: usize) -> *mut c_void;
        pub fn contextd_guard_calloc(count: usize, size: usize) -> *mut c_void;
        pub fn contextd_guard_realloc(piece: *mut c_void, size: usize) -> *mut c_void;
    }
}

/// A grammar in the library's own form. It lives as long as the program.
struct Shared(*const TSLanguage);

// SAFETY: nobody writes to a grammar once it is made.
#[allow(unsafe_code)]
unsafe impl Send for Shared {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Shared {}

/// Returns a language's grammar with a guarded scanner; nothing where the language has none.
#[allow(unsafe_code)]
pub fn grammar(language: LanguageId) -> Option<Grammar> {
    static GUARDED: [OnceLock<Shared>; 64] = [const { OnceLock::new() }; 64];
    let upstream = language.get().grammar?;
    let shared = GUARDED[language.0 as usize].get_or_init(|| {
        let name = std::ffi::CString::new(language.name()).unwrap_or_default();
        // SAFETY: the grammar is one of a crate, which lives as long as the program; the slot is asked for once.
        Shared(unsafe {
            c::contextd_guarded(upstream().into_raw(), language.0.into(), name.as_ptr())
        })
    });
    // SAFETY: it is a grammar that lives as long as the program.
    (!shared.0.is_null()).then(|| unsafe { Grammar::from_raw(shared.0) })
}

/// What one parse may cost. All is counted, nothing timed: facts must not depend on the machine. Of 2,000 files of all
/// languages none takes a tenth of either.
struct Limits {
    /// Steps of the scanner. It looks ahead, and several readings of one place ask again.
    scanner_steps: u64,
    /// Bytes that the library may ask for, those that it gave back included. Some texts make it copy its whole stack again
    /// and again.
    bytes: u64,
}

impl Limits {
    fn of(text: &str) -> Limits {
        let length = text.len() as u64;
        Limits { scanner_steps: 1_000_000 + 50 * length, bytes: (64 << 20) + 1_000 * length }
    }
}

/// The stack of the thread that a parse runs on, and how many nodes the library's own stack may have then. The library lets
/// go of nodes, and brings two stacks together, by recursion, which takes a frame of up to 150 bytes for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The two megabytes that any thread has; few files need more.
    Usual,
    /// A thread of its own, see [`with_deep_stack`].
    Deep,
}

impl Room {
    fn stack_nodes(self) -> i64 {
        match self {
            Room::Usual => 6_000,
            Room::Deep => 250_000,
        }
    }
}

/// Bytes of a deep stack. The system gives only those that are used.
const DEEP_STACK: usize = 128 << 20;

/// Runs `work` on a thread with a large stack; nothing where the system has no room for one.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("deep-parse".into()).stack_size(DEEP_STACK);
        let thread = builder.spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(done) => Some(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Why a parse was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its stack is too small for the text.
    TooDeep,
    /// A scanner broke a rule, or it took too much.
    Refused,
}

/// How a parse ended, see `contextd_parse`.
const PARSED: c_int = 0;
const LEFT: c_int = 2;

/// A parser for texts of one language, and the effort that it has spent on them. It lives inside of [`arena::within`].
pub struct Parser {
    raw: *mut TSParser,
    grammar: Grammar,
    room: Room,
    /// Steps that it has taken, in the library's own unit, and that it may take.
    pub steps: u64,
    pub most_steps: u64,
}

impl Parser {
    pub fn new(grammar: &Grammar, room: Room) -> Parser {
        let grammar = grammar.clone();
        Parser { raw: new_raw(&grammar), grammar, room, steps: 0, most_steps: 0 }
    }

    /// Parses a text, unless its steps are spent or the text is one that no parser should be given.
    #[allow(unsafe_code)]
    pub fn parse(&mut self, text: &str) -> Result<Tree, Stop> {
        let length = u32::try_from(text.len()).map_err(|_| Stop::Refused)?;
        let limits = Limits::of(text);
        let allowed = Allowance { bytes: limits.bytes, stack_nodes: self.room.stack_nodes() };
        let mut tree = std::ptr::null_mut();
        arena::allow(allowed);
        // SAFETY: the parser is alive and has its grammar; the text lives until the call returns and has so many bytes.
        let ended = unsafe {
            c::contextd_parse(
                self.raw,
                text.as_ptr().cast(),
                length,
                &mut self.steps,
                self.most_steps,
                limits.scanner_steps,
                &mut tree,
            )
        };
        let asked = arena::allow_any();
        match ended {
            // SAFETY: it is a tree that nobody else knows of.
            PARSED => return Ok(unsafe { Tree::from_raw(tree) }),
            // It goes with the arena.
            LEFT => self.raw = new_raw(&self.grammar),
            _ => {}
        }
        let is_too_deep = asked.stack_nodes > allowed.stack_nodes;
        Err(if is_too_deep { Stop::TooDeep } else { Stop::Refused })
    }
}

impl Drop for Parser {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it is alive and is not used again.
        unsafe { ts_parser_delete(self.raw) }
    }
}

#[allow(unsafe_code)]
fn new_raw(grammar: &Grammar) -> *mut TSParser {
    // SAFETY: the library's memory does not run out outside of a parse, and the grammar lives as long as the program. The
    // registry's tests load every grammar, so a mismatch of versions cannot reach here.
    unsafe {
        let parser = ts_parser_new();
        ts_parser_set_language(parser, grammar.clone().into_raw());
        parser
    }
}

/// Returns what the library asks for memory: these functions, of which the first three may refuse it during a parse, which
/// is left then.
pub fn allocator(
    malloc: Malloc,
    calloc: Calloc,
    realloc: Realloc,
    free: unsafe extern "C" fn(*mut c_void),
) -> tree_sitter::Allocator {
    c::contextd_guard_memory(malloc, calloc, realloc);
    tree_sitter::Allocator {
        malloc: c::contextd_guard_malloc,
        calloc: c::contextd_guard_calloc,
        realloc: c::contextd_guard_realloc,
        free,
    }
}

type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Calloc = unsafe extern "C" fn(usize, usize) -> *mut c_void;
type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
