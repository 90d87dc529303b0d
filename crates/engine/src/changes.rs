//! What changed since the last run, by the state of files alone.

use crate::extraction::Known;
use contextd_lang::LanguageId;
use contextd_scan::{FileEntry, Stamp};
use contextd_snapshot::Snapshot;
use contextd_store::{FileState, FileStatus};
use rustc_hash::FxHashMap;

/// A file's state must be this much older than the run that recorded it to be trusted: within one
/// tick of a coarse clock a second write would leave the same stamp.
pub(crate) const RACY_NS: i64 = 50_000_000;

/// The files of a scan, told apart by what must be done with them.
#[derive(Default)]
pub struct Changes {
    /// Must be read: new, changed, failed last time, or too young to tell.
    pub read: Vec<FileEntry>,
    /// What was recorded of the files to be read.
    pub before: FxHashMap<String, FileState>,
    /// As recorded.
    pub same: Vec<FileState>,
    /// Recorded, but no longer there.
    pub removed: Vec<String>,
    /// Indexed files that nobody looked at, as the snapshot before has them.
    pub others: Vec<Known>,
}

impl Changes {
    /// Returns the files of the next snapshot that need not be read.
    pub fn kept(&self) -> impl Iterator<Item = Known> {
        let same = self.same.iter().filter(|state| state.record.status == FileStatus::Indexed).map(
            |state| Known {
                path: state.record.path.clone(),
                hash: state.record.content_hash,
                language: LanguageId::by_name(&state.record.lang)
                    .unwrap_or(contextd_lang::registry::TEXT),
            },
        );
        same.chain(self.others.iter().cloned())
    }

    /// Returns the stamps of the files that are as recorded.
    pub fn stamps_of_same(&self) -> impl Iterator<Item = (&str, Stamp)> {
        self.same.iter().map(|FileState { record, .. }| {
            let stamp = Stamp {
                size: record.size,
                mtime_ns: record.mtime_ns,
                ctime_ns: record.ctime_ns,
                inode: record.inode,
                mode: record.mode,
            };
            (record.path.as_str(), stamp)
        })
    }

    /// True when nothing needs to be done.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.removed.is_empty()
    }
}

/// Returns the files of a snapshot that a scan does not cover: they stay as they are.
pub fn not_covered(snapshot: &Snapshot, covers: impl Fn(&str) -> bool) -> Vec<Known> {
    let files = snapshot
        .segments()
        .iter()
        .flat_map(|segment| (0..segment.file_count()).map(move |file| (segment, file)));
    let others = files.filter(|(segment, file)| !covers(segment.path(*file)));
    others
        .map(|(segment, file)| Known {
            path: segment.path(file).to_owned(),
            hash: segment.hash(file),
            language: LanguageId(segment.language(file)),
        })
        .collect()
}

/// Compares a scan with what was recorded of the files that it covers; those that `force` names are read whatever their
/// state says.
pub fn compare(
    files: Vec<FileEntry>,
    states: Vec<FileState>,
    force: impl Fn(&str) -> bool,
) -> Changes {
    let mut changes = Changes::default();
    let mut known: FxHashMap<String, FileState> =
        states.into_iter().map(|state| (state.record.path.clone(), state)).collect();
    for entry in files {
        match known.remove(&entry.rel) {
            Some(state) if is_same(&entry, &state) && !force(&entry.rel) => {
                changes.same.push(state)
            }
            Some(state) => {
                changes.before.insert(entry.rel.clone(), state);
                changes.read.push(entry);
            }
            None => changes.read.push(entry),
        }
    }
    changes.removed = known.into_keys().collect();
    changes.removed.sort();
    changes
}

/// True when a file's stamp is the recorded one, trusted or not.
pub fn has_stamp(entry: &FileEntry, state: &FileState) -> bool {
    let record = &state.record;
    (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode)
        == (record.size, record.mtime_ns, record.ctime_ns, record.inode)
}

fn is_same(entry: &FileEntry, state: &FileState) -> bool {
    let record = &state.record;
    let newest = record.mtime_ns.max(record.ctime_ns);
    let settled = newest.saturating_add(RACY_NS) < record.indexed_at.saturating_mul(1_000_000);
    // Who was told of a path alone recorded no stamp of what it could not take in.
    let is_stamped = (record.mtime_ns, record.ctime_ns, record.inode) != (0, 0, 0);
    // What could not be read may be readable now: the reason may lie outside of the file.
    has_stamp(entry, state) && is_stamped && settled && record.status != FileStatus::Failed
}
