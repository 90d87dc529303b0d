//! What the paths of a snapshot say of their files, kept beside the index: to ask every path of a large tree takes as long
//! as to gather all the rest that a question needs.
//!
//! The file holds a hash and one byte for each file. The hash is taken over the program, the snapshot and those bytes, so
//! that what another program wrote, for another snapshot, or only in part, counts for nothing.

use crate::engine::Engine;
use contextd_model::ContentHash;
use contextd_retrieve::Catalog;
use contextd_snapshot::{Durability, Snapshot, write_atomically};
use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// First part of what is hashed; changed whenever the bytes mean something else.
const FORMAT: &[u8] = b"path flags 1";
/// Files from which on it pays.
const MANY: u32 = 2_000;
/// Bytes of a hash.
const HASH: usize = 32;

impl Engine {
    fn path_flags_file(&self) -> PathBuf {
        self.places.index.join("paths")
    }

    /// Gathers the catalog of a snapshot, with what is known of its paths.
    pub(crate) fn catalog(&self, snapshot: &Snapshot) -> Catalog {
        if snapshot.file_count() < MANY {
            return Catalog::of(snapshot, None);
        }
        let known = self.kept_path_flags(snapshot);
        let catalog = Catalog::of(snapshot, known.as_deref());
        if known.is_none() {
            self.keep_path_flags(snapshot, &catalog.path_flags);
        }
        catalog
    }

    fn kept_path_flags(&self, snapshot: &Snapshot) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path_flags_file()).ok()?;
        let (kept, flags) = bytes.split_at_checked(HASH)?;
        (kept == hash(snapshot, flags)?.0 && flags.len() == snapshot.file_count() as usize)
            .then(|| flags.to_vec())
    }

    /// Keeps them for the next process; one that cannot asks the paths itself, nothing else.
    fn keep_path_flags(&self, snapshot: &Snapshot, flags: &[u8]) {
        let Some(hash) = hash(snapshot, flags) else { return };
        let _ =
            write_atomically(&self.path_flags_file(), &[&hash.0, flags].concat(), Durability::Fast);
    }
}

/// Returns the hash of flags; `None` where the program cannot be told from another.
fn hash(snapshot: &Snapshot, flags: &[u8]) -> Option<ContentHash> {
    let program = std::env::current_exe().and_then(fs::metadata).ok()?;
    let made = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    Some(ContentHash::of(
        &[FORMAT, &program.len().to_le_bytes(), &made.to_le_bytes(), &snapshot.name().0.0, flags]
            .concat(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::progress::Silent;
    use crate::refresh::RefreshOptions;

    #[test]
    fn flags_are_believed_only_whole_and_for_their_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let index = |name: &str| {
            fs::write(folder.path().join(name), "def run():\n    pass\n").unwrap();
            let engine = Engine::open(folder.path(), &EngineOptions::default(), &|_| None).unwrap();
            engine
                .refresh(&RefreshOptions { now: 1, ..RefreshOptions::default() }, &Silent)
                .unwrap();
            let snapshot = engine.snapshot().unwrap().unwrap();
            (engine, snapshot)
        };
        index("run.py");
        let (engine, snapshot) = index("test_run.py");
        assert_eq!(engine.kept_path_flags(&snapshot), None, "nobody kept any");
        let asked = Catalog::of(&snapshot, None);
        assert!(asked.path_flags.contains(&contextd_retrieve::catalog::flag::TEST));
        engine.keep_path_flags(&snapshot, &asked.path_flags);
        assert_eq!(engine.kept_path_flags(&snapshot).as_ref(), Some(&asked.path_flags));
        let known = Catalog::of(&snapshot, engine.kept_path_flags(&snapshot).as_deref());
        assert_eq!((known.file_flags, known.flags), (asked.file_flags, asked.flags));
        // A byte of another value, a byte less.
        let kept = fs::read(engine.path_flags_file()).unwrap();
        let mut other = kept.clone();
        other[HASH] ^= 1;
        for damaged in [&other[..], &kept[..kept.len() - 1], &[]] {
            fs::write(engine.path_flags_file(), damaged).unwrap();
            assert_eq!(engine.kept_path_flags(&snapshot), None);
        }
        fs::write(engine.path_flags_file(), &kept).unwrap();
        let (engine, snapshot) = index("run_again.py");
        assert_eq!(engine.kept_path_flags(&snapshot), None, "another snapshot");
    }
}
