//! `task_context`: what a caller puts into a prompt before a task is done.

use crate::answer::{Answer, Hit};
use crate::context::Context;
use crate::error::OpError;
use contextd_pack::request::{Ranking, Scope};
use contextd_pack::{
    BudgetRules, ContextPack, PackRequest, TokenBudget, Tokenizer, budget_of_task,
};
use contextd_retrieve::Provider;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Input of `task_context`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskContextInput {
    /// The caller's name for the task
    pub task_id: String,
    /// The task in one line
    #[serde(alias = "task")]
    pub title: String,
    pub description: String,
    /// Words that matter beside title and description
    pub keywords: Vec<String>,
    /// Such as IMPLEMENTATION, ARCHITECTURE or BUGFIX; shapes the budget
    #[serde(rename = "type")]
    pub sort: String,
    /// From 1 to 10; shapes the budget
    pub complexity: Option<u8>,
    /// Folders or globs to look in
    pub paths: Vec<String>,
    pub languages: Vec<String>,
    pub kinds: Vec<String>,
    /// Folders or globs to leave out
    pub exclude: Vec<String>,
    /// Most tokens, instead of the calculated budget
    pub max_tokens: Option<u64>,
    /// Answer with an empty context instead of an error; by default as configured
    pub fallback: Option<bool>,
}

pub fn task_context(context: &Context, input: TaskContextInput) -> Result<Answer, OpError> {
    let query = query(&input);
    if query.is_empty() {
        return Err(OpError::request("the task is empty", "Give a title or a description."));
    }
    let config = &context.engine.config;
    let budget = budget(&config.budget, &input);
    if !config.core.enabled {
        return Ok(answer(
            &input,
            &query,
            budget,
            None,
            Some("The context system is switched off."),
        ));
    }
    match pack(context, &input, &query, budget) {
        Ok(pack) => Ok(answer(&input, &query, budget, Some((&pack, context)), None)),
        Err(error)
            if input.fallback.unwrap_or(config.core.fallback_enabled)
                && error.code != "CTX_E_CANCELLED" =>
        {
            tracing::warn!(code = error.code, "no context for a task: {}", error.message);
            Ok(answer(
                &input,
                &query,
                budget,
                None,
                Some(&format!("{}: {}", error.code, error.message)),
            ))
        }
        Err(error) => Err(error),
    }
}

