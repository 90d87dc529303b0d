//! Whether anything has changed since a whole scan found nothing to do, told by stamps alone.
//!
//! The note says for which snapshot it holds and how many problems the scan had to list; then, piece by piece, what the
//! stamps of some paths came to and the paths, a line each. What decides about others comes first, then the files, those in
//! whose neighbourhood something was written last before the others: who has little time looks where changes are likely. It
//! is written after a scan whose files are all in the snapshot, and only when every stamp was older than that scan: a state
//! that could still change within one tick of the clock is not trusted.

use crate::changes::RACY_NS;
use crate::engine::Engine;
use contextd_scan::{Beside, Mark, Marked, Seen};
use contextd_snapshot::{Durability, Snapshot, write_atomically};
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// First word of the note; changed whenever what it means changes.
const FORMAT: &str = "calm4";
/// What a piece begins with: its mark follows, then its paths.
const PIECE: &str = "\n\0";

/// What was seen of the paths of a note.
pub(crate) struct Look {
    pub seen: Seen,
    /// How many there are.
    pub paths: usize,
}

impl Engine {
    fn calm_note(&self) -> PathBuf {
        self.places.index.join("calm")
    }

    /// True when the note holds for the snapshot, there were at most `most` problems to list, and every stamp is as it was.
    /// One core is left to what is done beside.
    pub(crate) fn is_calm_by_stamps(&self, snapshot: &Snapshot, most: usize, beside: Option<&Beside>) -> bool {
        self.look(snapshot, most, None, beside).is_some_and(|look| look.seen == Seen::Same)
    }

    /// Looks at the stamps of what the note lists, until the time is up; `None` when no note holds for the snapshot with at
    /// most `most` problems.
    pub(crate) fn look(&self, snapshot: &Snapshot, most: usize, until: Option<Instant>, beside: Option<&Beside>) -> Option<Look> {
        let note = fs::read_to_string(self.calm_note()).ok()?;
        let (first, pieces) = note.split_once(PIECE)?;
        let (problems, paths) = first.strip_prefix(&header(snapshot))?.split_once(' ')?;
        let paths = paths.parse().ok()?;
        if problems.parse::<usize>().ok()? > most {
            return None;
        }
        let pieces = pieces.split(PIECE).map(|piece| piece.split_once('\n').map(|(sum, paths)| Marked { sum, paths })).collect::<Option<Vec<_>>>()?;
        Some(Look { seen: self.scanner.look(&pieces, until, beside), paths })
    }

    /// Writes the note. `grounds` are the paths that decided besides the files, `files` those found.
    pub(crate) fn note_calm<'f>(&self, snapshot: &Snapshot, grounds: &[String], files: impl Iterator<Item = &'f str>, problems: usize, now: i64) {
        if !self.tells_of_new_names() {
            return;
        }
        let (grounds, files): (Vec<&str>, Vec<&str>) = (grounds.iter().map(String::as_str).collect(), files.collect());
        // They are kept as lines.
        if grounds.iter().chain(&files).any(|path| path.contains('\n')) {
            return;
        }
        let paths = grounds.len() + files.len();
        let [grounds, files] = [grounds, files].map(|paths| {
            let pieces = contextd_scan::in_pieces(paths);
            let marks = self.scanner.marks(&pieces);
            pieces.into_iter().zip(marks).collect::<Vec<(Vec<&str>, Mark)>>()
        });
        let mut pieces = files;
        pieces.sort_by_key(|(_, mark)| std::cmp::Reverse(mark.newest_ns));
        pieces.splice(0..0, grounds);
        // Stamps are taken after the scan: only if all are older did the scan see what they stand for.
        if pieces.iter().any(|(_, mark)| mark.newest_ns.saturating_add(RACY_NS) >= now.saturating_mul(1_000_000)) {
            return;
        }
        let mut note = format!("{}{problems} {paths}", header(snapshot));
        for (piece, mark) in pieces {
            note.extend([PIECE, &mark.sum.to_hex(), "\n", &piece.join("\n")]);
        }
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
