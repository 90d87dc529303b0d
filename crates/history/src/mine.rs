//! Tasks from a repository's own past: a commit message asks, the files it touched answer.

use crate::query_text::query_text;
use crate::rows::CommitId;
use crate::view::{CommitView, HistoryView};
use rustc_hash::FxHashSet;

/// Which commits become tasks.
pub struct MiningRules<'a> {
    /// Source files that a commit may touch, at most.
    pub max_sources: usize,
    /// Files of any kind that a commit may touch, at most.
    pub max_files: usize,
    /// Tells whether a path is in the index.
    pub is_present: &'a dyn Fn(&str) -> bool,
    /// Tells whether a path holds tests.
    pub is_test: &'a dyn Fn(&str) -> bool,
    /// Tells whether a path is source code.
    pub is_source: &'a dyn Fn(&str) -> bool,
}

/// Files of any kind that a mined commit touches at most, by default.
pub const MAX_MINED_FILES: usize = 30;
/// Source files that a mined commit touches at most, by default.
pub const MAX_MINED_SOURCES: usize = 5;

/// One commit as a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinedTask {
    /// Number of the commit: history up to and including it is hidden from the answer, so only
    /// commits with larger numbers may be used.
    pub commit: u32,
    pub id: CommitId,
    pub query: String,
    /// Touched source files by their present paths, sorted.
    pub files: Vec<String>,
}

/// Commits that were looked at and left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAside {
    pub merges: usize,
    /// Written by a machine.
    pub bots: usize,
    /// Touch more files than the rules allow.
    pub large: usize,
    /// Touch source files, none of which is still there.
    pub vanished: usize,
    /// Touch no source file besides tests.
    pub no_source: usize,
    /// The message says nothing once trailers, numbers and paths are gone.
    pub silent: usize,
    /// Files are not known: the edge of a shallow clone, or damage.
    pub unknown: usize,
    /// Files of mined commits that are gone; the commits were kept for their other files.
    pub vanished_files: usize,
}

/// Tasks with the count of what was set aside on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mined {
    /// Newest first.
    pub tasks: Vec<MinedTask>,
    pub set_aside: SetAside,
    /// Commits that were looked at.
    pub looked_at: usize,
}

/// Turns the newest `count` fitting commits into tasks.
pub fn mine_tasks(history: HistoryView<'_>, count: usize, rules: &MiningRules<'_>) -> Mined {
    let names = file_names(&history);
    let mut mined = Mined::default();
    for commit in history.commits() {
        if mined.tasks.len() >= count {
            break;
        }
        mined.looked_at += 1;
        mined.tasks.extend(task(&history, commit, rules, &names, &mut mined.set_aside));
    }
    mined
}

fn task(
    history: &HistoryView<'_>,
    commit: CommitView<'_>,
    rules: &MiningRules<'_>,
    names: &FxHashSet<&str>,
    aside: &mut SetAside,
) -> Option<MinedTask> {
    let touches = commit.touches();
    let unknown = crate::commit_flag::BOUNDARY | crate::commit_flag::FILES_UNKNOWN;
    let reason = if commit.is_merge() {
        Some(&mut aside.merges)
    } else if commit.has(unknown) {
        Some(&mut aside.unknown)
    } else if is_bot(commit.author_name(), commit.author_email()) {
        Some(&mut aside.bots)
    } else if touches.len() + commit.outside() as usize > rules.max_files
        || commit.has(crate::commit_flag::FILES_CUT)
    {
        Some(&mut aside.large)
    } else {
        None
    };
    if let Some(reason) = reason {
        *reason += 1;
        return None;
    }
    let is_target = |path: &&str| (rules.is_source)(path) && !(rules.is_test)(path);
    let (mut files, mut gone): (Vec<&str>, Vec<&str>) = touches
        .iter()
        .map(|touch| history.path(touch.file))
        .filter(is_target)
        .partition(|path| (rules.is_present)(path));
    for list in [&mut files, &mut gone] {
        list.sort_unstable();
        list.dedup();
    }
    let query = query_text(commit.subject(), commit.body(), &|word| names.contains(word));
    let reason = match (files.len(), gone.len()) {
        (0, 0) => Some(&mut aside.no_source),
        (0, _) => Some(&mut aside.vanished),
        (present, _) if present > rules.max_sources => Some(&mut aside.large),
        _ if query.is_empty() => Some(&mut aside.silent),
        _ => None,
    };
    if let Some(reason) = reason {
        *reason += 1;
        return None;
    }
    aside.vanished_files += gone.len();
    let files = files.into_iter().map(str::to_owned).collect();
    Some(MinedTask { commit: commit.number, id: commit.id(), query, files })
}

/// Returns all paths and the file names with an extension: as words of a message they name files.
fn file_names<'a>(history: &HistoryView<'a>) -> FxHashSet<&'a str> {
    let mut names = FxHashSet::default();
    for file in 0..history.file_count() as u32 {
        let path = history.path(file);
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.trim_start_matches('.').contains('.') {
            names.insert(name);
        }
        if path.contains('/') {
            names.insert(path);
        }
    }
    names
}

/// Names under which services commit.
const SERVICES: &[&str] = &[
    "dependabot",
    "renovate",
    "greenkeeper",
    "pre-commit-ci",
    "github-actions",
    "github actions",
    "weblate",
    "snyk",
];

fn is_bot(name: &str, email: &str) -> bool {
    let (lower, email) = (name.to_lowercase(), email.to_lowercase());
    let is_service = |text: &str| SERVICES.iter().any(|service| text.starts_with(service));
    let is_bot_word =
        |word: &str| word == "bot" || word.ends_with("-bot") || word.ends_with("_bot");
    // Surnames end in "bot" too, so a run-together name counts only when it stands alone.
    let alone = !lower.trim().contains(' ') && lower.trim().ends_with("bot");
    lower.contains("[bot]")
        || email.contains("[bot]")
        || is_service(&lower)
        || is_service(&email)
        || alone
        || lower.split_whitespace().any(is_bot_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_told_from_people() {
        for bot in
            ["dependabot[bot]", "jekyllbot", "Release Bot", "ci-bot", "renovate", "pre-commit-ci"]
        {
            assert!(is_bot(bot, ""), "{bot}");
        }
        assert!(is_bot("x", "49699333+dependabot[bot]@users.noreply.example"));
        for person in ["Ann Talbot", "Robot Ics", "Bo Tan", ""] {
            assert!(!is_bot(person, "ann@example.org"), "{person}");
        }
    }
}
