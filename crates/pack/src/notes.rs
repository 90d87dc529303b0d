//! What is no code and yet belongs to an answer: the last commits of the files in question, and rules.

use crate::ids::chunk_uid;
use crate::pack::{ContextItem, Excerpt, Range, Scores, Why};
use crate::time::date;
use contextd_history::{CommitView, HistoryView};
use std::collections::BTreeSet;

/// A rule that the project has set down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub name: String,
    /// File that declares it.
    pub path: String,
    pub line: u32,
    pub text: String,
}

/// Commits shown.
const COMMITS: usize = 5;
/// Commits of one file that are looked at.
const OF_FILE: usize = 3;
/// Files named with a commit.
const FILES: usize = 6;

/// Returns the last commits that touched `paths`, newest first.
pub fn commits(history: &HistoryView<'_>, paths: &[String]) -> Vec<ContextItem> {
    let mut numbers: BTreeSet<u32> = BTreeSet::new();
    for path in paths {
        let Some(file) = history.file(path) else { continue };
        let wanted = history
            .file_commits(file)
            .iter()
            .copied()
            .filter(|&number| history.commit(number).is_some_and(|commit| !commit.is_merge()));
        numbers.extend(wanted.take(OF_FILE));
    }
    // Commits are numbered from the newest.
    numbers
        .into_iter()
        .filter_map(|number| history.commit(number))
        .take(COMMITS)
        .map(|commit| item_of_commit(&commit, paths))
        .collect()
}

fn item_of_commit(commit: &CommitView<'_>, paths: &[String]) -> ContextItem {
    let id = commit.id().to_string();
    let short: String = id.chars().take(12).collect();
    let touched: Vec<&str> = commit.changes().map(|(_, path, _)| path).collect();
    let path = touched
        .iter()
        .find(|path| paths.iter().any(|wanted| wanted == *path))
        .or(touched.first())
        .copied()
        .unwrap_or_default();
    let more = if touched.len() > FILES {
        format!(" and {} more", touched.len() - FILES)
    } else {
        String::new()
    };
    let text = format!(
        "{short} {} {}\n{}{more}",
        date(commit.commit_time()),
        commit.subject(),
        touched.iter().take(FILES).copied().collect::<Vec<_>>().join(" ")
    );
    note("commit", "recent-commit", &short, path, 0, commit.subject(), text, &id)
}

/// Returns a rule as an item.
pub fn rule(rule: &Rule) -> ContextItem {
    note(
        "rule",
        "rule-in-force",
        &rule.name,
        &rule.path,
        rule.line,
        &rule.name,
        rule.text.clone(),
        "",
    )
}

#[allow(clippy::too_many_arguments, reason = "one for each part of an item")]
fn note(
    kind: &str,
    why: &str,
    name: &str,
    path: &str,
    line: u32,
    title: &str,
    text: String,
    hash: &str,
) -> ContextItem {
    ContextItem {
        kind: kind.to_owned(),
        symbol_id: None,
        chunk_uid: chunk_uid(path, kind, name, &text),
        file_rel_path: path.to_owned(),
        range: Range { start: 0, end: 0 },
        lines: Range { start: line, end: line },
        language_id: if kind == "commit" { "git" } else { "text" }.to_owned(),
        symbol_kind: kind.to_owned(),
        name: name.to_owned(),
        title: title.to_owned(),
        excerpt: Excerpt {
            text,
            detail: "body".to_owned(),
            truncated: false,
            truncation: None,
            redacted: false,
            lines: Vec::new(),
        },
        content_hash: hash.to_owned(),
        stale: false,
        known: false,
        scores: Scores::default(),
        why: Why { rule: why.to_owned(), ..Why::default() },
    }
}
