//! How much two texts say the same: Jaccard over their words.

/// The words of a text, each as one of 256 bits: two words seldom share one, and comparing is cheap.
pub type Words = [u64; 4];

/// Returns the words of a text: runs of letters and digits, in lower case.
pub fn words(text: &str) -> Words {
    let mut words = Words::default();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 1) {
        let bit = contextd_model::ContentHash::of(word.to_lowercase().as_bytes()).short() % 256;
        words[(bit / 64) as usize] |= 1 << (bit % 64);
    }
    words
}

/// Returns the share of words that two texts have in common.
pub fn jaccard(one: &Words, two: &Words) -> f64 {
    let count = |bits: fn(u64, u64) -> u64| one.iter().zip(two).map(|(&one, &two)| bits(one, two).count_ones()).sum::<u32>();
    let all = count(|one, two| one | two);
    if all == 0 { 0.0 } else { f64::from(count(|one, two| one & two)) / f64::from(all) }
}

#[cfg(test)]
mod tests {
    use super::{jaccard, words};

    #[test]
    fn equal_texts_are_alike_and_others_are_not() {
        assert_eq!(jaccard(&words("def Total(price)"), &words("def total price")), 1.0);
        assert_eq!(jaccard(&words("alpha beta"), &words("gamma delta")), 0.0);
        assert_eq!(jaccard(&words(""), &words("")), 0.0);
        assert!((jaccard(&words("alpha beta"), &words("alpha gamma")) - 1.0 / 3.0).abs() < 1e-9);
    }
}
