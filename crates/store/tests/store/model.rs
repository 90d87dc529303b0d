//! Any sequence of changes leaves the ledger equal to plain maps.

use crate::sample;
use contextd_model::EdgeKind;
use contextd_store::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A file, and the target, kind and count of its links.
type LinksOf = (u8, Vec<(u8, u8, u32)>);

#[derive(Clone, Debug)]
enum Change {
    Files { changed: Vec<(u8, u64)>, removed: Vec<u8> },
    Chunks(Vec<(u8, Vec<u32>)>),
    Links(Vec<LinksOf>),
    Errors(Vec<(u8, bool)>),
    ClearErrors(u8),
    ClearFolder(u8),
    Meta(u8, Option<u8>),
    Vacuum,
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    let file = 0u8..12;
    let chunks = prop::collection::vec((file.clone(), prop::collection::vec(0u32..9, 0..4)), 0..4);
    let links = prop::collection::vec(
        (file.clone(), prop::collection::vec((0u8..12, 0u8..28, 1u32..5), 0..6)),
        0..4,
    );
    prop_oneof![
        4 => (prop::collection::vec((file.clone(), 0u64..5), 0..6), prop::collection::vec(file.clone(), 0..3))
            .prop_map(|(changed, removed)| Change::Files { changed, removed }),
        3 => chunks.prop_map(Change::Chunks),
        3 => links.prop_map(Change::Links),
        1 => prop::collection::vec((file.clone(), any::<bool>()), 0..4).prop_map(Change::Errors),
        1 => file.clone().prop_map(Change::ClearErrors),
        1 => (0u8..3).prop_map(Change::ClearFolder),
        1 => (0u8..3, prop::option::of(any::<u8>())).prop_map(|(key, value)| Change::Meta(key, value)),
        1 => Just(Change::Vacuum),
        1 => Just(Change::Reopen),
    ]
}

/// Four files in each of three folders.
fn path(number: u8) -> String {
    format!("folder{}/{number}.rs", number / 4)
}

type Link = (u8, u8);

#[derive(Debug, Default)]
struct Model {
    files: BTreeMap<u8, FileRecord>,
    chunks: BTreeMap<u8, Vec<ChunkRecord>>,
    links: BTreeMap<u8, BTreeMap<Link, u32>>,
    errors: BTreeMap<(String, String), u32>,
    meta: BTreeMap<String, String>,
}

impl Model {
    fn forget(&mut self, file: u8) {
        self.files.remove(&file);
        self.chunks.remove(&file);
        self.links.remove(&file);
        self.links.values_mut().for_each(|links| links.retain(|(target, _), _| *target != file));
    }
}

fn id(ledger: &SqliteLedger, file: u8) -> FileId {
    ledger.file_ids(&[&path(file)]).expect("reads")[0].expect("is known")
}

fn apply(ledger: &mut SqliteLedger, model: &mut Model, change: &Change) {
    match change {
        Change::Files { changed, removed } => {
            let records: Vec<_> = changed
                .iter()
                .map(|(file, version)| sample::file(&path(*file), *version))
                .collect();
            let ids = ledger
                .replace_files(
                    &records,
                    &removed.iter().map(|file| path(*file)).collect::<Vec<_>>(),
                )
                .expect("writes");
            removed.iter().for_each(|file| model.forget(*file));
            for ((file, _), record) in changed.iter().zip(records) {
                model.files.insert(*file, record);
            }
            let expected: Vec<_> = changed.iter().map(|(file, _)| id(ledger, *file)).collect();
            assert_eq!(ids, expected);
        }
        Change::Chunks(files) => {
            let known = files.iter().filter(|(file, _)| model.files.contains_key(file));
            let records: Vec<(u8, Vec<_>)> = known
                .map(|(file, versions)| {
                    (*file, versions.iter().map(|version| sample::chunk(*version)).collect())
                })
                .collect();
            let writes: Vec<_> = records
                .iter()
                .map(|(file, chunks)| FileChunks {
                    file: id(ledger, *file),
                    chunks: chunks.clone(),
                })
                .collect();
            ledger.replace_chunks(&writes).expect("writes");
            model.chunks.extend(records);
        }
        Change::Links(files) => apply_links(ledger, model, files),
        Change::Errors(errors) => {
            let name = |kind: bool| if kind { "io" } else { "parse" }.to_owned();
            let records: Vec<_> = errors
                .iter()
                .map(|(file, kind)| ErrorRecord {
                    file_path: path(*file),
                    error_type: name(*kind),
                    error_message: "m".to_owned(),
                    stack_trace: None,
                    occurred_at: 0,
                })
                .collect();
            ledger.record_errors(&records).expect("writes");
            for (file, kind) in errors {
                model
                    .errors
                    .entry((path(*file), name(*kind)))
                    .and_modify(|retries| *retries += 1)
                    .or_insert(0);
            }
        }
        Change::ClearErrors(file) => {
            ledger.clear_errors(Some(&[path(*file)])).expect("writes");
            model.errors.retain(|(error_path, _), _| *error_path != path(*file));
        }
        Change::ClearFolder(folder) => {
            let scope = JobScope::Paths(vec![format!("folder{folder}")]);
            let cleared = ledger.clear_files(&scope, false).expect("writes");
            let gone: Vec<u8> =
                model.files.keys().copied().filter(|file| file / 4 == *folder).collect();
            assert_eq!(cleared, gone.len());
            gone.into_iter().for_each(|file| model.forget(file));
        }
        Change::Meta(key, value) => {
            let (key, value) = (key.to_string(), value.map(|value| value.to_string()));
            ledger.set_meta(&key, value.as_deref()).expect("writes");
            match value {
                Some(value) => model.meta.insert(key, value),
                None => model.meta.remove(&key),
            };
        }
        Change::Vacuum => ledger.vacuum().expect("writes"),
        Change::Reopen => {}
    }
}

