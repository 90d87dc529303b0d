//! Declared knowledge: bundles of a ref, documents against code, rules, pictures, the project brief.

mod activity;
mod bundle;
mod health;
pub mod inputs;
mod lint;
mod picture;
mod prime;
mod sync;
mod tree;

pub use bundle::{Bundle, get_context};
pub use health::{checks, is_ill};
pub use lint::{LintEvidence, LintReport, LintViolation, lint};
pub use picture::{Picture, PictureEdge, PictureNode, graph};
pub use prime::{Brief, prime};
pub use sync::{SyncEntry, SyncReport, sync_check, sync_update};
pub use tree::{RefTree, tree_of};

use crate::error::OpError;
use contextd_engine::Knowledge;
use serde_json::{Value, json};

/// Answers about declared knowledge.
#[derive(Clone, Debug, PartialEq)]
pub enum Oracle {
    Bundle(Box<Bundle>),
    /// The bundle is the one that the caller has.
    Unchanged {
        etag: String,
    },
    Sync(SyncReport),
    Lint(LintReport),
    Picture(Picture),
    Brief(Brief),
    Tree(RefTree),
}

impl Oracle {
    /// Returns the answer as JSON.
    pub fn to_json(&self) -> Value {
        let written = match self {
            Oracle::Bundle(bundle) => serde_json::to_value(bundle),
            Oracle::Unchanged { etag } => Ok(json!({"cached": true, "etag": etag})),
            Oracle::Sync(report) => serde_json::to_value(report),
            Oracle::Lint(report) => serde_json::to_value(report),
            Oracle::Picture(picture) => serde_json::to_value(picture),
            Oracle::Brief(brief) => serde_json::to_value(brief),
            Oracle::Tree(tree) => serde_json::to_value(tree),
        };
        // The types hold strings, numbers and maps with string keys, which all have a form in JSON.
        written.unwrap_or(Value::Null)
    }

    /// True when something was found, or the check passed.
    pub fn found(&self) -> bool {
        match self {
            Oracle::Sync(report) => report.summary.stale == 0,
            Oracle::Lint(report) => report.passed,
            Oracle::Picture(picture) => !picture.nodes.is_empty(),
            Oracle::Bundle(_) | Oracle::Unchanged { .. } | Oracle::Brief(_) | Oracle::Tree(_) => {
                true
            }
        }
    }
}

/// Returns the number of a node, or names that may have been meant.
pub(crate) fn node_of(knowledge: &Knowledge, ref_id: &str) -> Result<usize, OpError> {
    let graph = &knowledge.graph;
    if let Some(node) = graph.find(ref_id.trim()) {
        return Ok(node);
    }
    let remedy = if graph.is_empty() {
        "Nothing is declared: write nodes into .contextd/graph/*.yml, see docs/oracle.md."
            .to_owned()
    } else {
        match contextd_knowledge::suggest(graph.refs(), ref_id) {
            near if near.is_empty() => "List them with `contextd graph --json`.".to_owned(),
            near => format!("Did you mean: {}?", near.join(", ")),
        }
    };
    Err(OpError::not_found(format!("there is no ref `{ref_id}`"), remedy))
}
