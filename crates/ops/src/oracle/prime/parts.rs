//! The main parts: folders, or files where there are no folders, the weightiest first.

use super::Project;
use super::prose;
use contextd_lang::{LanguageId, paths};
use contextd_model::SymbolKind;
use std::collections::{BTreeMap, BTreeSet};

/// Parts that are shown.
const SHOWN: usize = 14;
/// What is inside a part, by name.
const INSIDE: usize = 14;

/// A folder or file of code.
#[derive(Default)]
struct Tree {
    folders: BTreeMap<String, Tree>,
    /// Files with their lines.
    files: BTreeMap<String, u32>,
    lines: u32,
    count: u32,
}

impl Tree {
    fn add(&mut self, path: &str, lines: u32) {
        self.lines += lines;
        self.count += 1;
        match path.split_once('/') {
            Some((folder, rest)) => {
                self.folders.entry(folder.to_owned()).or_default().add(rest, lines)
            }
            None => drop(self.files.insert(path.to_owned(), lines)),
        }
    }

    /// Goes down as long as one folder holds nearly everything.
    fn heart<'t>(&'t self, prefix: &mut String) -> &'t Tree {
        let mut at = self;
        loop {
            let heavy = at
                .folders
                .iter()
                .find(|(_, inner)| u64::from(inner.lines) * 10 >= u64::from(at.lines) * 8);
            // A folder of a single file is not worth going into.
            let Some((name, inner)) = heavy.filter(|(_, inner)| inner.count > 1) else { return at };
            prefix.push_str(name);
            prefix.push('/');
            at = inner;
        }
    }
}

