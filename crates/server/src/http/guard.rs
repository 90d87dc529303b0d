//! Who may ask: the right key, this machine's name, and no page of another site.

use super::Service;
use super::rest::error_response;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::IpAddr;

/// Lets through who may ask.
pub async fn guard(State(service): State<Service>, request: Request, next: Next) -> Response {
    let open = request.uri().path() == "/health";
    match refusal(&service, request.headers(), open) {
        Some((status, code, message)) => {
            error_response(status, code, message, "See `contextd serve --help`.")
        }
        None => next.run(request).await,
    }
}

fn refusal(
    service: &Service,
    headers: &HeaderMap,
    open: bool,
) -> Option<(StatusCode, &'static str, &'static str)> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST);
    // A name that leads here from a page's site is not this machine's name.
    if service.loopback && !host.is_some_and(is_local) {
        return Some((StatusCode::FORBIDDEN, "CTX_E_HOST", "the Host is not this machine"));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let from =
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, from)| from);
        if !from.is_some_and(|from| is_local(from) || (!service.loopback && Some(from) == host)) {
            return Some((
                StatusCode::FORBIDDEN,
                "CTX_E_ORIGIN",
                "requests of other origins are not answered",
            ));
        }
    }
    let given = text(header::AUTHORIZATION)
        .and_then(|value| value.strip_prefix("Bearer "))
        .or_else(|| headers.get("x-api-key").and_then(|value| value.to_str().ok()));
    let right = open
        || service
            .key
            .as_deref()
            .is_none_or(|key| given.is_some_and(|given| same(given.as_bytes(), key.as_bytes())));
    (!right).then_some((StatusCode::UNAUTHORIZED, "CTX_E_KEY", "the API key is missing or wrong"))
}

fn is_local(host: &str) -> bool {
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Compares in a time that does not tell how much was right.
fn same(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "localhost:80", "127.0.0.1:8765", "[::1]:80", "127.1.2.3"] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "localhost.example.org",
            "10.0.0.1:80",
            "127.0.0.1.example.org",
            "null",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
