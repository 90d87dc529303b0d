//! From raw sums to scores between 0 and 1 that mean the same for every request.

use crate::understand::Query;
use crate::weights::Weights;
use serde::Deserialize;

/// A monotone map from raw scores of one ranking to scores from 0 to 1, fitted on development tasks.
///
/// `share = 1 / (1 + exp(−(slope · raw + top · best + offset)))` estimates how often a result with that
/// raw score is right; `best` is the raw score of the first result. What is shown is the square root of
/// it: .7 where every second result is right, .3 where one of eleven is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    pub slope: f32,
    #[serde(default)]
    pub top: f32,
    pub offset: f32,
}

impl Logistic {
    /// Returns the score of a result, given the raw score of the first one.
    pub fn score(&self, raw: f32, best: f32) -> f64 {
        let sum = f64::from(self.slope) * f64::from(raw)
            + f64::from(self.top) * f64::from(best)
            + f64::from(self.offset);
        (1.0 / (1.0 + (-sum).exp())).sqrt()
    }
}

/// Maps of the rankings of one profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    pub task: Logistic,
    pub task_without_history: Logistic,
    pub search: Logistic,
    /// The ranking of places, without and with guesses.
    #[serde(default)]
    pub places: Logistic,
    #[serde(default)]
    pub places_with_names: Logistic,
}

impl Calibration {
    /// Returns the map of the ranking that answers a request.
    pub fn of(&self, weights: &Weights, query: &Query, history: bool) -> &Logistic {
        match (weights.ranks_places(query), query.names.is_empty()) {
            (true, true) => &self.places,
            (true, false) => &self.places_with_names,
            (false, _) => self.of_task(history),
        }
    }

    /// Returns the map of the task ranking, which depends on whether history had a say.
    pub fn of_task(&self, history: bool) -> &Logistic {
        if history { &self.task } else { &self.task_without_history }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scores_keep_their_order_and_their_range(slope in 0.01..5f32, top in -1.0..1f32, offset in -9.0..9f32, one in -20.0..20f32, two in -20.0..20f32, best in -20.0..20f32) {
            let map = Logistic { slope, top, offset };
            let (low, high) = (map.score(one.min(two), best), map.score(one.max(two), best));
            prop_assert!(low <= high && (0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
        }
    }

    #[test]
    fn an_even_chance_is_shown_as_seven_tenths() {
        let map = Logistic { slope: 1.0, top: 0.0, offset: -3.0 };
        assert!((map.score(3.0, 9.0) - 0.5f64.sqrt()).abs() < 1e-9);
    }
}
