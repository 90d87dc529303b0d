//! Reading one file: nothing outside the root, nothing that blocks, nothing half written.

use crate::content::{BinaryTests, Encoding};
use crate::entry::Stamp;
use crate::links;
use crate::open::{HeldRoot, OpenFailure, is_absent, open_beneath};
use crate::rule::{Reason, Rule};
use crate::rules::Rules;
use contextd_model::{ContentHash, Problem};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

/// How often a file that changes under our hands is read anew.
const ATTEMPTS: u32 = 4;

/// The content of a file.
#[derive(Clone, Debug)]
pub struct FileBytes {
    /// The text, with a UTF-8 byte order mark and line ends as they are in the file.
    pub text: String,
    pub encoding: Encoding,
    /// Hash of the bytes as they lie on disk.
    pub hash: ContentHash,
    /// State of the file that these bytes belong to.
    pub stamp: Stamp,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadFailure {
    #[error("there is no such file")]
    NotFound,
    #[error("the path leaves the root or is not a plain relative path")]
    Outside,
    #[error("a symbolic link: {detail}")]
    Symlink { detail: String },
    #[error("not a regular file but a {kind}")]
    NotRegular { kind: String },
    #[error("too large: {detail}")]
    TooLarge { detail: String },
    #[error("binary: {detail}")]
    Binary { detail: String },
    #[error("the system refuses to read it: {detail}")]
    Unreadable { detail: String },
    #[error("it kept changing while it was read")]
    Changing,
}

impl ReadFailure {
    /// Returns the rule under which the file counts as left out.
    pub fn rule(&self) -> Rule {
        match self {
            ReadFailure::NotFound => Rule::NotFound,
            ReadFailure::Outside => Rule::Traversal,
            ReadFailure::Symlink { .. } => Rule::Symlink,
            ReadFailure::NotRegular { .. } => Rule::NotRegular,
            ReadFailure::TooLarge { .. } => Rule::TooLarge,
            ReadFailure::Binary { .. } => Rule::Binary,
            ReadFailure::Unreadable { .. } => Rule::Unreadable,
            ReadFailure::Changing => Rule::Changing,
        }
    }

    /// Returns the failure as a problem of the file; `None` for what is no problem: binary, too
    /// large, gone meanwhile.
    pub fn problem(&self, rel: &str) -> Option<Problem> {
        let (code, remedy) = match self {
            ReadFailure::Unreadable { .. } => (
                "CTX_W_SCAN_UNREADABLE",
                "Make it readable, or leave it out with a pattern in .contextignore.",
            ),
            ReadFailure::Changing => (
                "CTX_W_SCAN_CHANGING",
                "It is tried again at the next scan; leave it out if it never rests.",
            ),
            ReadFailure::Outside => ("CTX_W_SCAN_OUTSIDE", "Name a file under the root."),
            _ => return None,
        };
        Some(Problem::warning(code, format!("It was not read: {self}."), remedy).at(rel, None))
    }

    fn from_reason(reason: Reason) -> Self {
        let detail = reason.detail;
        match reason.rule {
            Rule::TooLarge => ReadFailure::TooLarge { detail },
            Rule::NotFound => ReadFailure::NotFound,
            Rule::Unreadable => ReadFailure::Unreadable { detail },
            Rule::SymlinkEscape | Rule::Symlink => ReadFailure::Symlink { detail },
            _ => ReadFailure::Outside,
        }
    }
}

/// Reads `rel` under `root`; one that a scan has just found is opened from the root that is held.
pub(crate) fn read(
    root: &Path,
    held: Option<&HeldRoot>,
    rules: &Rules,
    rel: &str,
) -> Result<FileBytes, ReadFailure> {
    if !is_plain(rel) {
        return Err(ReadFailure::Outside);
    }
    let (bytes, stamp) =
        read_steadily(|| open(root, held, rules, rel), |size| rules.limit(rel, size))?;
    let hash = ContentHash::of(&bytes);
    let (text, encoding) = decode(&rules.binary, bytes)?;
    Ok(FileBytes { text, encoding, hash, stamp })
}

/// True for a path that goes only down: no empty part, no `.`, no `..`, no NUL.
pub(crate) fn is_plain(rel: &str) -> bool {
    !rel.contains('\0')
        && rel.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn decode(tests: &BinaryTests, bytes: Vec<u8>) -> Result<(String, Encoding), ReadFailure> {
    tests.decode(bytes).map_err(|detail| ReadFailure::Binary { detail })
}

fn open(
    root: &Path,
    held: Option<&HeldRoot>,
    rules: &Rules,
    rel: &str,
) -> Result<(File, Metadata), ReadFailure> {
    match held.map_or_else(|| open_beneath(root, rel), |held| held.open_found(rel)) {
        Err(OpenFailure::Symlink) if rules.follow_symlinks => {
            let (target, _) = links::resolve(root, rel).map_err(ReadFailure::from_reason)?;
            open_beneath(root, &target).map_err(failure)
        }
        other => other.map_err(failure),
    }
}

fn failure(failure: OpenFailure) -> ReadFailure {
    match failure {
        OpenFailure::Symlink => {
            ReadFailure::Symlink { detail: "links are not followed".to_owned() }
        }
        OpenFailure::NotRegular(kind) => ReadFailure::NotRegular { kind: kind.to_owned() },
        OpenFailure::Io(error) => io_failure(&error),
    }
}

fn io_failure(error: &io::Error) -> ReadFailure {
    match is_absent(error) {
        true => ReadFailure::NotFound,
        false => ReadFailure::Unreadable { detail: error.to_string() },
    }
}

/// Reads a whole file; when its stamp differs after reading, the bytes may be torn and it is read
/// again, a little later each time.
fn read_steadily(
    open: impl Fn() -> Result<(File, Metadata), ReadFailure>,
    limit: impl Fn(u64) -> u64,
) -> Result<(Vec<u8>, Stamp), ReadFailure> {
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(1 << (2 * attempt)));
        }
        let (mut file, metadata) = open()?;
        let before = Stamp::of(&metadata);
        let limit = limit(before.size);
        let too_large = |size: u64| ReadFailure::TooLarge {
            detail: format!("{size} bytes, the limit is {limit}"),
        };
        if before.size > limit {
            return Err(too_large(before.size));
        }
        let bytes =
            read_to_end(&mut file, before.size, limit).map_err(|error| io_failure(&error))?;
        let after = file
            .metadata()
            .map(|metadata| Stamp::of(&metadata))
            .map_err(|error| io_failure(&error))?;
        if after == before && bytes.len() as u64 == before.size {
            return Ok((bytes, after));
        }
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
    }
    Err(ReadFailure::Changing)
}

