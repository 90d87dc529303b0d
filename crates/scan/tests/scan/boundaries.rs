//! The filters of the configuration, outside git and inside.

use crate::sandbox::Sandbox;
use contextd_model::config::Config;
use contextd_scan::{Rule, ScanError, Scanner, Verdict};
use std::path::Path;

/// Checks which of `files` are listed under a configuration.
fn check(sandbox: &Sandbox, config: &str, expected: &[&str]) {
    assert_eq!(sandbox.listed(config), expected, "{config}");
}

fn rule(sandbox: &Sandbox, config: &str, file: &str) -> Option<Rule> {
    match sandbox.configured(config).0.check(Path::new(file)).verdict {
        Verdict::Included => None,
        Verdict::Excluded { rule, .. } => Some(rule),
    }
}

#[test]
fn outside_git_the_built_in_list_applies() {
    let sandbox = Sandbox::new();
    sandbox.files(&[
        "a.c",
        "node_modules/x.js",
        "src/target/y",
        ".cache/z",
        ".editorconfig",
        "m.pyc",
        "docs/build/k",
        ".contextd/graph/g.yml",
    ]);
    sandbox.files(&["log/b.log"]).write("log/.gitignore", "*.log\n");
    check(&sandbox, "", &[".contextd/graph/g.yml", ".editorconfig", "a.c", "log/.gitignore"]);
    check(
        &sandbox,
        "[watcher]\nignore_patterns = [\"log\"]\n",
        &[
            ".contextd/graph/g.yml",
            ".editorconfig",
            "a.c",
            "docs/build/k",
            "m.pyc",
            "node_modules/x.js",
            "src/target/y",
        ],
    );
    check(
        &sandbox,
        "[watcher]\nuse_gitignore = false\nwatch_paths = [\"log/\"]\n",
        &["log/.gitignore", "log/b.log"],
    );
    assert_eq!(rule(&sandbox, "", "node_modules/x.js"), Some(Rule::IgnorePatterns));
    assert_eq!(rule(&sandbox, "", ".cache/z"), Some(Rule::Hidden));
    assert_eq!(rule(&sandbox, "", "log/b.log"), Some(Rule::GitIgnore));
}

#[test]
fn inside_git_only_the_users_patterns_apply_and_they_win_over_tracking() {
    let sandbox = Sandbox::git();
    sandbox.files(&["build/a.c", "dist/b.c", "Gen/c.c"]);
    sandbox.run_git(&["add", "-A"]);
    check(&sandbox, "", &["Gen/c.c", "build/a.c", "dist/b.c"]);
    check(&sandbox, "[watcher]\nignore_patterns = [\"gen\", \"dist\"]\n", &["build/a.c"]);
    check(
        &sandbox,
        "[watcher]\nignore_patterns = [\"gen\"]\nignore_case = false\n",
        &["Gen/c.c", "build/a.c", "dist/b.c"],
    );
}

#[test]
fn without_gitignore_the_built_in_list_holds_for_what_is_untracked() {
    let sandbox = Sandbox::git();
    sandbox.write(".gitignore", "*.log\n").files(&["build/a.c", "a.log", "dist/b.c"]);
    sandbox.run_git(&["add", "build"]);
    check(&sandbox, "[watcher]\nuse_gitignore = false\n", &[".gitignore", "a.log", "build/a.c"]);
}

#[test]
fn contextignore_applies_at_every_level_and_to_tracked_files() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c", "gen/x.c", "sub/y.c", "sub/z.c"]);
    sandbox.write(".contextignore", "gen/\n").write("sub/.contextignore", "y.c\n");
    sandbox.run_git(&["add", "-A"]);
    check(&sandbox, "", &[".contextignore", "a.c", "sub/.contextignore", "sub/z.c"]);
    assert_eq!(rule(&sandbox, "", "gen/x.c"), Some(Rule::ContextIgnore));
    check(
        &sandbox,
        "[watcher]\nuse_contextignore = false\n",
        &[".contextignore", "a.c", "gen/x.c", "sub/.contextignore", "sub/y.c", "sub/z.c"],
    );
}

#[test]
fn dockerignore_applies_when_asked() {
    let sandbox = Sandbox::new();
    sandbox.files(&["docs/a.md", "docs/b.md", "c.c"]).write(".dockerignore", "docs\n!docs/a.md\n");
    check(&sandbox, "", &[".dockerignore", "c.c", "docs/a.md", "docs/b.md"]);
    check(
        &sandbox,
        "[indexing]\nuse_dockerignore = true\n",
        &[".dockerignore", "c.c", "docs/a.md"],
    );
    check(&sandbox, "[watcher]\nuse_dockerignore = true\n", &[".dockerignore", "c.c", "docs/a.md"]);
    assert_eq!(
        rule(&sandbox, "[indexing]\nuse_dockerignore = true\n", "docs/b.md"),
        Some(Rule::DockerIgnore)
    );
}

#[test]
fn extensions_sizes_and_private_names() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.rs", "b.PY", "c", ".env", "key.secret", "notes.PRIVATE", "d.tar.gz"]);
    sandbox.write("big.txt", vec![b'x'; 3000]).write("docs/api.md", vec![b'x'; 3000]);
    check(&sandbox, "", &[".env", "a.rs", "b.PY", "big.txt", "c", "d.tar.gz", "docs/api.md"]);
    check(&sandbox, "[indexing]\nallowed_extensions = [\".rs\", \".py\"]\n", &["a.rs", "b.PY"]);
    check(
        &sandbox,
        "[indexing]\nblocked_extensions = [\".gz\", \".md\", \".txt\"]\n",
        &[".env", "a.rs", "b.PY", "c"],
    );
    let sizes = "[indexing]\nmax_file_size_mb = 0.002\nwarn_file_size_mb = 0.001\nsize_exceptions = [\"docs/api.md\", \"big\"]\n";
    check(&sandbox, sizes, &[".env", "a.rs", "b.PY", "c", "d.tar.gz", "docs/api.md"]);
    assert_eq!(rule(&sandbox, sizes, "big.txt"), Some(Rule::TooLarge));
    assert_eq!(rule(&sandbox, "", "key.secret"), Some(Rule::PrivateName));
    assert_eq!(rule(&sandbox, "", "notes.PRIVATE"), Some(Rule::PrivateName));
    let problems = sandbox.configured(sizes).0.scan().problems;
    assert_eq!(
        problems.iter().map(|problem| problem.path.as_deref()).collect::<Vec<_>>(),
        [Some("docs/api.md")]
    );
}

