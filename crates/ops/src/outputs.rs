//! What each operation answers with, as JSON schemas.

use crate::answer::{Hits, Impact, SymbolAnswer, WhyAnswer};
use crate::schema::of;
use contextd_pack::{ContextPack, PackDiff};
use serde_json::{Map, Value, json};

/// Fields of answers that have no type of their own: name and type, `?` for one that may be null.
type Fields = &'static [(&'static str, &'static str)];

const FACTS: &[(&str, Fields)] = &[
    (
        "get_context_stats",
        &[("enabled", "boolean"), ("mode", "string"), ("providers", "array"), ("storage", "object"), ("performance", "object"), ("languages", "object"), ("rebuild", "object?"), ("recentActivity", "array"), ("indexSignature", "string"), ("symbols", "integer"), ("edges", "integer"), ("stale", "boolean")],
    ),
    ("status", &[("indexSignature", "string"), ("files", "integer"), ("symbols", "integer"), ("edges", "integer"), ("chunks", "integer"), ("languages", "object"), ("lastIndexed", "integer?"), ("sizeBytes", "integer"), ("sourceBytes", "integer"), ("stale", "boolean")]),
    ("refresh_context", &[("status", "string"), ("jobId", "string"), ("filesQueued", "integer"), ("message", "string")]),
    ("rebuild_context", &[("status", "string"), ("jobId", "string"), ("scope", "string"), ("estimatedFiles", "integer"), ("estimatedTime", "integer"), ("message", "string")]),
    ("get_rebuild_status", &[]),
    ("check_file", &[("files", "array")]),
    ("project_stats", &[("root", "string"), ("files", "integer"), ("bytes", "integer"), ("languages", "object"), ("projects", "object"), ("excluded", "object"), ("problems", "array")]),
    ("validate_config", &[("file", "string?"), ("valid", "boolean"), ("problems", "array")]),
    ("doctor", &[("healthy", "boolean"), ("checks", "array")]),
    ("context_pack_list", &[("packs", "array")]),
    ("task_context", &[("taskId", "string"), ("query", "string"), ("snippets", "array"), ("totalTokens", "integer"), ("providers", "object"), ("budget", "object"), ("contextBlock", "string"), ("prompt", "string"), ("warnings", "array")]),
    ("add_context", &[("file_id", "string"), ("chunks", "integer"), ("embeddings", "integer")]),
    ("delete_context", &[("deleted", "boolean")]),
];

/// Returns the schema of an operation's answer, as JSON has it.
pub fn answer_schema(name: &str) -> Value {
    match name {
        "context_for_task" | "context_for_files" | "context_pack_create" | "context_pack_get" => of::<ContextPack>(),
        "query_context" => of::<Hits>(),
        "symbol" => of::<SymbolAnswer>(),
        "explain_symbol" => of::<WhyAnswer>(),
        "impact" => of::<Impact>(),
        "context_pack_diff" => of::<PackDiff>(),
        "list_indexable" => json!({"type": "array", "items": {"type": "string"}}),
        _ => FACTS.iter().find(|(known, _)| *known == name).map_or_else(|| json!({"type": "object"}), |(_, fields)| object(fields)),
    }
}

fn object(fields: Fields) -> Value {
    let property = |kind: &str| match kind.strip_suffix('?') {
        Some(kind) => json!({"type": [kind, "null"]}),
        None => json!({"type": kind}),
    };
    let properties: Map<String, Value> = fields.iter().map(|(name, kind)| ((*name).to_owned(), property(kind))).collect();
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}
