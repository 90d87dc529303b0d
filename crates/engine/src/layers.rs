//! The layer that packs read, kept in the ledger: a second home for it, readable with plain SQL.

use crate::engine::Engine;
use crate::error::Result;
use contextd_pack::{LayerLine, Lines, lines};
use contextd_snapshot::Snapshot;
use contextd_store::Ledger as _;

impl Engine {
    /// Writes files, symbols and edges of a snapshot to the ledger; returns how many records.
    pub fn keep_layer(&self, snapshot: &Snapshot) -> Result<usize> {
        let mut records: Vec<String> = Vec::new();
        lines(snapshot, &mut |line| records.push(line.to_json()));
        self.ledger()?.replace_layer(&snapshot.index_signature().to_hex(), &records)?;
        Ok(records.len())
    }

    /// Returns the layer that the ledger keeps, with the signature of the index it was taken from; `None`
    /// where none was kept.
    pub fn kept_layer(&self) -> Result<Option<(String, Lines)>> {
        let Some((signature, records)) = self.ledger()?.layer()? else { return Ok(None) };
        let read: std::result::Result<Vec<LayerLine>, _> =
            records.iter().map(|record| LayerLine::from_json(record)).collect();
        Ok(Some((signature, Lines::read(read?)?)))
    }
}
