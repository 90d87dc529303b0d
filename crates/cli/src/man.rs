//! `contextd man`: manual pages, made from the same definition as the help.

use crate::{args, ui};
use anyhow::Context as _;
use std::path::Path;
use std::process::ExitCode;

/// Prints a page, or writes all of them to a folder.
pub fn man(name: Option<&str>, out: Option<&Path>) -> anyhow::Result<ExitCode> {
    let mut command = args::command();
    command.build();
    if let Some(folder) = out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        clap_mangen::generate_to(command, folder)
            .with_context(|| format!("{} cannot be written", folder.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let page = match name {
        None => command,
        Some(name) => command
            .find_subcommand(name)
            .with_context(|| format!("there is no command `{name}`"))?
            .clone(),
    };
    let mut bytes = Vec::new();
    clap_mangen::Man::new(page).render(&mut bytes)?;
    ui::print(String::from_utf8_lossy(&bytes).trim_end());
    Ok(ExitCode::SUCCESS)
}
