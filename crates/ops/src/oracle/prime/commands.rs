//! How the project is tested and built, as its documents and manifests say.

use super::Project;
use serde_json::Value;
use std::collections::BTreeMap;

/// Programs that run tests, by their first word.
const RUNNERS: &[&str] = &[
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "mvn",
    "./mvnw",
    "gradle",
    "./gradlew",
    "make",
    "just",
    "task",
    "tox",
    "nox",
    "pytest",
    "python",
    "python3",
    "uv",
    "poetry",
    "hatch",
    "rake",
    "bundle",
    "rspec",
    "mix",
    "dotnet",
    "swift",
    "sbt",
    "zig",
    "cabal",
    "stack",
    "ctest",
    "composer",
    "phpunit",
    "vendor/bin/phpunit",
    "deno",
    "bats",
    "bin/bats",
    "busted",
    "bazel",
    "meson",
    "ninja",
    "xcodebuild",
];

/// A manifest at the root, and the commands that go with it by convention: test, build.
const CONVENTIONS: &[(&str, &str, &str)] = &[
    ("Cargo.toml", "cargo test", "cargo build"),
    ("go.mod", "go test ./...", "go build ./..."),
    ("pom.xml", "mvn test", "mvn package"),
    ("build.gradle.kts", "./gradlew test", "./gradlew build"),
    ("build.gradle", "./gradlew test", "./gradlew build"),
    ("mix.exs", "mix test", "mix compile"),
    ("Package.swift", "swift test", "swift build"),
    ("build.sbt", "sbt test", "sbt compile"),
    ("build.zig", "zig build test", "zig build"),
    ("stack.yaml", "stack test", "stack build"),
    ("Rakefile", "bundle exec rake test", ""),
    ("tox.ini", "tox", ""),
    ("noxfile.py", "nox", ""),
    ("pytest.ini", "pytest", ""),
    ("CMakeLists.txt", "cmake -S . -B build && cmake --build build && ctest --test-dir build", ""),
    ("phpunit.xml.dist", "vendor/bin/phpunit", ""),
    ("phpunit.xml", "vendor/bin/phpunit", ""),
];

/// Commands of a sort that are shown.
const SHOWN: usize = 3;

/// Returns the commands with where they come from.
pub fn commands(project: &Project<'_>) -> Vec<String> {
    let mut tests: Vec<(String, String)> = documented(project);
    let mut builds: Vec<(String, String)> = Vec::new();
    scripts(project, &mut tests, &mut builds);
    targets(project, &mut tests, &mut builds);
    python(project, &mut tests);
    for (manifest, test, build) in
        CONVENTIONS.iter().filter(|(manifest, _, _)| project.has(manifest))
    {
        tests.push(((*test).to_owned(), (*manifest).to_owned()));
        if !build.is_empty() {
            builds.push(((*build).to_owned(), (*manifest).to_owned()));
        }
    }
    if let Some(solution) =
        project.paths().into_iter().find(|path| path.ends_with(".sln") || path.ends_with(".slnx"))
    {
        tests.push(("dotnet test".to_owned(), solution.to_owned()));
    }
    if let Some(cabal) =
        project.paths().into_iter().find(|path| !path.contains('/') && path.ends_with(".cabal"))
    {
        tests.push(("cabal test".to_owned(), cabal.to_owned()));
    }
    let mut lines = shown("test", tests);
    lines.extend(shown("build", builds));
    lines
}

fn shown(what: &str, found: Vec<(String, String)>) -> Vec<String> {
    let mut seen: BTreeMap<String, ()> = BTreeMap::new();
    let distinct =
        found.into_iter().filter(|(command, _)| seen.insert(command.clone(), ()).is_none());
    distinct.take(SHOWN).map(|(command, place)| format!("{what}: `{command}` ({place})")).collect()
}

/// Test commands in code form in the documents that speak to contributors.
fn documented(project: &Project<'_>) -> Vec<(String, String)> {
    let is_guide = |path: &&str| {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let guide =
            ["readme", "contributing", "development", "developing", "hacking", "testing", "agents"]
                .iter()
                .any(|start| name.starts_with(start));
        guide
            && (!lower.contains('/')
                || lower.matches('/').count() == 1
                    && (lower.starts_with("docs/")
                        || lower.starts_with(".github/")
                        || lower.starts_with("doc/")))
    };
    let mut paths: Vec<&str> = project.paths().into_iter().filter(is_guide).collect();
    // The README speaks first; files of the root before those of folders.
    paths.sort_by_key(|path| {
        (!path.to_lowercase().starts_with("readme"), path.matches('/').count(), path.len(), *path)
    });
    let mut found = Vec::new();
    for path in paths.into_iter().take(6) {
        let Some(text) = project.read(path) else { continue };
        found.extend(in_text(&text).into_iter().map(|command| (command, path.to_owned())));
    }
    found
}

/// Finds test commands in a document: lines of fences and code spans.
fn in_text(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fence = !fence;
            continue;
        }
        if fence
            || line.starts_with("    ")
            || line.starts_with('\t')
            || line.trim_start().starts_with("$ ")
        {
            found.extend(command(line));
        } else {
            found.extend(line.split('`').skip(1).step_by(2).filter_map(command));
        }
    }
    found
}

