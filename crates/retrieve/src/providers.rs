//! Providers: the names under which configuration switches ways of looking on and off and weighs them.

use crate::channels::CHANNELS;
use crate::fusion::Fusion;
use crate::weights::Weights;
use std::collections::BTreeMap;

/// A way of looking, as configuration names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    Semantic,
    Symbol,
    FullText,
    GitHistory,
    Dependency,
}

impl Provider {
    /// Returns the name used in configuration and answers.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Semantic => "semantic",
            Provider::Symbol => "symbol",
            Provider::FullText => "full_text",
            Provider::GitHistory => "git_history",
            Provider::Dependency => "dependency",
        }
    }

    /// Returns the provider of a signal of any ranking; none for priors such as the kind of a symbol.
    pub fn of_signal(signal: &str) -> Option<Provider> {
        Some(match signal {
            "bm" | "ncov" | "exact" | "qcov" | "owner_bm" | "child_bm" | "stem" | "symbols"
            | "definition" | "guess_exact" | "guess_count" | "guess_scope" | "guess_like"
            | "guess_stem" | "exact_file" | "path_written" => Provider::Symbol,
            _ if has_suffix(signal, &["_name", "_path", "_defined"]) => Provider::Symbol,
            _ if has_suffix(signal, &["window", "_file", "_block", "_cover"]) => Provider::FullText,
            "window_share" | "window_rank" | "file_score" | "file_score_rel" | "file_rank"
            | "file_gap" => Provider::FullText,
            "type_body" | "filesum" | "filebody" | "blocks" | "prose" => Provider::FullText,
            "git_file" | "git" | "activity" | "recency" => Provider::GitHistory,
            "good_out" | "good_in" => Provider::Dependency,
            "ppr" | "near_out" | "near_in" | "in_degree" | "blast" | "confidence" | "distance"
            | "authority" | "authority_other" | "hub" => Provider::Dependency,
            _ => return None,
        })
    }
}

/// True for a signal that ends so, or is the share of the best candidate's of one that does.
fn has_suffix(signal: &str, suffixes: &[&str]) -> bool {
    let signal = signal.strip_suffix("_rel").unwrap_or(signal);
    signal != "git_file" && suffixes.iter().any(|suffix| signal.ends_with(suffix))
}

/// Which providers take part and how much each counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Providers {
    /// Factor of each provider against its usual weight; without an entry it does not take part.
    pub factors: BTreeMap<Provider, f32>,
    /// How lists become one; none leaves the fitted sum of signals.
    pub fusion: Option<Fusion>,
}

impl Default for Providers {
    fn default() -> Self {
        let all = [
            Provider::Semantic,
            Provider::Symbol,
            Provider::FullText,
            Provider::GitHistory,
            Provider::Dependency,
        ];
        Self { factors: all.into_iter().map(|provider| (provider, 1.0)).collect(), fusion: None }
    }
}

impl Providers {
    fn factor(&self, provider: Option<Provider>) -> f32 {
        provider.map_or(1.0, |provider| self.factors.get(&provider).copied().unwrap_or(0.0))
    }

    /// Returns weights as this selection wants them.
    pub fn apply(&self, weights: &Weights) -> Weights {
        if *self == Providers::default() {
            return weights.clone();
        }
        let mut weights = weights.clone();
        let (history, graph) =
            (self.factor(Some(Provider::GitHistory)), self.factor(Some(Provider::Dependency)));
        if history == 0.0 {
            weights.first = weights.first_without_history.clone();
            weights.task = weights.task_without_history.clone();
            weights.change = weights.change_without_history.clone();
            weights.calibration.task = weights.calibration.task_without_history;
        }
        if graph == 0.0 {
            weights.parameters.insert("iterations".to_owned(), 0.0);
            weights.first.clear();
            weights.first_without_history.clear();
        }
        for table in [
            &mut weights.first,
            &mut weights.first_without_history,
            &mut weights.task,
            &mut weights.task_without_history,
            &mut weights.places,
            &mut weights.places_with_names,
        ] {
            table
                .iter_mut()
                .for_each(|(signal, weight)| *weight *= self.factor(Provider::of_signal(signal)));
        }
        for part in ["symbols", "blocks", "definition", "stem", "git", "activity"] {
            let weight =
                weights.search.get(part).unwrap_or(0.0) * self.factor(Provider::of_signal(part));
            weights.search.set(part, weight);
        }
        for channel in CHANNELS {
            let weight =
                weights.channels.get(channel.id()).copied().unwrap_or_else(|| channel.weight());
            weights
                .channels
                .insert(channel.id().to_owned(), weight * self.factor(Some(channel.provider())));
        }
        if let Some(fusion) = self.fusion {
            let fused = BTreeMap::from([("fused".to_owned(), 1.0)]);
            weights.fusion = fusion;
            (weights.task, weights.task_without_history) = (fused.clone(), fused);
            weights.places.clear();
            weights.places_with_names.clear();
            weights.first.clear();
            weights.first_without_history.clear();
            weights.calibration =
                crate::weights::calibration_of("fused").unwrap_or(weights.calibration);
            weights.search =
                crate::search::SearchWeights { fused: 1.0, ..crate::search::SearchWeights::NONE };
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall() -> Weights {
        Weights::profile("recall").expect("a profile that ships")
    }

    #[test]
    fn all_of_them_change_nothing() {
        assert_eq!(Providers::default().apply(&recall()), recall());
    }

    #[test]
    fn a_provider_that_is_off_has_no_say() {
        let mut providers = Providers::default();
        providers.factors.remove(&Provider::Dependency);
        providers.factors.remove(&Provider::GitHistory);
        let weights = providers.apply(&recall());
        let silent = |table: &BTreeMap<String, f32>| {
            table.iter().all(|(signal, weight)| {
                *weight == 0.0
                    || !matches!(
                        Provider::of_signal(signal),
                        Some(Provider::Dependency | Provider::GitHistory)
                    )
            })
        };
        assert!(
            silent(&weights.task)
                && silent(&weights.task_without_history)
                && weights.first.is_empty()
        );
        assert_eq!(
            (
                weights.search.git,
                weights.search.activity,
                weights.channels["graph"],
                weights.channels["history"]
            ),
            (0.0, 0.0, 0.0, 0.0)
        );
        assert!(weights.task["bm"] > 0.0 && weights.search.blocks > 0.0);
    }

    #[test]
    fn every_signal_with_a_weight_is_known_here_or_a_prior() {
        let priors = [
            "nlen",
            "lines",
            "is_type",
            "is_function",
            "is_method",
            "is_data",
            "public",
            "local",
            "fused",
            "base",
            "window_part",
            "is_piece",
            "is_test",
            "is_aside",
            "is_foreign",
            "is_code",
            "declared_only",
            "depth",
            "file_lines",
            "query_words",
            "query_names",
            "has_body",
        ];
        for name in crate::signals::NAMES {
            assert!(Provider::of_signal(name).is_some() != priors.contains(&name), "{name}");
        }
    }
}
