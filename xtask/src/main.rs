//! Chores of the workspace: `cargo xtask tidy` checks what the compiler does not, `cargo xtask docs` writes the reference pages.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool reports on the terminal")]

mod bless;
mod tidy;

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy(),
        Some("docs") => docs(),
        Some("bless") => bless::bless(root(), &std::env::args().skip(2).collect::<Vec<_>>()),
        _ => {
            eprintln!(
                "usage: cargo xtask tidy|docs\n       cargo xtask bless --reason \"why the golden packs change\""
            );
            ExitCode::from(2)
        }
    }
}

fn tidy() -> ExitCode {
    let report = tidy::check(root());
    report.warnings.iter().for_each(|warning| println!("warning: {warning}"));
    report.errors.iter().for_each(|error| println!("error: {error}"));
    println!("{} errors, {} warnings", report.errors.len(), report.warnings.len());
    if report.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the pages of `docs/` that are made from the program's own tables.
fn docs() -> ExitCode {
    let run = Command::new("cargo")
        .args(["run", "-q", "-p", "contextd", "--", "reference", "--out", "docs"])
        .current_dir(root())
        .status();
    if run.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the root of the workspace.
fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_workspace_is_tidy() {
        let report = super::tidy::check(super::root());
        assert!(report.errors.is_empty(), "{}", report.errors.join("\n"));
    }
}
