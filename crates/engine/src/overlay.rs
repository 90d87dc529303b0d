//! What callers put over the work tree: texts given for paths, and files taken out for a while.
//!
//! Both are kept in the ledger, so that every process sees them, and shape the snapshot like any file.
//! An overlay stays until it is taken out; a tombstone until somebody asks for a refresh of its path.

use crate::engine::Engine;
use crate::error::Result;
use crate::refresh::is_under;
use contextd_model::ContentHash;
use contextd_scan::{Encoding, FileBytes, FileEntry, HeldRoot, ReadFailure, Stamp};
use contextd_store::{Ledger, SqliteLedger};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

/// Names under which the ledger keeps them; paths are separated by line ends, which none may have.
const OVERLAYS: &str = "overlays";
const TOMBSTONES: &str = "tombstones";
/// Most texts that are kept.
const MOST: usize = 512;

/// Texts and tombstones by path.
#[derive(Debug, Default)]
pub struct Overlays {
    texts: BTreeMap<String, Overlay>,
    tombstones: BTreeSet<String>,
}

#[derive(Debug)]
struct Overlay {
    text: String,
    /// When it was given, as Unix milliseconds.
    at: i64,
}

impl Overlays {
    /// Puts texts over what a scan found, and takes out what has a tombstone.
    pub(crate) fn apply(&self, files: &mut Vec<FileEntry>, covers: impl Fn(&str) -> bool) {
        if self.is_empty() {
            return;
        }
        files.retain(|file| {
            !self.texts.contains_key(&file.rel) && !self.tombstones.contains(&file.rel)
        });
        files.extend(self.texts.iter().filter(|(path, _)| covers(path)).map(|(path, overlay)| {
            let stamp = overlay.stamp();
            FileEntry {
                rel: path.clone(),
                size: stamp.size,
                mtime_ns: stamp.mtime_ns,
                ctime_ns: stamp.ctime_ns,
                inode: stamp.inode,
                mode: stamp.mode,
                tracked: false,
            }
        }));
        files.sort_by(|a, b| a.rel.cmp(&b.rel));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.tombstones.is_empty()
    }

    fn bytes(&self, path: &str) -> Option<FileBytes> {
        let overlay = self.texts.get(path)?;
        Some(FileBytes {
            text: overlay.text.clone(),
            encoding: Encoding::Utf8,
            hash: ContentHash::of(overlay.text.as_bytes()),
            stamp: overlay.stamp(),
        })
    }
}

impl Overlay {
    fn stamp(&self) -> Stamp {
        let ns = self.at.saturating_mul(1_000_000);
        Stamp { size: self.text.len() as u64, mtime_ns: ns, ctime_ns: ns, inode: 0, mode: 0 }
    }
}

impl Engine {
    /// Reads a file as the index sees it: the text given for it, else the work tree's.
    pub(crate) fn read(&self, path: &str) -> std::result::Result<FileBytes, ReadFailure> {
        let overlays = self.overlays.read().unwrap_or_else(PoisonError::into_inner).clone();
        overlays.bytes(path).map_or_else(|| self.scanner.read(path), Ok)
    }

    /// Reads one of the files that a scan has just found, as [`Engine::read`] does; without the root in hand it is one like
    /// any other.
    pub(crate) fn read_found(
        &self,
        held: Option<&HeldRoot>,
        path: &str,
    ) -> std::result::Result<FileBytes, ReadFailure> {
        let Some(held) = held else { return self.read(path) };
        let overlays = self.overlays.read().unwrap_or_else(PoisonError::into_inner).clone();
        overlays.bytes(path).map_or_else(|| self.scanner.read_found(held, path), Ok)
    }

    /// Reads a file as [`Engine::read`] does and notes its state.
    pub(crate) fn read_noted(&self, path: &str) -> std::result::Result<FileBytes, ReadFailure> {
        let began = SystemTime::now();
        let bytes = self.read(path)?;
        self.unchanged.note(path, &bytes, began);
        Ok(bytes)
    }

    /// Returns the hash of a file when its state alone tells it: it was read before and is as it was.
    pub(crate) fn unchanged_hash(&self, path: &str) -> Option<ContentHash> {
        let overlaid =
            self.overlays.read().unwrap_or_else(PoisonError::into_inner).texts.contains_key(path);
        if overlaid { None } else { self.unchanged.hash(self.scanner.root(), path) }
    }

