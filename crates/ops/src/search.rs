//! `query_context`: ranked places for a question.

use crate::answer::{Answer, Hit, Hits};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::SearchInput;
use contextd_pack::request::{Ranking, Scope};
use contextd_pack::{ContextItem, ContextPack, PackRequest, Tokenizer};
use contextd_retrieve::{Query, understood};

/// Longest snippet of a hit, in bytes.
const SNIPPET: u64 = 1_600;
/// Most hits, as the section's hard cap says.
const MOST: u32 = 80;

pub fn search(context: &Context, mut input: SearchInput) -> Result<Answer, OpError> {
    let query = understood(&input.query, &input.names);
    says_something(&query, "query")?;
    crate::narrow(
        &context.engine,
        input.scope.project.as_deref(),
        &mut input.scope.paths,
        &mut input.scope.exclude,
    )?;
    if let Some(hits) = crate::recent::hits(context, &input)? {
        return Ok(Answer::Hits(hits));
    }
    let config = &context.engine.config;
    let k = input.k.unwrap_or(config.query.default_k).clamp(1, MOST);
    let budget = input.filters.max_tokens.unwrap_or(u64::from(config.budget.search_tokens));
    let tokenizer = input
        .tokenizer
        .or_else(|| Tokenizer::by_name(&config.budget.tokenizer))
        .unwrap_or_default();
    let mut request = PackRequest {
        query: input.query.clone(),
        names: input.names.clone(),
        ranking: Ranking::Search,
        scope: Scope {
            paths: input.scope.paths,
            languages: input.scope.languages,
            kinds: input.scope.kinds,
            exclude: input.scope.exclude,
            min_score: Some(input.filters.min_score.unwrap_or(config.query.min_score_threshold)),
        },
        include_explain: Some(false),
        tokenizer: Some(tokenizer),
        format: if input.format.as_deref() == Some("json") { "hits" } else { "hits-text" }
            .to_owned(),
        ..PackRequest::default()
    };
    // Neighbours are not hits, and the order of ranks is the answer.
    request.expansion.max_hops = 0;
    request.mmr_lambda = Some(1.0);
    request.k = Some(k);
    request.budgets.max_items_per_section = Some(u64::from(k));
    request.budgets.max_bytes_per_item = Some(SNIPPET);
    request.budgets.max_total_tokens = Some(budget);
    let mut pack = crate::packs::build(context, &request)?;
    if pack.items().next().is_none() && input.filters.min_score.is_none() {
        // The configured threshold drops noise beside better hits; it does not leave a question without an answer.
        request.scope.min_score = Some(0.0);
        pack = crate::packs::build(context, &request)?;
    }
    let reader = context.reader()?;
    let snapshot = &reader.snapshot;
    let found = hits(&pack, tokenizer);
    let mut files: Vec<String> = found.hits.iter().map(|hit| hit.file.clone()).collect();
    files.dedup();
    let plain = crate::plain::enough(&context.engine, &reader, &query, &files);
    let unknown = query.identifiers.iter().filter(|identifier| {
        identifier.code && snapshot.symbols_named_like(&identifier.text).is_empty()
    });
    let not_found = unknown.map(|identifier| identifier.text.clone()).collect();
    Ok(Answer::Hits(Hits { not_found, plain, ..found }))
}

/// Refuses a request that holds no word to look for.
pub fn says_something(query: &Query, what: &str) -> Result<(), OpError> {
    if query.text.is_empty() {
        return Err(OpError::request(
            format!("the {what} is empty"),
            "Say in words what you look for or what is to be done.",
        ));
    }
    if query.is_empty {
        return Err(OpError::not_found(
            format!("the {what} holds no word to look for, only common words or signs"),
            "Name a thing: what it is about, an identifier, a message.",
        ));
    }
    Ok(())
}

/// Returns the items of a pack as hits.
pub fn hits(pack: &ContextPack, tokenizer: Tokenizer) -> Hits {
    let items: Vec<Hit> = pack.items().map(hit).collect();
    Hits {
        query: pack.request["query"].as_str().unwrap_or_default().to_owned(),
        total: pack.stats.candidates,
        total_tokens: items.iter().map(|hit| tokenizer.count(&hit.snippet) as u64).sum(),
        hits: items,
        not_found: Vec::new(),
        plain: None,
        index_signature: pack.index_signature.clone(),
        pack_id: pack.pack_id.clone(),
        learned_state: pack.learned_state.clone(),
        is_too_small: pack.is_too_small(),
    }
}

fn hit(item: &ContextItem) -> Hit {
    let kind = contextd_pack::symbol_kind(&item.symbol_kind);
    Hit {
        symbol_id: item.symbol_id.clone(),
        symbol: item.name.clone(),
        kind: item.symbol_kind.clone(),
        file: item.file_rel_path.clone(),
        start_line: item.lines.start,
        end_line: item.lines.end,
        score: item.scores.seed_score,
        why: item
            .why
            .signals
            .iter()
            .map(|signal| format!("{} {} × {}", signal.name, signal.value, signal.weight))
            .collect(),
        chunk_id: item.chunk_uid.clone(),
        chunk_kind: match item.kind.as_str() {
            "commit" => "COMMIT",
            "diff" | "removed" => "DIFF",
            _ => contextd_pack::chunk_kind(kind, &item.language_id),
        }
        .to_owned(),
        language: item.language_id.clone(),
        offsets: item.range,
        snippet: item.excerpt.text.clone(),
        stale: item.stale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_retrieve::understand;

    #[test]
    fn what_says_nothing_is_refused_with_a_code() {
        for (text, code) in [
            ("", "CTX_E_REQUEST"),
            (" \n", "CTX_E_REQUEST"),
            ("the of and with", "CTX_E_NOT_FOUND"),
            ("\u{0}\u{1b}", "CTX_E_NOT_FOUND"),
            ("?!", "CTX_E_NOT_FOUND"),
        ] {
            let error = says_something(&understand(text), "query").unwrap_err();
            assert_eq!(error.code, code, "{text:?}");
            assert!(!error.remedy.is_empty() && error.message.starts_with("the query "));
        }
        for text in ["cart", "日本語", &"x".repeat(1_000_000)] {
            assert!(says_something(&understand(text), "query").is_ok());
        }
    }
}
