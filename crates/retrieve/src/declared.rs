//! Declared parts of a system as a channel: a request that speaks of a part speaks for its code.
//!
//! [`Parts`] knows the names and summaries of the declared nodes and says which of them a request
//! means; who knows where their code lies makes a [`Declared`] of that, which rankings add up as one
//! named term. Where nothing is declared there is none, and rankings are as if this file were not.

use crate::understand::{Query, is_stop_word};
use contextd_knowledge::Graph;
use contextd_lang::terms::{self, Terms};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the term.
pub const DECLARED: &str = "declared";
/// Parts that one request can mean by its words.
const MOST: usize = 3;
/// Share of a request that must speak of a part which it does not name.
const LEAST: f32 = 0.25;
/// A word of a summary counts for less than one of the name.
const SUMMARY: f32 = 0.6;
/// Most that words alone speak for a part: to name it is surer.
const BY_WORDS: f32 = 0.6;

/// Names and words of the declared nodes.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// In the order of nodes: the name, and the stems of its name and of its summary.
    parts: Vec<(String, BTreeSet<String>, BTreeSet<String>)>,
    /// How few nodes have a word.
    rarity: BTreeMap<String, f32>,
    unknown: f32,
}

impl Parts {
    /// Reads the nodes of a graph.
    pub fn of(graph: &Graph) -> Parts {
        let parts: Vec<_> = graph
            .nodes
            .iter()
            .map(|node| {
                (node.ref_id.to_lowercase(), words_of_name(&node.ref_id), stems(&node.summary))
            })
            .collect();
        let mut with: BTreeMap<String, f32> = BTreeMap::new();
        for (_, name, summary) in &parts {
            name.union(summary).for_each(|word| *with.entry(word.clone()).or_default() += 1.0);
        }
        let count = parts.len() as f32;
        with.values_mut().for_each(|nodes| *nodes = (1.0 + count / *nodes).ln());
        Parts { parts, rarity: with, unknown: (1.0 + count).ln() }
    }

    /// Returns the nodes that a request means, surest first, each with how sure that is (up to 1):
    /// those that it names, else those whose name and summary a good share of its words is in.
    pub fn meant(&self, query: &Query) -> Vec<(usize, f32)> {
        let text = query.text.to_lowercase();
        let mut named: Vec<(usize, f32)> = Vec::new();
        let mut spoken: Vec<(usize, f32)> = Vec::new();
        for (number, (ref_id, name, summary)) in self.parts.iter().enumerate() {
            if is_named(&text, ref_id) {
                named.push((number, 1.0));
            } else {
                spoken.push((number, BY_WORDS * self.share(query, name, summary)));
            }
        }
        spoken.retain(|(_, share)| *share >= BY_WORDS * LEAST);
        spoken.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        named.extend(spoken.into_iter().take(MOST));
        named
    }

    /// Returns the share of a request's words, rare ones counting for more, that a node has.
    fn share(&self, query: &Query, name: &BTreeSet<String>, summary: &BTreeSet<String>) -> f32 {
        let weight = |word: &str| self.rarity.get(word).copied().unwrap_or(self.unknown);
        let (mut all, mut found) = (0.0, 0.0);
        for (word, _) in &query.words {
            all += weight(word);
            found += weight(word)
                * if name.contains(word) {
                    1.0
                } else if summary.contains(word) {
                    SUMMARY
                } else {
                    0.0
                };
        }
        if all > 0.0 { found / all } else { 0.0 }
    }
}

/// A name with a number is meant as a whole or not at all: its words say nothing.
fn words_of_name(ref_id: &str) -> BTreeSet<String> {
    if ref_id.contains(|letter: char| letter.is_ascii_digit()) {
        BTreeSet::new()
    } else {
        stems(ref_id)
    }
}

fn stems(text: &str) -> BTreeSet<String> {
    let (mut memory, mut found) = (Terms::default(), BTreeSet::new());
    for identifier in terms::identifiers(text) {
        terms::parts(identifier, |part| {
            if !is_stop_word(&part.to_lowercase()) {
                found.insert(memory.stem(part).to_owned());
            }
        });
    }
    found
}

