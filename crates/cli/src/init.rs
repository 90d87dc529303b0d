//! `contextd init` and `uninit`: registers the server with coding agents, and undoes it byte for byte.
//!
//! Everything is planned first and shown as a difference; then it is done, file by file, and a receipt is kept.

mod agents;
mod disk;
mod document;
mod edit;
mod instructions;
mod json_file;
mod machine;
mod plan;
mod receipt;
#[cfg(test)]
mod tests;
mod toml_file;

pub use agents::{Agent, Syntax, all as agents};
pub use machine::Platform;

use crate::args::Cli;
use crate::ui;
use anyhow::Context as _;
use clap::Args;
use document::Refusal;
use machine::Machine;
use plan::{Change, Plan};
use receipt::Receipts;
use serde_json::{Value, json};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What the agents are to run.
pub const ARGS: &[&str] = &["serve", "--stdio"];

#[derive(Args)]
pub struct InitArgs {
    /// Agent to register with, installed or not; may be repeated. Without it: every agent found on this machine
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    /// Also add a section about the tools to AGENTS.md of this repository
    #[arg(long)]
    instructions: bool,
    #[command(flatten)]
    consent: Consent,
    /// Replace an entry named contextd that somebody else made
    #[arg(long)]
    force: bool,
    /// Program that agents start, instead of the path of this one
    #[arg(long, value_name = "PROGRAM")]
    command: Option<String>,
    /// List the agents that are known, and which are found here
    #[arg(long)]
    list: bool,
}

#[derive(Args)]
pub struct UninitArgs {
    /// Agent to undo; may be repeated. Without it: everything that was registered
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    #[command(flatten)]
    consent: Consent,
    /// Also remove entries that `contextd init` did not make
    #[arg(long)]
    force: bool,
}

