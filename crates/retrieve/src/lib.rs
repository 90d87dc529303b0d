//! Understanding a request, finding candidates, ranking them, and saying why.
//!
//! Everything here reads a snapshot and writes nothing.

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod calibration;
pub mod catalog;
pub mod change;
pub mod channels;
pub mod commit_words;
mod commits;
pub mod declared;
pub mod evidence;
pub mod fusion;
mod guesses;
pub mod hits;
pub mod learned;
pub mod lexical;
pub mod line_score;
mod locate;
pub mod namesakes;
pub mod near;
pub mod parameters;
pub mod providers;
mod query_names;
pub mod reach;
pub mod recent;
pub mod scratch;
pub mod search;
pub mod shape;
pub mod signals;
mod structure;
pub mod suite;
pub mod task;
pub mod ties;
pub mod understand;
pub mod walk;
pub mod weights;

pub use catalog::Catalog;
pub use commit_words::CommitWords;
pub use commits::Commits;
pub use declared::Declared;
pub use guesses::absent;
pub use learned::{Learned, LearnedWeights};
pub use parameters::Parameters;
pub use providers::{Provider, Providers};
pub use reach::{Reach, ReachOptions, Reached, Via, reach};
pub use recent::recent_topic;
pub use shape::Shape;
pub use suite::Suite;
pub use task::{Ranked, Sources};
pub use understand::{Query, understand, understand_with, understood};
pub use weights::Weights;
