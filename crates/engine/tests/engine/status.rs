//! What status says of changes and of the head.

use crate::support::{open, plant, refresh, write};
use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

#[test]
fn changes_make_the_index_stale_until_they_are_read() {
    let place = tempfile::tempdir().unwrap();
    plant(place.path());
    refresh(place.path(), 60_000);
    let stale = || open(place.path()).status().unwrap().unwrap().is_stale();
    assert!(!stale());
    write(&place.path().join("shop/items.py"), b"class Item:\n    pass\n");
    assert!(stale(), "written");
    refresh(place.path(), 60_000);
    assert!(!stale());
    fs::remove_file(place.path().join("web/cart.ts")).unwrap();
    assert!(stale(), "removed");
    refresh(place.path(), 60_000);
    write(&place.path().join("web/new.ts"), b"export const one = 1;\n");
    assert!(stale(), "added");
}

#[test]
fn files_that_are_too_young_to_be_trusted_are_compared_by_what_they_hold() {
    let place = tempfile::tempdir().unwrap();
    plant(place.path());
    write(&place.path().join("picture.png"), b"\x89PNG\r\n\x1a\n\0\0");
    // A clock behind the files' own: no stamp of theirs can be trusted.
    refresh(place.path(), -60_000);
    let stale = || open(place.path()).status().unwrap().unwrap().is_stale();
    assert!(!stale(), "what was just read is not stale");
    write(&place.path().join("shop/items.py"), b"class Other:\n    pass\n");
    assert!(stale());
}

#[test]
fn who_found_nothing_changed_leaves_a_note() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    plant(root);
    refresh(root, 60_000);
    let (note, folder) = (root.join(".contextd/index/calm"), root.join("shop"));
    let date = |time: SystemTime| fs::File::open(&folder).unwrap().set_modified(time).unwrap();
    date(SystemTime::now() + Duration::from_secs(3600));
    assert!(!open(root).status().unwrap().unwrap().is_stale());
    assert!(!note.exists(), "a folder younger than the scan is not trusted");
    date(SystemTime::now() - Duration::from_secs(3600));
    // The time of this very change has to be over, too.
    std::thread::sleep(Duration::from_millis(120));
    assert!(!open(root).status().unwrap().unwrap().is_stale());
    assert!(note.exists());
    // Who reads the note sees a change behind it, and does not write it again.
    let before = fs::read(&note).unwrap();
    fs::remove_file(root.join("shop/items.py")).unwrap();
    assert!(open(root).status().unwrap().unwrap().is_stale());
    assert_eq!(fs::read(&note).unwrap(), before);
}

#[test]
fn a_glance_tells_what_it_left_out_and_what_it_saw() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    plant(root);
    refresh(root, 60_000);
    std::thread::sleep(Duration::from_millis(120));
    let glance = |time: Duration| open(root).status_within(time).unwrap().unwrap();
    let first = glance(Duration::ZERO);
    assert_eq!(
        (first.changed, first.looked),
        (Some(false), None),
        "without a note there is a whole look"
    );
    let none = glance(Duration::ZERO);
    assert!(none.changed.is_none() && !none.is_stale());
    assert_eq!((first.staleness(), none.staleness()), (Some(false), None));
    assert!(
        none.looked.is_some_and(|(looked, paths)| looked == 0 && paths > none.files as usize),
        "{:?}",
        none.looked
    );
    let all = glance(Duration::from_secs(3600));
    assert_eq!((all.changed, all.looked), (Some(false), None));
    write(&root.join("shop/items.py"), b"class Item:\n    pass\n");
    assert_eq!(glance(Duration::from_secs(3600)).changed, Some(true));
    assert_eq!(open(root).status().unwrap().unwrap().changed, Some(true));
}

#[test]
fn the_mark_of_the_head_moves_with_it() {
    let place = tempfile::tempdir().unwrap();
    plant(place.path());
    assert_eq!(open(place.path()).head_mark(), None);
    let git = |words: &[&str]| {
        let done = Command::new("git")
            .current_dir(place.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(words)
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    let first = open(place.path()).head_mark().unwrap();
    assert_eq!(open(place.path()).head_mark().unwrap(), first);
    git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    let second = open(place.path()).head_mark().unwrap();
    assert_ne!(second, first);
    git(&["pack-refs", "--all"]);
    git(&["checkout", "-q", "-b", "side"]);
    assert_ne!(open(place.path()).head_mark().unwrap(), second);
}

#[test]
fn a_root_that_is_gone_is_an_error_and_is_not_made_again() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    let index = place.path().join("index");
    plant(&root);
    write(&root.join("context.toml"), format!("[storage]\npath = {index:?}\n").as_bytes());
    refresh(&root, 60_000);
    let (engine, before) = (open(&root), fs::read_to_string(index.join("CURRENT")).unwrap());
    fs::remove_dir_all(&root).unwrap();
    let options = contextd_engine::RefreshOptions {
        now: 60_000,
        ..contextd_engine::RefreshOptions::default()
    };
    let error = engine.refresh(&options, &contextd_engine::Silent).map(drop).unwrap_err();
    assert_eq!(error.code(), "CTX_E_ROOT");
    assert!(!root.exists());
    assert_eq!(
        fs::read_to_string(index.join("CURRENT")).unwrap(),
        before,
        "an index of no files takes no other's place"
    );
    // A scan of it says so, too.
    assert!(engine.scanner.scan().refused_root.is_some());
    assert_eq!(engine.has_changes().unwrap_err().code(), "CTX_E_ROOT");
}

#[test]
fn rules_of_chunking_for_no_language_are_told() {
    let place = tempfile::tempdir().unwrap();
    write(&place.path().join("context.toml"), b"[chunking.default]\nmax_tokens = 300\n[chunking.pyton]\nmax_tokens = 200\n[chunking.jsx]\nmax_tokens = 200\n");
    let problems = open(place.path()).problems;
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert_eq!((problem.code, problem.line), ("CTX_W_CONFIG_UNKNOWN_KEY", Some(3)));
    assert!(problem.remedy.contains("`chunking.python`"), "{problem}");
}
