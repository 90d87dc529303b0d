//! Answers and refusals as results of tools, inside the limit of a response.

use super::kept::{Kept, fitting, written};
use super::resources::answer_link;
use contextd_ops::{Answer, OpError};
use contextd_render::Format;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// Most tokens of a response, text and structure together; what is around them needs room too.
pub const MOST: usize = 24_000;
/// Most tokens of the structure; the text says it all.
const STRUCTURE: usize = 8_000;
/// Room for the notes around a text.
const NOTES: usize = 300;

const PARTIAL: &str =
    "The index is still being built: this answer is partial, made from the files read so far.";

/// Writes an answer as a result; what does not fit is kept and linked.
pub fn answer(answer: &Answer, partial: bool, kept: &Kept) -> CallToolResult {
    let mut structure = compact(answer);
    let text = contextd_render::answer(answer, Format::Text);
    let mut links = Vec::new();
    let whole = structure.to_string();
    // A token has at least one byte: what is short needs no counting, and no tables to count with.
    let mut room = MOST - NOTES;
    if whole.len() + written(&text) > room {
        let size = contextd_pack::Tokenizer::O200k.count(&whole);
        if size > STRUCTURE {
            let link = answer_link(&kept.put(&whole), "application/json", "The whole structure");
            structure = json!({"omitted": format!("{size} tokens; the text has the answer, the whole structure is {}", link.uri)});
            links.push(ContentBlock::resource_link(link));
        }
        room -= size.min(STRUCTURE);
    }
    let end = fitting(&text, room);
    let mut shown = text[..end].to_owned();
    if end < text.len() {
        let link = answer_link(&kept.put(&text), "text/plain", "The whole answer, page by page");
        shown.push_str(&format!(
            "\n… cut here: the whole answer is the resource {}, or ask for less",
            link.uri
        ));
        links.push(ContentBlock::resource_link(link));
    }
    if partial {
        structure["partial"] = json!(true);
        shown = format!("{PARTIAL}\n{shown}");
    }
    let mut result =
        CallToolResult::success(std::iter::once(ContentBlock::text(shown)).chain(links).collect());
    result.structured_content = Some(structure);
    result
}

/// Writes a refusal as a result that the model can act on.
pub fn refusal(error: &OpError) -> CallToolResult {
    let mut text = format!("{}: {} {}", error.code, error.message, error.remedy);
    text.truncate(fitting(&text, 4_000));
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let short = |text: &str| text[..fitting(text, 2_000)].to_owned();
    result.structured_content = Some(
        json!({"error": {"code": error.code, "message": short(&error.message), "remedy": short(&error.remedy)}}),
    );
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
        other => match other.to_json() {
            Value::Object(map) => Value::Object(map),
            value => json!({ "value": value }),
        },
    }
}

/// Returns how many tokens a result has as it travels.
#[cfg(test)]
fn size(result: &CallToolResult) -> usize {
    contextd_pack::Tokenizer::O200k.count(&serde_json::to_string(result).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::kept::weight;
    use super::*;

    #[test]
    fn long_answers_stay_below_the_limit_and_link_the_rest() {
        let lines: Vec<String> =
            (0..40_000).map(|number| format!("src/some \"odd\"\tname/file_{number}.rs")).collect();
        let kept = Kept::default();
        let result = answer(&Answer::Lines(lines), true, &kept);
        assert!(size(&result) < 25_000, "{}", size(&result));
        let links: Vec<_> =
            result.content.iter().filter_map(|block| block.as_resource_link()).collect();
        assert_eq!(links.len(), 2);
        let id = links[1].uri.rsplit('/').next().unwrap();
        let (page, more) = kept.page(id, 1).unwrap();
        assert!(more && page.contains("file_0.rs") && weight(&page) < 25_000);
    }

    #[test]
    fn one_long_line_and_a_long_refusal_stay_below_the_limit() {
        let result = answer(
            &Answer::Facts(json!({"x": "…\"\\".repeat(100_000)}), true),
            false,
            &Kept::default(),
        );
        assert!(size(&result) < 25_000, "{}", size(&result));
        let error = OpError::request("\u{1}é".repeat(200_000), "\"".repeat(100_000));
        assert!(size(&refusal(&error)) < 25_000);
    }
}
