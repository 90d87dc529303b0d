//! Files → facts: reading, naming and making them.

use crate::engine::Engine;
use contextd_lang::LanguageId;
use contextd_model::facts::file_flag;
use contextd_model::{ContentHash, FileFacts, Problem};
use contextd_scan::{FileEntry, HeldRoot, ReadFailure};
use contextd_store::FactsKey;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Files read between two questions whether to go on.
pub const BATCH: usize = 256;

/// Bytes of texts that are kept between reading files and making their facts, unless told otherwise;
/// what is beyond is read again.
pub const MAX_TEXTS: usize = 64 << 20;

/// A file that belongs to the index, with the name of its facts.
#[derive(Clone, Debug)]
pub struct Known {
    pub path: String,
    pub hash: ContentHash,
    pub language: LanguageId,
}

/// What came of reading one file.
pub struct Outcome {
    pub entry: FileEntry,
    pub result: std::result::Result<Known, Left>,
}

/// Why a file is not in the index.
pub struct Left {
    pub problem: Option<Problem>,
    pub detail: String,
}

/// Texts that were read and are still to be looked into, by path.
pub struct Texts {
    kept: Mutex<Kept>,
    /// Most bytes kept.
    limit: usize,
}

#[derive(Default)]
struct Kept {
    texts: FxHashMap<String, String>,
    bytes: usize,
}

impl Texts {
    pub fn new(limit: usize) -> Self {
        Self { kept: Mutex::default(), limit }
    }

    fn keep(&self, path: &str, text: String) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes + text.len() <= self.limit {
            kept.bytes += text.len();
            kept.texts.insert(path.to_owned(), text);
        }
    }

    /// Forgets what nobody asked for.
    pub fn clear(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }

    /// Hands a text out, once.
    pub fn take(&self, path: &str) -> Option<String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = kept.texts.remove(path)?;
        kept.bytes -= text.len();
        Some(text)
    }
}

/// Facts of one engine's files: how they are named and made.
#[derive(Clone, Copy)]
pub struct Extraction<'e> {
    pub engine: &'e Engine,
    extractor: ContentHash,
}

impl<'e> Extraction<'e> {
    pub fn new(engine: &'e Engine) -> Self {
        Self { engine, extractor: ContentHash::of(engine.facts_version().as_bytes()) }
    }

    /// Names the facts of a file. How secrets are looked for depends on the kind of path.
    pub fn key(&self, path: &str, hash: ContentHash, language: LanguageId) -> FactsKey {
        let kind = contextd_scan::secrets::path_kind_number(path);
        let mut salt = self.extractor.0;
        salt[0] ^= language.0;
        salt[1] ^= kind;
        FactsKey { content: hash, extractor: ContentHash(salt).short() }
    }

    /// Reads files, a batch at a time, in the order of `entries`; texts are kept as far as they may.
    pub fn batch(&self, texts: &Texts, entries: Vec<FileEntry>) -> Vec<Outcome> {
        // Where the root cannot be opened, each file says why.
        let held = self.engine.scanner.hold().ok();
        entries.into_par_iter().map(|entry| self.read(texts, held.as_ref(), entry)).collect()
    }

    fn read(&self, texts: &Texts, held: Option<&HeldRoot>, mut entry: FileEntry) -> Outcome {
        let result = match self.engine.read_found(held, &entry.rel) {
            Ok(bytes) => {
                // The stamp of the bytes that were read, not of the scan before.
                let stamp = bytes.stamp;
                (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.mode) =
                    (stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode, stamp.mode);
                let language = contextd_lang::detect(&entry.rel, &bytes.text);
                texts.keep(&entry.rel, bytes.text);
                Ok(Known { path: entry.rel.clone(), hash: bytes.hash, language })
            }
            Err(failure) => Err(left_out(&entry.rel, &failure)),
        };
        Outcome { entry, result }
    }

    /// Makes the facts of a file from its text, or from the file while it still has the same content.
    pub fn make(&self, file: &Known, text: Option<String>) -> Option<FileFacts> {
        let text = text.or_else(|| {
            self.engine
                .read(&file.path)
                .ok()
                .filter(|bytes| bytes.hash == file.hash)
                .map(|bytes| bytes.text)
        })?;
        Some(self.facts_of(file, &text))
    }

    /// Scrubs and extracts. Pure but for the engine's settings, which are part of the key.
    fn facts_of(&self, known: &Known, text: &str) -> FileFacts {
        let scrubbed = self.engine.scrubber.scrub(text, &known.path);
        let rules = self.engine.config.chunking.of(known.language.name());
        let mut facts = contextd_lang::extract(&scrubbed.text, known.language, rules);
        if !scrubbed.redactions.is_empty() {
            facts.flags |= file_flag::REDACTED;
        }
        facts
    }
}

fn left_out(path: &str, failure: &ReadFailure) -> Left {
    Left { problem: failure.problem(path), detail: failure.to_string() }
}
