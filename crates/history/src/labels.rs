//! Labels of a text's lines (which symbol each belongs to), carried back through changes.
//!
//! Knowing the symbols of the newest text and the changed lines of each commit is enough to say which
//! of today's symbols a commit touched: nothing but the newest text has to be parsed.

use crate::changes::{Hunk, LineRange};

/// Label of a line that belongs to nothing.
pub const UNLABELLED: u32 = u32::MAX;

/// Labels of the lines of one text, as runs of equal labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineLabels {
    /// Line after the run (one-based) and the label of its lines.
    runs: Vec<(u32, u32)>,
}

impl LineLabels {
    /// Labels the lines of nested spans; each is `(first line, last line, label)`, outer spans come
    /// before what they hold, and a line belongs to the last span that has it.
    pub fn of_spans(spans: &[(u32, u32, u32)]) -> Self {
        let mut labels = Self::default();
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut line = 1;
        for &(first, last, label) in spans {
            let first = first.max(line);
            labels.close(&mut open, &mut line, first);
            labels.push_to(first, open.last().map_or(UNLABELLED, |&(_, label)| label), &mut line);
            if last >= first {
                open.push((last, label));
            }
        }
        labels.close(&mut open, &mut line, u32::MAX);
        labels
    }

    /// Ends the open spans that lie before `first`, innermost first.
    fn close(&mut self, open: &mut Vec<(u32, u32)>, line: &mut u32, first: u32) {
        while let Some(&(last, label)) = open.last().filter(|&&(last, _)| last < first) {
            self.push_to(last.saturating_add(1), label, line);
            open.pop();
        }
    }

    fn push_to(&mut self, end: u32, label: u32, line: &mut u32) {
        if end > *line {
            self.push(end - *line, label);
            *line = end;
        }
    }

    /// Adds lines at the end.
    fn push(&mut self, count: u32, label: u32) {
        if count == 0 {
            return;
        }
        let end = self.end().saturating_add(count);
        match self.runs.last_mut() {
            Some(last) if last.1 == label => last.0 = end,
            _ => self.runs.push((end, label)),
        }
    }

    /// Returns the line after the last labelled one.
    fn end(&self) -> u32 {
        self.runs.last().map_or(1, |&(end, _)| end)
    }

    /// Returns the label of a line.
    pub fn at(&self, line: u32) -> u32 {
        let run = self.runs.partition_point(|&(end, _)| end <= line);
        self.runs.get(run).map_or(UNLABELLED, |&(_, label)| label)
    }

