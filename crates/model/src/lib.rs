//! The nouns of contextd: ids, kinds, facts, graph, configuration, problems.
//!
//! Nothing here reads a file, the environment or a clock, and nothing here knows JSON.

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod config;
pub mod facts;
pub mod graph;
pub mod hash;
pub mod kinds;
pub mod problem;
pub mod strings;
pub mod symbol_id;

pub use facts::FileFacts;
pub use hash::ContentHash;
pub use kinds::{ChunkKind, EdgeKind, OutsideKind, Provenance, RefKind, SymbolKind, Visibility};
pub use problem::{Problem, Severity};
pub use strings::{StrId, StringTable};
