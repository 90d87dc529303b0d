//! The same tasks under many settings: sweeps of named parameters, and the ablation table.

use super::metrics::{Measures, measure};
use super::places::{EvalRanking, places};
use super::run::below;
use super::table::{Row, Table};
use super::tasks::EvalTask;
use crate::error::OpError;
use contextd_engine::Reader;
use contextd_retrieve::{Parameters, Sources, Weights, signals, understand_with};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// One way to run the pipeline.
#[derive(Clone, Debug)]
pub struct Setting {
    pub name: String,
    pub weights: Weights,
    pub parameters: Parameters,
    /// False where the history channel is switched off.
    pub history: bool,
}

impl Setting {
    /// Returns the pipeline as it ships, with given weights.
    pub fn base(weights: &Weights) -> Setting {
        Setting {
            name: "everything on".to_owned(),
            weights: weights.clone(),
            parameters: Parameters::DEFAULT,
            history: true,
        }
    }

    /// Changes what has that name: a parameter, one of seed 004's names for it, or a weight such as
    /// `task.bm`, `search.stem`, `change.git`. False when nothing is called so.
    fn set(&mut self, name: &str, value: f32) -> bool {
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
        match name.split_once('.') {
            Some(("task", signal)) if signals::NAMES.contains(&signal) => {
                self.weights.task.insert(signal.to_owned(), value);
                self.weights.task_without_history.insert(signal.to_owned(), value);
                true
            }
            Some(("search", part)) => self.weights.search.set(part, value),
            Some(("change", signal)) if contextd_retrieve::change::NAMES.contains(&signal) => {
                self.weights.change.insert(signal.to_owned(), value);
                true
            }
            _ => {
                if let Some(own) = self.weights.parameters.get_mut(name) {
                    *own = value;
                }
                self.parameters.set(name, value)
            }
        }
    }
}

/// Names that seed 004 gives to parameters.
const ALIASES: [(&str, &str); 12] = [
    ("Alpha", "restart"),
    ("alpha", "restart"),
    ("MaxIter", "iterations"),
    ("max_iter", "iterations"),
    ("ScoreCutoff", "score_cutoff"),
    ("MaxSeeds", "seeds"),
    ("RRFk", "rrf_k"),
    ("BlastW", "task.blast"),
    ("ConfW", "task.confidence"),
    ("RecencyW", "task.recency"),
    ("DistanceW", "task.distance"),
    ("TestPenalty", "test_penalty"),
];
/// Most settings of one sweep.
const MOST: usize = 500;

/// Reads `NAME=a,b,c` and returns the settings of the whole grid, the base first.
pub fn sweep(weights: &Weights, ranges: &[String]) -> Result<Vec<Setting>, OpError> {
    let mut grid = vec![Setting { name: String::new(), ..Setting::base(weights) }];
    for range in ranges {
        let bad = |why: &str| {
            OpError::request(
                format!("`{range}`: {why}"),
                format!(
                    "Write NAME=a,b,c with a parameter ({}) or a weight such as task.bm, search.stem or change.git.",
                    Parameters::NAMES.join(", ")
                ),
            )
        };
        let (name, list) = range.split_once('=').ok_or_else(|| bad("there is no `=`"))?;
        let values: Option<Vec<f32>> = list
            .split(',')
            .map(|value| value.trim().parse().ok().filter(|value: &f32| value.is_finite()))
            .collect();
        let values = values.ok_or_else(|| bad("the values are not numbers"))?;
        let mut next = Vec::new();
        for (setting, value) in
            grid.iter().flat_map(|setting| values.iter().map(move |value| (setting, value)))
        {
            let mut made = setting.clone();
            if !made.set(name.trim(), *value) {
                return Err(bad("nothing is called so"));
            }
            made.name = format!("{} {}={value}", setting.name, name.trim()).trim().to_owned();
            next.push(made);
        }
        if next.len() > MOST {
            return Err(bad("the grid has more than 500 settings"));
        }
        grid = next;
    }
    grid.insert(0, Setting::base(weights));
    Ok(grid)
}

