//! Polling: the stamps of all files, compared from time to time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use super::filter::{Meaning, meaning};
use super::folders::{Folders, Met};

/// A walk may take this share of the time at most: one part in so many.
const SHARE: u32 = 20;

/// What is compared: size, time of change and, where there is one, the file's number.
type Stamp = (u64, Option<SystemTime>, u64);

/// The tree as it was last seen.
pub(super) struct Poll {
    interval: Duration,
    due: Instant,
    seen: BTreeMap<String, Stamp>,
}

impl Poll {
    /// Remembers the tree as it is.
    pub fn start(folders: &Folders, interval: Duration) -> Self {
        let began = Instant::now();
        let seen = stamps(folders);
        let mut poll = Self { interval, due: began, seen };
        poll.schedule(began);
        poll
    }

    /// Returns when to look next.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Looks again and returns the paths that appeared, changed or went.
    pub fn changes(&mut self, folders: &Folders) -> Vec<String> {
        let began = Instant::now();
        let now = stamps(folders);
        let mut changed: Vec<String> = now
            .iter()
            .filter(|(path, stamp)| self.seen.get(*path) != Some(stamp))
            .map(|(path, _)| path.clone())
            .collect();
        changed.extend(self.seen.keys().filter(|path| !now.contains_key(*path)).cloned());
        self.seen = now;
        self.schedule(began);
        changed
    }

    fn schedule(&mut self, began: Instant) {
        let now = Instant::now();
        self.due = now + self.interval.max((now - began) * SHARE);
    }
}

fn stamps(folders: &Folders) -> BTreeMap<String, Stamp> {
    let mut stamps = BTreeMap::new();
    let walked: Result<(), std::convert::Infallible> = folders.walk("", |met| {
        if let Met::Other(path, entry) = met
            && meaning(path) != Meaning::Ignored
            && let Ok(metadata) = entry.metadata()
        {
            stamps.insert(
                path.to_string(),
                (metadata.len(), metadata.modified().ok(), number(&metadata)),
            );
        }
        Ok(())
    });
    match walked {
        Ok(()) => stamps,
    }
}

#[cfg(unix)]
fn number(metadata: &std::fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ino() ^ (u64::from(metadata.mode()) << 40)
}

#[cfg(not(unix))]
fn number(_metadata: &std::fs::Metadata) -> u64 {
    0
}
