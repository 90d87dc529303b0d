//! Hits, for people and in the shape of `query_context`.

use crate::safe::safe;
use contextd_ops::Hits;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Returns hits as `query_context` is specified, with the lines beside the offsets.
pub fn wire(hits: &Hits) -> Value {
    let rows: Vec<Value> = hits
        .hits
        .iter()
        .map(|hit| {
            json!({
                "chunkId": hit.chunk_id, "score": hit.score, "filePath": hit.file, "label": hit.symbol, "kind": hit.chunk_kind, "snippet": hit.snippet, "language": hit.language,
                "offsets": hit.offsets, "lines": {"start": hit.start_line, "end": hit.end_line}, "symbolId": hit.symbol_id, "why": hit.why,
            })
        })
        .collect();
    json!({"query": hits.query, "total": hits.total, "hits": rows, "totalTokens": hits.total_tokens, "notFound": hits.not_found, "plain": hits.plain, "indexSignature": hits.index_signature})
}

/// Writes the items of a pack as hits.
pub fn of_pack(pack: &contextd_pack::ContextPack) -> String {
    contextd_pack::canonical::to_string(&wire(&contextd_ops::hits(
        pack,
        contextd_pack::Tokenizer::Estimate,
    )))
}

/// Writes hits for people: place, name, score, then the text.
pub fn text(hits: &Hits) -> String {
    let mut out = String::new();
    if let Some(plain) = &hits.plain {
        let _ = writeln!(out, "{}", safe(plain));
    }
    for hit in &hits.hits {
        let stale = if hit.stale { " (stale)" } else { "" };
        let _ = writeln!(
            out,
            "{}:{}-{} {} {} {:.2}{stale}",
            safe(&hit.file),
            hit.start_line,
            hit.end_line,
            hit.kind,
            safe(&hit.symbol),
            hit.score
        );
        for line in safe(&hit.snippet).trim_end().lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    if hits.hits.is_empty() {
        let _ = writeln!(out, "{}", hits.nothing());
    }
    if !hits.not_found.is_empty() {
        let _ = writeln!(out, "not in the index: {}", safe(&hits.not_found.join(", ")));
    }
    out
}
