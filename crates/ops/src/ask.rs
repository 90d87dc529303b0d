//! `ask`: a request that names no operation, answered by the ranking that its shape calls for.

use crate::answer::Answer;
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::{Limits, SearchFilters, SearchInput, SearchScope, TaskInput};
use crate::recent::RecentInput;
use contextd_retrieve::{Shape, recent_topic, understand};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Input of `ask`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AskInput {
    /// Work to do, a question or a name
    #[serde(alias = "query", alias = "task")]
    pub request: String,
    /// Identifiers, file names, messages or terms that you expect in the code; guesses are welcome
    pub names: Vec<String>,
    /// Most tokens of the answer
    #[serde(alias = "maxTokens")]
    pub budget: Option<u64>,
    #[serde(flatten)]
    pub limits: Limits,
}

pub fn ask(context: &Context, input: AskInput) -> Result<Answer, OpError> {
    if input.request.trim().is_empty() {
        return Err(OpError::request(
            "the request is empty",
            "Say what is to be done or what you look for.",
        ));
    }
    if let Some(topic) = recent_topic(&input.request) {
        return crate::recent::recent(
            context,
            RecentInput {
                of: topic,
                k: input.limits.k,
                budget: input.budget,
                tokenizer: input.limits.tokenizer,
                format: input.limits.format,
            },
        );
    }
    match understand(&input.request).shape {
        Shape::Task => crate::packs::task(
            context,
            TaskInput {
                task: input.request,
                names: input.names,
                budget: input.budget,
                limits: input.limits,
                ..TaskInput::default()
            },
        ),
        Shape::Question | Shape::Name => crate::search::search(context, question(input)),
    }
}

fn question(input: AskInput) -> SearchInput {
    let limits = input.limits;
    SearchInput {
        query: input.request,
        names: input.names,
        k: limits.k,
        scope: SearchScope {
            paths: limits.within,
            languages: limits.languages,
            kinds: limits.kinds,
            exclude: limits.exclude,
            project: limits.project,
        },
        filters: SearchFilters { min_score: limits.min_score, max_tokens: input.budget },
        tokenizer: limits.tokenizer,
        format: limits.format.filter(|format| format == "json"),
    }
}