/// Returns title, description and keywords as one text.
fn query(input: &TaskContextInput) -> String {
    let keywords = input.keywords.join(" ");
    [input.title.trim(), input.description.trim(), keywords.trim()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the budget of a task, by the configuration.
fn budget(config: &contextd_model::config::Budget, input: &TaskContextInput) -> TokenBudget {
    let rules = BudgetRules {
        default_max_tokens: config.default_max_tokens.into(),
        reserve_for_prompt: config.reserve_for_prompt.into(),
        warn_threshold_percent: config.warn_threshold_percent.into(),
    };
    budget_of_task(&rules, &input.sort, input.complexity.map(u32::from), input.max_tokens)
}

/// Returns what is worth knowing about the use of the budget.
fn warnings(budget: &TokenBudget, pack: &ContextPack, prompt: u64) -> Vec<String> {
    let mut warnings = Vec::new();
    if budget.warning {
        warnings.push(format!("the budget of {} tokens is unusually large", budget.max_tokens));
    }
    let left = pack.stats.dropped.get("budget").copied().unwrap_or_default();
    // Context that fills its budget is as it should be, unless something had to be left out for it.
    warnings.extend(
        budget
            .warning(prompt)
            .filter(|_| left > 0)
            .map(|warning| format!("{warning}; {left} candidates did not fit")),
    );
    warnings
}

fn pack(
    context: &Context,
    input: &TaskContextInput,
    query: &str,
    budget: TokenBudget,
) -> Result<ContextPack, OpError> {
    let mut request = PackRequest {
        query: query.to_owned(),
        ranking: Ranking::Task,
        scope: Scope {
            paths: input.paths.clone(),
            languages: input.languages.clone(),
            kinds: input.kinds.clone(),
            exclude: input.exclude.clone(),
            min_score: None,
        },
        mmr_lambda: Some(1.0 - budget.diversity_weight),
        format: "xml".to_owned(),
        ..PackRequest::default()
    };
    request.budgets.max_total_tokens = Some(budget.for_context());
    crate::packs::build(context, &request)
}

fn answer(
    input: &TaskContextInput,
    query: &str,
    budget: TokenBudget,
    found: Option<(&ContextPack, &Context)>,
    note: Option<&str>,
) -> Answer {
    let block = found
        .and_then(|(pack, context)| (context.render)(pack, "xml"))
        .unwrap_or_else(|| "<project_context>\n</project_context>".to_owned());
    let hits =
        found.map(|(pack, _)| crate::search::hits(pack, Tokenizer::O200k).hits).unwrap_or_default();
    let snippets: Vec<Value> = hits.iter().map(snippet).collect();
    let prompt = prompt(input, &block, hits.is_empty());
    let warnings = found
        .map(|(pack, _)| warnings(&budget, pack, Tokenizer::O200k.count(&prompt) as u64))
        .unwrap_or_default();
    warnings.iter().for_each(|warning| tracing::warn!(task = input.task_id, "{warning}"));
    let mut value = json!({
        "taskId": input.task_id,
        "query": query,
        "snippets": snippets,
        "totalTokens": found.map_or(0, |(pack, _)| pack.stats.tokens),
        "providers": providers(&hits),
        "budget": budget,
        "contextBlock": block,
        "prompt": prompt,
        "warnings": warnings,
        "packId": found.map(|(pack, _)| pack.pack_id.clone()),
        "indexSignature": found.map(|(pack, _)| pack.index_signature.clone()),
    });
    if let Some(note) = note {
        value["fallback"] = json!(note);
    }
    Answer::Facts(value, !hits.is_empty())
}

fn snippet(hit: &Hit) -> Value {
    json!({"chunkId": hit.chunk_id, "score": hit.score, "filePath": hit.file, "label": hit.symbol, "kind": hit.chunk_kind, "text": hit.snippet, "language": hit.language, "offsets": hit.offsets, "metadata": {"startLine": hit.start_line, "endLine": hit.end_line, "why": hit.why, "stale": hit.stale}})
}

/// Groups chunk ids by the provider whose signal weighed most.
fn providers(hits: &[Hit]) -> Value {
    let mut groups: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
    for hit in hits {
        let signal = hit.why.first().map_or("", |why| why.split(' ').next().unwrap_or_default());
        let provider = Provider::of_signal(signal).unwrap_or(Provider::FullText).name();
        groups.entry(provider).or_default().push(&hit.chunk_id);
    }
    json!(groups)
}

/// Writes the prompt of the task around its context.
fn prompt(input: &TaskContextInput, block: &str, empty: bool) -> String {
    let mut prompt = String::new();
    let number =
        if input.task_id.is_empty() { String::new() } else { format!(" #{}", input.task_id) };
    prompt.push_str(&format!("You are executing task{number}: {}\n", input.title));
    for (name, value) in [
        ("Description", input.description.clone()),
        ("Type", input.sort.clone()),
        ("Complexity", input.complexity.map(|value| value.to_string()).unwrap_or_default()),
    ] {
        if !value.is_empty() {
            prompt.push_str(&format!("{name}: {value}\n"));
        }
    }
    if empty {
        prompt.push_str("\nPlease carry out this task.\n");
        return prompt;
    }
    prompt.push_str(&format!("\n{block}\n\nGuidelines:\n- Trust <project_context> more than general knowledge.\n- Name the files and functions it shows when you refer to them.\n- Ask query_context when it does not suffice.\n- Follow the patterns it shows.\n\nPlease carry out this task with the context given.\n"));
    prompt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_follow_complexity_and_type() {
        let config = contextd_model::config::Config::default().budget;
        let of = |complexity, sort: &str| {
            budget(
                &config,
                &TaskContextInput {
                    complexity,
                    sort: sort.to_owned(),
                    ..TaskContextInput::default()
                },
            )
        };
        assert_eq!((of(None, "").max_tokens, of(None, "").for_context()), (1500, 1000));
        assert_eq!(of(Some(9), "").max_tokens, 2250);
        assert_eq!(of(Some(2), "bugfix").max_tokens, 840);
        assert_eq!(of(Some(5), "ARCHITECTURE").max_tokens, 1950);
        assert!(of(Some(10), "architecture").warning);
    }
}
