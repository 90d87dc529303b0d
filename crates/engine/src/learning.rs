//! What callers taught: judgements that still hold, sessions, and what they say about a request.
//!
//! Judgements lie in the ledger as rows that are only added or forgotten. A row counts while the package
//! it was given about is the same, byte for byte. What a session has seen is its own and reaches no
//! other session; judgements belong to the repository.

mod numbers;
mod packages;
mod session;
mod state;

pub(crate) use numbers::Numbers;
pub use packages::PackageRoots;
pub use session::{Seen, SessionState, SessionView};
pub use state::LearnedState;

use crate::engine::Engine;
use crate::error::Result;
use crate::reader::Reader;
use contextd_model::ContentHash;
use contextd_retrieve::{Learned, LearnedWeights, Query};
use contextd_store::Ledger;
use std::sync::{Arc, PoisonError};

/// Name of the state of a ranking that nothing was learned for.
pub const COLD: &str = "cold";

impl Engine {
    /// Returns what was learned about the reader's snapshot; read again only when judgements came or went.
    pub fn learned_state(&self, reader: &Reader, ledger: &dyn Ledger) -> Result<Arc<LearnedState>> {
        let stamp = ledger.feedback_stamp()?;
        let mut kept = reader.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, state)) = kept.as_ref().filter(|(of, _)| *of == stamp) {
            return Ok(state.clone());
        }
        let state = Arc::new(LearnedState::of(reader, &ledger.feedback(&Default::default())?));
        *kept = Some((stamp, state.clone()));
        Ok(state)
    }

    /// Returns a session as it stands; one that was never seen is empty.
    pub fn session(&self, ledger: &dyn Ledger, id: &str) -> Result<SessionView> {
        Ok(SessionView::of(id, ledger.session(id)?.as_ref()))
    }

    /// Returns what was learned, seen from a request in a session.
    pub fn learned(
        &self,
        reader: &Reader,
        state: &LearnedState,
        session: Option<&SessionView>,
        query: &Query,
        weights: &LearnedWeights,
    ) -> Learned {
        let mut version = state.version.clone();
        if let Some(session) = session {
            version.push_str(&format!("-{}", session.version()));
        }
        let learned = state.memory.of_request(query, weights, version);
        match session {
            Some(session) => learned.with_session(session.values(reader, weights)),
            None => learned,
        }
    }
}

/// Returns the first digits of a hash over texts that are told apart.
fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    ContentHash::of(&bytes).to_hex()[..12].to_owned()
}
