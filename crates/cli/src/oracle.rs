//! Commands on declared knowledge.

use crate::args::{Cli, Command};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Args)]
pub struct RefArgs {
    /// Refs of declared nodes; the first is the focus
    #[arg(required = true)]
    refs: Vec<String>,
    /// Edges to follow
    #[arg(long, default_value_t = 2)]
    depth: u32,
    /// Most nodes
    #[arg(long, default_value_t = 20)]
    max_nodes: usize,
    /// Most pieces of documents
    #[arg(long, default_value_t = 10)]
    max_chunks: usize,
    /// Tag of the bundle you have: when it still holds, only that is said
    #[arg(long)]
    etag: Option<String>,
    /// Print Markdown; the default
    #[arg(long, hide = true)]
    markdown: bool,
}

impl RefArgs {
    /// Returns the refs, or the words of a task.
    pub fn refs(&self) -> &[String] {
        &self.refs
    }
}

#[derive(Subcommand)]
pub enum DocsCommand {
    /// Say which documents no longer agree with the code: exit 0 fresh, 1 error, 2 stale
    Check(DocsCheckArgs),
    /// Record that documents agree with the code again
    Update(DocsUpdateArgs),
}

#[derive(Args)]
pub struct DocsCheckArgs {
    /// Refs or documents; none means all
    refs: Vec<String>,
    /// Compare with a revision instead of .contextd/sync.lock
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// One line a document, tabs between the parts
    #[arg(long)]
    pub porcelain: bool,
}

#[derive(Args)]
pub struct DocsUpdateArgs {
    /// Refs or documents that agree with the code again
    #[arg(required_unless_present = "all")]
    refs: Vec<String>,
    /// Record everything as it is
    #[arg(long)]
    all: bool,
    /// Taken for granted: nothing is asked
    #[arg(long, short = 'y', hide = true)]
    yes: bool,
}

/// Returns the operation of a command, its input, and whether the index should be fresh.
pub fn operation(cli: &Cli) -> anyhow::Result<(&'static str, Value, bool)> {
    Ok(match &cli.command {
        Command::Ref(args) | Command::Ctx(args) => (
            "get_context",
            json!({"ref_ids": args.refs, "depth": args.depth, "max_nodes": args.max_nodes, "max_chunks": args.max_chunks, "etag": args.etag}),
            true,
        ),
        Command::Docs { command: DocsCommand::Check(args) } | Command::SyncCheck(args) => {
            ("sync_check", json!({"refs": args.refs, "since": args.since}), true)
        }
        Command::Docs { command: DocsCommand::Update(args) } | Command::SyncUpdate(args) => {
            ("sync_update", json!({"refs": args.refs, "all": args.all}), true)
        }
        Command::Lint { strict } => ("lint", json!({ "strict": strict }), true),
        Command::Graph { target, depth, max_nodes } => {
            ("graph", json!({"target": target, "depth": depth, "max_nodes": max_nodes}), true)
        }
        Command::Prime => ("prime", json!({ "budget": cli.budget }), true),
        _ => anyhow::bail!("the command is not about declared knowledge"),
    })
}

/// Returns the exit code of an answer; checks of documents tell stale (2) from errors (1), as hooks expect.
pub fn exit(command: &Command, found: bool) -> ExitCode {
    ExitCode::from(match found {
        true => 0,
        false if is_doc_check(command) => 2,
        false => 1,
    })
}

/// Returns the exit code of a refusal.
pub fn refused(command: &Command, not_found: bool) -> ExitCode {
    ExitCode::from(if not_found || is_doc_check(command) { 1 } else { 2 })
}

/// Returns the exit code of a command that could not be run.
pub fn failed(command: &Command) -> u8 {
    if is_doc_check(command) { 1 } else { 2 }
}

fn is_doc_check(command: &Command) -> bool {
    matches!(command, Command::Docs { command: DocsCommand::Check(_) } | Command::SyncCheck(_))
}

/// True when one line a document is wanted.
pub fn is_porcelain(command: &Command) -> bool {
    matches!(command, Command::Docs { command: DocsCommand::Check(args) } | Command::SyncCheck(args) if args.porcelain)
}
