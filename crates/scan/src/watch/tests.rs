//! Watching real folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Changes, RescanReason, WatchError, WatchOptions, Watcher, watch};

const DEBOUNCE: Duration = Duration::from_millis(60);
/// Long enough for a busy machine; a test waits so long only when it fails.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longer than any debounce: what has not come by then was not sent.
const SILENCE: Duration = Duration::from_millis(500);

fn options() -> WatchOptions {
    WatchOptions {
        debounce: DEBOUNCE,
        poll_fallback: Some(Duration::from_millis(50)),
        should_watch_dir: Arc::new(|folder| !folder.split('/').any(|part| part == "ignored")),
        ..WatchOptions::default()
    }
}

fn polling() -> WatchOptions {
    WatchOptions { polling: true, ..options() }
}

/// Waits until every one of `expected` was reported; returns all that was.
fn expect_paths(watcher: &Watcher, expected: &[&str]) -> BTreeSet<String> {
    let deadline = Instant::now() + PATIENCE;
    let mut seen = BTreeSet::new();
    while !expected.iter().all(|path| seen.contains(*path)) {
        let left = deadline.saturating_duration_since(Instant::now());
        match watcher.events.recv_timeout(left) {
            Ok(Changes::Paths(paths)) => seen.extend(paths),
            Ok(other) => panic!("expected {expected:?}, got {other:?}"),
            Err(error) => panic!("expected {expected:?}, saw {seen:?}: {error}"),
        }
    }
    seen
}

fn expect_rescan(watcher: &Watcher, reason: RescanReason) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match watcher.events.recv_timeout(left) {
            Ok(Changes::Rescan(seen)) if seen == reason => return,
            Ok(_) => {}
            Err(error) => panic!("no rescan for {reason:?}: {error}"),
        }
    }
}

fn expect_silence(watcher: &Watcher) {
    assert_eq!(watcher.events.recv_timeout(SILENCE).ok(), None);
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folder");
    fs::write(path, text).expect("file");
}

#[test]
fn create_modify_rename_and_delete_are_seen() {
    for options in [options(), polling()] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let root = folder.path();
        write(root, "src/old.rs", "one");
        let watcher = watch(root, options).expect("watch");
        assert!(watcher.problems().is_empty());
        write(root, "src/new.rs", "two");
        expect_paths(&watcher, &["src/new.rs"]);
        write(root, "src/old.rs", "longer than before");
        expect_paths(&watcher, &["src/old.rs"]);
        fs::rename(root.join("src/old.rs"), root.join("moved.rs")).expect("rename");
        expect_paths(&watcher, &["src/old.rs", "moved.rs"]);
        fs::remove_file(root.join("moved.rs")).expect("remove");
        expect_paths(&watcher, &["moved.rs"]);
        expect_silence(&watcher);
    }
}

#[test]
fn folders_that_appear_are_watched_with_all_they_hold() {
    for options in [options(), polling()] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let root = folder.path();
        let watcher = watch(root, options).expect("watch");
        write(root, "a/b/c/first.rs", "1");
        expect_paths(&watcher, &["a/b/c/first.rs"]);
        write(root, "a/b/c/second.rs", "2");
        expect_paths(&watcher, &["a/b/c/second.rs"]);
        fs::rename(root.join("a/b"), root.join("moved")).expect("rename");
        expect_paths(&watcher, &["moved/c/first.rs"]);
        write(root, "moved/c/third.rs", "3");
        let seen = expect_paths(&watcher, &["moved/c/third.rs"]);
        assert!(!seen.iter().any(|path| path.starts_with("a/b/c/third")), "{seen:?}");
    }
}

#[test]
fn a_storm_becomes_few_reports() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = folder.path();
    let watcher = watch(root, WatchOptions { debounce: Duration::from_millis(300), ..options() })
        .expect("watch");
    let names: Vec<String> = (0..300).map(|number| format!("file{number}.rs")).collect();
    for round in 0..3 {
        for name in &names {
            fs::write(root.join(name), format!("{round}")).expect("file");
        }
    }
    let mut seen = BTreeSet::new();
    let mut reports = 0;
    while seen.len() < names.len() {
        match watcher.events.recv_timeout(PATIENCE).expect("report") {
            Changes::Paths(paths) => seen.extend(paths),
            Changes::Rescan(reason) => panic!("{reason:?}"),
        }
        reports += 1;
    }
    assert!(reports <= 5, "{reports} reports for 900 writes");
}

