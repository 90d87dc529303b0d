//! The lock of the one writer.

use crate::error::{Result, SnapshotError};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// Right to write the index, held until dropped. The kernel takes it back when the process dies.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

/// How often a waiting writer looks again.
const PAUSE: Duration = Duration::from_millis(10);

impl WriterLock {
    /// Takes the lock; `None` when another writer holds it.
    pub fn try_lock(index_dir: &Path) -> Result<Option<Self>> {
        std::fs::create_dir_all(index_dir).map_err(SnapshotError::io("create", index_dir))?;
        let path = index_dir.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(SnapshotError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => {
                Err(SnapshotError::Io { action: "lock", path, source })
            }
        }
    }

    /// Tells whether somebody holds the lock, without making it.
    pub fn is_held(index_dir: &Path) -> bool {
        let file = File::open(index_dir.join("lock"));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Waits up to `timeout` for the lock; `None` when another writer still holds it.
    pub fn lock_wait(index_dir: &Path, timeout: Duration) -> Result<Option<Self>> {
        let started = Instant::now();
        loop {
            if let Some(lock) = Self::try_lock(index_dir)? {
                return Ok(Some(lock));
            }
            let left = timeout.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(left.min(PAUSE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let lock = WriterLock::try_lock(dir.path()).unwrap();
        assert!(lock.is_some());
        assert!(WriterLock::try_lock(dir.path()).unwrap().is_none());
        assert!(WriterLock::lock_wait(dir.path(), Duration::from_millis(30)).unwrap().is_none());
        assert!(WriterLock::is_held(dir.path()));
        drop(lock);
        assert!(!WriterLock::is_held(dir.path()));
        assert!(WriterLock::lock_wait(dir.path(), Duration::from_millis(30)).unwrap().is_some());
    }
}
