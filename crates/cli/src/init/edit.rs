//! Changes of a text as data: they can be applied, shown and taken back.

use serde::{Deserialize, Serialize};

/// One replacement, in the offsets of the text before all edits of its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

impl Edit {
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { at, removed: String::new(), inserted: text.into() }
    }

    /// Returns the edit that takes a range of `text` out.
    pub fn remove(text: &str, range: std::ops::Range<usize>) -> Self {
        Self { at: range.start, removed: text[range].to_owned(), inserted: String::new() }
    }
}

/// Returns the text with edits made; they stand in order and do not overlap. `None` when they do not fit.
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut out = String::with_capacity(
        text.len() + edits.iter().map(|edit| edit.inserted.len()).sum::<usize>(),
    );
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.at)?);
        at = edit.at + edit.removed.len();
        if text.get(edit.at..at)? != edit.removed {
            return None;
        }
        out.push_str(&edit.inserted);
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Returns the edits that lead back, in the offsets of the text after `edits`.
pub fn inverse(edits: &[Edit]) -> Vec<Edit> {
    let mut shift = 0;
    let mut out = Vec::with_capacity(edits.len());
    for edit in edits {
        out.push(Edit {
            at: (edit.at as isize + shift) as usize,
            removed: edit.inserted.clone(),
            inserted: edit.removed.clone(),
        });
        shift += edit.inserted.len() as isize - edit.removed.len() as isize;
    }
    out
}

/// Takes edits back in a text that others have changed since: what was inserted must stand there exactly once.
pub fn take_back(text: &str, edits: &[Edit]) -> Option<String> {
    let mut text = text.to_owned();
    for edit in edits.iter().rev().filter(|edit| !edit.inserted.is_empty()) {
        let mut found = text.match_indices(edit.inserted.as_str()).map(|(at, _)| at);
        let (at, None) = (found.next()?, found.next()) else { return None };
        text.replace_range(at..at + edit.inserted.len(), &edit.removed);
    }
    Some(text)
}

/// Unchanged lines shown around a change.
const AROUND: usize = 3;

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// ` `, `+` or `-`.
    pub mark: char,
    pub text: String,
}

/// Returns the lines that differ, with a few around them.
pub fn diff(before: &str, after: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count().min(room);
    let first = same.saturating_sub(AROUND);
    let mut out = Vec::new();
    let mut push = |mark: char, lines: &[&str]| {
        out.extend(lines.iter().map(|line| DiffLine { mark, text: shown(line) }))
    };
    push(' ', &old[first..same]);
    push('-', &old[same..old.len() - tail]);
    push('+', &new[same..new.len() - tail]);
    push(' ', &old[old.len() - tail..(old.len() - tail + AROUND).min(old.len())]);
    out
}

/// Two lines that differ only in their end must look different.
fn shown(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line).to_owned(),
        None => format!("{line} (no line end)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_applied_can_be_taken_back(text in "[a-zé\n]{0,30}", cuts in proptest::collection::vec((0usize..30, 0usize..4, "[x-z]{0,5}"), 0..4)) {
            let mut edits: Vec<Edit> = Vec::new();
            let mut free = 0;
            for (at, length, inserted) in cuts {
                let (at, end) = (free + at, free + at + length);
                let Some(removed) = text.get(at..end) else { continue };
                edits.push(Edit { at, removed: removed.to_owned(), inserted });
                free = end;
            }
            let after = apply(&text, &edits).unwrap();
            prop_assert_eq!(apply(&after, &inverse(&edits)).unwrap(), text);
        }

        #[test]
        fn a_difference_tells_both_texts(before in "([ab]{0,2}\n){0,6}", after in "([ab]{0,2}\n){0,6}") {
            let lines = diff(&before, &after);
            let side = |mark| lines.iter().filter(|line| line.mark == mark).count();
            let (old, new) = (before.lines().count(), after.lines().count());
            prop_assert_eq!(old + side('+'), new + side('-'));
            prop_assert_eq!(before == after, side('+') + side('-') == 0);
        }
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        assert_eq!(
            apply("abc", &[Edit { at: 1, removed: "x".into(), inserted: String::new() }]),
            None
        );
        assert_eq!(apply("abc", &[Edit::insert(9, "x")]), None);
        assert_eq!(take_back("one two one", &[Edit::insert(0, "one")]), None, "not told apart");
        assert_eq!(
            take_back("zero one two", &[Edit::insert(0, "one ")]).as_deref(),
            Some("zero two")
        );
    }
}
