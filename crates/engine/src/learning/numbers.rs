//! From ids of symbols to their numbers in one snapshot.

use contextd_pack::{ids, resolve};
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Numbers of the symbols of files that were asked for, by id. Ids are told apart inside a file only by
/// writing down all of them, so this is done once for a file and snapshot.
#[derive(Default)]
pub(crate) struct Numbers {
    files: Mutex<FxHashMap<u32, FxHashMap<String, u32>>>,
}

impl Numbers {
    /// Returns the symbol with an id; of several the first.
    pub(crate) fn of(&self, snapshot: &Snapshot, id: &str) -> Option<u32> {
        let file = resolve::file_of_id(snapshot, id)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers = files.entry(file).or_insert_with(|| {
            let mut numbers = FxHashMap::default();
            for (id, number) in
                ids::ids_of_file(snapshot, file).into_iter().zip(snapshot.symbols_of_file(file))
            {
                numbers.entry(id).or_insert(number);
            }
            numbers
        });
        numbers.get(id).copied()
    }
}
