//! A connection to the ledger that is kept between accounts: to open one costs more than to write a row.

use contextd_engine::{Engine, Result};
use contextd_store::SqliteLedger;
use std::path::Path;

/// The open ledger, if any, with what tells its file from another one at the same place.
#[derive(Default)]
pub(crate) struct KeptLedger {
    open: Option<(Mark, SqliteLedger)>,
}

/// Identity of a file; equal marks mean the same file.
type Mark = (u64, u64);

impl KeptLedger {
    /// Returns the ledger, opened anew when its file was replaced or removed since.
    pub(crate) fn open(&mut self, engine: &Engine) -> Result<&mut SqliteLedger> {
        let path = engine.places.ledger();
        let now = mark(&path);
        let kept = self.open.take().filter(|(of, _)| Some(*of) == now);
        let (of, ledger) = match kept {
            Some(kept) => kept,
            None => {
                let ledger = engine.ledger()?;
                // Where files have no identity the mark never fits, and the next account opens it again.
                (mark(&path).unwrap_or_default(), ledger)
            }
        };
        Ok(&mut self.open.insert((of, ledger)).1)
    }
}

#[cfg(unix)]
fn mark(path: &Path) -> Option<Mark> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn mark(_path: &Path) -> Option<Mark> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_store::{Ledger, Session};
    use contextd_testkit::Fixture;

    #[test]
    fn a_replaced_ledger_is_opened_anew() {
        let fixture = Fixture::shop();
        let engine = fixture.engine();
        let mut kept = KeptLedger::default();
        let next = |old: Option<Session>| Session { session_id: "s".to_owned(), started_at: 1, last_seen_at: 1, step: old.map_or(0, |old| old.step) + 1, state: Vec::new() };
        let step = |kept: &mut KeptLedger| kept.open(&engine).unwrap().update_session("s", &mut |old| next(old)).unwrap().step;
        assert_eq!((step(&mut kept), step(&mut kept)), (1, 2));
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
            let _ = std::fs::remove_file(engine.places.index.join(name));
        }
        assert_eq!(step(&mut kept), 1, "what is gone is not written to");
        assert_eq!(engine.ledger().unwrap().session("s").unwrap().unwrap().step, 1);
    }
}
