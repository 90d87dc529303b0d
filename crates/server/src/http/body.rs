//! Bodies: read whole before anything is done, within a size and a time.

use super::Service;
use super::rest::error_response;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;

/// Refuses bodies that are too long or too slow; the others are handed on whole.
pub async fn bounded(State(service): State<Service>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let limits = service.limits;
    match tokio::time::timeout(limits.body_time, to_bytes(body, limits.body)).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(_)) => error_response(
            StatusCode::PAYLOAD_TOO_LARGE,
            "CTX_E_TOO_LARGE",
            &format!("the body is longer than {} bytes, or broke off", limits.body),
            "Send less.",
        ),
        Err(_) => error_response(
            StatusCode::REQUEST_TIMEOUT,
            "CTX_E_SLOW",
            "the body did not arrive in time",
            "Send it in one go.",
        ),
    }
}
