//! What each operation answers with, as JSON schemas.

use crate::schema::schema_named;
use serde_json::{Value, json};

/// Operations with the names of what they answer with; the first is the usual answer.
const ANSWERS: &[(&str, &[&str])] = &[
    ("context_for_task", &["ContextPack"]),
    ("query_context", &["Hits"]),
    ("ask", &["ContextPack", "Hits"]),
    ("context_for_files", &["ContextPack"]),
    ("context_for_pr", &["ContextPack"]),
    ("recent_changes", &["ContextPack"]),
    ("show", &["Excerpts"]),
    ("grep", &["Excerpts"]),
    ("symbol", &["Symbol"]),
    ("explain_symbol", &["Why", "RefTree"]),
    ("get_context_stats", &["ContextStats"]),
    ("impact", &["Impact"]),
    ("test_scope", &["TestScope", "Paths"]),
    ("status", &["Status"]),
    ("refresh_context", &["Refreshed"]),
    ("rebuild_context", &["Rebuilt"]),
    ("get_rebuild_status", &["Jobs"]),
    ("check_file", &["CheckedFiles"]),
    ("list_indexable", &["Paths"]),
    ("project_stats", &["ProjectStats"]),
    ("validate_config", &["ConfigCheck"]),
    ("doctor", &["Health"]),
    ("context_pack_create", &["ContextPack"]),
    ("context_pack_get", &["ContextPack"]),
    ("context_pack_list", &["PackList"]),
    ("context_pack_diff", &["PackDiff"]),
    ("get_context", &["Bundle", "Unchanged"]),
    ("sync_check", &["SyncReport"]),
    ("sync_update", &["SyncReport"]),
    ("lint", &["LintReport"]),
    ("graph", &["Picture"]),
    ("prime", &["Brief"]),
    ("context_pack_write", &["PackWritten"]),
    ("code_graph_context", &["CodeGraph", "CodeGraphError"]),
    ("audit_secrets", &["Redactions"]),
    ("feedback", &["Feedback", "Paths"]),
    ("report_usage", &["UsageReported"]),
    ("savings", &["Savings"]),
    ("task_context", &["TaskContext"]),
    ("add_context", &["Added"]),
    ("delete_context", &["Deleted"]),
];

/// Returns the names of the schemas that an operation's answer follows one of; none for `schema`, whose
/// answer is one.
pub fn answer_names(name: &str) -> &'static [&'static str] {
    ANSWERS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, names)| names)
}

/// Returns the schema of an operation's usual answer, as JSON has it.
pub fn answer_schema(name: &str) -> Value {
    answer_names(name)
        .first()
        .and_then(|name| schema_named(name))
        .unwrap_or_else(|| json!({"type": "object"}))
}

/// Returns the schema of everything that an operation may answer.
pub(crate) fn any_answer(name: &str) -> Option<Value> {
    any_of(answer_names(name).iter().copied())
}

/// Returns the schema of everything that an operation may answer when it finds what was asked for.
pub fn answers_schema(name: &str) -> Value {
    any_of(answer_names(name).iter().copied().filter(|name| !is_refusal(name)))
        .unwrap_or_else(|| json!({"type": "object"}))
}

/// Returns the schema of an operation's own answer to what it does not find; most have none.
pub fn refusal_schema(name: &str) -> Option<Value> {
    any_of(answer_names(name).iter().copied().filter(|name| is_refusal(name)))
}

fn is_refusal(name: &str) -> bool {
    name.ends_with("Error")
}

fn any_of(names: impl Iterator<Item = &'static str>) -> Option<Value> {
    let mut schemas: Vec<Value> = names.filter_map(schema_named).collect();
    match schemas.len() {
        0 => None,
        1 => schemas.pop(),
        _ => {
            // Definitions of alternatives lie at the top, where references look for them.
            let mut definitions = serde_json::Map::new();
            for schema in &mut schemas {
                if let Some(Value::Object(own)) =
                    schema.as_object_mut().and_then(|map| map.remove("$defs"))
                {
                    definitions.extend(own);
                }
            }
            Some(json!({"anyOf": schemas, "$defs": definitions}))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::OPERATIONS;

    #[test]
    fn every_operation_says_what_it_answers() {
        for operation in OPERATIONS.iter().filter(|operation| operation.name != "schema") {
            assert!(!answer_names(operation.name).is_empty(), "{}", operation.name);
        }
        for (operation, names) in ANSWERS {
            assert!(OPERATIONS.iter().any(|known| known.name == *operation), "{operation}");
            names
                .iter()
                .for_each(|name| assert!(schema_named(name).is_some(), "{operation}: {name}"));
        }
    }
}
