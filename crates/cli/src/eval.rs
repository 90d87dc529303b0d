//! `contextd eval`: retrieval quality on tasks.

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use contextd_engine::{Engine, Reader};
use contextd_retrieve::search::{self, SearchWeights};
use contextd_retrieve::{Weights, signals, task, understand};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Args)]
pub struct EvalArgs {
    /// Tasks as JSON lines: {"id", "query"}; `description` is read for `query`
    #[arg(long)]
    tasks: PathBuf,
    /// Where the results go, as JSON lines
    #[arg(long)]
    out: PathBuf,
    /// Which ranking answers
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
}

pub fn eval(engine: &Engine, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let weights = match &args.weights {
        Some(path) => Weights::parse(&std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?,
        None => Weights::profile(&args.profile).with_context(|| format!("there is no profile `{}`; known: {}", args.profile, Weights::names().collect::<Vec<_>>().join(", ")))?,
    };
    let reader = engine.reader()?;
    let text = std::fs::read_to_string(&args.tasks).with_context(|| format!("cannot read {}", args.tasks.display()))?;
    let (mut out, mut dump) = (String::new(), String::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let task: Value = serde_json::from_str(line).with_context(|| format!("{}:{}", args.tasks.display(), number + 1))?;
        let Some(query) = task["query"].as_str().or_else(|| task["description"].as_str()) else { bail!("{}:{}: no `query`", args.tasks.display(), number + 1) };
        let start = Instant::now();
        let results = match args.ranking {
            Ranking::Task => tasks(&reader, query, &weights, args.k),
            Ranking::Search => questions(&reader, query, &weights.search, args.k),
        };
        let latency = start.elapsed().as_secs_f64() * 1e3;
        let _ = writeln!(out, "{}", json!({"task_id": task["id"], "results": results, "latency_ms": latency}));
        if args.signals.is_some() {
            dump_signals(&reader, query, &task["id"], &mut dump);
        }
    }
    std::fs::write(&args.out, out).with_context(|| format!("cannot write {}", args.out.display()))?;
    if let Some(path) = &args.signals {
        std::fs::write(path, dump)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tasks(reader: &Reader, query: &str, weights: &Weights, k: usize) -> Vec<Value> {
    let ranked = task::rank(&reader.sources(None), &understand(query), weights);
    ranked.iter().take(k).map(|hit| symbol(reader, hit.symbol, None, hit.score)).collect()
}

fn questions(reader: &Reader, query: &str, weights: &SearchWeights, k: usize) -> Vec<Value> {
    let ranked = search::rank(&reader.sources(None), &understand(query), weights, k);
    let mut results = Vec::new();
    for file in &ranked {
        for range in &file.ranges {
            results.push(symbol(reader, range.symbol, Some((range.start_line, range.end_line)), file.score));
        }
    }
    results.truncate(k);
    results
}

fn symbol(reader: &Reader, number: u32, lines: Option<(u32, u32)>, score: f32) -> Value {
    let symbol = reader.snapshot.symbol(number);
    let (start, end) = lines.unwrap_or((symbol.start_line(), symbol.end_line()));
    json!({"symbol": symbol.qualified(), "kind": symbol.kind().name(), "file": symbol.path(), "start_line": start, "end_line": end, "score": score})
}

fn dump_signals(reader: &Reader, query: &str, id: &Value, out: &mut String) {
    let (rows, history) = task::candidates(&reader.sources(None), &understand(query));
    for (number, values) in rows {
        let symbol = reader.snapshot.symbol(number);
        let test = reader.catalog.is_test(number);
        let _ = writeln!(out, "{}", json!({"id": id, "symbol": symbol.qualified(), "file": symbol.path(), "kind": symbol.kind().name(), "test": test, "history": history, "names": signals::NAMES, "values": values}));
    }
}
