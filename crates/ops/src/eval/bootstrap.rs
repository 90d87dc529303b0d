//! Confidence intervals by drawing the tasks again, always with the same dice.

/// Draws of the tasks.
const DRAWS: usize = 2_000;
/// Share of draws that lie inside the interval.
const INSIDE: f64 = 0.95;

/// A mean with the interval that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Returns the mean of the values and its interval by the percentile bootstrap.
pub fn estimate(values: &[f64]) -> Estimate {
    if values.is_empty() {
        return Estimate::default();
    }
    let mean = |sum: f64| sum / values.len() as f64;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| mean((0..values.len()).map(|_| values[dice.below(values.len())]).sum()))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((DRAWS as f64 * share) as usize).min(DRAWS - 1)];
    let tail = (1.0 - INSIDE) / 2.0;
    Estimate { mean: mean(values.iter().sum()), low: at(tail), high: at(1.0 - tail) }
}

/// SplitMix64: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * limit as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_coin_is_uncertain_and_a_constant_is_not() {
        let coin: Vec<f64> = (0..100).map(|at| f64::from(at % 2)).collect();
        let found = estimate(&coin);
        assert_eq!(found.mean, 0.5);
        // The standard error is .05, so 95 % lie within about .1.
        assert!(
            (0.38..0.43).contains(&found.low) && (0.57..0.62).contains(&found.high),
            "{found:?}"
        );
        assert_eq!(estimate(&[0.25; 7]), Estimate { mean: 0.25, low: 0.25, high: 0.25 });
        assert_eq!(estimate(&[]), Estimate::default());
    }

    proptest! {
        #[test]
        fn intervals_hold_the_mean_and_repeat(values in proptest::collection::vec(0.0..1.0f64, 1..40)) {
            let found = estimate(&values);
            prop_assert!(found.low <= found.mean + 1e-9 && found.mean <= found.high + 1e-9);
            prop_assert_eq!(found, estimate(&values));
        }
    }
}