    /// Keeps a text for a path; secrets in it are replaced first. False when there are too many.
    pub fn put_overlay(&self, path: &str, text: &str, now: i64) -> Result<bool> {
        let mut ledger = self.ledger()?;
        let mut paths = list(&ledger, OVERLAYS)?;
        paths.insert(path.to_owned());
        if paths.len() > MOST {
            return Ok(false);
        }
        let text = self.scrubber.scrub(text, path).text.into_owned();
        // Taken apart before it is kept: what cannot be is not met again at every start.
        let language = contextd_lang::detect(path, &text);
        contextd_lang::extract(&text, language, self.config.chunking.of(language.name()));
        self.forget_calm();
        ledger.set_meta(&key(path), Some(&format!("{now} {text}")))?;
        ledger.set_meta(OVERLAYS, Some(&joined(&paths)))?;
        remove(&mut ledger, TOMBSTONES, |stone| stone == path)?;
        self.load_overlays().map(|()| true)
    }

    /// Drops the text given for a path, if any.
    pub fn drop_overlay(&self, path: &str) -> Result<bool> {
        let mut ledger = self.ledger()?;
        self.forget_calm();
        ledger.set_meta(&key(path), None)?;
        let dropped = remove(&mut ledger, OVERLAYS, |other| other == path)?;
        self.load_overlays()?;
        Ok(dropped)
    }

    /// Takes a file out of the index until a refresh of its path is asked for.
    pub fn put_tombstone(&self, path: &str) -> Result<()> {
        let mut ledger = self.ledger()?;
        let mut stones = list(&ledger, TOMBSTONES)?;
        stones.insert(path.to_owned());
        self.forget_calm();
        ledger.set_meta(TOMBSTONES, Some(&joined(&stones)))?;
        self.load_overlays()
    }

    /// Lets files that were taken out come back at the next run: those below `paths`, or all.
    pub fn lift_tombstones(&self, paths: &[String]) -> Result<()> {
        if !self.places.ledger().exists() {
            return Ok(());
        }
        let mut ledger = self.ledger()?;
        remove(&mut ledger, TOMBSTONES, |stone| {
            paths.is_empty() || paths.iter().any(|path| is_under(stone, path))
        })?;
        self.load_overlays()
    }

    /// Returns what is put over the work tree.
    pub(crate) fn overlays(&self) -> Arc<Overlays> {
        self.overlays.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks again at what the ledger keeps: another process may have changed it.
    pub(crate) fn load_overlays(&self) -> Result<()> {
        if !self.places.ledger().exists() {
            return Ok(());
        }
        let found = self.ask_ledger(|ledger| {
            let mut found =
                Overlays { tombstones: list(ledger, TOMBSTONES)?, ..Overlays::default() };
            for path in list(ledger, OVERLAYS)? {
                let stored = ledger.meta(&key(&path))?;
                if let Some((at, text)) = stored.as_deref().and_then(|value| value.split_once(' '))
                {
                    found.texts.insert(
                        path,
                        Overlay { text: text.to_owned(), at: at.parse().unwrap_or(0) },
                    );
                }
            }
            Ok(found)
        })?;
        *self.overlays.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(found);
        Ok(())
    }
}

fn key(path: &str) -> String {
    format!("overlay {path}")
}

fn list(ledger: &SqliteLedger, name: &str) -> Result<BTreeSet<String>> {
    Ok(ledger.meta(name)?.unwrap_or_default().lines().map(str::to_owned).collect())
}

fn joined(paths: &BTreeSet<String>) -> String {
    paths.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// Removes the paths that `gone` names; true when there were any.
fn remove(ledger: &mut SqliteLedger, name: &str, gone: impl Fn(&str) -> bool) -> Result<bool> {
    let mut paths = list(ledger, name)?;
    let before = paths.len();
    paths.retain(|path| !gone(path));
    if paths.len() == before {
        return Ok(false);
    }
    ledger.set_meta(name, (!paths.is_empty()).then(|| joined(&paths)).as_deref())?;
    Ok(true)
}
