//! A client with fallback: the engine in this process, then the service, then an empty answer.
//!
//! ```no_run
//! use contextd_server::client::{Client, ClientOptions, Source};
//! use serde_json::json;
//!
//! // Nothing is embedded here: the service is asked, twice more when it does not answer.
//! let options = ClientOptions { retries: 2, fallback: true, ..ClientOptions::service("127.0.0.1:9090") };
//! let client = Client::new(None, options);
//! let answered = client.ask("task_context", json!({"title": "let uploads resume"})).expect("an answer, maybe an empty one");
//! if answered.source == Source::Empty {
//!     // Work goes on without context.
//! }
//! ```

use crate::http_status;
use contextd_model::config::{Config, Mode};
use contextd_ops::{Context, OpError, find};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest answer of a service, in bytes.
const LONGEST: usize = 64 << 20;
/// First pause before another try; each one doubles it.
const PAUSE: Duration = Duration::from_millis(50);

/// Where to ask, how long and how often.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    pub mode: Mode,
    /// Host and port of the service.
    pub address: String,
    pub key: Option<String>,
    /// Longest time of one try.
    pub timeout: Duration,
    /// Further tries after the first.
    pub retries: u32,
    /// Answer empty instead of failing.
    pub fallback: bool,
}

impl ClientOptions {
    /// Takes the options from a configuration: `mode`, `fallback_enabled` and the section `engine`.
    pub fn of(config: &Config) -> Self {
        let engine = &config.engine;
        Self {
            mode: config.core.mode,
            address: format!("{}:{}", engine.host, engine.port),
            key: engine.api_key.clone(),
            timeout: Duration::from_millis(engine.timeout_ms),
            retries: engine.retry_attempts,
            fallback: config.core.fallback_enabled,
        }
    }

    /// Asks a service alone, with the usual limits.
    pub fn service(address: impl Into<String>) -> Self {
        Self {
            mode: Mode::Standalone,
            address: address.into(),
            key: None,
            timeout: Duration::from_secs(10),
            retries: 3,
            fallback: true,
        }
    }
}

/// Who answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Embedded,
    Service,
    /// Nobody: the answer is empty.
    Empty,
}

/// An answer and who gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    pub value: Value,
    pub source: Source,
    /// What went wrong before.
    pub failures: Vec<OpError>,
}

/// Asks operations by name.
pub struct Client {
    embedded: Option<Context>,
    options: ClientOptions,
}

impl Client {
    /// Makes a client; without an engine of its own it asks the service alone.
    pub fn new(embedded: Option<Context>, options: ClientOptions) -> Self {
        Self { embedded, options }
    }

    /// Asks an operation. What is wrong with the request itself is refused at once; what is wrong with
    /// an engine is tried elsewhere.
    pub fn ask(&self, operation: &str, input: Value) -> Result<Answered, OpError> {
        let mut failures = Vec::new();
        if self.options.mode != Mode::Standalone
            && let Some(context) = &self.embedded
        {
            match embedded(context, operation, input.clone()) {
                Ok(value) => return Ok(Answered { value, source: Source::Embedded, failures }),
                Err(error) if is_final(&error) => return Err(error),
                Err(error) => failures.push(error),
            }
        }
        if self.options.mode != Mode::Embedded {
            match self.service(operation, &input) {
                Ok(value) => return Ok(Answered { value, source: Source::Service, failures }),
                Err(error) if is_final(&error) => return Err(error),
                Err(error) => failures.push(error),
            }
        }
        match failures.last().cloned() {
            Some(error) if !self.options.fallback => Err(error),
            None if !self.options.fallback => Err(unreachable("no engine is set up")),
            _ => Ok(Answered { value: empty(operation), source: Source::Empty, failures }),
        }
    }

    fn service(&self, operation: &str, input: &Value) -> Result<Value, OpError> {
        let read_only = find(operation).is_some_and(|operation| operation.read_only);
        let mut pause = PAUSE;
        let mut tries = 0;
        loop {
            let error = match self.try_service(operation, input) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            // What changes something may have been done although no answer came.
            let again = tries < self.options.retries
                && !is_final(&error)
                && (read_only || error.code == "CTX_E_UNREACHABLE");
            if !again {
                return Err(error);
            }
            tries += 1;
            std::thread::sleep(pause);
            pause *= 2;
        }
    }

