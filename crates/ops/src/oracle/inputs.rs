//! Inputs of the operations on declared knowledge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Input of `get_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RefInput {
    /// Refs of declared nodes; the first is the focus
    #[serde(alias = "ref_id", alias = "refs", alias = "ref", deserialize_with = "one_or_many")]
    pub ref_ids: Vec<String>,
    /// Edges to follow, 2 by default
    pub depth: Option<u32>,
    /// Most nodes, 20 by default
    #[serde(alias = "maxNodes")]
    pub max_nodes: Option<usize>,
    /// Most pieces of documents, 10 by default
    #[serde(alias = "maxChunks")]
    pub max_chunks: Option<usize>,
    /// Tag of the bundle the caller has; when it still holds, only that is said
    pub etag: Option<String>,
}

/// Reads a text as a list of one.
fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::One(text) => vec![text],
        Given::Many(texts) => texts,
    })
}

/// Input of `sync_check`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SyncInput {
    /// Refs or documents; none means all
    pub refs: Vec<String>,
    /// Compare with a revision instead of the recorded state
    pub since: Option<String>,
}

/// Input of `sync_update`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SyncUpdateInput {
    /// Refs or documents that agree with the code again
    pub refs: Vec<String>,
    /// Record everything as it is
    pub all: bool,
}

/// Input of `lint`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LintInput {
    /// Warnings fail the check too
    pub strict: bool,
}

/// Input of `graph`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GraphInput {
    /// A ref, symbol, file or folder; without it, the declared graph or the folders of the root
    pub target: String,
    /// Edges to follow: 2 from refs, 1 from code
    pub depth: Option<u32>,
    /// Most nodes, 30 by default
    #[serde(alias = "maxNodes")]
    pub max_nodes: Option<usize>,
}

/// Input of `prime`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PrimeInput {
    /// Most tokens, 1,900 by default
    pub budget: Option<u64>,
}
