//! Measurements in the text format that Prometheus reads.

use crate::context::Context;
use crate::error::OpError;
use contextd_store::{Ledger, UsageBy, UsageFilter};
use std::fmt::Write as _;

/// Returns counters of questions, tokens and providers, and the size of the index.
pub fn prometheus(context: &Context) -> Result<String, OpError> {
    context.flush();
    let ledger = context.engine.ledger()?;
    let status = context.engine.figures()?.unwrap_or_default();
    let mut out = Exposition::default();
    let groups = ledger.usage_groups(UsageBy::Kind, &UsageFilter::default())?;
    let of = |value: fn(&contextd_store::UsageGroup) -> f64| {
        groups.iter().map(move |group| (group.key.as_str(), value(group)))
    };
    out.metric(
        "contextd_queries_total",
        "counter",
        "Questions answered.",
        "op",
        of(|group| group.queries as f64),
    );
    out.metric(
        "contextd_context_tokens_total",
        "counter",
        "Tokens of answers.",
        "op",
        of(|group| group.context_tokens as f64),
    );
    out.metric(
        "contextd_baseline_tokens_total",
        "counter",
        "Tokens that reading the files of the answers would have cost.",
        "op",
        of(|group| group.baseline_tokens as f64),
    );
    out.metric(
        "contextd_query_milliseconds_avg",
        "gauge",
        "Mean time of an answer.",
        "op",
        of(|group| group.avg_latency_ms.unwrap_or(0.0)),
    );
    let providers = ledger.usage_providers()?;
    let of = |value: fn(&contextd_store::ProviderUsage) -> f64| {
        providers.iter().map(move |row| (row.provider.as_str(), value(row)))
    };
    out.metric(
        "contextd_provider_items_total",
        "counter",
        "Items found, by provider.",
        "provider",
        of(|row| row.provided as f64),
    );
    out.metric(
        "contextd_provider_items_used_total",
        "counter",
        "Items reported as used, by provider.",
        "provider",
        of(|row| row.used as f64),
    );
    let summary = ledger.usage_summary(&UsageFilter::default())?;
    out.metric(
        "contextd_cache_hit_ratio",
        "gauge",
        "Share of questions that found the index open.",
        "",
        [("", summary.cache_hit_rate.unwrap_or(0.0))].into_iter(),
    );
    let (_, judgements) = ledger.feedback_stamp()?;
    out.metric(
        "contextd_judgements",
        "gauge",
        "Judgements kept.",
        "",
        [("", judgements as f64)].into_iter(),
    );
    out.metric(
        "contextd_indexed_files",
        "gauge",
        "Files in the index.",
        "",
        [("", f64::from(status.files))].into_iter(),
    );
    out.metric(
        "contextd_indexed_symbols",
        "gauge",
        "Symbols in the index.",
        "",
        [("", f64::from(status.symbols))].into_iter(),
    );
    out.metric(
        "contextd_index_bytes",
        "gauge",
        "Bytes of the index.",
        "",
        [("", status.size_bytes as f64)].into_iter(),
    );
    Ok(out.text)
}

#[derive(Default)]
struct Exposition {
    text: String,
}

impl Exposition {
    /// Writes one metric with its help and a line for each label value.
    fn metric<'a>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        label: &str,
        rows: impl Iterator<Item = (&'a str, f64)>,
    ) {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (value, number) in rows {
            let _ = if label.is_empty() {
                writeln!(self.text, "{name} {number}")
            } else {
                writeln!(self.text, "{name}{{{label}=\"{}\"}} {number}", escape(value))
            };
        }
    }
}

fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
