//! `contextd`: the code an agent needs, from a folder.

mod args;
mod eval;
mod examples;
mod export;
mod init;
mod learn;
mod man;
mod memory;
mod oracle;
mod packs;
mod query;
mod reference;
mod serve;
mod show;
mod ui;
mod welcome;

use anyhow::Context as _;
use args::{Cli, Command};
use clap::FromArgMatches as _;
use contextd_engine::{Engine, EngineOptions, RefreshOptions, WatchEnd};
use contextd_render::Format;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    memory::keep();
    if std::env::args_os().len() == 1 {
        return welcome::welcome();
    }
    let words = Cli::with_command(std::env::args_os().collect());
    let cli = match args::command()
        .try_get_matches_from(words.clone())
        .and_then(|matches| Cli::from_arg_matches(&matches))
    {
        Ok(cli) => Cli { json: cli.json || cli.format() == Format::Json, ..cli },
        Err(error) => return ui::usage(&error, &words),
    };
    if cli.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    ui::log(cli.verbose, matches!(&cli.command, Command::Serve(args) if args.log_json));
    let json = cli.format() == Format::Json;
    let failed = oracle::failed(&cli.command);
    if matches!(&cli.command, Command::Serve(_) | Command::Index { watch: true, .. }) {
        memory::give_back_at_rest();
    }
    let code = run(cli).unwrap_or_else(|error| {
        ui::error(&error, json);
        ExitCode::from(failed)
    });
    memory::leave();
    code
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(*shell, &mut args::command(), "contextd", &mut out);
            ui::print(String::from_utf8_lossy(&out).trim_end());
            return Ok(ExitCode::SUCCESS);
        }
        Command::Man { command, out } => return man::man(command.as_deref(), out.as_deref()),
        Command::Reference { out } => return reference::reference(out),
        Command::Init(args) => return init::init(&cli, args, &root(&cli)?),
        Command::Uninit(args) => return init::uninit(&cli, args, &root(&cli)?),
        _ => {}
    }
    let engine = open(&cli)?;
    // What reads the index makes one where there is none; with other folders named, this one is not asked.
    let reads_index = match &cli.command {
        Command::Export(_) => true,
        Command::Eval(args) => args.repos.is_none(),
        _ => false,
    };
    // What leaves the index for other programs is brought up to date, as answers are.
    if reads_index && (matches!(cli.command, Command::Export(_)) || engine.snapshot()?.is_none()) {
        query::refresh(&cli, &engine, None)?;
    }
    match &cli.command {
        Command::Index { full, watch } => {
            index(&cli, &engine, *full)?;
            if *watch { keep_fresh(&cli, engine) } else { Ok(ExitCode::SUCCESS) }
        }
        Command::Status { check } => status(&cli, &engine, *check),
        Command::Export(args) => export::export(&engine, args),
        Command::Eval(args) => eval::eval(&cli, &engine, args),
        Command::Serve(args) => serve::serve(&cli, args, engine),
        Command::Clean => {
            let freed = engine.places.clean()?;
            if cli.json {
                ui::print(&serde_json::json!({ "removedBytes": freed }).to_string());
            }
            ui::say(cli.quiet || cli.json, &format!("removed {}", show::bytes(freed)));
            Ok(ExitCode::SUCCESS)
        }
        Command::Pack { command: args::PackCommand::Export { folder, ids } } => {
            packs::export(&cli, &engine, folder, ids)
        }
        Command::Pack { command: args::PackCommand::Import { place } } => {
            packs::import(&cli, &engine, place)
        }
        _ => query::run(&cli, engine),
    }
}

/// Returns the folder that is asked about.
fn root(cli: &Cli) -> anyhow::Result<PathBuf> {
    Ok(match &cli.repo {
        Some(path) => path.clone(),
        None => contextd_scan::find_root(
            &std::env::current_dir().context("the working directory cannot be read")?,
        ),
    })
}

fn open(cli: &Cli) -> anyhow::Result<Engine> {
    Ok(Engine::open(&root(cli)?, &engine_options(cli), &|name| std::env::var(name).ok())?)
}

fn engine_options(cli: &Cli) -> EngineOptions {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .map(|folder| folder.join("contextd"));
    EngineOptions { config: cli.config.clone(), cache }
}

fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_millis() as i64)
}

fn index(cli: &Cli, engine: &Engine, full: bool) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let options = RefreshOptions {
        full,
        quick: true,
        by_hand: true,
        now: now(),
        wait: Duration::from_secs(600),
        ..RefreshOptions::default()
    };
    let bar = ui::Bar::new(cli.quiet || cli.json);
    let refreshed = engine.refresh(&options, &bar)?;
    bar.finish();
    let elapsed = start.elapsed();
    for problem in engine.problems.iter().chain(&refreshed.problems).take(20) {
        ui::say(cli.quiet, &format!("warning: {problem}"));
    }
    if refreshed.files == 0 {
        ui::say(
            cli.quiet,
            "warning: no file belongs to the index: `contextd project-stats` says what was left out, `contextd check-file PATH` why",
        );
    }
    if cli.json {
        let value = contextd_ops::status_value(
            &engine.status_after_run()?.unwrap_or_default(),
            contextd_ops::last_indexed(engine)?,
        );
        ui::print(&with_duration(value, elapsed).to_string());
    } else if !cli.quiet {
        ui::summary(&engine.status_after_run()?.unwrap_or_default(), &refreshed, elapsed);
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
            WatchEnd::ConfigChanged => match open(cli) {
                Ok(changed) => engine = Arc::new(changed),
                Err(error) => ui::say(
                    false,
                    &format!(
                        "warning: {error}: it is left out until it is right, see `contextd validate-config`"
                    ),
                ),
            },
            WatchEnd::Stopped => return Ok(ExitCode::SUCCESS),
            WatchEnd::Gone => return Err(engine.places.gone().into()),
        }
    }
}

fn with_duration(mut value: serde_json::Value, elapsed: Duration) -> serde_json::Value {
    value["durationMs"] = (elapsed.as_millis() as u64).into();
    value
}

/// How long files are looked at for the state of the index: with what else there is to do, nobody notices.
const GLANCE: Duration = Duration::from_millis(8);

fn status(cli: &Cli, engine: &Engine, check: bool) -> anyhow::Result<ExitCode> {
    let Some(status) = (if check { engine.status() } else { engine.status_within(GLANCE) })? else {
        if cli.json {
            ui::print(&serde_json::json!({"error": {"code": "POC_E_INDEX_MISSING", "message": "there is no index yet", "remedy": "Run `contextd index`."}}).to_string());
        }
        ui::say(
            cli.quiet,
            "There is no index yet. Run `contextd index`, or ask something: `contextd search WORDS`.",
        );
        return Ok(ExitCode::from(1));
    };
    if cli.json {
        ui::print(
            &contextd_ops::status_value(&status, contextd_ops::last_indexed(engine)?).to_string(),
        );
    } else {
        ui::status(&status);
    }
    Ok(ExitCode::SUCCESS)
}
