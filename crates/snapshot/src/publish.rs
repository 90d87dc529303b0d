//! Puts files of the index in place, publishes snapshots and removes what none of them names.
//!
//! A file is written under a temporary name and renamed, so it is there whole or not at all. Segments
//! and graphs are written first, then the manifest, then `CURRENT`: what `CURRENT` names is complete,
//! and a writer killed anywhere leaves the snapshot before it, and files for the next collection.

use crate::error::{Result, SnapshotError};
use crate::manifest::Manifest;
use contextd_model::ContentHash;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a write waits until the disk has it. Without, a power cut may lose the newest snapshot
/// or leave it damaged; a killed process never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    Sync,
    Fast,
}

/// Name of a snapshot: the hash of its manifest, which names everything else by hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotName(pub ContentHash);

/// Returns where a segment lies.
pub fn segment_path(index_dir: &Path, key: ContentHash) -> PathBuf {
    index_dir.join("segments").join(format!("{key}.seg"))
}

/// Returns where a graph lies.
pub fn graph_path(index_dir: &Path, key: ContentHash) -> PathBuf {
    index_dir.join("graph").join(format!("{key}.graph"))
}

pub(crate) fn manifest_path(index_dir: &Path, name: SnapshotName) -> PathBuf {
    index_dir.join("snapshots").join(name.0.to_hex())
}

fn current_path(index_dir: &Path) -> PathBuf {
    index_dir.join("CURRENT")
}

/// Makes a snapshot the current one. Everything the manifest names must be in place.
pub fn publish(
    index_dir: &Path,
    manifest: &Manifest,
    durability: Durability,
) -> Result<SnapshotName> {
    let bytes = manifest.encode();
    let name = SnapshotName(ContentHash::of(&bytes));
    write_atomically(&manifest_path(index_dir, name), &bytes, durability)?;
    write_atomically(&current_path(index_dir), format!("{}\n", name.0).as_bytes(), durability)?;
    Ok(name)
}

/// Returns the name of the published snapshot; `None` when there is none.
pub fn current(index_dir: &Path) -> Result<Option<SnapshotName>> {
    let path = current_path(index_dir);
    match fs::read_to_string(&path) {
        // What is no name was not written here: it reads as no snapshot and is replaced by the next.
        Ok(text) => Ok(ContentHash::from_hex(text.trim_end()).map(SnapshotName)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) => {
            Ok(None)
        }
        Err(error) => Err(SnapshotError::io("read", &path)(error)),
    }
}

/// Start of the names of files being written.
const TEMPORARY: &str = ".writing-";

static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes a file so that readers see all of it or none.
pub fn write_atomically(path: &Path, bytes: &[u8], durability: Durability) -> Result<()> {
    write_parts(path, &[bytes], durability)
}

/// Writes a file of several parts so that readers see all of it or none.
pub(crate) fn write_parts(path: &Path, parts: &[&[u8]], durability: Durability) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unique =
        format!("{TEMPORARY}{}.{}", std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
    let temporary = folder.join(unique);
    let written = create(&temporary, folder)
        .and_then(|mut file| {
            parts.iter().try_for_each(|part| file.write_all(part))?;
            if durability == Durability::Sync { file.sync_all() } else { Ok(()) }
        })
        .map_err(SnapshotError::io("write", &temporary))
        .and_then(|()| fs::rename(&temporary, path).map_err(SnapshotError::io("write", path)));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
        return written;
    }
    if durability == Durability::Sync {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(SnapshotError::io("write", folder))?;
    }
    Ok(())
}

/// Creates a file, and its folder when that is missing.
fn create(path: &Path, folder: &Path) -> std::io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(folder)?;
            File::create_new(path)
        }
        created => created,
    }
}

/// What [`collect_garbage`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub files: u32,
    pub bytes: u64,
}

/// Removes every file of the index that neither `CURRENT` nor a snapshot of `keep` names. Only the
/// holder of the writer's lock may call it. Readers that have mapped a file keep it.
pub fn collect_garbage(index_dir: &Path, keep: &[SnapshotName]) -> Result<Collected> {
    let mut used: BTreeSet<PathBuf> = BTreeSet::new();
    for name in current(index_dir)?.iter().chain(keep) {
        let path = manifest_path(index_dir, *name);
        match Manifest::read(&path) {
            Ok(manifest) => {
                used.extend(
                    manifest.segments.iter().map(|entry| segment_path(index_dir, entry.key)),
                );
                used.insert(graph_path(index_dir, manifest.graph));
                used.insert(path);
            }
            // A snapshot that cannot be read keeps nothing alive.
            Err(error) if error.is_missing() || !matches!(error, SnapshotError::Io { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let mut collected = Collected::default();
    for folder in ["segments", "graph", "snapshots"] {
        remove_unused(&index_dir.join(folder), |path| used.contains(path), &mut collected)?;
    }
    let is_temporary = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY))
    };
    remove_unused(index_dir, |path| !is_temporary(path), &mut collected)?;
    Ok(collected)
}

fn remove_unused(
    folder: &Path,
    is_used: impl Fn(&Path) -> bool,
    collected: &mut Collected,
) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(SnapshotError::io("read", folder)(error)),
    };
    for entry in entries {
        let path = entry.map_err(SnapshotError::io("read", folder))?.path();
        if is_used(&path) {
            continue;
        }
        let size = fs::symlink_metadata(&path).map_or(0, |metadata| metadata.len());
        match fs::remove_file(&path) {
            Ok(()) => {
                collected.files += 1;
                collected.bytes += size;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(SnapshotError::io("remove", &path)(error)),
        }
    }
    Ok(())
}