#[test]
fn content_decides_what_is_binary() {
    let sandbox = Sandbox::git();
    sandbox.write("text.bin", "text").write("nul.txt", "a\0b").write("latin.txt", b"caf\xe9");
    sandbox.write("utf16.txt", b"\xff\xfeh\0i\0").write("empty", "");
    check(&sandbox, "", &["empty", "text.bin", "utf16.txt"]);
    let (_, scan) = sandbox.scanner().list_indexable();
    assert_eq!(scan.counts.get(&Rule::Binary), Some(&2));
    assert_eq!(sandbox.scanner().read("utf16.txt").unwrap().text, "hi");
    check(&sandbox, "[indexing]\nbinary_detection = \"all\"\n", &["empty", "utf16.txt"]);
}

#[test]
fn watch_paths_and_projects_bound_the_index() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c", "web/x.ts", "web/dist/y.js", "api/z.go", "docs/d.md"]);
    check(
        &sandbox,
        "[watcher]\nwatch_paths = [\"web\", \"docs/d.md\"]\n",
        &["docs/d.md", "web/dist/y.js", "web/x.ts"],
    );
    let projects = "[projects.web]\nwatch_paths = [\"web\"]\nignore_patterns = [\"web/dist\"]\n[projects.api]\nwatch_paths = [\"api\"]\n";
    check(&sandbox, projects, &["api/z.go", "web/x.ts"]);
    check(
        &sandbox,
        &format!("[watcher]\nwatch_paths = [\"auto\"]\n{projects}"),
        &["a.c", "api/z.go", "docs/d.md", "web/dist/y.js", "web/x.ts"],
    );
    let (scanner, _) = sandbox.configured(projects);
    assert_eq!(scanner.projects_of("web/x.ts"), ["web"]);
    assert_eq!(scanner.projects_of("web/dist/y.js"), Vec::<&str>::new());
    assert_eq!(rule(&sandbox, projects, "a.c"), Some(Rule::Projects));
}

#[test]
fn the_index_folder_is_never_indexed() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c", ".contextd/index/ledger.db", ".contextd/rules.yml", "var/idx/segment"]);
    check(&sandbox, "[storage]\npath = \"var/idx\"\n", &[".contextd/rules.yml", "a.c"]);
    assert_eq!(rule(&sandbox, "", ".contextd/index/ledger.db"), Some(Rule::IndexFolder));
}

#[test]
fn paths_that_leave_the_root_are_told() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c"]);
    let expect =
        |file: &str, expected: Rule| assert_eq!(rule(&sandbox, "", file), Some(expected), "{file}");
    expect("../x", Rule::Traversal);
    expect("sub/../../x", Rule::Traversal);
    expect("", Rule::Traversal);
    expect("/etc/passwd", Rule::OutsideRoot);
    expect("nope.c", Rule::NotFound);
    expect("a.c/b", Rule::NotFound);
    expect(".git/config", Rule::GitFolder);
    assert_eq!(rule(&sandbox, "", "./a.c"), None);
    assert_eq!(rule(&sandbox, "", sandbox.path("a.c").to_str().unwrap()), None);
    let root = sandbox.path("");
    let around = format!("../{}/a.c", root.file_name().unwrap().to_str().unwrap());
    for rel in [around.as_str(), "/etc/passwd", "", "./a.c"] {
        assert!(sandbox.scanner().read(rel).is_err(), "{rel}");
    }
}

#[test]
fn protected_roots_are_refused() {
    let refused = |root: &str, home: Option<&str>| {
        Scanner::with_home(Path::new(root), &Config::default(), home.map(Path::new)).err()
    };
    for root in ["/", "/etc", "/proc"] {
        assert!(matches!(refused(root, None), Some(ScanError::ProtectedRoot { .. })), "{root}");
    }
    let sandbox = Sandbox::new();
    let home = sandbox.root.to_str().unwrap();
    assert!(matches!(refused(home, Some(home)), Some(ScanError::ProtectedRoot { .. })));
    assert!(refused(home, None).is_none());
    let git = sandbox.path("bare");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(git.join(folder)).unwrap();
    }
    assert!(refused(git.to_str().unwrap(), None).is_none(), "a project may have such folders");
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(matches!(refused(git.to_str().unwrap(), None), Some(ScanError::ProtectedRoot { .. })));
    assert!(matches!(refused("/no/such/folder", None), Some(ScanError::RootUnusable { .. })));
    let (config, _) =
        contextd_model::config::parse("[watcher]\nwatch_paths = [\"src\"]\n", &|_| None);
    assert!(Scanner::with_home(&sandbox.root, &config, Some(&sandbox.root)).is_ok());
    let (config, _) =
        contextd_model::config::parse("[watcher]\nwatch_paths = [\"../x\"]\n", &|_| None);
    assert!(matches!(
        Scanner::with_home(&sandbox.root, &config, None),
        Err(ScanError::NoWatchPath { .. })
    ));
}
