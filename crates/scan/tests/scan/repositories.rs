//! Git in its less usual forms.

use crate::sandbox::{Sandbox, git, git_files, scanned, scanner};
use contextd_scan::Rule;
use std::fs;

fn agree(sandbox: &Sandbox) -> Vec<String> {
    let found = scanned(&sandbox.scanner());
    assert_eq!(found, git_files(&sandbox.root));
    found
}

fn commit(sandbox: &Sandbox) {
    sandbox.run_git(&["add", "-A"]);
    sandbox.run_git(&["commit", "-q", "-m", "x"]);
}

#[test]
fn tracked_files_are_never_ignored() {
    let sandbox = Sandbox::git();
    sandbox.files(&["build/a.c", "build/b.c", "node_modules/x.js", ".hidden/c.c", "d.c"]);
    sandbox.run_git(&["add", "-f", "build/a.c", "node_modules/x.js", ".hidden/c.c"]);
    sandbox.write(".gitignore", "build/\nnode_modules\n");
    assert_eq!(
        agree(&sandbox),
        [".gitignore", ".hidden/c.c", "build/a.c", "d.c", "node_modules/x.js"]
    );
    let scan = sandbox.scanner().scan();
    let tracked: Vec<_> =
        scan.files.iter().filter(|file| file.tracked).map(|file| file.rel.as_str()).collect();
    assert_eq!(tracked, [".hidden/c.c", "build/a.c", "node_modules/x.js"]);
    assert!(
        scan.rejected
            .iter()
            .any(|rejected| rejected.rel == "build/b.c" && rejected.rule == Rule::GitIgnore)
    );
}

#[test]
fn a_fresh_repository_has_only_untracked_files() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c", "b.o"]).write(".gitignore", "*.o\n");
    assert_eq!(agree(&sandbox), [".gitignore", "a.c"]);
    assert_eq!(sandbox.scanner().scan().problems, []);
}

#[test]
fn conflicts_and_planned_files_are_listed_once() {
    let sandbox = Sandbox::git();
    sandbox.write("a", "base\n");
    commit(&sandbox);
    sandbox.run_git(&["checkout", "-q", "-b", "other"]);
    sandbox.write("a", "other\n");
    commit(&sandbox);
    sandbox.run_git(&["checkout", "-q", "-"]);
    sandbox.write("a", "mine\n");
    commit(&sandbox);
    let merge = std::process::Command::new("git")
        .arg("-C")
        .arg(&sandbox.root)
        .args(["merge", "-q", "other"])
        .output();
    assert!(!merge.unwrap().status.success());
    sandbox.files(&["planned"]);
    sandbox.run_git(&["add", "-N", "planned"]);
    assert_eq!(agree(&sandbox), ["a", "planned"]);
}

#[test]
fn submodules_and_nested_repositories_are_not_entered() {
    let other = Sandbox::git();
    other.files(&["lib.c"]);
    commit(&other);
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c"]);
    sandbox.run_git(&["submodule", "add", "-q", other.root.to_str().unwrap(), "sub"]);
    sandbox.files(&["nested/x.c", "empty/.git/note", "empty/y.c", "linked/z.c"]);
    git(&sandbox.path("nested"), &["init", "-q"]);
    sandbox.write("linked/.git", format!("gitdir: {}\n", sandbox.path("nested/.git").display()));
    sandbox.files(&["stale/w.c"]).write("stale/.git", "gitdir: /nowhere/at/all\n");
    sandbox.files(&["odd/v.c"]).write("odd/.git", "not a link\n");
    let found = agree(&sandbox);
    assert!(found.contains(&"a.c".to_owned()) && found.contains(&"empty/y.c".to_owned()));
    assert!(!found.iter().any(|file| file.starts_with("sub/")
        || file.starts_with("nested/")
        || file.starts_with("linked/")));
    for file in ["sub/lib.c", "nested/x.c"] {
        let check = sandbox.scanner().check(file.as_ref());
        assert!(
            matches!(
                check.verdict,
                contextd_scan::Verdict::Excluded { rule: Rule::NestedRepository, .. }
            ),
            "{check:?}"
        );
    }
}

