//! The operations over HTTP: REST under `/v1`, JSON-RPC 2.0 at `/rpc`, streamable MCP at `/mcp`, and the
//! service's own routes.

mod body;
mod connection;
mod guard;
mod metrics;
mod narrow;
mod openapi;
mod rest;
mod routes;
mod rpc;

pub use openapi::openapi;
pub(crate) use rest::status_of as http_status;
pub use routes::McpRoute;

use crate::mcp::{Mcp, ToolSet};
use crate::served::Served;
use metrics::Metrics;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How to serve.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Such as `127.0.0.1:8765`; port 0 takes a free one.
    pub address: String,
    /// Key that every request must carry; without one only loopback is served.
    pub key: Option<String>,
    /// Which tools agents see at `/mcp`.
    pub tools: ToolSet,
    pub limits: HttpLimits,
}

impl HttpOptions {
    /// Serves an address with the usual limits.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            key: None,
            tools: ToolSet::default(),
            limits: HttpLimits::default(),
        }
    }
}

/// What a client may take of the server.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    /// Longest request body, in bytes.
    pub body: usize,
    /// Longest time for the head of a request.
    pub head_time: Duration,
    /// Longest time for the body of a request.
    pub body_time: Duration,
    /// Longest time for an answer that changes nothing.
    pub answer_time: Duration,
    /// Longest time that a client may leave an answer unread.
    pub stall_time: Duration,
    /// Most connections at once.
    pub connections: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            body: 1 << 20,
            head_time: seconds(10),
            body_time: seconds(20),
            answer_time: seconds(60),
            stall_time: seconds(30),
            connections: 512,
        }
    }
}

/// What all requests share.
#[derive(Clone)]
pub(crate) struct Service {
    pub served: Arc<Served>,
    pub key: Option<Arc<str>>,
    /// True when the address is reached from this machine alone.
    pub loopback: bool,
    pub limits: HttpLimits,
    pub metrics: Arc<Metrics>,
    /// Lets so many operations run at once; the others wait in order.
    pub turns: Arc<Semaphore>,
}

/// A server that runs until it is stopped or dropped.
pub struct HttpServer {
    address: SocketAddr,
    stop: CancellationToken,
    thread: Option<std::thread::JoinHandle<Result<(), String>>>,
}

impl HttpServer {
    /// Serves the operations and MCP of a root.
    pub fn start(served: Arc<Served>, options: &HttpOptions) -> Result<Self, String> {
        let mcp = Mcp::new(served.clone(), options.tools);
        served.begin();
        Self::start_with(served, options, McpRoute::new(move || mcp.for_client()))
    }

    /// Serves the operations of a root, and another MCP server beside them.
    pub fn start_with(
        served: Arc<Served>,
        options: &HttpOptions,
        mcp: McpRoute,
    ) -> Result<Self, String> {
        let address = address(options)?;
        let listener = std::net::TcpListener::bind(address)
            .map_err(|error| format!("{address} cannot be used: {error}"))?;
        listener
            .set_nonblocking(true)
            .map_err(|error| format!("{address} cannot be used: {error}"))?;
        let address =
            listener.local_addr().map_err(|error| format!("{address} cannot be used: {error}"))?;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let service = Service {
            served,
            key: options.key.as_deref().map(Into::into),
            loopback: address.ip().is_loopback(),
            limits: options.limits,
            metrics: Arc::default(),
            turns: Arc::new(Semaphore::new((cores * 2).max(4))),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("the runtime cannot start: {error}"))?;
        let stop = CancellationToken::new();
        let (limits, ended) = (options.limits, stop.clone());
        let router = routes::router(service, mcp, stop.clone());
        let thread = std::thread::spawn(move || {
            let result = runtime.block_on(connection::accept(listener, router, limits, ended));
            runtime.shutdown_timeout(Duration::from_millis(500));
            result
        });
        Ok(Self { address, stop, thread: Some(thread) })
    }

    /// Returns where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets running requests end, for a short while, and stops.
    pub fn stop(mut self) -> Result<(), String> {
        self.stop.cancel();
        self.join()
    }

    /// Waits until it ends by itself.
    pub fn wait(mut self) -> Result<(), String> {
        self.join()
    }

    fn join(&mut self) -> Result<(), String> {
        self.thread.take().map_or(Ok(()), |thread| {
            thread.join().unwrap_or_else(|_| Err("the server broke off".to_owned()))
        })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.stop.cancel();
        let _ = self.join();
    }
}

/// Serves until the process is told to end; `told` hears the address.
pub fn serve_http(
    served: Arc<Served>,
    options: &HttpOptions,
    told: impl FnOnce(SocketAddr),
) -> Result<(), String> {
    let server = HttpServer::start(served, options)?;
    told(server.address());
    tracing::info!(address = %server.address(), "serving");
    let stop = server.stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime cannot start: {error}"))?;
    std::thread::spawn(move || {
        runtime.block_on(connection::told_to_end());
        stop.cancel();
    });
    server.wait()
}

fn address(options: &HttpOptions) -> Result<SocketAddr, String> {
    use std::net::ToSocketAddrs as _;
    let text = &options.address;
    let address = text
        .to_socket_addrs()
        .ok()
        .and_then(|mut found| found.next())
        .ok_or_else(|| format!("`{text}` is no address: write one such as 127.0.0.1:8765"))?;
    if options.key.is_none() && !address.ip().is_loopback() {
        return Err(format!(
            "{address} can be reached from other machines: set CONTEXTD_API_KEY, or use 127.0.0.1 [CTX_E_HTTP_OPEN]"
        ));
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_address_needs_a_key() {
        let mut options = HttpOptions::new("0.0.0.0:0");
        assert!(address(&options).unwrap_err().contains("CTX_E_HTTP_OPEN"));
        options.key = Some("sesame".to_owned());
        assert!(address(&options).is_ok());
        assert!(address(&HttpOptions::new("[::1]:0")).is_ok());
        assert!(address(&HttpOptions::new("nowhere")).is_err());
    }
}
