//! The workflows of a service that lives beside a project: index and edit, rebuild, rebuild a part, be safe.

use crate::support::{Shop, context, now};
use contextd_store::{JobOutcome, Ledger};
use contextd_testkit::Fixture;
use serde_json::json;
use std::time::{Duration, Instant};

/// A project of so many files in folders of a hundred.
fn project(files: usize) -> Fixture {
    let fixture = Fixture::empty();
    for number in 0..files {
        fixture.write(&format!("part{}/module_{number}.py", number / 100), &format!("def handler_{number}(request):\n    \"\"\"Handles request number {number}.\"\"\"\n    return request.path\n"));
    }
    fixture
}

#[test]
fn end_to_end_edits_show_in_the_next_answers() {
    let shop = Shop::open();
    let ask = |query: &str| shop.post("/query_context", &json!({"q": query, "k": 5})).1;
    let first = ask("give the money of a payment back");
    assert_eq!(first["hits"][0]["filePath"], "shop/payment.py", "{first}");
    assert!(first["hits"][0]["snippet"].as_str().unwrap().contains("def "), "{first}");

    let text = std::fs::read_to_string(shop.fixture.path("shop/payment.py")).unwrap();
    shop.fixture.write(
        "shop/payment.py",
        &text.replace("def refund(receipt: str) -> bool:", "def reimburse(receipt: str) -> bool:"),
    );
    let start = Instant::now();
    while shop.post("/v1/symbol", &json!({"name": "reimburse"})).0 != 200 {
        assert!(start.elapsed() < Duration::from_secs(20), "the edit does not show");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(shop.post("/v1/symbol", &json!({"name": "refund"})).0, 404);
    assert!(ask("reimburse the money of a payment").to_string().contains("def reimburse"));
}

#[test]
fn a_rebuild_is_announced_followed_and_leaves_everything_findable() {
    let shop = Shop::with(project(1_000), |_| {});
    let (_, plan) = shop
        .post("/v1/rebuild_context", &json!({"confirm": true, "options": {"validateOnly": true}}));
    assert_eq!(
        (
            plan["estimatedFiles"].as_u64(),
            plan["scope"].as_str(),
            plan["details"]["byLanguage"]["python"].as_u64()
        ),
        (Some(1_000), Some("full"), Some(1_000)),
        "{plan}"
    );
    assert_eq!(
        shop.post("/v1/get_rebuild_status", &json!({"jobId": plan["jobId"]})).0,
        404,
        "a dry run is no job"
    );
    let before = shop.post("/v1/status", &json!({})).1;

    let (status, job) = shop.post("/v1/rebuild_context", &json!({"confirm": true}));
    assert_eq!((status, job["status"].as_str()), (200, Some("queued")), "{job}");
    let done = shop.finished(&job);
    assert_eq!(
        (
            done["status"].as_str(),
            done["result"]["read"].as_u64(),
            done["progress"]["percentComplete"].as_f64()
        ),
        (Some("completed"), Some(1_000), Some(100.0)),
        "{done}"
    );
    let lines: Vec<&str> = done["logs"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|line| line["message"].as_str())
        .collect();
    assert!(
        lines.first() == Some(&"started")
            && lines.iter().any(|line| line.starts_with("reading"))
            && lines.last().unwrap().contains("1000"),
        "{lines:?}"
    );

    assert_eq!(shop.post("/v1/symbol", &json!({"name": "handler_777"})).0, 200);
    let after = shop.post("/v1/status", &json!({})).1;
    assert_eq!(
        before["indexSignature"], after["indexSignature"],
        "the same files give the same index"
    );
    // A log that was read from while the job ended is emptied another time.
    let is_small = || {
        shop.post("/v1/status", &json!({})).1["sizeBytes"].as_u64()
            < before["sizeBytes"].as_u64().map(|bytes| bytes * 2)
    };
    assert!(
        (0..100).any(|_| is_small() || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            false
        }),
        "{before} {after}"
    );
}

