//! Where a program starts, and what a library offers first.

use super::Project;
use contextd_lang::{LanguageId, paths};
use contextd_model::facts::modifier;
use contextd_model::{EdgeKind, SymbolKind, Visibility};
use serde_json::Value;
use std::collections::BTreeMap;

/// Entry points of a sort that are shown.
const SHOWN: usize = 6;
/// Files that make up the face of a package, by name.
const FACES: &[&str] = &[
    "src/lib.rs",
    "lib.rs",
    "index.ts",
    "index.js",
    "index.mjs",
    "src/index.ts",
    "src/index.js",
    "src/index.tsx",
    "main.go",
    "src/main.rs",
    "src/main.py",
    "main.py",
    "app.py",
    "__main__.py",
];

/// Returns the entry points, those that are run first.
pub fn entries(project: &Project<'_>, readme: Option<&str>) -> Vec<String> {
    let mut lines: Vec<String> = manifests(project);
    lines.extend(mains(project));
    let named = readme.map(|readme| named(project, readme)).unwrap_or_default();
    if !named.is_empty() {
        lines.push(format!("offered first, by the README: {}", named.join(", ")));
    }
    let used = most_used(project, SHOWN);
    if !used.is_empty() {
        lines.push(format!("used most: {}", used.join(", ")));
    }
    lines.extend(faces(project));
    let mut seen = Vec::new();
    lines.retain(|line| {
        !seen.contains(line) && {
            seen.push(line.clone());
            true
        }
    });
    lines.truncate(12);
    lines
}

/// Returns what a manifest says the project is.
pub fn description(project: &Project<'_>) -> Option<String> {
    let json = |path: &str| {
        project
            .read(path)
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
            .and_then(|value| value["description"].as_str().map(str::to_owned))
    };
    let toml = |path: &str, section: &str| {
        project
            .read(path)
            .and_then(|text| text.parse::<toml::Table>().ok())
            .and_then(|table| table.get(section)?.get("description")?.as_str().map(str::to_owned))
    };
    json("package.json")
        .or_else(|| json("composer.json"))
        .or_else(|| toml("pyproject.toml", "project"))
        .or_else(|| toml("Cargo.toml", "package"))
}

/// Returns the name that a manifest gives the project; names of workspaces say nothing.
pub fn name(project: &Project<'_>) -> Option<String> {
    let json = |path: &str| {
        project
            .read(path)
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
            .and_then(|value| value["name"].as_str().map(str::to_owned))
    };
    let table = |path: &str| project.read(path).and_then(|text| text.parse::<toml::Table>().ok());
    let toml = |path: &str, keys: &[&str]| {
        table(path).and_then(|table| {
            keys.iter()
                .try_fold(&toml::Value::Table(table), |value, key| value.get(key))
                .and_then(toml::Value::as_str)
                .map(str::to_owned)
        })
    };
    let module = || {
        project.read("go.mod").and_then(|text| {
            text.lines()
                .find_map(|line| line.strip_prefix("module ").map(|path| path.trim().to_owned()))
        })
    };
    let found = toml("Cargo.toml", &["package", "name"])
        .or_else(|| toml("pyproject.toml", &["project", "name"]))
        .or_else(|| toml("pyproject.toml", &["tool", "poetry", "name"]))
        .or_else(|| json("package.json"))
        .or_else(|| json("composer.json"))
        .or_else(module)?;
    let says_nothing = |part: &str| {
        part.is_empty()
            || ["root", "monorepo", "workspace", "workspaces", "private", "project", "package"]
                .contains(&part)
    };
    let last = found.trim_matches('/').rsplit('/').find(|part| !is_major(part)).unwrap_or(&found);
    (!last.to_lowercase().split(['-', '_', '.']).any(says_nothing)).then(|| last.to_owned())
}

/// True for `v2` and the like, with which paths of Go modules end.
fn is_major(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_digit()))
}

