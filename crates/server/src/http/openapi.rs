//! The description of the HTTP routes, made from the table of operations.

use super::narrow::{closed, content, file_path, narrowed, one_or_many, words};
use super::routes::has_get;
use crate::inputs;
use contextd_ops::{OPERATIONS, Operation, answer_schema, answers_schema, refusal_schema};
use serde_json::{Map, Value, json};

/// Returns the description, as OpenAPI 3.1.
pub fn openapi() -> Value {
    let mut schemas = own_schemas();
    let mut paths = service_paths();
    for operation in OPERATIONS {
        paths.insert(format!("/v1/{}", operation.name), path_of(operation, &mut schemas));
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "contextd", "version": env!("CARGO_PKG_VERSION"), "description": "Exactly the code a task needs. Each operation is also a command and an MCP tool; JSON-RPC 2.0 is spoken at /rpc, MCP at /mcp."},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-API-Key"}, "bearer": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"key": []}, {"bearer": []}],
    })
}

fn path_of(operation: &Operation, schemas: &mut Map<String, Value>) -> Value {
    let answer = lifted(answers_schema(operation.name), schemas);
    let input = narrowed(lifted(inputs::schema(operation), schemas), operation.name);
    let mut path = json!({"post": route(operation.name, operation.about, Some(&input), &answer)});
    if let Some(refusal) = refusal_schema(operation.name) {
        let either =
            json!({"anyOf": [lifted(refusal, schemas), {"$ref": "#/components/schemas/Error"}]});
        path["post"]["responses"]["404"] = json!({"description": "What was asked for is not there", "content": {"application/json": {"schema": either}}});
    }
    if has_get(operation) {
        path["get"] = route(&format!("{}_get", operation.name), operation.about, None, &answer);
    }
    path
}

