//! Whether anything has changed since a whole scan found nothing to do, told by stamps alone.
//!
//! The note says for which snapshot it holds and how many problems the scan had to list; then, piece by piece, what the
//! stamps of some paths came to and the paths, a line each. What decides about others comes first, then the files, those in
//! whose neighbourhood something was written last before the others: who has little time looks where changes are likely. It
//! is written after a scan whose files are all in the snapshot, and only when every stamp was older than that scan: a state
//! that could still change within one tick of the clock is not trusted.

use crate::changes::RACY_NS;
use crate::engine::Engine;
use contextd_model::ContentHash;
use contextd_scan::{Beside, Mark, Seen, Stamp};
use contextd_snapshot::{Durability, Snapshot, SnapshotName, write_atomically};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// First word of the note; changed whenever what it means changes.
const FORMAT: &str = "calm5";
/// What stands between pieces; each has its mark, then its paths, a line each.
const PIECE: u8 = 0;

/// What the program makes in a folder that has no index yet, and the folder.
const OWN: [&str; 3] = ["", ".contextd", ".contextd/.gitignore"];

/// A name in a folder, whether it is a folder and whether it is a link, and its inode.
type Name = (OsString, bool, bool, u64);

/// What the program's own places hold: their stamps, and because those are too young to tell all, the names in the folders
/// and the text of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Own {
    stamps: ContentHash,
    names: [Option<BTreeSet<Name>>; 2],
    text: Option<Vec<u8>>,
}

impl Own {
    pub(crate) fn of(engine: &Engine) -> Self {
        let [root, folder, file] = OWN.map(|path| engine.scanner.root().join(path));
        let stamps = engine.scanner.mark(&OWN).sum;
        let name = |entry: fs::DirEntry| {
            entry
                .file_type()
                .ok()
                .map(|kind| (entry.file_name(), kind.is_dir(), kind.is_symlink(), inode(&entry)))
        };
        let names = |folder: &Path| {
            Some(fs::read_dir(folder).ok()?.filter_map(|entry| name(entry.ok()?)).collect())
        };
        Self { stamps, names: [names(&root), names(&folder)], text: fs::read(file).ok() }
    }
}

#[cfg(unix)]
fn inode(entry: &fs::DirEntry) -> u64 {
    std::os::unix::fs::DirEntryExt::ino(entry)
}

#[cfg(not(unix))]
fn inode(_: &fs::DirEntry) -> u64 {
    0
}

/// What was seen of the paths of a note.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// All are as they were.
    Same,
    Other,
    /// So many are as they were, of so many; the time did not suffice for the others.
    Part(usize, usize),
}

/// Bytes that are read of the note at once.
const READ: usize = 1 << 16;

/// Reads up to where the next piece begins; `None` at the end, and where it cannot be read.
fn piece(note: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    note.read_until(PIECE, &mut bytes).ok().filter(|&read| read > 0)?;
    let end = bytes.strip_suffix(&[PIECE]).map_or(bytes.len(), <[u8]>::len);
    bytes.truncate(end);
    String::from_utf8(bytes).ok()
}

impl Engine {
    fn calm_note(&self) -> PathBuf {
        self.places.index.join("calm")
    }

    /// True when the note holds for the snapshot, there were at most `most` problems to list, and every stamp is as it was.
    /// One core is left to what is done beside.
    pub(crate) fn is_calm_by_stamps(
        &self,
        name: SnapshotName,
        most: usize,
        beside: Option<&Beside>,
    ) -> bool {
        self.look(name, most, None, beside).is_some_and(|look| look == Look::Same)
    }

    /// Looks at the stamps of what the note lists, until the time is up; `None` when no note holds for the snapshot with at
    /// most `most` problems.
    pub(crate) fn look(
        &self,
        name: SnapshotName,
        most: usize,
        until: Option<Instant>,
        beside: Option<&Beside>,
    ) -> Option<Look> {
        let mut note = BufReader::with_capacity(READ, fs::File::open(self.calm_note()).ok()?);
        let first = piece(&mut note)?;
        let (problems, paths) = first.strip_prefix(&header(self, name))?.split_once(' ')?;
        let (problems, paths): (usize, usize) = (problems.parse().ok()?, paths.parse().ok()?);
        if problems > most {
            return None;
        }
        Some(match self.scanner.look(std::iter::from_fn(|| piece(&mut note)), until, beside) {
            Seen::Same(looked) if looked == paths => Look::Same,
            Seen::Part(looked) => Look::Part(looked, paths),
            // What the note lacks cannot be told.
            Seen::Same(_) | Seen::Other => Look::Other,
        })
    }

    /// Forgets the note, before something changes that no stamp tells.
    pub(crate) fn forget_calm(&self) {
        // Without one there is nothing to forget.
        let _ = fs::remove_file(self.calm_note());
    }

