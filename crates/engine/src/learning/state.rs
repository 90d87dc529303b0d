//! Judgements of a ledger, as far as they hold for a snapshot.

use super::digest;
use super::packages::PackageRoots;
use crate::reader::Reader;
use contextd_retrieve::learned::{Memory, Observation};
use contextd_store::{Feedback, Verdict};
use std::collections::BTreeMap;

/// What was learned about one snapshot.
pub struct LearnedState {
    pub memory: Memory,
    /// Hash of the judgements that hold: equal states have equal versions, wherever they were made.
    pub version: String,
    /// Judgements that count.
    pub valid: usize,
    /// Judgements about code that has changed since, or is gone.
    pub expired: usize,
    pub packages: PackageRoots,
}

impl LearnedState {
    /// Sorts out which judgements hold and adds them up.
    pub fn of(reader: &Reader, feedback: &[Feedback]) -> LearnedState {
        let packages = PackageRoots::of(&reader.snapshot);
        let mut numbers: BTreeMap<&str, Option<u32>> = BTreeMap::new();
        let mut observations = Vec::new();
        let mut lines = Vec::new();
        for row in feedback {
            let number = *numbers.entry(&row.target).or_insert_with(|| find(reader, &row.target));
            let Some(symbol) =
                number.filter(|&symbol| holds(reader, &packages, symbol, &row.anchor))
            else {
                continue;
            };
            let (useful, useless) = weight(row.verdict);
            observations.push(Observation {
                symbol,
                words: row.words.clone(),
                useful,
                useless,
                chance: row.chance.map(|chance| chance as f32),
            });
            lines.push(format!(
                "{}\0{}\0{}\0{:?}",
                row.target,
                row.verdict,
                row.words.join(" "),
                row.chance
            ));
        }
        lines.sort_unstable();
        let valid = observations.len();
        let version =
            if valid == 0 { "none".to_owned() } else { digest(lines.iter().map(String::as_str)) };
        LearnedState {
            memory: Memory::of(&reader.catalog.kind, &observations),
            version,
            valid,
            expired: feedback.len() - valid,
            packages,
        }
    }
}

/// Returns whether a judgement still counts; the code it is about must be what it was.
fn holds(reader: &Reader, packages: &PackageRoots, symbol: u32, anchor: &str) -> bool {
    !anchor.is_empty() && packages.anchor(reader.snapshot.symbol(symbol).path()) == anchor
}

fn find(reader: &Reader, target: &str) -> Option<u32> {
    reader.numbers.of(&reader.snapshot, target)
}

/// Said outright counts for more than seen from what was used.
fn weight(verdict: Verdict) -> (f32, f32) {
    match verdict {
        Verdict::Useful => (2.0, 0.0),
        Verdict::Used => (1.0, 0.0),
        Verdict::NotUseful => (0.0, 3.0),
        Verdict::Unused => (0.0, 1.0),
    }
}
