//! The same bytes from every process: other threads, another folder, files that came in another order.

use crate::sandbox::Sandbox;
use contextd_testkit::Fixture;
use std::path::Path;
use std::process::Command;

/// Copies the files of a fixture in an order that the number picks.
fn copy(fixture: &Fixture, folder: &Path, number: usize) {
    let mut paths = [
        "shop/cart.py",
        "shop/checkout.py",
        "shop/payment.py",
        "tests/test_checkout.py",
        "web/session.ts",
        "tools/src/main.rs",
        "docs/payments.md",
    ];
    paths.rotate_left(number % 7);
    if number % 2 == 1 {
        paths.reverse();
    }
    for path in paths {
        let target = folder.join(path);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(fixture.path(path), target).unwrap();
    }
}

fn run(root: &Path, home: &Path, threads: usize, words: &[&str]) -> Vec<u8> {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("contextd"));
    command
        .args(words)
        .arg("--repo")
        .arg(root)
        .env("HOME", home)
        .env("RAYON_NUM_THREADS", threads.to_string())
        .env("PATH", "");
    // What a locale or a zone could change.
    let (locale, zone) =
        if threads.is_multiple_of(2) { ("C", "UTC") } else { ("tr_TR.UTF-8", "Asia/Kathmandu") };
    command.env("LC_ALL", locale).env("TZ", zone);
    for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    steady(output.stdout)
}

/// Takes out the one field that tells the time, as `createdAt` of a stored pack does.
fn steady(bytes: Vec<u8>) -> Vec<u8> {
    match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(mut value) if value.get("generated_at").is_some() => {
            value["generated_at"] = serde_json::Value::Null;
            value.to_string().into_bytes()
        }
        _ => bytes,
    }
}

#[test]
fn processes_folders_threads_and_orders_give_the_same_bytes() {
    let (fixture, home, places) =
        (Fixture::shop(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let asked: &[&[&str]] = &[
        &["task", "charge the card at checkout", "--format", "json"],
        &["task", "charge the card at checkout", "--format", "text", "--budget", "700"],
        &["search", "where do sessions expire", "--json"],
        &["files", "shop/payment.py", "--format", "gcf"],
        &["codegraph", "checkout", "--json"],
        &["export", "edges"],
    ];
    let mut expected: Vec<Vec<u8>> = Vec::new();
    for number in 0..8 {
        // The folder's name is part of what a pack is of; its place is not.
        let root = places.path().join(format!("place {number}")).join("shop");
        copy(&fixture, &root, number);
        let answers: Vec<Vec<u8>> =
            asked.iter().map(|words| run(&root, home.path(), number + 1, words)).collect();
        if expected.is_empty() {
            // A second process answers from what the first one left, and from nothing.
            let again: Vec<Vec<u8>> =
                asked.iter().map(|words| run(&root, home.path(), 2, words)).collect();
            assert!(again == answers, "a second process");
            expected = answers;
            continue;
        }
        for (at, (one, two)) in expected.iter().zip(&answers).enumerate() {
            assert!(
                one == two,
                "{:?} on {} threads:\n{}\n{}",
                asked[at],
                number + 1,
                String::from_utf8_lossy(one),
                String::from_utf8_lossy(two)
            );
        }
    }
}

#[test]
fn what_another_process_is_taking_in_is_waited_for() {
    let shop = Sandbox::shop();
    shop.run(&["index"]);
    let lock = contextd_snapshot::WriterLock::try_lock(&shop.fixture.path(".contextd/index"))
        .unwrap()
        .expect("nobody else writes");
    std::fs::write(shop.fixture.path("shop/late.py"), "def gather_latecomers():\n    return 1\n")
        .unwrap();
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| shop.run(&["symbol", "gather_latecomers"]));
        // Longer than a question waits without a word.
        std::thread::sleep(std::time::Duration::from_millis(600));
        assert!(!asking.is_finished(), "it did not wait");
        drop(lock);
        asking.join().unwrap()
    });
    let said = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(
        answer.status.success() && String::from_utf8_lossy(&answer.stdout).contains("shop/late.py"),
        "{answer:?}"
    );
    assert!(said.contains("waiting for it") && !said.contains("last snapshot"), "{said}");
}

#[test]
fn an_index_that_cannot_be_written_still_answers() {
    let shop = Sandbox::shop();
    shop.run(&["index"]);
    // Permissions do not stop an administrator; a folder in the place of a file stops everybody.
    let lock = shop.fixture.path(".contextd/index/lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    std::fs::write(shop.fixture.path("shop/late.py"), "def gather_latecomers():\n    return 1\n")
        .unwrap();
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let answer = shop.run(&["symbol", "Cart", "--quiet"]);
    assert!(
        answer.status.success() && String::from_utf8_lossy(&answer.stdout).contains("shop/cart.py"),
        "{answer:?}"
    );
    assert!(
        said(&answer).contains("index/lock") && said(&answer).contains("from the last snapshot"),
        "{}",
        said(&answer)
    );
    // A check must not pass by what was, and programs are not told what was.
    for words in [
        &["docs", "check"][..],
        &["export", "symbols"],
        &["tests", "shop/cart.py", "--format", "pytest"],
    ] {
        let refused = shop.run(words);
        assert!(
            !refused.status.success() && said(&refused).contains("index/lock"),
            "{words:?}: {refused:?}"
        );
    }
    // Who asks for nothing but writing is told why not, once, and what to do.
    let index = shop.run(&["index"]);
    assert!(
        !index.status.success()
            && said(&index).contains("storage.path")
            && said(&index).matches("os error").count() == 1,
        "{}",
        said(&index)
    );
}
