//! Reading and replacing the files of others, carefully.

use super::document::Refusal;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// A configuration larger than this is not one.
const MOST: u64 = 32 << 20;

/// A file as it is now.
#[derive(Debug)]
pub struct Present {
    /// Where it really stands, links followed: dotfiles are often linked from elsewhere.
    pub real: PathBuf,
    /// `None` when there is no file.
    pub text: Option<String>,
}

/// Reads a file, or says why it should be left alone.
pub fn read(path: &Path) -> Result<Present, Refusal> {
    let real = match std::fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            return Ok(Present { real: path.to_owned(), text: None });
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Refusal::new(
                "it is a link to a file that does not exist",
                "Make the file it points to, or remove the link.",
            ));
        }
        Err(error) => return Err(unreadable(&error)),
    };
    let about = std::fs::metadata(&real).map_err(|error| unreadable(&error))?;
    if !about.is_file() || about.len() > MOST {
        return Err(Refusal::new("it is no file of settings", "Move it away."));
    }
    let bytes = std::fs::read(&real).map_err(|error| unreadable(&error))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Refusal::new("it is not UTF-8", "Save it as UTF-8."))?;
    Ok(Present { real, text: Some(text) })
}

fn unreadable(error: &std::io::Error) -> Refusal {
    Refusal::new(format!("it cannot be read: {error}"), "Check its permissions.")
}

/// Replaces a file at once, so that nobody ever sees half of it; permissions stay.
///
/// Returns the folders that were made for it, outermost first.
pub fn replace(
    real: &Path,
    before: Option<&str>,
    after: &str,
    private: bool,
) -> Result<Vec<PathBuf>, Refusal> {
    unchanged(real, before)?;
    let folder = real
        .parent()
        .ok_or_else(|| Refusal::new("it stands in no folder", "Name another place."))?;
    let made = make_folders(folder).map_err(|error| unwritable(&error))?;
    let permissions = std::fs::metadata(real).ok().map(|about| about.permissions());
    if permissions.as_ref().is_some_and(std::fs::Permissions::readonly) {
        return Err(Refusal::new(
            "it is read-only",
            "Make it writable, or edit it where it is made.",
        ));
    }
    write(real, folder, after, permissions, private).map_err(|error| unwritable(&error))?;
    Ok(made)
}

fn write(
    real: &Path,
    folder: &Path,
    text: &str,
    permissions: Option<std::fs::Permissions>,
    private: bool,
) -> std::io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".contextd-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    match permissions {
        Some(permissions) => file.as_file().set_permissions(permissions)?,
        None if !private => shared(file.as_file())?,
        None => {}
    }
    file.as_file().sync_all()?;
    file.persist(real)?;
    Ok(())
}

/// A file of a repository is for all who share it; one in a home may hold keys later and stays its owner's.
#[cfg(unix)]
fn shared(file: &std::fs::File) -> std::io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
}

#[cfg(not(unix))]
fn shared(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Removes a file that was made here.
pub fn remove(real: &Path, before: &str) -> Result<(), Refusal> {
    unchanged(real, Some(before))?;
    std::fs::remove_file(real).map_err(|error| unwritable(&error))
}

/// Removes folders that are empty, innermost first; others are somebody's.
pub fn remove_empty(folders: &[PathBuf]) {
    // A folder that is not empty refuses to go, which is the test.
    folders.iter().rev().for_each(|folder| drop(std::fs::remove_dir(folder)));
}

fn unchanged(real: &Path, before: Option<&str>) -> Result<(), Refusal> {
    let now = std::fs::read(real).ok();
    if now.as_deref() == before.map(str::as_bytes) {
        Ok(())
    } else {
        Err(Refusal::new("it changed while you were looking", "Run this again."))
    }
}

fn make_folders(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    std::fs::create_dir_all(folder)?;
    Ok(missing)
}

fn unwritable(error: &std::io::Error) -> Refusal {
    Refusal::new(format!("it cannot be written: {error}"), "Check the permissions of its folder.")
}
