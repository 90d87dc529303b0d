//! Facts of content that no snapshot of a root holds any more, kept by content: going back to it,
//! on a branch or by undoing, costs a look-up. What a snapshot holds is not kept twice.

use crate::engine::Engine;
use contextd_model::{FileFacts, Problem};
use contextd_store::{FactsCache, FactsKey, FactsReader, StoreError, compress};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The archive as a run sees it. One that cannot be read or written costs time, never an answer: from
/// its first failure on everything counts as absent.
pub struct Archive {
    /// Locked by nobody else: only the run itself writes.
    cache: Option<Mutex<FactsCache>>,
    reader: Mutex<Option<FactsReader>>,
    problems: Vec<Problem>,
}

impl Archive {
    /// Opens the archive of a root. One that was never written is not created.
    pub fn open(engine: &Engine) -> Self {
        let mut archive = Self { cache: None, reader: Mutex::default(), problems: Vec::new() };
        if engine.places.facts_cache().exists() {
            archive.create(engine);
        }
        archive
    }

    fn create(&mut self, engine: &Engine) {
        match FactsCache::open(&engine.places.facts_cache()) {
            Ok((cache, problems)) => {
                *self.reader.get_mut().unwrap_or_else(PoisonError::into_inner) =
                    cache.reader().ok();
                self.cache = Some(Mutex::new(cache));
                self.problems.extend(problems);
            }
            Err(error) => self.give_up(&error),
        }
    }

    /// Returns the facts of each key, `None` where they are absent or damaged.
    pub fn load(&self, keys: &[FactsKey]) -> Vec<Option<FileFacts>> {
        let mut found: Vec<Option<FileFacts>> = vec![None; keys.len()];
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = reader.as_ref().filter(|_| !keys.is_empty()) {
            // A failure in the middle leaves the rest absent, which is what it is.
            let _ = reader.visit(keys, |at, bytes| found[at] = FileFacts::decode(bytes));
        }
        found
    }

    /// Keeps facts that leave the snapshot, and lets go of the oldest beyond the configured size.
    pub fn keep(&mut self, engine: &Engine, facts: &[(FactsKey, FileFacts)]) {
        if facts.is_empty() {
            return;
        }
        if self.cache.is_none() && self.problems.is_empty() {
            self.create(engine);
        }
        let packed: Vec<(FactsKey, Vec<u8>)> =
            facts.par_iter().map(|(key, facts)| (*key, compress(&facts.encode()))).collect();
        let entries: Vec<(FactsKey, &[u8])> =
            packed.iter().map(|(key, bytes)| (*key, bytes.as_slice())).collect();
        let max_bytes = engine.config.storage.facts_cache_max_mb.saturating_mul(1 << 20);
        let Some(cache) = self
            .cache
            .as_mut()
            .map(|cache| cache.get_mut().unwrap_or_else(PoisonError::into_inner))
        else {
            return;
        };
        let mut store = || {
            cache.advance()?;
            cache.put_many(&entries)?;
            if cache.size()?.file_bytes > max_bytes {
                cache.evict(max_bytes)?;
            }
            Ok(())
        };
        if let Err(error) = store() {
            self.give_up(&error);
        }
    }

    /// Returns what went wrong so far.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    fn give_up(&mut self, error: &StoreError) {
        self.cache = None;
        *self.reader.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        self.problems.push(Problem::warning(
            "CTX_W_FACTS_CACHE",
            format!("The facts cache cannot be used: {error}."),
            error.remedy(),
        ));
    }
}
