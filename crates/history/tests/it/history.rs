//! Loading histories of all kinds of repositories.

use crate::sandbox::Sandbox;
use contextd_history::{ChangeKind, History, HistoryView, Limits, Repository, commit_flag};
use contextd_model::Severity;
use std::path::Path;

fn load(root: &Path) -> (History, Vec<&'static str>) {
    let (history, problems) = History::load(root, &Limits::default(), None);
    assert!(problems.iter().all(|problem| problem.severity < Severity::Error), "{problems:?}");
    (history, problems.iter().map(|problem| problem.code).collect())
}

/// One line a commit: subject, then the touched files.
fn listing(view: HistoryView<'_>) -> Vec<String> {
    let line = |commit: contextd_history::CommitView<'_>| {
        let mut line = commit.subject().to_owned();
        for (kind, path, from) in commit.changes() {
            let from = from.map(|from| format!("{from}>")).unwrap_or_default();
            line.push_str(&format!(" {}:{from}{path}", &kind.name()[..1]));
        }
        line
    };
    view.commits().map(line).collect()
}

fn check(root: &Path, expected: &[&str], problems: &[&str]) {
    let (history, found) = load(root);
    assert_eq!(listing(history.view()), expected);
    assert_eq!(found, problems);
    assert_eq!(History::decode(&history.encode()), Some(history));
}

fn lines(count: usize) -> String {
    (0..count).map(|number| format!("line number {number}\n")).collect()
}

#[test]
fn commits_come_newest_first_with_their_files() {
    let sandbox = Sandbox::new();
    sandbox
        .write("a.txt", "1")
        .write("dir/b.txt", "1")
        .commit("one\n\nwith a body\n\nSigned-off-by: Ann <a@b>");
    sandbox.write("a.txt", "2").write("dir/c.txt", "x").commit("two");
    std::fs::remove_file(sandbox.path("dir/b.txt")).unwrap();
    sandbox.commit("three");
    sandbox.commit("nothing");
    check(
        &sandbox.root,
        &["nothing", "three d:dir/b.txt", "two m:a.txt a:dir/c.txt", "one a:a.txt a:dir/b.txt"],
        &[],
    );
    let (history, _) = load(&sandbox.root);
    let view = history.view();
    let first = view.commit(3).unwrap();
    assert_eq!((first.author_name(), first.author_email()), ("Ann", "ann@example.org"));
    assert_eq!(first.body(), "with a body\n\nSigned-off-by: Ann <a@b>");
    assert_eq!(view.head_time - first.commit_time(), 180);
    assert_eq!(first.parents(), []);
    assert_eq!(view.commit(2).unwrap().parents(), [first.id()]);
    let churn = view.churn(view.file("a.txt").unwrap()).unwrap();
    assert_eq!((churn.commits, churn.newest, churn.age), (2, 2, 120));
    assert!(!view.is_present(view.file("dir/b.txt").unwrap()));
}

#[test]
fn renames_are_followed_to_the_head() {
    let sandbox = Sandbox::new();
    sandbox
        .write("old.txt", &lines(20))
        .write("empty/__init__.py", "")
        .write("side.txt", "s")
        .commit("start");
    sandbox.write("old.txt", &lines(21)).write("side.txt", "t").commit("edit");
    sandbox.git(&["mv", "old.txt", "middle.txt"]);
    sandbox.commit("exact");
    sandbox.git(&["mv", "middle.txt", "new.txt"]);
    sandbox
        .write("new.txt", &(lines(21) + "more\n"))
        .write("old.txt", "another file\n")
        .commit("similar");
    check(
        &sandbox.root,
        &[
            "similar r:middle.txt>new.txt a:old.txt",
            "exact r:old.txt>middle.txt",
            "edit m:old.txt m:side.txt",
            "start a:empty/__init__.py a:old.txt a:side.txt",
        ],
        &[],
    );
    let (history, _) = load(&sandbox.root);
    let view = history.view();
    assert_eq!(view.file_commits(view.file("new.txt").unwrap()), [0, 1, 2, 3]);
    assert_eq!(view.file_commits(view.file("old.txt").unwrap()), [0]);
    let partner = view.partners(view.file("side.txt").unwrap())[0];
    assert_eq!((view.path(partner.file), partner.count), ("new.txt", 2));
}

#[test]
fn merges_are_listed_without_files() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1").commit("root");
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("b", "1").commit("side");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("c", "1").commit("main");
    sandbox.tick();
    sandbox.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    check(&sandbox.root, &["merge", "main a:c", "side a:b", "root a:a"], &[]);
    let (history, _) = load(&sandbox.root);
    let merge = history.view().commit(0).unwrap();
    assert!(merge.is_merge());
    assert_eq!(merge.parents().len(), 2);
}

