//! How much two texts say the same: Jaccard over their words.

use std::collections::BTreeSet;

/// The words of a text, as numbers.
pub type Words = BTreeSet<u64>;

/// Returns the words of a text: runs of letters and digits, in lower case.
pub fn words(text: &str) -> Words {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 1).map(|word| contextd_model::ContentHash::of(word.to_lowercase().as_bytes()).short()).collect()
}

/// Returns the share of words that two texts have in common.
pub fn jaccard(one: &Words, two: &Words) -> f64 {
    let common = one.intersection(two).count();
    let all = one.len() + two.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}
