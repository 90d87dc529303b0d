//! What an operation refuses although its type allows it, for the description of the routes.

use crate::inputs;
use contextd_lang::LanguageId;
use contextd_model::{ChunkKind, SymbolKind};
use contextd_render::Format;
use serde_json::{Value, json};

/// Something beside white space.
const NOT_BLANK: &str =
    "[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";

/// Says what an operation refuses although its type allows it.
pub fn narrowed(mut schema: Value, name: &str) -> Value {
    for field in inputs::required(name) {
        let property = &mut schema["properties"][*field];
        match *field {
            "confirm" => *property = json!({"const": true, "description": property["description"]}),
            "paths" | "entities" => property["minItems"] = json!(1),
            "ref_ids" => property["contains"] = words(),
            "file_path" => *property = file_path(),
            _ => {
                property["minLength"] = json!(1);
                property["pattern"] = json!(NOT_BLANK);
            }
        }
    }
    if schema["properties"].get("content").is_some() {
        schema["properties"]["content"] = content();
    }
    if name == "context_pack_create" {
        let names: Vec<&str> = Format::ALL
            .iter()
            .filter(|format| format.writes_packs())
            .map(|format| format.name())
            .collect();
        schema["properties"]["format"]["enum"] =
            json!(names.into_iter().chain([""]).collect::<Vec<_>>());
    }
    if let Some(ways) = ways(name) {
        schema["anyOf"] = ways;
    }
    schema
}

/// Returns the ways of asking for what an operation does, where a list of needed fields cannot say it.
fn ways(name: &str) -> Option<Value> {
    let said =
        |field: &str, value: Value| json!({"required": [field], "properties": {field: value}});
    let some = || json!({"type": "array", "minItems": 1});
    let text = || json!({"type": "string"});
    let number = || json!({"type": "integer"});
    let of = |action: &str, mut way: Value| {
        way["properties"]["action"] = json!({"const": action});
        way["required"].as_array_mut()?.push(json!("action"));
        Some(way)
    };
    Some(match name {
        "sync_update" => json!([said("refs", some()), said("all", json!({"const": true}))]),
        "report_usage" => json!([
            said("used", json!({"type": "array"})),
            said("tokensInput", number()),
            said("tokensOutput", number())
        ]),
        "context_pack_create" => {
            let focus = |field: &str| said("focus", said(field, text()));
            json!([
                said("query", words()),
                said("files", some()),
                focus("symbolId"),
                focus("chunkUid"),
                focus("fileRelPath")
            ])
        }
        "feedback" => {
            // Judging is what is done when nothing is said.
            let judged = |field: &str| json!({"required": [field], "properties": {field: some(), "action": {"const": "judge"}}});
            json!([
                judged("useful"),
                judged("notUseful"),
                said("action", json!({"enum": ["list", "export", "import"]})),
                of("explain", said("symbol", text())),
                of("forget", said("symbol", text())),
                of("forget", said("before", number())),
                of("forget", said("all", json!({"const": true}))),
            ])
        }
        _ => return None,
    })
}

/// Returns the schema of texts that say something.
pub fn words() -> Value {
    json!({"type": "string", "minLength": 1, "pattern": NOT_BLANK})
}

/// Returns the schema of a value that may stand alone or in a list.
pub fn one_or_many(one: Value) -> Value {
    json!({"anyOf": [one, {"type": "array", "items": one}, {"type": "null"}]})
}

/// Returns the schema of a file's path.
pub fn file_path() -> Value {
    json!({"type": "string", "minLength": 1})
}

/// Returns the schema of text that is no binary.
pub fn content() -> Value {
    json!({"type": ["string", "null"], "pattern": "^[^\\u0000]*$"})
}

/// Returns the words that a list in an input may hold, when they are known.
pub fn closed(field: &str) -> Option<Vec<&'static str>> {
    match field {
        "languages" => Some(LanguageId::all().map(LanguageId::name).collect()),
        "kinds" => Some(
            SymbolKind::ALL
                .iter()
                .map(|kind| kind.name())
                .chain(ChunkKind::ALL.iter().map(|kind| kind.name()))
                .collect(),
        ),
        _ => None,
    }
}
