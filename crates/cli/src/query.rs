//! Commands that are operations: their arguments become input, their answers text.

use crate::args::{Cli, Command, PackCommand, ScopeArgs};
use crate::{learn, packs, show, ui};
use anyhow::Context as _;
use contextd_engine::{Coverage, Engine, EngineError, RefreshOptions};
use contextd_ops::{Answer, Context, Listening, OpError, Operation, Trial, ahead, find, fit};
use contextd_pack::PackRequest;
use contextd_render::Format;
use contextd_snapshot::SnapshotName;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Runs an operation for a command and prints its answer; `None` when the command is no operation.
pub fn run(cli: &Cli, engine: Engine) -> anyhow::Result<ExitCode> {
    let (name, mut input, fresh) = operation(cli, &engine)?;
    if let Some(map) = input.as_object_mut() {
        map.extend(cli.session.iter().map(|id| ("session".to_owned(), json!(id))));
        map.extend(
            [("cold", cli.cold), ("delta", cli.delta)]
                .into_iter()
                .filter(|(_, said)| *said)
                .map(|(name, said)| (name.to_owned(), json!(said))),
        );
    }
    let context = Context::new(Arc::new(engine), crate::now, contextd_render::pack, false);
    let operation = find(name).with_context(|| format!("there is no operation `{name}`"))?;
    let (context, answer) = answer(cli, context, operation, input, fresh)?;
    let answer = answer.map(|answer| within_budget(cli, answer));
    match answer {
        Ok(answer) if packs::is_written(cli) => packs::write(cli, &context, &answer),
        Ok(answer) => {
            print(cli, &answer, fresh && context.engine.coverage() == Coverage::Part);
            if matches!(answer, Answer::Pack(_) | Answer::Hits(_)) && !answer.found() {
                ui::say(cli.quiet || cli.json, &advice(cli, &context.engine, &answer));
            }
            context.flush();
            context.leave();
            Ok(crate::oracle::exit(&cli.command, answer.found()))
        }
        Err(error) => Ok(refuse(cli, &error)),
    }
}

/// Runs an operation, where it wants that on an index that is up to date. Most often nothing has changed: the answer is
/// made while that is found out.
fn answer(
    cli: &Cli,
    context: Context,
    operation: &'static Operation,
    input: Value,
    fresh: bool,
) -> anyhow::Result<(Context, Result<Answer, OpError>)> {
    if !fresh {
        let answer = (operation.run)(&context, input);
        return Ok((context, answer));
    }
    if context.engine.coverage() == Coverage::Nothing {
        refresh(cli, &context.engine, None)?;
    } else if let Some((context, answer)) =
        ahead(&context, operation, &input, |trial| refresh(cli, &context.engine, Some(trial)))?
    {
        return Ok((context, Ok(answer)));
    }
    let answer = (operation.run)(&context, input);
    Ok((context, answer))
}

/// Keeps what is no pack inside the budget that was asked for; what a test runner is told stays whole.
fn within_budget(cli: &Cli, answer: Answer) -> Answer {
    let format = cli.format();
    let Some(budget) = cli.budget.filter(|_| !matches!(format, Format::Runner(_))) else {
        return answer;
    };
    let tokenizer = cli.tokenizer.unwrap_or_default();
    fit(answer, usize::try_from(budget).unwrap_or(usize::MAX), |answer| {
        tokenizer.count(&contextd_render::answer(answer, format))
    })
}

/// Says what to do when an answer has nothing in it.
fn advice(cli: &Cli, engine: &Engine, answer: &Answer) -> String {
    if let Some(candidates) = answer.too_small_for() {
        return format!(
            "{} found, but the budget holds none: give a larger --budget.",
            show::counted(u64::from(candidates), "candidate")
        );
    }
    let is_missing = |path: &&String| {
        !path.contains(['*', '?', '[', '{']) && !engine.places.root.join(path).exists()
    };
    if let Some(path) = cli.command.scope().and_then(|scope| scope.path.iter().find(is_missing)) {
        return format!(
            "There is no `{path}` under {}: --path names a folder or a glob from there.",
            engine.places.root.display()
        );
    }
    "Try other words or fewer filters, a name with `contextd symbol NAME`, or `contextd prime` for what there is.".to_owned()
}

