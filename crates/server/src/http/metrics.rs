//! Counts of requests and the state of the index, as Prometheus reads them.

use super::Service;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contextd_engine::Coverage;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: &[f64] = &[0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Counted since the start.
#[derive(Default)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    latency: Mutex<BTreeMap<String, Latency>>,
    running: AtomicI64,
    ids: AtomicU64,
}

#[derive(Default)]
struct Latency {
    buckets: [u64; 12],
    sum: f64,
    count: u64,
}

/// Counts and logs every request, refused ones too.
pub async fn observe(State(service): State<Service>, request: Request, next: Next) -> Response {
    let metrics = &service.metrics;
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let (method, id) = (request.method().clone(), metrics.ids.fetch_add(1, Ordering::Relaxed));
    let start = Instant::now();
    metrics.running.fetch_add(1, Ordering::Relaxed);
    let guard = Running(metrics);
    let response = next.run(request).await;
    drop(guard);
    let (took, status) = (start.elapsed(), response.status().as_u16());
    metrics.note(&route, status, took);
    tracing::info!(target: "contextd::http", id, method = %method, route, status, ms = took.as_secs_f64() * 1e3, "request");
    response
}

/// A request that is given up is no longer running, either.
struct Running<'m>(&'m Metrics);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    fn note(&self, route: &str, status: u16, took: Duration) {
        *self
            .requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry((route.to_owned(), status))
            .or_default() += 1;
        let mut all = self.latency.lock().unwrap_or_else(PoisonError::into_inner);
        let latency = all.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        for (slot, _) in
            latency.buckets.iter_mut().zip(BUCKETS).filter(|(_, bound)| seconds <= **bound)
        {
            *slot += 1;
        }
        latency.sum += seconds;
        latency.count += 1;
    }

    fn write(&self, out: &mut String) {
        out.push_str("# HELP contextd_http_requests_total Requests by route and status.\n# TYPE contextd_http_requests_total counter\n");
        for ((route, status), count) in
            self.requests.lock().unwrap_or_else(PoisonError::into_inner).iter()
        {
            let _ = writeln!(
                out,
                "contextd_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
            );
        }
        out.push_str("# HELP contextd_http_request_seconds Time to answer by route.\n# TYPE contextd_http_request_seconds histogram\n");
        for (route, latency) in self.latency.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            for (bound, count) in BUCKETS.iter().zip(latency.buckets) {
                let _ = writeln!(
                    out,
                    "contextd_http_request_seconds_bucket{{route=\"{route}\",le=\"{bound}\"}} {count}"
                );
            }
            let _ = writeln!(
                out,
                "contextd_http_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {}",
                latency.count
            );
            let _ = writeln!(
                out,
                "contextd_http_request_seconds_sum{{route=\"{route}\"}} {}\ncontextd_http_request_seconds_count{{route=\"{route}\"}} {}",
                latency.sum, latency.count
            );
        }
        gauge(
            out,
            "contextd_http_requests_running",
            "Requests being answered.",
            self.running.load(Ordering::Relaxed) as f64,
        );
    }
}

fn gauge(out: &mut String, name: &str, help: &str, value: f64) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

/// Answers with all counts.
pub async fn metrics(State(service): State<Service>) -> Response {
    let mut out = String::new();
    service.metrics.write(&mut out);
    let served = service.served.clone();
    let state = tokio::task::spawn_blocking(move || {
        let context = served.root().context.clone();
        let status = context.engine.figures().ok().flatten().unwrap_or_default();
        (contextd_ops::prometheus(&context), status.edges, context.engine.coverage())
    });
    if let Ok((accounts, edges, coverage)) = state.await {
        // A ledger that is busy costs its own counts, not the others.
        match accounts {
            Ok(text) => out.push_str(&text),
            Err(error) => {
                tracing::warn!(code = error.code, "the accounts cannot be counted: {error}")
            }
        }
        gauge(&mut out, "contextd_indexed_edges", "Edges in the index.", edges as f64);
        gauge(
            &mut out,
            "contextd_index_complete",
            "1 when all files are in the snapshot.",
            f64::from(u8::from(coverage == Coverage::Whole)),
        );
    }
    if let Some(bytes) = resident() {
        gauge(&mut out, "process_resident_memory_bytes", "Memory of the process.", bytes as f64);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out).into_response()
}

/// Returns the memory of this process where the system tells it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
