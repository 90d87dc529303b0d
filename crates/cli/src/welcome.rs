//! What `contextd` says when it is asked nothing.

use crate::{show, ui};
use contextd_engine::{Engine, EngineOptions};
use owo_colors::OwoColorize as _;
use std::process::ExitCode;

/// Commands that show what the program is for.
const FIRST: &[(&str, &str)] = &[
    ("contextd task \"…\"", "the code, callers, tests and docs that work needs"),
    ("contextd search \"…\"", "places that answer a question"),
    ("contextd symbol NAME", "a definition with its callers, callees and tests"),
    ("contextd init", "register with the coding agents on this machine"),
    ("contextd --help", "everything else"),
];

/// Teaches: where we are, and what to type first.
pub fn welcome() -> ExitCode {
    ui::print(&format!(
        "{} gives you, or your coding agent, exactly the code a task needs.",
        "contextd".bold()
    ));
    ui::print("");
    ui::print(&here());
    ui::print("");
    for (line, about) in FIRST {
        ui::print(&format!("  {}  {about}", format!("{line:<22}").cyan()));
    }
    ExitCode::SUCCESS
}

/// Says what is known of the folder the program was started in; looking must not change it.
fn here() -> String {
    let Ok(folder) = std::env::current_dir() else {
        return "The working directory cannot be read.".to_owned();
    };
    let root = contextd_scan::find_root(&folder);
    let place = contextd_render::safe(&root.display().to_string()).into_owned();
    match Engine::open(&root, &EngineOptions::default(), &|name| std::env::var(name).ok())
        .and_then(|engine| engine.status())
    {
        Ok(Some(status)) => format!(
            "{place} is indexed: {}, {}.",
            show::counted(u64::from(status.files), "file"),
            show::counted(u64::from(status.symbols), "symbol")
        ),
        Ok(None) => format!("{place} is not indexed yet; the first question does it."),
        Err(error) => format!("{place} cannot be indexed: {error}"),
    }
}
