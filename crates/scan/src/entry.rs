//! A file that belongs to the index, with what tells whether it changed.

use std::fs::Metadata;

/// One file that passed every rule that needs no look inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Path relative to the root, with `/` between its parts.
    pub rel: String,
    pub size: u64,
    pub mtime_ns: i64,
    /// Time of the last change of the inode; 0 where the system has none.
    pub ctime_ns: i64,
    /// Number of the inode; 0 where the system has none.
    pub inode: u64,
    /// Permissions and type; 0 where the system has none.
    pub mode: u32,
    /// True when git tracks the file.
    pub tracked: bool,
}

impl FileEntry {
    pub(crate) fn new(rel: String, metadata: &Metadata, tracked: bool) -> Self {
        let Stamp { size, mtime_ns, ctime_ns, inode, mode } = Stamp::of(metadata);
        Self { rel, size, mtime_ns, ctime_ns, inode, mode, tracked }
    }

    /// Returns what the system said about the file's state.
    pub fn stamp(&self) -> Stamp {
        Stamp {
            size: self.size,
            mtime_ns: self.mtime_ns,
            ctime_ns: self.ctime_ns,
            inode: self.inode,
            mode: self.mode,
        }
    }
}

/// What the system says about a file's state; equal stamps mean an unchanged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stamp {
    pub size: u64,
    pub mtime_ns: i64,
    pub ctime_ns: i64,
    pub inode: u64,
    pub mode: u32,
}

impl Stamp {
    /// Takes over what the system said about a file.
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            size: metadata.len(),
            mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            mode: metadata.mode(),
        }
    }

    #[cfg(unix)]
    pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        // Their types differ from system to system.
        #[allow(clippy::unnecessary_cast)]
        Self {
            size: stat.st_size as u64,
            mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            mode: stat.st_mode as u32,
        }
    }

    /// Takes over what the system said about a file.
    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let since = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let mtime_ns = since.map_or(0, |since| since.as_nanos() as i64);
        Self { size: metadata.len(), mtime_ns, ..Self::default() }
    }
}

#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