/// True when a text, in lower case, has the name for itself. A name that is a plain word must stand in
/// backticks: in prose it may mean anything.
fn is_named(text: &str, ref_id: &str) -> bool {
    if ref_id.chars().all(char::is_alphabetic) {
        return text.contains(&format!("`{ref_id}`"));
    }
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    text.match_indices(ref_id).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + ref_id.len()..].starts_with(is_part)
    })
}

/// What was declared, seen from one request: symbols and files with how much speaks for them.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    symbols: FxHashMap<u32, f32>,
    files: FxHashMap<u32, f32>,
    candidates: Vec<u32>,
}

impl Declared {
    /// Puts values together; of several for one symbol or file the greatest counts. `candidates` are
    /// brought into the ranking even when no word of the request is in them.
    pub fn new(
        symbols: impl IntoIterator<Item = (u32, f32)>,
        files: impl IntoIterator<Item = (u32, f32)>,
        candidates: Vec<u32>,
    ) -> Declared {
        Declared { symbols: greatest(symbols), files: greatest(files), candidates }
    }

    /// Returns the value of a symbol in a file, 0 when nothing declared speaks for it.
    pub fn value(&self, symbol: u32, file: u32) -> f32 {
        self.symbols.get(&symbol).copied().unwrap_or_else(|| self.of_file(file))
    }

    /// Returns the value of a file.
    pub fn of_file(&self, file: u32) -> f32 {
        self.files.get(&file).copied().unwrap_or(0.0)
    }

    /// Returns the symbols that are candidates for being declared alone.
    pub fn candidates(&self) -> &[u32] {
        &self.candidates
    }
}

fn greatest(values: impl IntoIterator<Item = (u32, f32)>) -> FxHashMap<u32, f32> {
    let mut found: FxHashMap<u32, f32> = FxHashMap::default();
    for (of, value) in values {
        let kept = found.entry(of).or_default();
        *kept = kept.max(value);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::understand;
    use contextd_knowledge::graph::File;

    fn parts() -> Parts {
        let yaml = "nodes:\n- ref_id: mcp-server\n  kind: service\n  summary: Speaks the protocol of tools\n- ref_id: PROJ-12\n  kind: feature\n  summary: Refunds of single items\n- ref_id: ledger\n  kind: component\n  summary: Books every payment\n";
        Parts::of(&Graph::of(vec![File::parse(yaml, "graph.yml").0]).0)
    }

    #[track_caller]
    fn check(request: &str, expected: &[usize]) {
        let meant: Vec<usize> =
            parts().meant(&understand(request)).into_iter().map(|(node, _)| node).collect();
        assert_eq!(meant, expected, "{request}");
    }

    #[test]
    fn a_name_is_meant_where_it_stands_for_itself() {
        check("what does proj-12 change", &[1]);
        check("PROJ-123 is something else", &[]);
        check("start the mcp-server twice", &[0]);
        check("close `ledger`", &[2]);
        assert_eq!(parts().meant(&understand("PROJ-12"))[0].1, 1.0);
    }

    #[test]
    fn words_of_name_and_summary_mean_a_part_when_they_are_a_good_share() {
        check("refund an item", &[1]);
        check("book payments", &[2]);
        check("let the window keep its size when the second screen is taken away", &[]);
        let by_words = parts().meant(&understand("book payments"))[0].1;
        assert!(by_words > 0.0 && by_words < 1.0);
    }

    #[test]
    fn of_several_values_the_greatest_counts_and_a_symbol_goes_before_its_file() {
        let declared = Declared::new([(1, 0.2), (1, 0.5)], [(7, 0.3)], Vec::new());
        assert_eq!(
            (declared.value(1, 7), declared.value(2, 7), declared.value(2, 8)),
            (0.5, 0.3, 0.0)
        );
    }
}