#[test]
fn no_repository_and_no_commit_give_nothing() {
    let folder = Sandbox::bare_folder();
    check(&folder.root, &[], &["CTX_I_HISTORY_NONE"]);
    let (history, problems) = load(&folder.path("absent"));
    assert!(history.view().is_empty());
    assert_eq!(problems, ["CTX_I_HISTORY_NONE"]);
    check(&Sandbox::new().root, &[], &[]);
}

#[test]
fn an_unknown_kind_of_repository_is_told() {
    let folder = Sandbox::bare_folder();
    folder.git(&["init", "-q", "--object-format=sha256"]);
    folder.write("a", "1").commit("one");
    let (history, problems) = load(&folder.root);
    assert!(history.view().is_empty());
    assert_eq!(problems, ["CTX_W_HISTORY_UNREADABLE"]);
}

#[test]
fn the_first_commit_names_the_repository() {
    let sandbox = Sandbox::new();
    let first = sandbox.write("a", "1").commit("one");
    sandbox.write("a", "2").commit("two");
    let root =
        |path: &Path| Repository::open(path).ok().and_then(|repository| repository.root_commit());
    assert_eq!(root(&sandbox.root).map(|id| id.to_string()), Some(first));
    sandbox.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &format!("file://{}", sandbox.root.display()),
        "../shallow",
    ]);
    assert_eq!(root(&sandbox.root.with_file_name("shallow")), None);
    assert_eq!(root(&Sandbox::new().root), None);
}

#[test]
fn a_detached_head_is_a_head() {
    let sandbox = Sandbox::new();
    let first = sandbox.write("a", "1").commit("one");
    sandbox.write("a", "2").commit("two");
    sandbox.git(&["checkout", "-q", "--detach", &first]);
    check(&sandbox.root, &["one a:a"], &[]);
    let (history, _) = History::load_at(&sandbox.root, "main", &Limits::default(), None);
    assert_eq!(listing(history.view()), ["two m:a", "one a:a"]);
    let (history, problems) = History::load_at(&sandbox.root, "absent", &Limits::default(), None);
    assert!(history.view().is_empty());
    assert_eq!(problems[0].code, "CTX_W_HISTORY_REVISION");
}

#[test]
fn a_shallow_clone_ends_at_its_edge() {
    let sandbox = Sandbox::new();
    for number in 0..4 {
        sandbox.write("a", &number.to_string()).commit(&format!("commit {number}"));
    }
    let url = format!("file://{}", sandbox.root.display());
    sandbox.git(&["clone", "-q", "--depth", "2", &url, "../shallow"]);
    let clone = sandbox.root.with_file_name("shallow");
    check(&clone, &["commit 3 m:a", "commit 2"], &["CTX_I_HISTORY_SHALLOW"]);
    let (shallow, _) = load(&clone);
    assert!(shallow.view().commit(1).unwrap().has(commit_flag::BOUNDARY));

    sandbox.git_in(&clone, &["fetch", "-q", "--unshallow"]);
    let (whole, problems) = History::load(&clone, &Limits::default(), Some(shallow.view()));
    assert_eq!(
        listing(whole.view()),
        ["commit 3 m:a", "commit 2 m:a", "commit 1 m:a", "commit 0 a:a"]
    );
    assert_eq!(problems, []);
}

#[test]
fn a_worktree_has_its_own_head() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1").commit("one");
    sandbox.git(&["worktree", "add", "-q", "-b", "other", "../other"]);
    let other = sandbox.root.with_file_name("other");
    std::fs::write(other.join("b"), "1").unwrap();
    sandbox.tick();
    sandbox.git_in(&other, &["add", "b"]);
    sandbox.git_in(&other, &["commit", "-q", "-m", "two"]);
    check(&other, &["two a:b", "one a:a"], &[]);
    check(&sandbox.root, &["one a:a"], &[]);
}

#[test]
fn a_submodule_has_its_own_history() {
    let inner = Sandbox::new();
    inner.write("lib.txt", "1").commit("inner");
    let outer = Sandbox::new();
    outer.write("a", "1").commit("outer");
    outer.git(&["submodule", "add", "-q", &inner.root.display().to_string(), "vendor/inner"]);
    outer.commit("add submodule");
    check(&outer.root, &["add submodule a:.gitmodules a:vendor/inner", "outer a:a"], &[]);
    check(&outer.path("vendor/inner"), &["inner a:lib.txt"], &[]);
}

#[test]
fn objects_can_be_borrowed() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1").commit("one");
    sandbox.git(&["clone", "-q", "--shared", ".", "../borrower"]);
    check(&sandbox.root.with_file_name("borrower"), &["one a:a"], &[]);
}

