//! Operations as routes: a JSON object in, the answer's JSON out, refusals with status and code.

use super::Service;
use crate::call::{CallProgress, Called, call};
use crate::inputs;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contextd_ops::{OPERATIONS, OpError, Operation, find};
use contextd_pack::canonical;
use contextd_render::Format;
use serde_json::{Value, json};
use std::sync::Arc;

/// Says on an answer that it was made from a part of the files.
const PARTIAL: &str = "x-contextd-partial";

/// Lists the operations.
pub async fn operations() -> Response {
    let list: Vec<Value> = OPERATIONS.iter().map(|operation| json!({"name": operation.name, "about": operation.about, "readOnly": operation.read_only})).collect();
    json_response(StatusCode::OK, json!({ "operations": list }).to_string())
}

/// Answers an operation without input.
pub async fn without_input(service: Service, operation: &'static Operation) -> Response {
    respond(&service, operation, json!({})).await
}

/// Answers an operation with a JSON object as its input.
pub async fn with_input(service: Service, operation: &'static Operation, body: Bytes) -> Response {
    match read(&body) {
        Ok(input) => respond(&service, operation, input).await,
        Err(error) => refused(&error),
    }
}

/// Answers as the statistics of the service.
pub async fn stats(State(service): State<Service>) -> Response {
    named(&service, "get_context_stats", json!({})).await
}

/// Takes a file, or a text for it, into the index.
pub async fn add_context(State(service): State<Service>, body: Bytes) -> Response {
    match read(&body) {
        Ok(input) => named(&service, "add_context", input).await,
        Err(error) => refused(&error),
    }
}

/// Takes a file out of the index.
pub async fn delete_context(State(service): State<Service>, body: Bytes) -> Response {
    match read(&body) {
        Ok(input) => named(&service, "delete_context", input).await,
        Err(error) => refused(&error),
    }
}

/// Answers a question with hits, in the service's own words and those of the tool.
pub async fn query_context(State(service): State<Service>, body: Bytes) -> Response {
    let input = match read(&body).and_then(search_input) {
        Ok(input) => input,
        Err(error) => return refused(&error),
    };
    // The table has it, whatever else is served.
    let Some(operation) = find("query_context") else { return not_found("query_context") };
    match run(&service, operation, input).await {
        Ok(called) => {
            let text = contextd_render::answer(&called.answer, Format::Hits);
            let mut value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
            value["q_embed_model"] = Value::Null;
            marked(json_response(StatusCode::OK, canonical::to_string(&value)), called.partial)
        }
        Err(error) => refused(&error),
    }
}

/// Translates `q`, `filters.lang`, `filters.kind`, `filters.path_glob` and `mmr_lambda`.
fn search_input(mut input: Value) -> Result<Value, OpError> {
    if let Some(query) = input.get_mut("q").map(Value::take) {
        input["query"] = query;
    }
    let wrong = |field: &str, shape: &str| {
        Err(OpError::request(
            format!("`{field}` is no {shape}"),
            "GET /openapi.json tells what it may be.",
        ))
    };
    if input.get("filters").is_some_and(|filters| !filters.is_object() && !filters.is_null()) {
        return wrong("filters", "object");
    }
    if input.get("model").is_some_and(|model| !model.is_string() && !model.is_null()) {
        return wrong("model", "text");
    }
    for (theirs, ours) in [("lang", "languages"), ("kind", "kinds"), ("path_glob", "paths")] {
        let given = input
            .get_mut("filters")
            .and_then(|filters| filters.as_object_mut())
            .and_then(|filters| filters.remove(theirs));
        let values = match given {
            None | Some(Value::Null) => continue,
            Some(Value::String(one)) => json!([one]),
            Some(Value::Array(many)) => Value::Array(many),
            Some(_) => return wrong(&format!("filters.{theirs}"), "text or list of texts"),
        };
        if !input["scope"].is_object() {
            input["scope"] = json!({});
        }
        input["scope"][ours] = values;
    }
    input["format"] = json!("json");
    Ok(input)
}

/// Reads a body as a JSON object; none is an empty one.
pub fn read(body: &[u8]) -> Result<Value, OpError> {
    if body.is_empty() {
        return Ok(json!({}));
    }
    let mut value: Value = serde_json::from_slice(body).map_err(|error| {
        OpError::request(format!("the body is no JSON: {error}"), "Send a JSON object.")
    })?;
    whole_numbers(&mut value);
    if value.is_object() {
        Ok(value)
    } else {
        Err(OpError::request("the body is no JSON object", "Send a JSON object."))
    }
}

