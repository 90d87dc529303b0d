//! How many tokens a task is worth: by its kind and its complexity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the configuration says about budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetRules {
    pub default_max_tokens: u64,
    pub reserve_for_prompt: u64,
    /// Share of the budget from which on its use is worth a warning.
    pub warn_threshold_percent: u64,
}

/// Tokens for one task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenBudget {
    pub max_tokens: u64,
    /// Held back for the prompt around the context.
    pub reserve_for_prompt: u64,
    pub diversity_weight: f64,
    /// True when the budget itself lies above the threshold: beyond that share of the largest budget
    /// that a task can have.
    pub warning: bool,
    #[serde(skip)]
    warn_at: u64,
}

/// Percent that high complexity and architecture make of the base.
const MOST: (u64, u64) = (150, 130);

/// Returns the budget of a task. Complexity is from 1 to 10: from 8 on it adds half, up to 3 it takes 30 %
/// off. Architecture adds 30 %, a bug fix takes 20 % off. `asked` takes the place of all that.
pub fn budget_of_task(
    rules: &BudgetRules,
    task_type: &str,
    complexity: Option<u32>,
    asked: Option<u64>,
) -> TokenBudget {
    let by_complexity = match complexity {
        Some(8..) => MOST.0,
        Some(1..=3) => 70,
        _ => 100,
    };
    let by_type = match task_type.to_ascii_uppercase().as_str() {
        "ARCHITECTURE" => MOST.1,
        "BUGFIX" => 80,
        _ => 100,
    };
    let of_base =
        |complexity: u64, kind: u64| rules.default_max_tokens * complexity * kind / 10_000;
    let max_tokens = asked.unwrap_or_else(|| of_base(by_complexity, by_type)).clamp(1, 100_000);
    let share = |tokens: u64| tokens * rules.warn_threshold_percent / 100;
    TokenBudget {
        max_tokens,
        // Who names a number of tokens for the context means the context.
        reserve_for_prompt: if asked.is_some() { 0 } else { rules.reserve_for_prompt },
        diversity_weight: 0.5,
        warning: max_tokens > share(of_base(MOST.0, MOST.1)),
        warn_at: share(max_tokens),
    }
}

impl TokenBudget {
    /// Returns what is left for context: at least half, however much is held back.
    pub fn for_context(&self) -> u64 {
        self.max_tokens.saturating_sub(self.reserve_for_prompt).max(self.max_tokens.div_ceil(2))
    }

    /// Returns a warning when so many used tokens, those of the prompt included, come near the limit.
    pub fn warning(&self, used: u64) -> Option<String> {
        (self.warn_at > 0 && used >= self.warn_at).then(|| {
            format!(
                "{used} of {} tokens are used; the threshold of the warning is {}",
                self.max_tokens, self.warn_at
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: BudgetRules = BudgetRules {
        default_max_tokens: 1_500,
        reserve_for_prompt: 500,
        warn_threshold_percent: 80,
    };

    #[test]
    fn complexity_and_type_change_the_budget() {
        let cases = [
            ("IMPLEMENTATION", Some(5), 1_500),
            ("implementation", None, 1_500),
            ("ARCHITECTURE", Some(9), 2_925),
            ("BUGFIX", Some(2), 840),
            ("BUGFIX", Some(7), 1_200),
            ("OTHER", Some(8), 2_250),
            ("OTHER", Some(3), 1_050),
            ("OTHER", Some(4), 1_500),
        ];
        for (task, complexity, tokens) in cases {
            assert_eq!(
                budget_of_task(&RULES, task, complexity, None).max_tokens,
                tokens,
                "{task} {complexity:?}"
            );
        }
        let asked = budget_of_task(&RULES, "BUGFIX", Some(2), Some(4_000));
        assert_eq!((asked.max_tokens, asked.for_context()), (4_000, 4_000));
    }

    #[test]
    fn a_warning_comes_at_the_threshold_and_not_before() {
        let budget = budget_of_task(&RULES, "OTHER", None, None);
        assert_eq!(budget.warning(1_199), None);
        assert!(budget.warning(1_200).is_some_and(|warning| warning.contains("1500")));
        assert_eq!((budget.for_context(), budget.diversity_weight), (1_000, 0.5));
        // 2,925 is the most; 80 % of it is 2,340.
        assert!(
            !budget_of_task(&RULES, "", None, Some(2_340)).warning
                && budget_of_task(&RULES, "", None, Some(2_341)).warning
        );
        assert_eq!(
            budget_of_task(&BudgetRules { reserve_for_prompt: 1_400, ..RULES }, "", None, None)
                .for_context(),
            750
        );
    }
}
