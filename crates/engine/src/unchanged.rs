//! Files that were read and have not changed since, by what the system says about them.
//!
//! To look at a file's state costs a hundredth of reading and hashing it. The rule is the one that an
//! index run follows: a state that is too young says nothing, because within one tick of a coarse clock a
//! second write would leave the same one.

use crate::changes::RACY_NS;
use contextd_model::ContentHash;
use contextd_scan::{FileBytes, Stamp};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files that are remembered; then it begins anew.
const MOST: usize = 1 << 16;

/// States of files with the hashes of what was read from them.
#[derive(Debug, Default)]
pub(crate) struct Unchanged {
    files: Mutex<FxHashMap<String, (Stamp, ContentHash)>>,
}

impl Unchanged {
    /// Returns the hash of a file that is as it was when it was noted.
    pub(crate) fn hash(&self, root: &Path, rel: &str) -> Option<ContentHash> {
        let (noted, hash) = *self.files.lock().unwrap_or_else(PoisonError::into_inner).get(rel)?;
        (stamp_beneath(root, rel)? == noted).then_some(hash)
    }

    /// Notes what was read; `began` is a moment before the reading.
    pub(crate) fn note(&self, rel: &str, bytes: &FileBytes, began: SystemTime) {
        let newest = bytes.stamp.mtime_ns.max(bytes.stamp.ctime_ns);
        let began = began.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
        // Without numbers of inodes and the times of their changes, a state says too little.
        let settled = bytes.stamp.inode != 0 && newest.saturating_add(RACY_NS) < began;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MOST {
            files.clear();
        }
        if settled {
            files.insert(rel.to_owned(), (bytes.stamp, bytes.hash));
        } else {
            files.remove(rel);
        }
    }
}

/// Returns the state of a regular file that no link leads to; nothing where only opening it can tell.
fn stamp_beneath(root: &Path, rel: &str) -> Option<Stamp> {
    let mut path = root.to_path_buf();
    let mut parts = rel.split('/').peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let metadata = std::fs::symlink_metadata(&path).ok()?;
        if parts.peek().is_none() {
            return metadata.is_file().then(|| Stamp::of(&metadata));
        }
        if !metadata.is_dir() {
            return None;
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::{Engine, EngineOptions};
    use contextd_pack::Texts;
    use std::time::Duration;

    fn engine(folder: &Path) -> Engine {
        Engine::open(folder, &EngineOptions::default(), &|_| None).expect("an engine")
    }

    #[test]
    fn a_settled_file_is_not_read_again_and_a_change_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, file) = (folder.path(), folder.path().join("in/a.txt"));
        std::fs::create_dir(root.join("in")).expect("a folder");
        std::fs::write(&file, "one").expect("written");
        let engine = engine(root);
        let bytes = engine.scanner.read("in/a.txt").expect("read");
        let later = SystemTime::now() + Duration::from_secs(1);
        let unchanged = Unchanged::default();
        unchanged.note("in/a.txt", &bytes, SystemTime::now());
        assert_eq!(unchanged.hash(root, "in/a.txt"), None, "too young to tell");
        unchanged.note("in/a.txt", &bytes, later);
        assert_eq!(unchanged.hash(root, "in/a.txt"), Some(bytes.hash));
        std::thread::sleep(Duration::from_millis(30));
        std::fs::write(&file, "two").expect("written");
        assert_eq!(unchanged.hash(root, "in/a.txt"), None, "the same size, another time");
        unchanged.note("in/a.txt", &engine.scanner.read("in/a.txt").expect("read"), later);
        assert!(unchanged.hash(root, "in/a.txt").is_some());
        std::fs::rename(root.join("in"), root.join("elsewhere")).expect("moved");
        std::os::unix::fs::symlink(root.join("elsewhere"), root.join("in")).expect("a link");
        assert_eq!(unchanged.hash(root, "in/a.txt"), None, "nothing is read through a link");
    }

    #[test]
    fn texts_follow_every_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = engine(folder.path());
        let mut known = None;
        for round in 0..40 {
            std::fs::write(folder.path().join("a.txt"), format!("{:03}", round / 2))
                .expect("written");
            let (text, hash) = (
                engine.texts().read_again("a.txt", known.as_ref()).expect("read"),
                engine.texts().hash("a.txt"),
            );
            assert_eq!(
                (text.scrubbed.as_str(), hash),
                (format!("{:03}", round / 2).as_str(), Some(text.hash)),
                "{round}"
            );
            known = Some(text);
            std::thread::sleep(Duration::from_millis(round % 4));
        }
    }
}
