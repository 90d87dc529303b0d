//! Rows of links: which file leads to which, added up from the graph's edges.

use crate::error::Result;
use crate::linking::Relinked;
use contextd_model::EdgeKind;
use contextd_snapshot::Snapshot;
use contextd_store::{FileId, FileLinks, Ledger, LinkRecord};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Files whose links are held in memory at once.
const GROUP: usize = 4_096;

/// Target file, kind and count.
type Sum = (u32, u8, u32);

/// Writes the links of the files that were linked again; `written` are files whose numbers are known.
pub fn write(
    ledger: &mut dyn Ledger,
    snapshot: &Snapshot,
    relinked: &Relinked,
    written: &[(u32, FileId)],
) -> Result<()> {
    let files: Vec<u32> = match relinked {
        Relinked::All => (0..snapshot.file_count()).collect(),
        Relinked::Files(files) => files.clone(),
    };
    let mut ids =
        Ids { snapshot, known: written.iter().map(|&(number, id)| (number, Some(id))).collect() };
    for group in files.chunks(GROUP) {
        let sums: Vec<Vec<Sum>> =
            group.par_iter().with_min_len(64).map(|&file| sums_of(snapshot, file)).collect();
        ids.load(ledger, group.iter().copied().chain(sums.iter().flatten().map(|sum| sum.0)))?;
        let rows = group.iter().zip(sums).filter_map(|(&file, sums)| {
            Some(FileLinks {
                source: ids.get(file)?,
                links: sums.into_iter().filter_map(|sum| link(&ids, sum)).collect(),
            })
        });
        ledger.replace_links(&rows.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn link(ids: &Ids<'_>, (target, kind, count): Sum) -> Option<LinkRecord> {
    Some(LinkRecord {
        target: ids.get(target)?,
        kind: EdgeKind::from_byte(kind),
        source_chunk: None,
        target_chunk: None,
        count,
    })
}

/// Adds up the edges that leave a file, by target and kind.
fn sums_of(snapshot: &Snapshot, file: u32) -> Vec<Sum> {
    let graph = snapshot.graph();
    let own = snapshot.symbols_of_file(file);
    let mut sums: Vec<Sum> = Vec::new();
    for symbol in own.clone() {
        for edge in graph.out(symbol).iter().filter(|edge| !own.contains(&edge.target)) {
            sums.push((snapshot.file_of(edge.target), edge.kind, u32::from(edge.count)));
        }
    }
    sums.sort_unstable();
    sums.dedup_by(|later, first| {
        let same = (later.0, later.1) == (first.0, first.1);
        if same {
            first.2 = first.2.saturating_add(later.2);
        }
        same
    });
    sums
}

/// The ledger's numbers of files, looked up when first needed.
struct Ids<'s> {
    snapshot: &'s Snapshot,
    known: FxHashMap<u32, Option<FileId>>,
}

impl Ids<'_> {
    fn load(&mut self, ledger: &dyn Ledger, files: impl Iterator<Item = u32>) -> Result<()> {
        let mut missing: Vec<u32> = files.filter(|file| !self.known.contains_key(file)).collect();
        missing.sort_unstable();
        missing.dedup();
        let paths: Vec<&str> =
            missing.iter().map(|&file| self.snapshot.file(file).path()).collect();
        self.known.extend(missing.iter().copied().zip(ledger.file_ids(&paths)?));
        Ok(())
    }

    fn get(&self, file: u32) -> Option<FileId> {
        self.known.get(&file).copied().flatten()
    }
}
