//! The facts cache as a run sees it: when it fails, it is done without.

use crate::engine::Engine;
use crate::error::Result;
use contextd_model::{FileFacts, Problem};
use contextd_store::{FactsCache, FactsKey, FactsReader, StoreError};
use std::sync::{Mutex, PoisonError};

/// Facts by content. A cache that cannot be read or written costs time, never an answer: from its
/// first failure on everything counts as absent.
pub struct Facts {
    /// Locked only to open readers: several threads load at once.
    cache: Option<Mutex<FactsCache>>,
    readers: Vec<Mutex<Option<FactsReader>>>,
    problems: Vec<Problem>,
}

impl Facts {
    /// Opens the cache of a root and begins a generation.
    pub fn open(engine: &Engine) -> Self {
        let mut facts = Self { cache: None, readers: Vec::new(), problems: Vec::new() };
        match FactsCache::open(&engine.places.facts_cache()) {
            Ok((cache, problems)) => {
                facts.cache = Some(Mutex::new(cache));
                facts.problems = problems;
            }
            Err(error) => facts.give_up(&error),
        }
        // One for each thread, the last for a caller outside the pool: no lock is ever waited for.
        facts.readers.resize_with(rayon::current_num_threads() + 1, Mutex::default);
        facts
    }

    /// Says that what is used from now on is younger than all before.
    pub fn advance(&mut self) {
        self.try_with(|cache| cache.advance().map(drop));
    }

    /// Returns which keys are there.
    pub fn contains(&mut self, keys: &[FactsKey]) -> Vec<bool> {
        self.try_with(|cache| cache.contains_many(keys)).unwrap_or_else(|| vec![false; keys.len()])
    }

    /// Stores compressed facts.
    pub fn put(&mut self, entries: &[(FactsKey, &[u8])]) {
        if !entries.is_empty() {
            self.try_with(|cache| cache.put_many(entries));
        }
    }

    /// Keeps what this run used and lets go of the oldest of the rest beyond `max_bytes`.
    pub fn trim(&mut self, used: impl FnOnce() -> Vec<FactsKey>, max_bytes: u64) {
        self.try_with(|cache| {
            if cache.size()?.file_bytes > max_bytes {
                cache.touch(&used())?;
                cache.evict(max_bytes)?;
            }
            Ok(())
        });
    }

    /// Returns the facts of each key, `None` where they are absent or damaged.
    pub fn load(&self, keys: &[FactsKey]) -> Vec<Option<FileFacts>> {
        let mut found: Vec<Option<FileFacts>> = vec![None; keys.len()];
        let Some(cache) = &self.cache else { return found };
        let thread = rayon::current_thread_index().unwrap_or(self.readers.len() - 1).min(self.readers.len() - 1);
        let mut reader = self.readers[thread].lock().unwrap_or_else(PoisonError::into_inner);
        if reader.is_none() {
            *reader = cache.lock().unwrap_or_else(PoisonError::into_inner).reader().ok();
        }
        if let Some(reader) = reader.as_ref() {
            // A failure in the middle leaves the rest absent, which is what it is.
            let _ = reader.visit(keys, |at, bytes| found[at] = FileFacts::decode(bytes));
        }
        found
    }

    /// Returns what went wrong so far.
    pub fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    fn try_with<T>(&mut self, act: impl FnOnce(&mut FactsCache) -> contextd_store::Result<T>) -> Option<T> {
        match act(self.cache.as_mut()?.get_mut().unwrap_or_else(PoisonError::into_inner)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    fn give_up(&mut self, error: &StoreError) {
        self.cache = None;
        self.readers.iter_mut().for_each(|reader| *reader = Mutex::default());
        self.problems.push(Problem::warning("CTX_W_FACTS_CACHE", format!("The facts cache cannot be used: {error}."), error.remedy()));
    }
}

impl Engine {
    /// Returns the cached facts of an indexed file; `None` when it is not indexed or no longer cached.
    pub fn cached_facts(&self, path: &str) -> Result<Option<FileFacts>> {
        let Some(snapshot) = self.snapshot()? else { return Ok(None) };
        let Some(file) = snapshot.find_file(path).map(|number| snapshot.file(number)) else { return Ok(None) };
        let key = crate::extraction::Extraction::new(self).key(path, file.hash(), contextd_lang::LanguageId(file.language()));
        Ok(Facts::open(self).load(&[key]).pop().flatten())
    }
}
