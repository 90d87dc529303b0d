//! `get_context_stats`: health and what is indexed.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::NoInput;
use contextd_engine::{Engine, Status};
use contextd_store::{JobStatus, Ledger, UsageFilter};
use serde_json::{Value, json};

/// Answers with the state of the index as `status --json` has it.
pub fn status(context: &Context, _input: NoInput) -> Result<Answer, OpError> {
    let engine = &context.engine;
    let Some(status) = engine.status()? else {
        return Err(
            contextd_engine::EngineError::NoIndex { root: engine.places.root.clone() }.into()
        );
    };
    Ok(Answer::Facts(status_value(&status, last_indexed(engine)?), true))
}

/// Returns when a file was last indexed, as Unix milliseconds.
pub fn last_indexed(engine: &Engine) -> Result<Option<i64>, OpError> {
    Ok(engine.ledger()?.stats()?.last_indexed)
}

/// Returns the state of the index under the names that scripts rely on.
pub fn status_value(status: &Status, last_indexed: Option<i64>) -> Value {
    json!({
        "indexSignature": status.index_signature.to_hex(),
        "files": status.files,
        "symbols": status.symbols,
        "edges": status.edges,
        "chunks": status.chunks,
        "languages": status.languages,
        "lastIndexed": last_indexed,
        "sizeBytes": status.size_bytes,
        "sourceBytes": status.source_bytes,
        "stale": status.staleness(),
        "checked": status.changed.is_some(),
        "partial": status.partial,
    })
}

/// Answers as seed 003 describes it.
pub fn stats(context: &Context, _input: NoInput) -> Result<Answer, OpError> {
    let (engine, config) = (&context.engine, &context.engine.config);
    let status = engine.status()?.unwrap_or_default();
    let ledger = engine.ledger()?;
    let (stored, usage) = (ledger.stats()?, ledger.usage_summary(&UsageFilter::default())?);
    let jobs = ledger.jobs(None, 5)?;
    let running = jobs.iter().find(|job| job.status == JobStatus::InProgress);
    let recent: Vec<Value> = jobs.iter().map(|job| json!({"jobId": job.job_id, "type": job.kind.to_string(), "status": job.status.to_string(), "startedAt": job.started_at})).collect();
    let provider = |id: &str, name: &str, enabled: bool, available: bool, stats: Value| json!({"id": id, "name": name, "enabled": enabled, "available": available && enabled, "stats": stats});
    let indexed = status.files > 0;
    let providers = &config.providers;
    let value = json!({
        "enabled": config.core.enabled,
        "mode": config.core.mode.name(),
        "providers": [
            provider("symbol", "Symbols", providers.symbol.enabled, indexed, json!({"symbols": status.symbols})),
            provider("full_text", "Full text", providers.full_text.enabled, indexed, json!({"chunks": status.chunks})),
            provider("git_history", "History", providers.git_history.enabled, indexed, json!({})),
            provider("dependency", "Graph", providers.dependency.enabled, indexed, json!({"edges": status.edges})),
            provider("semantic", "Vectors", providers.semantic.enabled, false, json!({"embeddings": stored.embeddings})),
        ],
        "storage": {"totalFiles": status.files, "totalChunks": status.chunks, "totalEmbeddings": stored.embeddings, "dbSizeMB": status.size_bytes as f64 / 1_048_576.0, "lastIndexed": stored.last_indexed},
        "performance": {"queries": usage.count, "avgQueryLatencyMs": usage.avg_query_latency_ms, "cacheHitRate": usage.cache_hit_rate, "avgTokensPerQuery": usage.avg_context_tokens},
        "languages": status.languages,
        "errors": stored.errors,
        "rebuild": running.map(|job| json!({"jobId": job.job_id, "filesProcessed": job.progress.files_processed, "filesTotal": job.progress.files_total})),
        "recentActivity": recent,
        "indexSignature": status.index_signature.to_hex(),
        "symbols": status.symbols,
        "edges": status.edges,
        "stale": status.is_stale(),
        "session": context.asker.session,
    });
    Ok(Answer::Facts(value, indexed))
}
