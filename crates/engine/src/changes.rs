//! What changed since the last run, by the state of files alone.

use contextd_scan::FileEntry;
use contextd_store::FileState;
use rustc_hash::FxHashMap;

/// A file's state must be this much older than the run that recorded it to be trusted: within one
/// tick of a coarse clock a second write would leave the same stamp.
const RACY_NS: i64 = 50_000_000;

/// The files of a scan, told apart by what must be done with them.
#[derive(Default)]
pub struct Changes {
    /// Must be read: new, changed, or too young to tell.
    pub read: Vec<FileEntry>,
    /// As recorded.
    pub same: Vec<FileState>,
    /// Recorded, but no longer there.
    pub removed: Vec<String>,
}

/// Compares a scan with what was recorded.
pub fn compare(files: Vec<FileEntry>, states: Vec<FileState>, force: impl Fn(&str) -> bool) -> Changes {
    let mut known: FxHashMap<String, FileState> = states.into_iter().map(|state| (state.record.path.clone(), state)).collect();
    let mut changes = Changes::default();
    for entry in files {
        match known.remove(&entry.rel) {
            Some(state) if is_same(&entry, &state) && !force(&entry.rel) => changes.same.push(state),
            _ => changes.read.push(entry),
        }
    }
    changes.removed = known.into_keys().collect();
    changes.removed.sort();
    changes
}

fn is_same(entry: &FileEntry, state: &FileState) -> bool {
    let record = &state.record;
    let stamp = (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode);
    let recorded = (record.size, record.mtime_ns, record.ctime_ns, record.inode);
    let newest = record.mtime_ns.max(record.ctime_ns);
    stamp == recorded && newest.saturating_add(RACY_NS) < record.indexed_at.saturating_mul(1_000_000)
}