#[test]
fn missing_and_damaged_objects_are_data() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1").write("d/x", "1").commit("one");
    sandbox.write("d/x", "2").commit("two");
    sandbox.write("a", "2").commit("three");
    sandbox.lose("HEAD~1:d/x");
    check(&sandbox.root, &["three m:a", "two m:d/x", "one a:a a:d/x"], &[]);
    let (before, _) = load(&sandbox.root);
    sandbox.corrupt("HEAD~1:d");
    check(&sandbox.root, &["three m:a", "two", "one a:a a:d/x"], &["CTX_W_HISTORY_TREE_MISSING"]);
    sandbox.corrupt("HEAD~1");
    check(
        &sandbox.root,
        &["three"],
        &["CTX_W_HISTORY_COMMIT_MISSING", "CTX_W_HISTORY_TREE_MISSING"],
    );
    let (again, _) = History::load(&sandbox.root, &Limits::default(), Some(before.view()));
    assert_eq!(again.view().len(), 3, "what an earlier history knows stays known");
    sandbox.corrupt("HEAD");
    check(&sandbox.root, &[], &["CTX_W_HISTORY_REVISION"]);
    sandbox.write(".git/HEAD", "rubbish");
    let (history, problems) = load(&sandbox.root);
    assert!(history.view().is_empty());
    assert_eq!(problems.len(), 1);
}

#[test]
fn a_root_in_a_subfolder_sees_its_part() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/a", &lines(9)).write("top", "1").write("sub2/z", "1").commit("one");
    sandbox.write("top", "2").commit("outside");
    sandbox.git(&["mv", "sub/a", "moved"]);
    sandbox.commit("out");
    std::fs::create_dir_all(sandbox.path("sub")).unwrap();
    sandbox.git(&["mv", "moved", "sub/b"]);
    sandbox.commit("in");
    check(&sandbox.path("sub"), &["in a:b", "out d:a", "outside", "one a:a"], &[]);
    let (history, _) = load(&sandbox.path("sub"));
    let outside: Vec<u32> = history.view().commits().map(|commit| commit.outside()).collect();
    assert_eq!(outside, [0, 0, 1, 2]);
    assert!(history.view().is_present(history.view().file("b").unwrap()));
}

#[test]
fn limits_cut_and_taking_in_commits_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    for number in 0..8 {
        sandbox
            .write("a", &number.to_string())
            .write(&format!("dir{}/f", number % 3), &lines(number + 3));
        if number == 5 {
            sandbox.git(&["mv", "dir0/f", "dir0/g"]);
        }
        sandbox.commit(&format!("commit {number}\n\n{}", "body ".repeat(2_000)));
    }
    for max_commits in [0, 3, 100] {
        let limits = Limits { max_commits, ..Limits::default() };
        let (fresh, _) = History::load(&sandbox.root, &limits, None);
        assert_eq!(fresh.cut, max_commits == 3);
        assert_eq!(fresh.view().len(), if max_commits == 3 { 3 } else { 8 });
        assert!(
            fresh
                .view()
                .commits()
                .all(|commit| commit.body().len() <= 4096 && commit.has(commit_flag::BODY_CUT))
        );
        for old in ["HEAD", "HEAD~1", "HEAD~4"] {
            let (before, _) = History::load_at(&sandbox.root, old, &limits, None);
            let (after, _) = History::load(&sandbox.root, &limits, Some(before.view()));
            assert_eq!(after.encode(), fresh.encode(), "from {old} with {max_commits}");
        }
    }
}

#[test]
fn messages_can_be_scrubbed() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1").commit("token abc\n\nbody abc");
    sandbox.write("a", "2").commit("plain");
    let (mut history, _) = load(&sandbox.root);
    history.scrub_messages(|text| text.replace("abc", "[gone]"));
    let view = history.view();
    let texts: Vec<_> = view.commits().map(|commit| (commit.subject(), commit.body())).collect();
    assert_eq!(texts, [("plain", ""), ("token [gone]", "body [gone]")]);
}

#[test]
fn links_and_kinds_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("target", "t").write("was_file", "x").write("dir/inner", "y").commit("start");
    std::fs::remove_file(sandbox.path("was_file")).unwrap();
    std::fs::remove_dir_all(sandbox.path("dir")).unwrap();
    sandbox.write("was_file/now", "z").write("dir", "file now").commit("swap");
    let (history, _) = load(&sandbox.root);
    let swap: Vec<_> = history
        .view()
        .commit(0)
        .unwrap()
        .changes()
        .map(|(kind, path, _)| (kind, path.to_owned()))
        .collect();
    let expected = [
        (ChangeKind::Added, "dir"),
        (ChangeKind::Deleted, "dir/inner"),
        (ChangeKind::Deleted, "was_file"),
        (ChangeKind::Added, "was_file/now"),
    ];
    assert_eq!(swap, expected.map(|(kind, path)| (kind, path.to_owned())));
}
