//! How much care a change needs, as a number with its reasons.
//!
//! The score adds up, each part capped: declarations that others use (0.4), how far the change reaches
//! (0.2), changed code that no test runs (0.25), the busiest file (0.05), size (0.1), company left out
//! (0.1). Below 0.25 the risk is low, from 0.5 on it is high.

use super::company::Company;
use contextd_engine::{Change, Reader, SymbolChange};
use contextd_retrieve::{Reach, Via};
use std::collections::BTreeSet;

/// Risk of a change.
#[derive(Clone, Debug, Default)]
pub struct Risk {
    pub score: f64,
    pub reasons: Vec<String>,
}

impl Risk {
    /// Returns the word for the score.
    pub fn level(&self) -> &'static str {
        match self.score {
            score if score < 0.25 => "low",
            score if score < 0.5 => "medium",
            _ => "high",
        }
    }

    pub fn of(
        reader: &Reader,
        change: &Change,
        users: &Reach,
        running: &Reach,
        company: &Company,
    ) -> Risk {
        let mut risk = Risk::default();
        risk.exposed(reader, change);
        risk.reaching(reader, users);
        risk.untested(reader, change, running);
        if let Some((path, commits)) =
            company.busiest.as_ref().filter(|(_, commits)| *commits >= 30)
        {
            risk.add(0.05, format!("{path} changes often: {commits} commits"));
        }
        let lines: u32 = change.files.iter().map(|file| file.added + file.removed).sum();
        risk.add(
            0.1 * (f64::from(lines) / 800.0).min(1.0),
            if lines >= 400 { format!("{lines} lines changed") } else { String::new() },
        );
        if let Some(first) = company
            .left_out
            .first()
            .filter(|left| left.together >= 5 && 2 * left.together >= left.of)
        {
            risk.add(
                0.1,
                format!(
                    "{} usually changes with {} ({} of {} commits) and does not here",
                    first.path, first.with, first.together, first.of
                ),
            );
        }
        risk.score = (risk.score.min(1.0) * 100.0).round() / 100.0;
        risk
    }

    fn add(&mut self, points: f64, reason: String) {
        self.score += points;
        if !reason.is_empty() {
            self.reasons.push(reason);
        }
    }

    /// Public declarations that changed or went, by their users outside of the change.
    fn exposed(&mut self, reader: &Reader, change: &Change) {
        let changed: BTreeSet<u32> =
            change.symbols.iter().filter_map(|symbol| symbol.number).collect();
        let (mut points, mut count, mut users) = (0.0, 0, 0);
        for symbol in change.symbols.iter().filter(|symbol| {
            symbol.is_public
                && !symbol.is_test
                && matches!(symbol.change, SymbolChange::Signature | SymbolChange::Removed)
        }) {
            let outside = symbol.number.map_or(0, |number| {
                reader
                    .snapshot
                    .graph()
                    .sources(number)
                    .filter(|source| !changed.contains(source))
                    .count()
            });
            points += 0.1 + 0.05 * (1.0 + outside as f64).ln();
            count += 1;
            users += outside;
        }
        self.add(points.min(0.4), if count > 0 { format!("{count} public declarations changed or removed, {users} users outside the change") } else { String::new() });
    }

    fn reaching(&mut self, reader: &Reader, users: &Reach) {
        let reached = users
            .all()
            .iter()
            .filter(|reached| reached.confidence >= 0.9 && !reader.catalog.is_test(reached.symbol))
            .count();
        let reason =
            if reached >= 10 { format!("{reached} symbols lean on it") } else { String::new() };
        self.add((0.08 * (1.0 + reached as f64).log10()).min(0.2), reason);
    }

    /// Changed callables from which no test can be reached.
    fn untested(&mut self, reader: &Reader, change: &Change, running: &Reach) {
        if reader.suite().tests.is_empty() {
            return;
        }
        let callables: Vec<_> = change
            .symbols
            .iter()
            .filter(|symbol| {
                symbol.kind.is_callable()
                    && !symbol.is_test
                    && symbol.change != SymbolChange::Removed
            })
            .collect();
        let tested = |number: u32| {
            let reach = contextd_retrieve::reach(
                &reader.snapshot,
                &reader.catalog,
                reader.suite(),
                &[(number, 1.0)],
                &contextd_retrieve::ReachOptions {
                    most: 5_000,
                    ..contextd_retrieve::ReachOptions::TESTS
                },
            );
            reader.suite().tests.iter().any(|&test| runs(&reach, test))
        };
        let any = reader.suite().tests.iter().any(|&test| runs(running, test));
        let untested: Vec<&str> = callables
            .iter()
            .take(40)
            .filter(|symbol| !any || !symbol.number.is_some_and(tested))
            .map(|symbol| symbol.name.as_str())
            .collect();
        if let Some(first) = untested.first() {
            let share = untested.len() as f64 / callables.len().clamp(1, 40) as f64;
            self.add(
                0.25 * share,
                format!(
                    "no test reaches {} of {} changed callables, {first} among them",
                    untested.len(),
                    callables.len()
                ),
            );
        }
    }
}

/// A name alone does not show that a test runs something.
fn runs(reach: &Reach, test: u32) -> bool {
    reach.get(test).is_some_and(|reached| reached.via != Via::Name)
}
