//! The coding agents that are known: data, read from `agents.toml`.

use super::machine::{Machine, Platform};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::LazyLock;

/// One coding agent: where its configuration stands and what an entry in it looks like.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    pub id: String,
    pub name: String,
    pub format: Syntax,
    places: Vec<String>,
    #[serde(default)]
    places_macos: Vec<String>,
    #[serde(default)]
    places_windows: Vec<String>,
    moved: Option<Moved>,
    signs: Vec<String>,
    programs: Vec<String>,
    pub key: Vec<String>,
    entry: Vec<(String, toml::Value)>,
    pub check: String,
}

/// How a configuration file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Syntax {
    /// JSON; comments and trailing commas are understood and kept.
    Json,
    Toml,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Moved {
    variable: String,
    file: String,
}

#[derive(Deserialize)]
struct Table {
    agent: Vec<Agent>,
}

static TABLE: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    // The table is part of the program and a test reads it: it cannot be wrong at run time.
    toml::from_str::<Table>(include_str!("agents.toml"))
        .expect("agents.toml is read by a test")
        .agent
});

/// Returns every agent that is known.
pub fn all() -> &'static [Agent] {
    &TABLE
}

/// Returns the agent of that id.
pub fn by_id(id: &str) -> Option<&'static Agent> {
    TABLE.iter().find(|agent| agent.id == id)
}

impl Agent {
    /// Returns the user's configuration file of this agent.
    pub fn file(&self, machine: &Machine) -> PathBuf {
        if let Some(moved) = &self.moved
            && let Some(folder) = machine.variable(&moved.variable)
        {
            return PathBuf::from(folder).join(&moved.file);
        }
        let places: Vec<PathBuf> =
            self.places(machine.platform).iter().map(|place| machine.expand(place)).collect();
        let existing = places.iter().find(|place| place.symlink_metadata().is_ok());
        existing.or(places.first()).cloned().unwrap_or_default()
    }

    /// Returns where the configuration may stand on a system, with variables left in.
    pub fn places(&self, platform: Platform) -> &[String] {
        match platform {
            Platform::MacOs if !self.places_macos.is_empty() => &self.places_macos,
            Platform::Windows if !self.places_windows.is_empty() => &self.places_windows,
            _ => &self.places,
        }
    }

    /// Returns the variable that moves the configuration, and the file in the folder it names.
    pub fn moved(&self) -> Option<(&str, &str)> {
        self.moved.as_ref().map(|moved| (moved.variable.as_str(), moved.file.as_str()))
    }

    /// True when the agent seems to be installed.
    pub fn is_found(&self, machine: &Machine) -> bool {
        self.signs.iter().any(|sign| machine.expand(sign).exists())
            || self.programs.iter().any(|program| machine.has_program(program))
            || self.file(machine).exists()
    }

    /// Returns the fields of the server's entry, in order.
    pub fn entry(&self, command: &str, args: &[String]) -> Vec<(String, toml::Value)> {
        let words = |words: &[String]| {
            toml::Value::Array(words.iter().cloned().map(toml::Value::String).collect())
        };
        let line: Vec<String> =
            std::iter::once(command.to_owned()).chain(args.iter().cloned()).collect();
        let fill = |value: &toml::Value| match value.as_str() {
            Some("{command}") => toml::Value::String(command.to_owned()),
            Some("{args}") => words(args),
            Some("{line}") => words(&line),
            _ => value.clone(),
        };
        self.entry.iter().map(|(name, value)| (name.clone(), fill(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn machine(platform: Platform, variables: &'static [(&'static str, &'static str)]) -> Machine {
        Machine::new(
            platform,
            PathBuf::from("/home/ada"),
            Box::new(move |name| {
                variables
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| (*value).to_owned())
            }),
        )
    }

    #[test]
    fn the_table_can_be_read_and_ids_are_unique() {
        let ids: BTreeSet<&str> = all().iter().map(|agent| agent.id.as_str()).collect();
        assert_eq!(ids.len(), all().len());
        assert_eq!(all().len(), 12);
        assert!(by_id("zed").is_some() && by_id("nobody").is_none());
    }

    #[test]
    fn places_follow_the_system() {
        let windows = [("APPDATA", "/roaming")];
        for (id, platform, variables, expected) in [
            ("vscode", Platform::Linux, &[][..], "/home/ada/.config/Code/User/mcp.json"),
            (
                "vscode",
                Platform::Linux,
                &[("XDG_CONFIG_HOME", "/etc/ada")][..],
                "/etc/ada/Code/User/mcp.json",
            ),
            (
                "vscode",
                Platform::MacOs,
                &[],
                "/home/ada/Library/Application Support/Code/User/mcp.json",
            ),
            ("vscode", Platform::Windows, &windows, "/roaming/Code/User/mcp.json"),
            ("zed", Platform::MacOs, &[], "/home/ada/.config/zed/settings.json"),
            ("zed", Platform::Windows, &windows, "/roaming/Zed/settings.json"),
            ("codex", Platform::Linux, &[("CODEX_HOME", "/srv/codex")], "/srv/codex/config.toml"),
            ("claude-code", Platform::Windows, &windows, "/home/ada/.claude.json"),
        ] {
            let variables: &'static [(&str, &str)] = Vec::leak(variables.to_vec());
            assert_eq!(
                by_id(id).unwrap().file(&machine(platform, variables)),
                PathBuf::from(expected),
                "{id} {platform:?}"
            );
        }
    }
}