#[test]
fn a_partial_rebuild_reads_only_what_it_names() {
    let shop = Shop::with(project(300), |_| {});
    shop.post("/v1/status", &json!({}));
    let stamps = |folder: &str| {
        let files = context(&shop.fixture).engine.ledger().unwrap().file_states().unwrap();
        files
            .into_iter()
            .filter(|file| file.record.path.starts_with(folder))
            .map(|file| file.record.indexed_at)
            .collect::<Vec<_>>()
    };
    let (named, others) = (stamps("part1/"), stamps("part2/"));
    std::thread::sleep(Duration::from_millis(20));
    let (_, job) = shop.post(
        "/v1/rebuild_context",
        &json!({"confirm": true, "paths": ["part1/"], "async": false}),
    );
    assert_eq!(
        (job["status"].as_str(), job["scope"].as_str(), job["estimatedFiles"].as_u64()),
        (Some("completed"), Some("partial"), Some(100)),
        "{job}"
    );
    let state = shop.finished(&job);
    assert_eq!(state["result"]["read"], 100, "{state}");
    assert!(stamps("part1/").iter().zip(&named).all(|(after, before)| after > before));
    assert_eq!(stamps("part2/"), others);
}

#[test]
fn rebuilds_are_confirmed_single_and_cancelled_cleanly() {
    let shop = Shop::with(project(600), |_| {});
    shop.post("/v1/status", &json!({}));
    let (status, refused) = shop.post("/v1/rebuild_context", &json!({}));
    assert_eq!((status, refused["error"]["code"].as_str()), (400, Some("CTX_E_CONFIRM")));

    // A job of this process that goes on as long as the test wants.
    let engine = context(&shop.fixture).engine;
    let order = contextd_engine::RebuildOrder {
        job_id: "held".to_owned(),
        paths: Vec::new(),
        clear_errors: false,
        vacuum: false,
        files: None,
        created_by: "test".to_owned(),
    };
    engine.queue_rebuild(&order, now()).unwrap();
    let (status, busy) = shop.post("/v1/rebuild_context", &json!({"confirm": true}));
    assert_eq!((status, busy["error"]["code"].as_str()), (409, Some("CTX_E_BUSY")), "{busy}");
    engine.ledger().unwrap().job_finish("held", &JobOutcome::Cancelled, now()).unwrap();

    let before = shop.post("/v1/status", &json!({})).1["indexSignature"].clone();
    let (_, job) = shop.post("/v1/rebuild_context", &json!({"confirm": true}));
    let (_, asked) =
        shop.post("/v1/get_rebuild_status", &json!({"jobId": job["jobId"], "cancel": true}));
    assert!(asked["status"].is_string(), "{asked}");
    let done = shop.finished(&job);
    assert!(matches!(done["status"].as_str(), Some("cancelled" | "completed")), "{done}");
    assert_eq!(shop.post("/v1/status", &json!({})).1["indexSignature"], before);
    assert_eq!(shop.post("/v1/symbol", &json!({"name": "handler_42"})).0, 200);
    let (status, again) =
        shop.post("/v1/rebuild_context", &json!({"confirm": true, "async": false}));
    assert_eq!((status, again["status"].as_str()), (200, Some("completed")), "{again}");
}

#[test]
fn jobs_survive_a_restart_and_lost_rebuilds_are_repeated() {
    let fixture = project(50);
    let shop = Shop::with(fixture, |_| {});
    let (_, job) = shop.post("/v1/rebuild_context", &json!({"confirm": true, "async": false}));
    let Shop { fixture, server } = shop;
    server.stop().unwrap();
    // A rebuild whose process died: its owner is no longer there.
    let engine = context(&fixture).engine;
    let order = contextd_engine::RebuildOrder {
        job_id: "lost".to_owned(),
        paths: vec!["part0".to_owned()],
        clear_errors: false,
        vacuum: false,
        files: None,
        created_by: "test".to_owned(),
    };
    engine.queue_rebuild(&order, now()).unwrap();
    engine
        .ledger()
        .unwrap()
        .job_finish("lost", &JobOutcome::Failed { message: "interrupted".to_owned() }, now())
        .unwrap();

    let shop = Shop::with(fixture, |_| {});
    assert_eq!(
        shop.post("/v1/get_rebuild_status", &json!({"jobId": job["jobId"]})).1["status"],
        "completed"
    );
    let start = Instant::now();
    loop {
        let (_, list) = shop.post("/v1/get_rebuild_status", &json!({}));
        let again = list["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .find(|job| job["jobId"].as_str().unwrap().starts_with("rebuild-again"))
            .cloned();
        if let Some(again) = again.filter(|again| again["status"] == "completed") {
            assert_eq!(again["type"], "rebuild_partial");
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{list}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
