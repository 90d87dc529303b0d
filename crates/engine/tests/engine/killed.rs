//! A process killed at any point leaves an index from which the next one continues to the same root.

use crate::support::{self, BODIES};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROOT: &str = "CONTEXTD_TEST_KILLED_ROOT";

/// Rounds by default, and the variable that asks for more.
const ROUNDS: (u64, &str) = (30, "CONTEXTD_KILL_ROUNDS");

/// Not a test of its own: what the process does that gets killed.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn victim() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else { return };
    // Shard by shard there are more places to be killed at; the runs that follow read as usual.
    support::refresh_by_shards(&root, 60_000);
}

fn spawn(root: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "killed::victim", "--ignored"])
        .env(ROOT, root)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Numbers that look random and are the same in every run.
fn noise(round: u64) -> u64 {
    let mixed = (round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

#[test]
fn a_killed_process_is_continued_to_the_same_root() {
    let rounds =
        std::env::var(ROUNDS.1).ok().and_then(|text| text.parse().ok()).unwrap_or(ROUNDS.0);
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("tree");
    support::plant(&root);
    let started = Instant::now();
    assert!(spawn(&root).wait().unwrap().success());
    let whole = started.elapsed().max(Duration::from_millis(20));
    std::fs::remove_dir_all(root.join(".contextd")).unwrap();
    for round in 0..rounds {
        let mut child = spawn(&root);
        std::thread::sleep(whole.mul_f64((noise(round) % 1000) as f64 / 900.0));
        let _ = child.kill();
        child.wait().unwrap();
        if let Some(snapshot) = support::open(&root).snapshot().unwrap() {
            snapshot.verify().unwrap();
        }
        if round % 3 == 2 {
            let path = root.join(format!("shop/part{}.py", noise(round) % 5));
            support::write(&path, BODIES[(noise(round) >> 8) as usize % BODIES.len()].as_bytes());
        }
        if round % 10 == 9 {
            support::refresh(&root, 60_000);
            assert_eq!(support::difference_to_fresh(&root), None, "after {} kills", round + 1);
        }
    }
    support::refresh(&root, 60_000);
    assert_eq!(support::difference_to_fresh(&root), None);
}
