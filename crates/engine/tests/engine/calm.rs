//! A quick refresh looks at stamps alone, and still sees every change.

use crate::support::{difference_to_fresh, now, open, plant, refresh, write};
use contextd_engine::{RefreshOptions, Refreshed, Result, Silent};
use contextd_snapshot::WriterLock;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Asks as a question does, with a clock ahead of the real one, so that all stamps count as old.
fn quick(root: &Path) -> Result<Refreshed> {
    open(root).refresh(
        &RefreshOptions { now: now() + 60_000, quick: true, ..RefreshOptions::default() },
        &Silent,
    )
}

/// Plants, indexes and asks once, so that the next question finds the note.
fn settled(root: &Path) {
    plant(root);
    write(&root.join("picture.py"), b"binary \0 here");
    refresh(root, 60_000);
    assert!(!quick(root).unwrap().changed);
    assert!(open(root).places.index.join("calm").exists());
    // Stamps tell times apart when the clock has moved on.
    std::thread::sleep(Duration::from_millis(20));
}

#[test]
fn nothing_is_scanned_while_nothing_changes() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    settled(root);
    // Who holds the lock keeps others from scanning; looking at stamps needs none.
    let _lock = WriterLock::lock_wait(&open(root).places.index, Duration::ZERO).unwrap().unwrap();
    let found = quick(root).unwrap();
    assert!(!found.changed && found.files > 10);
    write(&root.join("shop/items.py"), b"class Item:\n    pass\n");
    assert!(quick(root).is_err());
}

#[test]
fn who_indexed_leaves_the_note() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    plant(root);
    assert!(quick(root).unwrap().changed);
    let note = open(root).places.index.join("calm");
    assert!(note.exists());
    let _lock = WriterLock::lock_wait(&open(root).places.index, Duration::ZERO).unwrap().unwrap();
    assert!(!quick(root).unwrap().changed, "nothing is scanned");
}

#[test]
fn the_first_run_leaves_the_note_though_its_own_folder_is_younger() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    plant(root);
    std::thread::sleep(Duration::from_millis(120));
    let began = now();
    open(root).places.create().unwrap();
    std::thread::sleep(Duration::from_millis(120));
    let index = |root: &Path| {
        open(root)
            .refresh(
                &RefreshOptions { now: began, quick: true, ..RefreshOptions::default() },
                &Silent,
            )
            .unwrap()
    };
    assert!(index(root).changed);
    let note = open(root).places.index.join("calm");
    assert!(note.exists());
    // What else is younger than the run was maybe not seen by it.
    fs::remove_file(&note).unwrap();
    write(&root.join("shop/new.py"), b"x = 1\n");
    assert!(index(root).changed);
    assert!(!note.exists());
}

#[test]
fn every_change_is_seen() {
    type Change = (&'static str, fn(&Path));
    let changes: &[Change] = &[
        ("edited", |root| write(&root.join("shop/items.py"), b"class Item:\n    pass\n")),
        ("added", |root| write(&root.join("shop/more.py"), b"def more():\n    pass\n")),
        ("added below a new folder", |root| {
            write(&root.join("far/away/more.py"), b"def more():\n    pass\n")
        }),
        ("removed", |root| fs::remove_file(root.join("web/cart.ts")).unwrap()),
        ("moved", |root| {
            fs::rename(root.join("jvm/Desk.java"), root.join("jvm/Table.java")).unwrap()
        }),
        ("ignored", |root| write(&root.join(".contextignore"), b"jvm/\n")),
        ("turned into text", |root| write(&root.join("picture.py"), b"def shown():\n    pass\n")),
        ("a folder removed", |root| fs::remove_dir_all(root.join("srv")).unwrap()),
    ];
    for (what, change) in changes {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        settled(root);
        change(root);
        assert!(quick(root).unwrap().changed, "{what}");
        assert_eq!(difference_to_fresh(root), None, "{what}");
        assert!(!quick(root).unwrap().changed, "{what}, again");
    }
}

#[test]
fn what_is_too_young_is_not_trusted() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    plant(root);
    let planted = now();
    refresh(root, 60_000);
    // The files are recorded as old enough; the folders that hold them were made just before.
    let young = RefreshOptions { now: planted, quick: true, ..RefreshOptions::default() };
    assert!(!open(root).refresh(&young, &Silent).unwrap().changed);
    assert!(!open(root).places.index.join("calm").exists());
}

#[test]
fn what_is_put_over_files_takes_the_note_away_before() {
    let put: &[fn(&contextd_engine::Engine)] = &[
        |engine| assert!(engine.put_overlay("shop/items.py", "x = 1\n", now()).unwrap()),
        |engine| assert!(!engine.drop_overlay("shop/items.py").unwrap()),
        |engine| engine.put_tombstone("shop/items.py").unwrap(),
    ];
    for put in put {
        let place = tempfile::tempdir().unwrap();
        settled(place.path());
        put(&open(place.path()));
        assert!(!open(place.path()).places.index.join("calm").exists());
    }
}

#[test]
fn a_damaged_note_only_costs_a_scan() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    settled(root);
    let note = open(root).places.index.join("calm");
    let whole = fs::read(&note).unwrap();
    let last = whole.iter().rposition(|&byte| byte == 0).unwrap();
    let mut broken = whole.clone();
    broken[last + 70] = 0xff;
    for damage in [
        &b""[..],
        b"calm2",
        b"\xff\xfe\n",
        b"calm2 00 0 00\nshop\n",
        &whole[..last],
        &whole[..whole.len() - 3],
        &broken,
    ] {
        fs::write(&note, damage).unwrap();
        assert!(!quick(root).unwrap().changed);
        assert_eq!(fs::read(&note).unwrap(), whole, "it is written again");
    }
    // What a note without its end does not tell is looked for.
    fs::write(&note, &whole[..last]).unwrap();
    write(&root.join("shop/items.py"), b"class Item:\n    pass\n");
    assert_eq!(open(root).status().unwrap().unwrap().changed, Some(true));
    assert!(quick(root).unwrap().changed);
}

#[test]
fn who_indexes_by_hand_is_told_of_problems_every_time() {
    let by_hand = |root: &Path| {
        open(root).refresh(
            &RefreshOptions {
                now: now() + 60_000,
                quick: true,
                by_hand: true,
                ..RefreshOptions::default()
            },
            &Silent,
        )
    };
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    settled(root);
    assert!(by_hand(root).unwrap().problems.is_empty());
    {
        // Without a problem stamps are enough, and need no lock.
        let _lock =
            WriterLock::lock_wait(&open(root).places.index, Duration::ZERO).unwrap().unwrap();
        assert!(!by_hand(root).unwrap().changed);
    }
    let large = "# a long line of words that says nothing at all, again and again\n".repeat(40_000);
    write(&root.join("shop/large.py"), large.as_bytes());
    assert!(by_hand(root).unwrap().changed);
    for _ in 0..3 {
        let again = by_hand(root).unwrap();
        assert!(!again.changed);
        assert_eq!(
            again.problems.iter().map(|problem| problem.code).collect::<Vec<_>>(),
            ["CTX_W_SCAN_LARGE_FILE"]
        );
        assert!(!quick(root).unwrap().changed);
    }
}
