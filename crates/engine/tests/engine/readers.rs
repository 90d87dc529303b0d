//! Readers in other processes see whole snapshots only, while a writer publishes one after the other.

use crate::support;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const ROOT: &str = "CONTEXTD_TEST_READER_ROOT";

/// Not a test of its own: reads until it is told to stop.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn reader() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else { return };
    let engine = support::open(&root);
    let mut seen = 0;
    while !root.join("stop").exists() {
        let snapshot = engine.snapshot().unwrap().unwrap();
        snapshot.verify().unwrap();
        // Every state of the tree has exactly one of the two.
        let named = snapshot.symbols_named("even").len() + snapshot.symbols_named("odd").len();
        assert_eq!(named, 1, "half a snapshot");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn readers_of_other_processes_see_whole_snapshots_only() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("tree");
    support::plant(&root);
    let turn = |number: usize| {
        let text =
            if number.is_multiple_of(2) { "def even(): pass\n" } else { "def odd(): pass\n" };
        support::write(&root.join("turn.py"), text.as_bytes());
        support::refresh(&root, 0);
    };
    turn(0);
    let spawn = |_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "readers::reader", "--ignored"])
            .env(ROOT, &root)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let readers: Vec<_> = (0..2).map(spawn).collect();
    (1..40).for_each(turn);
    support::write(&root.join("stop"), b"");
    for mut reader in readers {
        assert!(reader.wait().unwrap().success(), "a reader saw something else");
    }
}