/// Whether files may be changed.
#[derive(Args, Clone, Copy)]
struct Consent {
    /// Write without asking
    #[arg(long, short)]
    yes: bool,
    /// Show what would be written and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// Returns what an agent's configuration holds when nothing else stands in it.
pub fn sample(agent: &Agent) -> String {
    let words: Vec<String> = ARGS.iter().map(|word| (*word).to_owned()).collect();
    let edits =
        document::put(agent.format, "", &agent.key, plan::NAME, &agent.entry("contextd", &words));
    edits.ok().and_then(|edits| edit::apply("", &edits)).unwrap_or_default()
}

/// One file and what is to be done about it.
struct Step {
    agent: String,
    name: String,
    file: PathBuf,
    plan: Plan,
    /// Where the agent's user sees that it works.
    check: &'static str,
}

/// Registers the server.
pub fn init(cli: &Cli, args: &InitArgs, root: &Path) -> anyhow::Result<ExitCode> {
    let machine = Machine::own().context("there is no home folder: HOME is not set")?;
    if args.list {
        return Ok(list(cli, &machine));
    }
    let chosen = choose(&args.agent, |agent| agent.is_found(&machine))?;
    if chosen.is_empty() && !args.instructions {
        ui::say(false, "No coding agent was found on this machine. Name one with --agent:");
        ui::say(false, &format!("  {}", known()));
        return Ok(ExitCode::from(1));
    }
    let receipts = read_receipts(&machine)?;
    let command = match &args.command {
        Some(command) => command.clone(),
        None => std::env::current_exe()
            .context("the path of this program cannot be found")?
            .display()
            .to_string(),
    };
    let words: Vec<String> = ARGS.iter().map(|word| (*word).to_owned()).collect();
    let mut steps: Vec<Step> = Vec::new();
    for agent in chosen {
        let file = agent.file(&machine);
        let plan =
            plan::register(agent, &file, &agent.entry(&command, &words), &receipts, args.force);
        steps.push(Step {
            agent: agent.id.clone(),
            name: agent.name.clone(),
            file,
            plan,
            check: &agent.check,
        });
    }
    if args.instructions {
        let file = root.join("AGENTS.md");
        let plan = plan::instruct(&file);
        steps.push(Step {
            agent: instructions::ID.to_owned(),
            name: "Instructions".to_owned(),
            file,
            plan,
            check: "",
        });
    }
    carry_out(cli, &machine, steps, receipts, args.consent)
}

/// Undoes registrations.
pub fn uninit(cli: &Cli, args: &UninitArgs, root: &Path) -> anyhow::Result<ExitCode> {
    let machine = Machine::own().context("there is no home folder: HOME is not set")?;
    let receipts = read_receipts(&machine)?;
    let chosen = choose(&args.agent, |agent| {
        args.force || receipts.receipts.iter().any(|receipt| receipt.agent == agent.id)
    })?;
    let mut steps: Vec<Step> = Vec::new();
    for agent in chosen {
        // What was done is undone where it was done, wherever the agent looks now.
        let noted: Vec<PathBuf> = receipts
            .receipts
            .iter()
            .filter(|receipt| receipt.agent == agent.id)
            .map(|receipt| receipt.file.clone())
            .collect();
        let files = if noted.is_empty() { vec![agent.file(&machine)] } else { noted };
        for file in files {
            let plan = plan::unregister(agent, &file, &receipts, args.force);
            steps.push(Step {
                agent: agent.id.clone(),
                name: agent.name.clone(),
                file,
                plan,
                check: "",
            });
        }
    }
    let file = root.join("AGENTS.md");
    let plan = plan::uninstruct(&file, &receipts);
    if args.agent.is_empty() && matches!(plan, Plan::Change(_)) {
        steps.push(Step {
            agent: instructions::ID.to_owned(),
            name: "Instructions".to_owned(),
            file,
            plan,
            check: "",
        });
    }
    if steps.is_empty() {
        ui::say(cli.quiet, "Nothing is registered.");
    }
    carry_out(cli, &machine, steps, receipts, args.consent)
}

fn choose(
    ids: &[String],
    otherwise: impl Fn(&Agent) -> bool,
) -> anyhow::Result<Vec<&'static Agent>> {
    if ids.is_empty() {
        return Ok(agents::all().iter().filter(|agent| otherwise(agent)).collect());
    }
    ids.iter()
        .map(|id| {
            agents::by_id(id)
                .with_context(|| format!("there is no agent `{id}`; known: {}", known()))
        })
        .collect()
}

fn known() -> String {
    agents::all().iter().map(|agent| agent.id.as_str()).collect::<Vec<_>>().join(", ")
}

fn receipts_file(machine: &Machine) -> PathBuf {
    machine.state().join("init.json")
}

fn read_receipts(machine: &Machine) -> anyhow::Result<Receipts> {
    let file = receipts_file(machine);
    Receipts::read(&file).map_err(|refusal| {
        anyhow::anyhow!("{}: {}. {}", file.display(), refusal.why, refusal.remedy)
    })
}

/// Shows the plans, asks, does them and says what was done.
fn carry_out(
    cli: &Cli,
    machine: &Machine,
    steps: Vec<Step>,
    mut receipts: Receipts,
    consent: Consent,
) -> anyhow::Result<ExitCode> {
    if !cli.json {
        steps.iter().for_each(|step| show(cli, machine, step));
    }
    let changes = steps.iter().filter(|step| matches!(step.plan, Plan::Change(_))).count();
    let agreed = changes > 0 && !consent.dry_run && (consent.yes || asked(cli, changes));
    let mut refused = steps.iter().filter(|step| matches!(step.plan, Plan::Refused(_))).count();
    let mut rows: Vec<Value> = Vec::new();
    for step in &steps {
        let done = match &step.plan {
            Plan::Change(change) if agreed => Some(run(machine, change, &mut receipts)),
            _ => None,
        };
        if let Some(Err(refusal)) = &done {
            refused += 1;
            ui::say(
                false,
                &format!(
                    "error: {}: {}\n  hint: {}",
                    machine.short(&step.file),
                    refusal.why,
                    refusal.remedy
                ),
            );
        }
        if matches!(done, Some(Ok(()))) && !step.check.is_empty() {
            ui::say(
                cli.quiet || cli.json,
                &format!("{}: done. To see it, restart it and look at {}.", step.name, step.check),
            );
        }
        rows.push(row(step, done.as_ref()));
    }
    if cli.json {
        ui::print(&json!({"written": agreed, "files": rows}).to_string());
    } else if agreed {
        ui::say(cli.quiet, &format!("{} written.", count(changes)));
    } else if changes > 0 {
        ui::say(cli.quiet, "Nothing was written. Add --yes to write it.");
    }
    Ok(ExitCode::from(if refused > 0 { 2 } else { 0 }))
}

