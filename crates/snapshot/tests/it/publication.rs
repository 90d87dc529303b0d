//! Readers see whole snapshots only, whatever the writer does and whenever it dies.

use crate::random::{File, Random, files};
use crate::snapshots::build;
use contextd_snapshot::{Snapshot, WriterLock, collect_garbage, current};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DIR: &str = "CONTEXTD_TEST_INDEX";

/// Every file of a generation says its number, and so does the graph.
fn generation(number: u32) -> Vec<File> {
    let mut files = files(&mut Random::new(7), 12);
    for file in &mut files {
        file.facts.lines = number;
        file.hash = contextd_model::ContentHash::of(
            &[file.path.as_bytes(), &number.to_le_bytes()].concat(),
        );
    }
    files
}

fn write_generations(dir: &Path, numbers: impl Iterator<Item = u32>) {
    let _lock = WriterLock::lock_wait(dir, Duration::from_secs(20))
        .unwrap()
        .expect("the lock of a dead writer is free");
    for number in numbers {
        let previous = current(dir).unwrap();
        build(dir, &generation(number), 4, number);
        collect_garbage(dir, previous.as_slice()).unwrap();
    }
}

/// Opens the snapshot and checks that all of it is of one generation, which it returns.
fn read_generation(dir: &Path) -> Option<u32> {
    let snapshot = Snapshot::open(dir).unwrap()?;
    let number = snapshot.graph().unresolved().next().unwrap();
    for file in 0..snapshot.file_count() {
        assert_eq!(snapshot.file(file).lines(), number);
    }
    assert_eq!(snapshot.file_count(), 12);
    snapshot.verify().unwrap();
    Some(number)
}

/// Not a test of its own: the writer that others start and kill.
#[test]
#[ignore = "started by other tests"]
fn writer_process() {
    let Some(dir) = std::env::var_os(DIR) else {
        return;
    };
    let start = read_generation(Path::new(&dir)).unwrap_or(0);
    write_generations(Path::new(&dir), start + 1..);
}

struct Writer(Child);

impl Writer {
    fn start(dir: &Path) -> Self {
        let program = std::env::current_exe().unwrap();
        let child = Command::new(program)
            .args(["--exact", "publication::writer_process", "--ignored", "--quiet"])
            .env(DIR, dir)
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn threads_see_whole_snapshots_while_a_writer_publishes() {
    let dir = tempfile::tempdir().unwrap();
    write_generations(dir.path(), 0..1);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut last = 0;
                    while !done.load(Ordering::Relaxed) {
                        let number = read_generation(dir.path()).unwrap();
                        assert!(number >= last, "time does not run backwards");
                        last = number;
                    }
                    last
                })
            })
            .collect();
        write_generations(dir.path(), 1..60);
        done.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| assert!(reader.join().unwrap() > 0));
    });
}

#[test]
fn a_killed_writer_leaves_a_whole_snapshot_and_a_free_lock() {
    let dir = tempfile::tempdir().unwrap();
    let mut last = 0;
    for round in 0..12 {
        let writer = Writer::start(dir.path());
        let started = Instant::now();
        // Wait for progress, then a little that differs from round to round, reading all the while.
        while read_generation(dir.path()).unwrap_or(0) <= last
            && started.elapsed() < Duration::from_secs(30)
        {}
        let more = Instant::now();
        while more.elapsed() < Duration::from_millis(3 * round) {
            read_generation(dir.path());
        }
        drop(writer);
        let number = read_generation(dir.path()).unwrap();
        assert!(number > last);
        last = number;
    }
    write_generations(dir.path(), last + 1..last + 2);
    assert_eq!(read_generation(dir.path()), Some(last + 1));
    collect_garbage(dir.path(), &[]).unwrap();
    let count = |folder: &str| std::fs::read_dir(dir.path().join(folder)).unwrap().count();
    assert_eq!((count("segments"), count("graph"), count("snapshots")), (4, 1, 1));
}
