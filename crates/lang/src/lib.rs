//! Bytes → facts and chunks, one folder a language.
//!
//! A language is a folder `languages/<name>` with a `language.toml` (what its node kinds mean), an
//! optional `hooks.rs` (what a table cannot say) and `cases/*.md` (its tests), and one line in
//! [`registry::ALL`].

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod arena;
pub mod chunk;
mod doc;
pub mod dump;
pub mod extract;
mod guard;
mod header;
pub mod intern;
mod languages;
pub mod lines;
mod mend;
pub mod names;
pub mod paths;
pub mod registry;
mod remembered;
mod rules;
mod runs;
mod stem;
pub mod terms;
mod text;
mod tree;
mod walk;

pub use extract::extract;
pub use registry::{Language, LanguageId, detect};

/// Version of everything that shapes facts; a change makes cached facts unreadable on purpose.
pub const EXTRACTOR_VERSION: u32 = 13;
