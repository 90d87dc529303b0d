//! Comparing revisions and the work tree, and blame.

use crate::sandbox::Sandbox;
use contextd_history::{ChangeKind, ChangeSet, Range, Repository, blame, changed_files};

/// One line a file: kind, path, hunks as `old+count/new+count`.
fn listing(set: &ChangeSet) -> Vec<String> {
    let line = |file: &contextd_history::FileChange| {
        let from = file.from.as_ref().map(|from| format!("{from}>")).unwrap_or_default();
        let mut line = format!("{} {from}{}", &file.kind.name()[..1], file.path);
        for hunk in &file.hunks {
            line.push_str(&format!(
                " {}+{}/{}+{}",
                hunk.old.start, hunk.old.count, hunk.new.start, hunk.new.count
            ));
        }
        if file.binary {
            line.push_str(" binary");
        }
        line
    };
    set.files.iter().map(line).collect()
}

fn check(sandbox: &Sandbox, range: &str, expected: &[&str]) {
    let (set, problems) = changed_files(&sandbox.root, &Range::parse(range));
    assert_eq!(listing(&set), expected, "{range}");
    assert_eq!(problems, []);
}

fn lines(range: std::ops::Range<u32>) -> String {
    range.map(|number| format!("line number {number}\n")).collect()
}

#[test]
fn revisions_are_compared_line_by_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1\n2\n3\n").write("old", &lines(0..20)).write("gone", "x\n").commit("one");
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("a", "1\n2\nx\n3\n").write("bin", "\0\0").commit("two");
    sandbox.git(&["mv", "old", "new"]);
    std::fs::remove_file(sandbox.path("gone")).unwrap();
    sandbox.write("new", &lines(0..21)).commit("three");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("a", "0\n1\n2\n3\n").commit("main");
    let fork = ["m a 3+0/3+1", "a bin binary", "d gone 1+1/1+0", "r old>new 21+0/21+1"];
    check(&sandbox, "main~1..side", &fork);
    check(&sandbox, "main...side", &fork);
    check(
        &sandbox,
        "main..side",
        &["m a 1+1/1+0 4+0/3+1", "a bin binary", "d gone 1+1/1+0", "r old>new 21+0/21+1"],
    );
    let (set, _) = changed_files(&sandbox.root, &Range::Commit("main~1".into()));
    assert_eq!(listing(&set), ["a a 1+0/1+3", "a gone 1+0/1+1", "a old 1+0/1+20"]);
    let (set, problems) = changed_files(&sandbox.root, &Range::parse("absent..side"));
    assert_eq!((set, problems[0].code), (ChangeSet::default(), "CTX_E_HISTORY_REVISION"));
}

#[test]
fn the_work_tree_is_compared_with_a_revision() {
    let sandbox = Sandbox::new();
    sandbox
        .write("a", "1\n2\n")
        .write("sub/b", &lines(0..20))
        .write("same", "s")
        .write(".gitignore", "ignored\n")
        .commit("one");
    sandbox.write("a", "1\n2\n3\n").commit("two");
    check(&sandbox, "HEAD", &[]);
    check(&sandbox, "", &[]);
    sandbox
        .write("a", "1\nx\n3\n")
        .write("fresh", "new\n")
        .write("ignored", "i")
        .write("staged", "s\n");
    sandbox.git(&["add", "staged"]);
    std::fs::rename(sandbox.path("sub/b"), sandbox.path("sub/c")).unwrap();
    let now = ["m a 2+1/2+1", "a fresh 1+0/1+1", "a staged 1+0/1+1", "r sub/b>sub/c"];
    check(&sandbox, "HEAD", &now);
    check(
        &sandbox,
        "HEAD~1",
        &["m a 2+1/2+2", "a fresh 1+0/1+1", "a staged 1+0/1+1", "r sub/b>sub/c"],
    );
    let (set, _) = changed_files(&sandbox.path("sub"), &Range::parse("HEAD"));
    assert_eq!((listing(&set), set.outside), (vec!["r b>c".to_owned()], 3));
    assert!(set.base.is_some() && set.head.is_none());
}

#[test]
fn files_become_folders_and_submodules_stay_quiet() {
    let inner = Sandbox::new();
    inner.write("x", "1\n").commit("inner");
    let sandbox = Sandbox::new();
    sandbox.write("swap", "one\n").commit("one");
    sandbox.git(&["submodule", "add", "-q", &inner.root.display().to_string(), "vendor"]);
    sandbox.commit("two");
    check(&sandbox, "HEAD", &[]);
    check(&sandbox, "HEAD~1", &["a .gitmodules 1+0/1+3", "a vendor binary"]);
    std::fs::remove_file(sandbox.path("swap")).unwrap();
    sandbox.write("swap/inside", "two\n");
    check(&sandbox, "HEAD", &["d swap 1+1/1+0", "a swap/inside 1+0/1+1"]);
}

#[test]
fn a_work_tree_without_commits_is_all_new() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1\n");
    check(&sandbox, "HEAD", &["a a 1+0/1+1"]);
}

#[test]
fn filter_programs_of_a_repository_do_not_run() {
    let sandbox = Sandbox::new();
    sandbox
        .write(".gitattributes", "*.x filter=trap\n")
        .write("a.x", "1\n")
        .write("t.txt", "1\n")
        .commit("one");
    let mark = sandbox.root.with_file_name("mark");
    sandbox.git(&["config", "filter.trap.clean", &format!("touch {}; cat", mark.display())]);
    sandbox.write("a.x", "22\n");
    check(&sandbox, "HEAD", &["m a.x 1+1/1+1"]);
    assert!(!mark.exists());
}

