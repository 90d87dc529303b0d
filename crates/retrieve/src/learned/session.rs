//! Recency inside a session, in counted steps.

use super::LearnedWeights;

/// What happened to a symbol at a step of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Access {
    pub step: u64,
    /// 1 for being returned, more for being asked for by name or used.
    pub weight: f32,
}

/// Returns how present a symbol is at `step`, from 0 to 1: accesses fade by half every half-life and
/// add up to the cap at most.
pub fn recency(accesses: &[Access], step: u64, weights: &LearnedWeights) -> f32 {
    let faded = accesses.iter().map(|access| {
        access.weight
            * 0.5f32.powf(
                step.saturating_sub(access.step) as f32 / weights.half_life.max(f32::MIN_POSITIVE),
            )
    });
    let cap = weights.cap.max(f32::MIN_POSITIVE);
    faded.sum::<f32>().clamp(0.0, cap) / cap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_fades_by_half_and_never_passes_the_cap() {
        let weights = LearnedWeights { half_life: 3.0, cap: 2.0, ..LearnedWeights::default() };
        let at = |step| recency(&[Access { step: 1, weight: 1.0 }], step, &weights);
        assert_eq!((at(1), at(4), at(7)), (0.5, 0.25, 0.125));
        let many: Vec<Access> = (0..50).map(|step| Access { step, weight: 2.0 }).collect();
        assert_eq!(recency(&many, 50, &weights), 1.0);
        assert_eq!(recency(&[], 9, &weights), 0.0);
    }
}
