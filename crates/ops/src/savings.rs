//! `savings`: what answers cost against reading whole files, and what each provider gave.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use contextd_store::{Ledger, UsageBy, UsageFilter, UsageGroup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the savings are grouped by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SavingsBy {
    #[default]
    Day,
    Task,
    /// Operation
    Kind,
    Session,
    Surface,
    /// Who found the items, and what of them was used
    Provider,
    /// What is indexed of each language
    Language,
    /// Tasks reported before and after context was given, most saved first
    Reports,
    /// Mean tokens of reported tasks for each day
    Trend,
}

/// Input of `savings`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SavingsInput {
    pub by: SavingsBy,
    /// From this time on, Unix milliseconds
    pub since: Option<i64>,
    /// Before this time
    pub until: Option<i64>,
    /// Most rows, 50 by default
    pub limit: Option<usize>,
}

/// The stated comparison; see `accounts::baseline`.
pub const BASELINE: &str = "each file that an answer shows text of, read once, at most 2,000 lines, a token for four bytes; searching and wrong turns not counted";

pub fn savings(context: &Context, input: SavingsInput) -> Result<Answer, OpError> {
    context.flush();
    let ledger = context.engine.ledger()?;
    let limit = input.limit.unwrap_or(50);
    let filter = UsageFilter { since: input.since, until: input.until, ..UsageFilter::default() };
    let by = match input.by {
        SavingsBy::Day => UsageBy::Day,
        SavingsBy::Task => UsageBy::Task,
        SavingsBy::Kind => UsageBy::Kind,
        SavingsBy::Session => UsageBy::Session,
        SavingsBy::Surface => UsageBy::Surface,
        SavingsBy::Provider => return Ok(rows("providers", providers(&ledger)?)),
        SavingsBy::Language => return Ok(rows("languages", languages(&ledger)?)),
        SavingsBy::Reports => return before_and_after(&ledger, &filter, limit),
        SavingsBy::Trend => return Ok(rows("days", trend(&ledger)?)),
    };
    let mut groups = ledger.usage_groups(by, &filter)?;
    let total = total(&groups);
    if by == UsageBy::Task {
        groups.sort_by(|a, b| saved(b).cmp(&saved(a)).then_with(|| a.key.cmp(&b.key)));
    }
    let list: Vec<Value> = groups.iter().take(limit).map(group).collect();
    Ok(Answer::Facts(
        json!({"baseline": BASELINE, "total": group(&total), "groups": list}),
        total.queries > 0,
    ))
}

fn rows(name: &str, list: Vec<Value>) -> Answer {
    let found = !list.is_empty();
    Answer::Facts(json!({ name: list }), found)
}

fn saved(group: &UsageGroup) -> i64 {
    group.baseline_tokens as i64 - group.compared_tokens as i64
}

/// Losses are shown like gains.
fn group(group: &UsageGroup) -> Value {
    let share = (group.baseline_tokens > 0)
        .then(|| (saved(group) as f64 / group.baseline_tokens as f64 * 1e3).round() / 10.0);
    json!({"key": group.key, "queries": group.queries, "tokens": group.context_tokens, "baselineTokens": group.baseline_tokens, "savedTokens": saved(group), "savedPercent": share, "avgLatencyMs": group.avg_latency_ms, "items": group.snippets, "itemsUsed": group.used})
}

fn total(groups: &[UsageGroup]) -> UsageGroup {
    let mut total = UsageGroup { key: "total".to_owned(), ..UsageGroup::default() };
    let mut latency = 0.0;
    for group in groups {
        total.queries += group.queries;
        total.context_tokens += group.context_tokens;
        total.baseline_tokens += group.baseline_tokens;
        total.compared_tokens += group.compared_tokens;
        total.snippets += group.snippets;
        total.used += group.used;
        latency += group.avg_latency_ms.unwrap_or(0.0) * group.queries as f64;
    }
    total.avg_latency_ms = (total.queries > 0).then(|| latency / total.queries as f64);
    total
}

fn providers(ledger: &dyn Ledger) -> Result<Vec<Value>, OpError> {
    let rows = ledger.usage_providers()?;
    let row = |row: &contextd_store::ProviderUsage| {
        let rate = (row.reported > 0).then(|| row.used as f64 / row.reported as f64);
        json!({"provider": row.provider, "queries": row.queries, "provided": row.provided, "reported": row.reported, "used": row.used, "usedRate": rate, "avgScore": row.avg_score, "avgLatencyMs": row.avg_latency_ms, "cacheHitRate": row.cache_hit_rate})
    };
    Ok(rows.iter().map(row).collect())
}

fn languages(ledger: &dyn Ledger) -> Result<Vec<Value>, OpError> {
    let stats = ledger.stats()?;
    Ok(stats.languages.iter().map(|row| json!({"language": row.lang, "files": row.files, "chunks": row.chunks, "tokens": row.tokens})).collect())
}

fn reports(ledger: &dyn Ledger, limit: usize) -> Result<Vec<Value>, OpError> {
    let tasks = ledger.usage_savings(limit)?;
    Ok(tasks.iter().map(|task| json!({"taskId": task.task_id, "before": task.before, "after": task.after, "reductionPercent": task.reduction_pct})).collect())
}

/// Answers with what reported tasks cost on average before and after context was given, and task by task.
fn before_and_after(
    ledger: &dyn Ledger,
    filter: &UsageFilter,
    limit: usize,
) -> Result<Answer, OpError> {
    let (before, after) = (
        averages(ledger, filter, "before_integration")?,
        averages(ledger, filter, "after_integration")?,
    );
    let total = |side: &Value| side["avgTotal"].as_f64();
    let reduction = total(&before)
        .zip(total(&after))
        .filter(|(before, _)| *before > 0.0)
        .map(|(before, after)| ((before - after) / before * 1e3).round() / 10.0);
    let tasks = reports(ledger, limit)?;
    let found = before["reports"] != 0 || after["reports"] != 0;
    Ok(Answer::Facts(
        json!({"before": before, "after": after, "reductionPercent": reduction, "tasks": tasks}),
        found,
    ))
}

fn averages(ledger: &dyn Ledger, filter: &UsageFilter, op: &str) -> Result<Value, OpError> {
    let sums = ledger.usage_summary(&UsageFilter { op: Some(op.to_owned()), ..filter.clone() })?;
    let mean = |tokens: u64| (sums.count > 0).then(|| tokens as f64 / sums.count as f64);
    Ok(
        json!({"reports": sums.count, "avgInput": mean(sums.tokens_input), "avgOutput": mean(sums.tokens_output), "avgTotal": mean(sums.tokens_input + sums.tokens_output)}),
    )
}

fn trend(ledger: &dyn Ledger) -> Result<Vec<Value>, OpError> {
    let days = ledger.usage_by_day("after_integration")?;
    Ok(days
        .iter()
        .map(|day| json!({"day": day.day, "tasks": day.count, "avgTokens": day.avg_tokens}))
        .collect())
}
