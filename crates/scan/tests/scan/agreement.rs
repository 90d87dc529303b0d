//! Random trees with random ignore files: the scanner and git must list the same files.

use crate::sandbox::{Sandbox, git_files, scanned, scanner};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// Names are few, so that patterns hit.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "ab", "a.o", "b.o", "build", "Build", ".h", "foo", "foo.txt", "x y"]),
        2 => prop::sample::select(vec!["a[b]", "#c", "!d", "a\\b", "é", "-", "$v", "a ", " a", "**", "a*b", "[a", "a]"]),
    ]
    .prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..5).prop_map(|parts| parts.join("/"))
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => name(),
        3 => prop::sample::select(vec![
            "*", "**", "?", "*.o", "a*", "*b", "[ab]", "[!a]", "[^a]", "[a-c]*", "**a", "a**", "b**o", "*a*", "\\a", "\\*", "\\#c",
            "\\!d", "[[:alpha:]]", "[]a]", "[a", "a\\", "***", "[[:upper:]]*", "??", "*.*", "a[.]o", ".", "..", "[\\a]", "[a\\]]",
        ]).prop_map(str::to_owned),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["", "", "", "", "/", "!", "!", "!/", "\\", " ", "**/"]);
    let end =
        prop::sample::select(vec!["", "", "", "", "/", "/*", "/**", " ", "\\ ", "\t", "\r", "//"]);
    let pieces = prop::collection::vec(piece(), 1..4);
    let separator = prop::sample::select(vec!["/", "/", "/", "", "/**/", "//"]);
    let line = (start, pieces, separator, end).prop_map(|(start, pieces, separator, end)| {
        format!("{start}{}{end}", pieces.join(separator))
    });
    prop_oneof![20 => line, 1 => Just(String::new()), 1 => Just("# note".to_owned())]
}

fn ignore_file() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec!["", "", "", "\u{feff}"]);
    let end = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    (mark, prop::collection::vec(pattern(), 1..6), end)
        .prop_map(|(mark, lines, end)| format!("{mark}{}{end}", lines.join(end)))
}

#[derive(Clone, Debug)]
struct World {
    files: BTreeSet<String>,
    /// Ignore files by the index of the file beside which they lie; the first lies at the top.
    ignores: Vec<(prop::sample::Index, String)>,
    exclude: Option<String>,
    excludes_file: Option<String>,
    tracked: Vec<prop::sample::Index>,
    removed: Vec<prop::sample::Index>,
    /// Folder that is scanned: the one of this file, or the top.
    root: Option<prop::sample::Index>,
}

fn world() -> impl Strategy<Value = World> {
    let some = || prop::collection::vec(any::<prop::sample::Index>(), 0..4);
    (
        prop::collection::btree_set(path(), 1..25),
        prop::collection::vec((any::<prop::sample::Index>(), ignore_file()), 0..4),
        prop::option::weighted(0.3, ignore_file()),
        prop::option::weighted(0.3, ignore_file()),
        some(),
        some(),
        prop::option::weighted(0.3, any::<prop::sample::Index>()),
    )
        .prop_map(|(files, ignores, exclude, excludes_file, tracked, removed, root)| World {
            files: without_conflicts(files),
            ignores,
            exclude,
            excludes_file,
            tracked,
            removed,
            root,
        })
}

/// Drops paths that need a file to be a folder.
fn without_conflicts(files: BTreeSet<String>) -> BTreeSet<String> {
    let is_folder =
        |path: &String| files.iter().any(|other| other.starts_with(&format!("{path}/")));
    files.iter().filter(|path| !is_folder(path)).cloned().collect()
}

fn build(world: &World) -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::git();
    let files: Vec<&str> = world.files.iter().map(String::as_str).collect();
    for file in &files {
        sandbox.write(file, "text\n");
    }
    let folder_of = |file: &str| Path::new(file).parent().unwrap().to_str().unwrap().to_owned();
    for (at, (beside, text)) in world.ignores.iter().enumerate() {
        let folder =
            if at == 0 { String::new() } else { folder_of(files[beside.index(files.len())]) };
        let path = if folder.is_empty() {
            ".gitignore".to_owned()
        } else {
            format!("{folder}/.gitignore")
        };
        sandbox.write(&path, text);
    }
    if let Some(text) = &world.exclude {
        sandbox.write(".git/info/exclude", text);
    }
    if let Some(text) = &world.excludes_file {
        sandbox.write(".git/my-excludes", text);
        let path = sandbox.path(".git/my-excludes");
        sandbox.run_git(&["config", "core.excludesFile", path.to_str().unwrap()]);
    }
    let mut add = vec!["--literal-pathspecs", "add", "-f", "--"];
    add.extend(world.tracked.iter().map(|index| files[index.index(files.len())]));
    if add.len() > 4 {
        sandbox.run_git(&add);
    }
    for index in &world.removed {
        let _ = std::fs::remove_file(sandbox.path(files[index.index(files.len())]));
    }
    let root =
        world.root.as_ref().map(|index| sandbox.path(&folder_of(files[index.index(files.len())])));
    let root = root.filter(|root| root.is_dir()).unwrap_or_else(|| sandbox.root.clone());
    (sandbox, root)
}

/// Number of random trees; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_scanner_lists_what_git_lists(world in world()) {
        let (_sandbox, root) = build(&world);
        let (scanner, _) = scanner(&root, "");
        let expected = git_files(&root);
        let found = scanned(&scanner);
        // A scanned folder that git ignores as a whole is listed as if outside git.
        if found != expected && root != _sandbox.root && expected.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(&found, &expected);
        for file in world.files.iter().filter_map(|file| _sandbox.path(file).strip_prefix(&root).ok().map(Path::to_path_buf)) {
            let rel = file.to_str().unwrap().to_owned();
            let exists = root.join(&rel).is_file();
            prop_assert_eq!(scanner.check(&file).included(), exists && expected.contains(&rel), "{}", rel);
        }
    }
}