/// Prints an answer; `partial` says that it knows only the first files, which programs are told.
fn print(cli: &Cli, answer: &Answer, partial: bool) {
    if let (Answer::Pack(pack), Format::Gcb) = (answer, cli.format()) {
        return ui::print_bytes(&contextd_render::gcb::pack(pack));
    }
    let format = match answer {
        Answer::Facts(..)
            if matches!(cli.command, Command::Schema { .. } | Command::Codegraph { .. }) =>
        {
            Format::Json
        }
        _ if crate::oracle::is_porcelain(&cli.command) => Format::Porcelain,
        _ => cli.format(),
    };
    let plain = || {
        let text = contextd_render::answer(answer, format);
        if partial && format == Format::Json { marked_partial(&text) } else { text }
    };
    // A format that was asked for is what is printed; else people get what is made for them.
    let width = ui::width().filter(|_| format == Format::Text && cli.format.is_none());
    let text = width.and_then(|width| show::answer(answer, width)).unwrap_or_else(plain);
    ui::print(text.trim_end_matches('\n'));
}

/// Adds to a JSON object that it is of a part of the files.
fn marked_partial(text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(Value::Object(mut answer)) => {
            answer.insert("partial".to_owned(), json!(true));
            Value::Object(answer).to_string()
        }
        _ => text.to_owned(),
    }
}

