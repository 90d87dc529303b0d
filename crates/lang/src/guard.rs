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

/// What one parse may cost. All is counted, nothing timed: facts must not depend on the machine. Of 1,700 files, the largest
/// of 24 languages in 16 repositories among them, none comes to either.
struct Limits {
    /// Steps of the scanner. It looks ahead, and several readings of one place ask again; where a text is broken, some look
    /// for the end of a string as far as the text goes, for each token.
    scanner_steps: u64,
    /// Bytes that the library may ask for, those that it gave back included. Some texts make it copy its whole stack again
    /// and again.
    bytes: u64,
}

impl Limits {
    fn of(text: &str) -> Limits {
        let length = text.len() as u64;
        Limits {
            scanner_steps: (20_000_000 + 500 * length).min(1_000_000_000),
            bytes: (64 << 20) + 300 * length,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(unsafe_code)]
    fn outcome(language: &str, text: &str, room: Room) -> Result<String, Stop> {
        let language = LanguageId::by_name(language).expect("a language");
        let grammar = grammar(language).expect("a grammar");
        // SAFETY: parser and tree are dropped inside; the text that is returned is not the library's.
        unsafe {
            arena::within(|| {
                let mut parser = Parser::new(&grammar, room);
                parser.most_steps = u64::MAX;
                parser.parse(text).map(|tree| tree.root_node().to_sexp().len().to_string())
            })
        }
    }

    #[test]
    fn a_scanner_that_goes_on_for_ever_is_left() {
        // It looks for white space behind an annotation, and does not notice the end of the text.
        assert_eq!(outcome("kotlin", "class A\n@X", Room::Usual), Err(Stop::Refused));
        assert!(outcome("kotlin", "class A\n@X\nclass B\n", Room::Usual).is_ok());
    }

    #[test]
    fn a_state_that_is_too_large_never_reaches_the_library() {
        assert!(outcome("yaml", &"- ".repeat(253), Room::Usual).is_ok());
        assert_eq!(outcome("yaml", &"- ".repeat(254), Room::Usual), Err(Stop::Refused));
        let heredoc = |length: usize| format!("<<{0}\nx\n{0}\n", "A".repeat(length));
        assert!(outcome("ruby", &heredoc(255), Room::Usual).is_ok());
        assert_eq!(outcome("ruby", &heredoc(256), Room::Usual), Err(Stop::Refused));
    }

    #[test]
    fn nodes_of_the_librarys_stack_are_counted() {
        let comments = "// a\n".repeat(Room::Usual.stack_nodes() as usize + 100);
        assert_eq!(outcome("rust", &comments, Room::Usual), Err(Stop::TooDeep));
        let deep = with_deep_stack(|| outcome("rust", &comments, Room::Deep));
        assert!(deep.is_some_and(|read| read.is_ok()));
    }

    #[test]
    fn a_parser_that_was_left_is_replaced() {
        let language = LanguageId::by_name("rust").expect("a language");
        let grammar = grammar(language).expect("a grammar");
        // SAFETY: parser and trees are dropped inside.
        #[allow(unsafe_code)]
        unsafe {
            arena::within(|| {
                let mut parser = Parser::new(&grammar, Room::Usual);
                parser.most_steps = u64::MAX;
                let comments = "// a\n".repeat(7_000);
                for _ in 0..3 {
                    assert_eq!(parser.parse(&comments).err(), Some(Stop::TooDeep));
                    let tree = parser.parse("fn f() {}").expect("a tree");
                    assert!(!tree.root_node().has_error());
                }
            })
        }
    }

    /// The case files of every language: code in fences, and much that is none.
    #[test]
    #[allow(unsafe_code)]
    #[allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]
    fn a_guarded_grammar_reads_what_its_own_reads() {
        // Before anything of the library is made.
        arena::install();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
        for language in LanguageId::all() {
            let Some(upstream) = language.get().grammar else { continue };
            let cases = std::fs::read_dir(folder.join(language.name()).join("cases"));
            for case in cases.into_iter().flatten().flatten() {
                let text = std::fs::read_to_string(case.path()).expect("a case");
                let text = language.get().hooks.masked(&text);
                let mut parser = tree_sitter::Parser::new();
                parser.set_language(&upstream()).expect("the grammar loads");
                let tree = parser.parse(text.as_bytes(), None).expect("a tree");
                // SAFETY: parser and tree are dropped inside; the text that is returned is not the library's.
                let guarded = unsafe {
                    arena::within(|| {
                        let grammar = grammar(language).expect("a grammar");
                        let mut parser = Parser::new(&grammar, Room::Usual);
                        parser.most_steps = u64::MAX;
                        let tree = parser.parse(&text).expect("a tree");
                        tree.root_node().to_sexp()
                    })
                };
                assert!(guarded == tree.root_node().to_sexp(), "{}", case.path().display());
            }
        }
    }
}
