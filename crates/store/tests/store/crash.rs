//! Killed at any moment, a database holds whole transactions, and all that were reported done.

use crate::{child, sample};
use contextd_store::{
    FactsCache, FileChunks, FileLinks, Ledger, LinkRecord, SqliteLedger, compress,
};
use std::path::Path;
use std::time::Duration;

// Sized so that the child spends its time inside transactions, where the kill should hit.
const FILES: usize = 200;
const LINKS: usize = 5;
const BATCH: u64 = 250;
const FACTS_LENGTH: usize = 80;

/// Returns a pause that differs from round to round and is the same in every run.
fn pause(round: u64) -> Duration {
    let noise = contextd_model::ContentHash::of(&round.to_le_bytes()).short();
    Duration::from_micros(noise % 40_000)
}

/// The child says how far it surely is in a file of its own, after the database said so.
fn reported(folder: &Path, name: &str) -> u64 {
    std::fs::read_to_string(folder.join(name)).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn report(folder: &Path, name: &str, number: u64) {
    std::fs::write(folder.join("next"), number.to_string()).expect("writes");
    std::fs::rename(folder.join("next"), folder.join(name)).expect("renames");
}

/// In every other round the kill comes after the first transactions, else maybe while opening.
#[test]
fn a_killed_writer_leaves_whole_transactions() {
    let folder = tempfile::tempdir().expect("creates");
    let (mut ledger_rounds, mut cache_rounds) = (0, 0);
    for round in 0..60 {
        let mut writer = child::start("crash::child_writes", folder.path(), round);
        if round % 2 == 1 {
            wait_for(folder.path(), "cache", cache_rounds + 1);
        }
        std::thread::sleep(pause(round));
        writer.kill().expect("may be killed");
        writer.wait().expect("was ours");
        ledger_rounds = check_ledger(folder.path(), ledger_rounds);
        cache_rounds = check_cache(folder.path(), cache_rounds);
    }
    assert!(ledger_rounds >= 30 && cache_rounds >= 30);
}

fn wait_for(folder: &Path, name: &str, number: u64) {
    let patience = (0..10_000).take_while(|_| reported(folder, name) < number);
    patience.for_each(|_| std::thread::sleep(Duration::from_millis(1)));
}

fn check_ledger(folder: &Path, before: u64) -> u64 {
    let (ledger, problems) = SqliteLedger::open(&folder.join("ledger.db")).expect("opens");
    assert_eq!(problems, []);
    assert_eq!(ledger.check().expect("reads"), Vec::<String>::new());
    let states = ledger.file_states().expect("reads");
    let version = states.first().map_or(0, |state| state.record.size);
    assert!(version >= before.max(reported(folder, "ledger")));
    assert_eq!(states.len(), if version == 0 { 0 } else { FILES });
    for state in &states {
        assert_eq!(state.record.size, version);
        let chunks = ledger.chunks(state.file_id).expect("reads");
        let starts: Vec<u32> = chunks.iter().map(|chunk| chunk.record.start).collect();
        assert!(
            starts.windows(2).all(|pair| pair[0] == pair[1]),
            "chunks of two transactions: {starts:?}"
        );
        let links = ledger.links(state.file_id).expect("reads");
        assert!(links.len() == LINKS || (links.is_empty() && version <= 1), "{}", links.len());
    }
    version
}

fn check_cache(folder: &Path, before: u64) -> u64 {
    let (cache, problems) = FactsCache::open(&folder.join("facts.db")).expect("opens");
    assert_eq!(problems, []);
    assert_eq!(cache.check().expect("reads"), Vec::<String>::new());
    let entries = cache.size().expect("reads").entries;
    assert_eq!(entries % BATCH, 0, "half a batch is there");
    assert!(entries / BATCH >= before.max(reported(folder, "cache")));
    let numbers = entries.saturating_sub(2 * BATCH)..entries;
    let found =
        cache.get_many(&numbers.clone().map(sample::key).collect::<Vec<_>>()).expect("reads");
    for (number, facts) in numbers.zip(found) {
        assert_eq!(facts, Some(sample::facts(number, FACTS_LENGTH)), "entry {number}");
    }
    entries / BATCH
}

#[test]
#[ignore = "started by another test"]
fn child_writes() {
    let Some((folder, _)) = child::task() else {
        return;
    };
    let (mut ledger, _) = SqliteLedger::open(&folder.join("ledger.db")).expect("opens");
    let (mut cache, _) = FactsCache::open(&folder.join("facts.db")).expect("opens");
    let mut version =
        ledger.file_states().expect("reads").first().map_or(0, |state| state.record.size);
    let mut batches = cache.size().expect("reads").entries / BATCH;
    loop {
        version += 1;
        write_ledger(&mut ledger, version);
        report(&folder, "ledger", version);
        let facts: Vec<_> = (batches * BATCH..(batches + 1) * BATCH)
            .map(|number| (sample::key(number), compress(&sample::facts(number, FACTS_LENGTH))))
            .collect();
        let entries: Vec<_> = facts.iter().map(|(key, packed)| (*key, &packed[..])).collect();
        cache.put_many(&entries).expect("writes");
        batches += 1;
        report(&folder, "cache", batches);
    }
}

fn write_ledger(ledger: &mut SqliteLedger, version: u64) {
    let mut files: Vec<_> =
        (0..FILES).map(|number| sample::file(&format!("{number}.rs"), 0)).collect();
    files.iter_mut().for_each(|file| file.size = version);
    let ids = ledger.replace_files(&files, &[]).expect("writes");
    let chunk = sample::chunk(version as u32);
    let chunks: Vec<_> =
        ids.iter().map(|file| FileChunks { file: *file, chunks: vec![chunk.clone(); 3] }).collect();
    ledger.replace_chunks(&chunks).expect("writes");
    let link = |target| LinkRecord {
        target,
        kind: contextd_model::EdgeKind::Calls,
        source_chunk: None,
        target_chunk: None,
        count: 1,
    };
    let targets: Vec<_> = ids.iter().take(LINKS).map(|id| link(*id)).collect();
    let links: Vec<_> =
        ids.iter().map(|source| FileLinks { source: *source, links: targets.clone() }).collect();
    ledger.replace_links(&links).expect("writes");
}