/// Says what was wrong and what to do; programs get it as JSON.
pub fn refuse(cli: &Cli, error: &OpError) -> ExitCode {
    if cli.format() == Format::Json {
        ui::print(&json!({"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}).to_string());
    }
    ui::refuse(error);
    crate::oracle::refused(&cli.command, error.is_not_found())
}

/// How long a question waits for another process that is taking changes in.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it does so without a word.
const UNSAID: Duration = Duration::from_millis(250);

/// Brings the index up to date, or lets another process end that is doing it, and calls `trial` off when there is something
/// to be taken in. Returns the snapshot when everything was in it before.
pub fn refresh(
    cli: &Cli,
    engine: &Engine,
    trial: Option<&Trial>,
) -> anyhow::Result<Option<SnapshotName>> {
    let options = RefreshOptions {
        now: crate::now(),
        quick: true,
        beside: trial.map(Trial::beside),
        ..RefreshOptions::default()
    };
    let coverage = engine.coverage();
    let first = coverage == Coverage::Nothing;
    if first {
        ui::say(
            cli.quiet || cli.json,
            &format!(
                "First question here: reading {} once. Later only what changed is read.",
                engine.places.root.display()
            ),
        );
    }
    let start = std::time::Instant::now();
    let bar = ui::Bar::new(cli.quiet || cli.json);
    let run = |wait: Duration| {
        let options = RefreshOptions { wait, ..options.clone() };
        match trial {
            Some(trial) => engine.refresh(&options, &Listening { progress: &bar, trial }),
            None => engine.refresh(&options, &bar),
        }
    };
    // What another process is just taking in is waited for; a first run that goes on is asked for what it has.
    let patience = if coverage == Coverage::Whole { PATIENCE } else { Duration::ZERO };
    let result = match run(patience.min(UNSAID)) {
        Err(EngineError::Busy { .. }) if patience > UNSAID => {
            ui::say(cli.quiet || cli.json, "Another process is indexing: waiting for it.");
            run(patience)
        }
        result => result,
    };
    bar.finish();
    match result {
        Ok(refreshed) => {
            if first {
                ui::say(
                    cli.quiet || cli.json,
                    &format!(
                        "Read {} in {:.1} s.\n",
                        show::counted(u64::from(refreshed.files), "file"),
                        start.elapsed().as_secs_f64()
                    ),
                );
            }
            Ok(refreshed.snapshot.filter(|_| !refreshed.changed))
        }
        // Whoever wants no talk still wants to know that an answer may be old.
        Err(EngineError::Busy { .. }) if may_be_old(cli) && engine.snapshot()?.is_some() => {
            let what = if engine.coverage() == Coverage::Part {
                "still making the first index; this answer knows only the files read so far"
            } else {
                "indexing; this answer is from the last snapshot"
            };
            ui::say(false, &format!("note: another process is {what}"));
            Ok(None)
        }
        Err(error)
            if error.is_refused_by_system()
                && may_be_old(cli)
                && engine.has_own_index()
                && engine
                    .snapshot()
                    .ok()
                    .flatten()
                    .is_some_and(|snapshot| engine.is_current(&snapshot)) =>
        {
            ui::say(
                false,
                &format!(
                    "note: the index cannot be brought up to date ({error}); this answer is from the last snapshot"
                ),
            );
            Ok(None)
        }
        // The first index of a root is worth waiting for.
        Err(EngineError::Busy { .. }) => Ok(engine
            .refresh(
                &RefreshOptions { wait: Duration::from_secs(600), ..options },
                &contextd_engine::Silent,
            )
            .map(|_| None)?),
        Err(error) => Err(error.into()),
    }
}

/// True when an answer from before the last changes is better than none. A check must not pass by being unsure, and what
/// other programs take at its word must be as the files are.
fn may_be_old(cli: &Cli) -> bool {
    use Command::*;
    !matches!(
        cli.command,
        Export(_) | Eval(_) | Docs { .. } | SyncCheck(_) | SyncUpdate(_) | Lint { .. }
    ) && !matches!(cli.format(), Format::Runner(_))
}

/// Returns the operation of a command, its input, and whether the index should be fresh.
fn operation(cli: &Cli, engine: &Engine) -> anyhow::Result<(&'static str, Value, bool)> {
    Ok(match &cli.command {
        Command::Task { words, task, intent, scope } => {
            let mut input = limits(cli, scope);
            input["task"] = json!(task.clone().unwrap_or_else(|| words.join(" ")));
            input["intent"] = json!(intent);
            ("context_for_task", input, true)
        }
        Command::Files { paths, task, scope } => {
            let mut input = limits(cli, scope);
            input["paths"] = json!(from_here(cli, engine, paths));
            input["task"] = json!(task);
            ("context_for_files", input, true)
        }
        Command::Search { words, scope } => (
            "query_context",
            json!({
                "query": words.join(" "), "names": scope.names, "k": scope.k, "tokenizer": cli.tokenizer,
                "scope": {"paths": scope.path, "languages": scope.lang, "kinds": scope.kind, "exclude": scope.exclude, "project": scope.project},
                "filters": {"minScore": scope.min_score, "maxTokens": cli.budget},
                "format": if matches!(cli.format(), Format::Json | Format::Hits) { Some("json") } else { None },
            }),
            true,
        ),
        Command::Ask { words, scope } => ask(cli, words, scope),
        Command::Show { places } => (
            "show",
            json!({"places": from_here(cli, engine, places), "budget": cli.budget, "tokenizer": cli.tokenizer}),
            true,
        ),
        Command::Grep { pattern, paths, fixed, ignore_case, lang, exclude, k } => (
            "grep",
            json!({"pattern": pattern, "fixed": fixed, "ignoreCase": ignore_case, "within": from_here(cli, engine, paths), "exclude": exclude, "languages": lang, "k": k}),
            true,
        ),
        Command::Symbol { name, limit } => ("symbol", json!({"name": name, "limit": limit}), true),
        Command::Why { symbol, task, profile } => {
            ("explain_symbol", json!({"symbol": symbol, "task": task, "profile": profile}), true)
        }
        Command::Ctx(args) if !engine.are_refs(args.refs()) => (
            "context_for_task",
            json!({"task": args.refs().join(" "), "budget": cli.budget, "tokenizer": cli.tokenizer, "format": cli.format().name()}),
            true,
        ),
        Command::Ref(_)
        | Command::Ctx(_)
        | Command::Docs { .. }
        | Command::SyncCheck(_)
        | Command::SyncUpdate(_)
        | Command::Lint { .. }
        | Command::Graph { .. }
        | Command::Prime => crate::oracle::operation(cli)?,
        Command::Impact { target, max_hops } => (
            "impact",
            json!({"target": from_here(cli, engine, std::slice::from_ref(target)).concat(), "maxHops": max_hops}),
            true,
        ),
        Command::Pr { range, patch } => {
            let patch = patch.as_deref().map(read_patch).transpose()?;
            (
                "context_for_pr",
                json!({"range": range.clone().unwrap_or_default(), "patch": patch, "budget": cli.budget, "tokenizer": cli.tokenizer, "format": cli.format().name()}),
                true,
            )
        }
        Command::Recent { topic, k } => (
            "recent_changes",
            json!({"of": topic.join(" "), "k": k, "budget": cli.budget, "tokenizer": cli.tokenizer, "format": cli.format().name()}),
            true,
        ),
        Command::Tests { paths, since, patch, all, limit } => {
            let format = if let Format::Runner(name) = cli.format() { Some(name) } else { None };
            (
                "test_scope",
                json!({"paths": from_here(cli, engine, paths), "since": since, "patch": patch.as_deref().map(read_patch).transpose()?, "all": all, "limit": limit, "format": format}),
                true,
            )
        }
        Command::Pack { command } => pack(cli, engine, command)?,
        Command::ContextPack { pack_id: Some(id), .. } => {
            ("context_pack_get", json!({ "packId": id }), false)
        }
        Command::ContextPack { query, intent, explain, scope, .. } => {
            let mut made =
                PackRequest { include_explain: Some(*explain), ..PackRequest::default() };
            made.query = query.clone().unwrap_or_default();
            made.intent = intent.unwrap_or(made.intent);
            create(cli, engine, scope, made)?
        }
        Command::Feedback { command } => ("feedback", learn::feedback(command)?, true),
        Command::ReportUsage(args) => ("report_usage", learn::report(args), true),
        Command::Savings(args) => ("savings", learn::savings(args)?, false),
        Command::Codegraph { entities, hop_depth, change_type } => (
            "code_graph_context",
            json!({"entities": entities, "hopDepth": hop_depth, "changeType": change_type, "sizeLimit": cli.budget, "tokenizer": cli.tokenizer}),
            true,
        ),
        Command::Stats => ("get_context_stats", Value::Null, false),
        Command::Doctor => ("doctor", Value::Null, false),
        Command::Refresh { paths, force } => (
            "refresh_context",
            json!({"paths": from_here(cli, engine, paths), "force": force}),
            false,
        ),
        Command::Rebuild { paths, more, confirm, validate_only, keep_errors, no_vacuum } => {
            let paths = from_here(cli, engine, &[paths.as_slice(), more].concat());
            let agreed = *confirm
                || *validate_only
                || ui::confirm(cli.quiet || cli.json, "Make the index anew? [y/N] ");
            (
                "rebuild_context",
                json!({"paths": paths, "confirm": agreed, "options": {"validateOnly": validate_only, "clearErrors": !keep_errors, "vacuum": !no_vacuum}}),
                false,
            )
        }
        Command::Jobs { job, logs, cancel } => (
            "get_rebuild_status",
            json!({"jobId": job, "includeLogs": logs, "cancel": cancel}),
            false,
        ),
        Command::CheckFile { paths } => {
            ("check_file", json!({ "paths": from_here(cli, engine, paths) }), false)
        }
        Command::ListIndexable { limit } => ("list_indexable", json!({ "limit": limit }), false),
        Command::ProjectStats => ("project_stats", Value::Null, false),
        Command::ValidateConfig => ("validate_config", Value::Null, false),
        Command::Audit { .. } => ("audit_secrets", Value::Null, false),
        Command::Schema { name } => ("schema", json!({ "name": name }), false),
        _ => anyhow::bail!("the command is not an operation"),
    })
}

/// Returns paths as the root sees them: what lies below the working folder may be named from there, as shells complete it.
fn from_here(cli: &Cli, engine: &Engine, paths: &[String]) -> Vec<String> {
    let here =
        std::env::current_dir().and_then(std::fs::canonicalize).ok().filter(|_| cli.repo.is_none());
    let below = here
        .as_deref()
        .and_then(|here| Some((here, here.strip_prefix(&engine.places.root).ok()?)))
        .filter(|(_, below)| !below.as_os_str().is_empty());
    let Some((here, below)) = below else { return paths.to_vec() };
    let seen = |path: &String| {
        let whole = Some(below.join(path)).filter(|_| {
            Path::new(path).is_relative() && here.join(path).symlink_metadata().is_ok()
        })?;
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.iter() {
            match part.to_str()? {
                "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    };
    paths.iter().map(|path| seen(path).unwrap_or_else(|| path.clone())).collect()
}

/// Reads a patch from a file, or from standard input when it is called `-`.
fn read_patch(path: &std::path::Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
            .context("standard input cannot be read")?;
    } else {
        bytes =
            std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn ask(cli: &Cli, words: &[String], scope: &ScopeArgs) -> (&'static str, Value, bool) {
    let mut input = limits(cli, scope);
    input["request"] = json!(words.join(" "));
    ("ask", input, true)
}

/// Tokens of an answer to a task that a person reads on a terminal.
const TERMINAL: u64 = 3_000;

fn limits(cli: &Cli, scope: &ScopeArgs) -> Value {
    let on_terminal = cli.format.is_none() && !cli.json && ui::width().is_some();
    let budget = cli.budget.or(on_terminal.then_some(TERMINAL));
    json!({
        "names": scope.names, "budget": budget, "tokenizer": cli.tokenizer, "format": cli.format().name(), "within": scope.path, "languages": scope.lang, "kinds": scope.kind, "exclude": scope.exclude,
        "minScore": scope.min_score, "k": scope.k, "mmrLambda": scope.mmr_lambda, "profile": scope.profile, "project": scope.project,
    })
}

fn pack(
    cli: &Cli,
    engine: &Engine,
    command: &PackCommand,
) -> anyhow::Result<(&'static str, Value, bool)> {
    Ok(match command {
        PackCommand::Get { id } => ("context_pack_get", json!({ "packId": id }), false),
        PackCommand::List { limit } => ("context_pack_list", json!({ "limit": limit }), false),
        PackCommand::Diff { from, to } => {
            ("context_pack_diff", json!({"from": from, "to": to}), false)
        }
        PackCommand::Export { .. } | PackCommand::Import { .. } => {
            anyhow::bail!("the command is not an operation")
        }
        PackCommand::Create { query, request, intent, held, scope, write: _ } => {
            let mut made: PackRequest = match request {
                Some(path) => serde_json::from_str(
                    &std::fs::read_to_string(path)
                        .with_context(|| format!("cannot read {}", path.display()))?,
                )
                .with_context(|| format!("{} is no PackRequest", path.display()))?,
                None => PackRequest::default(),
            };
            made.query = query.clone().unwrap_or(made.query);
            made.intent = intent.unwrap_or(made.intent);
            made.held.pack_ids.extend(held.iter().cloned());
            create(cli, engine, scope, made)?
        }
    })
}

/// Puts the options of the command line into a request.
fn create(
    cli: &Cli,
    engine: &Engine,
    scope: &ScopeArgs,
    mut made: PackRequest,
) -> anyhow::Result<(&'static str, Value, bool)> {
    made.names.extend(scope.names.iter().cloned());
    made.scope.paths.extend(scope.path.iter().cloned());
    made.scope.languages.extend(scope.lang.iter().cloned());
    made.scope.kinds.extend(scope.kind.iter().cloned());
    made.scope.exclude.extend(scope.exclude.iter().cloned());
    made.scope.min_score = scope.min_score.or(made.scope.min_score);
    made.k = scope.k.or(made.k);
    made.mmr_lambda = scope.mmr_lambda.or(made.mmr_lambda);
    made.profile = scope.profile.clone().or(made.profile);
    made.tokenizer = cli.tokenizer.or(made.tokenizer);
    made.budgets.max_total_tokens = cli.budget.or(made.budgets.max_total_tokens);
    if cli.format.is_some() || cli.json {
        made.format = cli.format().name().to_owned();
    }
    contextd_ops::narrow(
        engine,
        scope.project.as_deref(),
        &mut made.scope.paths,
        &mut made.scope.exclude,
    )?;
    Ok(("context_pack_create", serde_json::to_value(made)?, true))
}
