//! Patch texts: what git writes, what others write, and rubbish.

use crate::sandbox::Sandbox;
use contextd_history::{
    ChangeKind, ChangeSet, FileChange, Hunk, LineRange, Range, changed_files, line_hunks,
    parse_patch,
};
use proptest::prelude::*;

fn parse(patch: &str) -> ChangeSet {
    let (set, problems) = parse_patch(patch.as_bytes(), "");
    assert_eq!(problems, []);
    set
}

#[test]
fn a_patch_of_git_says_what_the_comparison_says() {
    let sandbox = Sandbox::new();
    let text = |range: std::ops::Range<u32>| {
        range.map(|number| format!("line {number}\n")).collect::<String>()
    };
    sandbox
        .write("a", &text(0..30))
        .write("old name", &text(5..40))
        .write("gone", "x\n")
        .write("ü/ö", "1\n")
        .commit("one");
    sandbox.git(&["mv", "old name", "new name"]);
    std::fs::remove_file(sandbox.path("gone")).unwrap();
    let edited = text(0..10) + "--- not a header\n+++ nor this\n" + &text(12..29) + "no newline";
    sandbox
        .write("a", &edited)
        .write("new name", &text(5..41))
        .write("ü/ö", "2\n")
        .write("fresh", "f\n")
        .write("bin", "\0")
        .commit("two");
    let (expected, _) = changed_files(&sandbox.root, &Range::parse("HEAD~1..HEAD"));
    for arguments in [
        &["diff", "HEAD~1", "HEAD"][..],
        &["diff", "-U0", "HEAD~1", "HEAD"],
        &["format-patch", "-1", "--stdout"],
    ] {
        let patch = sandbox.git(arguments);
        let (set, problems) = parse_patch(patch.as_bytes(), "");
        assert_eq!((set.files, problems), (expected.files.clone(), Vec::new()), "{arguments:?}");
    }
}

#[test]
fn paths_are_made_relative_to_the_root() {
    let patch = "--- a/sub/x\n+++ b/sub/x\n@@ -1 +1 @@\n-a\n+b\n--- a/other\n+++ b/other\n@@ -1 +1 @@\n-a\n+b\n";
    let (set, _) = parse_patch(patch.as_bytes(), "sub/");
    assert_eq!((set.files[0].path.as_str(), set.files.len(), set.outside), ("x", 1, 1));
}

#[test]
fn paths_that_leave_the_root_are_outside() {
    for path in ["../x", "a/../../x", "/etc/x", "C:/x", "a\\..\\..\\x"] {
        let patch = format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n");
        let set = parse(&patch);
        assert_eq!((set.files.len(), set.outside), (0, 1), "{path}");
    }
}

#[test]
fn patches_of_other_tools_are_read() {
    let range = |start, count| LineRange { start, count };
    let file = |path: &str, kind, hunks: &[Hunk]| FileChange {
        path: path.into(),
        from: None,
        kind,
        hunks: hunks.to_vec(),
        binary: false,
    };
    let set = parse(
        "--- lib/x.c\t2020-01-01 00:00:00\r\n+++ lib/x.c\t2020-01-02\r\n@@ -1,2 +1,3 @@ f()\r\n a\r\n+b\r\n c\r\n",
    );
    assert_eq!(
        set.files,
        [file("lib/x.c", ChangeKind::Modified, &[Hunk { old: range(2, 0), new: range(2, 1) }])]
    );
    let set =
        parse("Some mail.\n\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1,2 @@\n+a\n+b\n-- \n2.0\n");
    assert_eq!(
        set.files,
        [file("new.c", ChangeKind::Added, &[Hunk { old: range(1, 0), new: range(1, 2) }])]
    );
    assert_eq!(parse("nothing here\n@@ -1 +1 @@\n"), ChangeSet::default());
}

#[test]
fn broken_patches_are_named() {
    let check = |patch: &str, files: usize, problems: usize| {
        let (set, found) = parse_patch(patch.as_bytes(), "");
        assert_eq!((set.files.len(), found.len()), (files, problems), "{patch:?}");
    };
    check("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n", 1, 1);
    check("--- a/x\n+++ b/x\n@@ what\n a\n", 1, 1);
    check("diff --git a/x b/y\n", 0, 1);
    check("diff --cc x\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n", 1, 1);
    check("--- a/x\n+++ b/x\n@@ -4294967295,4294967295 +4294967295,4294967295 @@\n-a\n+b\n", 1, 1);
}

/// Writes the hunks as a patch with `context` lines around each.
fn render(old: &[&str], new: &[&str], hunks: &[Hunk], context: usize) -> String {
    let mut patch = "--- a/f\n+++ b/f\n".to_owned();
    for (number, hunk) in hunks.iter().enumerate() {
        let (old_at, new_at) = (hunk.old.start as usize - 1, hunk.new.start as usize - 1);
        let (old_end, new_end) =
            (old_at + hunk.old.count as usize, new_at + hunk.new.count as usize);
        let gap_before = number
            .checked_sub(1)
            .map_or(old_at, |last| old_at - (hunks[last].old.end() as usize - 1));
        let gap_after = hunks
            .get(number + 1)
            .map_or(old.len() - old_end, |next| next.old.start as usize - 1 - old_end);
        let (before, after) = (context.min(gap_before / 2), context.min(gap_after / 2));
        let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
        let (old_count, new_count) =
            (before + hunk.old.count as usize + after, before + hunk.new.count as usize + after);
        let (old_start, new_start) =
            (start(old_at - before, old_count), start(new_at - before, new_count));
        patch.push_str(&format!("@@ -{old_start},{old_count} +{new_start},{new_count} @@\n"));
        let mut push = |mark: char, lines: &[&str]| {
            lines.iter().for_each(|line| patch.push_str(&format!("{mark}{line}\n")))
        };
        push(' ', &old[old_at - before..old_at]);
        push('-', &old[old_at..old_end]);
        push('+', &new[new_at..new_end]);
        push(' ', &old[old_end..old_end + after]);
    }
    patch
}

proptest! {
    #[test]
    fn hunks_survive_being_written_as_a_patch(
        old in proptest::collection::vec("[-+ @]?[ab]?", 0..25),
        new in proptest::collection::vec("[-+ @]?[ab]?", 0..25),
        context in 0usize..4,
    ) {
        let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let hunks = line_hunks(text(&old).as_bytes(), text(&new).as_bytes()).unwrap();
        prop_assume!(!hunks.is_empty());
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let patch = render(&old, &new, &hunks, context);
        let (set, problems) = parse_patch(patch.as_bytes(), "");
        prop_assert_eq!(problems, []);
        prop_assert_eq!(&set.files[0].hunks, &hunks, "{}", patch);
    }

    #[test]
    fn rubbish_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse_patch(&bytes, "a/");
    }

    #[test]
    fn near_patches_never_panic(lines in proptest::collection::vec(
        "(diff --git |--- |\\+\\+\\+ |@@ -|@@@ |rename from |rename to |copy to |new file mode |\\\\ |-|\\+| |Binary files )?(\"?[ab]/\\\\?[0-9a-z\"é ]{0,5}|/dev/null|[0-9]{1,11},[0-9]{1,11} \\+[0-9]{1,10},[0-9] @@)?",
        0..30,
    )) {
        let patch = lines.join("\n");
        let (set, _) = parse_patch(patch.as_bytes(), "");
        for file in &set.files {
            prop_assert!(!file.path.is_empty());
        }
    }
}
