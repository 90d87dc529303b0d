//! Schemas of inputs as clients see them: what must be there, and what a value may be.

use contextd_ops::Operation;
use serde_json::{Value, json};

/// Fields without which an operation has nothing to do.
const REQUIRED: &[(&str, &[&str])] = &[
    ("context_for_task", &["task"]),
    ("query_context", &["query"]),
    ("context_for_files", &["paths"]),
    ("symbol", &["name"]),
    ("explain_symbol", &["symbol", "task"]),
    ("impact", &["target"]),
    ("rebuild_context", &["confirm"]),
    ("check_file", &["paths"]),
    ("context_pack_create", &["query"]),
    ("context_pack_get", &["packId"]),
    ("context_pack_diff", &["from", "to"]),
    ("schema", &["name"]),
    ("task_context", &["title"]),
    ("add_context", &["file_path"]),
    ("delete_context", &["file_path"]),
];

/// Returns the fields that an operation needs.
pub fn required(name: &str) -> &'static [&'static str] {
    REQUIRED.iter().find(|(known, _)| *known == name).map_or(&[], |(_, fields)| fields)
}

/// Returns the schema of an operation's input with what must be there.
pub fn schema(operation: &Operation) -> Value {
    let mut schema = (operation.schema)();
    let required = required(operation.name);
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
