//! `contextd reference`: the reference pages of `docs/`, made from the same tables as the program.
//!
//! `cargo xtask docs` runs it; a test compares the pages with the program, so that they change only knowingly.

mod agents;
mod commands;
mod configuration;
mod schemas;
mod tools;

use anyhow::Context as _;
use std::path::Path;
use std::process::ExitCode;

/// First line of every page that is made.
const MADE: &str = "<!-- Made by `cargo xtask docs`; changes by hand are lost. -->\n";

/// Writes the pages below a folder.
pub fn reference(folder: &Path) -> anyhow::Result<ExitCode> {
    for (path, text) in pages() {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)
                .with_context(|| format!("{} cannot be made", parent.display()))?;
        }
        std::fs::write(&file, format!("{MADE}{text}"))
            .with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn pages() -> Vec<(String, String)> {
    let mut pages = vec![
        ("reference/commands.md".to_owned(), commands::page()),
        ("reference/tools.md".to_owned(), tools::tools()),
        ("reference/http.md".to_owned(), tools::http()),
        ("reference/configuration.md".to_owned(), configuration::page()),
        ("reference/schemas.md".to_owned(), schemas::page()),
        ("agents/README.md".to_owned(), agents::overview()),
    ];
    pages.extend(
        crate::init::agents()
            .iter()
            .map(|agent| (format!("agents/{}.md", agent.id), agents::page(agent))),
    );
    pages
}

/// Writes a row of a table.
fn row(cells: &[&str]) -> String {
    let cells: Vec<String> =
        cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |\n", cells.join(" | "))
}
