//! How many tokens a task is worth: by its kind and its complexity.

/// What the configuration says about budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetRules {
    pub default_max_tokens: u64,
    pub reserve_for_prompt: u64,
    /// Share of the budget from which on its use is worth a warning.
    pub warn_threshold_percent: u64,
}

/// The budget of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenBudget {
    pub max_tokens: u64,
    /// Held back for the prompt around the context.
    pub reserve_for_prompt: u64,
    pub diversity_weight: f64,
    warn_at: u64,
}

/// Returns the budget of a task. Complexity is from 1 to 10: from 8 on it adds half, up to 3 it takes 30 %
/// off. Architecture adds 30 %, a bug fix takes 20 % off.
pub fn budget_of_task(rules: &BudgetRules, task_type: &str, complexity: Option<u32>) -> TokenBudget {
    let by_complexity = match complexity {
        Some(8..) => 150,
        Some(1..=3) => 70,
        _ => 100,
    };
    let by_type = match task_type.to_ascii_uppercase().as_str() {
        "ARCHITECTURE" => 130,
        "BUGFIX" => 80,
        _ => 100,
    };
    let max_tokens = rules.default_max_tokens * by_complexity * by_type / 10_000;
    TokenBudget { max_tokens, reserve_for_prompt: rules.reserve_for_prompt, diversity_weight: 0.5, warn_at: max_tokens * rules.warn_threshold_percent / 100 }
}

impl TokenBudget {
    /// Returns what is left for context.
    pub fn for_context(&self) -> u64 {
        self.max_tokens.saturating_sub(self.reserve_for_prompt)
    }

    /// Returns a warning when so many used tokens come near the limit.
    pub fn warning(&self, used: u64) -> Option<String> {
        (self.warn_at > 0 && used >= self.warn_at).then(|| format!("{used} of {} tokens are used, a warning was asked for from {} on", self.max_tokens, self.warn_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: BudgetRules = BudgetRules { default_max_tokens: 1_500, reserve_for_prompt: 500, warn_threshold_percent: 80 };

    #[test]
    fn complexity_and_type_change_the_budget() {
        for (task, complexity, tokens) in [("IMPLEMENTATION", Some(5), 1_500), ("implementation", None, 1_500), ("ARCHITECTURE", Some(9), 2_925), ("BUGFIX", Some(2), 840), ("BUGFIX", Some(7), 1_200), ("OTHER", Some(8), 2_250), ("OTHER", Some(3), 1_050), ("OTHER", Some(4), 1_500)] {
            assert_eq!(budget_of_task(&RULES, task, complexity).max_tokens, tokens, "{task} {complexity:?}");
        }
    }

    #[test]
    fn a_warning_comes_at_the_threshold_and_not_before() {
        let budget = budget_of_task(&RULES, "OTHER", None);
        assert_eq!(budget.warning(1_199), None);
        assert!(budget.warning(1_200).is_some_and(|warning| warning.contains("1500")));
        assert_eq!((budget.for_context(), budget.diversity_weight), (1_000, 0.5));
    }
}
