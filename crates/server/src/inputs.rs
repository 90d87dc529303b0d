//! Schemas of inputs as clients see them: what must be there, and what a value may be.

use contextd_ops::{OPERATIONS, OpError, Operation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Fields without which an operation has nothing to do.
const REQUIRED: &[(&str, &[&str])] = &[
    ("context_for_task", &["task"]),
    ("query_context", &["query"]),
    ("ask", &["request"]),
    ("code_graph_context", &["entities"]),
    ("get_context", &["ref_ids"]),
    ("context_for_files", &["paths"]),
    ("symbol", &["name"]),
    ("explain_symbol", &["symbol", "task"]),
    ("impact", &["target"]),
    ("rebuild_context", &["confirm"]),
    ("check_file", &["paths"]),
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

/// Refuses lists where objects are described: reading them by position would guess what is meant.
pub fn check(operation: &Operation, input: &Value) -> Result<(), OpError> {
    let Some(fields) = input.as_object() else { return Ok(()) };
    let objects = OBJECTS.get(operation.name);
    match fields.iter().find(|(name, value)| {
        value.is_array() && objects.is_some_and(|objects| objects.contains(name))
    }) {
        Some((name, _)) => Err(OpError::request(
            format!("`{name}` is a list, and should be an object"),
            "Compare it with the operation's schema: `contextd schema NAME`.",
        )),
        None => Ok(()),
    }
}

/// The fields of each operation that hold objects.
static OBJECTS: LazyLock<BTreeMap<&'static str, Vec<String>>> = LazyLock::new(|| {
    OPERATIONS.iter().map(|operation| (operation.name, objects(&(operation.schema)()))).collect()
});

fn objects(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let is_object = |property: &Value| {
        let target = property["$ref"]
            .as_str()
            .and_then(|path| path.strip_prefix("#/$defs/"))
            .map_or(property, |name| &schema["$defs"][name]);
        target["type"] == "object"
    };
    properties.filter(|(_, property)| is_object(property)).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_object() {
        let search = contextd_ops::find("query_context").unwrap();
        assert!(
            check(
                search,
                &json!({"query": "a", "filters": {"minScore": 0.1}, "scope": {"paths": ["a"]}})
            )
            .is_ok()
        );
        assert_eq!(
            check(search, &json!({"query": "a", "filters": [null, null]})).unwrap_err().code,
            "CTX_E_REQUEST"
        );
    }
}
