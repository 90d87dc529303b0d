//! Moving a damaged database out of the way, safely beside other processes.
//!
//! Damage found in the middle of the work leaves a mark beside the file; whoever opens the database
//! next moves it aside. Moving happens under a lock file, so two processes never move twice.

use crate::error::{Result, StoreError};
use contextd_model::Problem;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Returns `path` with `suffix` appended to its file name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

/// Waits for the right to set up or move the database; released when the file is dropped.
pub(crate) fn lock(path: &Path) -> Result<File> {
    let lock_path = beside(path, ".lock");
    let open = || {
        let file = File::options().create(true).truncate(false).write(true).open(&lock_path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|source| StoreError::io(&lock_path, source))
}

/// Leaves the mark of damage. A failure to do so is ignored: the damage is reported either way.
pub(crate) fn mark(path: &Path, identity: u64) {
    let _ = fs::write(beside(path, ".damaged"), identity.to_string());
}

/// True when damage was noticed in the very file that `path` names now.
pub(crate) fn is_marked(path: &Path) -> bool {
    let marked =
        fs::read_to_string(beside(path, ".damaged")).ok().and_then(|text| text.parse::<u64>().ok());
    marked.is_some_and(|marked| marked == identity(path))
}

/// Removes the mark, also one about a file that is no longer there.
pub(crate) fn unmark(path: &Path) -> Result<()> {
    let mark_path = beside(path, ".damaged");
    match fs::remove_file(&mark_path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io(&mark_path, source))
        }
        _ => Ok(()),
    }
}

/// Returns a number that tells this file from another one under the same name, 0 where there is none.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|metadata| metadata.ino()).unwrap_or(0)
}

/// Returns 0: without inode numbers, a mark holds for whatever file has the name.
#[cfg(not(unix))]
pub(crate) fn identity(_path: &Path) -> u64 {
    0
}

/// Moves the database and its log to the first free `.corrupt-N` and returns what to tell the user.
///
/// The log goes first: a log without its database is ignored, a new database beside an old log is not.
pub(crate) fn move_aside(path: &Path, why: &str) -> Result<Problem> {
    let target = (1u32..)
        .map(|number| beside(path, &format!(".corrupt-{number}")))
        .find(|candidate| !candidate.exists())
        .ok_or_else(|| StoreError::io(path, std::io::ErrorKind::AlreadyExists.into()))?;
    for suffix in ["-wal", "-shm", ""] {
        rename_if_present(&beside(path, suffix), &beside(&target, suffix))?;
    }
    Ok(Problem::warning(
        "CTX_W_STORE_RECREATED",
        format!("{} was damaged ({why}) and is now {}.", path.display(), target.display()),
        "Nothing needs doing: a new one is filled by indexing; delete the damaged file when you do not need it.",
    ))
}

fn rename_if_present(from: &Path, to: &Path) -> Result<()> {
    match fs::rename(from, to) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io(from, source))
        }
        _ => Ok(()),
    }
}
