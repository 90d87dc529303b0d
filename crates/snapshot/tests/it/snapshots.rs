use crate::random::{File, Random, files, freeze};
use contextd_model::ContentHash;
use contextd_model::graph::EdgeRow;
use contextd_snapshot::{
    Durability, GraphWriter, Manifest, SegmentEntry, Snapshot, SnapshotName, Tree, TreeFile,
    collect_garbage, publish, segment_key, shard_of,
};
use std::path::Path;

/// Writes and publishes a snapshot of `files` in `shards` shards; its graph has one edge a symbol.
pub fn build(dir: &Path, files: &[File], shards: u32, unresolved: u32) -> SnapshotName {
    let mut segments = Vec::new();
    for shard in 0..shards {
        let own: Vec<&File> =
            files.iter().filter(|file| shard_of(&file.path, shards) == shard).collect();
        let key = segment_key(
            "1",
            own.iter().map(|file| (file.path.as_str(), file.hash, file.facts.language)),
        );
        let mut writer = contextd_snapshot::SegmentWriter::default();
        for file in own {
            writer.push(contextd_snapshot::SegmentFile {
                path: &file.path,
                hash: file.hash,
                facts: &file.facts,
            });
        }
        let image = writer.finish();
        image.write(dir, key, Durability::Fast).unwrap();
        segments.push(SegmentEntry::new(key, &image.counts));
    }
    let symbols = segments.iter().map(|entry| entry.symbols).sum();
    let mut graph = GraphWriter::new(symbols);
    (0..symbols)
        .for_each(|symbol| graph.push(&[EdgeRow { target: symbol / 2, ..EdgeRow::default() }]));
    graph.unresolved(&[unresolved]);
    let graph = graph.finish(|_, _| Vec::new());
    graph.write(dir, Durability::Fast).unwrap();
    let tree_files: Vec<_> = files
        .iter()
        .map(|file| TreeFile {
            path: &file.path,
            hash: file.hash,
            language: file.facts.language,
            package: "p",
        })
        .collect();
    let manifest = Manifest {
        extractor: "1".into(),
        config: ContentHash::default(),
        tree: Tree::of(&tree_files),
        segments,
        graph: graph.key,
        edges: graph.edges,
    };
    publish(dir, &manifest, Durability::Fast).unwrap()
}

#[test]
fn global_numbers_lead_to_files_and_symbols() {
    let files = files(&mut Random::new(11), 40);
    let dir = tempfile::tempdir().unwrap();
    let name = build(dir.path(), &files, 8, 0);
    let snapshot = Snapshot::open(dir.path()).unwrap().unwrap();
    assert_eq!(snapshot.name(), name);
    assert_eq!(snapshot.file_count() as usize, files.len());
    assert_eq!(
        snapshot.symbol_count() as usize,
        files.iter().map(|file| file.facts.symbols.len()).sum::<usize>()
    );
    assert_eq!(
        snapshot.cell_count() as usize,
        files.iter().map(|file| file.facts.text.cells.len()).sum::<usize>()
    );
    assert_eq!(snapshot.manifest().tree.packages[0].files, 40);
    for file in &files {
        let number = snapshot.find_file(&file.path).unwrap();
        let found = snapshot.file(number);
        assert_eq!(
            (found.path(), found.hash(), found.number()),
            (file.path.as_str(), file.hash, number)
        );
        let symbols = snapshot.symbols_of_file(number);
        assert_eq!(symbols.len(), file.facts.symbols.len());
        for (symbol, row) in symbols.zip(&file.facts.symbols) {
            let found = snapshot.symbol(symbol);
            assert_eq!(snapshot.file_of(symbol), number);
            assert_eq!(
                (found.name(), found.path(), found.number()),
                (file.facts.str(row.name), file.path.as_str(), symbol)
            );
            assert_eq!(found.qualified(), file.facts.str(row.qualified));
            assert_eq!(found.signature(), file.facts.str(row.signature));
            assert!(snapshot.symbols_named(found.name()).contains(&symbol));
        }
        assert_eq!(snapshot.cells_of_file(number).len(), file.facts.text.cells.len());
    }
    assert_eq!(snapshot.find_file("nowhere"), None);
    let mut by_segment = vec![(0, 0); snapshot.segments().len()];
    let rows = by_segment.iter_mut().collect();
    snapshot.fill_segments(rows, |number, segment, row, _: &mut ()| {
        *row = (number, segment.symbol_count());
    });
    assert_eq!(by_segment.iter().map(|(_, count)| count).sum::<u32>(), snapshot.symbol_count());
    assert!(by_segment.iter().enumerate().all(|(at, (number, _))| at == *number));
    assert_eq!(snapshot.totals().symbols, snapshot.symbol_count());
    let past = snapshot.symbol(u32::MAX);
    assert_eq!((past.name(), past.path().is_empty(), past.parent()), ("", false, None));
    snapshot.verify().unwrap();
}