fn manifests(project: &Project<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(value) =
        project.read("package.json").and_then(|text| serde_json::from_str::<Value>(&text).ok())
    {
        match &value["bin"] {
            Value::String(path) => {
                lines.push(format!("command `{}`: {path}", value["name"].as_str().unwrap_or("bin")))
            }
            Value::Object(map) => {
                lines.extend(map.iter().take(SHOWN).filter_map(|(name, path)| {
                    Some(format!("command `{name}`: {}", path.as_str()?))
                }))
            }
            _ => {}
        }
        if let Some(main) = value["main"].as_str().or_else(|| value["module"].as_str()) {
            lines.push(format!("package main: {main}"));
        }
    }
    let scripts = project.read("pyproject.toml").and_then(|text| text.parse::<toml::Table>().ok());
    if let Some(scripts) =
        scripts.as_ref().and_then(|table| table.get("project")?.get("scripts")?.as_table())
    {
        lines.extend(
            scripts.iter().take(SHOWN).filter_map(|(name, target)| {
                Some(format!("command `{name}`: {}", target.as_str()?))
            }),
        );
    }
    for path in project.paths().into_iter().filter(|path| {
        *path == "Cargo.toml"
            || path.ends_with("/Cargo.toml")
                && path.matches('/').count() <= 2
                && !paths::is_documentation(path)
    }) {
        let Some(table) = project.read(path).and_then(|text| text.parse::<toml::Table>().ok())
        else {
            continue;
        };
        for bin in table.get("bin").and_then(toml::Value::as_array).into_iter().flatten() {
            let place =
                bin.get("path").and_then(toml::Value::as_str).map_or(String::new(), |own| {
                    format!(": {}{own}", path.trim_end_matches("Cargo.toml"))
                });
            lines.extend(
                bin.get("name")
                    .and_then(toml::Value::as_str)
                    .map(|name| format!("command `{name}`{place}")),
            );
        }
    }
    lines.truncate(SHOWN);
    lines
}

/// Functions that a program starts with.
fn mains(project: &Project<'_>) -> Vec<String> {
    let snapshot = &project.reader.snapshot;
    let mut found: Vec<(&str, u32, String)> = Vec::new();
    for name in ["main", "Main"] {
        for symbol in snapshot.symbols_named(name) {
            let own = snapshot.symbol(symbol);
            let depth = own
                .parent()
                .map_or(0, |parent| u32::from(snapshot.symbol(parent).parent().is_some()));
            let language = LanguageId(own.language()).name();
            let starts = match language {
                "java" | "csharp" | "kotlin" | "scala" => own.kind().is_callable(),
                "rust" | "c" | "cpp" | "haskell" | "zig" | "swift" => {
                    own.kind() == SymbolKind::Function && depth == 0
                }
                "go" => own.kind() == SymbolKind::Function && own.file().package() == "main",
                _ => false,
            };
            let aside = paths::is_test(own.path())
                || paths::is_documentation(own.path())
                || own.path().split('/').any(|folder| folder.starts_with('_'))
                || paths::is_vendored(own.path())
                || own.path().ends_with("build.rs");
            if starts && !aside {
                found.push((own.path(), own.start_line(), own.qualified().into_owned()));
            }
        }
    }
    found.sort_by_key(|(path, line, _)| (path.matches('/').count(), *path, *line));
    found
        .into_iter()
        .take(SHOWN)
        .map(|(path, line, name)| format!("`{name}` in {path}:{line}"))
        .collect()
}

/// Definitions that the README names in code form, in its examples too; those most used come first.
fn named(project: &Project<'_>, readme: &str) -> Vec<String> {
    let snapshot = &project.reader.snapshot;
    let mut found: BTreeMap<u32, u32> = BTreeMap::new();
    if let Some(file) = snapshot.find_file(readme) {
        for symbol in snapshot.symbols_of_file(file) {
            for edge in snapshot
                .graph()
                .out(symbol)
                .iter()
                .filter(|edge| edge.kind() == EdgeKind::Documents)
            {
                *found.entry(edge.target).or_default() += u32::from(edge.count.max(1));
            }
        }
    }
    for name in project.read(readme).map(|text| example_names(&text)).unwrap_or_default() {
        for symbol in snapshot
            .symbols_named(&name)
            .into_iter()
            .filter(|&symbol| snapshot.symbol(symbol).kind().is_code())
        {
            *found.entry(symbol).or_default() += 1;
        }
    }
    found.retain(|&symbol, _| is_offered(project, symbol));
    let mut ordered: Vec<(u32, u32)> = found.into_iter().collect();
    let uses = |symbol: u32| snapshot.graph().sources(symbol).len();
    ordered.sort_by_key(|&(symbol, count)| {
        (
            std::cmp::Reverse(uses(symbol) * (1 + count.min(4) as usize)),
            snapshot.symbol(symbol).path(),
            snapshot.symbol(symbol).start_line(),
        )
    });
    distinct(project, ordered.into_iter().map(|(symbol, _)| symbol), 8)
}

/// Returns the names in the fenced examples of a document that look like a library's own: constructed,
/// called on a module, or imported.
fn example_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
            continue;
        }
        if !fence {
            continue;
        }
        for word in
            line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).filter(|word| {
                word.len() > 2
                    && word
                        .starts_with(|letter: char| letter.is_uppercase() || letter.is_lowercase())
            })
        {
            if !names.iter().any(|name| name == word) && names.len() < 400 {
                names.push(word.to_owned());
            }
        }
    }
    // Words of one case in lower letters are mostly words of the language.
    names.retain(|name| name.chars().any(char::is_uppercase) || name.contains('_'));
    names
}

