//! `contextd eval`: retrieval quality on tasks and on the repository's own commits.

use crate::args::Cli;
use crate::ui;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use contextd_engine::{Engine, EngineOptions, Reader};
use contextd_ops::eval::{
    self, Answered, EvalOptions, EvalRanking, EvalTask, Measures, PastReport, Truth,
};
use contextd_retrieve::{Weights, near, signals, task, understand, understand_with};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "Examples:
  contextd eval --from-git 150                       the last commits of this repository as tasks
  contextd eval --tasks tasks.jsonl                  P@10, R@10, NDCG@10 and MRR of tasks with `ground_truth`
  contextd eval --tasks tasks.jsonl --by tier --json
  contextd eval --tasks tasks.jsonl --out answers.jsonl -k 20
  contextd eval --tasks tasks.jsonl --sweep restart=0.2,0.4 --sweep task.bm=1,2
  contextd eval --tasks tasks.jsonl --ablate         each channel, prior and signal off, one at a time
  contextd eval --tasks tasks.jsonl --repos FOLDER   each task in FOLDER/<its repo>, all of them together

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
    /// Folder of indexed checkouts, named as the field `repo` of the tasks says
    #[arg(long, value_name = "FOLDER", conflicts_with = "task_repo")]
    pub repos: Option<PathBuf>,
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
    /// File with weights, instead of a profile; {repo} is replaced by the name of the checkout
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Leave the history channel out
    #[arg(long)]
    no_history: bool,
    /// Results a task
    #[arg(short, default_value_t = 20)]
    k: usize,
    /// Vary a parameter or weight: NAME=a,b,c; several make a grid
    #[arg(long, value_name = "NAME=a,b,c", requires = "tasks")]
    sweep: Vec<String>,
    /// Switch each channel, prior and signal off, one at a time
    #[arg(long, requires = "tasks", conflicts_with = "sweep")]
    ablate: bool,
    /// Write the signals of every candidate here, for fitting weights
    #[arg(long, hide = true)]
    signals: Option<PathBuf>,
    /// Write the candidates of each task into this folder, for teaching trees
    #[arg(long, hide = true)]
    candidates: Option<PathBuf>,
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
    let Some(path) = &args.tasks else { return from_git(cli, engine, args) };
    let tasks = eval::read(&read(path)?, &path.display().to_string(), args.task_repo.as_deref())?;
    anyhow::ensure!(!tasks.is_empty(), "there is no task in {}", path.display());
    if args.ablate || !args.sweep.is_empty() {
        return settings(cli, engine, args, tasks);
    }
    let mut answered: Vec<Answered> = Vec::new();
    for part in parts(engine, args, tasks)? {
        let options = EvalOptions {
            ranking: args.ranking.of(),
            weights: weights(args, &part.name)?,
            k: args.k,
            history: !args.no_history,
        };
        if let Some(folder) = &args.candidates {
            for task in &part.tasks {
                write_candidates(folder, &part.reader, task, &options.weights)?;
            }
            continue;
        }
        if let Some(path) = &args.signals {
            write(
                path,
                &part
                    .tasks
                    .iter()
                    .map(|task| signals_of(&part.reader, &task.query, &task.id))
                    .collect::<String>(),
            )?;
        }
        answered.extend(eval::answer_tasks(&part.reader, part.tasks, &options));
    }
    if let Some(path) = &args.out {
        write(path, &lines(&answered))?;
    }
    let by = if args.repos.is_some() && args.by == "tier" { "repo" } else { &args.by };
    match eval::measured(&answered, by) {
        Some(table) => ui::print(&if cli.json { table.json().to_string() } else { table.text() }),
        None if args.out.is_none() => anyhow::bail!(
            "the tasks say no `ground_truth` to measure against; give --out to keep the answers"
        ),
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The tasks of one checkout, with its reader.
struct Part {
    name: String,
    reader: Reader,
    tasks: Vec<EvalTask>,
}

/// Opens what the tasks are about, one checkout after the other.
fn parts(engine: &Engine, args: &EvalArgs, tasks: Vec<EvalTask>) -> anyhow::Result<Vec<Part>> {
    let Some(folder) = &args.repos else {
        let name = args.task_repo.clone().unwrap_or_default();
        return Ok(vec![Part { name, reader: engine.reader()?, tasks }]);
    };
    let mut by_repo: BTreeMap<(String, String), Vec<EvalTask>> = BTreeMap::new();
    for task in tasks {
        let repo = task.fields["repo"].as_str().unwrap_or_default().to_owned();
        by_repo.entry((repo, task.root().to_owned())).or_default().push(task);
    }
    let mut found = Vec::new();
    for ((name, root), tasks) in by_repo {
        let path = folder.join(&name).join(root);
        if name.is_empty() || !path.is_dir() {
            ui::say(
                false,
                &format!(
                    "note: {} tasks of `{name}` are left out: there is no {}",
                    tasks.len(),
                    path.display()
                ),
            );
            continue;
        }
        found.push(Part { reader: open(&path)?.reader()?, name, tasks });
    }
    Ok(found)
}

fn open(path: &Path) -> anyhow::Result<Engine> {
    Engine::open(path, &EngineOptions::default(), &|_| None)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// Runs the tasks under many settings and prints what each does.
fn settings(
    cli: &Cli,
    engine: &Engine,
    args: &EvalArgs,
    tasks: Vec<EvalTask>,
) -> anyhow::Result<ExitCode> {
    let ranking = args.ranking.of();
    let files = tasks.iter().any(|task| matches!(task.truth, Some(Truth::Files(_))));
    let (mut names, mut measures): (Vec<String>, BTreeMap<String, Vec<Vec<Measures>>>) =
        Default::default();
    for part in parts(engine, args, tasks)? {
        let weights = weights(args, &part.name)?;
        let settings = if args.ablate {
            eval::ablation(&weights, ranking)
        } else {
            eval::sweep(&weights, &args.sweep)?
        };
        names = settings.iter().map(|setting| setting.name.clone()).collect();
        measures.insert(
            part.name.clone(),
            eval::measure_settings(&part.reader, &part.tasks, &settings, ranking, args.k),
        );
    }
    let table =
        eval::settings_table(if args.ablate { "off" } else { "setting" }, &names, &measures, files);
    ui::print(&if cli.json { table.json().to_string() } else { table.text() });
    Ok(ExitCode::SUCCESS)
}

/// Evaluates on the repository's own commits.
fn from_git(cli: &Cli, engine: &Engine, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let count = args.from_git.unwrap_or(150);
    let Some(folder) = &args.repos else {
        let reader = engine.reader()?;
        if let Some(path) = &args.signals {
            let lines = eval::change_signals(&reader, &eval::mine(&reader, count));
            write(path, &lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
            return Ok(ExitCode::SUCCESS);
        }
        let report = eval::from_git(engine, &reader, &weights(args, "")?, count);
        if report.mined.tasks.is_empty() {
            ui::say(
                false,
                "no commit of this repository can serve as a task: there is no history, or no commit with a message touches source files that are still there",
            );
            return Ok(ExitCode::from(1));
        }
        ui::print(&if cli.json { report.json().to_string() } else { report.text() });
        return Ok(ExitCode::SUCCESS);
    };
    let mut reports: Vec<(String, PastReport)> = Vec::new();
    for name in folders(folder)? {
        let engine = open(&folder.join(&name))?;
        reports.push((
            name.clone(),
            eval::from_git(&engine, &engine.reader()?, &weights(args, &name)?, count),
        ));
    }
    if cli.json {
        ui::print(
            &Value::Object(
                reports.iter().map(|(name, report)| (name.clone(), report.json())).collect(),
            )
            .to_string(),
        );
    } else {
        ui::print(&eval::past_table(&reports).text());
    }
    Ok(ExitCode::SUCCESS)
}

fn folders(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}

/// Writes the candidates of a task: places as JSON, signals as rows of 32-bit floats beside them.
fn write_candidates(
    folder: &Path,
    reader: &Reader,
    task: &EvalTask,
    weights: &Weights,
) -> anyhow::Result<()> {
    let weights = weights.clone().with_places();
    let query = understand_with(&task.query, &task.names);
    let (rows, history) = task::rows(&reader.sources(None), &query, &weights);
    let places: Vec<Value> = rows
        .iter()
        .map(|row| {
            let symbol = reader.snapshot.symbol(row.symbol);
            let (first, last) = row.lines.unwrap_or((symbol.start_line(), symbol.end_line()));
            json!([symbol.path(), first, last, symbol.kind().name(), symbol.qualified()])
        })
        .collect();
    let id = task.id.as_str().map_or_else(|| task.id.to_string(), str::to_owned);
    let head =
        json!({"id": id, "history": history, "names": &signals::NAMES[..], "places": places});
    write(&folder.join(format!("{id}.json")), &head.to_string())?;
    let bytes: Vec<u8> =
        rows.iter().flat_map(|row| row.signals).flat_map(f32::to_le_bytes).collect();
    let path = folder.join(format!("{id}.f32"));
    std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn weights(args: &EvalArgs, repo: &str) -> anyhow::Result<Weights> {
    match &args.weights {
        Some(path) => {
            let path = PathBuf::from(path.to_string_lossy().replace("{repo}", repo));
            Weights::parse(&read(&path)?)
                .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))
        }
        None => Weights::profile(&args.profile).with_context(|| {
            format!(
                "there is no profile `{}`; known: {}",
                args.profile,
                Weights::names().collect::<Vec<_>>().join(", ")
            )
        }),
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

fn signals_of(reader: &Reader, query: &str, id: &Value) -> String {
    // Signals of structure are written too: a fit may try them.
    let weights = Weights {
        task: signals::at::STRUCTURE
            .iter()
            .map(|&at| (signals::NAMES[at].to_owned(), 1.0))
            .collect(),
        ..Weights::default()
    };
    let (rows, history) = task::candidates(&reader.sources(None), &understand(query), &weights);
    let mut out = String::new();
    let inside: std::collections::BTreeSet<u32> = rows.iter().map(|row| row.0).collect();
    for (number, values) in rows {
        let graph = reader.snapshot.graph();
        let links: Vec<u32> = graph
            .out(number)
            .iter()
            .filter(|edge| {
                inside.contains(&edge.target) && edge.target != number && near::is_company(edge)
            })
            .map(|edge| edge.target)
            .collect();
        let symbol = reader.snapshot.symbol(number);
        let test = reader.catalog.is_test(number);
        let _ = writeln!(
            out,
            "{}",
            json!({"id": id, "symbol": symbol.qualified(), "file": symbol.path(), "kind": symbol.kind().name(), "test": test, "history": history, "names": &signals::NAMES[..], "values": &values[..], "number": number, "out": links})
        );
    }
    out
}
