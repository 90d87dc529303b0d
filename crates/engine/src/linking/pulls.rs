//! Where the edges of each file lead, kept from one graph to the next: adding them up takes a pass over all edges, and a
//! change leaves nearly all sums as they are.

use contextd_link::{Pull, files_of};
use contextd_model::ContentHash;
use contextd_snapshot::Snapshot;
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The sums of one graph, if any are kept.
#[derive(Default)]
pub struct Pulls {
    kept: Mutex<Option<(ContentHash, Vec<Pull>)>>,
}

impl Pulls {
    /// Keeps the sums of a graph in place of any others.
    pub fn keep(&self, graph: ContentHash, pulls: Vec<Pull>) {
        *self.lock() = Some((graph, pulls));
    }

    /// Takes the sums of a graph, where they are kept; whoever makes the next graph keeps those of that.
    pub fn take(&self, graph: ContentHash) -> Option<Vec<Pull>> {
        self.lock().take().filter(|(of, _)| *of == graph).map(|(_, pulls)| pulls)
    }

    /// Lets go of what is kept.
    pub fn forget(&self) {
        *self.lock() = None;
    }

    /// Makes the sums of a snapshot's graph unless they are kept.
    pub fn prepare(&self, snapshot: &Snapshot) {
        let graph = snapshot.manifest().graph;
        let has_them = self.lock().as_ref().is_some_and(|(of, _)| *of == graph);
        if !has_them {
            self.keep(graph, pulls_of(snapshot));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(ContentHash, Vec<Pull>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds up where the edges of each file lead.
pub fn pulls_of(snapshot: &Snapshot) -> Vec<Pull> {
    let file_of = files_of(&first_of(snapshot));
    (0..snapshot.file_count())
        .into_par_iter()
        .with_min_len(64)
        .map(|file| pull_of(snapshot, file, &file_of))
        .collect()
}

/// Adds up where the edges of one file lead; `file_of` has the file of each symbol.
pub fn pull_of(snapshot: &Snapshot, file: u32, file_of: &[u32]) -> Pull {
    Pull::of(
        snapshot.symbols_of_file(file).flat_map(|symbol| snapshot.graph().out(symbol).iter()),
        file,
        file_of,
    )
}

/// Returns the number of each file's first symbol, and the total at the end.
pub fn first_of(snapshot: &Snapshot) -> Vec<u32> {
    (0..snapshot.file_count())
        .map(|file| snapshot.symbols_of_file(file).start)
        .chain([snapshot.symbol_count()])
        .collect()
}
