//! JSON schemas as tables.

use super::row;
use contextd_ops::{schema_named, schema_names};
use serde_json::Value;
use std::fmt::Write as _;

/// Objects inside of objects are followed so far.
const DEPTH: usize = 3;

pub fn page() -> String {
    let mut out = String::from(
        "# Wire types\n\n`contextd schema NAME` prints the whole schema. Optional fields are left out of an answer when they say nothing.\n",
    );
    for (name, schema) in schema_names()
        .filter_map(|name| Some((name, schema_named(name)?)))
        .filter(|(_, schema)| schema["properties"].is_object() || schema["oneOf"].is_array())
    {
        let _ = writeln!(
            out,
            "\n## {name}\n\n| field | type | meaning |\n|---|---|---|\n{}",
            fields(&schema).trim_end()
        );
    }
    out
}

/// Returns the fields of a schema as rows, inner ones with dots.
pub fn fields(schema: &Value) -> String {
    let mut out = String::new();
    write(&mut out, schema, &schema["$defs"], "", 0);
    out
}

fn write(out: &mut String, schema: &Value, definitions: &Value, prefix: &str, depth: usize) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, property) in properties {
        let inner = followed(property, definitions);
        let about = property["description"]
            .as_str()
            .or_else(|| inner["description"].as_str())
            .unwrap_or_default();
        out.push_str(&row(&[
            &format!("`{prefix}{name}`"),
            &kind(property, inner, definitions),
            about,
        ]));
        let (element, mark) = if inner["type"] == "array" {
            (followed(&inner["items"], definitions), "[].")
        } else {
            (inner, ".")
        };
        if depth < DEPTH && element["properties"].is_object() {
            write(out, element, definitions, &format!("{prefix}{name}{mark}"), depth + 1);
        }
    }
}

/// Puts a reference or the value of an optional field in place.
fn followed<'v>(property: &'v Value, definitions: &'v Value) -> &'v Value {
    let options = ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|key| property[key].as_array())
        .and_then(|options| options.iter().find(|option| option["$ref"].is_string()));
    let property = options.unwrap_or(property);
    property["$ref"]
        .as_str()
        .map_or(property, |path| &definitions[path.rsplit('/').next().unwrap_or(path)])
}

fn kind(property: &Value, inner: &Value, definitions: &Value) -> String {
    let constants = |options: &Value| -> Option<Vec<String>> {
        options
            .as_array()?
            .iter()
            .map(|option| Some(format!("`{}`", option["const"].as_str()?)))
            .collect()
    };
    if let Some(words) = inner["enum"]
        .as_array()
        .map(|words| {
            words
                .iter()
                .filter_map(Value::as_str)
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
        })
        .or_else(|| constants(&inner["oneOf"]))
    {
        return words.join(", ");
    }
    let own = |value: &Value| match &value["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or("any")
            .to_owned(),
        _ => "any".to_owned(),
    };
    match own(inner).as_str() {
        "array" => format!("list of {}", own(followed(&inner["items"], definitions))),
        "any" => own(property),
        name => name.to_owned(),
    }
}
