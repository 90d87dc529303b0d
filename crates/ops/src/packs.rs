//! Packs: for a task, for files, by an explicit request, and those that were stored.

use crate::answer::Answer;
use crate::codegraph;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::{
    FilesInput, Limits, ListInput, PackDiffInput, PackGetInput, PackWriteInput, TaskInput,
};
use crate::pack_cache::{self, Kept};
use contextd_engine::Caller;
use contextd_pack::pack::Timings;
use contextd_pack::request::{Layout, Ranking, Scope};
use contextd_pack::{ContextPack, PackRequest, artifact};
use contextd_store::Ledger;
use serde_json::json;
use std::cell::Cell;
use std::sync::Arc;

/// Items of a pack whose size is given in tokens: the hard caps.
const MAX_ITEMS: u64 = 250;
const MAX_PER_SECTION: u64 = 80;

pub fn task(context: &Context, input: TaskInput) -> Result<Answer, OpError> {
    crate::search::says_something(
        &contextd_retrieve::understood(&input.task, &input.names),
        "task",
    )?;
    let request = PackRequest {
        query: input.task.clone(),
        names: input.names,
        ranking: Ranking::Task,
        layout: Layout::Map,
        intent: input.intent,
        ..request(context, input.limits, input.budget)?
    };
    answer(context, request)
}

/// Answers with the pack, or with the code graph around its seeds where that is the format.
fn answer(context: &Context, request: PackRequest) -> Result<Answer, OpError> {
    if request.format == "codegraph" {
        return codegraph::of_request(context, &request);
    }
    build(context, &request).map(|pack| Answer::Pack(Box::new(pack)))
}

pub fn files(context: &Context, input: FilesInput) -> Result<Answer, OpError> {
    if input.paths.is_empty() {
        return Err(OpError::request(
            "no files are named",
            "Name changed files, relative to the root.",
        ));
    }
    let paths = input.paths.iter().map(|path| relative(context, path)).collect();
    let request = PackRequest {
        query: input.task.clone(),
        names: input.names,
        ranking: Ranking::Task,
        files: paths,
        ..request(context, input.limits, input.budget)?
    };
    answer(context, request)
}

/// Takes the root off a path that was given whole.
pub(crate) fn relative(context: &Context, path: &str) -> String {
    let root = context.engine.places.root.as_path();
    std::path::Path::new(path)
        .strip_prefix(root)
        .ok()
        .and_then(|rel| rel.to_str())
        .unwrap_or(path)
        .trim_start_matches("./")
        .to_owned()
}

fn request(
    context: &Context,
    mut limits: Limits,
    budget: Option<u64>,
) -> Result<PackRequest, OpError> {
    crate::narrow(
        &context.engine,
        limits.project.as_deref(),
        &mut limits.within,
        &mut limits.exclude,
    )?;
    let mut request = PackRequest {
        scope: Scope {
            paths: limits.within,
            languages: limits.languages,
            kinds: limits.kinds,
            exclude: limits.exclude,
            min_score: limits.min_score,
        },
        k: limits.k,
        mmr_lambda: limits.mmr_lambda,
        tokenizer: limits.tokenizer,
        profile: limits.profile,
        strictness: limits.strictness,
        format: limits.format.unwrap_or_default(),
        held: limits.held,
        ..PackRequest::default()
    };
    request.budgets.max_total_tokens = budget;
    // Of many short answers the caps of an explicit request would show too few: tokens are the limit here.
    request.budgets.max_items = Some(MAX_ITEMS);
    request.budgets.max_items_per_section = Some(MAX_PER_SECTION);
    Ok(request)
}

/// Builds a pack, with the budget counted on the bytes of the requested format, or returns the one that
/// was built before.
pub fn build(context: &Context, request: &PackRequest) -> Result<ContextPack, OpError> {
    // A process that ends with its answer leaves the pack to the next one.
    built(context, request, !context.stays).map(|(pack, _)| pack)
}

