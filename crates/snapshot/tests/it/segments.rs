use crate::random::{File, Random, files, freeze, plain, writer_of};
use contextd_model::ContentHash;
use contextd_model::StrId;
use contextd_model::facts::NONE;
use contextd_snapshot::{Durability, LinkRows, Segment, Wanted, segment_path};
use proptest::prelude::*;

pub fn open(files: &[File], dir: &tempfile::TempDir) -> Segment {
    let key = ContentHash::of(b"segment");
    freeze(files).write(dir.path(), key, Durability::Fast).unwrap();
    Segment::open(&segment_path(dir.path(), key)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn facts_come_back(seed: u64, count in 0u32..12) {
        let files = files(&mut Random::new(seed), count);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let mut rows = LinkRows::default();
        for (number, file) in files.iter().enumerate() {
            let view = segment.facts(number as u32, Wanted::All, &mut rows).unwrap();
            prop_assert_eq!(plain(&view), plain(&file.facts.view()));
        }
        segment.verify().unwrap();
    }

    /// What is thawed freezes to the same bytes, alone and among others.
    #[test]
    fn thawed_files_freeze_to_the_same_bytes(seed: u64, count in 1u32..12) {
        let mut files = files(&mut Random::new(seed), count);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let numbers: Vec<u32> = (0..count).filter(|number| (seed >> (number % 64)) & 1 == 0).collect();
        let expected = freeze(&files).bytes;
        for (number, facts) in numbers.iter().zip(segment.thaw(&numbers)) {
            files[*number as usize].facts = facts.unwrap();
        }
        prop_assert!(freeze(&files).bytes == expected);
    }

    #[test]
    fn the_linker_gets_all_but_texts_and_chunks(seed: u64) {
        let files = files(&mut Random::new(seed), 4);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let mut rows = LinkRows::default();
        for (number, file) in files.iter().enumerate().rev() {
            let mut expected = file.facts.clone();
            expected.chunks.clear();
            for row in &mut expected.symbols {
                row.signature = StrId::EMPTY;
                row.doc = StrId::EMPTY;
            }
            let view = segment.facts(number as u32, Wanted::Links, &mut rows).unwrap();
            prop_assert_eq!(plain(&view), plain(&expected.view()));
        }
    }

    #[test]
    fn chunks_come_without_texts_and_links(seed: u64) {
        let files = files(&mut Random::new(seed), 4);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let mut rows = LinkRows::default();
        for (number, file) in files.iter().enumerate().rev() {
            let mut expected = file.facts.clone();
            (expected.refs, expected.imports) = Default::default();
            (expected.bases, expected.bindings) = Default::default();
            for row in &mut expected.symbols {
                for id in [&mut row.signature, &mut row.doc, &mut row.type_text, &mut row.generics, &mut row.annotations] {
                    *id = StrId::EMPTY;
                }
                row.parameters = 0;
            }
            let view = segment.facts(number as u32, Wanted::Chunks, &mut rows).unwrap();
            prop_assert_eq!(plain(&view), plain(&expected.view()));
        }
    }

    #[test]
    fn columns_say_what_facts_say(seed: u64) {
        let files = files(&mut Random::new(seed), 6);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let (mut symbol, mut cell) = (0, 0);
        for (number, file) in files.iter().enumerate() {
            let (number, facts) = (number as u32, &file.facts);
            prop_assert_eq!(segment.path(number), &file.path);
            prop_assert_eq!(segment.hash(number), file.hash);
            prop_assert_eq!(segment.package(number), facts.str(facts.package));
            prop_assert_eq!(segment.find_file(&file.path), Some(number));
            let first = symbol;
            for row in &facts.symbols {
                prop_assert_eq!(segment.file_of(symbol), number);
                prop_assert_eq!(segment.name(symbol), facts.str(row.name));
                prop_assert_eq!(segment.qualified(symbol), facts.str(row.qualified));
                prop_assert_eq!(segment.kind(symbol), row.kind());
                prop_assert_eq!(segment.visibility(symbol), row.visibility());
                prop_assert_eq!(segment.modifiers(symbol), row.modifiers);
                prop_assert_eq!((segment.start_line(symbol), segment.end_line(symbol)), (row.start_line, row.end_line));
                prop_assert_eq!(segment.parent(symbol), (row.parent != NONE).then_some(first.wrapping_add(row.parent)));
                let detail = segment.detail(symbol);
                prop_assert_eq!(&detail.signature, facts.str(row.signature));
                prop_assert_eq!(&detail.doc, facts.str(row.doc));
                prop_assert_eq!((detail.start, detail.end, detail.body_start, detail.doc_start), (row.start, row.end, row.body_start, row.doc_start));
                prop_assert_eq!((detail.name_start, detail.name_line, detail.complexity), (row.name_start, row.name_line, row.complexity));
                symbol += 1;
            }
            prop_assert_eq!(segment.symbols_of_file(number), first..symbol);
            for row in &facts.text.cells {
                let found = segment.cell(number, cell);
                prop_assert_eq!((found.symbol, found.block, found.words, found.compounds), (first + row.symbol, row.block, row.words, row.compounds));
                prop_assert_eq!(segment.file_of_cell(cell), number);
                prop_assert!(segment.cells_of_symbol(found.symbol).contains(&cell));
                prop_assert!(segment.cells_of_symbol(first).contains(&cell) || row.symbol != 0);
                cell += 1;
            }
        }
        prop_assert_eq!((segment.symbol_count(), segment.cell_count()), (symbol, cell));
        prop_assert_eq!(segment.find_file("no/such/file"), None);
    }

    #[test]
    fn names_are_found(seed: u64) {
        let files = files(&mut Random::new(seed), 8);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let fold = |name: &str| name.chars().flat_map(char::to_lowercase).collect::<String>();
        let all = |test: &dyn Fn(&str) -> bool| (0..segment.symbol_count()).filter(|&symbol| test(segment.name(symbol))).collect::<Vec<_>>();
        for name in ["get", "GET", "Foo", "größe", "σας", "ΣΑΣ", "nothing", "", "i\u{307}"] {
            prop_assert_eq!(segment.symbols_named(name), all(&|other| other == name));
            prop_assert_eq!(segment.symbols_named_like(name), all(&|other| fold(other) == fold(name)));
            let mut found = segment.symbols_with_prefix(name, usize::MAX);
            prop_assert!(found.is_sorted_by_key(|&symbol| fold(segment.name(symbol))));
            found.sort_unstable();
            prop_assert_eq!(found, all(&|other| fold(other).starts_with(&fold(name))));
        }
        prop_assert_eq!(segment.symbols_with_prefix("", 3).len(), 3.min(segment.symbol_count() as usize));
    }

    #[test]
    fn the_same_facts_give_the_same_bytes(seed: u64) {
        let one = freeze(&files(&mut Random::new(seed), 9));
        // Strings interned in another order are the same facts.
        let mut others = files(&mut Random::new(seed), 9);
        for file in &mut others {
            for row in &mut file.facts.refs {
                let text = file.facts.strings.get(row.name).to_owned();
                row.name = file.facts.strings.push(&text);
            }
        }
        prop_assert!(one.bytes == freeze(&others).bytes);
        prop_assert!(one.bytes == writer_of(&others).finish_split().bytes);
    }
}

#[test]
fn symbols_inside_a_symbol_are_its_descendants() {
    let mut file = files(&mut Random::new(3), 1);
    let facts = &mut file[0].facts;
    let template = facts.symbols[0];
    facts.symbols = [NONE, 0, 1, 2, 1, 0]
        .map(|parent| contextd_model::facts::SymbolRow { parent, ..template })
        .to_vec();
    facts.text.cells = [0, 1, 3, 1, 4, 5]
        .map(|symbol| contextd_model::facts::CellRow { symbol, ..Default::default() })
        .to_vec();
    let dir = tempfile::tempdir().unwrap();
    let segment = open(&file, &dir);
    let found: Vec<_> = (0..6)
        .map(|symbol| (segment.descendants(symbol), segment.cells_of_symbol(symbol)))
        .collect();
    assert_eq!(
        found,
        [(1..6, 0..6), (2..5, 1..5), (3..4, 2..3), (4..4, 2..3), (5..5, 4..5), (6..6, 5..6)]
    );
}
