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

/// Returns how many words there are.
pub fn size(words: &Words) -> u32 {
    words.iter().map(|bits| bits.count_ones()).sum()
}

/// A share of common words as a fraction, so that shares are compared without dividing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likeness {
    common: u32,
    all: u32,
}

impl Likeness {
    /// Nothing in common.
    pub const NONE: Likeness = Likeness { common: 0, all: 1 };

    pub fn share(self) -> f64 {
        f64::from(self.common) / f64::from(self.all)
    }

    /// Becomes the likeness of two texts, given with the number of their words, where that is greater.
    pub fn raise(&mut self, one: (&Words, u32), two: (&Words, u32)) {
        // No more can be common than the smaller has, and no fewer are there than the larger has.
        if !self.is_less(one.1.min(two.1), one.1.max(two.1)) {
            return;
        }
        let common = one.0.iter().zip(two.0).map(|(one, two)| (one & two).count_ones()).sum();
        let all = one.1 + two.1 - common;
        if self.is_less(common, all) {
            *self = Likeness { common, all };
        }
    }

    /// Returns how many words a text of so many must share at least to be more alike.
    pub fn least_common(self, size: u32) -> u32 {
        self.common * size / self.all + 1
    }

    fn is_less(self, common: u32, all: u32) -> bool {
        u64::from(self.common) * u64::from(all) < u64::from(common) * u64::from(self.all)
    }
}

/// Returns the share of words that two texts have in common: the definition that [`Likeness`] follows.
#[cfg(test)]
pub fn jaccard(one: &Words, two: &Words) -> f64 {
    let count = |bits: fn(u64, u64) -> u64| {
        one.iter().zip(two).map(|(&one, &two)| bits(one, two).count_ones()).sum::<u32>()
    };
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
