//! JSON-RPC 2.0: every operation is a method, its input the named parameters.

use super::Service;
use super::rest::{json_response, run, whole_numbers};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contextd_ops::{OpError, find};
use serde_json::{Value, json};

/// Most requests of a batch.
const BATCH: usize = 50;

/// Answers a request, a notification or a batch of them.
pub async fn rpc(State(service): State<Service>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return sent(Some(failed(&Value::Null, -32700, "the body is no JSON", Value::Null)));
    };
    let Value::Array(batch) = request else { return sent(one(&service, request).await) };
    if batch.is_empty() || batch.len() > BATCH {
        return sent(Some(failed(
            &Value::Null,
            -32600,
            &format!("a batch has 1 to {BATCH} requests"),
            Value::Null,
        )));
    }
    let mut replies = Vec::new();
    for request in batch {
        replies.extend(one(&service, request).await);
    }
    sent((!replies.is_empty()).then_some(Value::Array(replies)))
}

fn sent(reply: Option<Value>) -> Response {
    let Some(reply) = reply else { return StatusCode::NO_CONTENT.into_response() };
    // What is no request, or names no method, is told to those who only look at the status, too.
    let status = match reply["error"]["code"].as_i64() {
        Some(-32700 | -32600 | -32602) => StatusCode::BAD_REQUEST,
        Some(-32601) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    };
    json_response(status, reply.to_string())
}

/// Returns the reply to one request; a notification has none.
async fn one(service: &Service, request: Value) -> Option<Value> {
    let id = request.get("id").cloned();
    let shown = id.clone().filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
    let method = request["method"].as_str().map(str::to_owned);
    let valid = request["jsonrpc"] == "2.0"
        && id.as_ref().is_none_or(|id| id.is_string() || id.is_number() || id.is_null());
    let Some(method) = method.filter(|_| valid) else {
        return Some(failed(&shown, -32600, "this is no request of JSON-RPC 2.0", Value::Null));
    };
    let reply = answer(service, &method, request["params"].clone(), &shown).await;
    id.map(|_| reply)
}

async fn answer(service: &Service, method: &str, params: Value, id: &Value) -> Value {
    let Some(operation) = find(method) else {
        return failed(id, -32601, &format!("there is no method `{method}`"), Value::Null);
    };
    if !params.is_null() && !params.is_object() {
        return failed(id, -32602, "parameters are given by name", Value::Null);
    }
    let mut input = if params.is_null() { json!({}) } else { params };
    whole_numbers(&mut input);
    match run(service, operation, input).await {
        Ok(called) => {
            let mut reply = json!({"jsonrpc": "2.0", "id": id, "result": called.answer.to_json()});
            if called.partial {
                reply["partial"] = json!(true);
            }
            reply
        }
        Err(error) => failed(
            id,
            code_of(&error),
            &error.message,
            json!({"code": error.code, "remedy": error.remedy}),
        ),
    }
}

fn code_of(error: &OpError) -> i32 {
    match error.code {
        "CTX_E_REQUEST" | "CTX_E_CONFIRM" | "CTX_E_OUTSIDE_ROOT" | "CTX_E_EXCLUDED" => -32602,
        "CTX_E_INTERNAL" => -32603,
        _ => -32000,
    }
}

fn failed(id: &Value, code: i32, message: &str, data: Value) -> Value {
    let mut error = json!({"code": code, "message": message});
    if !data.is_null() {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}
