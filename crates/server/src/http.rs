//! The operations over HTTP: REST under `/v1`, JSON-RPC 2.0 at `/rpc`, and seed 003's two routes.

use crate::fresh::Fresh;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use contextd_ops::{Answer, Context, OPERATIONS, OpError, find};
use contextd_pack::canonical;
use contextd_render::Format;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// Longest request body, in bytes.
const BODY: usize = 1 << 20;

/// Serves one root.
#[derive(Clone)]
struct Service {
    context: Arc<Context>,
    fresh: Arc<Fresh>,
    /// Key that every request must carry, when one is set.
    key: Option<Arc<str>>,
    /// True when the address is reached from this machine alone.
    loopback: bool,
}

/// Serves HTTP on `address` until the process is told to end. Without a key only loopback is allowed.
pub fn serve_http(context: Arc<Context>, address: &str, key: Option<String>) -> Result<(), String> {
    let address: SocketAddr = address.parse().map_err(|_| format!("`{address}` is no address: write one such as 127.0.0.1:8765"))?;
    if key.is_none() && !address.ip().is_loopback() {
        return Err(format!("{address} can be reached from other machines: set CONTEXTD_API_KEY, or use 127.0.0.1 [CTX_E_HTTP_OPEN]"));
    }
    let fresh = Arc::new(Fresh::default());
    fresh.begin(&context);
    let service = Service { context, fresh, key: key.map(Into::into), loopback: address.ip().is_loopback() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| format!("the runtime cannot start: {error}"))?;
    let result = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await.map_err(|error| format!("{address} cannot be used: {error}"))?;
        tracing::info!("serving on http://{}", listener.local_addr().unwrap_or(address));
        axum::serve(listener, router(service)).with_graceful_shutdown(ended()).await.map_err(|error| format!("serving broke off: {error}"))
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

async fn ended() {
    // Without signals there is nothing to wait for but the end of the process.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn router(service: Service) -> Router {
    Router::new()
        .route("/health", get(async || "ok"))
        .route("/stats", get(stats))
        .route("/query_context", post(query_context))
        .route("/v1", get(operations))
        .route("/v1/{operation}", get(without_input).post(with_input))
        .route("/rpc", post(rpc))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(service.clone(), guard))
        .with_state(service)
}

/// Lets through who may ask: the right key, and no page of another site.
async fn guard(State(service): State<Service>, request: Request, next: Next) -> Response {
    match refusal(&service, request.headers()) {
        Some((status, code, message)) => error_response(status, code, message, "See `contextd serve --help`."),
        None => next.run(request).await,
    }
}

fn refusal(service: &Service, headers: &HeaderMap) -> Option<(StatusCode, &'static str, &'static str)> {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    // A name that leads here from a page's site is not this machine's name.
    if service.loopback && !text(header::HOST).is_some_and(is_local) {
        return Some((StatusCode::FORBIDDEN, "CTX_E_HOST", "the Host is not this machine"));
    }
    if let Some(origin) = text(header::ORIGIN) {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        if !is_local(host) {
            return Some((StatusCode::FORBIDDEN, "CTX_E_ORIGIN", "requests of other origins are not answered"));
        }
    }
    let given = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).or_else(|| headers.get("x-api-key").and_then(|value| value.to_str().ok()));
    let right = service.key.as_deref().is_none_or(|key| given.is_some_and(|given| same(given.as_bytes(), key.as_bytes())));
    (!right).then_some((StatusCode::UNAUTHORIZED, "CTX_E_KEY", "the API key is missing or wrong"))
}

fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit())).map_or(host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Compares in a time that does not tell how much was right.
fn same(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

async fn stats(State(service): State<Service>) -> Response {
    respond(service, "get_context_stats".to_owned(), json!({}), Format::Json).await
}

async fn query_context(State(service): State<Service>, body: Bytes) -> Response {
    match read(&body) {
        Ok(mut input) => {
            input["format"] = json!("json");
            respond(service, "query_context".to_owned(), input, Format::Hits).await
        }
        Err(error) => refused(&error),
    }
}

async fn operations() -> Response {
    let list: Vec<Value> = OPERATIONS.iter().map(|operation| json!({"name": operation.name, "about": operation.about, "readOnly": operation.read_only})).collect();
    json_response(StatusCode::OK, json!({ "operations": list }).to_string())
}

async fn without_input(State(service): State<Service>, Path(operation): Path<String>) -> Response {
    // What changes something is not done by following a link.
    if find(&operation).is_some_and(|operation| !operation.read_only) {
        return error_response(StatusCode::METHOD_NOT_ALLOWED, "CTX_E_METHOD", "this operation needs POST", "Send its input as a JSON body.");
    }
    respond(service, operation, json!({}), Format::Json).await
}

async fn with_input(State(service): State<Service>, Path(operation): Path<String>, body: Bytes) -> Response {
    match read(&body) {
        Ok(input) => respond(service, operation, input, Format::Json).await,
        Err(error) => refused(&error),
    }
}

async fn rpc(State(service): State<Service>, body: Bytes) -> Response {
    let reply = |id: &Value, part: &str, value: Value| json_response(StatusCode::OK, json!({"jsonrpc": "2.0", "id": id, part: value}).to_string());
    let Ok(request) = serde_json::from_slice::<Value>(&body) else { return reply(&Value::Null, "error", json!({"code": -32700, "message": "the body is no JSON"})) };
    let id = request["id"].clone();
    let Some(method) = request["method"].as_str().map(str::to_owned) else { return reply(&id, "error", json!({"code": -32600, "message": "there is no method"})) };
    if find(&method).is_none() {
        return reply(&id, "error", json!({"code": -32601, "message": format!("there is no method `{method}`")}));
    }
    match call(service, method, request["params"].clone()).await {
        Ok(answer) => reply(&id, "result", answer.to_json()),
        Err(error) => reply(&id, "error", json!({"code": -32000, "message": error.message, "data": {"code": error.code, "remedy": error.remedy}})),
    }
}

fn read(body: &[u8]) -> Result<Value, OpError> {
    if body.is_empty() {
        return Ok(json!({}));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| OpError::request(format!("the body is no JSON: {error}"), "Send a JSON object."))?;
    if value.is_object() { Ok(value) } else { Err(OpError::request("the body is no JSON object", "Send a JSON object.")) }
}

async fn call(service: Service, name: String, input: Value) -> Result<Answer, OpError> {
    let done = tokio::task::spawn_blocking(move || {
        let Some(operation) = find(&name) else { return Err(OpError::not_found(format!("there is no operation `{name}`"), "GET /v1 lists them.")) };
        service.fresh.before_answer(&service.context);
        (operation.run)(&service.context, input)
    });
    done.await.unwrap_or_else(|error| Err(OpError { code: "CTX_E_INTERNAL", message: format!("the operation broke off: {error}"), remedy: "Report it, with the request.".to_owned() }))
}

async fn respond(service: Service, name: String, input: Value, format: Format) -> Response {
    match call(service, name, input).await {
        Ok(answer) if format == Format::Hits => json_response(StatusCode::OK, contextd_render::answer(&answer, Format::Hits)),
        Ok(answer) => json_response(StatusCode::OK, canonical::to_string(&answer.to_json())),
        Err(error) => refused(&error),
    }
}

fn refused(error: &OpError) -> Response {
    let status = match error.code {
        "CTX_E_NOT_FOUND" => StatusCode::NOT_FOUND,
        "CTX_E_BUSY" => StatusCode::CONFLICT,
        "POC_E_INDEX_MISSING" => StatusCode::SERVICE_UNAVAILABLE,
        "CTX_E_REQUEST" | "CTX_E_CONFIRM" | "CTX_E_OUTSIDE_ROOT" | "POC_E_BUDGET_EXCEEDED" | "POC_E_NOT_SUPPORTED" | "POC_E_CONTRACT_VERSION" => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    error_response(status, error.code, &error.message, &error.remedy)
}

fn error_response(status: StatusCode, code: &str, message: &str, remedy: &str) -> Response {
    json_response(status, json!({"error": {"code": code, "message": message, "remedy": remedy}}).to_string())
}

fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "localhost:80", "127.0.0.1:8765", "[::1]:80", "127.1.2.3"] {
            assert!(is_local(host), "{host}");
        }
        for host in ["", "example.org", "localhost.example.org", "10.0.0.1:80", "127.0.0.1.example.org"] {
            assert!(!is_local(host), "{host}");
        }
    }

    #[test]
    fn an_open_address_needs_a_key() {
        let fixture = contextd_testkit::Fixture::shop();
        let context = Arc::new(Context::new(Arc::new(fixture.engine()), || 0, contextd_render::pack, true));
        assert!(serve_http(context, "0.0.0.0:0", None).unwrap_err().contains("CTX_E_HTTP_OPEN"));
    }
}
