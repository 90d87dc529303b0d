//! Packs: the smallest set of code that serves a request, inside its budgets, explained.
//!
//! [`build`] takes a [`PackRequest`] and what rankings read, and returns a [`ContextPack`] that depends
//! on nothing else: the same request on the same snapshot gives the same bytes. Texts come through
//! [`Texts`], the rendered size through a function, so that neither files nor formats are known here.

pub mod budget;
mod build;
pub mod canonical;
mod diff;
mod error;
mod expand;
pub mod ids;
mod items;
pub mod pack;
pub mod request;
pub mod resolve;
mod scope;
mod seeds;
mod select;
mod similar;
pub mod texts;
pub mod tokens;

pub use build::{Inputs, Known, build};
pub use diff::{PackDiff, diff};
pub use error::PackError;
pub use expand::{Section, section_of};
pub use ids::SymbolIds;
pub use items::title;
pub use pack::{ContextItem, ContextPack, Note};
pub use request::{PackRequest, Scope};
pub use scope::{Filter, chunk_kind, symbol_kind};
pub use texts::{FileText, Texts};
pub use tokens::Tokenizer;
