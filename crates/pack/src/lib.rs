//! Packs: the smallest set of code that serves a request, inside its budgets, explained.
//!
//! [`build`] takes a [`PackRequest`] and what rankings read, and returns a [`ContextPack`] that depends
//! on nothing else: the same request on the same snapshot gives the same bytes. Texts come through
//! [`Texts`], the rendered size through a function, so that neither files nor formats are known here.

// No files, environment, processes or clocks: the lists are in clippy.toml.
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod artifact;
pub mod budget;
mod build;
pub mod canonical;
pub mod codegraph;
mod diff;
mod diverse;
mod draft;
mod error;
mod expand;
mod frames;
mod generations;
mod held;
pub mod ids;
mod items;
mod layer;
mod lines;
mod manager;
mod map;
mod nearest;
mod notes;
mod order;
pub mod pack;
mod pieces;
mod plan;
mod pool;
pub mod request;
pub mod resolve;
mod scope;
mod seeds;
mod select;
mod shelf;
mod similar;
pub mod texts;
pub mod time;
pub mod tokens;
mod words;

pub use build::{Built, Inputs, Known, build};
pub use diff::{PackDiff, diff};
pub use error::PackError;
pub use expand::{Section, section_of};
pub use held::{HeldItems, Shown};
pub use ids::SymbolIds;
pub use items::{Read, shortened, title};
pub use layer::{Detail, Layer};
pub use lines::{EdgeLine, FileLine, LayerLine, Lines, SymbolLine, lines};
pub use manager::{BudgetRules, TokenBudget, budget_of_task};
pub use notes::Rule;
pub use pack::{ContextItem, ContextPack, Note};
pub use pieces::forget_counts;
pub use request::{Defaults, PackRequest, Scope};
pub use scope::{Filter, chunk_kind, symbol_kind};
pub use seeds::{SeedRecord, seed_records};
pub use shelf::Shelf;
pub use texts::{FileText, Texts};
pub use tokens::Tokenizer;
