//! What operations answer.

use contextd_pack::{ContextPack, PackDiff};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The closed set of answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Pack(Box<ContextPack>),
    Hits(Hits),
    Symbol(SymbolAnswer),
    Why(WhyAnswer),
    Impact(Impact),
    Diff(PackDiff),
    /// About declared knowledge.
    Oracle(Box<crate::oracle::Oracle>),
    Tests(TestScope),
    /// Lines under the definitions that hold them.
    Excerpts(crate::excerpts::Excerpts),
    /// One value a line.
    Lines(Vec<String>),
    /// Named values for which a generic form is enough; false when the check behind it failed.
    Facts(Value, bool),
}

impl Answer {
    /// Returns the answer as JSON.
    pub fn to_json(&self) -> Value {
        let written = match self {
            Answer::Pack(pack) => serde_json::to_value(pack),
            Answer::Hits(hits) => serde_json::to_value(hits),
            Answer::Symbol(symbol) => serde_json::to_value(symbol),
            Answer::Why(why) => serde_json::to_value(why),
            Answer::Impact(impact) => serde_json::to_value(impact),
            Answer::Diff(diff) => serde_json::to_value(diff),
            Answer::Oracle(oracle) => Ok(oracle.to_json()),
            Answer::Tests(tests) => serde_json::to_value(tests),
            Answer::Excerpts(excerpts) => serde_json::to_value(excerpts),
            Answer::Lines(lines) => serde_json::to_value(lines),
            Answer::Facts(value, _) => Ok(value.clone()),
        };
        // The types hold strings, numbers and maps with string keys, which all have a form in JSON.
        written.unwrap_or(Value::Null)
    }

    /// Returns how many candidates there are when the budget holds none of them.
    pub fn too_small_for(&self) -> Option<u32> {
        match self {
            Answer::Pack(pack) if pack.is_too_small() => Some(pack.stats.candidates),
            Answer::Hits(hits) if hits.is_too_small => Some(hits.total),
            _ => None,
        }
    }

    /// True when something was found, or the check passed.
    pub fn found(&self) -> bool {
        match self {
            Answer::Pack(pack) => pack.stats.items > 0,
            Answer::Hits(hits) => !hits.hits.is_empty(),
            Answer::Symbol(symbol) => !symbol.symbols.is_empty(),
            Answer::Why(why) => why.rank.is_some(),
            Answer::Impact(impact) => !impact.items.is_empty(),
            Answer::Lines(lines) => !lines.is_empty(),
            Answer::Tests(scope) => !scope.tests.is_empty(),
            Answer::Excerpts(excerpts) => !excerpts.places.is_empty(),
            Answer::Diff(_) => true,
            Answer::Oracle(oracle) => oracle.found(),
            Answer::Facts(_, passed) => *passed,
        }
    }
}

/// Ranked places for a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hits {
    pub query: String,
    /// Places found before `k` and the budget were applied.
    pub total: u32,
    pub hits: Vec<Hit>,
    /// Tokens of the snippets.
    pub total_tokens: u64,
    /// Identifiers of the query that nothing in the index has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<String>,
    /// Says that plain text search is enough, with the places, when an exact name or literal answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
    pub index_signature: String,
    /// Names the answer in `feedback` and `report_usage`.
    #[serde(default)]
    pub pack_id: String,
    #[serde(default)]
    pub learned_state: String,
    /// True when there are places and the budget holds none of them.
    #[serde(skip)]
    #[schemars(skip)]
    pub is_too_small: bool,
}

impl Hits {
    /// Says that there is nothing, or nothing that fits.
    pub fn nothing(&self) -> &'static str {
        contextd_pack::pack::nothing(self.is_too_small)
    }
}

/// One place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    pub symbol_id: Option<String>,
    pub symbol: String,
    pub kind: String,
    pub file: String,
    pub start_line: u32,
    pub end_line: u32,
    pub score: f64,
    /// What added up, the strongest first: `blocks 0.91 × 2.5`.
    pub why: Vec<String>,
    pub chunk_id: String,
    pub chunk_kind: String,
    pub language: String,
    /// UTF-16 code units, half open.
    pub offsets: contextd_pack::pack::Range,
    pub snippet: String,
    #[serde(default)]
    pub stale: bool,
}

/// A symbol with what is around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolAnswer {
    pub symbols: Vec<SymbolInfo>,
    /// Further symbols of that name: `qualified (path:line)`.
    pub others: Vec<String>,
    /// True when a budget cut lists short.
    #[serde(default)]
    pub cut: bool,
}

