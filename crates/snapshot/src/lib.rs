//! Freeze, open, map: the immutable index on disk, its writers beside its readers.
//!
//! A [`SegmentWriter`] freezes the files of one shard, a [`GraphWriter`] the edges of all of them, a
//! [`Manifest`] names both, and [`publish`] makes it the current [`Snapshot`] in one step. The same
//! inputs give the same bytes. Readers never wait, and see whole snapshots only.

mod beside;
mod blocks;
mod column;
mod container;
mod error;
mod evidence;
mod front;
mod graph;
mod interned;
mod lock;
mod manifest;
mod merkle;
mod postings;
mod publish;
mod refs;
mod rows;
mod segment;
mod shards;
mod snapshot;
pub mod varint;
mod words;

pub use beside::{MANY_FILES, beside};
pub use container::FORMAT_VERSION;
pub use error::{Result, SnapshotError};
pub use graph::{EdgeIter, Edges, Graph, GraphImage, GraphWriter, Patch};
pub use lock::WriterLock;
pub use manifest::{Manifest, SegmentEntry};
pub use merkle::{Tree, TreeFile, TreeNode};
pub use postings::{CellPostings, FieldTf, SymbolPostings, TermPostings};
pub use publish::{
    Collected, Durability, SnapshotName, collect_garbage, current, graph_path, publish,
    segment_path, write_atomically,
};
pub use refs::{FileRef, SymbolRef};
pub use segment::{
    Cell, FIELDS, Field, LinkRows, MAX_FIELD_LENGTH, Segment, SegmentCounts, SegmentFile,
    SegmentImage, SegmentWriter, SymbolDetail, Unpacked, Wanted,
};
pub use shards::{segment_key, shard_count, shard_of};
pub use snapshot::{CollectionTotals, InUse, Snapshot};
