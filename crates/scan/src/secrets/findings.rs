//! Findings: ranges that hold a secret; merging them, moving them between texts, applying them.

use std::borrow::Cow;

use super::MARK;
use super::audit::newlines;

/// A byte range that holds a secret, with the rule that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub start: usize,
    pub end: usize,
    pub rule: Cow<'static, str>,
    /// Lower wins when two rules claim the same bytes: specific formats stand before general ones.
    pub priority: u16,
}

/// Returns the findings sorted, joined where they overlap, without those that touch a mark.
pub(super) fn normalise(text: &str, mut found: Vec<Finding>) -> Vec<Finding> {
    if found.is_empty() {
        return found;
    }
    for finding in &mut found {
        trim(text, finding);
    }
    found.retain(|finding| finding.start < finding.end && !touches_mark(text.as_bytes(), finding));
    join(found)
}

/// Takes white space off both ends: it is no secret, and the line feeds after a mark must not look like new text.
fn trim(text: &str, finding: &mut Finding) {
    let value = &text[finding.start..finding.end];
    finding.end = finding.start + value.trim_end().len();
    finding.start = finding.end - value.trim().len();
}

/// Returns both lists as one, sorted and joined.
pub(super) fn merge(mut first: Vec<Finding>, second: Vec<Finding>) -> Vec<Finding> {
    first.extend(second);
    join(first)
}

/// Moves a finding from the text in which `applied` are already replaced to the original's coordinates.
///
/// The finding touches no mark and neither begins nor ends with white space, so it lies between two marks.
pub(super) fn to_original(mut finding: Finding, applied: &[Finding], original: &str) -> Finding {
    let mut shift: isize = 0;
    for earlier in applied {
        let replaced = replacement_length(original, earlier) as isize;
        let original_length = (earlier.end - earlier.start) as isize;
        // Position of the end of the mark in the replaced text.
        let mark_end = earlier.start as isize - shift + replaced;
        if (finding.start as isize) < mark_end {
            break;
        }
        shift += original_length - replaced;
    }
    finding.start = finding.start.saturating_add_signed(shift);
    finding.end = finding.end.saturating_add_signed(shift);
    finding
}

/// Returns `original` with each finding replaced by the mark and as many line feeds as it held.
pub(super) fn apply(original: &str, findings: &[Finding]) -> String {
    let mut text = String::with_capacity(original.len() + findings.len() * MARK.len());
    let mut copied_to = 0;
    for finding in findings {
        text.push_str(&original[copied_to..finding.start]);
        text.push_str(MARK);
        for _ in 0..newlines(&original.as_bytes()[finding.start..finding.end]) {
            text.push('\n');
        }
        copied_to = finding.end;
    }
    text.push_str(&original[copied_to..]);
    text
}

fn replacement_length(original: &str, finding: &Finding) -> usize {
    MARK.len() + newlines(&original.as_bytes()[finding.start..finding.end]) as usize
}

fn join(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| (finding.start, finding.priority, finding.end));
    let mut joined: Vec<Finding> = Vec::with_capacity(found.len());
    for finding in found {
        match joined.last_mut() {
            Some(last) if finding.start < last.end => {
                last.end = last.end.max(finding.end);
                if finding.priority < last.priority {
                    last.rule = finding.rule;
                    last.priority = finding.priority;
                }
            }
            _ => joined.push(finding),
        }
    }
    joined
}

/// Tells whether a mark shares a byte with the finding.
fn touches_mark(bytes: &[u8], finding: &Finding) -> bool {
    let reach = MARK.len() - 1;
    let from = finding.start.saturating_sub(reach);
    let to = (finding.end + reach).min(bytes.len());
    bytes[from..to].windows(MARK.len()).any(|window| window == MARK.as_bytes())
}
