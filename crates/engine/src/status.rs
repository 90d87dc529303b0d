//! What is indexed, in numbers.

use crate::engine::Engine;
use crate::error::Result;
use contextd_lang::LanguageId;
use contextd_model::ContentHash;
use std::collections::BTreeMap;

/// The state of a root's index.
#[derive(Clone, Debug, Default)]
pub struct Status {
    pub index_signature: ContentHash,
    pub files: u32,
    pub symbols: u32,
    pub edges: u64,
    pub chunks: u32,
    /// Files by language.
    pub languages: BTreeMap<&'static str, u32>,
    pub source_bytes: u64,
    /// Bytes of the index folder.
    pub size_bytes: u64,
    /// True when the snapshot was made by another version or with other settings.
    pub outdated: bool,
    /// True when a first run published before it had read all files.
    pub partial: bool,
}

impl Engine {
    /// Returns the state of the index; `None` when there is none.
    pub fn status(&self) -> Result<Option<Status>> {
        let Some(snapshot) = self.snapshot()? else { return Ok(None) };
        let mut languages: BTreeMap<&'static str, u32> = BTreeMap::new();
        for segment in snapshot.segments() {
            for file in 0..segment.file_count() {
                *languages.entry(LanguageId(segment.language(file)).name()).or_default() += 1;
            }
        }
        Ok(Some(Status {
            index_signature: snapshot.index_signature(),
            files: snapshot.file_count(),
            symbols: snapshot.symbol_count(),
            edges: snapshot.manifest().edges,
            chunks: snapshot.chunk_count(),
            languages,
            source_bytes: snapshot.manifest().segments.iter().map(|entry| entry.source_bytes).sum(),
            size_bytes: crate::places::size_of_folder(&self.places.index),
            outdated: !self.is_current(&snapshot),
            partial: crate::early::is_partial(&self.places.index, snapshot.name()),
        }))
    }
}
