//! What contextd remembers beside the snapshot: the ledger and the facts cache, both SQLite.
//!
//! The [`Ledger`] keeps tables that people read with plain SQL: files, chunks, links, jobs, errors,
//! metrics, packs. The [`FactsCache`] keeps the facts of every content ever seen, by content hash.
//! Every change is one transaction, so a process killed at any instruction leaves a whole state.
//! No clock is read here: times arrive as Unix milliseconds.
//!
//! Not for retrieval: queries read the snapshot.

mod database;
mod encryption;
mod error;
mod facts_cache;
mod ledger;
mod migrations;
mod process;
mod quarantine;
mod sqlite_ledger;
mod text_enum;

pub use database::OpenOptions;
pub use encryption::EncryptionKey;
pub use error::{Result, StoreError};
pub use facts_cache::{CacheSize, FactsCache, FactsKey, FactsReader, compress, decompress};
pub use ledger::*;
pub use process::JobOwner;
pub use sqlite_ledger::SqliteLedger;