/// Returns the pack of a request, with the times of its parts when it had to be built.
fn built(
    context: &Context,
    request: &PackRequest,
    lasting: bool,
) -> Result<(ContextPack, Option<Timings>), OpError> {
    let format = if request.format.is_empty() { "text" } else { &request.format };
    context.go_on()?;
    let reader = context.reader()?;
    context.go_on()?;
    let request = PackRequest { format: format.to_owned(), ..request.clone() };
    let held_packs = held(context, &request)?;
    let learned = context.learned(&reader, &request.query, request.profile.as_deref())?;
    // What a session has learned moves with every answer, so only cold packs are remembered.
    let id = if learned.is_none() { context.engine.cache_id(&reader, &request)? } else { None };
    if let Some(pack) = id.as_deref().and_then(|id| pack_cache::find(context, id)) {
        context.note(&reader, &request.query, &pack);
        return Ok((ContextPack { held_packs, ..pack }, None));
    }
    let unknown = Cell::new(false);
    let render = |pack: &ContextPack| {
        (context.render)(pack, &request.format).unwrap_or_else(|| {
            unknown.set(true);
            String::new()
        })
    };
    let caller = Caller {
        learned: learned.as_ref().map(|(learned, _)| learned),
        known: learned.as_ref().map(|(_, known)| known),
        held_packs,
        shelf: Some(&context.shelf),
    };
    let built = context.engine.build_pack(&reader, &request, &caller, &render)?;
    if unknown.get() {
        return Err(OpError::request(
            format!("a pack cannot be written as `{format}`"),
            "Use json, markdown, xml, text, gcf, gcb or codegraph.",
        ));
    }
    context.note(&reader, &request.query, &built.pack);
    if id.is_some() {
        let kept = Kept {
            pack: ContextPack { held_packs: Arc::default(), ..built.pack.clone() },
            reads: built.reads,
        };
        // An answer that cannot be remembered is an answer all the same.
        let _ = pack_cache::keep(context, kept, lasting);
    }
    Ok((built.pack, Some(built.timings)))
}

/// Returns the packs that the caller says it has.
fn held(context: &Context, request: &PackRequest) -> Result<Arc<Vec<ContextPack>>, OpError> {
    let packs: Result<Vec<ContextPack>, OpError> =
        request.held.pack_ids.iter().map(|id| stored(context, id)).collect();
    packs.map(Arc::new)
}

pub fn create(context: &Context, request: PackRequest) -> Result<Answer, OpError> {
    let request = PackRequest {
        format: if request.format.is_empty() { "json".to_owned() } else { request.format.clone() },
        ..request
    };
    let (mut pack, timings) = built(context, &request, true)?;
    if context.engine.ledger()?.get_pack(&pack.pack_id)?.is_none() {
        pack_cache::store(context, &pack, None)?;
    }
    pack.created_at = created_at(context, &pack.pack_id)?;
    pack.stats.timings = timings;
    Ok(Answer::Pack(Box::new(pack)))
}

/// Returns when a stored pack was made first.
fn created_at(context: &Context, id: &str) -> Result<Option<String>, OpError> {
    Ok(context
        .engine
        .ledger()?
        .get_pack(id)?
        .map(|record| contextd_pack::time::iso(record.summary.created_at)))
}

pub fn get(context: &Context, input: PackGetInput) -> Result<Answer, OpError> {
    let mut pack = stored(context, &input.pack_id)?;
    pack.created_at = created_at(context, &pack.pack_id)?;
    Ok(Answer::Pack(Box::new(pack)))
}

/// Finds a pack by its id or the start of it: in memory, in the ledger, in the artifact.
pub fn stored(context: &Context, id: &str) -> Result<ContextPack, OpError> {
    if let Some(kept) = context.packs.get(id) {
        return Ok(kept.pack.clone());
    }
    let ledger = context.engine.ledger()?;
    let mut record = ledger.get_pack(id)?;
    if record.is_none() && id.len() >= 6 {
        let full = ledger
            .list_packs(pack_cache::KEPT)?
            .into_iter()
            .map(|summary| summary.pack_id)
            .find(|full| full.starts_with(id));
        record = full.map(|full| ledger.get_pack(&full)).transpose()?.flatten();
    }
    if let Some(record) = record {
        return Ok(artifact::parse(&record.body)?);
    }
    let written = contextd_engine::artifacts::read(&context.engine.artifacts())?;
    let found = written
        .into_iter()
        .find(|pack| pack.pack_id == id || id.len() >= 6 && pack.pack_id.starts_with(id));
    found.ok_or_else(|| {
        OpError::not_found(
            format!("there is no stored pack `{id}`"),
            "List them with `contextd pack list`.",
        )
    })
}

/// Writes stored packs to the artifact of the index.
pub fn write(context: &Context, input: PackWriteInput) -> Result<Answer, OpError> {
    let packs: Vec<ContextPack> =
        input.pack_ids.iter().map(|id| stored(context, id)).collect::<Result<_, _>>()?;
    let records = contextd_engine::artifacts::write(
        &context.engine.artifacts(),
        &packs,
        artifact::MAX_SHARD,
    )?;
    Ok(Answer::Facts(
        json!({"written": packs.iter().map(|pack| &pack.pack_id).collect::<Vec<_>>(), "records": records, "artifact": artifact::RECORDS}),
        true,
    ))
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
