//! Weights of the ranking: data, with the run that set them.

use crate::calibration::Calibration;
use crate::fusion::Fusion;
use crate::learned::LearnedWeights;
use crate::parameters::Parameters;
use crate::search::SearchWeights;
use crate::understand::Query;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Named profiles that ship with the program.
const PROFILES: &[(&str, &str)] = &[
    ("recall", include_str!("weights/recall.toml")),
    ("precision", include_str!("weights/precision.toml")),
    ("impact", include_str!("weights/impact.toml")),
    ("seed004", include_str!("weights/seed004.toml")),
    ("seed004-base", include_str!("weights/seed004-base.toml")),
];

/// Words from which on a request is a paragraph.
const PARAGRAPH: usize = 28;

/// The profile that ranks places.
const PLACES_PROFILE: &str = "recall";

/// Weights by signal name; a signal without a weight has none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Weights {
    /// Where the weights come from.
    #[serde(default)]
    pub set_by: String,
    /// Weights of the ranking of places for a request, without and with the caller's guesses; without
    /// them the weights of a task rank.
    #[serde(default)]
    pub places: BTreeMap<String, f32>,
    #[serde(default)]
    pub places_with_names: BTreeMap<String, f32>,
    /// Weights of the first scoring, whose best speak for their neighbours; without them nobody does.
    #[serde(default)]
    pub first: BTreeMap<String, f32>,
    #[serde(default)]
    pub first_without_history: BTreeMap<String, f32>,
    pub task: BTreeMap<String, f32>,
    pub task_without_history: BTreeMap<String, f32>,
    /// Weights of the ranking of files.
    #[serde(default)]
    pub search: SearchWeights,
    /// Settings of the pipeline that differ from the usual ones.
    #[serde(default)]
    pub parameters: BTreeMap<String, f32>,
    /// Weights of channels where lists are fused; a channel without one has its usual weight.
    #[serde(default)]
    pub channels: BTreeMap<String, f32>,
    /// How lists are fused.
    #[serde(default)]
    pub fusion: Fusion,
    /// What judgements and sessions count.
    #[serde(default)]
    pub learned: LearnedWeights,
    /// What it counts that a request means a declared part.
    #[serde(default = "declared")]
    pub declared: f32,
    /// How raw scores become scores from 0 to 1.
    #[serde(default = "calibration")]
    pub calibration: Calibration,
    /// Weights of the ranking for a change.
    #[serde(default = "change")]
    pub change: BTreeMap<String, f32>,
    #[serde(default = "change_without_history")]
    pub change_without_history: BTreeMap<String, f32>,
}

/// Puts a table over the profile that its `like` names: values of its own go before.
fn merged(mut own: Table) -> Result<Table, String> {
    let Some(like) = own.remove("like") else { return Ok(own) };
    let base = PROFILES
        .iter()
        .find(|(profile, _)| like.as_str() == Some(profile))
        .ok_or_else(|| format!("`like` names no profile: {like}"))?;
    let mut whole: Table = toml::from_str(base.1).map_err(|error| error.to_string())?;
    for (key, value) in own {
        match (whole.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => below.extend(above),
            (_, value) => drop(whole.insert(key, value)),
        }
    }
    Ok(whole)
}

/// The ranking of places has its own file: it is fitted on requests with guesses.
#[derive(Deserialize)]
struct PlaceWeights {
    without_names: BTreeMap<String, f32>,
    with_names: BTreeMap<String, f32>,
}

/// The ranking for a change has its own file: it is fitted on commits, not on tasks.
#[derive(Deserialize)]
struct ChangeWeights {
    change: BTreeMap<String, f32>,
    change_without_history: BTreeMap<String, f32>,
}

/// Maps of a profile; weights from elsewhere use those of the first.
pub(crate) fn calibration_of(profile: &str) -> Option<Calibration> {
    let maps: BTreeMap<String, Calibration> =
        toml::from_str(include_str!("weights/calibration.toml")).ok()?;
    maps.get(profile).copied()
}

fn calibration() -> Calibration {
    PROFILES.first().and_then(|(name, _)| calibration_of(name)).unwrap_or_default()
}

