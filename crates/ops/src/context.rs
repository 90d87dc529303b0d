//! What operations work with: an engine, its newest reader, a clock, a renderer, and who asks.

use crate::accounts::{Accounts, Noted, lock};
use crate::error::OpError;
use crate::pack_cache::{self, PackCache};
use contextd_engine::{Engine, Progress, Reader, Silent};
use contextd_pack::{ContextPack, Known, Shelf};
use contextd_retrieve::{Learned, understood};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Writes a pack in a format by name; `None` when there is no such format.
pub type RenderPack = fn(&ContextPack, &str) -> Option<String>;

/// Shared by all requests of one process; a clone shares everything but who asks.
#[derive(Clone)]
pub struct Context {
    pub engine: Arc<Engine>,
    /// Returns the time as Unix milliseconds.
    pub now: fn() -> i64,
    pub render: RenderPack,
    /// True where the process lives on after the answer, so that work can go on behind it.
    pub stays: bool,
    /// Who asks; inputs may say it for one request.
    pub asker: Asker,
    /// Hears how far long work has come, and says when it should stop.
    pub progress: Arc<dyn Progress + Send + Sync>,
    reader: Arc<Mutex<Option<Arc<Reader>>>>,
    opened: Arc<AtomicU64>,
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) noted: Arc<Mutex<Option<Noted>>>,
    /// Packs that were built by this process.
    pub(crate) packs: Arc<PackCache>,
    /// What was made of files for packs of this process.
    pub(crate) shelf: Arc<Shelf>,
}

/// Who asks, and how what was learned takes part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// `cli`, `mcp` or `http`.
    pub surface: &'static str,
    /// Without a session everything is cold.
    pub session: Option<String>,
    /// Leaves out all that was learned, in a session too.
    pub cold: bool,
    /// Leaves out texts that the session was sent before.
    pub delta: bool,
    pub task_id: Option<String>,
    pub agent: Option<String>,
}

/// Longest name of a session.
const NAME: usize = 120;

impl Context {
    pub fn new(engine: Arc<Engine>, now: fn() -> i64, render: RenderPack, stays: bool) -> Self {
        let asker = Asker { surface: if stays { "mcp" } else { "cli" }, ..Asker::default() };
        Self {
            engine,
            now,
            render,
            stays,
            asker,
            progress: Arc::new(Silent),
            reader: Arc::default(),
            opened: Arc::default(),
            accounts: Arc::default(),
            noted: Arc::default(),
            packs: Arc::default(),
            shelf: Arc::default(),
        }
    }

    /// Returns the same for one call, whose caller hears its progress and may end it.
    pub fn for_call(&self, progress: Arc<dyn Progress + Send + Sync>) -> Self {
        Self { progress, ..self.clone() }
    }

    /// Returns the same for an answer that may turn out to be in vain: it shares what is read, and what it would write down
    /// it keeps to itself.
    pub(crate) fn tried(&self, trial: Arc<dyn Progress + Send + Sync>) -> Self {
        Self {
            progress: trial,
            accounts: Arc::default(),
            noted: Arc::default(),
            packs: Arc::new(PackCache::holding()),
            ..self.clone()
        }
    }

    /// Returns the context of an answer that stands, which may be heard of from now on.
    pub(crate) fn kept(&self) -> Self {
        Self { progress: Arc::new(Silent), ..self.clone() }
    }

    /// Refuses to go on when the caller has ended the call; asked between the steps of an operation.
    pub fn go_on(&self) -> Result<(), OpError> {
        if self.progress.is_cancelled() {
            Err(contextd_engine::EngineError::Cancelled.into())
        } else {
            Ok(())
        }
    }

    /// Returns the same context for askers of a surface.
    pub fn on(&self, surface: &'static str) -> Self {
        Self { asker: Asker { surface, ..self.asker.clone() }, ..self.clone() }
    }

    /// Returns the same context for one conversation.
    pub fn in_session(&self, session: impl Into<String>) -> Self {
        Self {
            asker: Asker { session: Some(session.into()), ..self.asker.clone() },
            ..self.clone()
        }
    }

