//! The facts cache: sharing, healing, age and size.

use crate::{child, sample};
use contextd_store::{FactsCache, FactsKey, compress};
use rusqlite::Connection;
use std::path::Path;

fn open(folder: &Path) -> FactsCache {
    let (cache, problems) = FactsCache::open(&folder.join("facts.db")).expect("opens");
    assert_eq!(problems, []);
    cache
}

fn put(cache: &mut FactsCache, numbers: impl Iterator<Item = u64>, length: usize) {
    let packed: Vec<_> = numbers
        .map(|number| (sample::key(number), compress(&sample::facts(number, length))))
        .collect();
    let entries: Vec<_> = packed.iter().map(|(key, packed)| (*key, &packed[..])).collect();
    cache.put_many(&entries).expect("writes");
}

fn keys(numbers: impl Iterator<Item = u64>) -> Vec<FactsKey> {
    numbers.map(sample::key).collect()
}

const PROCESSES: u64 = 3;
const EACH: u64 = 600;

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().expect("creates");
    let mut children: Vec<_> = (0..PROCESSES)
        .map(|number| child::start("cache::child_fills", folder.path(), number))
        .collect();
    for child in &mut children {
        assert!(child.wait().expect("was ours").success());
    }
    let cache = open(folder.path());
    let total = PROCESSES * EACH / 2 + EACH / 2;
    let found = cache.get_many(&keys(0..total)).expect("reads");
    for (number, facts) in (0..).zip(found) {
        assert_eq!(facts, Some(sample::facts(number, 500)), "entry {number}");
    }
    assert_eq!(cache.size().expect("reads").entries, total);
}

/// Half of what a process writes is written by its neighbour too.
#[test]
#[ignore = "started by another test"]
fn child_fills() {
    let Some((folder, number)) = child::task() else {
        return;
    };
    let mut cache = open(&folder);
    let first = number * EACH / 2;
    for start in (first..first + EACH).step_by(10) {
        put(&mut cache, start..start + 10, 500);
        let back = cache.get_many(&keys(start..start + 10)).expect("reads");
        assert!(back.iter().all(Option::is_some));
    }
}

#[test]
fn threads_read_while_one_writes() {
    let folder = tempfile::tempdir().expect("creates");
    let mut cache = open(folder.path());
    put(&mut cache, 0..200, 800);
    let readers: Vec<_> = (0..4).map(|_| cache.reader().expect("opens")).collect();
    std::thread::scope(|scope| {
        for reader in readers {
            scope.spawn(move || {
                for _ in 0..20 {
                    let found = reader.get_many(&keys(0..200)).expect("reads");
                    assert!(
                        (0..)
                            .zip(&found)
                            .all(|(number, facts)| facts.as_ref()
                                == Some(&sample::facts(number, 800)))
                    );
                }
            });
        }
        (200..400).step_by(10).for_each(|start| put(&mut cache, start..start + 10, 800));
    });
    assert_eq!(
        cache.contains_many(&keys(395..405)).expect("reads"),
        [[true; 5], [false; 5]].concat()
    );
}

#[test]
fn a_damaged_blob_reads_as_absent_and_heals() {
    let folder = tempfile::tempdir().expect("creates");
    let mut cache = open(folder.path());
    put(&mut cache, 0..3, 900);
    let raw = Connection::open(folder.path().join("facts.db")).expect("opens");
    raw.execute("UPDATE blobs SET data = zeroblob(length(data)) WHERE blob_id = 2", [])
        .expect("writes");
    raw.execute("DELETE FROM blobs WHERE blob_id = 3", []).expect("writes");
    let found = cache.get_many(&keys(0..3)).expect("reads");
    assert_eq!(found, [Some(sample::facts(0, 900)), None, None]);
    put(&mut cache, 0..3, 900);
    assert!(cache.get_many(&keys(0..3)).expect("reads").iter().all(Option::is_some));
    let blobs: i64 =
        raw.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).expect("reads");
    assert_eq!(blobs, 3);
}

/// A page that is damaged loses what lies on it, nothing else; no call fails.
#[test]
fn a_damaged_page_reads_as_absent() {
    let folder = tempfile::tempdir().expect("creates");
    let mut cache = open(folder.path());
    put(&mut cache, 0..200, 3_000);
    let path = folder.path().join("facts.db");
    let raw = Connection::open(&path).expect("opens");
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("checkpoints");
    let mut bytes = std::fs::read(&path).expect("reads");
    let (start, end) = (bytes.len() / 3, bytes.len() / 2);
    bytes[start..end].fill(0xa5);
    std::fs::write(&path, bytes).expect("writes");
    // What was damaged after the cache was opened is met when it is read.
    let reader = cache.reader().expect("opens");
    let found = reader.get_many(&keys(0..200)).expect("a miss, not an error");
    assert!(found.iter().any(Option::is_none));
    for (number, facts) in found.iter().enumerate() {
        assert!(facts.is_none() || facts == &Some(sample::facts(number as u64, 3_000)));
    }
    reader.contains_many(&keys(0..200)).expect("a miss, not an error");
}

#[test]
fn the_extractor_is_part_of_the_key() {
    let folder = tempfile::tempdir().expect("creates");
    let mut cache = open(folder.path());
    let (old, new) = (sample::key(1), FactsKey { extractor: 77, ..sample::key(1) });
    cache.put_many(&[(old, &compress(b"old"))]).expect("writes");
    assert_eq!(cache.get_many(&[old, new]).expect("reads"), [Some(b"old".to_vec()), None]);
}

#[test]
fn what_was_not_used_for_longest_goes_first_and_the_file_shrinks() {
    let folder = tempfile::tempdir().expect("creates");
    let mut cache = open(folder.path());
    put(&mut cache, 0..1000, 4000);
    cache.advance().expect("writes");
    put(&mut cache, 1000..1500, 4000);
    cache.touch(&keys((0..1000).step_by(4))).expect("writes");
    cache.evict(u64::MAX).expect("keeps all");
    let full = cache.size().expect("reads");
    assert_eq!(full.entries, 1500);

    let limit = full.file_bytes * 6 / 10;
    let removed = cache.evict(limit).expect("evicts");
    let left = cache.size().expect("reads");
    assert_eq!(left.entries as usize, 1500 - removed);
    assert!(left.file_bytes <= limit + 200_000, "{} > {limit}", left.file_bytes);
    assert!(left.file_bytes >= limit / 2, "too much is gone: {}", left.file_bytes);
    let touched = cache.contains_many(&keys((0..1000).step_by(4))).expect("reads");
    assert!(touched.iter().all(|there| *there), "an entry in use was evicted");
    let young = cache.contains_many(&keys(1000..1500)).expect("reads");
    assert!(young.iter().all(|there| *there));
    assert_eq!(cache.check().expect("reads"), Vec::<String>::new());

    cache.evict(0).expect("evicts");
    assert_eq!(cache.size().expect("reads").entries, 0);
}
