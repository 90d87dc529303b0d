//! Every count is the one of `bpe-openai`, which is held against the publisher's own program.

use contextd_tokens::{CL100K, O200K};
use proptest::prelude::*;

fn check(text: &str) {
    for (name, ours, theirs) in [
        ("o200k", &O200K, bpe_openai::o200k_base()),
        ("cl100k", &CL100K, bpe_openai::cl100k_base()),
    ] {
        assert!(
            ours.pieces(text).eq(theirs.split(text)),
            "{name}: {text:?} is cut into {:?}, not {:?}",
            ours.pieces(text).collect::<Vec<_>>(),
            theirs.split(text).collect::<Vec<_>>()
        );
        assert_eq!(ours.count(text), theirs.count(text), "{name}: {text:?}");
    }
}

/// What the patterns tell apart, so that random texts meet their borders.
const PARTS: &[&str] = &[
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\u{85}",
    "\u{a0}",
    "\u{3000}",
    "a",
    "be",
    "The",
    "HTTP",
    "Ǆ",
    "ǅ",
    "ʰ",
    "ª",
    "漢字",
    "한국어",
    "и",
    "Щ",
    "\u{301}",
    "\u{200d}",
    "é",
    "1",
    "23",
    "٣",
    "Ⅷ",
    "½",
    "'s",
    "'S",
    "'ſ",
    "'ll",
    "'LL",
    "'rE",
    "'x",
    "'",
    "/",
    "//",
    "(",
    ");",
    "{}",
    "_",
    "::",
    "->",
    "…",
    "😀",
    "👩‍👩‍👧",
    "\0",
    "\u{feff}",
    "self",
    "Request",
    "getCwd",
    "====",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_texts_have_equal_counts(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn texts_of_meeting_classes_have_equal_counts(parts in prop::collection::vec(prop::sample::select(PARTS), 0..24)) {
        check(&parts.concat());
    }

    #[test]
    fn long_pieces_have_equal_counts(letters in prop::collection::vec(prop::sample::select(&["a", "b", "ab", "the", "ing", "z"][..]), 90..400)) {
        check(&letters.concat());
    }
}

#[test]
fn every_character_has_its_class() {
    // Sixteen neighbours at a time, each between letters, spaces and marks.
    let all: Vec<char> = (0..=0x10_ffff)
        .filter_map(char::from_u32)
        .filter(|&character| {
            !('\u{e000}'..='\u{f8ff}').contains(&character) && character < '\u{e0200}'
        })
        .collect();
    for group in all.chunks(16) {
        let text: String =
            group.iter().map(|character| format!("a{character}B {character}\u{301}1")).collect();
        check(&text);
    }
}

#[test]
fn source_and_prose_have_equal_counts() {
    for text in [
        include_str!("../src/split.rs"),
        include_str!("../src/merge.rs"),
        include_str!("../build.rs"),
        include_str!("../../../README.md"),
        include_str!("../../../Cargo.lock"),
    ] {
        check(text);
    }
}

#[test]
fn long_runs_have_equal_counts() {
    for unit in ["a", "A", " ", "\n", "=", "0", "ab", "é", "漢", "\r\n", " \n", "aB"] {
        for times in [1, 95, 96, 97, 127, 128, 129, 5_000] {
            check(&unit.repeat(times));
        }
    }
}
