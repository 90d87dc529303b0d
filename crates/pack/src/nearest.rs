//! The greatest likeness to what was chosen, without comparing with all of it.
//!
//! Who shares more than a part of a text's words shares one of its rarest: of `n` words, of which more
//! than `k` must be shared, any `n - k` hold one that is. So only those are compared that have one of the
//! rarest words, and the more alike the best one was, the fewer words are looked at.

use crate::similar::{Likeness, Words, size};

/// The chosen by their words, in the order in which they were chosen.
pub struct Chosen<'w> {
    words: &'w [Words],
    sizes: Vec<u32>,
    /// Words of each text as bits, the rarest first.
    rarest: Vec<Vec<u8>>,
    /// Places and texts of the chosen that have a word, by its bit.
    by_word: Vec<Vec<(u32, u32)>>,
}

impl<'w> Chosen<'w> {
    /// Begins with nothing chosen of these texts.
    pub fn of(words: &'w [Words]) -> Self {
        let mut frequency = [0u32; 256];
        let mut rarest: Vec<Vec<u8>> = words.iter().map(bits).collect();
        rarest.iter().flatten().for_each(|&bit| frequency[usize::from(bit)] += 1);
        rarest
            .iter_mut()
            .for_each(|bits| bits.sort_unstable_by_key(|&bit| (frequency[usize::from(bit)], bit)));
        Self {
            words,
            sizes: words.iter().map(size).collect(),
            rarest,
            by_word: vec![Vec::new(); 256],
        }
    }

    /// Adds a text as the chosen at a place; places only grow.
    pub fn add(&mut self, place: usize, text: usize) {
        self.rarest[text]
            .iter()
            .for_each(|&bit| self.by_word[usize::from(bit)].push((place as u32, text as u32)));
    }

    /// Returns the greatest likeness of a text to the chosen from a place on, or `known` if that is greater.
    pub fn nearest(&self, text: usize, from: usize, known: Likeness) -> Likeness {
        let mut best = known;
        let own = (&self.words[text], self.sizes[text]);
        for (seen, &bit) in self.rarest[text].iter().enumerate() {
            if seen as u32 + best.least_common(own.1) > own.1 {
                break;
            }
            for &(_, other) in self.by_word[usize::from(bit)]
                .iter()
                .rev()
                .take_while(|(place, _)| *place as usize >= from)
            {
                best.raise((&self.words[other as usize], self.sizes[other as usize]), own);
            }
        }
        best
    }
}

/// Returns the bits that are set.
fn bits(words: &Words) -> Vec<u8> {
    let mut found = Vec::with_capacity(size(words) as usize);
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            found.push((at * 64) as u8 + left.trailing_zeros() as u8);
            left &= left - 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similar::{jaccard, words};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_is_that_of_comparing_with_all(texts in proptest::collection::vec("([a-h]{2} ){0,7}", 1..40), from in 0usize..40) {
            let said: Vec<Words> = texts.iter().map(|text| words(text)).collect();
            let (last, chosen) = (said.len() - 1, said.len() - 1);
            let mut index = Chosen::of(&said);
            (0..chosen).for_each(|at| index.add(at, at));
            let all = (from.min(chosen)..chosen).map(|at| jaccard(&said[at], &said[last])).fold(0.0, f64::max);
            let nearest = index.nearest(last, from, Likeness::NONE);
            prop_assert_eq!(nearest.share(), all);
            prop_assert_eq!(index.nearest(last, 0, nearest).share(), (0..chosen).map(|at| jaccard(&said[at], &said[last])).fold(0.0, f64::max));
        }
    }
}