#[test]
fn a_nested_repository_with_tracked_files_is_entered() {
    let sandbox = Sandbox::git();
    sandbox.files(&["nested/x.c", "nested/y.c"]);
    sandbox.run_git(&["add", "nested/x.c"]);
    git(&sandbox.path("nested"), &["init", "-q"]);
    agree(&sandbox);
}

#[test]
fn worktrees_have_their_own_index() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c", "kept.o"]).write(".git/info/exclude", "*.o\n");
    sandbox.run_git(&["add", "-f", "a.c", "kept.o"]);
    sandbox.run_git(&["commit", "-q", "-m", "x"]);
    let tree = sandbox.root.parent().unwrap().join("tree");
    sandbox.run_git(&["worktree", "add", "-q", "-b", "two", tree.to_str().unwrap()]);
    fs::write(tree.join("b.c"), "b\n").unwrap();
    fs::write(tree.join("b.o"), "b\n").unwrap();
    let found = scanned(&scanner(&tree, "").0);
    assert_eq!(found, git_files(&tree));
    assert_eq!(found, ["a.c", "b.c", "kept.o"]);
}

#[test]
fn a_subfolder_obeys_the_repository_around_it() {
    let sandbox = Sandbox::git();
    sandbox.files(&["p/q/a.c", "p/q/a.log", "p/q/gen/x.c", "p/other.c"]);
    sandbox.write(".gitignore", "*.log\n/p/q/gen\n").write("p/.gitignore", "!a.log\n");
    let root = sandbox.path("p/q");
    let found = scanned(&scanner(&root, "").0);
    assert_eq!(found, git_files(&root));
    assert_eq!(found, ["a.c", "a.log"]);
}

#[test]
fn an_ignored_folder_that_is_named_is_scanned() {
    let sandbox = Sandbox::git();
    sandbox.write(".gitignore", "out/\n").files(&["out/p/a.c", "out/p/node_modules/b.js"]);
    assert_eq!(scanned(&scanner(&sandbox.path("out/p"), "").0), ["a.c"]);
}

#[test]
fn a_broken_or_lost_index_is_a_problem_and_the_walk_goes_on() {
    for content in [Some(&b"DIRC garbage"[..]), Some(b""), None] {
        let sandbox = Sandbox::git();
        sandbox.files(&["a.c"]);
        commit(&sandbox);
        match content {
            Some(content) => drop(sandbox.write(".git/index", content)),
            None => fs::remove_file(sandbox.path(".git/index")).unwrap(),
        }
        let scan = sandbox.scanner().scan();
        assert_eq!(scan.files.len(), 1, "{content:?}");
        assert_eq!(
            scan.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(),
            ["CTX_W_SCAN_GIT_INDEX"],
            "{content:?}"
        );
    }
}

#[test]
fn a_broken_repository_is_a_problem_and_the_walk_goes_on() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.c"]).write(".git/config", "[core\nrepositoryformatversion = what");
    let scan = sandbox.scanner().scan();
    assert_eq!(scan.files.iter().map(|file| file.rel.as_str()).collect::<Vec<_>>(), ["a.c"]);
    assert_eq!(scan.problems.len(), 1, "{:?}", scan.problems);
}

#[test]
fn changes_of_the_index_are_seen_by_the_same_scanner() {
    let sandbox = Sandbox::git();
    sandbox.files(&["a.o", "b.c"]).write(".gitignore", "*.o\n");
    let scanner = sandbox.scanner();
    assert_eq!(scanned(&scanner), [".gitignore", "b.c"]);
    sandbox.run_git(&["add", "-f", "a.o"]);
    assert_eq!(scanned(&scanner), [".gitignore", "a.o", "b.c"]);
    sandbox.write(".gitignore", "b.c\n");
    assert_eq!(scanned(&scanner), [".gitignore", "a.o"]);
}

#[test]
fn file_that_became_a_folder_and_back() {
    let sandbox = Sandbox::git();
    sandbox.files(&["x", "y/z"]);
    commit(&sandbox);
    fs::remove_file(sandbox.path("x")).unwrap();
    fs::remove_dir_all(sandbox.path("y")).unwrap();
    sandbox.files(&["x/inner", "y"]);
    agree(&sandbox);
}