#[test]
fn line_endings_are_those_git_stores() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitattributes", "*.txt text\n").write("a.txt", "1\n2\n").commit("one");
    sandbox.write("a.txt", "1\r\n2\r\n3\r\n");
    check(&sandbox, "HEAD", &["m a.txt 3+0/3+1"]);
}

#[test]
fn missing_blobs_leave_the_lines_unknown() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "1\n").write("b", "1\n").commit("one");
    sandbox.write("a", "2\n").write("b", "2\n").commit("two");
    sandbox.lose("HEAD~1:a");
    let (set, problems) = changed_files(&sandbox.root, &Range::parse("HEAD~1..HEAD"));
    assert_eq!(listing(&set), ["m a", "m b"]);
    assert_eq!(problems[0].code, "CTX_W_HISTORY_LINES");
}

#[test]
fn files_are_read_at_a_commit() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/a", "1").commit("one");
    sandbox.write("sub/a", "2").commit("two");
    let repository = Repository::open(&sandbox.path("sub")).ok().unwrap();
    let first = repository.resolve("HEAD~1").unwrap();
    assert_eq!(repository.read(first, "a").as_deref(), Some(b"1".as_slice()));
    assert_eq!(repository.read(first, "b"), None);
    assert_eq!(repository.prefix(), "sub/");
}

/// Blame as `start+count commit`, in letters of the commit's subject.
fn blamed(sandbox: &Sandbox, root: &str, path: &str, contents: Option<&str>) -> Vec<String> {
    let repository = Repository::open(&sandbox.path(root)).ok().unwrap();
    let (blame, problems) = repository.blame("HEAD", path, contents.map(str::as_bytes));
    assert_eq!(problems, []);
    let subject = |id: contextd_history::CommitId| {
        sandbox.git_in(&sandbox.path(root), &["log", "-1", "--format=%s", &id.to_string()])
    };
    let name =
        |commit: Option<_>| commit.map_or("-".to_owned(), |id| subject(id).trim().to_owned());
    blame
        .iter()
        .map(|part| format!("{}+{} {}", part.lines.start, part.lines.count, name(part.commit)))
        .collect()
}

#[test]
fn blame_follows_merges_and_renames() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/a", &lines(0..10)).commit("one");
    sandbox.write("sub/a", &(lines(0..4) + "two\n" + &lines(4..10))).commit("two");
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("sub/a", &(lines(0..4) + "two\n" + &lines(4..10) + "side\n")).commit("side");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["mv", "sub/a", "sub/b"]);
    sandbox
        .write("sub/b", &("top\n".to_owned() + &lines(0..4) + "two\n" + &lines(4..10)))
        .commit("three");
    sandbox.tick();
    sandbox.git(&["merge", "-q", "-m", "merge", "side"]);
    let expected = ["1+1 three", "2+4 one", "6+1 two", "7+6 one", "13+1 side"];
    assert_eq!(blamed(&sandbox, "", "sub/b", None), expected);
    assert_eq!(blamed(&sandbox, "sub", "b", None), expected);
    let now = "top\n".to_owned() + "mine\n" + &lines(0..4) + "two\n";
    assert_eq!(
        blamed(&sandbox, "", "sub/b", Some(&now)),
        ["1+1 three", "2+1 -", "3+4 one", "7+1 two"]
    );
    let (none, problems) = blame(&sandbox.root, "absent");
    assert_eq!((none, problems[0].code), (Vec::new(), "CTX_W_HISTORY_BLAME"));
    let (none, problems) = blame(&Sandbox::bare_folder().root, "a");
    assert_eq!((none, problems[0].code), (Vec::new(), "CTX_I_HISTORY_NONE"));
}

#[test]
fn blame_stops_where_the_past_ends() {
    let sandbox = Sandbox::new();
    sandbox.write("a", &lines(0..5)).commit("one");
    sandbox.write("a", &lines(0..6)).commit("two");
    sandbox.write("a", &lines(0..7)).commit("three");
    let url = format!("file://{}", sandbox.root.display());
    sandbox.git(&["clone", "-q", "--depth", "2", &url, "../shallow"]);
    assert_eq!(blamed(&sandbox, "../shallow", "a", None), ["1+6 two", "7+1 three"]);
    sandbox.lose("HEAD~2:a");
    assert_eq!(blamed(&sandbox, "", "a", None), ["1+6 two", "7+1 three"]);
    sandbox.lose("HEAD:a");
    let (none, problems) = blame(&sandbox.root, "a");
    assert_eq!((none.len(), problems.len()), (0, 1));
}

#[test]
fn sides_have_paths() {
    let sandbox = Sandbox::new();
    sandbox.write("a", &lines(0..9)).write("b", "1\n").commit("one");
    sandbox.git(&["mv", "a", "c"]);
    sandbox.write("d", "unlike\n");
    std::fs::remove_file(sandbox.path("b")).unwrap();
    sandbox.commit("two");
    let (set, _) = changed_files(&sandbox.root, &Range::parse("HEAD~1..HEAD"));
    let sides: Vec<_> =
        set.files.iter().map(|file| (file.kind, file.old_path(), file.new_path())).collect();
    let expected = [
        (ChangeKind::Deleted, Some("b"), None),
        (ChangeKind::Renamed, Some("a"), Some("c")),
        (ChangeKind::Added, None, Some("d")),
    ];
    assert_eq!(sides, expected);
}
