//! A first run over many files answers before it ends, and ends as if it had not.

use crate::support;
use contextd_engine::{Engine, EngineError, Progress, RefreshOptions, Silent, Stage, Status};
use contextd_store::Ledger;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const FILES: usize = 3_100;

fn plant(root: &Path) {
    for number in 0..FILES {
        support::write(
            &root.join(format!("d{}/f{number}.py", number % 50)),
            format!("def f{number}(): pass\n").as_bytes(),
        );
    }
    support::write(
        &root.join("aaa/large.md"),
        "# Large\n\nword word word\n".repeat(20_000).as_bytes(),
    );
}

/// Looks at the index when reading begins again, and may ask to stop then.
struct Look<'e> {
    engine: &'e Engine,
    stops: bool,
    begun: AtomicU64,
    seen: Mutex<Option<(Status, u64)>>,
}

impl Progress for Look<'_> {
    fn begin(&self, stage: Stage, _total: u64) {
        if stage == Stage::Extract && self.begun.fetch_add(1, Ordering::Relaxed) == 1 {
            let counts = self.engine.ledger().unwrap().bootstrap_counts().unwrap().unwrap();
            *self.seen.lock().unwrap() =
                Some((self.engine.status().unwrap().unwrap(), counts.completed));
        }
    }

    fn advance(&self, _done: u64) {}

    fn is_cancelled(&self) -> bool {
        self.stops && self.seen.lock().unwrap().is_some()
    }
}

#[test]
fn the_first_files_can_be_asked_early() {
    answers_early(usize::MAX);
}

#[test]
fn the_first_of_more_files_than_can_be_held_can_be_asked_early() {
    answers_early(50_000);
}

fn answers_early(max_texts: usize) {
    let place = tempfile::tempdir().unwrap();
    let (root, other) = (place.path().join("tree"), place.path().join("other"));
    plant(&root);
    support::copy(&root, &other);
    let engine = support::open_with(&root, max_texts);
    let options = RefreshOptions { now: support::now(), ..RefreshOptions::default() };
    let stopping =
        Look { engine: &engine, stops: true, begun: AtomicU64::new(0), seen: Mutex::default() };
    assert!(matches!(engine.refresh(&options, &stopping), Err(EngineError::Cancelled)));
    let (status, completed) = stopping.seen.into_inner().unwrap().unwrap();
    assert!(status.partial && status.files == 256 && completed == 256, "{status:?}");
    let snapshot = engine.snapshot().unwrap().unwrap();
    assert_eq!(snapshot.find_file("aaa/large.md"), None, "small files come first");
    assert!(engine.status().unwrap().unwrap().partial, "an interrupted run stays marked");
    drop(snapshot);
    support::refresh(&root, 0);
    let status = engine.status().unwrap().unwrap();
    assert!(!status.partial && status.files as usize == FILES + 1);
    assert_eq!(engine.ledger().unwrap().bootstrap_counts().unwrap(), None);
    // The other is never interrupted.
    let engine = support::open_with(&other, max_texts);
    engine.refresh(&options, &Silent).unwrap();
    assert_eq!(support::image(&root), support::image(&other));
}