#[test]
fn ignored_folders_and_own_files_are_silent() {
    for options in [options(), polling()] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let root = folder.path();
        for path in [
            "ignored/a.rs",
            "deep/ignored/b.rs",
            ".contextd/index/x",
            ".git/objects/ab/cd",
            "sub/.git/HEAD",
        ] {
            write(root, path, "1");
        }
        let watcher = watch(root, options).expect("watch");
        for path in [
            "ignored/a.rs",
            "deep/ignored/b.rs",
            "ignored/new/c.rs",
            ".contextd/index/y",
            ".git/objects/ab/ef",
            "sub/.git/HEAD",
            ".git/index.lock",
        ] {
            write(root, path, "2 and more");
        }
        expect_silence(&watcher);
        write(root, ".contextd/graph/a.yml", "x");
        expect_paths(&watcher, &[".contextd/graph/a.yml"]);
    }
}

#[test]
fn git_changes_ask_for_a_rescan() {
    for options in [options(), polling()] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let root = folder.path();
        write(root, ".git/HEAD", "ref: refs/heads/main");
        write(root, ".git/refs/heads/main", "0");
        let watcher = watch(root, options).expect("watch");
        write(root, ".git/HEAD", "ref: refs/heads/other");
        expect_rescan(&watcher, RescanReason::Git);
        write(root, ".git/index.lock", "new index");
        fs::rename(root.join(".git/index.lock"), root.join(".git/index")).expect("rename");
        expect_rescan(&watcher, RescanReason::Git);
        write(root, ".git/refs/heads/feature/x", "1");
        expect_rescan(&watcher, RescanReason::Git);
    }
}

#[test]
fn full_scans_come_by_themselves() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let options = WatchOptions { full_scan_every: Some(Duration::from_millis(50)), ..options() };
    let watcher = watch(folder.path(), options).expect("watch");
    expect_rescan(&watcher, RescanReason::Periodic);
    expect_rescan(&watcher, RescanReason::Periodic);
}

#[cfg(target_os = "linux")]
#[test]
fn too_many_folders_lead_to_polling_with_a_remedy() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = folder.path();
    write(root, "a/b/c.rs", "1");
    let watcher = watch(root, WatchOptions { max_folders: 2, ..options() }).expect("watch");
    let problems = watcher.problems();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, "CTX_W_WATCH_LIMIT");
    assert!(problems[0].remedy.contains("sysctl"));
    write(root, "a/b/d.rs", "2");
    expect_paths(&watcher, &["a/b/d.rs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_reached_later_changes_over_to_polling() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = folder.path();
    let watcher = watch(root, WatchOptions { max_folders: 2, ..options() }).expect("watch");
    assert!(watcher.problems().is_empty());
    write(root, "a/b/c/d.rs", "1");
    expect_rescan(&watcher, RescanReason::BackendChanged);
    assert_eq!(watcher.problems().len(), 1);
    write(root, "a/b/c/e.rs", "2");
    expect_paths(&watcher, &["a/b/c/e.rs"]);
}

#[test]
fn removed_folders_give_their_watches_back() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = folder.path();
    let watcher = watch(root, WatchOptions { max_folders: 3, ..options() }).expect("watch");
    for round in 0..4 {
        let path = format!("a{round}/b/c.rs");
        write(root, &path, "1");
        expect_paths(&watcher, &[&path]);
        fs::remove_dir_all(root.join(format!("a{round}"))).expect("remove");
        expect_paths(&watcher, &[&format!("a{round}")]);
    }
    assert!(watcher.problems().is_empty());
}

#[test]
fn without_fallback_a_limit_is_an_error() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let refused =
        watch(folder.path(), WatchOptions { max_folders: 0, poll_fallback: None, ..options() });
    assert_eq!(refused.expect_err("refused").code(), "CTX_W_WATCH_LIMIT");
    let missing = watch(&folder.path().join("missing"), options());
    assert!(matches!(missing, Err(WatchError::Root { .. })));
}

#[test]
fn stopping_is_prompt_and_closes_the_reports() {
    for options in [options(), polling()] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let watcher = watch(folder.path(), options).expect("watch");
        let stopper = watcher.stopper();
        let started = Instant::now();
        stopper.stop();
        assert!(watcher.events.recv_timeout(PATIENCE).is_err());
        watcher.stop();
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
}

#[test]
fn a_removed_root_is_told() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("folder");
    let watcher = watch(&root, options()).expect("watch");
    fs::remove_dir(&root).expect("remove");
    expect_rescan(&watcher, RescanReason::RootGone);
}