    /// Writes accounts, sessions and packs that are still in memory.
    pub fn flush(&self) {
        let packs = self
            .packs
            .held()
            .iter()
            .map(|kept| pack_cache::record(self, &kept.pack, Some(&kept.reads)))
            .collect();
        self.accounts.write(&self.engine, packs);
    }

    /// Does what the process does each second while it stays: sessions are written, measurements when
    /// there are enough of them.
    pub fn rest(&self) {
        self.accounts.rest(&self.engine);
    }

    /// Takes out of an input who asks: `session`, `cold`, `delta`.
    pub(crate) fn asking(&self, input: &mut Value) -> Result<Self, OpError> {
        let mut asker = self.asker.clone();
        if let Some(map) = input.as_object_mut() {
            asker.cold |= map.remove("cold").is_some_and(|value| value == true);
            asker.delta |= map.remove("delta").is_some_and(|value| value == true);
            match map.remove("session") {
                None | Some(Value::Null) => {}
                Some(Value::String(id))
                    if !id.is_empty() && id.len() <= NAME && !id.chars().any(char::is_control) =>
                {
                    asker.session = Some(id)
                }
                Some(_) => {
                    return Err(OpError::request(
                        "`session` is no name of a session",
                        "Give a text of up to 120 letters, or leave it out.",
                    ));
                }
            }
        }
        Ok(Self { asker, noted: Arc::default(), ..self.clone() })
    }

    /// Returns a reader of the published snapshot; it is opened again only when another was published
    /// or history has moved on.
    pub fn reader(&self) -> Result<Arc<Reader>, OpError> {
        let mut kept = lock(&self.reader);
        let published = contextd_snapshot::current(&self.engine.places.index)
            .map_err(contextd_engine::EngineError::from)?;
        let is_current = |reader: &&Arc<Reader>| {
            Some(reader.snapshot.name()) == published && reader.head_mark == self.engine.head_mark()
        };
        if let Some(reader) = kept.as_ref().filter(is_current) {
            return Ok(reader.clone());
        }
        let reader = Arc::new(match kept.as_ref() {
            Some(earlier) => self.engine.reader_after(earlier)?,
            None => self.engine.reader()?,
        });
        self.opened.fetch_add(1, Ordering::Relaxed);
        *kept = Some(reader.clone());
        Ok(reader)
    }

    /// Leaves the reader's memory to the system, which takes it back with the process faster than piece by piece.
    pub fn leave(&self) {
        std::mem::forget(lock(&self.reader).take());
    }

    /// Returns how often a reader was opened.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Returns what was learned, seen from a request of this asker, and what it was sent before; nothing
    /// outside a session.
    pub fn learned(
        &self,
        reader: &Reader,
        query: &str,
        profile: Option<&str>,
    ) -> Result<Option<(Learned, Known)>, OpError> {
        let Some(id) = self.asker.session.as_ref().filter(|_| !self.asker.cold) else {
            return Ok(None);
        };
        let (state, session) = self.accounts.ask(&self.engine, |ledger| {
            Ok((self.engine.learned_state(reader, ledger)?, self.engine.session(ledger, id)?))
        })?;
        let (weights, _) = self.engine.weights(profile)?;
        let mut learned = self.engine.learned(
            reader,
            &state,
            Some(&session),
            &understood(query, &[]),
            &weights.learned,
        );
        if self.asker.delta {
            learned.version.push_str("-delta");
        }
        Ok(Some((learned, Known { uids: session.known(), delta: self.asker.delta })))
    }

    /// Notes what an answer holds, for the account.
    pub(crate) fn note(&self, reader: &Reader, query: &str, pack: &ContextPack) {
        *lock(&self.noted) = Some(Noted::of(reader, query, pack));
    }
}

/// Returns a name for a new session; processes and conversations do not meet in it.
pub fn new_session(now: i64) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{now:x}-{:x}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
