use crate::random::{File, Random, files};
use crate::segments::open;
use contextd_lang::terms::Terms;
use contextd_model::SymbolKind;
use contextd_snapshot::{FIELDS, Field, Segment};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What the postings of one term must say: symbols with the frequency in each field, cells with theirs.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
struct Expected {
    symbols: BTreeMap<u32, [u32; FIELDS]>,
    cells: BTreeMap<u32, u32>,
}

/// Finds the postings the slow way, and the length of every field.
fn naive(files: &[File]) -> (BTreeMap<String, Expected>, Vec<[u32; FIELDS]>) {
    let mut terms = Terms::default();
    let mut index: BTreeMap<String, Expected> = BTreeMap::new();
    let (mut lengths, mut cell) = (Vec::new(), 0);
    for file in files {
        let facts = &file.facts;
        for row in &facts.symbols {
            let (name, qualified) = (facts.str(row.name), facts.str(row.qualified));
            let scope = qualified
                .strip_suffix(name)
                .unwrap_or_else(|| qualified.rsplit_once('.').map_or("", |(scope, _)| scope));
            let mut texts = [name, scope, &file.path, facts.str(row.doc), facts.str(row.signature)];
            if row.kind() == SymbolKind::File {
                texts = [name, "", &file.path, "", ""];
            }
            let mut length = [0; FIELDS];
            for (field, text) in texts.into_iter().enumerate() {
                terms.words(text, |word| {
                    length[field] += 1;
                    index
                        .entry(word.to_owned())
                        .or_default()
                        .symbols
                        .entry(lengths.len() as u32)
                        .or_default()[field] += 1;
                });
            }
            lengths.push(length);
        }
        let mut start = 0;
        for row in &facts.text.cells {
            for term in &facts.text.terms[start..row.terms_end as usize] {
                if term.count > 0 {
                    let frequency = index
                        .entry(facts.text.strings.get(term.term).to_owned())
                        .or_default()
                        .cells
                        .entry(cell)
                        .or_default();
                    *frequency = frequency.saturating_add(term.count);
                }
            }
            start = row.terms_end as usize;
            cell += 1;
        }
    }
    (index, lengths)
}

fn read(segment: &Segment, term: &str) -> Option<Expected> {
    let postings = segment.term(term)?;
    let mut found = Expected::default();
    let mut last = None;
    postings.symbols.for_each(|symbol, fields| {
        assert!(last < Some(symbol), "symbols rise");
        last = Some(symbol);
        found.symbols.insert(symbol, fields.0.map(u32::from));
    });
    postings.cells.for_each(|cell, frequency| {
        found.cells.insert(cell, frequency);
    });
    assert_eq!(
        (found.symbols.len(), found.cells.len()),
        (postings.symbol_count as usize, postings.cell_count as usize)
    );
    Some(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn postings_equal_a_naive_index(seed: u64, count in 0u32..14) {
        let files = files(&mut Random::new(seed), count);
        let dir = tempfile::tempdir().unwrap();
        let segment = open(&files, &dir);
        let (expected, lengths) = naive(&files);
        let all = segment.terms_with_prefix("", usize::MAX);
        prop_assert_eq!(all.iter().map(|(term, _)| term.as_str()).collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (term, expected) in &expected {
            prop_assert_eq!(read(&segment, term), Some(expected.clone()), "{}", term);
        }
        for term in ["", "nothing", "\u{1}nothing", "zzzz", "\u{10ffff}"] {
            prop_assert!(segment.term(term).is_none());
        }
        for prefix in ["g", "\u{1}", "re", "x", "zzzz"] {
            let found: Vec<_> = segment.terms_with_prefix(prefix, 3).into_iter().map(|(term, _)| term).collect();
            let expected: Vec<_> = expected.keys().filter(|term| term.starts_with(prefix)).take(3).cloned().collect();
            prop_assert_eq!(found, expected);
        }
        let found: Vec<_> = (0..segment.symbol_count()).map(|symbol| segment.field_lengths(symbol)).collect();
        prop_assert_eq!(&found, &lengths);
        let totals = lengths.iter().fold([0u64; FIELDS], |sum, length| std::array::from_fn(|field| sum[field] + u64::from(length[field])));
        prop_assert_eq!(segment.counts().field_lengths, totals);
    }
}

#[test]
fn long_fields_and_frequent_terms_stop_at_255() {
    let mut file = files(&mut Random::new(1), 1);
    let facts = &mut file[0].facts;
    facts.symbols.truncate(1);
    facts.symbols[0].kind = SymbolKind::Function as u8;
    facts.symbols[0].doc = facts.strings.push(&"word ".repeat(400));
    let dir = tempfile::tempdir().unwrap();
    let segment = open(&file, &dir);
    assert_eq!(segment.field_length(0, Field::Doc), 255);
    let mut found = Vec::new();
    segment
        .term("word")
        .unwrap()
        .symbols
        .for_each(|symbol, fields| found.push((symbol, fields.of(Field::Doc))));
    assert_eq!(found, [(0, 255)]);
}
