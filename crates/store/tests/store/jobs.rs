//! Jobs: one at a time, cancellable, and failed when their process is gone.

use crate::{child, sample};
use contextd_store::*;
use std::path::Path;

fn open(folder: &Path) -> SqliteLedger {
    SqliteLedger::open(&folder.join("ledger.db")).expect("opens").0
}

fn status(ledger: &SqliteLedger, job_id: &str) -> JobStatus {
    ledger.job(job_id).expect("reads").expect("is there").status
}

#[test]
fn a_job_lives_from_queue_to_end() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    let scope = JobScope::Paths(vec!["src/a \"b\"".to_owned(), "docs".to_owned()]);
    ledger.job_create(&NewJob { scope: scope.clone(), ..sample::job("one") }, 100).expect("queues");
    let refused = ledger.job_create(&sample::job("two"), 101).expect_err("one waits");
    assert!(matches!(&refused, StoreError::JobRunning { job_id } if job_id == "one"));
    ledger.job_create(&NewJob { exclusive: false, ..sample::job("beside") }, 102).expect("queues");
    assert_eq!(ledger.job_start("one", 110).expect("starts"), JobSignal::Continue);
    let progress = JobProgress {
        files_total: None,
        files_processed: 4,
        current_file: Some("src/x.rs".to_owned()),
    };
    assert_eq!(ledger.job_update("one", &progress, 120).expect("updates"), JobSignal::Continue);
    ledger.job_log("one", LogLevel::Info, "half way", 121).expect("logs");
    let job = ledger.job("one").expect("reads").expect("is there");
    assert_eq!(
        (job.status, &job.scope, job.progress.files_total),
        (JobStatus::InProgress, &scope, Some(10))
    );
    let outcome = JobOutcome::Completed { metrics: Some("{\"files\":10}".to_owned()) };
    ledger.job_finish("one", &outcome, 130).expect("finishes");
    let job = ledger.job("one").expect("reads").expect("is there");
    assert_eq!(
        (job.status, job.started_at, job.completed_at),
        (JobStatus::Completed, 100, Some(130))
    );
    ledger.job_create(&sample::job("two"), 140).expect("the way is free");
    let newest: Vec<_> =
        ledger.jobs(None, 2).expect("reads").into_iter().map(|job| job.job_id).collect();
    assert_eq!(newest, ["two", "beside"]);
    assert_eq!(ledger.jobs(Some(JobStatus::Completed), 9).expect("reads").len(), 1);
    assert_eq!(ledger.job_logs("one").expect("reads").len(), 1);
    assert_eq!(ledger.job_prune(0).expect("prunes"), 1);
    assert_eq!(ledger.job_logs("one").expect("reads"), []);
    assert!(matches!(ledger.job_finish("one", &outcome, 1), Err(StoreError::JobUnknown { .. })));
}

#[test]
fn cancelling_ends_a_queued_job_and_asks_a_running_one() {
    let mut ledger = SqliteLedger::in_memory().expect("opens");
    ledger.job_create(&sample::job("queued"), 1).expect("queues");
    assert!(ledger.job_cancel("queued", 2).expect("cancels"));
    assert_eq!(status(&ledger, "queued"), JobStatus::Cancelled);
    assert_eq!(ledger.job_start("queued", 3).expect("answers"), JobSignal::Cancel);
    ledger.job_create(&sample::job("running"), 4).expect("queues");
    ledger.job_start("running", 5).expect("starts");
    assert!(ledger.job_cancel("running", 6).expect("asks"));
    assert_eq!(status(&ledger, "running"), JobStatus::InProgress);
    assert_eq!(
        ledger.job_update("running", &JobProgress::default(), 7).expect("updates"),
        JobSignal::Cancel
    );
    ledger.job_finish("running", &JobOutcome::Cancelled, 8).expect("finishes");
    assert!(!ledger.job_cancel("running", 9).expect("answers"));
}

#[test]
fn jobs_of_a_dead_process_fail_on_opening() {
    let folder = tempfile::tempdir().expect("creates");
    let mut child = child::start("jobs::child_dies_with_a_job", folder.path(), 0);
    child.wait().expect("was ours");
    let mut ledger = open(folder.path());
    let job = ledger.job("orphan").expect("reads").expect("is there");
    assert_eq!(
        (job.status, job.error_message.as_deref(), job.completed_at),
        (JobStatus::Failed, Some("interrupted"), Some(42))
    );
    ledger.job_create(&sample::job("mine"), 50).expect("the orphan is not in the way");
    drop(ledger);
    assert_eq!(
        status(&open(folder.path()), "mine"),
        JobStatus::Queued,
        "its process, this one, runs"
    );
}

#[test]
#[ignore = "started by another test"]
fn child_dies_with_a_job() {
    let Some((folder, _)) = child::task() else {
        return;
    };
    let mut ledger = open(&folder);
    ledger.job_create(&sample::job("orphan"), 40).expect("queues");
    ledger.job_start("orphan", 42).expect("starts");
    std::process::abort();
}

#[test]
fn a_process_that_cannot_be_seen_fails_after_silence() {
    let folder = tempfile::tempdir().expect("creates");
    let mut ledger = open(folder.path());
    let owner = JobOwner { space: 12345, ..JobOwner::current() };
    ledger.job_create(&NewJob { owner, ..sample::job("far") }, 1_000).expect("queues");
    drop(ledger);
    let mut ledger = open(folder.path());
    assert_eq!(status(&ledger, "far"), JobStatus::Queued);
    assert_eq!(ledger.job_reap(1_500, 600).expect("reaps"), Vec::<String>::new());
    assert_eq!(ledger.job_reap(1_600, 600).expect("reaps"), ["far"]);
}