    /// Returns the runs that lie in some lines, as counts with their labels; lines after the last run
    /// belong to nothing.
    fn runs_in(&self, lines: LineRange) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut at = lines.start;
        let mut run = self.runs.partition_point(|&(end, _)| end <= lines.start);
        std::iter::from_fn(move || {
            if at >= lines.end() {
                return None;
            }
            let (end, label) = self.runs.get(run).copied().unwrap_or((u32::MAX, UNLABELLED));
            let count = end.min(lines.end()) - at;
            at += count;
            run += 1;
            Some((count, label))
        })
    }

    /// Returns the labels that a change to this text touched; lines taken out count for what lies on
    /// both sides of their place.
    pub fn touched(&self, hunk: &Hunk) -> impl Iterator<Item = u32> + '_ {
        let gone = (hunk.new.count == 0).then(|| self.around(hunk.new.start));
        self.runs_in(hunk.new).map(|(_, label)| label).chain(gone)
    }

    /// Returns the label of the lines on both sides of a place before a line; nothing where they differ.
    fn around(&self, line: u32) -> u32 {
        let before = if line > 1 { self.at(line - 1) } else { UNLABELLED };
        if before == self.at(line) { before } else { UNLABELLED }
    }

    /// Returns the labels of the text before a change that led to this one.
    ///
    /// Lines that stayed keep their label. Replaced lines take those of what replaced them, line by
    /// line and the last one for the rest; lines taken out take what surrounds their place.
    pub fn before(&self, hunks: &[Hunk]) -> Self {
        let mut old = Self::default();
        let mut line = 1;
        for hunk in hunks {
            let kept = LineRange { start: line, count: hunk.new.start.saturating_sub(line) };
            self.runs_in(kept).for_each(|(count, label)| old.push(count, label));
            let mut left = hunk.old.count;
            let mut label = self.around(hunk.new.start);
            for (count, new_label) in self.runs_in(hunk.new) {
                let taken = count.min(left);
                old.push(taken, new_label);
                left -= taken;
                label = new_label;
            }
            old.push(left, label);
            line = hunk.new.end();
        }
        let rest = LineRange { start: line, count: self.end().saturating_sub(line) };
        self.runs_in(rest).for_each(|(count, label)| old.push(count, label));
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunks::line_hunks;
    use proptest::prelude::*;

    fn labels_of(labels: &LineLabels, lines: u32) -> Vec<u32> {
        (1..=lines).map(|line| labels.at(line)).collect()
    }

    #[test]
    fn inner_spans_win() {
        const NONE: u32 = UNLABELLED;
        let labels = LineLabels::of_spans(&[(2, 7, 1), (3, 4, 2), (6, 6, 3), (9, 9, 4)]);
        assert_eq!(labels_of(&labels, 10), [NONE, 1, 2, 2, 1, 3, 1, NONE, 4, NONE]);
        assert_eq!(labels_of(&LineLabels::of_spans(&[]), 2), [NONE, NONE]);
        assert_eq!(labels_of(&LineLabels::of_spans(&[(1, 1, 1), (1, 2, 2)]), 3), [2, 2, NONE]);
    }

    #[test]
    fn labels_go_back_through_a_change() {
        let check = |old: &str,
                     new: &str,
                     labels: &[(u32, u32, u32)],
                     touched: &[u32],
                     before: &[u32]| {
            let new_labels = LineLabels::of_spans(labels);
            let hunks = line_hunks(old.as_bytes(), new.as_bytes()).unwrap();
            let found: Vec<u32> = hunks
                .iter()
                .flat_map(|hunk| new_labels.touched(hunk).collect::<Vec<_>>())
                .collect();
            assert_eq!(found, touched);
            assert_eq!(labels_of(&new_labels.before(&hunks), old.lines().count() as u32), before);
        };
        let two = [(1, 2, 1), (3, 4, 2)];
        check("a\nb\nc\nd\n", "a\nx\nc\nd\n", &two, &[1], &[1, 1, 2, 2]);
        check("a\nc\nd\n", "a\nb\nc\nd\n", &two, &[1], &[1, 2, 2]);
        // Between two symbols something went that neither of them is.
        check("a\nb\nx\nc\nd\n", "a\nb\nc\nd\n", &two, &[UNLABELLED], &[1, 1, UNLABELLED, 2, 2]);
        check("a\nx\nb\nc\nd\n", "a\nb\nc\nd\n", &two, &[1], &[1, 1, 1, 2, 2]);
        check("", "a\nb\nc\nd\n", &two, &[1, 2], &[]);
    }

    proptest! {
        #[test]
        fn lines_that_stay_keep_their_label(old in "[abc\n]{0,60}", new in "[abc\n]{0,60}", spans in proptest::collection::vec((1u32..20, 0u32..8), 0..6)) {
            let mut spans: Vec<(u32, u32)> = spans.into_iter().map(|(first, length)| (first, first + length)).collect();
            spans.sort_by_key(|&(first, last)| (first, std::cmp::Reverse(last)));
            let spans: Vec<(u32, u32, u32)> = spans.into_iter().enumerate().map(|(at, (first, last))| (first, last, at as u32)).collect();
            let labels = LineLabels::of_spans(&spans);
            let hunks = line_hunks(old.as_bytes(), new.as_bytes()).unwrap();
            let before = labels.before(&hunks);
            let (mut old_line, mut new_line) = (1, 1);
            for hunk in hunks.iter().chain([&Hunk { old: LineRange { start: 61, count: 0 }, new: LineRange { start: u32::MAX, count: 0 } }]) {
                while old_line < hunk.old.start && new_line < hunk.new.start {
                    prop_assert_eq!(before.at(old_line), labels.at(new_line));
                    (old_line, new_line) = (old_line + 1, new_line + 1);
                }
                (old_line, new_line) = (hunk.old.end(), hunk.new.end());
            }
        }
    }
}
