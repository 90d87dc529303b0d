//! `contextd feedback`, `report-usage`, `savings`: what was learned and what it saved.

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum FeedbackCommand {
    /// Symbols that were useful for a request
    Useful(JudgeArgs),
    /// Symbols that were not
    NotUseful(JudgeArgs),
    /// List what was learned: judgements, vocabulary, sessions
    List {
        #[arg(long)]
        limit: Option<usize>,
    },
    /// What was learned about one symbol, and what it adds for a request
    Explain {
        symbol: String,
        #[arg(long)]
        query: Option<String>,
    },
    /// Print every judgement as JSON lines
    Export,
    /// Take judgements in that were exported; the same one only once
    Import { file: PathBuf },
    /// Forget what was learned
    Forget {
        symbol: Option<String>,
        /// A session, with the judgements given in it
        #[arg(long)]
        of_session: Option<String>,
        /// What came before this time, in Unix milliseconds
        #[arg(long)]
        before: Option<i64>,
        /// Everything
        #[arg(long)]
        all: bool,
    },
}

#[derive(Args)]
pub struct JudgeArgs {
    /// Names or symbolIds
    #[arg(required = true)]
    symbols: Vec<String>,
    /// The answer that is judged, by its packId
    #[arg(long)]
    pack: Option<String>,
    /// The request it is about, when no answer is named
    #[arg(long)]
    query: Option<String>,
    #[arg(long)]
    note: Option<String>,
}

#[derive(Args)]
pub struct ReportArgs {
    /// Symbols and files that were read or edited
    used: Vec<String>,
    /// Nothing of the answer was used
    #[arg(long, conflicts_with = "used")]
    nothing: bool,
    /// The answer, by its packId; by default the session's last
    #[arg(long)]
    pack: Option<String>,
    /// The request, when no answer is named
    #[arg(long)]
    query: Option<String>,
    #[arg(long)]
    task_id: Option<String>,
    #[arg(long)]
    agent: Option<String>,
    #[arg(long)]
    tokens_input: Option<u64>,
    #[arg(long)]
    tokens_output: Option<u64>,
    /// `before` or `after` context was given
    #[arg(long)]
    phase: Option<String>,
}

#[derive(Args)]
pub struct SavingsArgs {
    /// day, task, kind, session, surface, provider, language, reports or trend
    #[arg(long, default_value = "day")]
    by: String,
    /// Only the last so many days
    #[arg(long)]
    days: Option<i64>,
    #[arg(long)]
    limit: Option<usize>,
}

pub fn feedback(command: &FeedbackCommand) -> anyhow::Result<Value> {
    let judged = |args: &JudgeArgs, list: &str| json!({"action": "judge", list: args.symbols, "packId": args.pack, "query": args.query, "note": args.note});
    Ok(match command {
        FeedbackCommand::Useful(args) => judged(args, "useful"),
        FeedbackCommand::NotUseful(args) => judged(args, "notUseful"),
        FeedbackCommand::List { limit } => json!({"action": "list", "limit": limit}),
        FeedbackCommand::Explain { symbol, query } => {
            json!({"action": "explain", "symbol": symbol, "query": query})
        }
        FeedbackCommand::Export => json!({"action": "export"}),
        FeedbackCommand::Forget { symbol, of_session, before, all } => {
            json!({"action": "forget", "symbol": symbol, "ofSession": of_session, "before": before, "all": all})
        }
        FeedbackCommand::Import { file } => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let mut rows = Vec::new();
            for (number, line) in
                text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
            {
                rows.push(
                    serde_json::from_str::<Value>(line)
                        .with_context(|| format!("{}:{} is no JSON", file.display(), number + 1))?,
                );
            }
            json!({"action": "import", "rows": rows})
        }
    })
}

pub fn report(args: &ReportArgs) -> Value {
    let used = (args.nothing || !args.used.is_empty()).then_some(&args.used);
    json!({"packId": args.pack, "used": used, "query": args.query, "taskId": args.task_id, "agent": args.agent, "tokensInput": args.tokens_input, "tokensOutput": args.tokens_output, "phase": args.phase})
}

pub fn savings(args: &SavingsArgs) -> anyhow::Result<Value> {
    const KNOWN: [&str; 9] =
        ["day", "task", "kind", "session", "surface", "provider", "language", "reports", "trend"];
    if !KNOWN.contains(&args.by.as_str()) {
        bail!("`{}` cannot be grouped by; known: {}", args.by, KNOWN.join(", "));
    }
    let since = args.days.map(|days| crate::now().saturating_sub(days.saturating_mul(86_400_000)));
    Ok(json!({"by": args.by, "since": since, "limit": args.limit}))
}
