//! `contextd`: the code an agent needs, from a folder.

mod eval;
mod export;
mod ui;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use contextd_engine::{Engine, EngineOptions, RefreshOptions};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(name = "contextd", version, about = "Exactly the code a task needs: local, fast, explained")]
struct Cli {
    /// Folder to index; by default the root found from the working directory
    #[arg(long, global = true)]
    repo: Option<PathBuf>,
    /// Configuration file instead of config/context.toml or context.toml
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    /// Print JSON for programs
    #[arg(long, global = true)]
    json: bool,
    /// Say nothing but the answer
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build or refresh the index (otherwise it happens by itself)
    Index {
        /// Read every file again
        #[arg(long)]
        full: bool,
    },
    /// Show what is indexed
    Status,
    /// Print the index as JSON lines: symbols, edges, chunks or files
    Export(export::ExportArgs),
    /// Print the files that are indexed, one relative path a line
    ListIndexable {
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Measure retrieval quality on tasks
    Eval(eval::EvalArgs),
    /// Remove the index and its caches
    Clean,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            ui::error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let engine = open(cli)?;
    match &cli.command {
        Command::Index { full } => index(cli, &engine, *full),
        Command::Status => status(cli, &engine),
        Command::Export(args) => export::export(&engine, args),
        Command::ListIndexable { limit } => list(&engine, *limit),
        Command::Eval(args) => eval::eval(&engine, args),
        Command::Clean => {
            let freed = engine.places.clean()?;
            ui::say(cli.quiet, &format!("removed {:.1} MB", freed as f64 / 1e6));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn open(cli: &Cli) -> anyhow::Result<Engine> {
    let root = match &cli.repo {
        Some(path) => path.clone(),
        None => contextd_scan::find_root(&std::env::current_dir().context("the working directory cannot be read")?),
    };
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"))).map(|folder| folder.join("contextd"));
    let options = EngineOptions { config: cli.config.clone(), cache };
    Ok(Engine::open(&root, &options, &|name| std::env::var(name).ok())?)
}

fn now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

fn index(cli: &Cli, engine: &Engine, full: bool) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let options = RefreshOptions { full, now: now(), wait: Duration::from_secs(600), ..RefreshOptions::default() };
    let bar = ui::Bar::new(cli.quiet || cli.json);
    let refreshed = engine.refresh(&options, &bar)?;
    bar.finish();
    let elapsed = start.elapsed();
    for problem in refreshed.problems.iter().take(20) {
        ui::say(cli.quiet, &format!("warning: {problem}"));
    }
    if cli.json {
        ui::print(&with_duration(status_json(engine)?, elapsed).to_string());
    } else if !cli.quiet {
        ui::summary(&engine.status()?.unwrap_or_default(), &refreshed, elapsed);
    }
    Ok(ExitCode::SUCCESS)
}

fn with_duration(mut value: serde_json::Value, elapsed: Duration) -> serde_json::Value {
    value["durationMs"] = (elapsed.as_millis() as u64).into();
    value
}

fn status(cli: &Cli, engine: &Engine) -> anyhow::Result<ExitCode> {
    let Some(status) = engine.status()? else {
        ui::say(false, "There is no index yet. Run `contextd index`.");
        return Ok(ExitCode::from(1));
    };
    if cli.json {
        ui::print(&status_json(engine)?.to_string());
    } else {
        ui::status(&status);
    }
    Ok(ExitCode::SUCCESS)
}

fn status_json(engine: &Engine) -> anyhow::Result<serde_json::Value> {
    let status = engine.status()?.unwrap_or_default();
    Ok(serde_json::json!({
        "indexSignature": status.index_signature.to_hex(),
        "files": status.files,
        "symbols": status.symbols,
        "edges": status.edges,
        "chunks": status.chunks,
        "languages": status.languages,
        "sizeBytes": status.size_bytes,
        "sourceBytes": status.source_bytes,
        "stale": status.outdated,
    }))
}

fn list(engine: &Engine, limit: Option<usize>) -> anyhow::Result<ExitCode> {
    let (files, _) = engine.scanner.list_indexable();
    for path in files.iter().take(limit.unwrap_or(usize::MAX)) {
        ui::print(path);
    }
    Ok(ExitCode::SUCCESS)
}
