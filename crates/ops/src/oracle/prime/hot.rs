//! Files that change most.

use super::Project;
use contextd_lang::paths;

/// Seconds of ninety days.
const QUARTER: i64 = 90 * 24 * 3600;
/// Files that are shown.
const SHOWN: usize = 5;

/// Returns the code files with the most commits in the ninety days before the head; where so little
/// happened, in all of the known history.
pub fn hot_spots(project: &Project<'_>) -> Vec<String> {
    let snapshot = &project.reader.snapshot;
    let history = project.reader.history.view();
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for file in 0..snapshot.file_count() {
        let path = snapshot.file(file).path();
        if paths::is_test(path)
            || paths::is_documentation(path)
            || !contextd_lang::LanguageId(snapshot.file(file).language()).get().full
        {
            continue;
        }
        let Some(number) = history.file(path) else { continue };
        let commits = history.file_commits(number);
        let young = commits
            .iter()
            .take_while(|&&commit| {
                history
                    .commit(commit)
                    .is_some_and(|commit| history.head_time - commit.commit_time() <= QUARTER)
            })
            .count();
        found.push((young, commits.len(), path));
    }
    let recent = found.iter().filter(|(young, _, _)| *young > 1).count() >= 3;
    found.retain(|&(young, all, _)| if recent { young > 1 } else { all > 2 });
    found.sort_by_key(|&(young, all, path)| {
        (std::cmp::Reverse(if recent { young } else { all }), std::cmp::Reverse(all), path)
    });
    found
        .into_iter()
        .take(SHOWN)
        .map(|(young, all, path)| {
            if recent {
                format!("{path}: {young} commits in 90 days, {all} in all")
            } else {
                format!("{path}: {all} commits")
            }
        })
        .collect()
}
