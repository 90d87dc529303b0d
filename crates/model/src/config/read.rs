//! From text to [`Config`].

use super::section::{Key, Keys};
use super::table::{Node, Placed, Section, Table, parse_tables, placed};
use super::{Chunking, Config, Project, Providers, validate};
use crate::Problem;
use std::collections::BTreeMap;

/// Reads a configuration. Sections may be written with or without the prefix `context.`; wrong keys
/// are reported with their line and keep their defaults.
pub fn parse(text: &str, lookup_env: &dyn Fn(&str) -> Option<String>) -> (Config, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut tables = parse_tables(text, lookup_env, &mut problems);
    join_prefixed(&mut tables, &mut problems);
    let mut config = Config::default();
    let mut top = Section::new("", tables, &mut problems);
    config.core.read(&mut top);
    for_each_section(&mut config, &mut |name, keys| {
        if let Some(entries) = top.table(name) {
            read_section(&mut top, name, entries, keys);
        }
    });
    if let Some(entries) = top.table("providers") {
        read_providers(top.nested("providers", entries), &mut config.providers);
    }
    if let Some(entries) = top.table("chunking") {
        read_chunking(top.nested("chunking", entries), &mut config.chunking);
    }
    if let Some(entries) = top.table("projects") {
        config.projects = read_projects(top.nested("projects", entries));
    }
    top.finish();
    validate::validate(&mut config, &mut problems);
    problems.sort_by(|left, right| (left.line, left).cmp(&(right.line, right)));
    (config, problems)
}

/// Lists every key with its default, its range and its meaning.
pub fn reference() -> Vec<Key> {
    let mut config = Config::default();
    let mut keys = config.core.keys("");
    for_each_section(&mut config, &mut |name, section| {
        if name != "core" {
            keys.extend(section.keys(name));
        }
    });
    for_each_provider(&mut config.providers, &mut |name, section| {
        keys.extend(section.keys(provider_section(name)))
    });
    keys.extend(config.chunking.default.keys("chunking.LANGUAGE"));
    keys.extend(Project::default().keys("projects.NAME"));
    keys
}

/// The table of sections: name and place.
fn for_each_section(config: &mut Config, visit: &mut dyn FnMut(&'static str, &mut dyn Keys)) {
    visit("core", &mut config.core);
    visit("engine", &mut config.engine);
    visit("storage", &mut config.storage);
    visit("watcher", &mut config.watcher);
    visit("indexing", &mut config.indexing);
    visit("embedding", &mut config.embedding);
    visit("query", &mut config.query);
    visit("budget", &mut config.budget);
    visit("metrics", &mut config.metrics);
    visit("bootstrap", &mut config.bootstrap);
    visit("security", &mut config.security);
    visit("history", &mut config.history);
    visit("prompt", &mut config.prompt);
}

fn for_each_provider(
    providers: &mut Providers,
    visit: &mut dyn FnMut(&'static str, &mut dyn Keys),
) {
    visit("semantic", &mut providers.semantic);
    visit("symbol", &mut providers.symbol);
    visit("full_text", &mut providers.full_text);
    visit("git_history", &mut providers.git_history);
    visit("dependency", &mut providers.dependency);
    visit("hybrid", &mut providers.hybrid);
}

fn provider_section(name: &str) -> &'static str {
    match name {
        "semantic" => "providers.semantic",
        "symbol" => "providers.symbol",
        "full_text" => "providers.full_text",
        "git_history" => "providers.git_history",
        "dependency" => "providers.dependency",
        _ => "providers.hybrid",
    }
}

fn read_section(parent: &mut Section<'_>, name: &str, entries: Table, keys: &mut dyn Keys) {
    let mut section = parent.nested(name, entries);
    keys.read(&mut section);
    section.finish();
}

fn read_providers(mut section: Section<'_>, providers: &mut Providers) {
    for_each_provider(providers, &mut |name, keys| {
        if let Some(entries) = section.table(name) {
            read_section(&mut section, name, entries, keys);
        }
    });
    section.finish();
}

fn read_chunking(mut section: Section<'_>, chunking: &mut Chunking) {
    if let Some(entries) = section.table("default") {
        read_section(&mut section, "default", entries, &mut chunking.default);
    }
    for (language, entries) in section.tables() {
        let name = language.to_lowercase();
        let mut rules = chunking.of(&name).clone();
        read_section(&mut section, &language, entries, &mut rules);
        chunking.languages.insert(name, rules);
    }
}

fn read_projects(mut section: Section<'_>) -> BTreeMap<String, Project> {
    let mut projects = BTreeMap::new();
    for (name, entries) in section.tables() {
        let mut project = Project::default();
        read_section(&mut section, &name, entries, &mut project);
        projects.insert(name, project);
    }
    projects
}

/// Moves what stands under `[context]` to the top, where it goes before what stood there.
fn join_prefixed(tables: &mut Table, problems: &mut Vec<Problem>) {
    match tables.remove("context") {
        Some(Placed { node: Node::Table(prefixed), .. }) => join(tables, prefixed, "", problems),
        Some(other) => drop(tables.insert("context".to_owned(), other)),
        None => {}
    }
}

fn join(into: &mut Table, from: Table, path: &str, problems: &mut Vec<Problem>) {
    for (key, value) in from {
        match (into.get_mut(&key).map(|placed| &mut placed.node), value) {
            (Some(Node::Table(existing)), Placed { node: Node::Table(table), .. }) => {
                join(existing, table, &format!("{path}{key}."), problems);
            }
            (Some(_), value) => {
                let message = format!(
                    "`{path}{key}` is given twice, with and without the prefix `context.`."
                );
                let remedy = "Remove one; the one with the prefix counts.";
                let problem = Problem::warning("CTX_W_CONFIG_TWICE", message, remedy);
                problems.push(placed(problem, Some(value.line)));
                into.insert(key, value);
            }
            (None, value) => drop(into.insert(key, value)),
        }
    }
}
