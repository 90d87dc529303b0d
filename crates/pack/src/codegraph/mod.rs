//! CodeGraphContext: entities around a change with their interfaces, without their code, under a token limit.

mod cycles;
mod entity;
mod formulas;
mod keys;
mod trim;
mod walk;

use crate::canonical;
use crate::tokens::Tokenizer;
use contextd_snapshot::Snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

pub use keys::Keys;

/// Most tokens that a context may have.
pub const SIZE_LIMIT: u64 = 100_000;
/// Most hops; the default is 2.
pub const MAX_HOPS: u32 = 3;

/// What a context is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueryContext {
    /// Keys of the entities that change; other spellings are accepted.
    pub base_entities: Vec<String>,
    /// 0 for the entities alone, up to 3.
    pub hop_depth: u32,
    pub change_type: ChangeType,
    pub focus_areas: Vec<FocusArea>,
    /// Tokens, at most 100,000.
    pub size_limit: u64,
    pub optimization_strategy: String,
}

impl Default for QueryContext {
    fn default() -> Self {
        Self {
            base_entities: Vec::new(),
            hop_depth: 2,
            change_type: ChangeType::Edit,
            focus_areas: vec![FocusArea::TestInterfaces, FocusArea::NonTestInterfaces],
            size_limit: SIZE_LIMIT,
            optimization_strategy: "blast_radius".to_owned(),
        }
    }
}

/// What is done to the entities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeType {
    #[default]
    Edit,
    Create,
    Delete,
    Refactor,
}

/// Which entities around them are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FocusArea {
    TestInterfaces,
    NonTestInterfaces,
}

/// The context of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeGraph {
    pub version: String,
    pub generated_at: String,
    /// Tokens of the canonical text with this field at 0.
    pub token_count: u64,
    /// `small`, `optimal` or `near_limit`.
    pub size_status: String,
    pub query_context: QueryContext,
    pub entities: Vec<Entity>,
    pub relationships: Vec<Relationship>,
    pub optimization_info: OptimizationInfo,
}

/// One entity by its interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    pub isgl1_key: String,
    pub interface_signature: InterfaceSignature,
    pub tdd_classification: TddClassification,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lsp_metadata: Option<LspMetadata>,
    pub relevance_score: f64,
    pub dependency_level: u32,
}

/// What others see of an entity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterfaceSignature {
    pub entity_type: String,
    pub name: String,
    pub visibility: String,
    pub file_path: String,
    pub line_range: LineRange,
    pub signature: Signature,
    pub module_path: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub documentation: String,
}

/// First and last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LineRange {
    pub start: u32,
    pub end: u32,
}

/// The parts of a declaration, by what is declared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Signature {
    Callable {
        parameters: Vec<Parameter>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        return_type: String,
        #[serde(rename = "async")]
        is_async: bool,
        #[serde(rename = "unsafe")]
        is_unsafe: bool,
        #[serde(rename = "const")]
        is_const: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        generics: Vec<String>,
    },
    Type {
        fields: Vec<Field>,
        generics: Vec<String>,
        traits: Vec<String>,
    },
    Value {
        #[serde(rename = "type")]
        type_text: String,
    },
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "type")]
    pub type_text: String,
    /// `owned`, `borrowed`, `borrowed_mut`, `pointer` or `variadic`, by how it is written.
    pub pattern: String,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    pub name: String,
    #[serde(rename = "type")]
    pub type_text: String,
    pub visibility: String,
}

/// How an entity can be tested and what a change of it risks; formulas in `docs/codegraph.md`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TddClassification {
    pub testability: String,
    pub complexity: String,
    pub dependencies: u32,
    pub test_coverage_estimate: f64,
    pub critical_path: bool,
    pub change_risk: String,
}

/// What the index knows of types and uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LspMetadata {
    pub type_information: TypeInformation,
    pub usage_analysis: UsageAnalysis,
    pub semantic_tokens: SemanticTokens,
}

/// Types that names resolve to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TypeInformation {
    /// Only those that the index or an import resolves.
    pub resolved_types: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trait_impls: Option<TraitImpls>,
}

/// Interfaces of a type: derived or mixed in, and written out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraitImpls {
    pub inferred: Vec<String>,
    pub explicit: Vec<String>,
}

/// Who uses an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsageAnalysis {
    pub references: u32,
    pub call_sites: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
}

