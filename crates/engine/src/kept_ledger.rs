//! A connection to the ledger that is kept between questions: to open one costs more than to ask it.

use crate::engine::Engine;
use crate::error::Result;
use contextd_store::SqliteLedger;
use std::path::Path;
use std::sync::PoisonError;

/// The open ledger, if any, with what tells its file from another one at the same place.
#[derive(Default)]
pub struct KeptLedger {
    open: Option<(Mark, SqliteLedger)>,
}

/// Identity of a file; equal marks mean the same file.
type Mark = (u64, u64);

impl KeptLedger {
    /// Returns the ledger, opened anew when its file was replaced or removed since.
    pub fn open(&mut self, engine: &Engine) -> Result<&mut SqliteLedger> {
        let path = engine.places.ledger();
        let now = mark(&path);
        let kept = self.open.take().filter(|(of, _)| Some(*of) == now);
        let (of, ledger) = match kept {
            Some(kept) => kept,
            None => {
                let ledger = engine.ledger()?;
                // Where files have no identity the mark never fits, and the next question opens it again.
                (mark(&path).unwrap_or_default(), ledger)
            }
        };
        Ok(&mut self.open.insert((of, ledger)).1)
    }

    /// Closes the ledger, so that the next question opens it anew.
    pub fn close(&mut self) {
        self.open = None;
    }
}

impl Engine {
    /// Asks the ledger something over a connection that stays open.
    pub fn ask_ledger<T>(&self, question: impl FnOnce(&SqliteLedger) -> Result<T>) -> Result<T> {
        let mut kept = self.kept_ledger.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = kept.open(self).and_then(|ledger| question(ledger));
        // Opening repairs what is damaged.
        if answer.is_err() {
            kept.close();
        }
        answer
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
    use crate::engine::EngineOptions;
    use contextd_store::{Ledger, Session};

    #[test]
    fn a_replaced_ledger_is_opened_anew() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path(), &EngineOptions::default(), &|_| None).unwrap();
        let mut kept = KeptLedger::default();
        let next = |old: Option<Session>| Session {
            session_id: "s".to_owned(),
            started_at: 1,
            last_seen_at: 1,
            step: old.map_or(0, |old| old.step) + 1,
            state: Vec::new(),
        };
        let step = |kept: &mut KeptLedger| {
            kept.open(&engine).unwrap().update_session("s", &mut |old| next(old)).unwrap().step
        };
        let seen = || {
            engine
                .ask_ledger(|ledger| Ok(ledger.session("s")?.map(|session| session.step)))
                .unwrap()
        };
        assert_eq!(
            (seen(), step(&mut kept), seen(), step(&mut kept), seen()),
            (None, 1, Some(1), 2, Some(2))
        );
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
            let _ = std::fs::remove_file(engine.places.index.join(name));
        }
        assert_eq!(
            (step(&mut kept), seen()),
            (1, Some(1)),
            "what is gone is neither written to nor asked"
        );
    }
}
