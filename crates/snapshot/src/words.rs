//! The words of a text, as the full-text index and queries know them.

use contextd_lang::terms::with_remembered;

/// Calls `each` with every word of `text`: split, lower-cased, stemmed.
pub(crate) fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    with_remembered(|terms| terms.words(text, &mut each));
}

/// Numbers that a writer gave to words, by the numbers they have on this thread.
#[derive(Default)]
pub(crate) struct KnownWords {
    epoch: u64,
    /// The writer's number plus one; 0 for a word it has not seen.
    numbers: Vec<u32>,
}

/// Calls `each` with the writer's number of every word of `text`; `number` gives one to a word that
/// is new.
pub(crate) fn for_each_number(
    text: &str,
    known: &mut KnownWords,
    mut number: impl FnMut(&str) -> u32,
    mut each: impl FnMut(u32),
) {
    with_remembered(|terms| {
        terms.word_numbers(text, |terms, word| {
            if known.epoch != terms.epoch() {
                known.numbers.clear();
                known.epoch = terms.epoch();
            }
            let at = word as usize;
            if at >= known.numbers.len() {
                known.numbers.resize(at + 1024, 0);
            }
            if known.numbers[at] == 0 {
                known.numbers[at] = number(terms.text(word)) + 1;
            }
            each(known.numbers[at] - 1);
        })
    });
}
