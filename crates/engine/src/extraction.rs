//! Files → facts, through the cache: what was extracted once is only looked up.

use crate::engine::Engine;
use crate::facts::Facts;
use crate::progress::Progress;
use contextd_lang::LanguageId;
use contextd_model::facts::file_flag;
use contextd_model::{ContentHash, FileFacts, Problem};
use contextd_scan::{FileEntry, ReadFailure};
use contextd_store::{FactsKey, compress};
use rayon::prelude::*;

/// Files handled between two writes to the cache: a killed run loses at most these.
pub const BATCH: usize = 256;

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

/// Facts of one engine's files: how they are named and made.
#[derive(Clone, Copy)]
pub struct Extraction<'e> {
    engine: &'e Engine,
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

    /// Reads files and makes sure that their facts are in the cache, a batch at a time. Returns
    /// outcomes in the order of `entries`.
    pub fn batch(&self, facts: &mut Facts, entries: Vec<FileEntry>, progress: &dyn Progress) -> Vec<Outcome> {
        let read: Vec<(FileEntry, std::result::Result<Text, Left>)> = entries.into_par_iter().map(|entry| self.read(entry)).collect();
        let keys: Vec<FactsKey> = read.iter().filter_map(|(_, text)| text.as_ref().ok()).map(|text| self.key(&text.known.path, text.known.hash, text.known.language)).collect();
        let present = facts.contains(&keys);
        let mut present = keys.into_iter().zip(present);
        let jobs: Vec<(FileEntry, std::result::Result<(Text, FactsKey, bool), Left>)> = read
            .into_iter()
            .map(|(entry, text)| {
                let text = text.map(|text| {
                    let (key, there) = present.next().unwrap_or((self.key(&text.known.path, text.known.hash, text.known.language), false));
                    (text, key, there)
                });
                (entry, text)
            })
            .collect();
        let done: Vec<(Outcome, Option<(FactsKey, Vec<u8>)>)> = jobs
            .into_par_iter()
            .map(|(entry, job)| {
                let (result, packed) = match job {
                    Ok((text, key, there)) => {
                        let packed = (!there).then(|| (key, compress(&self.facts_of(&text.known, &text.text).encode())));
                        (Ok(text.known), packed)
                    }
                    Err(left) => (Err(left), None),
                };
                progress.advance(1);
                (Outcome { entry, result }, packed)
            })
            .collect();
        let fresh: Vec<(FactsKey, &[u8])> = done.iter().filter_map(|(_, packed)| packed.as_ref().map(|(key, bytes)| (*key, bytes.as_slice()))).collect();
        facts.put(&fresh);
        done.into_iter().map(|(outcome, _)| outcome).collect()
    }

    fn read(&self, mut entry: FileEntry) -> (FileEntry, std::result::Result<Text, Left>) {
        match self.engine.scanner.read(&entry.rel) {
            Ok(bytes) => {
                // The stamp of the bytes that were read, not of the scan before.
                let stamp = bytes.stamp;
                (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.mode) = (stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode, stamp.mode);
                let language = contextd_lang::detect(&entry.rel, &bytes.text);
                let known = Known { path: entry.rel.clone(), hash: bytes.hash, language };
                (entry, Ok(Text { known, text: bytes.text }))
            }
            Err(failure) => {
                let left = left_out(&entry.rel, &failure);
                (entry, Err(left))
            }
        }
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

    /// Returns facts by key; those that the cache has lost are extracted again from the file, when
    /// it still has the same content.
    pub fn load(&self, facts: &Facts, files: &[&Known]) -> Vec<Option<FileFacts>> {
        let keys: Vec<FactsKey> = files.iter().map(|file| self.key(&file.path, file.hash, file.language)).collect();
        let mut found = facts.load(&keys);
        for (at, slot) in found.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
            let file = files[at];
            *slot = self.engine.scanner.read(&file.path).ok().filter(|bytes| bytes.hash == file.hash).map(|bytes| self.facts_of(file, &bytes.text));
        }
        found
    }
}

struct Text {
    known: Known,
    text: String,
}

fn left_out(path: &str, failure: &ReadFailure) -> Left {
    Left { problem: failure.problem(path), detail: failure.to_string() }
}
