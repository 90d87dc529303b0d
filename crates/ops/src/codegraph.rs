//! `code_graph_context`: entities around a change, by their interfaces.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::CodeGraphInput;
use contextd_pack::codegraph::{QueryContext, code_graph};
use contextd_pack::{PackRequest, Tokenizer};
use serde_json::Value;

pub fn run(context: &Context, input: CodeGraphInput) -> Result<Answer, OpError> {
    if input.entities.is_empty() {
        return Err(OpError::request(
            "no entity is named",
            "Name entities by key, symbolId or name.",
        ));
    }
    let usual = QueryContext::default();
    let query = QueryContext {
        base_entities: input.entities,
        hop_depth: input.hop_depth.unwrap_or(usual.hop_depth),
        change_type: input.change_type.unwrap_or_default(),
        focus_areas: input.focus_areas.unwrap_or(usual.focus_areas),
        size_limit: input.size_limit.unwrap_or(usual.size_limit),
        optimization_strategy: usual.optimization_strategy,
    };
    answer(context, &query, input.tokenizer)
}

/// Answers a request with the graph around the best of what was found for it.
pub fn of_request(context: &Context, request: &PackRequest) -> Result<Answer, OpError> {
    let seeds = crate::packs::build(
        context,
        &PackRequest { format: "json".to_owned(), budgets: Default::default(), ..request.clone() },
    )?;
    let entities: Vec<String> =
        seeds.items().filter_map(|item| item.symbol_id.clone()).take(5).collect();
    let limit = request
        .budgets
        .max_total_tokens
        .unwrap_or(u64::from(context.engine.config.budget.task_tokens));
    answer(
        context,
        &QueryContext { base_entities: entities, size_limit: limit, ..QueryContext::default() },
        request.tokenizer,
    )
}

fn answer(
    context: &Context,
    query: &QueryContext,
    tokenizer: Option<Tokenizer>,
) -> Result<Answer, OpError> {
    let tokenizer = tokenizer
        .or_else(|| Tokenizer::by_name(&context.engine.config.budget.tokenizer))
        .unwrap_or_default();
    let snapshot = context.engine.snapshot()?.ok_or_else(|| {
        contextd_engine::EngineError::NoIndex { root: context.engine.places.root.clone() }
    })?;
    Ok(match code_graph(&snapshot, query, &contextd_pack::time::iso((context.now)()), tokenizer) {
        Ok(graph) => Answer::Facts(graph.to_json(), true),
        Err(error) => Answer::Facts(serde_json::to_value(error).unwrap_or(Value::Null), false),
    })
}
