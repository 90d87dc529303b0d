//! A server on a fixture, and requests written by hand so that every byte is the test's own.

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use contextd_ops::Context;
use contextd_server::{HttpOptions, HttpServer, Served};
use contextd_testkit::Fixture;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A fixture that is served.
pub struct Shop {
    pub fixture: Fixture,
    pub server: HttpServer,
}

pub fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_millis() as i64)
}

/// Opens a fixture as a server does.
pub fn bare(fixture: &Fixture) -> Context {
    let engine = Engine::open(fixture.root(), &EngineOptions::default(), &|_| None).unwrap();
    Context::new(Arc::new(engine), now, contextd_render::pack, true)
}

/// Opens a fixture and indexes it, so that no test depends on how fast that is.
pub fn context(fixture: &Fixture) -> Context {
    let context = bare(fixture);
    context
        .engine
        .refresh(
            &RefreshOptions {
                now: now(),
                wait: Duration::from_secs(60),
                ..RefreshOptions::default()
            },
            &Silent,
        )
        .unwrap();
    context
}

impl Shop {
    pub fn open() -> Self {
        Self::with(Fixture::shop(), |_| {})
    }

    pub fn with(fixture: Fixture, change: impl FnOnce(&mut HttpOptions)) -> Self {
        let mut options = HttpOptions::new("127.0.0.1:0");
        change(&mut options);
        let server =
            HttpServer::start(Served::new(context(&fixture), None, true), &options).unwrap();
        Self { fixture, server }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request and returns the status and the body.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = self.connect();
        // A body that is refused half way breaks the connection; what was answered before counts.
        let _ = write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        response(&mut stream)
    }

    /// Posts JSON from this machine and returns the status and the answer.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.ask(
            "POST",
            path,
            "Host: localhost\r\nContent-Type: application/json\r\n",
            &body.to_string(),
        );
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        if let Some(operation) = path
            .strip_prefix("/v1/")
            .and_then(contextd_ops::find)
            .filter(|_| status == 200 && value.is_object())
        {
            contextd_testkit::schemas::check(
                contextd_ops::answer_names(operation.name),
                &contextd_ops::schema_named,
                &value,
            );
        }
        (status, value)
    }

    pub fn get(&self, path: &str) -> (u16, String) {
        self.ask("GET", path, "Host: localhost\r\n", "")
    }

    /// Asks a job until it has ended and returns its last state.
    pub fn finished(&self, job: &Value) -> Value {
        let start = Instant::now();
        loop {
            let (_, state) = self.post(
                "/v1/get_rebuild_status",
                &serde_json::json!({"jobId": job["jobId"], "includeLogs": true}),
            );
            if !matches!(state["status"].as_str(), Some("queued" | "in_progress")) {
                return state;
            }
            assert!(start.elapsed() < Duration::from_secs(120), "{state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Reads what the server sends until it closes; 0 when it sent nothing.
pub fn response(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let answer = String::from_utf8_lossy(&bytes);
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        dechunked(body)
    } else {
        body.to_owned()
    };
    (status, body)
}

fn dechunked(body: &str) -> String {
    let (mut rest, mut out) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        out.push_str(after.get(..size).unwrap_or_default());
        rest = after.get(size + 2..).unwrap_or_default();
    }
    out
}
