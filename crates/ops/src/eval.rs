//! Evaluation: how well retrieval answers tasks whose answers are known.
//!
//! [`read`] takes tasks from JSON lines, [`answer_tasks`] answers them, [`measured`] sums up.

mod bootstrap;
mod from_git;
mod matching;
mod metrics;
mod places;
mod run;
mod settings;
mod table;
mod tasks;
mod touched;

pub use bootstrap::{Estimate, estimate};
pub use from_git::{PastReport, Way, change_signals, from_git, mine, past_table};
pub use matching::{matches, normalize, same_name};
pub use metrics::{Measures, measure};
pub use places::{EvalRanking, Place, places};
pub use run::{Answered, EvalOptions, answer_tasks, measured};
pub use settings::{Setting, ablation, measure_settings, settings_table, sweep};
pub use table::{Row, Table};
pub use tasks::{EvalTask, Target, Truth, read};