/// Returns the command when a piece of code runs tests.
fn command(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("$ ").trim_start_matches("> ").trim();
    let text = text.split(" # ").next().unwrap_or(text).trim();
    if text.len() > 90 || text.contains(['<', '{', '|']) {
        return None;
    }
    // Settings of the environment may stand before the program.
    let mut words =
        text.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let program = words.next()?;
    if !RUNNERS.contains(&program) {
        return None;
    }
    let rest: Vec<&str> = words.collect();
    let alone = matches!(
        program,
        "tox"
            | "nox"
            | "pytest"
            | "rspec"
            | "ctest"
            | "phpunit"
            | "vendor/bin/phpunit"
            | "bats"
            | "busted"
    );
    if rest.iter().any(|word| {
        ["ruff", "lint", "clippy", "fmt", "format", "black", "mypy", "flake8", "install", "build"]
            .contains(word)
    }) {
        return None;
    }
    let is_test = |word: &&str| {
        let word = word.trim_start_matches('-');
        // A folder of tests may be looked at by anything.
        let word = if word.ends_with('/') { "" } else { word };
        word == "verify"
            || word.split([':', '.', '/', '_', '-']).any(|part| {
                matches!(
                    part,
                    "test"
                        | "tests"
                        | "pytest"
                        | "rspec"
                        | "spec"
                        | "unittest"
                        | "tox"
                        | "nox"
                        | "nextest"
                )
            })
    };
    (alone || rest.iter().any(is_test)).then(|| text.to_owned())
}

/// Scripts of package.json and composer.json.
fn scripts(
    project: &Project<'_>,
    tests: &mut Vec<(String, String)>,
    builds: &mut Vec<(String, String)>,
) {
    let tool = ["pnpm-lock.yaml", "yarn.lock", "bun.lock"]
        .iter()
        .find(|lock| project.has(lock))
        .map_or("npm", |lock| lock.split(['-', '.']).next().unwrap_or("npm"));
    for (manifest, tool) in [("package.json", tool), ("composer.json", "composer")] {
        let Some(value) =
            project.read(manifest).and_then(|text| serde_json::from_str::<Value>(&text).ok())
        else {
            continue;
        };
        let script = |name: &str| {
            value["scripts"][name]
                .as_str()
                .filter(|script| !script.contains("no test specified"))
                .or(value["scripts"][name].as_array().and(Some("")))
        };
        if let Some(runs) = script("test") {
            let place = if runs.is_empty() {
                manifest.to_owned()
            } else {
                format!("{manifest} runs {}", super::prose::clip(runs, 60))
            };
            tests.push((format!("{tool} test"), place));
        }
        if script("build").is_some() {
            builds.push((format!("{tool} run build"), manifest.to_owned()));
        }
    }
}

/// Targets of make and just.
fn targets(
    project: &Project<'_>,
    tests: &mut Vec<(String, String)>,
    builds: &mut Vec<(String, String)>,
) {
    for (file, tool) in [
        ("Makefile", "make"),
        ("makefile", "make"),
        ("GNUmakefile", "make"),
        ("justfile", "just"),
        ("Justfile", "just"),
    ] {
        let Some(text) = project.read(file) else { continue };
        let has = |name: &str| {
            text.lines().any(|line| {
                line.split(':').next().is_some_and(|head| {
                    line.contains(':')
                        && !line.starts_with(['\t', ' ', '#', '.'])
                        && head.split_whitespace().any(|word| word == name)
                })
            })
        };
        if let Some(name) = ["test", "check", "tests"].into_iter().find(|name| has(name)) {
            tests.push((format!("{tool} {name}"), file.to_owned()));
        }
        if has("build") {
            builds.push((format!("{tool} build"), file.to_owned()));
        }
    }
}

/// Test settings of pyproject.toml and setup.cfg.
fn python(project: &Project<'_>, tests: &mut Vec<(String, String)>) {
    for manifest in ["pyproject.toml", "setup.cfg"] {
        let Some(text) = project.read(manifest) else { continue };
        for (mark, command) in [
            ("tool.tox", "tox"),
            ("tox:tox", "tox"),
            ("tool.pytest", "pytest"),
            ("tool:pytest", "pytest"),
            ("tool.hatch.envs.test", "hatch test"),
        ] {
            if text.lines().any(|line| line.trim_start().trim_start_matches('[').starts_with(mark))
            {
                tests.push((command.to_owned(), manifest.to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_run_tests_are_told_from_others() {
        for text in [
            "cargo test --doc",
            "$ npm test",
            "mvn clean verify",
            "go test",
            "RUST_LOG=x cargo test",
            "tox -p",
            "python -m pytest tests",
            "bundle exec rake test",
            "./gradlew :core:test",
            "make test",
        ] {
            assert!(command(text).is_some(), "{text}");
        }
        for text in [
            "cargo build",
            "npm install",
            "test",
            "npm run latest",
            "go get x",
            "mvn package",
            "git checkout tests",
            "python hello.py",
            "uv run ruff check src/ tests/",
        ] {
            assert!(command(text).is_none(), "{text}");
        }
    }

    #[test]
    fn documents_show_commands_in_code_form() {
        assert_eq!(
            in_text("Run `go test`.\n\n```sh\nnpm test\n```\n\nRun cargo test.\n"),
            ["go test", "npm test"]
        );
    }
}
