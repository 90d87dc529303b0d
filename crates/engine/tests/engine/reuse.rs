//! Content that was taken apart once is not taken apart again: after going back, after moving, and in
//! another worktree.

use crate::support::{difference_to_fresh, plant, refresh, write};
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let output =
        Command::new("git").current_dir(folder).args(identity).args(words).output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_second_worktree_takes_only_new_content_apart() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    fs::create_dir(&one).unwrap();
    plant(&one);
    git(&one, &["init", "-q"]);
    git(&one, &["add", "-A"]);
    git(&one, &["commit", "-qm", "first"]);
    let all = refresh(&one, 60_000);
    assert_eq!(all.extracted, all.files);
    git(&one, &["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
    write(&other.join("shop/items.py"), b"class Item:\n    pass\n");
    write(&other.join("new.py"), b"def fresh():\n    pass\n");
    let second = refresh(&other, 60_000);
    assert_eq!((second.files, second.extracted), (all.files + 1, 2));
    assert_eq!(difference_to_fresh(&other), None);
}

#[test]
fn going_back_and_moving_cost_no_extraction() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    plant(root);
    let first = refresh(root, 60_000);
    assert_eq!(first.extracted, first.files);
    let path = root.join("shop/items.py");
    let before = fs::read(&path).unwrap();
    write(&path, b"class Item:\n    pass\n");
    fs::remove_file(root.join("web/cart.ts")).unwrap();
    assert_eq!(refresh(root, 60_000).extracted, 1);
    write(&path, &before);
    assert_eq!(refresh(root, 60_000).extracted, 0, "undone");
    fs::rename(root.join("jvm/Desk.java"), root.join("jvm/Table.java")).unwrap();
    assert_eq!(refresh(root, 60_000).extracted, 0, "moved");
    assert_eq!(difference_to_fresh(root), None);
}
