//! `report_usage`: what of an answer was used, and tokens spent.

use crate::accounts::step;
use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::feedback::Judged;
use contextd_store::{Feedback, Ledger, UsageRecord, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;

/// Input of `report_usage`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReportInput {
    /// The answer; by default the session's last
    pub pack_id: Option<String>,
    /// Symbols and files that were read or edited; an empty list says that nothing was
    pub used: Option<Vec<String>>,
    /// The request, when no answer is named
    pub query: Option<String>,
    pub task_id: Option<String>,
    /// Who worked
    pub agent: Option<String>,
    /// Tokens sent to and received from a model
    pub tokens_input: Option<u64>,
    pub tokens_output: Option<u64>,
    /// `before` or `after` context was given, for comparing tasks; `after` by default
    pub phase: Option<Phase>,
}

/// When tokens were spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Before,
    After,
}

pub fn report(context: &Context, input: ReportInput) -> Result<Answer, OpError> {
    let spent = input.tokens_input.is_some() || input.tokens_output.is_some();
    if input.used.is_none() && !spent {
        return Err(OpError::request(
            "nothing is reported",
            "Say what was used (`used`) or what was spent (`tokensInput`, `tokensOutput`).",
        ));
    }
    context.flush();
    let mut ledger = context.engine.ledger()?;
    if spent {
        ledger.usage_record(&[spending(context, &input)])?;
    }
    let Some(used) = &input.used else { return Ok(Answer::Facts(json!({"recorded": 0}), true)) };
    let reader = context.reader()?;
    let judged =
        Judged::of(context, &reader, &ledger, input.pack_id.as_deref(), input.query.as_deref())?;
    let is_used = |target: &str, name: &str, path: &str| {
        used.iter().any(|said| said == target || said == path || same_name(said, name))
    };
    let mut rows: Vec<Feedback> = Vec::new();
    let mut skipped: Vec<&str> = Vec::new();
    for item in judged.items.iter().filter(|item| item.target.starts_with("scip-contextd ")) {
        let verdict = if is_used(&item.target, &item.name, &item.path) {
            Verdict::Used
        } else {
            Verdict::Unused
        };
        // Code that is gone since cannot be learned about.
        rows.extend(judged.row(context, &reader, &item.target, verdict, None).ok());
    }
    for said in used.iter().filter(|said| {
        !judged
            .items
            .iter()
            .any(|item| **said == item.target || **said == item.path || same_name(said, &item.name))
    }) {
        match judged.row(context, &reader, said, Verdict::Used, None) {
            Ok(row) => rows.push(row),
            Err(_) => skipped.push(said),
        }
    }
    ledger.put_feedback(&rows)?;
    let taken: BTreeSet<String> = rows
        .iter()
        .filter(|row| row.verdict == Verdict::Used)
        .map(|row| row.target.clone())
        .collect();
    if let Some(pack_id) = &judged.pack_id {
        ledger.usage_used(pack_id, &taken)?;
    }
    if let Some(session) = &context.asker.session {
        let names: Vec<(String, String)> = taken
            .iter()
            .map(|id| {
                (
                    id.clone(),
                    judged
                        .items
                        .iter()
                        .find(|item| item.target == *id)
                        .map_or_else(String::new, |item| item.name.clone().into_owned()),
                )
            })
            .collect();
        step(&mut ledger, session, (context.now)(), &mut |view| view.used(&names))?;
    }
    Ok(Answer::Facts(
        json!({"recorded": rows.len(), "used": taken.len(), "unused": rows.len() - taken.len(), "unknown": skipped, "packId": judged.pack_id}),
        true,
    ))
}

/// True when `said` is the name or its end, part by part.
fn same_name(said: &str, name: &str) -> bool {
    let said = said.replace("::", ".");
    let said = said.trim_end_matches("()");
    name == said || name.strip_suffix(said).is_some_and(|rest| rest.ends_with('.'))
}

fn spending(context: &Context, input: &ReportInput) -> UsageRecord {
    let op =
        if input.phase == Some(Phase::Before) { "before_integration" } else { "after_integration" };
    UsageRecord {
        ts: (context.now)(),
        op: op.to_owned(),
        agent: input.agent.clone(),
        task_id: input.task_id.clone(),
        tokens_input: input.tokens_input,
        tokens_output: input.tokens_output,
        surface: Some(context.asker.surface.to_owned()),
        session_id: context.asker.session.clone(),
        pack_id: input.pack_id.clone(),
        ..UsageRecord::default()
    }
}
