//! How much happens to some files, measured against the head's time.

use contextd_engine::Reader;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// Seconds of thirty days.
const MONTH: i64 = 30 * 24 * 3600;

/// What happened of late.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Activity {
    /// `hot`, `warm`, `cool` or `dormant`.
    pub level: String,
    /// Commits in the thirty days before the head.
    pub commits_30d: u32,
}

/// Returns the activity of files.
pub fn activity<'p>(reader: &Reader, paths: impl Iterator<Item = &'p str>) -> Activity {
    let history = reader.history.view();
    let mut recent: BTreeSet<u32> = BTreeSet::new();
    for path in paths {
        let Some(file) = history.file(path) else { continue };
        let young = |&&number: &&u32| {
            history
                .commit(number)
                .is_some_and(|commit| history.head_time - commit.commit_time() <= MONTH)
        };
        recent.extend(history.file_commits(file).iter().take_while(young));
    }
    let commits = recent.len() as u32;
    let level = match commits {
        0 => "dormant",
        1..=2 => "cool",
        3..=9 => "warm",
        _ => "hot",
    };
    Activity { level: level.to_owned(), commits_30d: commits }
}
