//! Opening files so that nothing outside the root is read and nothing blocks.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not opened.
#[derive(Debug)]
pub(crate) enum OpenFailure {
    Io(io::Error),
    /// A link stands at the end of the path or on the way.
    Symlink,
    /// A folder, pipe, socket or device.
    NotRegular(&'static str),
}

impl From<io::Error> for OpenFailure {
    fn from(error: io::Error) -> Self {
        OpenFailure::Io(error)
    }
}

/// A root that is held open while many of its files are read: each is opened from it, without going down to it again.
#[derive(Debug)]
pub struct HeldRoot(system::Folder);

impl HeldRoot {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self(system::open_folder(root)?))
    }

    /// Opens the file `rel`, which a scan has just seen to be a regular one, without following any link.
    pub(crate) fn open_found(&self, rel: &str) -> Result<(File, Metadata), OpenFailure> {
        let file = system::open_beneath(&self.0, rel)?;
        let metadata = file.metadata()?;
        require_regular(&metadata)?;
        Ok((file, metadata))
    }
}

/// Opens the regular file `rel` under `root` without following any link.
pub(crate) fn open_beneath(root: &Path, rel: &str) -> Result<(File, Metadata), OpenFailure> {
    // Opening a device can already do something, so the type is asked for first.
    let before = std::fs::symlink_metadata(root.join(rel))?;
    require_regular(&before)?;
    HeldRoot::open(root)?.open_found(rel)
}

/// Reads a small regular file such as `.gitignore`; `None` when there is none or it is not a file.
pub(crate) fn read_small(path: &Path, follow_link: bool) -> io::Result<Option<Vec<u8>>> {
    /// No list of patterns is this long; git draws its line at 100 MB.
    const LIMIT: u64 = 16 << 20;
    let metadata =
        if follow_link { std::fs::metadata(path) } else { std::fs::symlink_metadata(path) };
    match metadata {
        Ok(metadata) if metadata.is_file() && metadata.len() <= LIMIT => {}
        Ok(_) => return Ok(None),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    let file = system::open_plain(path, follow_link)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    file.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// True when the error says that there is nothing at the path.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn require_regular(metadata: &Metadata) -> Result<(), OpenFailure> {
    match kind(metadata) {
        "file" => Ok(()),
        "symbolic link" => Err(OpenFailure::Symlink),
        other => Err(OpenFailure::NotRegular(other)),
    }
}

/// Names what lies at a path.
pub(crate) fn kind(metadata: &Metadata) -> &'static str {
    let file_type = metadata.file_type();
    if file_type.is_file() {
        "file"
    } else if file_type.is_symlink() {
        "symbolic link"
    } else if file_type.is_dir() {
        "folder"
    } else {
        system::special_kind(file_type)
    }
}

#[cfg(unix)]
mod system {
    use super::OpenFailure;
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;
    use std::fs::{File, FileType};
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::path::Path;

    /// Without `NONBLOCK` a pipe that takes a file's place would hang us.
    const READ: OFlags =
        OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
    const FOLDER: OFlags =
        OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

    pub fn open_plain(path: &Path, follow_link: bool) -> io::Result<File> {
        let flags = if follow_link { READ } else { READ.union(OFlags::NOFOLLOW) };
        Ok(File::from(openat(CWD, path, flags, Mode::empty())?))
    }

    pub type Folder = OwnedFd;

    pub fn open_folder(root: &Path) -> io::Result<Folder> {
        Ok(openat(CWD, root, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?)
    }

    pub fn open_beneath(folder: &Folder, rel: &str) -> Result<File, OpenFailure> {
        match open_strictly(folder, rel) {
            Ok(file) => Ok(File::from(file)),
            Err(Errno::LOOP | Errno::XDEV) => Err(OpenFailure::Symlink),
            // A link in the middle of the path reads as "not a folder" when opened step by step.
            Err(Errno::NOTDIR) => Err(OpenFailure::Symlink),
            Err(error) => Err(OpenFailure::Io(error.into())),
        }
    }

    #[cfg(target_os = "linux")]
    fn open_strictly(folder: &OwnedFd, rel: &str) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(folder, rel, READ, Mode::empty(), resolve) {
            // Old kernels and some sandboxes do not have the call.
            Err(Errno::NOSYS | Errno::PERM) => open_stepwise(folder, rel),
            other => other,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_strictly(folder: &OwnedFd, rel: &str) -> Result<OwnedFd, Errno> {
        open_stepwise(folder, rel)
    }

    /// Opens folder after folder, so that none of them can be a link.
    pub(super) fn open_stepwise(folder: &OwnedFd, rel: &str) -> Result<OwnedFd, Errno> {
        let mut current: Option<OwnedFd> = None;
        let mut parts = rel.split('/').peekable();
        while let Some(part) = parts.next() {
            if part.is_empty() || part == "." || part == ".." {
                return Err(Errno::LOOP);
            }
            let flags = if parts.peek().is_some() { FOLDER } else { READ.union(OFlags::NOFOLLOW) };
            let at = current.as_ref().map_or(folder.as_fd(), |current| current.as_fd());
            current = Some(openat(at, part, flags, Mode::empty())?);
        }
        current.ok_or(Errno::NOENT)
    }

    pub fn special_kind(file_type: FileType) -> &'static str {
        if file_type.is_fifo() {
            "pipe"
        } else if file_type.is_socket() {
            "socket"
        } else {
            "device"
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::OpenFailure;
    use std::fs::{File, FileType};
    use std::io;
    use std::path::{Path, PathBuf};

    pub fn open_plain(path: &Path, _follow_link: bool) -> io::Result<File> {
        File::open(path)
    }

    pub type Folder = PathBuf;

    pub fn open_folder(root: &Path) -> io::Result<Folder> {
        Ok(root.to_owned())
    }

    pub fn open_beneath(folder: &Folder, rel: &str) -> Result<File, OpenFailure> {
        let real = folder.join(rel).canonicalize()?;
        if !real.starts_with(folder) {
            return Err(OpenFailure::Symlink);
        }
        Ok(File::open(real)?)
    }

    pub fn special_kind(_file_type: FileType) -> &'static str {
        "special file"
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::os::unix::fs::symlink;

    #[test]
    fn both_ways_of_opening_refuse_links() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        std::fs::write(root.path().join("a/b/x"), "in").unwrap();
        std::fs::write(outside.path().join("x"), "out").unwrap();
        symlink(outside.path(), root.path().join("a/link")).unwrap();
        symlink(outside.path().join("x"), root.path().join("a/file")).unwrap();
        let folder =
            openat(CWD, root.path(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        for (rel, opens) in [
            ("a/b/x", true),
            ("a/link/x", false),
            ("a/file", false),
            ("a/../../x", false),
            ("a/nope", false),
        ] {
            assert_eq!(open_beneath(root.path(), rel).is_ok(), opens, "{rel}");
            assert_eq!(
                HeldRoot::open(root.path()).unwrap().open_found(rel).is_ok(),
                opens,
                "{rel}"
            );
            assert_eq!(system::open_stepwise(&folder, rel).is_ok(), opens, "{rel}");
        }
    }
}
