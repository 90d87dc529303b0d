//! What operations work with: an engine, its newest reader, a clock and a renderer.

use crate::error::OpError;
use contextd_engine::{Engine, Reader};
use contextd_pack::ContextPack;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes a pack in a format by name; `None` when there is no such format.
pub type RenderPack = fn(&ContextPack, &str) -> Option<String>;

/// Shared by all requests of one process.
pub struct Context {
    pub engine: Arc<Engine>,
    /// Returns the time as Unix milliseconds.
    pub now: fn() -> i64,
    pub render: RenderPack,
    /// True where the process lives on after the answer, so that work can go on behind it.
    pub stays: bool,
    reader: Mutex<Option<Arc<Reader>>>,
}

impl Context {
    pub fn new(engine: Arc<Engine>, now: fn() -> i64, render: RenderPack, stays: bool) -> Self {
        Self { engine, now, render, stays, reader: Mutex::new(None) }
    }

    /// Returns a reader of the published snapshot; it is opened again only when another was published
    /// or history has moved on.
    pub fn reader(&self) -> Result<Arc<Reader>, OpError> {
        let mut kept = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let published = contextd_snapshot::current(&self.engine.places.index).map_err(contextd_engine::EngineError::from)?;
        if let Some(reader) = kept.as_ref().filter(|reader| Some(reader.snapshot.name()) == published) {
            return Ok(reader.clone());
        }
        let reader = Arc::new(self.engine.reader()?);
        *kept = Some(reader.clone());
        Ok(reader)
    }
}