fn service_paths() -> Map<String, Value> {
    let any = json!({"type": "object"});
    let text = |about: &str, id: &str, kind: &str| json!({"get": {"operationId": id, "summary": about, "responses": {"200": {"description": "Answer", "content": {kind: {"schema": {"type": "string"}}}}, "default": error()}}});
    let path = file_path();
    let hint = json!({"type": ["string", "null"]});
    let of = |field: &str| one_or_many(json!({"type": "string", "enum": closed(field)}));
    let hits = json!({"type": "object", "required": ["q_embed_model", "total", "hits"], "properties": {"q_embed_model": {"type": ["string", "null"]}, "total": {"type": "integer"}, "hits": {"type": "array", "items": {"type": "object"}}}});
    let filters = json!({"type": "object", "properties": {"lang": of("languages"), "kind": of("kinds"), "path_glob": one_or_many(json!({"type": "string"}))}});
    let question = json!({"type": "object", "required": ["q"], "properties": {"q": words(), "k": {"type": ["integer", "null"], "minimum": 0, "maximum": u32::MAX}, "model": hint, "filters": filters}});
    let added = json!({"type": "object", "required": ["file_path"], "properties": {"file_path": path, "content": content(), "lang": hint, "mime": hint}});
    let paths = json!({
        "/health": text("Whether the server lives", "health", "text/plain; charset=utf-8"),
        "/metrics": text("Counts for Prometheus", "metrics", "text/plain; version=0.0.4; charset=utf-8"),
        "/openapi.json": {"get": route("openapi", "This description", None, &any)},
        "/stats": {"get": route("stats", "Health of the index and what is indexed", None, &answer_schema("get_context_stats"))},
        "/query_context": {"post": route("service_query_context", "Ranked places for a question", Some(&question), &hits)},
        "/add_context": {"post": route("service_add_context", "Takes a file, or a text for it, into the index", Some(&added), &answer_schema("add_context"))},
        "/delete_context": {"post": route("service_delete_context", "Takes a file out of the index until it is refreshed", Some(&json!({"type": "object", "required": ["file_path"], "properties": {"file_path": file_path()}})), &answer_schema("delete_context"))},
        "/v1": {"get": route("operations", "The operations", None, &any)},
        "/rpc": {"post": rpc()},
    });
    match paths {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn rpc() -> Value {
    let request = json!({"type": "object", "required": ["jsonrpc", "method"], "properties": {"jsonrpc": {"const": "2.0"}, "id": {"type": ["number", "string", "null"]}, "method": {"type": "string"}, "params": {"type": ["object", "null"]}}});
    let input = json!({"anyOf": [request, {"type": "array", "minItems": 1, "maxItems": 50, "description": "A batch; what is no request in it is refused by itself"}]});
    let reply = json!({"$ref": "#/components/schemas/RpcReply"});
    let replies = json!({"anyOf": [reply, {"type": "array", "minItems": 1, "items": reply}]});
    let mut route = route(
        "rpc",
        "JSON-RPC 2.0: a request, a notification or a batch of them; methods are the operations",
        Some(&input),
        &replies,
    );
    let refused = json!({"description": "What was sent is no request, or names no method", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RpcReply"}}}});
    route["responses"]["204"] = json!({"description": "Notifications have no reply"});
    route["responses"]["400"] = refused.clone();
    route["responses"]["404"] = refused;
    route
}

/// The schemas that no operation brings along.
fn own_schemas() -> Map<String, Value> {
    let text = json!({"type": "string"});
    let error = json!({"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "required": ["code", "message", "remedy"], "properties": {"code": text, "message": text, "remedy": text}}}});
    let failed = json!({"type": "object", "required": ["code", "message"], "properties": {"code": {"type": "integer"}, "message": text, "data": {"type": "object", "properties": {"code": text, "remedy": text}}}});
    let reply = json!({"type": "object", "required": ["jsonrpc", "id"], "properties": {"jsonrpc": {"const": "2.0"}, "id": {"type": ["number", "string", "null"]}, "result": {}, "error": failed, "partial": {"type": "boolean"}}, "oneOf": [{"required": ["result"]}, {"required": ["error"]}]});
    [("Error", error), ("RpcReply", reply)]
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

fn route(id: &str, about: &str, input: Option<&Value>, answer: &Value) -> Value {
    let json_of = |schema: &Value| json!({"application/json": {"schema": schema}});
    let mut route = json!({"operationId": id, "summary": about, "responses": {"200": {"description": "Answer; the header x-contextd-partial says that the index is still being built", "content": json_of(answer)}, "default": error()}});
    if let Some(input) = input {
        route["requestBody"] = json!({"required": input.get("required").or(input.get("anyOf")).is_some(), "content": json_of(input)});
    }
    route
}

fn error() -> Value {
    json!({"description": "Refusal with a stable code", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}})
}

/// Moves definitions to the components and says what numbers may be.
fn lifted(schema: Value, schemas: &mut Map<String, Value>) -> Value {
    let mut schema = schema;
    if let Some(Value::Object(definitions)) =
        schema.as_object_mut().and_then(|map| map.remove("$defs"))
    {
        for (name, definition) in definitions {
            let definition = plain(definition);
            schemas.insert(name, definition);
        }
    }
    plain(schema)
}

/// Rewrites references, and formats that only programmers know as ranges.
fn plain(value: Value) -> Value {
    match value {
        Value::Array(values) => Value::Array(values.into_iter().map(plain).collect()),
        Value::Object(map) => {
            let mut out = Map::new();
            for (key, value) in map {
                match (key.as_str(), value) {
                    (
                        "$schema" | "title" | "default",
                        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_),
                    ) => {}
                    ("$ref", Value::String(path)) => drop(
                        out.insert(key, json!(path.replace("#/$defs/", "#/components/schemas/"))),
                    ),
                    ("format", Value::String(format)) => range(&format, &mut out),
                    ("languages" | "kinds", Value::Object(mut list))
                        if list.get("items").is_some_and(|items| items["type"] == "string") =>
                    {
                        list.insert(
                            "items".to_owned(),
                            json!({"type": "string", "enum": closed(&key)}),
                        );
                        out.insert(key, plain(Value::Object(list)));
                    }
                    (_, value) => drop(out.insert(key, plain(value))),
                }
            }
            Value::Object(out)
        }
        other => other,
    }
}

fn range(format: &str, out: &mut Map<String, Value>) {
    let (least, most) = match format {
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint" | "uint64" => (json!(0), json!(u64::MAX)),
        "int64" => (json!(i64::MIN), json!(i64::MAX)),
        _ => return,
    };
    out.entry("minimum").or_insert(least);
    out.entry("maximum").or_insert(most);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_among_the_components_means_one_thing() {
        let mut seen: Map<String, Value> = Map::new();
        let mut clashes: Vec<String> = Vec::new();
        for operation in OPERATIONS {
            for schema in [
                Some(answers_schema(operation.name)),
                refusal_schema(operation.name),
                Some(inputs::schema(operation)),
            ]
            .into_iter()
            .flatten()
            {
                let definitions =
                    schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
                for (name, definition) in definitions {
                    if seen.get(&name).is_some_and(|own| *own != definition) {
                        clashes.push(format!("{name} of {}", operation.name));
                    }
                    seen.insert(name, definition);
                }
            }
        }
        assert!(clashes.is_empty(), "{clashes:?}");
    }

    #[test]
    fn every_answer_of_an_operation_is_described() {
        let description = openapi();
        let answer = |name: &str, status: &str| {
            description["paths"][format!("/v1/{name}")]["post"]["responses"][status]["content"]["application/json"]["schema"].clone()
        };
        assert_eq!(answer("ask", "200")["anyOf"].as_array().map(Vec::len), Some(2));
        assert!(
            answer("feedback", "200")["anyOf"]
                .as_array()
                .is_some_and(|all| all.iter().any(|own| own["type"] == "array"))
        );
        assert!(
            answer("code_graph_context", "200").get("anyOf").is_none()
                && answer("code_graph_context", "404")["anyOf"].is_array()
        );
    }
}
