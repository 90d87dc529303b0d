//! A page for each coding agent, from the table that `init` works with.

use super::row;
use crate::init::{self, Agent, Platform, Syntax};
use std::fmt::Write as _;

/// Systems and how their folders are written.
const SYSTEMS: &[(Platform, &str, &str)] = &[
    (Platform::Linux, "Linux", "~/.config"),
    (Platform::MacOs, "macOS", "~/Library/Application Support"),
    (Platform::Windows, "Windows", "%APPDATA%"),
];

pub fn overview() -> String {
    let mut out = String::from(
        "# Coding agents\n\n`contextd init` finds the agents on this machine and shows what it would add to the configuration of each; `--yes` writes it, `contextd uninit` takes it back byte for byte. No file of a repository is touched unless you ask for it with `--instructions`.\n\n```console\n$ contextd init --list\n$ contextd init --agent cursor,zed --dry-run\n```\n\n| agent | file | id |\n|---|---|---|\n",
    );
    for agent in init::agents() {
        out.push_str(&row(&[
            &format!("[{}]({}.md)", agent.name, agent.id),
            &format!("`{}`", places(agent, Platform::Linux, "~/.config").join("`, `")),
            &format!("`{}`", agent.id),
        ]));
    }
    out.push_str("\nAny other client that speaks MCP can start `contextd serve --stdio` in the folder of a project.\n\n## What is kept\n- Comments, trailing commas, line ends, indentation and the order of everything else. Permissions stay, links are followed.\n- A file that cannot be read as what it should be is left alone, and `init` says where it is wrong.\n- An entry named `contextd` that you made yourself is left alone unless you say `--force`.\n- What was done is noted in `~/.local/state/contextd/init.json` (macOS: `~/Library/Application Support/contextd`, Windows: `%LOCALAPPDATA%\\contextd`) until it is undone. If an agent rewrote its file meanwhile, `uninit` takes out the entry and nothing else.\n");
    out
}

pub fn page(agent: &Agent) -> String {
    let mut out = format!(
        "# {}\n\n```console\n$ contextd init --agent {id} --dry-run\n$ contextd init --agent {id} --yes\n```\n\nshows what is added, then adds it. Restart {name}; to see that it works, look at {check}.\n\n## Where\n\n| system | file |\n|---|---|\n",
        agent.name,
        id = agent.id,
        name = agent.name,
        check = agent.check
    );
    for (platform, name, folder) in SYSTEMS {
        out.push_str(&row(&[
            name,
            &format!("`{}`", places(agent, *platform, folder).join("`, else `")),
        ]));
    }
    if let Some((variable, file)) = agent.moved() {
        let _ = writeln!(out, "\nWith `{variable}` set, the file is `${variable}/{file}`.");
    }
    let (language, text) = match agent.format {
        Syntax::Json => ("json", init::sample(agent)),
        Syntax::Toml => ("toml", init::sample(agent)),
    };
    let _ = write!(
        out,
        "\n## By hand\n\nServers stand under `{}`. A new file would hold:\n\n```{language}\n{}\n```\n\nThe program must be on the search path of {name}, or be written with its whole path, as `init` does.\n\n## Undo\n\n```console\n$ contextd uninit --agent {id} --yes\n```\n",
        agent.key.join("."),
        text.trim_end(),
        name = agent.name,
        id = agent.id
    );
    out
}

fn places(agent: &Agent, platform: Platform, folder: &str) -> Vec<String> {
    let home = if platform == Platform::Windows { "%USERPROFILE%" } else { "~" };
    let write = |place: &String| {
        let place = place.replace("{config}", folder).replace("{xdg}", &format!("{home}/.config"));
        let place = place.strip_prefix('~').map_or(place.clone(), |rest| format!("{home}{rest}"));
        if platform == Platform::Windows { place.replace('/', "\\") } else { place }
    };
    agent.places(platform).iter().map(write).collect()
}