/// Writes 3.0 as 3: in JSON both are the same whole number.
pub fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            // Both limits are exact as floating-point numbers, and what lies beyond them was rounded to them.
            let is_exact = |float: &f64| *float > -(2f64.powi(63)) && *float < 2f64.powi(64);
            let whole = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0 && is_exact(float));
            if let Some(float) = whole {
                *value = if float < 0.0 { json!(float as i64) } else { json!(float as u64) };
            }
        }
        Value::Array(values) => values.iter_mut().for_each(whole_numbers),
        Value::Object(map) => map.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

/// Runs an operation when it is its turn; one that only reads has a time limit.
pub async fn run(
    service: &Service,
    operation: &'static Operation,
    input: Value,
) -> Result<Called, OpError> {
    inputs::check(operation, &input)?;
    let progress = Arc::new(CallProgress::default());
    // Who gives up waiting ends the work, too.
    let _ended = Ended(progress.clone());
    let (served, shared) = (service.served.clone(), progress.clone());
    let turns = service.turns.clone();
    let work = async move {
        let turn = turns.acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            call(&served, operation, input, &shared, None)
        });
        done.await.unwrap_or_else(|error| {
            Err(OpError {
                code: "CTX_E_INTERNAL",
                message: format!("the operation broke off: {error}"),
                remedy: "Report it, with the request.".to_owned(),
            })
        })
    };
    if !operation.read_only {
        return work.await;
    }
    tokio::time::timeout(service.limits.answer_time, work).await.unwrap_or_else(|_| {
        Err(OpError {
            code: "CTX_E_TIMEOUT",
            message: "the answer took too long".to_owned(),
            remedy: "Ask for less, or again when the index is built.".to_owned(),
        })
    })
}

struct Ended(Arc<CallProgress>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn named(service: &Service, name: &'static str, input: Value) -> Response {
    match find(name) {
        Some(operation) => respond(service, operation, input).await,
        None => not_found(name),
    }
}

async fn respond(service: &Service, operation: &'static Operation, input: Value) -> Response {
    match run(service, operation, input).await {
        Ok(called) => {
            let body = called.answer.to_json();
            // Some operations say in a form of their own that they found nothing.
            let missing = !called.answer.found() && body.get("error").is_some_and(Value::is_string);
            let status = if missing { StatusCode::NOT_FOUND } else { StatusCode::OK };
            marked(json_response(status, canonical::to_string(&body)), called.partial)
        }
        Err(error) => refused(&error),
    }
}

fn marked(mut response: Response, partial: bool) -> Response {
    if partial {
        response.headers_mut().insert(PARTIAL, HeaderValue::from_static("true"));
    }
    response
}

/// Returns the status that goes with a code.
pub fn status_of(code: &str) -> StatusCode {
    match code {
        "CTX_E_NOT_FOUND" | "CTX_E_JOB_UNKNOWN" | "CTX_E_REVISION" | "CTX_E_HISTORY_REVISION" => {
            StatusCode::NOT_FOUND
        }
        // What is asked is well formed, and not to be had as things are.
        "CTX_E_BUSY"
        | "CTX_E_JOB_RUNNING"
        | "CTX_E_INDEX_CHANGED"
        | "CTX_E_LIMIT"
        | "CTX_E_CANCELLED"
        | "POC_E_BUDGET_EXCEEDED"
        | "POC_E_NOT_SUPPORTED" => StatusCode::CONFLICT,
        "CTX_E_OUTSIDE_ROOT" | "CTX_E_EXCLUDED" => StatusCode::FORBIDDEN,
        "CTX_E_TIMEOUT" => StatusCode::GATEWAY_TIMEOUT,
        "POC_E_INDEX_MISSING" => StatusCode::SERVICE_UNAVAILABLE,
        "CTX_E_REQUEST" | "CTX_E_CONFIRM" | "POC_E_CONTRACT_VERSION" => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Writes a refusal.
pub fn refused(error: &OpError) -> Response {
    error_response(status_of(error.code), error.code, &error.message, &error.remedy)
}

/// Writes that there is no such thing.
pub fn not_found(what: &str) -> Response {
    error_response(
        StatusCode::NOT_FOUND,
        "CTX_E_NOT_FOUND",
        &format!("there is no `{what}` here"),
        "GET /openapi.json tells what there is.",
    )
}

/// Writes an error as JSON.
pub fn error_response(status: StatusCode, code: &str, message: &str, remedy: &str) -> Response {
    json_response(
        status,
        json!({"error": {"code": code, "message": message, "remedy": remedy}}).to_string(),
    )
}

/// Writes JSON.
pub fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
