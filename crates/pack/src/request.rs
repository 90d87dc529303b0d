//! What a pack is asked for, with every default.

use crate::tokens::Tokenizer;
pub use crate::words::{
    Direction, EdgeType, EvidenceKind, Intent, Layout, Primary, Ranking, SeedMode, SeedProvider,
    Strictness, TieBreaker,
};
use contextd_model::EdgeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that decides what is in a pack.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PackRequest {
    /// The root commit's hash, else the folder's name; filled in.
    pub repo_id: String,
    /// Folder of the index; never part of an identity and never sent out.
    pub index_root: String,
    /// Filled in; a request that names another signature is refused.
    pub index_signature: String,
    /// The task or question, in words.
    pub query: String,
    /// What the caller expects in the code: identifiers, file names, messages, terms; guesses.
    pub names: Vec<String>,
    pub seed_mode: SeedMode,
    pub seed_provider: SeedProvider,
    pub intent: Intent,
    pub focus: Focus,
    pub expansion: Expansion,
    pub budgets: Budgets,
    pub ordering: Ordering,
    pub strictness: Strictness,
    /// Absent means yes.
    pub include_explain: Option<bool>,
    pub ranking: Ranking,
    /// Sections by their relation to the seeds, or a map of places with numbered bodies.
    pub layout: Layout,
    /// Changed files whose symbols are the seeds.
    pub files: Vec<String>,
    pub scope: Scope,
    /// Most seeds; absent, the section's cap.
    pub k: Option<u32>,
    /// Relevance (1) against diversity (0); absent, the configuration's.
    pub mmr_lambda: Option<f64>,
    /// Absent, the configuration's.
    pub tokenizer: Option<Tokenizer>,
    /// Profile of weights; absent, the configuration's.
    pub profile: Option<String>,
    /// Format whose rendered bytes the budget counts.
    pub format: String,
    /// What the caller already has: it is referred to, not sent again.
    pub held: Held,
}

/// What a caller already has.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Held {
    /// Stored packs that were sent before.
    pub pack_ids: Vec<String>,
    /// Items by chunkUid or symbolId; their bodies are taken to be known.
    pub ids: Vec<String>,
}

/// One thing the pack turns around.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Focus {
    pub symbol_id: Option<String>,
    pub chunk_uid: Option<String>,
    pub file_rel_path: Option<String>,
}

/// How far the graph is followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Expansion {
    pub max_hops: u32,
    pub edge_types: Vec<EdgeType>,
    pub direction: Direction,
    pub include_same_file_neighbors: bool,
    pub include_imports: bool,
    pub include_exports: bool,
    pub include_dataflow: bool,
    /// In strict mode, drops what only edges without evidence lead to.
    pub require_evidence: bool,
    /// Kinds that count as evidence; empty means all.
    pub evidence_kinds: Vec<EvidenceKind>,
}

impl Default for Expansion {
    fn default() -> Self {
        Self {
            max_hops: 2,
            edge_types: vec![EdgeType::Call, EdgeType::Usage, EdgeType::Import],
            direction: Direction::Both,
            include_same_file_neighbors: false,
            include_imports: true,
            include_exports: false,
            include_dataflow: false,
            require_evidence: false,
            evidence_kinds: Vec::new(),
        }
    }
}

impl Expansion {
    /// True when edges of that kind are followed.
    pub fn follows(&self, kind: EdgeKind) -> bool {
        let Some(edge_type) = edge_type(kind) else { return false };
        match edge_type {
            EdgeType::Import => self.include_imports && self.edge_types.contains(&edge_type),
            EdgeType::Export => self.include_exports || self.edge_types.contains(&edge_type),
            EdgeType::Dataflow => self.include_dataflow || self.edge_types.contains(&edge_type),
            EdgeType::Call | EdgeType::Usage => self.edge_types.contains(&edge_type),
        }
    }
}

/// Returns the group that an edge belongs to.
pub fn edge_type(kind: EdgeKind) -> Option<EdgeType> {
    match kind {
        EdgeKind::Calls => Some(EdgeType::Call),
        EdgeKind::References | EdgeKind::AccessesField | EdgeKind::TypeHintOf => {
            Some(EdgeType::Usage)
        }
        EdgeKind::Imports => Some(EdgeType::Import),
        EdgeKind::Exports => Some(EdgeType::Export),
        EdgeKind::Dataflow => Some(EdgeType::Dataflow),
        _ => None,
    }
}

/// Limits as asked for; absent ones have the defaults of [`crate::budget`].
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budgets {
    pub max_total_chars: Option<u64>,
    pub max_total_tokens: Option<u64>,
    pub max_items: Option<u64>,
    pub max_items_per_section: Option<u64>,
    pub max_bytes_per_item: Option<u64>,
}

/// The order of items inside a section.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Ordering {
    pub primary: Primary,
    /// Keys that are compared before the fixed ones.
    pub stable_tie_breakers: Vec<TieBreaker>,
}

/// Which results are wanted at all.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Scope {
    /// Globs or folders; empty means everywhere.
    pub paths: Vec<String>,
    pub languages: Vec<String>,
    /// Kinds of symbols (`function`, `class`) or of chunks (`CODE_FUNCTION`).
    pub kinds: Vec<String>,
    /// Globs or folders to leave out.
    pub exclude: Vec<String>,
    /// From 0 to 1.
    pub min_score: Option<f64>,
}

/// What the configuration and the operation say where a request says nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defaults {
    pub tokens: u64,
    /// Relevance (1) against diversity (0).
    pub lambda: f64,
    pub tokenizer: Tokenizer,
}

impl PackRequest {
    /// Returns the request with everything said that it leaves open, so that what means the same is the same.
    pub fn settled(&self, defaults: &Defaults) -> PackRequest {
        let mut request = PackRequest {
            index_root: String::new(),
            index_signature: String::new(),
            ..self.clone()
        };
        request.budgets = crate::budget::settled(&self.budgets, defaults.tokens);
        request.include_explain = Some(self.wants_explain());
        request.mmr_lambda = Some(self.mmr_lambda.unwrap_or(defaults.lambda).clamp(0.0, 1.0));
        request.tokenizer = Some(self.tokenizer.unwrap_or(defaults.tokenizer));
        request
    }

    /// Returns the request as it is identified: everything but where the index lies.
    pub fn normalized(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or(Value::Null);
        if let Some(map) = value.as_object_mut() {
            map.remove("indexRoot");
        }
        value
    }

    /// Returns the request as it is echoed: without what has its default.
    pub fn echoed(&self) -> Value {
        let mut value = self.normalized();
        strip(&mut value, &serde_json::to_value(PackRequest::default()).unwrap_or(Value::Null));
        value
    }

    /// True when the format is a graph without texts.
    pub fn is_graph(&self) -> bool {
        self.format.starts_with("gc")
    }

    pub fn wants_explain(&self) -> bool {
        self.include_explain.unwrap_or(true)
    }
}

fn strip(value: &mut Value, default: &Value) {
    let (Some(map), Some(defaults)) = (value.as_object_mut(), default.as_object()) else { return };
    for (key, default) in defaults {
        if let Some(inner) = map.get_mut(key) {
            strip(inner, default);
            if inner == default || inner.as_object().is_some_and(serde_json::Map::is_empty) {
                map.remove(key);
            }
        }
    }
}
