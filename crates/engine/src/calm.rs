//! Whether anything has changed since a whole scan found nothing to do, told by stamps alone.
//!
//! The note says for which snapshot it holds, how many problems the scan had to list, what the stamps of
//! everything came to, and which paths besides the indexed files were looked at, a line each. It is written by a scan that found all as
//! recorded, and only when every stamp was older than that scan: a state that could still change within
//! one tick of the clock is not trusted.

use crate::changes::RACY_NS;
use crate::engine::Engine;
use contextd_scan::Beside;
use contextd_snapshot::{Durability, Snapshot, write_atomically};
use contextd_store::FileState;
use std::fs;
use std::path::PathBuf;

/// First word of the note; changed whenever what it means changes.
const FORMAT: &str = "calm3";

impl Engine {
    fn calm_note(&self) -> PathBuf {
        self.places.index.join("calm")
    }

    /// True when the note holds for the snapshot, there were at most `most` problems to list, and every stamp is as it was.
    /// One core is left to what is done beside.
    pub(crate) fn is_calm_by_stamps(&self, snapshot: &Snapshot, most: usize, beside: Option<&Beside>) -> bool {
        let stamps_hold = || -> Option<bool> {
            let note = fs::read_to_string(self.calm_note()).ok()?;
            let (first, paths) = note.split_once('\n')?;
            let (problems, sum) = first.strip_prefix(&header(snapshot))?.split_once(' ')?;
            let is_enough = problems.parse::<usize>().ok()? <= most;
            Some(is_enough && self.scanner.marks(looked_at(snapshot, paths.lines()), beside).sum.to_hex() == sum)
        };
        stamps_hold().unwrap_or(false)
    }

    /// Writes the note. `grounds` are the paths that decided besides the files, `files` those found.
    pub(crate) fn note_calm(&self, snapshot: &Snapshot, mut grounds: Vec<String>, files: &[FileState], problems: usize, now: i64) {
        if !self.tells_of_new_names() {
            return;
        }
        let others = files.iter().map(|state| &state.record.path).filter(|path| snapshot.find_file(path).is_none());
        grounds.extend(others.cloned());
        // They are kept as lines.
        if grounds.iter().any(|path| path.contains('\n')) {
            return;
        }
        let marks = self.scanner.marks(looked_at(snapshot, grounds.iter().map(String::as_str)), None);
        // Stamps are taken after the scan: only if all are older did the scan see what they stand for.
        if marks.newest_ns.saturating_add(RACY_NS) >= now.saturating_mul(1_000_000) {
            return;
        }
        let note = format!("{}{problems} {}\n{}", header(snapshot), marks.sum.to_hex(), grounds.join("\n"));
        // Without it the next question scans, nothing else.
        let _ = write_atomically(&self.calm_note(), note.as_bytes(), Durability::Fast);
    }

    /// True when a folder's times change with a new name in it, as tried in the folder of the index. One that
    /// lies elsewhere may be on another file system and tells nothing.
    fn tells_of_new_names(&self) -> bool {
        if !self.places.index.starts_with(self.scanner.root()) {
            return false;
        }
        let trial = self.places.index.join(format!("calm-{}", std::process::id()));
        let long_ago = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1));
        let modified = || fs::metadata(&self.places.index).and_then(|metadata| metadata.modified());
        let tried = || -> std::io::Result<bool> {
            fs::File::open(&self.places.index)?.set_times(long_ago)?;
            let before = modified()?;
            fs::write(&trial, "")?;
            let after = modified()?;
            fs::remove_file(&trial)?;
            Ok(before != after)
        };
        tried().unwrap_or(false)
    }
}

fn header(snapshot: &Snapshot) -> String {
    format!("{FORMAT} {} ", snapshot.name().0.to_hex())
}

/// Returns the indexed files and the paths beside them.
fn looked_at<'a>(snapshot: &'a Snapshot, others: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    (0..snapshot.file_count()).map(|file| snapshot.file(file).path()).chain(others).collect()
}