#[test]
fn prefixes_are_listed_by_name_over_all_segments() {
    let files = files(&mut Random::new(5), 60);
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &files, 4, 0);
    let snapshot = Snapshot::open(dir.path()).unwrap().unwrap();
    let all = snapshot.symbols_with_prefix("ge", usize::MAX);
    let names: Vec<String> =
        all.iter().map(|&symbol| snapshot.symbol(symbol).name().to_lowercase()).collect();
    assert!(
        names.len() > 20 && names.is_sorted() && names.iter().all(|name| name.starts_with("ge"))
    );
    assert_eq!(snapshot.symbols_with_prefix("GE", 7), all[..7]);
}

#[test]
fn nothing_and_other_versions_read_as_absent() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Snapshot::open(dir.path()).unwrap().is_none());
    assert!(Snapshot::open(&dir.path().join("missing")).unwrap().is_none());
    let name = build(dir.path(), &files(&mut Random::new(1), 2), 1, 0);
    let path = dir.path().join("snapshots").join(name.0.to_hex());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = bytes[8].wrapping_add(1);
    std::fs::write(&path, bytes).unwrap();
    assert!(Snapshot::open(dir.path()).unwrap().is_none());
    std::fs::write(dir.path().join("CURRENT"), b"\xff\xfe garbage").unwrap();
    assert!(Snapshot::open(dir.path()).unwrap().is_none());
}

#[test]
fn a_missing_part_is_named_with_its_remedy() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &files(&mut Random::new(1), 2), 1, 0);
    std::fs::remove_dir_all(dir.path().join("graph")).unwrap();
    let error = Snapshot::open(dir.path()).unwrap_err();
    assert!(
        error.is_missing()
            && error.code() == "CTX_E_INDEX_IO"
            && error.to_string().contains("graph"),
        "{error}"
    );
}

#[test]
fn garbage_goes_and_what_is_kept_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two, three) = (
        files(&mut Random::new(1), 9),
        files(&mut Random::new(2), 9),
        files(&mut Random::new(3), 9),
    );
    build(dir.path(), &one, 2, 1);
    let kept = build(dir.path(), &two, 2, 2);
    let held = Snapshot::open(dir.path()).unwrap().unwrap();
    build(dir.path(), &three, 2, 3);
    std::fs::write(dir.path().join("segments").join(".writing-1.1"), b"left behind").unwrap();
    let count = |folder: &str| std::fs::read_dir(dir.path().join(folder)).unwrap().count();
    assert_eq!(collect_garbage(dir.path(), &[kept]).unwrap().files, 2 + 1 + 1 + 1);
    assert_eq!((count("segments"), count("graph"), count("snapshots")), (4, 2, 2));
    Snapshot::open_named(dir.path(), kept).unwrap().verify().unwrap();
    collect_garbage(dir.path(), &[]).unwrap();
    assert_eq!((count("segments"), count("graph"), count("snapshots")), (2, 1, 1));
    assert!(Snapshot::open_named(dir.path(), kept).is_err());
    // A reader that has it mapped goes on reading.
    held.verify().unwrap();
    assert_eq!(held.find_file(&two[0].path).map(|file| held.file(file).hash()), Some(two[0].hash));
}

#[test]
fn the_signature_is_of_content_and_versions() {
    let dir = tempfile::tempdir().unwrap();
    let mut all = files(&mut Random::new(1), 9);
    let signature = |all: &[File], shards| {
        build(dir.path(), all, shards, 1);
        Snapshot::open(dir.path()).unwrap().unwrap().index_signature()
    };
    let first = signature(&all, 2);
    assert_eq!(signature(&all, 4), first);
    all[0].hash = ContentHash::of(b"edited");
    assert_ne!(signature(&all, 2), first);
    assert_eq!(freeze(&all).counts.files, 9);
}