fn is_offered(project: &Project<'_>, symbol: u32) -> bool {
    let own = project.reader.snapshot.symbol(symbol);
    let path = own.path();
    let aside = paths::is_test(path)
        || paths::is_documentation(path)
        || paths::is_vendored(path)
        || path.split('/').any(|folder| folder.starts_with('_'));
    let wanted = own.kind().is_type()
        && own.kind() != SymbolKind::Extension
        && own.kind() != SymbolKind::TypeAlias
        || own.kind() == SymbolKind::Function;
    wanted
        && !aside
        && own.visibility() != Visibility::Private
        && !own.has(modifier::LOCAL | modifier::TEST)
}

/// Public definitions that most of the project leans on.
fn most_used(project: &Project<'_>, most: usize) -> Vec<String> {
    let snapshot = &project.reader.snapshot;
    let mut found: Vec<(usize, u32)> = (0..snapshot.symbol_count())
        .filter(|&symbol| is_offered(project, symbol))
        .map(|symbol| (known_users(project, symbol), symbol))
        .filter(|&(uses, _)| uses > 2)
        .collect();
    found.sort_by_key(|&(uses, symbol)| {
        (
            std::cmp::Reverse(uses),
            snapshot.symbol(symbol).path(),
            snapshot.symbol(symbol).start_line(),
        )
    });
    distinct(project, found.into_iter().map(|(_, symbol)| symbol), most)
}

/// Files that surely use a definition from outside.
fn known_users(project: &Project<'_>, symbol: u32) -> usize {
    let snapshot = &project.reader.snapshot;
    let home = snapshot.file_of(symbol);
    let mut files: Vec<u32> = snapshot
        .graph()
        .incoming(symbol)
        .take(5_000)
        .filter(|(_, edge)| edge.is_known() && !edge.kind().is_structural())
        .map(|(source, _)| snapshot.file_of(source))
        .filter(|&file| file != home)
        .collect();
    files.sort_unstable();
    files.dedup();
    files.len()
}

fn distinct(project: &Project<'_>, symbols: impl Iterator<Item = u32>, most: usize) -> Vec<String> {
    let snapshot = &project.reader.snapshot;
    let mut names: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for symbol in symbols {
        let own = snapshot.symbol(symbol);
        let name = own.qualified().into_owned();
        if names.contains(&name) {
            continue;
        }
        lines.push(format!("`{name}` ({}:{})", own.path(), own.start_line()));
        names.push(name);
        if lines.len() == most {
            break;
        }
    }
    lines
}

/// Files that a package shows first.
fn faces(project: &Project<'_>) -> Vec<String> {
    let paths = project.paths();
    let code = |path: &&str| {
        !paths::is_test(path)
            && !paths::is_documentation(path)
            && !paths::is_vendored(path)
            && !path.split('/').any(|folder| folder.starts_with('_'))
    };
    let ends = |path: &&str| {
        FACES.iter().any(|face| {
            path.strip_suffix(face).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        }) || path.ends_with("/__init__.py") && path.matches('/').count() <= 2
    };
    let mut found: Vec<&str> = paths.into_iter().filter(code).filter(ends).collect();
    found.sort_by_key(|path| (path.matches('/').count(), *path));
    found.truncate(SHOWN);
    let shown: Vec<String> =
        found.iter().map(|path| format!("{path}{}", taken_in(project, path))).collect();
    if shown.is_empty() { Vec::new() } else { vec![format!("files: {}", shown.join(", "))] }
}

/// A face may be nothing but a pointer: names what a short file takes in.
fn taken_in(project: &Project<'_>, path: &str) -> String {
    let snapshot = &project.reader.snapshot;
    let Some(file) = snapshot.find_file(path).filter(|&file| snapshot.file(file).lines() <= 30)
    else {
        return String::new();
    };
    let uses =
        snapshot.symbols_of_file(file).flat_map(|symbol| snapshot.graph().out(symbol)).filter(
            |edge| edge.is_known() && matches!(edge.kind(), EdgeKind::Imports | EdgeKind::Exports),
        );
    let mut targets: Vec<&str> = uses
        .map(|edge| snapshot.symbol(edge.target).path())
        .filter(|target| *target != path)
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets.truncate(2);
    if targets.is_empty() { String::new() } else { format!(" (takes in {})", targets.join(", ")) }
}