/// One symbol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolInfo {
    pub symbol_id: String,
    pub symbol: String,
    pub kind: String,
    pub file: String,
    pub start_line: u32,
    pub end_line: u32,
    pub language: String,
    pub visibility: String,
    pub signature: String,
    pub doc: String,
    pub source: String,
    pub truncated: bool,
    pub stale: bool,
    pub callers: Vec<Relation>,
    pub callees: Vec<Relation>,
    pub usages: Vec<Relation>,
    pub tests: Vec<Relation>,
    pub docs: Vec<Relation>,
    pub related: Vec<Relation>,
    pub members: Vec<String>,
}

/// The other end of an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    pub symbol: String,
    pub kind: String,
    pub edge: String,
    pub file: String,
    pub line: u32,
    /// Where the edge is seen: `path:line`.
    pub seen_at: String,
    pub confidence: f64,
    /// `known` or `guessed`.
    pub certainty: String,
}

/// The score of one symbol for a task, term by term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyAnswer {
    pub symbol_id: String,
    pub symbol: String,
    pub file: String,
    pub line: u32,
    pub task: String,
    pub profile: String,
    /// Place among the candidates, from 1; absent when it was no candidate.
    pub rank: Option<u32>,
    pub of: u32,
    /// Sum of the terms and the adjustment.
    pub score: f64,
    /// The score from 0 to 1 that answers show.
    #[serde(default)]
    pub shown_score: f64,
    pub best_score: f64,
    pub terms: Vec<WhyTerm>,
    /// Its place in what each channel found; channels that did not find it are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<WhyChannel>,
    /// What is missing to the tenth place; absent when it is among the first ten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<f64>,
    /// Signals each of which alone could bring it there, least effort first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raise: Vec<WhyRaise>,
    /// The edges that lead to it from what matched, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// What is added or taken away after the terms, such as for tests.
    pub adjustment: f64,
    pub looked_for: Vec<String>,
    pub note: String,
}

/// One term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyTerm {
    pub signal: String,
    /// Place among the candidates by this signal alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    pub value: f64,
    pub weight: f64,
    pub contribution: f64,
}

/// A place in the list of a channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyChannel {
    pub channel: String,
    pub rank: u32,
    /// Symbols in the list.
    pub of: u32,
}

/// A signal that would have to be stronger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyRaise {
    pub signal: String,
    pub from: f64,
    pub to: f64,
}

/// What a change of something may break.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Impact {
    pub target: String,
    /// By distance, the surest first.
    pub items: Vec<ImpactItem>,
    /// How many items are known, and how many are guessed.
    pub known: u32,
    pub guessed: u32,
    pub files: Vec<String>,
    /// Files of tests.
    pub tests: Vec<String>,
    /// Tests that run the target, the surest first.
    pub test_cases: Vec<TestHit>,
    /// Documents that name the target or its direct users.
    pub docs: Vec<ImpactItem>,
    /// Public symbols through which the target is seen from outside.
    pub public: Vec<String>,
    /// True when the cap was reached and more lies beyond.
    pub cut: bool,
}

/// One symbol that leans on the target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactItem {
    pub symbol: String,
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub distance: u32,
    pub confidence: f64,
    pub certainty: String,
    /// Edge and what it leads to: `calls parse at src/a.rs:12`.
    pub through: String,
    /// The whole way to the target, when it is longer than one step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    pub test: bool,
}

/// The tests that a change reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestScope {
    /// What was asked about: paths, or the two states that were compared.
    pub of: String,
    /// Changed symbols: `body method App.run (src/app.py:12)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Tests that were reached, before a limit.
    pub found: u32,
    /// Tests of the repository.
    pub total: u32,
    /// The surest and nearest first.
    pub tests: Vec<TestHit>,
    /// True when the cap was reached and more lies beyond.
    pub cut: bool,
}

/// One test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestHit {
    /// Unique name, for pytest the node id.
    pub id: String,
    pub symbol: String,
    pub file: String,
    pub line: u32,
    /// `pytest`, `cargo`, `go`, `jest`, or empty.
    pub runner: String,
    /// File, folder or arguments that the runner is pointed at.
    pub target: String,
    /// Name inside the target.
    pub name: String,
    /// Steps to the change; 0 for a test that changed itself.
    pub distance: u32,
    pub confidence: f64,
    /// `known` or `guessed`.
    pub certainty: String,
    /// The way to the change: `test_a calls f at tests/a.py:3`.
    pub path: Vec<String>,
}
