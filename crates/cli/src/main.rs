//! `contextd`: the code an agent needs, from a folder.

mod args;
mod eval;
mod export;
mod init;
mod query;
mod serve;
mod ui;

use anyhow::Context as _;
use args::{Cli, Command};
use clap::{CommandFactory as _, Parser as _};
use contextd_engine::{Engine, EngineOptions, RefreshOptions, WatchEnd};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let cli = Cli::parse_from(Cli::with_command(std::env::args_os().collect()));
    if cli.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    ui::log(cli.verbose);
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            ui::error(&error);
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "contextd", &mut out);
            ui::print(String::from_utf8_lossy(&out).trim_end());
            return Ok(ExitCode::SUCCESS);
        }
        Command::Man => {
            let mut out = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut out)?;
            ui::print(String::from_utf8_lossy(&out).trim_end());
            return Ok(ExitCode::SUCCESS);
        }
        Command::Init(args) => return init::init(&cli, args, &root(&cli)?),
        Command::Uninit(args) => return init::uninit(&cli, args, &root(&cli)?),
        _ => {}
    }
    let engine = open(&cli)?;
    match &cli.command {
        Command::Index { full, watch } => {
            index(&cli, &engine, *full)?;
            if *watch { keep_fresh(&cli, engine) } else { Ok(ExitCode::SUCCESS) }
        }
        Command::Status => status(&cli, &engine),
        Command::Export(args) => export::export(&engine, args),
        Command::Eval(args) => eval::eval(&cli, &engine, args),
        Command::Serve(args) => serve::serve(&cli, args, engine),
        Command::Clean => {
            let freed = engine.places.clean()?;
            ui::say(cli.quiet, &format!("removed {:.1} MB", freed as f64 / 1e6));
            Ok(ExitCode::SUCCESS)
        }
        _ => query::run(&cli, engine),
    }
}

/// Returns the folder that is asked about.
fn root(cli: &Cli) -> anyhow::Result<PathBuf> {
    Ok(match &cli.repo {
        Some(path) => path.clone(),
        None => contextd_scan::find_root(&std::env::current_dir().context("the working directory cannot be read")?),
    })
}

fn open(cli: &Cli) -> anyhow::Result<Engine> {
    let root = root(cli)?;
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

/// Follows the work tree until the program is stopped.
fn keep_fresh(cli: &Cli, engine: Engine) -> anyhow::Result<ExitCode> {
    let mut engine = Arc::new(engine);
    let stop = AtomicBool::new(false);
    loop {
        ui::say(cli.quiet, "watching; end with Ctrl-C");
        let end = engine.watch(&stop, &now, &mut |news| ui::news(cli.quiet, &news))?;
        match end {
            WatchEnd::ConfigChanged => engine = Arc::new(open(cli)?),
            WatchEnd::Stopped | WatchEnd::Gone => return Ok(ExitCode::SUCCESS),
        }
    }
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
    let last = contextd_ops::last_indexed(engine)?;
    Ok(contextd_ops::status_value(&status, last))
}
