//! The ledger's rows are those of the published snapshot, after a change as from nothing.

use crate::support;
use contextd_engine::Engine;
use contextd_store::{ChunkRecord, FileId, Ledger, SqliteLedger};
use std::collections::BTreeMap;
use std::path::Path;

/// What the ledger says of a file: counts, chunks, and links by path and kind.
type Rows = BTreeMap<String, ([u32; 4], Vec<ChunkRecord>, Vec<(String, String, u32)>)>;

fn rows(engine: &Engine) -> Rows {
    let ledger: SqliteLedger = engine.ledger().unwrap();
    let states = ledger.file_states().unwrap();
    let paths: BTreeMap<FileId, &str> =
        states.iter().map(|state| (state.file_id, state.record.path.as_str())).collect();
    let row = |state: &contextd_store::FileState| {
        let chunks =
            ledger.chunks(state.file_id).unwrap().into_iter().map(|chunk| chunk.record).collect();
        let mut links: Vec<(String, String, u32)> = ledger
            .links(state.file_id)
            .unwrap()
            .into_iter()
            .map(|link| (paths[&link.target].to_owned(), format!("{:?}", link.kind), link.count))
            .collect();
        links.sort();
        let record = &state.record;
        (
            record.path.clone(),
            ([record.lines, record.symbols, record.chunks, record.tokens], chunks, links),
        )
    };
    states.iter().map(row).collect()
}

fn fresh_rows(root: &Path) -> Rows {
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("copy");
    support::copy(root, &copy);
    support::refresh(&copy, 0);
    rows(&support::open(&copy))
}

#[test]
fn rows_follow_every_change() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    support::plant(root);
    support::refresh(root, 60_000);
    let first = rows(&support::open(root));
    let ([lines, symbols, chunks, tokens], records, links) = &first["shop/basket.py"];
    assert!(
        *lines == 15 && *symbols >= 5 && *chunks as usize == records.len() && *tokens > 0,
        "{first:?}"
    );
    assert!(
        links.iter().any(|(target, kind, _)| target == "shop/items.py" && kind == "Imports"),
        "{links:?}"
    );
    assert!(records.iter().all(|record| record.end > record.start && record.hash != [0; 8]));
    let edits: &[(&str, Option<&str>)] = &[
        (
            "shop/basket.py",
            Some(
                "from .items import Item\n\n\nclass Basket:\n    def add(self):\n        return Item('x')\n",
            ),
        ),
        ("shop/items.py", Some("class Item:\n    pass\n")),
        ("web/money.ts", None),
        ("shop/late.py", Some("from shop.items import Item\n\nItem()\n")),
    ];
    for (path, text) in edits {
        match text {
            Some(text) => support::write(&root.join(path), text.as_bytes()),
            None => std::fs::remove_file(root.join(path)).unwrap(),
        }
        support::refresh(root, 60_000);
        assert_eq!(rows(&support::open(root)), fresh_rows(root), "after {path}");
    }
}

#[test]
fn rows_that_a_killed_run_left_out_are_written_by_the_next() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    let expected = rows(&engine);
    let mut ledger = engine.ledger().unwrap();
    let file = ledger.file_state("shop/basket.py").unwrap().unwrap().file_id;
    ledger.set_meta("snapshot", None).unwrap();
    ledger.replace_chunks(&[contextd_store::FileChunks { file, chunks: Vec::new() }]).unwrap();
    drop(ledger);
    assert_ne!(rows(&engine), expected);
    assert!(!support::refresh(place.path(), 60_000).changed);
    assert_eq!(rows(&engine), expected);
}

#[test]
fn the_ledger_is_copied_when_asked_for_and_the_cache_is_kept_small() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::write(
        &place.path().join("context.toml"),
        b"[storage]\nbackup_enabled = true\nfacts_cache_max_mb = 16\n",
    );
    support::refresh(place.path(), 0);
    let engine = support::open(place.path());
    let (copy, problems) = SqliteLedger::open(&engine.places.ledger_backup()).unwrap();
    assert!(problems.is_empty());
    assert!(copy.file_state("shop/basket.py").unwrap().is_some());
}