fn apply_links(ledger: &mut SqliteLedger, model: &mut Model, files: &[LinksOf]) {
    let mut writes = Vec::new();
    for (source, links) in files.iter().filter(|(file, _)| model.files.contains_key(file)) {
        let known: Vec<_> =
            links.iter().filter(|(target, _, _)| model.files.contains_key(target)).collect();
        let records = known.iter().map(|(target, kind, count)| LinkRecord {
            target: id(ledger, *target),
            kind: EdgeKind::from_byte(*kind),
            source_chunk: None,
            target_chunk: ChunkId::new(id(ledger, *target), 0),
            count: *count,
        });
        writes.push(FileLinks { source: id(ledger, *source), links: records.collect() });
        let sums = model.links.entry(*source).or_default();
        sums.clear();
        known
            .iter()
            .for_each(|(target, kind, count)| *sums.entry((*target, *kind)).or_default() += count);
    }
    ledger.replace_links(&writes).expect("writes");
}

fn check_equal(ledger: &SqliteLedger, model: &Model) {
    let states = ledger.file_states().expect("reads");
    let mut expected: Vec<_> = model.files.values().cloned().collect();
    expected.sort_by(|left, right| left.path.cmp(&right.path));
    assert_eq!(states.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), expected);
    for file in model.files.keys() {
        let file_id = id(ledger, *file);
        let chunks: Vec<_> =
            ledger.chunks(file_id).expect("reads").into_iter().map(|chunk| chunk.record).collect();
        assert_eq!(chunks, model.chunks.get(file).cloned().unwrap_or_default());
        let links = ledger.links(file_id).expect("reads").into_iter();
        let links: BTreeMap<_, _> =
            links.map(|link| ((link.target, link.kind as u8), link.count)).collect();
        let expected = model.links.get(file).into_iter().flatten();
        let expected: BTreeMap<_, _> = expected
            .map(|((target, kind), count)| ((id(ledger, *target), *kind), *count))
            .collect();
        assert_eq!(links, expected);
    }
    let errors = ledger.errors().expect("reads").into_iter();
    let errors: BTreeMap<_, _> = errors
        .map(|error| ((error.record.file_path, error.record.error_type), error.retry_count))
        .collect();
    assert_eq!(errors, model.errors);
    for key in ["0", "1", "2"] {
        assert_eq!(ledger.meta(key).expect("reads"), model.meta.get(key).cloned());
    }
    let stats = ledger.stats().expect("reads");
    assert_eq!(
        (stats.files as usize, stats.errors as usize),
        (model.files.len(), model.errors.len())
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_equals_plain_maps(changes in prop::collection::vec(change(), 1..25)) {
        let folder = tempfile::tempdir().expect("creates");
        let path = folder.path().join("ledger.db");
        let mut ledger = SqliteLedger::open(&path).expect("opens").0;
        let mut model = Model::default();
        for change in &changes {
            if matches!(change, Change::Reopen) {
                drop(ledger);
                ledger = SqliteLedger::open(&path).expect("opens").0;
            }
            apply(&mut ledger, &mut model, change);
            check_equal(&ledger, &model);
        }
    }

    #[test]
    fn the_cache_equals_a_map(
        steps in prop::collection::vec((prop::collection::vec(0u64..40, 0..10), any::<bool>()), 1..20)
    ) {
        let folder = tempfile::tempdir().expect("creates");
        let (mut cache, _) = FactsCache::open(&folder.path().join("facts.db")).expect("opens");
        let mut known = std::collections::BTreeSet::new();
        for (numbers, clear) in steps {
            let packed: Vec<_> = numbers.iter().map(|number| (sample::key(*number), compress(&sample::facts(*number, 200)))).collect();
            let entries: Vec<_> = packed.iter().map(|(key, packed)| (*key, &packed[..])).collect();
            cache.put_many(&entries).expect("writes");
            known.extend(numbers);
            if clear && known.len() > 20 {
                cache.evict(0).expect("evicts");
                known.clear();
            }
            let keys: Vec<_> = (0..40).map(sample::key).collect();
            let expected: Vec<_> = (0..40).map(|number| known.contains(&number).then(|| sample::facts(number, 200))).collect();
            prop_assert_eq!(cache.get_many(&keys).expect("reads"), expected);
            prop_assert_eq!(cache.size().expect("reads").entries as usize, known.len());
        }
    }
}