/// As much as most of a request's words in a name: a part that is meant is no proof of each of its symbols.
fn declared() -> f32 {
    1.5
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
        let weights = PROFILES
            .iter()
            .find(|(profile, _)| *profile == name)
            .and_then(|(_, text)| Self::parse(text).ok())?;
        let weights =
            Weights { calibration: calibration_of(name).unwrap_or(weights.calibration), ..weights };
        Some(if name == PLACES_PROFILE { weights.with_places() } else { weights })
    }

    /// Returns the same weights with those of places that ship.
    pub fn with_places(self) -> Weights {
        let read: Result<PlaceWeights, _> = toml::from_str(include_str!("weights/places.toml"));
        match read {
            Ok(read) => {
                Weights { places: read.without_names, places_with_names: read.with_names, ..self }
            }
            Err(_) => self,
        }
    }

    /// Reads weights from TOML.
    pub fn parse(text: &str) -> Result<Weights, String> {
        let own: Table = toml::from_str(text).map_err(|error| error.to_string())?;
        let weights: Weights =
            merged(own)?.try_into().map_err(|error: toml::de::Error| error.to_string())?;
        match weights.parameters.keys().find(|name| Parameters::DEFAULT.get(name).is_none()) {
            Some(name) => Err(format!(
                "there is no parameter `{name}`; known: {}",
                Parameters::NAMES.join(", ")
            )),
            None => Ok(weights),
        }
    }

    /// Returns the weights of the sum that ranks a request, by whether history has a say.
    pub fn table(&self, query: &Query, history: bool) -> &BTreeMap<String, f32> {
        match (self.ranks_places(query), query.names.is_empty()) {
            (true, true) => &self.places,
            (true, false) => &self.places_with_names,
            (false, _) => self.task_table(history),
        }
    }

    /// Returns the weights of the sum over the signals that need no guesses and no windows.
    pub fn task_table(&self, history: bool) -> &BTreeMap<String, f32> {
        if history { &self.task } else { &self.task_without_history }
    }

    /// True when the places of a change are ranked: guesses came along, or the request tells in a
    /// paragraph what is wrong. A few words name the parts that the work is about, and a patch
    /// names its places.
    pub fn ranks_places(&self, query: &Query) -> bool {
        let is_told =
            || query.text.split_whitespace().count() >= PARAGRAPH && !query.text.contains("\n@@ ");
        !self.places.is_empty() && (!query.names.is_empty() || is_told())
    }

    /// Returns settings with what these weights want changed.
    pub fn parameters(&self, usual: &Parameters) -> Parameters {
        let mut parameters = *usual;
        for (name, value) in &self.parameters {
            // Names were checked when the weights were read.
            parameters.set(name, *value);
        }
        parameters
    }

    /// Returns whether a signal has a weight in any of the tables.
    pub fn asks_for(&self, signal: &str) -> bool {
        [&self.first, &self.first_without_history, &self.task, &self.task_without_history]
            .iter()
            .any(|table| table.get(signal).is_some_and(|&weight| weight != 0.0))
    }

    /// Names of the profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PROFILES.iter().map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_may_be_like_another() {
        let (recall, own) = (
            Weights::profile("recall").expect("a profile that ships"),
            Weights::parse("like = \"recall\"\nset_by = \"me\"\n[task]\nbm = 7.0\n")
                .expect("weights"),
        );
        assert_eq!(
            (own.set_by.as_str(), own.task["bm"], own.task["ppr"]),
            ("me", 7.0, recall.task["ppr"])
        );
        assert_eq!(own.task_without_history, recall.task_without_history);
        assert!(Weights::parse("like = \"nothing\"").unwrap_err().contains("nothing"));
    }

    #[test]
    fn every_profile_is_whole() {
        for name in Weights::names() {
            let weights = Weights::profile(name).unwrap_or_else(|| panic!("{name} cannot be read"));
            assert!(calibration_of(name).is_some(), "{name}");
            let maps = [
                weights.calibration.task,
                weights.calibration.task_without_history,
                weights.calibration.search,
            ];
            assert!(
                maps.iter().all(|map| map.slope > 0.0),
                "{name}: a map that turns the order round"
            );
            assert!(
                !weights.change.is_empty() && !weights.change_without_history.is_empty(),
                "{name}"
            );
            assert!(
                weights
                    .change
                    .keys()
                    .chain(weights.change_without_history.keys())
                    .all(|signal| crate::change::NAMES.contains(&signal.as_str()))
            );
        }
    }
}