/// Does one change; the receipt is on disk before the next one begins.
fn run(machine: &Machine, change: &Change, receipts: &mut Receipts) -> Result<(), Refusal> {
    change.run(receipts)?;
    receipts.write(&receipts_file(machine))
}

fn count(changes: usize) -> String {
    if changes == 1 { "1 file".to_owned() } else { format!("{changes} files") }
}

/// Asks a person; who is no person did not agree.
fn asked(cli: &Cli, changes: usize) -> bool {
    if cli.json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    ui::ask(&format!("Write {}? [y/N] ", count(changes)))
}

fn show(cli: &Cli, machine: &Machine, step: &Step) {
    let place = machine.short(&step.file);
    match &step.plan {
        Plan::Change(change) => {
            let what = match (&change.before, &change.after) {
                (None, _) => " (new file)",
                (_, None) => " (the file is removed)",
                _ => "",
            };
            ui::title(&step.name, &format!("{place}{what}"));
            let lines = edit::diff(
                change.before.as_deref().unwrap_or_default(),
                change.after.as_deref().unwrap_or_default(),
            );
            lines.iter().for_each(|line| ui::diff(line.mark, &line.text));
        }
        Plan::Nothing(why) => ui::say(cli.quiet, &format!("{}: {place} {why}", step.name)),
        Plan::Refused(refusal) => ui::say(
            false,
            &format!("error: {}: {place}: {}\n  hint: {}", step.name, refusal.why, refusal.remedy),
        ),
    }
}

fn row(step: &Step, done: Option<&Result<(), Refusal>>) -> Value {
    let mut row = json!({"agent": step.agent, "file": step.file});
    match (&step.plan, done) {
        (_, Some(Err(refusal))) | (Plan::Refused(refusal), _) => {
            row["state"] = json!("refused");
            row["why"] = json!(refusal.why);
            row["remedy"] = json!(refusal.remedy);
        }
        (Plan::Nothing(why), _) => {
            row["state"] = json!("unchanged");
            row["why"] = json!(why);
        }
        (Plan::Change(change), done) => {
            row["state"] = json!(if done.is_some() { "written" } else { "planned" });
            let lines = edit::diff(
                change.before.as_deref().unwrap_or_default(),
                change.after.as_deref().unwrap_or_default(),
            );
            row["diff"] = json!(
                lines.iter().map(|line| format!("{}{}", line.mark, line.text)).collect::<Vec<_>>()
            );
        }
    }
    row
}

/// Lists what is known, for people and programs.
fn list(cli: &Cli, machine: &Machine) -> ExitCode {
    let rows: Vec<(&Agent, bool, PathBuf)> = agents::all()
        .iter()
        .map(|agent| (agent, agent.is_found(machine), agent.file(machine)))
        .collect();
    if cli.json {
        let rows: Vec<Value> = rows.iter().map(|(agent, found, file)| json!({"id": agent.id, "name": agent.name, "found": found, "file": file, "key": agent.key})).collect();
        ui::print(&json!({ "agents": rows }).to_string());
    } else {
        rows.iter().for_each(|(agent, found, file)| {
            ui::agent(&agent.id, &agent.name, *found, &machine.short(file))
        });
    }
    ExitCode::SUCCESS
}
