//! What opening does with files that are new, old, foreign, damaged or encrypted.

use crate::sample;
use contextd_store::{
    EncryptionKey, FactsCache, Ledger, OpenOptions, SqliteLedger, StoreError, compress,
};
use rusqlite::Connection;
use std::fs;
use std::path::Path;

fn ledger_with_files(path: &Path, count: u64) -> SqliteLedger {
    let (mut ledger, problems) = SqliteLedger::open(path).expect("opens");
    assert_eq!(problems, []);
    let files: Vec<_> =
        (0..count).map(|number| sample::file(&format!("src/{number}.rs"), number)).collect();
    ledger.replace_files(&files, &[]).expect("writes");
    ledger
}

/// Damages a file, then checks that it is moved aside once and replaced by a working one.
fn check_recreated(damage: impl Fn(&Path), options: &OpenOptions) {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    drop(ledger_with_files(&path, 2000));
    damage(&path);
    let (mut ledger, problems) = SqliteLedger::open_with(&path, options).expect("opens");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].code, "CTX_W_STORE_RECREATED");
    assert!(folder.path().join("ledger.db.corrupt-1").exists());
    assert_eq!(ledger.file_states().expect("reads"), []);
    ledger.replace_files(&[sample::file("a.rs", 1)], &[]).expect("writes");
    drop(ledger);
    let (ledger, problems) = SqliteLedger::open_with(&path, options).expect("opens");
    assert_eq!(problems, []);
    assert_eq!(ledger.file_states().expect("reads").len(), 1);
}

#[test]
fn damaged_ledgers_are_moved_aside_and_recreated() {
    let quick = OpenOptions::default();
    check_recreated(
        |path| {
            fs::write(path, "no database at all, but long enough to hold a header".repeat(40))
                .expect("writes")
        },
        &quick,
    );
    check_recreated(
        |path| {
            fs::File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_len(8192))
                .expect("cuts")
        },
        &quick,
    );
}

#[test]
fn damage_deep_inside_is_found_by_a_full_check() {
    let scratch = |path: &Path| {
        let mut bytes = fs::read(path).expect("reads");
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle..middle + 4096].fill(0xAA);
        fs::write(path, bytes).expect("writes");
    };
    check_recreated(scratch, &OpenOptions { verify: true, ..OpenOptions::default() });
}

#[test]
fn damage_found_in_use_is_repaired_by_the_next_opening() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    drop(ledger_with_files(&path, 5000));
    let mut bytes = fs::read(&path).expect("reads");
    let length = bytes.len();
    bytes[length / 2..length / 4 * 3].fill(0xAA);
    fs::write(&path, bytes).expect("writes");
    let (ledger, problems) = SqliteLedger::open(&path).expect("the first pages are whole");
    assert_eq!(problems, []);
    assert!(matches!(ledger.file_states(), Err(StoreError::Corrupt { .. })));
    drop(ledger);
    let (ledger, problems) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(problems.len(), 1);
    assert_eq!(ledger.file_states().expect("reads"), []);
}

#[test]
fn a_damaged_cache_is_moved_aside_and_recreated() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("facts.db");
    fs::write(&path, [7; 5000]).expect("writes");
    let (mut cache, problems) = FactsCache::open(&path).expect("opens");
    assert_eq!(problems.len(), 1);
    cache.put_many(&[(sample::key(1), &compress(b"facts"))]).expect("writes");
    assert_eq!(cache.get_many(&[sample::key(1)]).expect("reads"), [Some(b"facts".to_vec())]);
}

#[test]
fn a_newer_or_foreign_file_is_left_alone() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    drop(ledger_with_files(&path, 1));
    Connection::open(&path).expect("opens").pragma_update(None, "user_version", 99).expect("sets");
    let error = SqliteLedger::open(&path).err().expect("refused");
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    assert!(error.remedy().contains("Update"));

    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign)
        .expect("opens")
        .execute_batch("CREATE TABLE theirs (a)")
        .expect("creates");
    let before = fs::read(&foreign).expect("reads");
    assert!(matches!(SqliteLedger::open(&foreign), Err(StoreError::Foreign { .. })));
    assert!(
        matches!(FactsCache::open(&path), Err(StoreError::Foreign { .. })),
        "a ledger is no cache"
    );
    assert_eq!(fs::read(&foreign).expect("reads"), before);
}

#[test]
#[cfg(not(feature = "sqlcipher"))]
fn a_ledger_for_much_has_large_pages_and_keeps_them() {
    let folder = tempfile::tempdir().expect("creates");
    for (much, size) in [(false, 1024), (true, 4096)] {
        let path = folder.path().join(format!("{much}.db"));
        for again in [much, !much] {
            let options = OpenOptions { much: again, ..OpenOptions::default() };
            drop(SqliteLedger::open_with(&path, &options).expect("opens"));
            let found: i64 = rusqlite::Connection::open(&path)
                .expect("opens")
                .pragma_query_value(None, "page_size", |row| row.get(0))
                .expect("reads");
            assert_eq!(found, size);
        }
    }
}

