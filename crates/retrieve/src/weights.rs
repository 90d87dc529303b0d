//! Weights of the ranking: data, with the run that set them.

use crate::learned::LearnedWeights;
use crate::search::SearchWeights;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Named profiles that ship with the program.
const PROFILES: &[(&str, &str)] = &[("recall", include_str!("weights/recall.toml")), ("precision", include_str!("weights/precision.toml"))];

/// Weights by signal name; a signal without a weight has none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Weights {
    /// Where the weights come from.
    #[serde(default)]
    pub set_by: String,
    pub task: BTreeMap<String, f32>,
    pub task_without_history: BTreeMap<String, f32>,
    /// Weights of the ranking of files.
    #[serde(default)]
    pub search: SearchWeights,
    /// What judgements and sessions count.
    #[serde(default)]
    pub learned: LearnedWeights,
    /// Weights of the ranking for a change.
    #[serde(default = "change")]
    pub change: BTreeMap<String, f32>,
    #[serde(default = "change_without_history")]
    pub change_without_history: BTreeMap<String, f32>,
}

/// The ranking for a change has its own file: it is fitted on commits, not on tasks.
#[derive(Deserialize)]
struct ChangeWeights {
    change: BTreeMap<String, f32>,
    change_without_history: BTreeMap<String, f32>,
}

fn change_weights() -> Option<ChangeWeights> {
    toml::from_str(include_str!("weights/change.toml")).ok()
}

fn change() -> BTreeMap<String, f32> {
    change_weights().map(|weights| weights.change).unwrap_or_default()
}

fn change_without_history() -> BTreeMap<String, f32> {
    change_weights().map(|weights| weights.change_without_history).unwrap_or_default()
}

impl Weights {
    /// Returns a profile by name.
    pub fn profile(name: &str) -> Option<Weights> {
        PROFILES.iter().find(|(profile, _)| *profile == name).and_then(|(_, text)| Self::parse(text).ok())
    }

    /// Reads weights from TOML.
    pub fn parse(text: &str) -> Result<Weights, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Names of the profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PROFILES.iter().map(|(name, _)| *name)
    }
}
