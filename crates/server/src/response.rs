//! Answers and refusals as results of tools, inside the limit of a response.

use contextd_ops::{Answer, OpError};
use contextd_pack::Tokenizer;
use contextd_render::Format;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// Most tokens of a response, text and structure together.
pub const MOST: usize = 24_000;
/// Most tokens of the structure; the text says it all.
const STRUCTURE: usize = 8_000;

/// Writes an answer as a result.
pub fn answer(answer: &Answer, note: Option<&str>) -> CallToolResult {
    let mut structure = compact(answer);
    let mut room = MOST;
    let size = Tokenizer::O200k.count(&structure.to_string());
    if size > STRUCTURE {
        structure = json!({"omitted": format!("{size} tokens; the text has the answer, ask for less to have both")});
    }
    room -= size.min(STRUCTURE);
    let mut text = cut(contextd_render::answer(answer, Format::Text), room);
    if let Some(note) = note {
        structure["note"] = json!(note);
        text = format!("{note}\n{text}");
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structure);
    result
}

/// Writes a refusal as a result that the model can act on.
pub fn refusal(error: &OpError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(format!("{}: {} {}", error.code, error.message, error.remedy))]);
    result.structured_content = Some(json!({"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}));
    result
}

/// Returns what programs need beside the text: places and scores, not excerpts.
fn compact(answer: &Answer) -> Value {
    match answer {
        Answer::Pack(pack) => {
            let items: Vec<Value> = pack
                .sections
                .iter()
                .flat_map(|section| section.items.iter().map(move |item| (section, item)))
                .map(|(section, item)| {
                    let mut value = json!({"section": section.kind, "file": item.file_rel_path, "startLine": item.lines.start, "endLine": item.lines.end, "name": item.name, "kind": item.symbol_kind, "score": item.scores.hybrid_score});
                    if item.stale {
                        value["stale"] = json!(true);
                    }
                    value
                })
                .collect();
            json!({"packId": pack.pack_id, "indexSignature": pack.index_signature, "tokens": pack.stats.tokens, "items": items, "dropped": pack.stats.dropped})
        }
        Answer::Hits(hits) => {
            let rows: Vec<Value> = hits.hits.iter().map(|hit| json!({"file": hit.file, "startLine": hit.start_line, "endLine": hit.end_line, "symbol": hit.symbol, "kind": hit.kind, "score": hit.score, "chunkId": hit.chunk_id})).collect();
            json!({"query": hits.query, "total": hits.total, "hits": rows, "totalTokens": hits.total_tokens, "notFound": hits.not_found})
        }
        Answer::Lines(lines) => json!({ "lines": lines }),
        other => other.to_json(),
    }
}

/// Cuts a text at a line so that it has at most `tokens` tokens.
fn cut(text: String, tokens: usize) -> String {
    let count = Tokenizer::O200k.count(&text);
    if count <= tokens {
        return text;
    }
    let note = "\n… cut: ask for less, or narrow the scope";
    let (mut part, mut size) = (text.as_str(), count);
    while size + 16 > tokens && !part.is_empty() {
        let bytes = (part.len() as f64 * (tokens.saturating_sub(16)) as f64 / size as f64 * 0.98) as usize;
        part = contextd_pack::texts::cut(part, bytes.min(part.len() - 1)).0;
        size = Tokenizer::O200k.count(part);
    }
    format!("{part}{note}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_below_the_limit() {
        let lines: Vec<String> = (0..40_000).map(|number| format!("src/some/file_{number}.rs")).collect();
        let result = answer(&Answer::Lines(lines), None);
        let text = serde_json::to_string(&result).unwrap();
        let tokens = Tokenizer::O200k.count(&text);
        assert!(tokens < 25_000, "{tokens}");
        assert!(text.contains("cut:"));
    }
}
