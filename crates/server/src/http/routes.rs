//! Which path leads where.

use super::metrics::{metrics, observe};
use super::{Service, body, guard, openapi, rest, rpc};
use crate::inputs::required;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use contextd_ops::{OPERATIONS, Operation};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// An MCP server to be spoken to over HTTP.
pub struct McpRoute(Box<dyn FnOnce(StreamableHttpServerConfig) -> Router + Send>);

impl McpRoute {
    /// Makes a server for each client; requests of the newest revision are clients of their own.
    pub fn new<S: ServerHandler>(make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Self(Box::new(move |config| {
            let service = StreamableHttpService::new(
                move || Ok(make()),
                Arc::new(LocalSessionManager::default()),
                config,
            );
            Router::new().route_service("/mcp", service).layer(from_fn(ended))
        }))
    }
}

/// Says of a session that was ended that it is over: clients take "accepted" for a failure.
async fn ended(request: Request, next: Next) -> Response {
    let ends = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if ends && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Returns all routes, behind the guard.
pub fn router(service: Service, mcp: McpRoute, stop: CancellationToken) -> Router {
    // The guard has looked at Host and Origin before: it knows which of them this address allows.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_cancellation_token(stop)
        .with_max_request_body_bytes(service.limits.body);
    let mut router = Router::new()
        .route("/health", get(async || "ok"))
        .route("/metrics", get(metrics))
        .route(
            "/openapi.json",
            get(async || rest::json_response(StatusCode::OK, openapi::openapi().to_string())),
        )
        .route("/stats", get(rest::stats))
        .route("/query_context", post(rest::query_context))
        .route("/add_context", post(rest::add_context))
        .route("/delete_context", post(rest::delete_context))
        .route("/v1", get(rest::operations))
        .route("/rpc", post(rpc::rpc));
    for operation in OPERATIONS {
        router = router.route(&format!("/v1/{}", operation.name), methods(operation));
    }
    router
        .fallback(async |uri: Uri| rest::not_found(uri.path()))
        .with_state(service.clone())
        .merge((mcp.0)(config))
        .layer(from_fn_with_state(service.clone(), body::bounded))
        .layer(from_fn(method_errors))
        .layer(from_fn_with_state(service.clone(), guard::guard))
        .layer(from_fn_with_state(service, observe))
}

/// True for what can be had by following a link: nothing is changed, and nothing must be said.
pub fn has_get(operation: &Operation) -> bool {
    operation.read_only && required(operation.name).is_empty()
}

fn methods(operation: &'static Operation) -> MethodRouter<Service> {
    let answer = post(move |State(service): State<Service>, body: Bytes| {
        rest::with_input(service, operation, body)
    });
    if has_get(operation) {
        answer.get(move |State(service): State<Service>| rest::without_input(service, operation))
    } else {
        answer
    }
}

/// Gives refused methods a body like every other refusal.
async fn method_errors(request: axum::extract::Request, next: axum::middleware::Next) -> Response {
    let mcp = request.uri().path() == "/mcp";
    let response = next.run(request).await;
    if response.status() != StatusCode::METHOD_NOT_ALLOWED || mcp {
        return response;
    }
    let allow = response.headers().get(axum::http::header::ALLOW).cloned();
    let mut refused = rest::error_response(
        StatusCode::METHOD_NOT_ALLOWED,
        "CTX_E_METHOD",
        "this path does not know the method",
        "The header Allow names those it knows.",
    );
    if let Some(allow) = allow {
        refused.headers_mut().insert(axum::http::header::ALLOW, allow);
    }
    refused
}