/// Returns the settings of the ablation table: everything on, then each channel, prior and signal off, one at a time.
pub fn ablation(weights: &Weights, ranking: EvalRanking) -> Vec<Setting> {
    let base = Setting::base(weights);
    let mut all = vec![
        base.clone(),
        Setting { name: "channel history".to_owned(), history: false, ..base.clone() },
    ];
    let mut off = |name: String, parameter: &str, value: f32| {
        let mut setting = Setting { name, ..base.clone() };
        let known = setting.set(parameter, value);
        debug_assert!(known, "{parameter}");
        all.push(setting);
    };
    if ranking == EvalRanking::Search {
        ["symbols", "blocks", "definition", "stem", "git", "activity", "declares"]
            .iter()
            .for_each(|part| off(format!("signal {part}"), &format!("search.{part}"), 0.0));
    } else {
        off("channel walk".to_owned(), "iterations", 0.0);
        off("channel prose".to_owned(), "sections", 0.0);
        off("pool of types".to_owned(), "by_types", 0.0);
        signals::NAMES
            .iter()
            .filter(|signal| weights.asks_for(signal))
            .for_each(|signal| off(format!("signal {signal}"), &format!("task.{signal}"), 0.0));
    }
    for (name, parameter) in [
        ("prior of tests", "test_penalty"),
        ("prior of examples", "aside_penalty"),
        ("prior of foreign code", "foreign_penalty"),
        ("prior of ports", "port_penalty"),
    ] {
        off(name.to_owned(), parameter, 1.0);
    }
    all
}

/// Returns the measures of every task under every setting: one list a setting, in the order of tasks.
pub fn measure_settings(
    reader: &Reader,
    tasks: &[EvalTask],
    settings: &[Setting],
    ranking: EvalRanking,
    k: usize,
) -> Vec<Vec<Measures>> {
    let one = |setting: &Setting| -> Vec<Measures> {
        let sources = reader.sources(None);
        let sources = Sources {
            commits: sources.commits.filter(|_| setting.history),
            parameters: &setting.parameters,
            ..sources
        };
        let measured = |task: &EvalTask| {
            task.truth.as_ref().map(|truth| {
                measure(
                    &below(
                        &places(
                            reader,
                            &sources,
                            &understand_with(&task.query, &task.names),
                            &setting.weights,
                            ranking,
                            k,
                        ),
                        task.root(),
                    ),
                    truth,
                )
            })
        };
        tasks.par_iter().filter_map(measured).collect()
    };
    settings.iter().map(one).collect()
}

/// Sums up settings over repositories: `parts` has, for each repository, the lists of [`measure_settings`].
/// With `mean_of_repositories` every repository counts the same, as the files benchmark does.
pub fn settings_table(
    by: &str,
    names: &[String],
    parts: &BTreeMap<String, Vec<Vec<Measures>>>,
    mean_of_repositories: bool,
) -> Table {
    let mean = |at: usize| -> (usize, Measures) {
        let lists: Vec<&Vec<Measures>> = parts
            .values()
            .filter_map(|lists| lists.get(at))
            .filter(|list| !list.is_empty())
            .collect();
        let count = lists.iter().map(|list| list.len()).sum();
        let each: Vec<Measures> = if mean_of_repositories {
            lists.iter().map(|list| Measures::mean(list)).collect()
        } else {
            lists.into_iter().flatten().copied().collect()
        };
        (count, Measures::mean(&each))
    };
    let base = mean(0).1;
    let rows = names.iter().enumerate().map(|(at, name)| {
        let (tasks, measures) = mean(at);
        let change = [
            measures.precision - base.precision,
            measures.strict_recall - base.strict_recall,
            measures.ndcg - base.ndcg,
        ];
        let values = measures.values().into_iter().take(5).chain(change).map(Some).collect();
        Row { name: name.clone(), tasks, values }
    });
    let heads = Measures::NAMES
        .iter()
        .take(5)
        .chain(&["ΔP@10", "ΔstrictR@10", "ΔNDCG@10"])
        .map(|head| (*head).to_owned())
        .collect();
    Table { by: by.to_owned(), heads, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_every_combination() {
        let weights = Weights::profile("recall").unwrap();
        let grid =
            sweep(&weights, &["restart=0.2,0.4".to_owned(), "task.bm=0,1,2".to_owned()]).unwrap();
        assert_eq!(grid.len(), 7);
        assert_eq!(
            (grid[1].name.as_str(), grid[6].name.as_str()),
            ("restart=0.2 task.bm=0", "restart=0.4 task.bm=2")
        );
        assert_eq!((grid[6].parameters.restart, grid[6].weights.task["bm"]), (0.4, 2.0));
        assert_eq!(sweep(&weights, &["Alpha=0.9".to_owned()]).unwrap()[1].parameters.restart, 0.9);
        for bad in ["restart", "restart=a", "nothing=1", "task.nothing=1", "restart=nan"] {
            assert!(sweep(&weights, &[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn ablations_differ_from_the_base() {
        let weights = Weights::profile("recall").unwrap();
        for ranking in [EvalRanking::Task, EvalRanking::Search] {
            let all = ablation(&weights, ranking);
            for setting in &all[1..] {
                let same = setting.weights == all[0].weights
                    && setting.parameters == all[0].parameters
                    && setting.history;
                let unweighted = setting.name.strip_prefix("signal ").is_some_and(|signal| {
                    !weights.task.contains_key(signal) || weights.task[signal] == 0.0
                });
                assert!(!same || unweighted, "{}", setting.name);
            }
        }
    }
}
