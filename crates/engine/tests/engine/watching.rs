//! A watch publishes what changes, and of two watches one writes.

use crate::support;
use contextd_engine::{WatchEnd, WatchNews};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// What a watch told so far: refreshes with a change, refreshes of others, failures; and whether it follows another.
#[derive(Default)]
struct Heard(Mutex<(u32, u32, Vec<String>)>, AtomicBool);

impl Heard {
    fn take(&self, news: WatchNews) {
        let mut heard = self.0.lock().unwrap();
        match news {
            WatchNews::Refreshed(refreshed) => heard.0 += u32::from(refreshed.changed),
            WatchNews::Followed(_) => heard.1 += 1,
            WatchNews::Failed(error) => heard.2.push(error.to_string()),
            WatchNews::Follows => self.1.store(true, Ordering::Relaxed),
            WatchNews::Problems(_) | WatchNews::TookOver => {}
        }
    }
}

fn watch(root: &Path, stop: &AtomicBool, heard: &Heard) -> WatchEnd {
    let engine = Arc::new(support::open(root));
    engine.watch(stop, &support::now, &mut |news| heard.take(news)).unwrap()
}

/// Ends a watch also when the test fails meanwhile.
struct Ends<'s>(&'s AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_found(root: &Path, name: &str) -> bool {
    support::open(root)
        .snapshot()
        .unwrap()
        .is_some_and(|snapshot| !snapshot.symbols_named(name).is_empty())
}

#[test]
fn changes_are_published_by_one_and_followed_by_the_other() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("tree");
    support::plant(&root);
    support::write(&root.join("context.toml"), b"[watcher]\ndebounce_ms = 20\n");
    let (stop_leader, stop_follower, leader, follower) =
        (AtomicBool::new(false), AtomicBool::new(false), Heard::default(), Heard::default());
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&root, &stop_leader, &leader));
        wait_for("the first snapshot", || leader.0.lock().unwrap().0 == 1);
        scope.spawn(|| watch(&root, &stop_follower, &follower));
        wait_for("the word that another one watches", || follower.1.load(Ordering::Relaxed));
        support::write(&root.join("shop/new.py"), b"def appeared(): pass\n");
        wait_for("an added file", || is_found(&root, "appeared"));
        std::fs::remove_file(root.join("shop/new.py")).unwrap();
        wait_for("a removed file", || !is_found(&root, "appeared"));
        support::write(&root.join("fresh/folder/deep.py"), b"def deeper(): pass\n");
        wait_for("a file in a new folder", || is_found(&root, "deeper"));
        support::write(&root.join(".contextignore"), b"fresh/\n");
        wait_for("an ignored folder", || !is_found(&root, "deeper"));
        wait_for("the news of the other", || follower.0.lock().unwrap().1 > 0);
        assert_eq!(support::difference_to_fresh(&root), None);
        stop_leader.store(true, Ordering::Relaxed);
        wait_for("the succession", || {
            support::write(&root.join("shop/late.py"), b"def inherited(): pass\n");
            is_found(&root, "inherited")
        });
        stop_follower.store(true, Ordering::Relaxed);
    });
    assert_eq!((&leader.0.lock().unwrap().2, &follower.0.lock().unwrap().2), (&vec![], &vec![]));
    assert!(!leader.1.into_inner(), "who writes follows nobody");
}

#[test]
fn a_changed_configuration_ends_the_watch() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::write(&place.path().join("context.toml"), b"[watcher]\ndebounce_ms = 20\n");
    let (stop, heard) = (AtomicBool::new(false), Heard::default());
    let end = std::thread::scope(|scope| {
        let watching = scope.spawn(|| watch(place.path(), &stop, &heard));
        wait_for("the first snapshot", || heard.0.lock().unwrap().0 == 1);
        support::write(&place.path().join("context.toml"), b"[watcher]\ndebounce_ms = 30\n");
        watching.join().unwrap()
    });
    assert_eq!(end, WatchEnd::ConfigChanged);
}

#[test]
fn after_the_index_is_removed_still_one_writes_and_the_other_follows() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("tree");
    support::plant(&root);
    support::write(&root.join("context.toml"), b"[watcher]\ndebounce_ms = 20\n");
    let (stop, leader, follower) = (AtomicBool::new(false), Heard::default(), Heard::default());
    std::thread::scope(|scope| {
        let _ends = Ends(&stop);
        scope.spawn(|| watch(&root, &stop, &leader));
        wait_for("the first snapshot", || leader.0.lock().unwrap().0 == 1);
        scope.spawn(|| watch(&root, &stop, &follower));
        wait_for("the word that another one watches", || follower.1.load(Ordering::Relaxed));
        support::open(&root).places.clean().unwrap();
        assert!(support::open(&root).snapshot().unwrap().is_none(), "the index is gone");
        // Longer than who follows takes to try for the lock again.
        std::thread::sleep(Duration::from_millis(1_500));
        support::write(&root.join("shop/new.py"), b"def appeared(): pass\n");
        wait_for("an added file", || is_found(&root, "appeared"));
        assert_eq!(support::difference_to_fresh(&root), None);
        wait_for("the news of the other", || follower.0.lock().unwrap().1 > 0);
    });
    assert_eq!(follower.0.lock().unwrap().0, 0, "who follows writes nothing");
}

#[test]
fn watches_of_a_root_that_is_removed_end_and_leave_it_removed() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("tree");
    support::plant(&root);
    let (stop, leader, follower) = (AtomicBool::new(false), Heard::default(), Heard::default());
    let watch = |heard: &Heard| {
        Arc::new(support::open(&root)).watch(&stop, &support::now, &mut |news| heard.take(news))
    };
    std::thread::scope(|scope| {
        let _ends = Ends(&stop);
        let first = scope.spawn(|| watch(&leader));
        wait_for("the first snapshot", || leader.0.lock().unwrap().0 == 1);
        let second = scope.spawn(|| watch(&follower));
        wait_for("the word that another one watches", || follower.1.load(Ordering::Relaxed));
        std::fs::remove_dir_all(&root).unwrap();
        assert!(matches!(first.join().unwrap(), Ok(WatchEnd::Gone)));
        assert_eq!(second.join().unwrap().unwrap_err().code(), "CTX_E_ROOT");
    });
    assert!(!root.exists());
}
