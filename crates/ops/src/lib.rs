//! Operations: each is defined once and appears as a command, a tool and a route.
//!
//! [`OPERATIONS`] is the table. An operation takes typed input, given as JSON, and a [`Context`], and
//! returns an [`Answer`] or an [`OpError`] with a stable code. Writing answers down is the job of others.

mod accounts;
mod ahead;
mod answer;
mod ask;
mod codegraph;
pub mod complete;
mod context;
mod doctor;
mod error;
pub mod eval;
mod excerpts;
mod feedback;
mod files;
mod fit;
mod grep;
mod impact;
mod index;
mod inputs;
mod named;
pub mod oracle;
mod outputs;
mod overlay;
mod pack_cache;
mod packs;
mod plain;
mod pr;
mod projects;
mod prometheus;
mod rebuild;
mod recent;
mod report;
mod runners;
mod savings;
mod schema;
mod search;
mod shapes;
mod show;
mod stats;
mod symbol;
mod table;
mod task_context;
mod tests;
mod unused;
mod why;

pub use ahead::{Listening, Trial, ahead};
pub use answer::{
    Answer, Hit, Hits, Impact, ImpactItem, Relation, SymbolAnswer, SymbolInfo, TestHit, TestScope,
    WhyAnswer, WhyChannel, WhyRaise, WhyTerm,
};
pub use ask::AskInput;
pub use context::{Asker, Context, RenderPack, new_session};
pub use contextd_pack::TokenBudget;
pub use contextd_retrieve::signals::about as term_about;
pub use error::OpError;
pub use excerpts::{ExcerptPlace, Excerpts, NotFound, NumberedLine};
pub use feedback::FeedbackInput;
pub use fit::fit;
pub use grep::GrepInput;
pub use inputs::*;
pub use outputs::{answer_names, answer_schema, answers_schema, refusal_schema};
pub use overlay::{AddInput, DeleteInput};
pub use pr::window;
pub use projects::{narrow, project_scope};
pub use prometheus::prometheus;
pub use report::ReportInput;
pub use runners::RUNNER_FORMATS;
pub use savings::SavingsInput;
pub use schema::{SCHEMAS, schema_named, schema_names};
pub use search::hits;
pub use show::ShowInput;
pub use stats::{last_indexed, status_value};
pub use table::{OPERATIONS, Operation, find};
pub use task_context::TaskContextInput;
pub use unused::unused;
