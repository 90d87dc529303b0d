//! Packs: for a task, for files, by an explicit request, and those that were stored.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::{FilesInput, Limits, ListInput, PackDiffInput, PackGetInput, TaskInput};
use contextd_pack::request::{Ranking, Scope};
use contextd_pack::{ContextPack, PackRequest};
use contextd_store::{Ledger, PackRecord, PackSummary};
use serde_json::json;

/// Stored packs that are kept.
const KEPT: usize = 1_000;

pub fn task(context: &Context, input: TaskInput) -> Result<Answer, OpError> {
    crate::search::says_something(&contextd_retrieve::understand(&input.task), "task")?;
    let request = PackRequest { query: input.task.clone(), ranking: Ranking::Task, intent: input.intent, ..request(context, input.limits, input.budget)? };
    build(context, &request).map(|pack| Answer::Pack(Box::new(pack)))
}

pub fn files(context: &Context, input: FilesInput) -> Result<Answer, OpError> {
    if input.paths.is_empty() {
        return Err(OpError::request("no files are named", "Name changed files, relative to the root."));
    }
    let paths = input.paths.iter().map(|path| relative(context, path)).collect();
    let request = PackRequest { query: input.task.clone(), ranking: Ranking::Task, files: paths, ..request(context, input.limits, input.budget)? };
    build(context, &request).map(|pack| Answer::Pack(Box::new(pack)))
}

/// Takes the root off a path that was given whole.
pub(crate) fn relative(context: &Context, path: &str) -> String {
    let root = context.engine.places.root.as_path();
    std::path::Path::new(path).strip_prefix(root).ok().and_then(|rel| rel.to_str()).unwrap_or(path).trim_start_matches("./").to_owned()
}

fn request(context: &Context, mut limits: Limits, budget: Option<u64>) -> Result<PackRequest, OpError> {
    crate::narrow(&context.engine, limits.project.as_deref(), &mut limits.within, &mut limits.exclude)?;
    let mut request = PackRequest {
        scope: Scope { paths: limits.within, languages: limits.languages, kinds: limits.kinds, exclude: limits.exclude, min_score: limits.min_score },
        k: limits.k,
        mmr_lambda: limits.mmr_lambda,
        tokenizer: limits.tokenizer,
        profile: limits.profile,
        strictness: limits.strictness,
        format: limits.format.unwrap_or_default(),
        ..PackRequest::default()
    };
    request.budgets.max_total_tokens = budget;
    Ok(request)
}

/// Builds a pack, with the budget counted on the bytes of the requested format.
pub fn build(context: &Context, request: &PackRequest) -> Result<ContextPack, OpError> {
    let format = if request.format.is_empty() { "text" } else { &request.format };
    let empty = |format: &str| OpError::request(format!("a pack cannot be written as `{format}`"), "Use json, markdown, xml or text.");
    context.go_on()?;
    let reader = context.reader()?;
    context.go_on()?;
    let render = |pack: &ContextPack| (context.render)(pack, format).unwrap_or_default();
    if !["json", "markdown", "xml", "text", "hits", "hits-text"].contains(&format) {
        return Err(empty(format));
    }
    let request = PackRequest { format: format.to_owned(), ..request.clone() };
    let learned = context.learned(&reader, &request.query, request.profile.as_deref())?;
    let pack = context.engine.pack_learned(&reader, &request, learned.as_ref().map(|(learned, _)| learned), learned.as_ref().map(|(_, known)| known), &render)?;
    context.note(&reader, &request.query, &pack);
    Ok(pack)
}

pub fn create(context: &Context, request: PackRequest) -> Result<Answer, OpError> {
    let request = PackRequest { format: if request.format.is_empty() { "json".to_owned() } else { request.format.clone() }, ..request };
    let pack = build(context, &request)?;
    store(context, &pack)?;
    Ok(Answer::Pack(Box::new(pack)))
}

fn store(context: &Context, pack: &ContextPack) -> Result<(), OpError> {
    let request = &pack.request;
    let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
    let summary = PackSummary {
        pack_id: pack.pack_id.clone(),
        created_at: (context.now)(),
        intent: request["intent"].as_str().unwrap_or("answer").to_owned(),
        task: context.engine.scrubber.scrub(&text("query"), "query").text.into_owned(),
        index_signature: pack.index_signature.clone(),
        request: contextd_pack::canonical::to_string(request),
        items: pack.stats.items,
        tokens: pack.stats.tokens.min(u64::from(u32::MAX)) as u32,
    };
    let mut ledger = context.engine.ledger()?;
    ledger.put_pack(&PackRecord { summary, body: pack.canonical().into_bytes() })?;
    ledger.prune_packs(KEPT)?;
    Ok(())
}

pub fn get(context: &Context, input: PackGetInput) -> Result<Answer, OpError> {
    stored(context, &input.pack_id).map(|pack| Answer::Pack(Box::new(pack)))
}

fn stored(context: &Context, id: &str) -> Result<ContextPack, OpError> {
    let ledger = context.engine.ledger()?;
    let mut record = ledger.get_pack(id)?;
    if record.is_none() && id.len() >= 6 {
        let full = ledger.list_packs(KEPT)?.into_iter().map(|summary| summary.pack_id).find(|full| full.starts_with(id));
        record = full.map(|full| ledger.get_pack(&full)).transpose()?.flatten();
    }
    let Some(record) = record else { return Err(OpError::not_found(format!("there is no stored pack `{id}`"), "List them with `contextd pack list`.")) };
    serde_json::from_slice(&record.body).map_err(|error| OpError { code: "POC_E_CONTRACT_VERSION", message: format!("the stored pack cannot be read: {error}"), remedy: "Create it again with `contextd pack create`.".to_owned() })
}

pub fn list(context: &Context, input: ListInput) -> Result<Answer, OpError> {
    let packs = context.engine.ledger()?.list_packs(input.limit.unwrap_or(20))?;
    let found = !packs.is_empty();
    let rows: Vec<_> = packs
        .into_iter()
        .map(|pack| json!({"packId": pack.pack_id, "createdAt": pack.created_at, "intent": pack.intent, "task": pack.task, "items": pack.items, "tokens": pack.tokens, "indexSignature": pack.index_signature}))
        .collect();
    Ok(Answer::Facts(json!({ "packs": rows }), found))
}

pub fn diff(context: &Context, input: PackDiffInput) -> Result<Answer, OpError> {
    let (from, to) = (stored(context, &input.from)?, stored(context, &input.to)?);
    Ok(Answer::Diff(contextd_pack::diff(&from, &to)))
}
