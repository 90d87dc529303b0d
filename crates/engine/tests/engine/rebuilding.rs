//! Rebuilds are jobs: one at a time, cancelled when asked, recorded however they end.

use crate::support::{self, open, plant, refresh, write};
use contextd_engine::{EngineError, Progress, RebuildOrder, Silent, Stage};
use contextd_store::{JobStatus, Ledger};
use std::fs;

fn order(job_id: &str, paths: &[&str]) -> RebuildOrder {
    RebuildOrder {
        job_id: job_id.to_owned(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        clear_errors: true,
        vacuum: true,
        files: None,
        created_by: "test".to_owned(),
    }
}

#[test]
fn a_rebuild_ends_with_the_same_snapshot() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let first = support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    for (job, paths, read) in [("full", &[][..], first.read), ("part", &["shop/", "run.sh"][..], 4)]
    {
        let order = order(job, paths);
        engine.queue_rebuild(&order, support::now()).unwrap();
        assert!(
            engine
                .queue_rebuild(
                    &RebuildOrder { job_id: "second".to_owned(), ..order.clone() },
                    support::now()
                )
                .is_err(),
            "one at a time"
        );
        // A clock ahead: the files count as old enough to be believed.
        let refreshed = engine.run_rebuild(&order, &|| support::now() + 60_000, &Silent).unwrap();
        assert_eq!((refreshed.read, refreshed.snapshot), (read, first.snapshot), "{job}");
        let stored = engine.ledger().unwrap().job(job).unwrap().unwrap();
        assert_eq!(
            (stored.status, stored.progress.files_processed),
            (JobStatus::Completed, u64::from(read))
        );
    }
}

/// Takes its time with each file, and looks what is recorded when the next stage begins.
struct Slow<'e> {
    engine: &'e contextd_engine::Engine,
    recorded: std::sync::Mutex<Option<String>>,
}

impl Progress for Slow<'_> {
    fn begin(&self, stage: Stage, _total: u64) {
        if stage == Stage::Link {
            *self.recorded.lock().unwrap() =
                self.engine.ledger().unwrap().job("slow").unwrap().unwrap().progress.current_file;
        }
    }
    fn advance(&self, _done: u64) {}
    fn file(&self, _path: &str) {
        std::thread::sleep(std::time::Duration::from_millis(320));
    }
}

#[test]
fn a_running_rebuild_says_which_file_it_reads() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let engine = support::open(place.path());
    let order = order("slow", &[]);
    engine.queue_rebuild(&order, support::now()).unwrap();
    let slow = Slow { engine: &engine, recorded: std::sync::Mutex::default() };
    engine.run_rebuild(&order, &support::now, &slow).unwrap();
    let file = slow.recorded.into_inner().unwrap().expect("a file is recorded while the job runs");
    assert!(place.path().join(&file).is_file(), "{file}");
    assert_eq!(engine.ledger().unwrap().job("slow").unwrap().unwrap().progress.current_file, None);
}

/// Wants to end as soon as reading begins.
struct Impatient;

impl Progress for Impatient {
    fn begin(&self, _stage: Stage, _total: u64) {}
    fn advance(&self, _done: u64) {}
    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_cancelled_rebuild_leaves_the_snapshot_before() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    let (engine, before) = (support::open(place.path()), support::image(place.path()));
    let waiting = order("waiting", &[]);
    engine.queue_rebuild(&waiting, support::now()).unwrap();
    assert!(engine.ledger().unwrap().job_cancel("waiting", support::now()).unwrap());
    assert!(matches!(
        engine.run_rebuild(&waiting, &support::now, &Silent),
        Err(EngineError::Cancelled)
    ));
    let running = order("running", &[]);
    engine.queue_rebuild(&running, support::now()).unwrap();
    assert!(matches!(
        engine.run_rebuild(&running, &support::now, &Impatient),
        Err(EngineError::Cancelled)
    ));
    for job in ["waiting", "running"] {
        assert_eq!(
            engine.ledger().unwrap().job(job).unwrap().unwrap().status,
            JobStatus::Cancelled,
            "{job}"
        );
    }
    assert_eq!(support::image(place.path()), before);
}

#[test]
fn cleaning_removes_the_index_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    plant(&root);
    refresh(&root, 60_000);
    let _ = open(&root).ledger().unwrap();
    open(&root).places.clean().unwrap();
    assert!(!root.join(".contextd").exists());
    // A folder of the configuration may have got other things since.
    let named = place.path().join("named");
    write(&root.join("context.toml"), format!("[storage]\npath = {named:?}\n").as_bytes());
    refresh(&root, 60_000);
    write(&named.join("mine.txt"), b"mine");
    open(&root).places.clean().unwrap();
    let left: Vec<_> =
        fs::read_dir(&named).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine.txt"]);
    assert!(root.join("shop/basket.py").exists());
}

#[test]
fn a_folder_that_holds_other_things_is_not_taken_for_the_index() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("project");
    plant(&root);
    for (path, expected) in
        [(".", "the root"), ("..", "above"), ("shop", "it holds"), ("shop/../.", "the root")]
    {
        write(&root.join("context.toml"), format!("[storage]\npath = {path:?}\n").as_bytes());
        let Err(contextd_engine::EngineError::Config { problems, .. }) =
            contextd_engine::Engine::open(&root, &Default::default(), &|_| None)
        else {
            panic!("{path} was taken")
        };
        assert!(
            problems.iter().any(|problem| problem.code == "CTX_E_CONFIG_STORAGE"
                && problem.message.contains(expected)),
            "{path}: {problems:?}"
        );
    }
    for path in ["cache/new", ".contextd/index"] {
        write(&root.join("context.toml"), format!("[storage]\npath = {path:?}\n").as_bytes());
        refresh(&root, 60_000);
        refresh(&root, 60_000);
    }
}

#[test]
fn a_pattern_that_cannot_be_read_is_an_error_with_the_others() {
    let place = tempfile::tempdir().unwrap();
    write(
        &place.path().join("context.toml"),
        b"[security]\nsecret_patterns = [\"(unclosed\"]\n[watcher]\ndebounce_ms = \"x\"\n",
    );
    let Err(contextd_engine::EngineError::Config { problems, .. }) =
        contextd_engine::Engine::open(place.path(), &Default::default(), &|_| None)
    else {
        panic!("it was taken")
    };
    assert_eq!(
        problems
            .iter()
            .filter(|problem| problem.severity == contextd_model::Severity::Error)
            .count(),
        2,
        "{problems:?}"
    );
}