/// Reads a file that said it has `size` bytes. One that has as many says so by giving less than there was room for, and is
/// not asked again; one that grows while it is read, or lies about its size, is read up to one byte above the limit.
fn read_to_end(file: &mut impl Read, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let (size, mut filled) = (size as usize, 0);
    let mut bytes = vec![0; size + 1];
    while filled < size {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    if filled > size || size == 0 {
        file.take((limit + 1).saturating_sub(filled as u64)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::Write;

    #[test]
    fn only_plain_paths_are_read() {
        for rel in ["a", "a/b", ".hidden", "..a", "a..b/c"] {
            assert!(is_plain(rel), "{rel}");
        }
        for rel in ["", "/a", "a/", "a//b", "./a", "a/./b", "..", "a/../b", "a\0b"] {
            assert!(!is_plain(rel), "{rel:?}");
        }
    }

    /// Gives a few bytes at a time, as some file systems do, and counts how often it is asked.
    struct Slow<'b>(&'b [u8], usize, u32);

    impl Read for Slow<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let count = room.len().min(self.0.len()).min(self.1);
            room[..count].copy_from_slice(&self.0[..count]);
            (self.0, self.2) = (&self.0[count..], self.2 + 1);
            Ok(count)
        }
    }

    proptest::proptest! {
        #[test]
        fn all_that_is_there_is_read_up_to_the_limit(there in 0..40usize, said in 0..40u64, step in 1..50usize, limit in 0..50u64) {
            let content: Vec<u8> = (0..there as u8).collect();
            let limit = limit.max(said);
            let mut file = Slow(&content, step, 0);
            let bytes = read_to_end(&mut file, said, limit).unwrap();
            // A file that grew is told by its stamp.
            let expected = if said > 0 && bytes.len() as u64 == said { said as usize } else { there.min(limit as usize + 1) };
            proptest::prop_assert_eq!(&bytes[..], &content[..expected]);
            if there as u64 == said && there > 0 {
                proptest::prop_assert_eq!(file.2, there.div_ceil(step) as u32, "asked once where one answer is enough");
            }
        }
    }

    #[test]
    fn a_file_that_changes_once_is_read_again() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"old").unwrap();
        let opened = Cell::new(0);
        let open = || {
            opened.set(opened.get() + 1);
            let handle = File::open(file.path()).unwrap();
            let metadata = handle.metadata().unwrap();
            if opened.get() == 1 {
                std::fs::write(file.path(), "new and longer").unwrap();
            }
            Ok((handle, metadata))
        };
        let (bytes, stamp) = read_steadily(open, |_| 100).unwrap();
        assert_eq!(
            (bytes.as_slice(), stamp.size, opened.get()),
            (b"new and longer".as_slice(), 14, 2)
        );
    }

    #[test]
    fn a_file_that_never_rests_is_given_up() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = || {
            let handle = File::open(file.path()).unwrap();
            let metadata = handle.metadata().unwrap();
            std::fs::OpenOptions::new()
                .append(true)
                .open(file.path())
                .unwrap()
                .write_all(b"x")
                .unwrap();
            Ok((handle, metadata))
        };
        assert_eq!(read_steadily(open, |_| 100).unwrap_err(), ReadFailure::Changing);
        assert!(matches!(read_steadily(open, |_| 3).unwrap_err(), ReadFailure::TooLarge { .. }));
    }
}
