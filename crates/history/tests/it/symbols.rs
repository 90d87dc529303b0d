//! Commits and today's symbols they touched.

use crate::sandbox::Sandbox;
use contextd_history::{
    History, LineLabels, Outline, Repository, SymbolTouch, TouchQuery, UNLABELLED,
};

/// A text in which a line `fn NAME` starts a symbol that ends before the next empty line.
fn outline(text: &str) -> (Outline, Vec<String>) {
    let (mut spans, mut names) = (Vec::new(), Vec::new());
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix("fn ") {
            let length = lines[at..].iter().take_while(|line| !line.is_empty()).count();
            spans.push((at as u32 + 1, (at + length) as u32, names.len() as u32));
            names.push(name.to_owned());
        }
    }
    let labels = LineLabels::of_spans(&spans);
    let text = text.as_bytes().to_vec();
    (Outline { text, labels }, names)
}

/// One line a commit, newest first: its subject, then the names it touched.
fn check(sandbox: &Sandbox, only: Option<&str>, expected: &[&str]) {
    let (history, _) = History::load(&sandbox.root, &Default::default(), None);
    let view = history.view();
    let repository = Repository::open(&sandbox.root).unwrap();
    let text = |file: u32| std::fs::read_to_string(sandbox.path(view.path(file))).ok();
    let commits: Vec<u32> = (0..view.len() as u32).collect();
    let files: Vec<u32> = only.iter().filter_map(|path| view.file(path)).collect();
    let touches = repository.symbol_touches(
        view,
        &TouchQuery {
            files: only.map(|_| files.as_slice()),
            commits: &commits,
            outline: &|file| Some(outline(&text(file)?).0),
        },
    );
    let name = |touch: &SymbolTouch| match touch.label {
        UNLABELLED => format!("({})", view.path(touch.file)),
        label => outline(&text(touch.file).unwrap()).1[label as usize].clone(),
    };
    let line = |number: u32| {
        let own = touches.iter().filter(|touch| touch.commit == number);
        let names: Vec<String> = own.map(name).collect();
        let subject = view.commit(number).unwrap().subject().to_owned();
        (!names.is_empty()).then(|| format!("{subject}: {}", names.join(" ")))
    };
    let found: Vec<String> = commits.into_iter().filter_map(line).collect();
    assert_eq!(found, expected);
}

#[test]
fn commits_name_the_symbols_whose_lines_they_changed() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "fn one\n1\n\nfn two\n2\n").commit("begin");
    sandbox
        .write("a", "fn one\n1\n\nfn gone\nx\n\nfn two\n2\n2\n")
        .write("b", "fn other\n")
        .commit("more");
    sandbox.write("a", "head\n\nfn one\n1\n\nfn two\n2\n2\n").commit("less");
    sandbox.write("a", "head\n\nfn one\n11\n\nfn two\n2\n2\n").commit("again");
    // Not committed: today's symbols are those of the work tree.
    sandbox.write("a", "head\nhead\n\nfn first\n11\n\nfn two\n2\n2\n");
    check(
        &sandbox,
        None,
        &["again: first", "less: (a)", "more: two (a) other", "begin: first two (a)"],
    );
    check(&sandbox, Some("b"), &["more: other"]);
}

#[test]
fn renames_and_merges_of_both_sides_keep_the_names() {
    let sandbox = Sandbox::new();
    let text = |one: &str, two: &str| {
        format!("fn one\n{one}\n\nfiller\nfiller\nfiller\nfiller\n\nfn two\n{two}\n")
    };
    sandbox.write("old", &text("1", "2")).commit("begin");
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("old", &text("1", "22")).commit("second");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["mv", "old", "new"]);
    sandbox.write("new", &text("11", "2")).commit("first");
    sandbox.tick();
    sandbox.git(&["merge", "-q", "side", "-m", "merge"]);
    check(&sandbox, None, &["first: one", "second: two", "begin: one two (new)"]);
}

#[test]
fn missing_objects_are_passed_over() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "fn one\n1\n").commit("begin");
    sandbox.write("a", "fn one\n2\n").commit("change");
    sandbox.write("a", "fn one\n3\n").commit("last");
    sandbox.lose("HEAD~1:a");
    check(&sandbox, None, &["last: (a)", "change: (a)", "begin: one"]);
}
