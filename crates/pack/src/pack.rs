//! The answer: a bundle of items in sections, with budgets, reasons and counts.

use crate::budget::BudgetsResolved;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A deterministic bundle of context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPack {
    pub format_version: u32,
    pub schema: String,
    pub schema_version: String,
    pub index_signature: String,
    pub pack_id: String,
    pub pack_root: String,
    /// Version of what was learned and took part; `cold` when nothing did.
    #[serde(default)]
    pub learned_state: String,
    /// ISO 8601; not part of the canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The request without what has its default.
    pub request: Value,
    pub budgets: BudgetsResolved,
    pub seeds: Vec<SeedEntry>,
    pub sections: Vec<ContextSection>,
    /// `map` when the items are places with numbered bodies, best first; absent for other packs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub layout: String,
    /// Edges among the chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<PackEdge>,
    /// What is declared about the chosen code: rules, stale documents, owners, tests, commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    pub stats: PackStats,
    /// Packs that the caller has; formats that know sessions refer to them.
    #[serde(skip)]
    #[schemars(skip)]
    pub held_packs: Arc<Vec<ContextPack>>,
}

/// One thing that is declared about the chosen code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// `part`, `rule`, `stale-doc`, `owner`, `test` or `commit`.
    pub kind: String,
    /// Declared node it comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ref_id: String,
    pub text: String,
}

/// A seed by identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeedEntry {
    pub chunk_uid: String,
    pub score: f64,
}

/// Items of one relation to the seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextSection {
    #[serde(rename = "type")]
    pub kind: String,
    // Shared between the tries of a pack, what is remembered and what is accounted for.
    #[serde(with = "shared")]
    #[schemars(with = "Vec<ContextItem>")]
    pub items: Vec<Arc<ContextItem>>,
}

/// Shared items are written and read like their own.
mod shared {
    use super::{Arc, ContextItem};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        items: &[Arc<ContextItem>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(items.iter().map(|item| &**item))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Arc<ContextItem>>, D::Error> {
        Ok(Vec::<ContextItem>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
    }
}

/// One piece of code or text, with the reason why it is here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextItem {
    /// `symbol`; `chunk` where no symbol stands for it; `commit` and `rule` for what is no code.
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol_id: Option<String>,
    pub chunk_uid: String,
    pub file_rel_path: String,
    /// UTF-16 code units in the original file, half open.
    pub range: Range,
    pub lines: Range,
    pub language_id: String,
    /// What the symbol is: `function`, `class`, `section`.
    pub symbol_kind: String,
    /// Name with its scopes: `Type.method`.
    pub name: String,
    pub title: String,
    pub excerpt: Excerpt,
    /// Hash of the file as it was indexed.
    pub content_hash: String,
    /// The file on disk has changed since.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
    /// This text was sent before in the same session.
    #[serde(default, skip_serializing_if = "is_false")]
    pub known: bool,
    pub scores: Scores,
    pub why: Why,
}

/// A half-open range, except for lines, where the end is the last line.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Range {
    pub start: u32,
    pub end: u32,
}

/// Text of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    pub text: String,
    /// `body`, `outline` (a type with the signatures of its members), `signature`, or `held` when the
    /// caller has it already.
    pub detail: String,
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// A secret was replaced in it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redacted: bool,
    /// The lines of the file that the text consists of, where their numbers are known: the last line of
    /// each run is its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Range>,
}

/// Why a text was cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    pub max_bytes: u64,
    pub reason: String,
}

/// Scores from 0 to 1; the distance is in hops.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Scores {
    pub seed_score: f64,
    pub graph_distance: u32,
    pub evidence_score: f64,
    pub hybrid_score: f64,
}

/// Why an item is in the pack.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Why {
    pub rule: String,
    /// Signals that ranked it, the strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// One term of a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Signal {
    pub name: String,
    pub value: f64,
    pub weight: f64,
}

/// One edge of the path that led to an item, named by qualified names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// `call`, `usage`, `import`, `export` or `dataflow`; other edges have their own kind here.
    pub edge_type: String,
    /// The kind of the edge: `calls`, `type_hint_of`.
    #[serde(default)]
    pub kind: String,
    pub from: String,
    pub to: String,
    pub evidence_id: String,
}

/// What supports an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    pub kind: String,
    /// `path:line` of the mention, or the kind of the edge where it has no place.
    pub evidence_id: String,
    pub confidence: f64,
    /// How the edge came to be known.
    #[serde(default)]
    pub provenance: String,
    /// `known` from a confidence of 0.9 on, else `guessed`.
    pub certainty: String,
}

/// An edge between two items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackEdge {
    pub from: String,
    pub to: String,
    pub kind: String,
    pub confidence: f64,
    pub line: u32,
}

/// How the pack came about.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explain {
    pub ranking: String,
    pub weights: String,
    /// Words, identifiers and paths that were looked for.
    pub looked_for: Vec<String>,
    /// Identifiers and paths of the request that nothing in the index has.
    pub not_found: Vec<String>,
    /// Guesses that stand nowhere, each with near names that exist.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names_not_found: BTreeMap<String, Vec<String>>,
    /// How to ask for a better answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    pub evidence_gaps: Vec<String>,
    pub warnings: Vec<String>,
}

/// Counts.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackStats {
    pub items: u32,
    /// Tokens of the rendered pack, with this field at 0 while counting.
    pub tokens: u64,
    pub sections: BTreeMap<String, u32>,
    /// Candidates that were left out, by reason.
    pub dropped: BTreeMap<String, u32>,
    pub candidates: u32,
    pub max_hop: u32,
    /// How long the parts took; not part of the canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timings: Option<Timings>,
}

/// Times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    /// Finding the seeds.
    pub seeds: u64,
    /// Following the graph.
    pub traversal: u64,
    /// Choosing, and counting the rendered bytes.
    pub selection: u64,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Says that there is nothing, or nothing that fits into a budget.
pub fn nothing(is_too_small: bool) -> &'static str {
    if is_too_small { "Nothing fits." } else { "Nothing was found." }
}

impl ContextPack {
    /// True when there are candidates and the budget holds none of them.
    pub fn is_too_small(&self) -> bool {
        self.stats.items == 0 && self.stats.dropped.contains_key("budget")
    }

    /// Says that there is nothing, or nothing that fits.
    pub fn nothing(&self) -> &'static str {
        nothing(self.is_too_small())
    }

    /// Returns the items of all sections, in order.
    pub fn items(&self) -> impl Iterator<Item = &ContextItem> {
        self.sections.iter().flat_map(|section| section.items.iter().map(|item| &**item))
    }

    /// Returns the canonical JSON: what is the same in every run.
    pub fn canonical(&self) -> String {
        let mut pack = ContextPack { created_at: None, ..self.clone() };
        pack.stats.timings = None;
        crate::canonical::to_string(&pack)
    }
}
