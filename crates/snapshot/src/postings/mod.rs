//! Full text of a segment: a sorted dictionary of terms, each with the symbols and cells it stands in.
//!
//! A term's postings are three lists, one after the other:
//! - symbols with the term in name, scope, doc or signature: a byte with three bits of distance to the
//!   symbol before (0: a number follows), one bit "frequencies follow", four bits of fields;
//! - files with the term in their path, which counts for every symbol of the file;
//! - cells: distance and frequency in bits, see `rice.rs`.

mod build;
mod read;
mod rice;

pub(crate) use build::{PackedPostings, PostingsBuilder};
pub(crate) use read::Dictionary;
pub use read::{CellPostings, FieldTf, SymbolPostings, TermPostings};

/// Fields stored with a symbol's posting, in the order of their bits; the path is kept by file.
pub(crate) const STORED_FIELDS: [crate::segment::Field; 4] = [
    crate::segment::Field::Name,
    crate::segment::Field::Scope,
    crate::segment::Field::Doc,
    crate::segment::Field::Signature,
];

/// Distances up to this fit into the byte of a symbol's posting.
const NEAR: u32 = 7;
/// Bit of a symbol's posting that says that a frequency follows for each field.
const FREQUENCIES: u8 = 1 << 3;
/// Frequencies up to this fit into the number of a file's posting.
const FEW: u32 = 3;

/// Four bits for the number of a term's cells: below this the number itself, from this on one cell
/// with a posting of one, two or three bytes.
const SINGLE: u32 = 12;
/// The number of cells follows, less [`SINGLE`].
const LONG_COUNT: u32 = 15;

/// True when the four bits say "one cell" and the length of its posting.
fn is_single(code: u32) -> bool {
    (SINGLE..LONG_COUNT).contains(&code)
}
