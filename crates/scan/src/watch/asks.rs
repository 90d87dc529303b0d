//! Questions of other processes to the one that watches: is all that happened until now taken in?
//!
//! A question is an empty file in a folder that is watched through the same queue of events as the tree. Its own event
//! comes behind those of every change that was finished when it was put, so whoever hears of it has heard of them. The
//! answer is written into the file, which is removed at once: who asked holds it open.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The answer when something that happened is being taken in: asking again is worth it.
pub const SOON: &str = "soon";

/// How long who waits for an answer sleeps before it looks again.
const NAP: Duration = Duration::from_micros(60);
/// Longest answer that is read.
const MOST: u64 = 256;

/// A question that was put; dropping it takes it back.
#[derive(Debug)]
pub struct Question {
    file: File,
    path: PathBuf,
    put: Instant,
}

impl Question {
    /// Puts a question into a folder that somebody watches. `key` is a name for what is asked about, without `-`: who
    /// watches something else says no. `None` when nothing can be put there.
    pub fn put(folder: &Path, key: &str) -> Option<Question> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{key}-{}-{count}", std::process::id()));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(&path).ok()?;
        let put = Instant::now();
        Some(Question { file, path, put })
    }

    /// Waits for the answer until `patience` has passed since the question was put.
    pub fn answer(mut self, patience: Duration) -> Option<String> {
        loop {
            // Looked at once more when the time is over: this process may have slept longer than it wanted.
            let is_late = self.put.elapsed() >= patience;
            let mut text = String::new();
            self.file.rewind().ok()?;
            Read::by_ref(&mut self.file).take(MOST).read_to_string(&mut text).ok()?;
            if let Some(answer) = text.strip_suffix('\n') {
                return Some(answer.to_owned());
            }
            if is_late {
                return None;
            }
            thread::sleep(NAP);
        }
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        // Most often the one who answered has done it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Makes the folder ready for questions; those that an earlier watcher left are removed.
#[cfg(target_os = "linux")]
pub(super) fn open(folder: &Path) -> std::io::Result<()> {
    close(folder);
    fs::create_dir_all(folder)
}

/// Takes no more questions.
#[cfg(target_os = "linux")]
pub(super) fn close(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

/// Answers a question. One that is no plain file, or that was taken back, is left alone.
pub(super) fn reply(folder: &Path, name: &OsStr, answer: &str) {
    let path = folder.join(name);
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let opened = options.open(&path);
    let is_empty_file = |file: &File| {
        file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
    };
    if let Some(mut file) = opened.ok().filter(is_empty_file) {
        // Who asked takes no answer for a no.
        let _ = file.write_all(format!("{answer}\n").as_bytes());
    }
    let _ = fs::remove_file(&path);
}

/// Returns what a question is about.
pub(super) fn key(name: &OsStr) -> Option<&str> {
    Some(name.to_str()?.split_once('-')?.0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_answer_reaches_who_asked_and_leaves_nothing() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("asks");
        assert!(Question::put(&folder, "key").is_none(), "nobody listens");
        open(&folder).expect("opened");
        let question = Question::put(&folder, "key").expect("put");
        let name = question.path.file_name().expect("a name").to_owned();
        assert_eq!(key(&name), Some("key"));
        reply(&folder, &name, "calm");
        assert_eq!(question.answer(Duration::ZERO).as_deref(), Some("calm"));
        let silent = Question::put(&folder, "key").expect("put");
        assert_eq!(silent.answer(Duration::from_millis(1)), None);
        assert_eq!(fs::read_dir(&folder).expect("listed").count(), 0);
    }

    #[test]
    fn nothing_is_written_through_a_link_or_into_another_file() {
        let place = tempfile::tempdir().expect("a folder");
        let (folder, other) = (place.path().join("asks"), place.path().join("other"));
        open(&folder).expect("opened");
        fs::write(&other, "").expect("written");
        std::os::unix::fs::symlink(&other, folder.join("key-1-1")).expect("a link");
        reply(&folder, OsStr::new("key-1-1"), "busy");
        assert_eq!(fs::read_to_string(&other).expect("read"), "");
        fs::write(&other, "mine").expect("written");
        fs::hard_link(&other, folder.join("key-1-2")).expect("a second name");
        reply(&folder, OsStr::new("key-1-2"), "busy");
        assert_eq!(fs::read_to_string(&other).expect("read"), "mine");
        assert_eq!(fs::read_dir(&folder).expect("listed").count(), 0);
    }
}
