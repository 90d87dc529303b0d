//! Whose a folder is: an index is written and removed only in a folder that carries our mark, and no link is followed
//! on the way into it. A repository may bring any file, link or configuration along.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// The file that tells a folder of ours.
pub(crate) const MARK: &str = "contextd.index";
/// First line of the mark; what follows is for people.
const FIRST_LINE: &str = "contextd index 1";
const TEXT: &str = "contextd index 1\ncontextd made this folder and removes what it put there. Everything in it can be made again.\n";

/// What lies in a folder of an index: whole names, and beginnings of those that have several endings.
const OWN: &[&str] = &[
    "CURRENT",
    "PARTIAL",
    "artifacts",
    "asks",
    "calm",
    MARK,
    "graph",
    "history",
    "indexes",
    "links",
    "lock",
    "paths",
    "repo-id",
    "segments",
    "snapshots",
    "watch",
];
const OWN_BEGINNINGS: &[&str] = &["ledger.", "facts.db", ".writing-", "calm-"];

/// What a folder is to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is none.
    Absent,
    /// It is empty.
    Empty,
    /// It carries the mark.
    Ours,
    /// It holds an index and nothing else, but no mark.
    Unmarked,
    /// It must be left alone, for this reason.
    Foreign(String),
}

/// True for the name of a part of an index.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.contains(&name) || OWN_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Looks at a folder without following links in it. `inside` is a folder that links on the way from it are not followed
/// either.
pub(crate) fn standing(folder: &Path, inside: Option<&Path>) -> Standing {
    if let Some(link) = inside.and_then(|inside| link_between(inside, folder)) {
        return Standing::Foreign(format!("{} is a link", link.display()));
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Standing::Absent,
        Err(error) => return Standing::Foreign(format!("it cannot be listed: {error}")),
    };
    let mut names = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // What lies deeper is replaced or removed as what it is, and never written through.
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && is_own(&name) {
            return Standing::Foreign(format!("`{name}` in it is a link"));
        }
        names.push(name);
    }
    if names.is_empty() {
        return Standing::Empty;
    }
    if is_marked(folder) {
        return Standing::Ours;
    }
    match names.iter().find(|name| !is_own(name)) {
        Some(foreign) => {
            Standing::Foreign(format!("it holds `{foreign}`, which is no part of an index"))
        }
        None => Standing::Unmarked,
    }
}

/// True when an unmarked folder holds what an earlier version made: a ledger, and a snapshot under the name that is given
/// as the current one.
pub(crate) fn holds_an_index(folder: &Path) -> bool {
    let is_name =
        |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let current = fs::read_to_string(folder.join("CURRENT")).unwrap_or_default();
    let current = current.trim();
    is_name(current)
        && is_file(&folder.join("snapshots").join(current))
        && is_file(&folder.join("ledger.db"))
}

/// True when a folder carries the mark.
pub(crate) fn is_marked(folder: &Path) -> bool {
    let mark = folder.join(MARK);
    is_file(&mark)
        && fs::read_to_string(mark).is_ok_and(|text| text.lines().next() == Some(FIRST_LINE))
}

/// True for a file that is no link.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Puts the mark into a folder that is there.
pub(crate) fn mark(folder: &Path) -> io::Result<()> {
    match fs::File::create_new(folder.join(MARK)) {
        Ok(mut file) => file.write_all(TEXT.as_bytes()),
        // Another process has just done it.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_marked(folder) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes what a folder holds under names of ours that `goes` picks, the mark last, and the folder when nothing is left.
/// Links are removed, not followed.
pub(crate) fn remove(folder: &Path, goes: impl Fn(&str) -> bool) -> io::Result<()> {
    let mut is_marked = false;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !is_own(&name) || !goes(&name) {
            continue;
        }
        if name == MARK {
            is_marked = true;
        } else if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?
        } else {
            fs::remove_file(entry.path())?
        }
    }
    // Killed before this, the next run still knows whose the rest is.
    if is_marked {
        fs::remove_file(folder.join(MARK))?;
    }
    // What is not ours, and what is kept, keeps its folder.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// Refuses a folder of another user's. Root may write anywhere, and does so for others in containers.
#[cfg(unix)]
pub(crate) fn owned(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid();
    let owner = fs::symlink_metadata(folder)?.uid();
    if user.is_root() || owner == user.as_raw() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::PermissionDenied, "it belongs to another user"))
}

/// Elsewhere the system's own rules decide.
#[cfg(not(unix))]
pub(crate) fn owned(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the first link on the way from `inside` to `path`, where that lies below it.
fn link_between(inside: &Path, path: &Path) -> Option<PathBuf> {
    let mut at = inside.to_owned();
    for part in path.strip_prefix(inside).ok()?.components() {
        // Where the way leads up, nobody can say what is inside.
        if !matches!(part, Component::Normal(_) | Component::CurDir) {
            return None;
        }
        at.push(part);
        if fs::symlink_metadata(&at).is_ok_and(|metadata| metadata.is_symlink()) {
            return Some(at);
        }
    }
    None
}

/// Writes a new file in the place of whatever has its name; a link there is replaced, not followed.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::File::create_new(path)?.write_all(bytes)
}
