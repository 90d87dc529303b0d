//! Where a project begins, and which folders are never one.

use std::path::{Path, PathBuf};

/// Files that mark the folder of a package.
const PACKAGE_MARKERS: &[&str] = &[
    "package.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "go.mod",
];

/// Folders of the system: neither they nor anything below them is a project.
const SYSTEM_FOLDERS: &[&str] = &["/etc", "/sys", "/proc", "/dev", "/boot", "/run/secrets"];

/// Folders that hold too much to be one project, though projects may lie below them.
const BROAD_FOLDERS: &[&str] =
    &["/usr", "/var", "/opt", "/home", "/tmp", "/mnt", "/srv", "/Users", "/Library"];

/// Returns the project root for a command started in `start`: the git work tree around it, else
/// the nearest folder with a package file, else the nearest that looks like a project, else `start`.
///
/// The user's home folder and system folders are passed over unless the command starts there.
pub fn find_root(start: &Path) -> PathBuf {
    find_root_with(start, home().as_deref())
}

/// Does what [`find_root`] does, with the home folder given.
pub fn find_root_with(start: &Path, home: Option<&Path>) -> PathBuf {
    let start = start.canonicalize().unwrap_or_else(|_| start.to_path_buf());
    let home = home.and_then(|home| home.canonicalize().ok());
    let usable = |folder: &&Path| {
        *folder == start
            || (Some(*folder) != home.as_deref()
                && protection(folder, None).is_none()
                && !is_broad(folder))
    };
    let folders: Vec<&Path> = start.ancestors().filter(usable).collect();
    let signs: [fn(&Path) -> bool; 3] = [is_work_tree, has_package_marker, looks_like_project];
    let found = signs.iter().find_map(|sign| folders.iter().find(|folder| sign(folder)));
    found.map_or_else(|| start.clone(), |folder| folder.to_path_buf())
}

fn is_work_tree(folder: &Path) -> bool {
    folder.join(".git").exists()
}

fn has_package_marker(folder: &Path) -> bool {
    PACKAGE_MARKERS.iter().any(|marker| folder.join(marker).is_file())
}

fn looks_like_project(folder: &Path) -> bool {
    let is_folder = |name: &str| folder.join(name).is_dir();
    let sources = is_folder("src") && (is_folder("tests") || is_folder("test"));
    sources || is_folder("build") || is_folder("target") || folder.join("README.md").is_file()
}

/// Says why `folder` must not be indexed as a whole.
pub(crate) fn protection(folder: &Path, home: Option<&Path>) -> Option<&'static str> {
    if folder.parent().is_none() {
        return Some("it is the root of the file system");
    }
    if SYSTEM_FOLDERS.iter().any(|system| folder.starts_with(system)) {
        return Some("it belongs to the system");
    }
    if home.is_some_and(|home| folder == home) {
        return Some("it is your home folder");
    }
    // A folder above the home folder holds it, and everybody else's.
    if home.is_some_and(|home| home.starts_with(folder)) {
        return Some("it contains your home folder");
    }
    is_git_folder(folder).then_some("it is git's own folder, not a work tree")
}

/// True for what git keeps a repository in: `.git`, or a bare repository.
fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file()
        && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}

/// True for folders that are too broad to be one project.
pub(crate) fn is_broad(folder: &Path) -> bool {
    folder.parent().is_none() || BROAD_FOLDERS.iter().any(|broad| folder == Path::new(broad))
}

/// Returns the user's home folder, with links resolved.
pub(crate) fn home() -> Option<PathBuf> {
    let home = std::env::home_dir().filter(|home| home.is_absolute())?;
    Some(home.canonicalize().unwrap_or(home))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Builds `paths` (those with a trailing `/` are folders) and checks the root found from `start`.
    fn check(paths: &[&str], start: &str, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for path in paths.iter().chain([&start]) {
            match path.strip_suffix('/') {
                Some(_) => fs::create_dir_all(base.join(path)).unwrap(),
                None => {
                    fs::create_dir_all(base.join(path).parent().unwrap()).unwrap();
                    fs::write(base.join(path), "").unwrap();
                }
            }
        }
        let found = find_root_with(&base.join(start), Some(&base.join("home")));
        assert_eq!(
            found,
            base.join(expected).components().collect::<PathBuf>(),
            "{paths:?} from {start}"
        );
    }

    #[test]
    fn the_first_sign_that_holds_decides() {
        check(&["p/.git/", "p/pkg/package.json"], "p/pkg/src/", "p");
        check(&["p/.git", "p/README.md"], "p/a/", "p");
        check(&["p/Cargo.toml", "p/sub/README.md"], "p/sub/src/", "p");
        check(&["p/go.mod", "p/sub/Cargo.toml"], "p/sub/src/", "p/sub");
        check(&["p/src/", "p/tests/"], "p/src/deep/", "p");
        check(&["p/README.md"], "p/a/b/", "p");
        check(&[], "p/a/", "p/a");
    }

    #[test]
    fn home_is_no_project_unless_one_starts_there() {
        check(&["home/.git/", "home/README.md"], "home/code/a/", "home/code/a");
        check(&["home/.git/"], "home/", "home");
    }

    #[test]
    fn protected_folders_are_told() {
        let home = Path::new("/home/someone");
        let check = |folder: &str, protected: bool| {
            assert_eq!(protection(Path::new(folder), Some(home)).is_some(), protected, "{folder}");
        };
        for folder in ["/", "/etc", "/etc/nginx", "/proc/1", "/home", "/home/someone"] {
            check(folder, true);
        }
        for folder in ["/home/someone/project", "/srv/app", "/tmp/x", "/home/other"] {
            check(folder, false);
        }
    }
}
