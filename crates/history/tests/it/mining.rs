//! Tasks from commits.

use crate::sandbox::Sandbox;
use contextd_history::{
    History, Limits, MAX_MINED_FILES, MAX_MINED_SOURCES, Mined, MiningRules, SetAside, mine_tasks,
};

fn mine(sandbox: &Sandbox, count: usize) -> Mined {
    let (history, _) = History::load(&sandbox.root, &Limits::default(), None);
    let rules = MiningRules {
        max_sources: MAX_MINED_SOURCES,
        max_files: MAX_MINED_FILES,
        is_present: &|path| sandbox.path(path).is_file(),
        is_test: &|path| path.starts_with("tests/"),
        is_source: &|path| path.ends_with(".rs"),
    };
    mine_tasks(history.view(), count, &rules)
}

#[test]
fn commits_become_tasks_by_the_rules() {
    let sandbox = Sandbox::new();
    sandbox
        .write("src/a.rs", "fn a() { one, two, three }\n")
        .write("src/gone.rs", "1")
        .commit("Start the parser");
    sandbox.write("src/gone.rs", "2").commit("Touch what will vanish");
    sandbox
        .write("src/gone.rs", "3")
        .write("src/a.rs", "fn a() { one, two, four }\n")
        .commit("Half of it stays");
    sandbox.git(&["mv", "src/a.rs", "src/b.rs"]);
    std::fs::remove_file(sandbox.path("src/gone.rs")).unwrap();
    sandbox.commit("Rename a.rs");
    sandbox.write("tests/t.rs", "1").write("README.md", "1").commit("Only tests and words");
    for number in 0..8 {
        sandbox.write(&format!("src/n{number}.rs"), "1");
    }
    sandbox.commit("Many sources");
    for number in 0..40 {
        sandbox.write(&format!("data/{number}"), "1");
    }
    sandbox.write("src/b.rs", "2").commit("Much data");
    sandbox.tick();
    sandbox.write("src/n1.rs", "2").git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "Bump", "--author", "dependabot[bot] <d@example.org>"]);
    sandbox.write("src/n2.rs", "2").commit("src/n2.rs (#12)");
    sandbox.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    sandbox
        .write("src/n3.rs", "3")
        .commit("Teach n3 to count (#14)\n\nIn src/n3.rs it did not.\n\nSigned-off-by: Ann <a@b>");
    sandbox.tick();
    sandbox.git(&["merge", "-q", "-m", "merge", "main"]);

    let mined = mine(&sandbox, 99);
    let found: Vec<(&str, Vec<&str>)> = mined
        .tasks
        .iter()
        .map(|task| (task.query.as_str(), task.files.iter().map(String::as_str).collect()))
        .collect();
    let expected = [
        ("Teach n3 to count\nIn it did not.", vec!["src/n3.rs"]),
        ("Rename", vec!["src/b.rs"]),
        ("Half of it stays", vec!["src/b.rs"]),
        ("Start the parser", vec!["src/b.rs"]),
    ];
    assert_eq!(found, expected);
    let expected = SetAside {
        merges: 1,
        bots: 1,
        large: 2,
        vanished: 1,
        no_source: 1,
        silent: 1,
        unknown: 0,
        vanished_files: 3,
    };
    assert_eq!(mined.set_aside, expected);
    assert_eq!(mined.looked_at, 11);
    assert_eq!(mine(&sandbox, 2).tasks, mined.tasks[..2]);
}
