//! The operations over HTTP, spoken by hand so that every header is the test's own.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

pub struct Server {
    child: Child,
    port: u16,
}

impl Server {
    pub fn start(sandbox: &Sandbox, key: Option<&str>) -> Self {
        // A port that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = sandbox.command(&["serve", "--http", &format!("127.0.0.1:{port}")]);
        command
            .env_remove("CONTEXTD_API_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(key) = key {
            command.env("CONTEXTD_API_KEY", key);
        }
        let child = command.spawn().unwrap();
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "the server does not listen");
            std::thread::sleep(Duration::from_millis(30));
        }
        Self { child, port }
    }

    /// Returns the status and the body.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // A body that is refused half way breaks the connection; what was answered before counts.
        let _ = write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let answer = String::from_utf8_lossy(&bytes);
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub const LOCAL: &str = "Host: localhost\r\n";

#[test]
fn services_ask_over_rest_and_rpc() {
    let sandbox = Sandbox::shop();
    let server = Server::start(&sandbox, None);
    let (status, body) =
        server.ask("POST", "/query_context", LOCAL, r#"{"query":"idle sessions expire","k":3}"#);
    let found: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (status, found["hits"][0]["filePath"].as_str()),
        (200, Some("web/session.ts")),
        "{body}"
    );
    let (status, body) = server.ask("POST", "/v1/symbol", LOCAL, r#"{"name":"charge"}"#);
    assert!(status == 200 && body.contains("checkout"), "{body}");
    let (_, body) = server.ask(
        "POST",
        "/rpc",
        LOCAL,
        r#"{"jsonrpc":"2.0","id":7,"method":"symbol","params":{"name":"no_such_thing"}}"#,
    );
    let error: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (error["id"].as_u64(), error["error"]["data"]["code"].as_str()),
        (Some(7), Some("CTX_E_NOT_FOUND"))
    );
    assert_eq!(server.ask("GET", "/stats", LOCAL, "").0, 200);
}

#[test]
fn strangers_are_refused_and_the_server_lives_on() {
    let sandbox = Sandbox::shop();
    let server = Server::start(&sandbox, Some("sesame"));
    let key = "Host: localhost\r\nAuthorization: Bearer sesame\r\n";
    for (headers, status) in [
        (LOCAL.to_owned(), 401),
        ("Host: localhost\r\nAuthorization: Bearer sesam\r\n".to_owned(), 401),
        (key.replace("localhost", "evil.example"), 403),
        (format!("{key}Origin: https://evil.example\r\n"), 403),
        (format!("{key}Origin: http://localhost:3000\r\n"), 200),
    ] {
        assert_eq!(server.ask("GET", "/stats", &headers, "").0, status, "{headers}");
    }
    assert_eq!(server.ask("POST", "/v1/symbol", key, "{not json").0, 400);
    assert_eq!(server.ask("POST", "/v1/symbol", key, &"[".repeat(100_000)).0, 400);
    assert!([0, 413].contains(&server.ask("POST", "/v1/symbol", key, &"x".repeat(2 << 20)).0));
    assert_eq!(server.ask("GET", "/v1/rebuild_context", key, "").0, 405);
    let (status, body) =
        server.ask("POST", "/v1/refresh_context", key, r#"{"paths":["../../etc/passwd"]}"#);
    assert!(status == 403 && body.contains("CTX_E_OUTSIDE_ROOT"), "{body}");
    assert_eq!(server.ask("GET", "/stats", key, "").0, 200);
}