/// Returns a line for each part.
pub fn parts(project: &Project<'_>) -> Vec<String> {
    let snapshot = &project.reader.snapshot;
    let mut tree = Tree::default();
    let code: Vec<(&str, u32)> = (0..snapshot.file_count())
        .map(|file| snapshot.file(file))
        .filter(|own| is_program(own.language()))
        .map(|own| (own.path(), own.lines()))
        .collect();
    let customs = Customs::of(&code);
    for (path, lines) in code.into_iter().filter(|(path, _)| !customs.is_aside(path)) {
        tree.add(path, lines);
    }
    let mut prefix = String::new();
    let heart = tree.heart(&mut prefix);
    let mut lines = Vec::new();
    if !prefix.is_empty() {
        let others: Vec<&str> = tree
            .folders
            .keys()
            .map(String::as_str)
            .filter(|name| !prefix.starts_with(&format!("{name}/")))
            .take(8)
            .collect();
        let beside = if others.is_empty() {
            String::new()
        } else {
            format!("; beside it {}", others.join(", "))
        };
        lines.push(format!("the code lies in {prefix}{beside}"));
    }
    let mut found: Vec<(u32, String, String)> = heart
        .folders
        .iter()
        .map(|(name, inner)| {
            (inner.lines, format!("{name}/"), folder(project, &prefix, name, inner))
        })
        .collect();
    found.extend(
        heart
            .files
            .iter()
            .map(|(name, &size)| (size, name.clone(), file(project, &prefix, name, size))),
    );
    // Folders before files: they are parts by intent.
    found.sort_by(|a, b| {
        (!a.1.ends_with('/'), std::cmp::Reverse(a.0), &a.1).cmp(&(
            !b.1.ends_with('/'),
            std::cmp::Reverse(b.0),
            &b.1,
        ))
    });
    let (shown, rest) = found.split_at(found.len().min(SHOWN));
    lines.extend(shown.iter().map(|(_, _, line)| line.clone()));
    if !rest.is_empty() {
        lines.push(format!(
            "and {}",
            prose::clip(
                &rest.iter().map(|(_, name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
                400
            )
        ));
    }
    lines
}

fn is_program(language: u8) -> bool {
    let language = LanguageId(language);
    language.get().full || matches!(language.name(), "lua" | "elixir" | "haskell" | "zig" | "bash")
}

/// What the repository's own layout says about names that elsewhere mean tests or documents.
struct Customs<'p> {
    /// Folders that hold tests beside other code.
    tested: BTreeSet<&'p str>,
    /// Tests have folders of their own.
    apart: bool,
}

impl<'p> Customs<'p> {
    fn of(code: &[(&'p str, u32)]) -> Self {
        let (tests, others): (Vec<&str>, Vec<&str>) =
            code.iter().map(|(path, _)| *path).partition(|path| paths::is_test(path));
        let with_code: BTreeSet<&str> = others.into_iter().map(folder_of).collect();
        let apart =
            tests.iter().filter(|path| paths::is_test(&format!("{}/x", folder_of(path)))).count()
                * 2
                >= tests.len();
        Customs {
            tested: tests
                .into_iter()
                .map(folder_of)
                .filter(|folder| with_code.contains(folder))
                .collect(),
            apart,
        }
    }

    /// True for what is no part of the product: tests, documents, examples, others' code, built files.
    fn is_aside(&self, path: &str) -> bool {
        let folder = folder_of(path);
        // A folder of tested code is a part even when it is called `doc`.
        let documentation = paths::is_documentation(path)
            && !(self.tested.contains(folder) && folder.rsplit('/').next() == Some("doc"));
        // Where tests lie apart, a file among the code that is called `test` helps others to test.
        let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or(path);
        let helper = self.apart
            && matches!(stem, "test" | "tests")
            && !folder.is_empty()
            && !paths::is_test(&format!("{folder}/x"));
        let hidden =
            path.split('/').any(|folder| folder.starts_with(['_', '.'])) && !path.ends_with(".py");
        paths::is_test(path) && !helper
            || documentation
            || hidden
            || paths::is_vendored(path)
            || paths::is_built(path)
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn folder(project: &Project<'_>, prefix: &str, name: &str, tree: &Tree) -> String {
    let mut place = format!("{prefix}{name}/");
    let top = place.clone();
    let heart = tree.heart(&mut place);
    let mut inside: Vec<(bool, u32, String)> = heart
        .folders
        .iter()
        .map(|(name, inner)| (false, inner.lines, format!("{name}/")))
        .collect();
    inside.extend(
        heart
            .files
            .iter()
            .filter(|(name, _)| !is_face(name))
            .map(|(name, &size)| (true, size, name.split('.').next().unwrap_or(name).to_owned())),
    );
    inside.sort_by(|a, b| {
        (a.0, std::cmp::Reverse(a.1), &a.2).cmp(&(b.0, std::cmp::Reverse(b.1), &b.2))
    });
    let names: Vec<String> = inside.into_iter().take(INSIDE).map(|(_, _, name)| name).collect();
    let about = about_folder(project, &[&top, &place]);
    let down = if place == top {
        String::new()
    } else {
        format!(" in {}", place.strip_prefix(&top).unwrap_or(&place))
    };
    let holds = if names.is_empty() {
        String::new()
    } else {
        format!("; holds{down} {}", names.join(", "))
    };
    format!("{top} ({} lines){}{holds}", tree.lines, said(&about))
}

fn file(project: &Project<'_>, prefix: &str, name: &str, size: u32) -> String {
    let path = format!("{prefix}{name}");
    let about = project
        .read(&path)
        .map(|text| prose::file_comment(&text))
        .filter(|about| !about.is_empty())
        .or_else(|| main_symbol(project, &path))
        .unwrap_or_default();
    format!("{path} ({size} lines){}", said(&about))
}

fn said(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!(": {}", about.trim_end_matches('.')) }
}

fn is_face(name: &str) -> bool {
    matches!(
        name.split('.').next().unwrap_or(name),
        "lib" | "mod" | "index" | "__init__" | "doc" | "package-info" | "main" | "__main__"
    )
}

/// Returns what a folder says of itself: in the file that stands for it, else in its README.
fn about_folder(project: &Project<'_>, places: &[&str]) -> String {
    for place in places {
        for name in [
            "src/lib.rs",
            "lib.rs",
            "mod.rs",
            "__init__.py",
            "doc.go",
            "package-info.java",
            "index.ts",
            "index.js",
            "src/index.ts",
        ] {
            if let Some(about) = project
                .read(&format!("{place}{name}"))
                .map(|text| prose::file_comment(&text))
                .filter(|about| !about.is_empty())
            {
                return about;
            }
        }
        // Go names a package's file after the package; Rust puts a module beside its folder.
        let stem = place.trim_end_matches('/');
        let own = stem.rsplit('/').next().unwrap_or(stem);
        for path in [
            format!("{place}{own}.go"),
            format!("{stem}.rs"),
            format!("{place}{own}.rb"),
            format!("{stem}.rb"),
        ] {
            if let Some(about) = project
                .read(&path)
                .map(|text| prose::file_comment(&text))
                .filter(|about| !about.is_empty())
            {
                return about;
            }
        }
    }
    let readmes = places.iter().flat_map(|place| {
        ["README.md", "README.rst", "Readme.md"].map(|name| format!("{place}{name}"))
    });
    readmes
        .filter_map(|path| project.read(&path))
        .map(|text| prose::about(&text))
        .find(|about| !about.is_empty())
        .map(|about| prose::sentence(&about))
        .unwrap_or_default()
}

/// Returns the most used definition of a file, with the first sentence of its comment.
fn main_symbol(project: &Project<'_>, path: &str) -> Option<String> {
    let snapshot = &project.reader.snapshot;
    let file = snapshot.find_file(path)?;
    let wanted = |&symbol: &u32| {
        let own = snapshot.symbol(symbol);
        (own.kind().is_type() || own.kind().is_callable() || own.kind() == SymbolKind::Module)
            && own.parent() == Some(snapshot.symbols_of_file(file).start)
    };
    let best = snapshot.symbols_of_file(file).skip(1).filter(wanted).max_by_key(|&symbol| {
        (snapshot.graph().sources(symbol).len(), std::cmp::Reverse(symbol))
    })?;
    let own = snapshot.symbol(best);
    let doc = prose::sentence(&own.doc());
    Some(if doc.is_empty() {
        format!("`{}`", own.qualified())
    } else {
        format!("`{}`: {doc}", own.qualified())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_says_what_names_mean() {
        let aside = |paths: &[&'static str]| -> Vec<&'static str> {
            let code: Vec<(&'static str, u32)> = paths.iter().map(|path| (*path, 1)).collect();
            let customs = Customs::of(&code);
            paths.iter().copied().filter(|path| customs.is_aside(path)).collect()
        };
        assert_eq!(
            aside(&["a.go", "a_test.go", "doc/man.go", "doc/man_test.go", "examples/x.go"]),
            ["a_test.go", "doc/man_test.go", "examples/x.go"]
        );
        assert_eq!(
            aside(&["lib/a.ex", "lib/test.ex", "test/a_test.exs", "doc/conf.py"]),
            ["test/a_test.exs", "doc/conf.py"]
        );
        assert_eq!(
            aside(&["src/a.py", "src/test.py", "src/a_test.py"]),
            ["src/test.py", "src/a_test.py"]
        );
    }
}
