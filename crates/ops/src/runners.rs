//! Tests as their runners name them.

use contextd_engine::Reader;
use contextd_lang::LanguageId;
use std::collections::BTreeMap;

/// A test as a runner takes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunnerName {
    /// `pytest`, `cargo`, `go`, `jest`, or empty where no runner is known.
    pub runner: &'static str,
    /// What the runner is pointed at: a file, a folder, or arguments that name a target.
    pub target: String,
    /// Name inside the target; empty for all of it.
    pub name: String,
    /// Both in one, unique in the repository.
    pub id: String,
}

/// Names a test for the runner of its language.
pub fn runner_name(reader: &Reader, test: u32) -> RunnerName {
    let symbol = reader.snapshot.symbol(test);
    let (path, qualified) = (symbol.path(), symbol.qualified());
    let whole = symbol.parent().is_none();
    match LanguageId(symbol.language()).name() {
        "python" if whole => of("pytest", path.to_owned(), String::new(), path.to_owned()),
        "python" => {
            let name = qualified.replace('.', "::");
            of("pytest", path.to_owned(), name.clone(), format!("{path}::{name}"))
        }
        "rust" => rust(reader, path, &qualified),
        "go" => {
            let folder =
                path.rsplit_once('/').map_or(".".to_owned(), |(folder, _)| format!("./{folder}"));
            of(
                "go",
                folder.clone(),
                if whole { String::new() } else { symbol.name().to_owned() },
                format!("{folder}.{}", symbol.name()),
            )
        }
        "javascript" | "typescript" | "tsx" | "jsx" => {
            of("jest", path.to_owned(), String::new(), path.to_owned())
        }
        _ if whole => of("", path.to_owned(), String::new(), path.to_owned()),
        _ => {
            of("", path.to_owned(), qualified.clone().into_owned(), format!("{path}::{qualified}"))
        }
    }
}

fn of(runner: &'static str, target: String, name: String, id: String) -> RunnerName {
    RunnerName { runner, target, name, id }
}

/// Names a test by its package, its target and its place in the tree of modules.
fn rust(reader: &Reader, path: &str, qualified: &str) -> RunnerName {
    let has = |path: &str| reader.snapshot.find_file(path).is_some();
    let package = path
        .match_indices('/')
        .map(|(at, _)| &path[..=at])
        .rfind(|folder| has(&format!("{folder}Cargo.toml")))
        .unwrap_or("");
    let inside = &path[package.len()..];
    let stem = inside.strip_suffix(".rs").unwrap_or(inside);
    let parts: Vec<&str> = stem.split('/').collect();
    let (root, arguments, modules): (String, String, Vec<&str>) = match parts.as_slice() {
        ["src", "main"] => ("src/main.rs".to_owned(), "--bins".to_owned(), Vec::new()),
        ["src", "bin", name, rest @ ..] => {
            (format!("src/bin/{name}.rs"), format!("--bin {name}"), rest.to_vec())
        }
        ["src", "lib"] => ("src/lib.rs".to_owned(), "--lib".to_owned(), Vec::new()),
        ["src", rest @ ..] if has(&format!("{package}src/lib.rs")) => {
            ("src/lib.rs".to_owned(), "--lib".to_owned(), rest.to_vec())
        }
        ["src", rest @ ..] => ("src/main.rs".to_owned(), "--bins".to_owned(), rest.to_vec()),
        ["tests", name] => (format!("tests/{name}.rs"), format!("--test {name}"), Vec::new()),
        ["tests", name, rest @ ..] if has(&format!("{package}tests/{name}/main.rs")) => {
            (format!("tests/{name}/main.rs"), format!("--test {name}"), rest.to_vec())
        }
        ["tests", rest @ ..] => {
            (format!("tests/{}.rs", rest[0]), format!("--test {}", rest[0]), rest.to_vec())
        }
        _ => (inside.to_owned(), String::new(), Vec::new()),
    };
    let own = modules.iter().copied().filter(|part| !matches!(*part, "mod" | "main" | "lib"));
    let name = own
        .chain(qualified.split('.'))
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("::");
    let manifest = if package.is_empty() {
        String::new()
    } else {
        format!("--manifest-path {package}Cargo.toml ")
    };
    RunnerName {
        runner: "cargo",
        target: format!("{manifest}{arguments}"),
        id: format!("{package}{root}::{name}"),
        name,
    }
}

/// Formats that a runner takes, one argument or argument list a line.
pub const RUNNER_FORMATS: &[&str] = &["names", "files", "pytest", "cargo", "go", "jest"];

/// Writes tests for a runner; those of other runners are left out.
pub fn runner_lines(format: &str, tests: &[crate::answer::TestHit]) -> Vec<String> {
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines.dedup();
        lines
    };
    let of_runner = || tests.iter().filter(|test| test.runner == format);
    match format {
        "names" => tests.iter().map(|test| test.id.clone()).collect(),
        "files" => sorted(tests.iter().map(|test| test.file.clone()).collect()),
        "pytest" => of_runner().map(|test| test.id.clone()).collect(),
        "jest" => sorted(of_runner().map(|test| test.file.clone()).collect()),
        _ => {
            let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for test in of_runner() {
                targets.entry(&test.target).or_default().push(&test.name);
            }
            targets
                .into_iter()
                .map(|(target, names)| {
                    if format == "go" {
                        format!("{target} -run '^({})$'", names.join("|"))
                    } else {
                        format!("{target} -- --exact {}", names.join(" "))
                    }
                })
                .collect()
        }
    }
}
