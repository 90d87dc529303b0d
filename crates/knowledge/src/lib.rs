//! What people declared about their code: a graph of parts, rules, annotations, documents and whether
//! they still agree with the code.
//!
//! Everything here is a function of bytes that are handed in. Broken input is data: functions return
//! what could be read together with the [`contextd_model::Problem`]s that were met.

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod annotations;
pub mod coverage;
mod cycles;
pub mod globs;
pub mod graph;
pub mod health;
pub mod rules;
pub mod sections;
pub mod suggest;
pub mod sync;
pub mod tokens;
pub mod traverse;
pub mod yaml;

pub use annotations::{Annotation, Place};
pub use coverage::{Covered, covered};
pub use graph::{Edge, Graph, Node};
pub use rules::{Rules, Violation};
pub use sections::{Class, Section};
pub use suggest::suggest;
pub use traverse::{Limits, Subgraph, traverse};