#[test]
#[cfg(not(feature = "sqlcipher"))]
fn a_key_without_encryption_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let options = OpenOptions { key: Some(EncryptionKey::new("secret")), ..OpenOptions::default() };
    let error = SqliteLedger::open_with(&path, &options).err().expect("refused");
    assert!(matches!(error, StoreError::NoEncryption { .. }));
    assert!(!format!("{error} {options:?}").contains("secret"));
    assert!(!path.exists());
    assert!(matches!(FactsCache::open_with(&path, &options), Err(StoreError::NoEncryption { .. })));
}

#[test]
#[cfg(feature = "sqlcipher")]
fn a_key_encrypts_and_a_wrong_one_is_refused() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let with =
        |key: &str| OpenOptions { key: Some(EncryptionKey::new(key)), ..OpenOptions::default() };
    let (mut ledger, _) = SqliteLedger::open_with(&path, &with("it's secret")).expect("opens");
    ledger.replace_files(&[sample::file("findme.rs", 1)], &[]).expect("writes");
    let copy = folder.path().join("copy.db");
    ledger.backup_to(&copy, 1).expect("copies");
    drop(ledger);
    for file in [&path, &copy] {
        let bytes = fs::read(file).expect("reads");
        assert!(!bytes.windows(9).any(|window| window == b"findme.rs"));
        let error = SqliteLedger::open_with(file, &with("other")).err().expect("refused");
        assert!(matches!(error, StoreError::WrongKey { .. }), "{error:?}");
        let (ledger, problems) =
            SqliteLedger::open_with(file, &with("it's secret")).expect("opens");
        assert_eq!(problems, []);
        assert_eq!(ledger.file_states().expect("reads").len(), 1);
    }
}

#[test]
fn many_processes_may_create_the_same_file_at_once() {
    let folder = tempfile::tempdir().expect("creates");
    let mut children: Vec<_> = (0..6)
        .map(|number| crate::child::start("opening::child_opens", folder.path(), number))
        .collect();
    for child in &mut children {
        assert!(child.wait().expect("was ours").success());
    }
    let (ledger, _) = SqliteLedger::open(&folder.path().join("ledger.db")).expect("opens");
    assert_eq!(ledger.file_states().expect("reads").len(), 6);
    assert!(!folder.path().join("ledger.db.corrupt-1").exists());
}

#[test]
#[ignore = "started by another test"]
fn child_opens() {
    let Some((folder, number)) = crate::child::task() else {
        return;
    };
    let (mut ledger, problems) = SqliteLedger::open(&folder.join("ledger.db")).expect("opens");
    assert_eq!(problems, []);
    ledger.replace_files(&[sample::file(&format!("{number}.rs"), 1)], &[]).expect("writes");
}

#[test]
fn a_short_log_is_left_for_the_next_opening_and_a_long_one_is_moved() {
    let folder = tempfile::tempdir().expect("creates");
    let (path, log) = (folder.path().join("ledger.db"), folder.path().join("ledger.db-wal"));
    let length = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let ledger = ledger_with_files(&path, 400);
    assert!(
        length(&log) > length(&path) && length(&log) < 256 << 10,
        "this tries a log that is short but outweighs its file"
    );
    drop(ledger);
    assert_eq!(length(&log), 0, "closing left a log that outweighs its file");
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    ledger.replace_files(&[sample::file("src/more.rs", 9)], &[]).expect("writes");
    drop(ledger);
    assert!(length(&log) > 0, "closing moved a short log");
    let before = length(&path);
    let (mut ledger, _) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(ledger.file_states().expect("reads").len(), 401);
    let files: Vec<_> =
        (0..5000).map(|number| sample::file(&format!("src/{number}.rs"), number)).collect();
    ledger.replace_files(&files, &[]).expect("writes");
    drop(ledger);
    assert_eq!(length(&log), 0, "closing left a long log");
    assert!(length(&path) > before);
    let (ledger, _) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(ledger.file_states().expect("reads").len(), 5001);
}

#[test]
fn a_new_file_is_put_in_place_whole() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    // Somebody was killed while making one.
    fs::write(folder.path().join("ledger.db.new"), [7; 100]).expect("writes");
    let (ledger, problems) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(problems, []);
    let bytes = fs::read(&path).expect("reads");
    assert_eq!(bytes[18..20], [2, 2], "the file says from the start that it has a log");
    let connection = Connection::open(&path).expect("opens");
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("reads");
    let found: String =
        connection.pragma_query_value(None, "quick_check", |row| row.get(0)).expect("reads");
    assert!(version > 0 && found == "ok", "{version} {found}");
    assert!(!folder.path().join("ledger.db.new").exists());
    drop(ledger);
}

#[test]
fn a_log_that_was_left_is_not_that_of_a_new_file() {
    let folder = tempfile::tempdir().expect("creates");
    let path = folder.path().join("ledger.db");
    let ledger = ledger_with_files(&path, 20);
    let left = fs::read(folder.path().join("ledger.db-wal")).expect("reads");
    drop(ledger);
    fs::remove_file(&path).expect("removes");
    fs::write(folder.path().join("ledger.db-wal"), left).expect("writes");
    let (ledger, problems) = SqliteLedger::open(&path).expect("opens");
    assert_eq!(problems, []);
    assert_eq!(ledger.file_states().expect("reads"), []);
}