    /// Runs in a thread of its own, so that callers may live in a runtime.
    fn try_service(&self, operation: &str, input: &Value) -> Result<Value, OpError> {
        std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(|error| unreachable(&error.to_string()))?;
                runtime.block_on(async {
                    let request = post(&self.options, operation, input);
                    tokio::time::timeout(self.options.timeout, request).await.unwrap_or_else(|_| {
                        Err(OpError {
                            code: "CTX_E_TIMEOUT",
                            message: "the service did not answer in time".to_owned(),
                            remedy: "Raise `engine.timeout_ms`, or look at the service.".to_owned(),
                        })
                    })
                })
            });
            work.join().unwrap_or_else(|_| Err(unreachable("the request broke off")))
        })
    }
}

fn embedded(context: &Context, name: &str, input: Value) -> Result<Value, OpError> {
    let operation = find(name).ok_or_else(|| {
        OpError::not_found(format!("there is no operation `{name}`"), "See `contextd schema`.")
    })?;
    (operation.run)(context, input).map(|answer| answer.to_json())
}

/// True when nobody else would answer otherwise: the request is wrong, or what it asks for is not there.
fn is_final(error: &OpError) -> bool {
    http_status(error.code).is_client_error()
        && !matches!(error.code, "CTX_E_BUSY" | "CTX_E_LIMIT" | "CTX_E_CANCELLED")
}

fn unreachable(why: &str) -> OpError {
    OpError {
        code: "CTX_E_UNREACHABLE",
        message: format!("the service cannot be reached: {why}"),
        remedy:
            "Start it with `contextd serve --http ADDR`, or see `engine.host` and `engine.port`."
                .to_owned(),
    }
}

async fn post(options: &ClientOptions, operation: &str, input: &Value) -> Result<Value, OpError> {
    let lost = |error: &dyn std::fmt::Display| unreachable(&error.to_string());
    let stream =
        tokio::net::TcpStream::connect(&options.address).await.map_err(|error| lost(&error))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| lost(&error))?;
    let driver = tokio::spawn(connection);
    let mut request = hyper::Request::post(format!("/v1/{}", operation.replace('.', "_")))
        .header("host", &options.address)
        .header("content-type", "application/json");
    if let Some(key) = &options.key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let request =
        request.body(Full::new(Bytes::from(input.to_string()))).map_err(|error| lost(&error))?;
    let broken = |error: &dyn std::fmt::Display| OpError {
        code: "CTX_E_BROKEN",
        message: format!("the service's answer broke off: {error}"),
        remedy: "Ask again.".to_owned(),
    };
    let response = sender.send_request(request).await.map_err(|error| broken(&error))?;
    let good = response.status().is_success();
    let bytes = Limited::new(response.into_body(), LONGEST)
        .collect()
        .await
        .map_err(|error| broken(&error))?
        .to_bytes();
    driver.abort();
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| broken(&error))?;
    if good { Ok(value) } else { Err(refusal(&value)) }
}

/// Returns the refusal that a service wrote; its code is one of those this program knows.
fn refusal(value: &Value) -> OpError {
    const CODES: &[&str] = &[
        "CTX_E_NOT_FOUND",
        "CTX_E_BUSY",
        "CTX_E_LIMIT",
        "CTX_E_CANCELLED",
        "CTX_E_OUTSIDE_ROOT",
        "CTX_E_EXCLUDED",
        "CTX_E_TIMEOUT",
        "POC_E_INDEX_MISSING",
        "CTX_E_REQUEST",
        "CTX_E_CONFIRM",
        "POC_E_BUDGET_EXCEEDED",
        "POC_E_NOT_SUPPORTED",
        "POC_E_CONTRACT_VERSION",
        "CTX_E_KEY",
        "CTX_E_HOST",
    ];
    let error = &value["error"];
    let code = CODES.iter().copied().find(|code| error["code"] == *code).unwrap_or("CTX_E_SERVICE");
    OpError {
        code,
        message: error["message"].as_str().unwrap_or("the service failed").to_owned(),
        remedy: error["remedy"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Returns the answer of an operation that found nothing, as far as callers look at it.
fn empty(operation: &str) -> Value {
    match operation {
        "task_context" => {
            json!({"taskId": "", "snippets": [], "totalTokens": 0, "providers": {}, "contextBlock": "", "prompt": ""})
        }
        "query_context" => json!({"query": "", "total": 0, "hits": [], "totalTokens": 0}),
        _ => json!({}),
    }
}
