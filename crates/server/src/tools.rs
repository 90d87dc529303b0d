//! The table of operations as MCP tools, with schemas that cost few tokens.

use contextd_ops::{OPERATIONS, Operation};
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
    OPERATIONS.iter().filter(|operation| set == ToolSet::All || operation.core).map(tool).collect()
}

fn tool(operation: &Operation) -> Tool {
    let schema = match slim(&(operation.schema)()) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let mut schema: JsonObject = schema;
    schema.insert("type".to_owned(), json!("object"));
    schema.remove("description");
    let annotations = ToolAnnotations::new().read_only(operation.read_only).open_world(false);
    let annotations = if operation.read_only { annotations } else { annotations.destructive(operation.destructive) };
    Tool::new(operation.name, operation.about, Arc::new(schema)).with_annotations(annotations)
}

/// Returns a schema without what no caller needs, references put in place.
pub fn slim(schema: &Value) -> Value {
    let definitions = schema.get("$defs").cloned().unwrap_or(Value::Null);
    clean(schema, &definitions, 0)
}

/// Keys that validators know and models do not miss.
const NOISE: &[&str] = &["$schema", "$defs", "title", "format", "default", "minimum", "maximum", "additionalProperties"];
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
    if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|path| definitions.get(path.rsplit('/').next().unwrap_or(path))) {
        return clean(target, definitions, depth + 1);
    }
    for key in ["anyOf", "allOf", "oneOf"] {
        // An optional value is its value; absence needs no schema.
        if let Some(first) = map.get(key).and_then(Value::as_array).and_then(|options| options.iter().find(|option| option["type"] != "null")) {
            return clean(first, definitions, depth + 1);
        }
    }
    let mut out = Map::new();
    for (key, value) in map.iter().filter(|(key, _)| !NOISE.contains(&key.as_str())) {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => Value::Object(properties.iter().map(|(name, property)| (name.clone(), clean(property, definitions, depth + 1))).collect()),
            ("type", Value::Array(types)) => types.iter().find(|kind| *kind != "null").cloned().unwrap_or(Value::Null),
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
    }
}
