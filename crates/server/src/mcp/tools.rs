//! The table of operations as MCP tools, with schemas that cost few tokens.

use crate::inputs;
use contextd_ops::{OPERATIONS, Operation, answer_schema};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Which tools are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSet {
    #[default]
    Core,
    All,
}

/// Returns the tools of a set.
pub fn list(set: ToolSet) -> Vec<Tool> {
    OPERATIONS
        .iter()
        .filter(|operation| set == ToolSet::All || operation.core)
        .map(|operation| tool(operation, set))
        .collect()
}

/// Returns an operation as a tool; schemas of answers belong to the whole set.
pub fn tool(operation: &Operation, set: ToolSet) -> Tool {
    let annotations = ToolAnnotations::new().read_only(operation.read_only).open_world(false);
    let annotations = if operation.read_only {
        annotations
    } else {
        annotations.destructive(operation.destructive)
    };
    let tool =
        Tool::new(operation.name, operation.about, Arc::new(object(&inputs::schema(operation))))
            .with_annotations(annotations);
    if set == ToolSet::All {
        tool.with_raw_output_schema(Arc::new(output(operation.name)))
    } else {
        tool
    }
}

fn object(schema: &Value) -> JsonObject {
    let mut object = match slim(schema) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    object.insert("type".to_owned(), json!("object"));
    object.remove("description");
    object
}

/// Returns the schema of the structure beside the text. Nothing in it is required, because an answer
/// may be left out for its size.
fn output(name: &str) -> JsonObject {
    let whole = answer_schema(name);
    let is = |field: &str| whole["properties"].get(field).is_some();
    let mut schema = if is("packId") && is("sections") {
        object(
            &json!({"properties": {"packId": {"type": "string"}, "indexSignature": {"type": "string"}, "tokens": {"type": "integer"}, "items": {"type": "array", "items": place("name")}, "dropped": {"type": "object"}}}),
        )
    } else if is("hits") {
        object(
            &json!({"properties": {"query": {"type": "string"}, "total": {"type": "integer"}, "hits": {"type": "array", "items": place("symbol")}, "totalTokens": {"type": "integer"}, "notFound": {"type": "array", "items": {"type": "string"}}}}),
        )
    } else if whole["type"] == "array" {
        object(&json!({"properties": {"lines": whole}}))
    } else {
        loose(object(&whole))
    };
    schema.remove("required");
    schema
}

fn place(name: &str) -> Value {
    json!({"type": "object", "properties": {"file": {"type": "string"}, "startLine": {"type": "integer"}, "endLine": {"type": "integer"}, name: {"type": "string"}, "kind": {"type": "string"}, "score": {"type": "number"}}})
}

/// Allows null where a value may be absent: `slim` names the type of the value alone.
fn loose(mut schema: JsonObject) -> JsonObject {
    schema.retain(|key, _| key == "type" || key == "properties");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut() {
            let kind = property["type"].clone();
            *property = if kind.is_string() { json!({"type": [kind, "null"]}) } else { json!({}) };
        }
    }
    schema
}

/// Returns a schema without what no caller needs, references put in place.
pub fn slim(schema: &Value) -> Value {
    let definitions = schema.get("$defs").cloned().unwrap_or(Value::Null);
    clean(schema, &definitions, 0)
}

/// Keys that validators know and models do not miss.
const NOISE: &[&str] = &[
    "$schema",
    "$defs",
    "title",
    "format",
    "default",
    "minimum",
    "maximum",
    "additionalProperties",
];
/// References inside references are followed so far.
const DEPTH: usize = 8;

fn clean(value: &Value, definitions: &Value, depth: usize) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    if depth > DEPTH {
        return json!({});
    }
    if let Some(words) = words(map) {
        return json!({"type": "string", "enum": words});
    }
    if let Some(target) = map
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| definitions.get(path.rsplit('/').next().unwrap_or(path)))
    {
        return clean(target, definitions, depth + 1);
    }
    for key in ["anyOf", "allOf", "oneOf"] {
        // An optional value is its value; absence needs no schema.
        if let Some(first) = map
            .get(key)
            .and_then(Value::as_array)
            .and_then(|options| options.iter().find(|option| option["type"] != "null"))
        {
            return clean(first, definitions, depth + 1);
        }
    }
    let mut out = Map::new();
    for (key, value) in map.iter().filter(|(key, _)| !NOISE.contains(&key.as_str())) {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => Value::Object(
                properties
                    .iter()
                    .map(|(name, property)| (name.clone(), clean(property, definitions, depth + 1)))
                    .collect(),
            ),
            ("type", Value::Array(types)) => {
                types.iter().find(|kind| *kind != "null").cloned().unwrap_or(Value::Null)
            }
            (_, value) => clean(value, definitions, depth + 1),
        };
        out.insert(key.clone(), value);
    }
    Value::Object(out)
}

/// Returns the words of a closed set, which schemas write as alternatives of constants.
fn words(map: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(words) = map.get("enum").and_then(Value::as_array) {
        return Some(words.clone());
    }
    let options = map.get("oneOf")?.as_array()?;
    options.iter().map(|option| option.get("const").cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_set_is_small_and_says_when_to_use_what() {
        let text = serde_json::to_string(&list(ToolSet::Core)).unwrap();
        let tokens = contextd_pack::Tokenizer::O200k.count(&text);
        assert!(tokens <= 2_000, "{tokens} tokens: {text}");
        assert!(!text.contains("$ref") && !text.contains("uint32"), "{text}");
        assert!(list(ToolSet::All).len() > 15);
        assert!(list(ToolSet::All).iter().all(|tool| {
            tool.output_schema.as_ref().is_some_and(|schema| schema["type"] == "object")
        }));
    }
}
