//! Packs that were built before: the same id and the same files give the same pack.

use crate::context::Context;
use crate::error::OpError;
use contextd_model::ContentHash;
use contextd_pack::{ContextPack, Read, artifact};
use contextd_store::{Ledger, PackRecord, PackSummary, SqliteLedger};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Packs that a process remembers.
const REMEMBERED: usize = 128;
/// Packs that the ledger keeps.
pub const KEPT: usize = 1_000;

/// A pack with the files it was made from.
pub struct Kept {
    pub pack: ContextPack,
    pub reads: Vec<Read>,
}

/// The newest packs of a process.
#[derive(Default)]
pub struct PackCache {
    kept: Mutex<VecDeque<Arc<Kept>>>,
    /// Packs that wait to be written to the ledger, where they are held back.
    held: Option<Mutex<Vec<Arc<Kept>>>>,
}

impl PackCache {
    /// Returns a cache that holds back what is to be written to the ledger.
    pub fn holding() -> Self {
        Self { kept: Mutex::default(), held: Some(Mutex::default()) }
    }

    /// Takes out what was held back.
    pub fn held(&self) -> Vec<Arc<Kept>> {
        self.held
            .as_ref()
            .map(|held| std::mem::take(&mut *held.lock().unwrap_or_else(PoisonError::into_inner)))
            .unwrap_or_default()
    }

    pub fn get(&self, id: &str) -> Option<Arc<Kept>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| kept.pack.pack_id == id).cloned()
    }

    pub fn put(&self, new: Arc<Kept>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|old| old.pack.pack_id != new.pack.pack_id);
        kept.push_front(new);
        kept.truncate(REMEMBERED);
    }
}

/// Returns the pack with that id when building it again would give the same: from memory, else from the
/// ledger.
pub fn find(context: &Context, id: &str) -> Option<ContextPack> {
    let texts = context.engine.texts();
    let kept = context.packs.get(id).or_else(|| stored(context, id).map(Arc::new))?;
    kept.reads.iter().all(|read| read.holds(&texts)).then(|| kept.pack.clone())
}

/// Reads a pack of the ledger with its files; one without them is only good for replaying.
fn stored(context: &Context, id: &str) -> Option<Kept> {
    let record = context.engine.ask_ledger(|ledger| Ok(ledger.get_pack(id)?)).ok()??;
    let value: Value = serde_json::from_slice(&record.body).ok()?;
    let read = |row: &Value| {
        Some(Read {
            path: row["path"].as_str()?.to_owned(),
            hash: ContentHash::from_hex(row["hash"].as_str()?)?,
            fresh: row["fresh"].as_bool()?,
        })
    };
    let reads: Vec<Read> = value["reads"].as_array()?.iter().map(read).collect::<Option<_>>()?;
    Some(Kept { pack: artifact::parse(&record.body).ok()?, reads })
}

/// Remembers a pack; `lasting` ones are kept in the ledger too.
pub fn keep(context: &Context, kept: Kept, lasting: bool) -> Result<(), OpError> {
    let kept = Arc::new(kept);
    context.packs.put(kept.clone());
    match &context.packs.held {
        _ if !lasting => Ok(()),
        Some(held) => {
            held.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
            Ok(())
        }
        None => store(context, &kept.pack, Some(&kept.reads)),
    }
}

/// Writes a pack to the ledger.
pub fn store(context: &Context, pack: &ContextPack, reads: Option<&[Read]>) -> Result<(), OpError> {
    Ok(remember(&mut context.engine.ledger()?, &[record(context, pack, reads)])?)
}

/// Writes packs to the ledger and drops the oldest beyond [`KEPT`].
pub fn remember(ledger: &mut SqliteLedger, packs: &[PackRecord]) -> contextd_engine::Result<()> {
    for pack in packs {
        ledger.put_pack(pack)?;
    }
    ledger.prune_packs(KEPT)?;
    Ok(())
}

/// Returns a pack as the ledger keeps it.
pub fn record(context: &Context, pack: &ContextPack, reads: Option<&[Read]>) -> PackRecord {
    let request = &pack.request;
    let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
    let summary = PackSummary {
        pack_id: pack.pack_id.clone(),
        created_at: (context.now)(),
        intent: request["intent"].as_str().unwrap_or("answer").to_owned(),
        task: context.engine.scrubber.scrub(&text("query"), "query").text.into_owned(),
        index_signature: pack.index_signature.clone(),
        request: contextd_pack::canonical::to_string(request),
        items: pack.stats.items,
        tokens: pack.stats.tokens.min(u64::from(u32::MAX)) as u32,
    };
    let mut body: Value = serde_json::from_str(&pack.canonical()).unwrap_or(Value::Null);
    if let Some(reads) = reads {
        body["reads"] = reads
            .iter()
            .map(|read| json!({"path": read.path, "hash": read.hash.to_hex(), "fresh": read.fresh}))
            .collect();
    }
    PackRecord { summary, body: contextd_pack::canonical::to_string(&body).into_bytes() }
}
