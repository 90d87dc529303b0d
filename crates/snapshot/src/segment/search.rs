//! Finds terms and names in a segment.

use super::Segment;
use super::section::Section;
use super::strings::lower_chars;
use crate::column::partition_point;
use crate::postings::{Dictionary, TermPostings};
use std::ops::Range;

impl Segment {
    pub(super) fn dictionary(&self) -> Dictionary<'_> {
        Dictionary {
            count: self.counts().terms,
            terms: self.section(Section::Terms),
            term_ends: self.column(Section::TermEnds),
            term_postings: self.column(Section::TermPostings),
            postings: self.section(Section::Postings),
            file_ends: self.column(Section::FileSymbolEnd),
            files: self.counts().files,
            symbols: self.counts().symbols,
            cells: self.counts().cells,
        }
    }

    /// Returns where a term stands. Terms are words as the extractor's `terms` make them, and whole
    /// compound identifiers behind one marking character.
    pub fn term(&self, term: &str) -> Option<TermPostings<'_>> {
        self.dictionary().find(term)
    }

    /// Returns up to `limit` terms that start with `prefix`, in order, with their postings.
    pub fn terms_with_prefix(&self, prefix: &str, limit: usize) -> Vec<(String, TermPostings<'_>)> {
        let mut found = Vec::new();
        if limit > 0 {
            self.dictionary().with_prefix(prefix, |term, postings| {
                found.push((term.to_owned(), postings));
                found.len() < limit
            });
        }
        found
    }

    /// Returns the symbols with exactly that name, rising.
    pub fn symbols_named(&self, name: &str) -> Vec<u32> {
        let mut symbols = self.symbols_named_like(name);
        symbols.retain(|&symbol| self.name(symbol) == name);
        symbols
    }

    /// Returns the symbols with that name in any case, rising.
    pub fn symbols_named_like(&self, name: &str) -> Vec<u32> {
        let lower: String = lower_chars(name).collect();
        let first = self.first_name_not_before(&lower);
        let last = (first..self.counts().names)
            .find(|&number| !lower_chars(self.name_string(number)).eq(lower.chars()));
        let mut symbols =
            self.symbols_with_names(first..last.unwrap_or(self.counts().names), usize::MAX);
        symbols.sort_unstable();
        symbols
    }

    /// Returns up to `limit` symbols whose name starts with `prefix` in any case, in name order.
    pub fn symbols_with_prefix(&self, prefix: &str, limit: usize) -> Vec<u32> {
        let lower: String = lower_chars(prefix).collect();
        let first = self.first_name_not_before(&lower);
        let starts = |number: u32| {
            let mut name = lower_chars(self.name_string(number));
            lower.chars().all(|expected| name.next() == Some(expected))
        };
        let count = partition_point(self.counts().names - first, |at| starts(first + at));
        self.symbols_with_names(first..first + count, limit)
    }

    fn first_name_not_before(&self, lower: &str) -> u32 {
        partition_point(self.counts().names, |number| {
            lower_chars(self.name_string(number)).lt(lower.chars())
        })
    }

    fn symbols_with_names(&self, names: Range<u32>, limit: usize) -> Vec<u32> {
        let (order, numbers) = (self.column(Section::NameOrder), self.column(Section::SymbolName));
        let first =
            partition_point(self.counts().symbols, |at| numbers.get(order.get(at)) < names.start);
        (first..self.counts().symbols)
            .map(|at| order.get(at))
            .take_while(|&symbol| {
                symbol < self.counts().symbols && names.contains(&numbers.get(symbol))
            })
            .take(limit)
            .collect()
    }
}
