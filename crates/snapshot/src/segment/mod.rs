//! A segment: the files of one shard, frozen.
//!
//! What ranking touches for every candidate (names, kinds, lines, parents, field lengths, cells) lies
//! in columns that are read in place. What is read for a file or for a shown result (byte offsets,
//! chunks) is a run of small numbers a file. Signatures and doc texts, and the rows of the linker,
//! are compressed in blocks. Strings of the linker are kept once a segment.

pub(crate) mod details;
mod lay_out;
pub(crate) mod links;
mod reader;
mod search;
pub(crate) mod section;
mod strings;
mod thaw;
mod unpacked;
mod view;
mod writer;

pub use details::SymbolDetail;
pub use reader::{Cell, Segment};
pub use section::SegmentCounts;
pub use unpacked::Unpacked;
pub use view::{LinkRows, Wanted};
pub use writer::{SegmentFile, SegmentImage, SegmentWriter};

/// Searchable fields of a symbol, in the order of every `[_; FIELDS]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
pub enum Field {
    Name,
    /// Enclosing scopes of the qualified name.
    Scope,
    /// Path of the file.
    Path,
    Doc,
    Signature,
}

/// Number of [`Field`]s.
pub const FIELDS: usize = 5;

/// Longest field length that is told apart; longer fields count as this long.
pub const MAX_FIELD_LENGTH: u32 = 255;

/// Longest qualified name, in bytes, that is put together from the parents' names; longer ones are
/// kept whole, so that a damaged chain of parents stays bounded.
pub(crate) const MAX_QUALIFIED: usize = 4096;

/// Returns a name as names are compared: without regard to case.
pub(crate) fn folded(name: &str) -> String {
    strings::lower_chars(name).collect()
}
