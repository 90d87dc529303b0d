//! Facts of all files → edges, each with a confidence and the line of its evidence.
//!
//! [`World::build`] gathers what files show to one another: definitions, modules, members, bases.
//! [`World::link_file`] then resolves one file's references. It is a pure function of that file's
//! facts and of the *interfaces* of all files (see [`interface`]), so files are linked in parallel,
//! and after an edit that leaves a file's interface alone only that file is linked again. After any
//! other, those are that asked for what is different (see [`reads`], [`World::with_facts`]).
//!
//! A name that cannot be told apart yields guessed edges with a low confidence, or none.

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod change;
mod communities;
mod edges;
pub mod interface;
mod key;
mod links;
mod parameters;
mod policy;
pub mod reads;
mod resolve;
mod types;
mod world;

pub use change::Change;
pub use communities::{Pull, communities, communities_of, files_of, of_symbols};
pub use edges::FileLinks;
pub use interface::{interface_fingerprint, shows_the_same};
pub use links::{LinkOptions, Links, Reason, Unresolved, link};
pub use reads::Reads;
pub use world::World;
pub use world::modules::is_manifest;

use contextd_model::facts::FactsView;

/// One file to link: its path from the root with `/`, and its facts.
#[derive(Clone, Copy, Debug)]
pub struct LinkFile<'a> {
    pub path: &'a str,
    pub view: FactsView<'a>,
}