/// How an editor would colour the name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SemanticTokens {
    #[serde(rename = "type")]
    pub token_type: String,
    pub modifier: Vec<String>,
}

/// One entity leans on another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Relationship {
    pub dependent: String,
    pub dependency: String,
    pub relationship_type: String,
    pub strength: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<RelationshipContext>,
}

/// Where a relationship is seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RelationshipContext {
    /// `path:line` or `path:first-last`.
    pub implementation_location: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trait_methods: Vec<String>,
}

/// What was left out, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OptimizationInfo {
    /// Keys, the most relevant first; at most 50 are named.
    pub excluded_entities: Vec<String>,
    pub excluded_count: u32,
    pub truncation_applied: bool,
    /// Steps that were needed, in their order.
    pub truncation_steps: Vec<String>,
    pub prioritization_strategy: String,
    /// Entities that lean on themselves in a circle.
    pub cycles: Vec<Vec<String>>,
    /// Fields that are estimates.
    pub estimated: Vec<String>,
}

/// Why there is no context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodeGraphError {
    /// `entity_not_found` or `context_size_exceeded`.
    pub error: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_entities: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempted_size: Option<u64>,
    pub suggestion: String,
}

impl CodeGraph {
    /// Returns the canonical text.
    pub fn text(&self) -> String {
        canonical::to_string(self)
    }

    /// Returns the tokens of the text with the count at 0.
    pub fn count(&self, tokenizer: Tokenizer) -> u64 {
        tokenizer.count(&CodeGraph { token_count: 0, ..self.clone() }.text()) as u64
    }

    pub fn to_json(&self) -> Value {
        // Strings, numbers and maps with string keys all have a form in JSON.
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

/// Builds the context of a change.
pub fn code_graph(
    snapshot: &Snapshot,
    query: &QueryContext,
    generated_at: &str,
    tokenizer: Tokenizer,
) -> Result<CodeGraph, CodeGraphError> {
    let keys = Keys::new(snapshot);
    let (mut bases, mut missing) = (Vec::new(), Vec::new());
    for text in &query.base_entities {
        match keys.find(text) {
            Some(symbol) if !bases.contains(&symbol) => bases.push(symbol),
            Some(_) => {}
            None => missing.push(text.clone()),
        }
    }
    if !missing.is_empty() || bases.is_empty() {
        return Err(not_found(snapshot, missing));
    }
    let query = QueryContext {
        base_entities: bases.iter().map(|&symbol| keys.key(symbol)).collect(),
        hop_depth: query.hop_depth.min(MAX_HOPS),
        size_limit: if query.size_limit == 0 {
            SIZE_LIMIT
        } else {
            query.size_limit.min(SIZE_LIMIT)
        },
        ..query.clone()
    };
    let reached = walk::walk(snapshot, &bases, &query);
    let entities = entity::entities(snapshot, &keys, &reached);
    let relationships = walk::relationships(snapshot, &keys, &reached);
    let whole = CodeGraph {
        version: "1.0".to_owned(),
        generated_at: generated_at.to_owned(),
        token_count: 0,
        size_status: String::new(),
        optimization_info: OptimizationInfo {
            prioritization_strategy: query.optimization_strategy.clone(),
            cycles: cycles::cycles(&relationships),
            estimated: vec![
                "test_coverage_estimate".to_owned(),
                "testability".to_owned(),
                "change_risk".to_owned(),
                "critical_path".to_owned(),
            ],
            ..OptimizationInfo::default()
        },
        query_context: query,
        entities,
        relationships,
    };
    trim::trim(whole, tokenizer)
}

fn not_found(snapshot: &Snapshot, missing: Vec<String>) -> CodeGraphError {
    let near: Vec<String> = missing
        .iter()
        .flat_map(|text| {
            crate::resolve::suggestions(snapshot, text.rsplit('-').next().unwrap_or(text))
        })
        .take(5)
        .collect();
    let suggestion = if near.is_empty() {
        "Check ISGL1 key format and entity existence".to_owned()
    } else {
        format!("Check ISGL1 key format and entity existence; did you mean {}?", near.join(", "))
    };
    CodeGraphError {
        error: "entity_not_found".to_owned(),
        message: if missing.is_empty() {
            "No base entity was named"
        } else {
            "Base entity not found in codebase"
        }
        .to_owned(),
        missing_entities: missing,
        attempted_size: None,
        suggestion,
    }
}
