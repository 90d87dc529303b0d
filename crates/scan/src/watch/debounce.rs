//! Collecting changes until they pause.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{Changes, RescanReason};

/// More paths than this are reported as a rescan.
const MOST_PATHS: usize = 10_000;

/// Changes that wait for a pause. Knows no clock: the time is handed in.
#[derive(Debug)]
pub(super) struct Debounce {
    quiet: Duration,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    first: Instant,
    last: Instant,
    changes: Changes,
}

impl Debounce {
    pub fn new(quiet: Duration) -> Self {
        Self { quiet, pending: None }
    }

    /// Adds a changed path.
    pub fn add_path(&mut self, path: String, now: Instant) {
        self.add(Changes::Paths(BTreeSet::from([path])), now);
    }

    /// Makes the next report a rescan.
    pub fn add_rescan(&mut self, reason: RescanReason, now: Instant) {
        self.add(Changes::Rescan(reason), now);
    }

    /// Returns when the next report is due, if anything waits.
    pub fn deadline(&self) -> Option<Instant> {
        self.pending
            .as_ref()
            .map(|pending| (pending.last + self.quiet).min(pending.first + self.quiet * 4))
    }

    /// Returns the report that is due.
    pub fn take_due(&mut self, now: Instant) -> Option<Changes> {
        if self.deadline()? > now {
            return None;
        }
        self.pending.take().map(|pending| pending.changes)
    }

    fn add(&mut self, changes: Changes, now: Instant) {
        let (first, changes) = match self.pending.take() {
            Some(pending) => (pending.first, pending.changes.join(changes)),
            None => (now, changes),
        };
        let changes = match changes {
            Changes::Paths(paths) if paths.len() > MOST_PATHS => {
                Changes::Rescan(RescanReason::ManyChanges)
            }
            other => other,
        };
        self.pending = Some(Pending { first, last: now, changes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(100);

    #[test]
    fn a_report_waits_for_the_pause() {
        let start = Instant::now();
        let mut debounce = Debounce::new(QUIET);
        assert_eq!(debounce.deadline(), None);
        debounce.add_path("a".into(), start);
        debounce.add_path("b".into(), start + QUIET / 2);
        assert_eq!(debounce.take_due(start + QUIET), None);
        let paths = BTreeSet::from(["a".to_string(), "b".to_string()]);
        assert_eq!(debounce.take_due(start + QUIET * 3 / 2), Some(Changes::Paths(paths)));
        assert_eq!(debounce.take_due(start + QUIET * 9), None);
    }

    #[test]
    fn events_without_pause_wait_four_times_at_most() {
        let start = Instant::now();
        let mut debounce = Debounce::new(QUIET);
        for step in 0..40 {
            debounce.add_path("a".into(), start + QUIET / 10 * step);
        }
        assert_eq!(debounce.deadline(), Some(start + QUIET * 4));
    }

    #[test]
    fn a_rescan_swallows_paths_and_many_paths_become_one() {
        let start = Instant::now();
        let mut debounce = Debounce::new(QUIET);
        debounce.add_rescan(RescanReason::Git, start);
        debounce.add_path("a".into(), start);
        assert_eq!(debounce.take_due(start + QUIET), Some(Changes::Rescan(RescanReason::Git)));
        for number in 0..=MOST_PATHS {
            debounce.add_path(number.to_string(), start);
        }
        assert_eq!(
            debounce.take_due(start + QUIET),
            Some(Changes::Rescan(RescanReason::ManyChanges))
        );
    }
}