    /// Writes the note. `grounds` are the paths that decided besides the files, `files` those found, with their stamps as of
    /// when they were read; `own` is what a first run saw of what it had made itself.
    pub(crate) fn note_calm<'f>(
        &self,
        snapshot: &Snapshot,
        grounds: &[String],
        files: impl Iterator<Item = (&'f str, Stamp)>,
        problems: usize,
        now: i64,
        own: Option<&Own>,
    ) {
        // The first run makes them, so that their stamps are younger than it; who compares what they hold needs no stamp.
        let is_own = |path: &&str| OWN.contains(path);
        // What changes from here on is either compared or too young.
        let began =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
        let is_as_seen = own.is_some_and(|own| *own == Own::of(self));
        if !self.tells_of_new_names() {
            return;
        }
        let (own, grounds): (Vec<&str>, Vec<&str>) =
            grounds.iter().map(String::as_str).partition(|path| is_as_seen && is_own(path));
        let stamps: FxHashMap<&str, Stamp> = files.collect();
        let files: Vec<&str> = stamps.keys().copied().collect();
        // They are kept as lines.
        if own.iter().chain(&grounds).chain(&files).any(|path| path.contains('\n')) {
            return;
        }
        let paths = own.len() + grounds.len() + files.len();
        let [own, grounds] =
            [own, grounds].map(|paths| marked(paths, |pieces| self.scanner.marks(pieces)));
        let files =
            marked(files, |pieces| self.scanner.marks_by(pieces, |path| stamps.get(path).copied()));
        // Stamps may be taken after the scan: only if all are older did the scan see what they stand for.
        let is_young = |pieces: &[(Vec<&str>, Mark)], than: i64| {
            pieces.iter().any(|(_, mark)| {
                mark.newest_ns.saturating_add(RACY_NS) >= than.saturating_mul(1_000_000)
            })
        };
        let is_lost = files.iter().any(|(_, mark)| mark.missing > 0);
        if is_young(&grounds, now)
            || is_young(&files, now)
            || is_young(&own, now.max(began))
            || is_lost
        {
            return;
        }
        let mut pieces = files;
        pieces.sort_by_key(|(_, mark)| std::cmp::Reverse(mark.newest_ns));
        pieces.splice(0..0, own.into_iter().chain(grounds));
        let mut note = format!("{}{problems} {paths}", header(self, snapshot.name()));
        for (piece, mark) in pieces {
            note.push(char::from(PIECE));
            note.extend([mark.sum.to_hex().as_str(), "\n", &piece.join("\n")]);
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
        let long_ago = fs::FileTimes::new()
            .set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1));
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

/// Cuts paths into pieces and puts their marks beside them.
fn marked<'p>(
    paths: Vec<&'p str>,
    marks: impl FnOnce(&[Vec<&'p str>]) -> Vec<Mark>,
) -> Vec<(Vec<&'p str>, Mark)> {
    let pieces = contextd_scan::in_pieces(paths);
    let marks = marks(&pieces);
    pieces.into_iter().zip(marks).collect()
}

/// What the note begins with: the snapshot it holds for, and whose settings decided.
fn header(engine: &Engine, name: SnapshotName) -> String {
    format!("{FORMAT} {} {} ", name.0.to_hex(), engine.scanner.surroundings())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;

    #[test]
    fn what_happens_in_its_own_places_is_seen() {
        let changes: &[fn(&Path)] = &[
            |root| fs::write(root.join("new"), "").unwrap(),
            |root| fs::remove_file(root.join("old")).unwrap(),
            |root| {
                fs::remove_file(root.join("old"))
                    .and_then(|()| fs::create_dir(root.join("old")))
                    .unwrap()
            },
            |root| {
                fs::remove_file(root.join("old"))
                    .and_then(|()| std::os::unix::fs::symlink(root, root.join("old")))
                    .unwrap()
            },
            |root| {
                // Gone for a while only.
                std::thread::sleep(std::time::Duration::from_millis(20));
                fs::rename(root.join("old"), root.join("away"))
                    .and_then(|()| fs::rename(root.join("away"), root.join("old")))
                    .unwrap();
            },
            |root| fs::write(root.join(".contextd/rules.yml"), "").unwrap(),
            |root| fs::write(root.join(".contextd/.gitignore"), "").unwrap(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("old"), "").unwrap();
            let engine = Engine::open(folder.path(), &EngineOptions::default(), &|_| None).unwrap();
            engine.places.create().unwrap();
            let before = Own::of(&engine);
            assert_eq!(before, Own::of(&engine));
            change(folder.path());
            assert_ne!(before, Own::of(&engine), "{number}");
        }
    }
}
