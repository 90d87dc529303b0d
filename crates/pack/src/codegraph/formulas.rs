//! The formulas of `docs/codegraph.md`, each once.

use contextd_model::graph::EdgeRow;

/// Symbols that lead to an entity from which on it lies on a critical path.
const CRITICAL: usize = 10;

/// How strongly one entity leans on another: the edge's confidence, halved for the lightest kind of edge.
pub fn strength(edge: &EdgeRow) -> f64 {
    let weight = f64::from(edge.kind().walk_weight());
    ((f64::from(edge.confidence) / 100.0) * (0.5 + 0.5 * weight) * 100.0).round() / 100.0
}

/// 1.0 for a base, .8 at one hop, .6 at two; tests add .2 and critical entities .3; never above 1.
pub fn relevance(level: u32, test: bool, critical: bool) -> f64 {
    let near: f64 = match level {
        0 => 1.0,
        1 => 0.8,
        2 => 0.6,
        _ => 0.0,
    };
    let sum = near + if test { 0.2 } else { 0.0 } + if critical { 0.3 } else { 0.0 };
    (sum.min(1.0) * 100.0).round() / 100.0
}

pub fn is_critical(references: usize) -> bool {
    references >= CRITICAL
}

/// By branches of a callable, or by members of a type.
pub fn complexity(branches: Option<u16>, members: usize) -> &'static str {
    let (low, medium, value) = match branches {
        Some(branches) => (5, 10, usize::from(branches)),
        None => (10, 25, members),
    };
    if value <= low {
        "low"
    } else if value <= medium {
        "medium"
    } else {
        "high"
    }
}

/// Each test that reaches the entity directly halves what is left uncovered.
pub fn coverage(tests: usize) -> f64 {
    ((1.0 - 0.5f64.powi(tests.min(30) as i32)) * 100.0).round() / 100.0
}

/// A point for each five dependencies, one or two for complexity, one when outsiders cannot call it.
pub fn testability(dependencies: u32, complexity: &str, hidden: bool) -> &'static str {
    let by_complexity = match complexity {
        "low" => 0,
        "medium" => 1,
        _ => 2,
    };
    match dependencies / 5 + by_complexity + u32::from(hidden) {
        0..=1 => "high",
        2..=3 => "medium",
        _ => "low",
    }
}

/// High where much leans on what few tests cover; low where nothing does.
pub fn risk(references: usize, coverage: f64, public: bool) -> &'static str {
    if is_critical(references) && (coverage < 0.75 || public && references >= 3 * CRITICAL) {
        "high"
    } else if references >= CRITICAL / 2 || references > 0 && coverage == 0.0 {
        "medium"
    } else {
        "low"
    }
}

/// `small` below 5,000 tokens, `near_limit` above 80 % of the limit, else `optimal`.
pub fn size_status(tokens: u64, limit: u64) -> &'static str {
    if tokens * 10 > limit * 8 {
        "near_limit"
    } else if tokens < 5_000 {
        "small"
    } else {
        "optimal"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_model::EdgeKind;

    #[test]
    fn formulas_give_what_is_written_down() {
        let edge = |kind: EdgeKind, confidence| EdgeRow {
            kind: kind as u8,
            confidence,
            ..EdgeRow::default()
        };
        assert_eq!(strength(&edge(EdgeKind::Implements, 100)), 0.9);
        assert_eq!(strength(&edge(EdgeKind::Calls, 70)), 0.7);
        assert_eq!(
            [
                relevance(0, false, false),
                relevance(1, false, false),
                relevance(2, true, false),
                relevance(1, false, true),
                relevance(3, false, false)
            ],
            [1.0, 0.8, 0.8, 1.0, 0.0]
        );
        assert_eq!([coverage(0), coverage(1), coverage(3)], [0.0, 0.5, 0.88]);
        assert_eq!(
            [complexity(Some(5), 0), complexity(Some(6), 0), complexity(None, 26)],
            ["low", "medium", "high"]
        );
        assert_eq!(
            [
                testability(3, "low", false),
                testability(9, "medium", false),
                testability(12, "high", true)
            ],
            ["high", "medium", "low"]
        );
        assert_eq!(
            [
                risk(12, 0.5, false),
                risk(12, 0.88, false),
                risk(30, 1.0, true),
                risk(1, 0.0, false),
                risk(0, 0.0, true)
            ],
            ["high", "medium", "high", "medium", "low"]
        );
        assert_eq!(
            [
                size_status(48_732, 100_000),
                size_status(4_999, 100_000),
                size_status(90_000, 100_000)
            ],
            ["optimal", "small", "near_limit"]
        );
    }
}
