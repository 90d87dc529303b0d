//! `contextd eval`: retrieval quality on tasks.

use crate::args::Cli;
use crate::ui;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use contextd_engine::{Engine, Reader};
use contextd_ops::eval::{self, Answered, EvalOptions, EvalRanking};
use contextd_retrieve::{Weights, signals, task, understand};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  contextd eval --tasks tasks.jsonl                  P@10, R@10, NDCG@10 and MRR of tasks with `ground_truth`
  contextd eval --tasks tasks.jsonl --by tier --json
  contextd eval --tasks tasks.jsonl --out answers.jsonl -k 20
  contextd eval --from-git 150                       the last commits of this repository as tasks

A task is one JSON object a line: {\"id\", \"query\", \"ground_truth\": [\"Type.method\", …]} for symbols, or
{\"id\", \"query\", \"relevant\": [\"path\", …], \"secondary\": […]} for files (use --as search).";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct EvalArgs {
    /// Tasks as JSON lines: {"id", "query", "ground_truth"}; `description` is read for `query`
    #[arg(long, required_unless_present = "from_git")]
    tasks: Option<PathBuf>,
    /// Take the last N commits of this repository as tasks: message → touched files and symbols
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "150", conflicts_with = "tasks")]
    from_git: Option<usize>,
    /// Keep only tasks whose field `repo` is this
    #[arg(long, value_name = "NAME")]
    task_repo: Option<String>,
    /// Where the results go, as JSON lines
    #[arg(long)]
    out: Option<PathBuf>,
    /// Field of the tasks by which figures are grouped
    #[arg(long, default_value = "tier")]
    by: String,
    /// Which ranking answers; auto goes by the shape of each request
    #[arg(long = "as", default_value = "task")]
    ranking: Ranking,
    /// Weights that ship with the program: recall or precision
    #[arg(long, default_value = "recall")]
    profile: String,
    /// File with weights, instead of a profile
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Results a task
    #[arg(short, default_value_t = 20)]
    k: usize,
    /// Write the signals of every candidate here, for fitting weights
    #[arg(long, hide = true)]
    signals: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Ranking {
    Task,
    Search,
    Auto,
}

impl Ranking {
    fn of(self) -> EvalRanking {
        match self {
            Ranking::Task => EvalRanking::Task,
            Ranking::Search => EvalRanking::Search,
            Ranking::Auto => EvalRanking::Auto,
        }
    }
}

pub fn eval(cli: &Cli, engine: &Engine, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let options = EvalOptions { ranking: args.ranking.of(), weights: weights(args)?, k: args.k };
    let reader = engine.reader()?;
    let Some(path) = &args.tasks else { return from_git(cli, engine, &reader, args, &options.weights) };
    let tasks = eval::read(&read(path)?, &path.display().to_string(), args.task_repo.as_deref())?;
    anyhow::ensure!(!tasks.is_empty(), "there is no task in {}", path.display());
    if let Some(path) = &args.signals {
        write(path, &tasks.iter().map(|task| signals_of(&reader, &task.query, &task.id)).collect::<String>())?;
    }
    let answered = eval::answer_tasks(&reader, tasks, &options);
    if let Some(path) = &args.out {
        write(path, &lines(&answered))?;
    }
    match eval::measured(&answered, &args.by) {
        Some(table) => ui::print(&if cli.json { table.json().to_string() } else { table.text() }),
        None if args.out.is_none() => anyhow::bail!("the tasks say no `ground_truth` to measure against; give --out to keep the answers"),
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Evaluates on the repository's own commits.
fn from_git(cli: &Cli, engine: &Engine, reader: &Reader, args: &EvalArgs, weights: &Weights) -> anyhow::Result<ExitCode> {
    let count = args.from_git.unwrap_or(150);
    if let Some(path) = &args.signals {
        let lines = eval::change_signals(reader, &eval::mine(reader, count));
        write(path, &lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = eval::from_git(engine, reader, weights, count);
    if report.mined.tasks.is_empty() {
        ui::say(false, "no commit of this repository can serve as a task: there is no history, or no commit with a message touches source files that are still there");
        return Ok(ExitCode::from(1));
    }
    ui::print(&if cli.json { report.json().to_string() } else { report.text() });
    Ok(ExitCode::SUCCESS)
}

fn weights(args: &EvalArgs) -> anyhow::Result<Weights> {
    match &args.weights {
        Some(path) => Weights::parse(&read(path)?).map_err(|error| anyhow::anyhow!("{}: {error}", path.display())),
        None => Weights::profile(&args.profile).with_context(|| format!("there is no profile `{}`; known: {}", args.profile, Weights::names().collect::<Vec<_>>().join(", "))),
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn lines(answered: &[Answered]) -> String {
    answered.iter().fold(String::new(), |mut out, one| {
        let _ = writeln!(out, "{}", one.line());
        out
    })
}

fn signals_of(reader: &Reader, query: &str, id: &serde_json::Value) -> String {
    let (rows, history) = task::candidates(&reader.sources(None), &understand(query));
    let mut out = String::new();
    for (number, values) in rows {
        let symbol = reader.snapshot.symbol(number);
        let test = reader.catalog.is_test(number);
        let _ = writeln!(out, "{}", json!({"id": id, "symbol": symbol.qualified(), "file": symbol.path(), "kind": symbol.kind().name(), "test": test, "history": history, "names": signals::NAMES, "values": values}));
    }
    out
}
