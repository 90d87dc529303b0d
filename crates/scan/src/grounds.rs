//! What a scan was decided by, and whether any of it has changed since: a look at stamps, without
//! listing folders, reading ignore files or judging names.
//!
//! A folder's stamp changes when a name in it comes, goes or is renamed; a file's when it is written.
//! So when no listed folder, no ignore file, no file of git's that decides and no file that was found
//! has another stamp, a scan would find what it found.

use crate::entry::Stamp;
use crate::git::GitTree;
use crate::rule::{Rejected, Rule};
use crate::scanner::Scanner;
use crate::walk::Found;
use contextd_model::ContentHash;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Paths looked at in one piece.
const PIECE: usize = 512;

/// Stamps of many paths in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Changes with every stamp.
    pub sum: ContentHash,
    /// The newest time among the stamps.
    pub newest_ns: i64,
}

impl Scanner {
    /// Returns what the system says now about paths, which lie below the root or are whole. Their order
    /// does not matter.
    pub fn marks(&self, mut paths: Vec<&str>) -> Marks {
        // What lies in one folder is looked at together.
        paths.par_sort();
        let pieces: Vec<(Vec<u8>, i64)> = paths.par_chunks(PIECE).map(|paths| self.piece(paths)).collect();
        let mut sum = blake3::Hasher::new();
        let newest_ns = pieces.iter().map(|(stamps, newest)| (sum.update(stamps), *newest).1).max();
        Marks { sum: ContentHash(*sum.finalize().as_bytes()), newest_ns: newest_ns.unwrap_or(0) }
    }

    fn piece(&self, paths: &[&str]) -> (Vec<u8>, i64) {
        let (mut bytes, mut newest) = (Vec::with_capacity(37 * paths.len()), 0);
        let mut folder = Folder::default();
        for path in paths {
            let stamp = folder.stamp(&self.root, path).map(|stamp| settled(path, stamp));
            let Stamp { size, mtime_ns, ctime_ns, inode, mode } = stamp.unwrap_or_default();
            newest = newest.max(mtime_ns).max(ctime_ns);
            bytes.push(u8::from(stamp.is_some()));
            [size, mtime_ns as u64, ctime_ns as u64, inode].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            bytes.extend(mode.to_le_bytes());
        }
        (bytes, newest)
    }

    /// Returns the paths that decide about others, for a walk that found `found`; `None` when they
    /// cannot be told.
    pub(crate) fn grounds(&self, found: &Found, git: Option<&GitTree>) -> Option<Vec<String>> {
        if self.rules.follow_symlinks || found.odd || found.rejected.iter().any(|rejected| rejected.rule == Rule::Unreadable) {
            return None;
        }
        let left_out = found.rejected.iter().flat_map(left_out);
        let mut grounds: Vec<String> = found.deciders.iter().cloned().chain(left_out).collect();
        grounds.push(".dockerignore".to_owned());
        for path in git.map(|git| self.git_grounds(git)).unwrap_or_else(|| above(&self.root)) {
            grounds.push(path.to_str()?.to_owned());
        }
        grounds.sort_unstable();
        grounds.dedup();
        Some(grounds)
    }

    fn git_grounds(&self, git: &GitTree) -> Vec<PathBuf> {
        let mut paths = vec![git.index_path.clone(), git.common_dir.join("config"), git.common_dir.join("info").join("exclude")];
        paths.extend(git.excludes_file.clone());
        paths.extend(["/etc/gitconfig"].map(PathBuf::from));
        if let Some(home) = std::env::home_dir() {
            paths.extend([home.join(".gitconfig"), home.join(".config").join("git").join("config")]);
        }
        paths.extend(std::env::var_os("XDG_CONFIG_HOME").map(|config| PathBuf::from(config).join("git").join("config")));
        let folders = self.root.ancestors().take_while(|folder| folder.starts_with(&git.work_tree));
        paths.extend(folders.flat_map(|folder| [folder.join(".git"), folder.join(".gitignore")]));
        paths
    }
}

/// Outside of git, one that appears decides.
fn above(root: &Path) -> Vec<PathBuf> {
    root.ancestors().map(|folder| folder.join(".git")).collect()
}

/// Of what was left out, what may be taken in without a change of its folder.
fn left_out(rejected: &Rejected) -> Vec<String> {
    let rel = &rejected.rel;
    match rejected.rule {
        Rule::TooLarge | Rule::NotRegular => vec![rel.clone()],
        Rule::NestedRepository => vec![rel.clone(), format!("{rel}/.git"), format!("{rel}/.git/HEAD")],
        _ => Vec::new(),
    }
}

/// The times of a git folder change with everything that is done in it; that it is there is enough.
fn settled(path: &str, stamp: Stamp) -> Stamp {
    if path == ".git" || path.ends_with("/.git") { Stamp { inode: stamp.inode, ..Stamp::default() } } else { stamp }
}

/// The folder that was looked into last: what lies in it is found without going down from the root again.
#[cfg(unix)]
#[derive(Default)]
struct Folder {
    path: String,
    open: Option<std::os::fd::OwnedFd>,
}

#[cfg(unix)]
impl Folder {
    fn stamp(&mut self, root: &Path, path: &str) -> Option<Stamp> {
        use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};
        let Some((folder, name)) = path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) else {
            return std::fs::symlink_metadata(root.join(path)).ok().map(|metadata| Stamp::of(&metadata));
        };
        if self.open.is_none() || self.path != folder {
            // Looking into a folder needs no right to list it, where the system can tell the two apart.
            #[cfg(target_os = "linux")]
            let way = OFlags::PATH;
            #[cfg(not(target_os = "linux"))]
            let way = OFlags::RDONLY;
            self.open = openat(CWD, root.join(folder), way | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok();
            folder.clone_into(&mut self.path);
        }
        let stat = statat(self.open.as_ref()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Stamp::of_stat(&stat))
    }
}

#[cfg(not(unix))]
#[derive(Default)]
struct Folder;

#[cfg(not(unix))]
impl Folder {
    fn stamp(&mut self, root: &Path, path: &str) -> Option<Stamp> {
        std::fs::symlink_metadata(root.join(path)).ok().map(|metadata| Stamp::of(&metadata))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_model::config::Config;
    use std::fs;

    fn scanner(root: &Path) -> Scanner {
        Scanner::with_home(root, &Config::default(), None).unwrap().0
    }

    /// Every path that the scanner says decides, with the files.
    fn marks(scanner: &Scanner) -> ContentHash {
        let scan = scanner.scan();
        let grounds = scan.grounds.unwrap();
        scanner.marks(grounds.iter().map(String::as_str).chain(scan.files.iter().map(|file| file.rel.as_str())).collect()).sum
    }

    /// Makes a tree, remembers its marks, and tells whether a change of it shows in them.
    fn shows(change: impl Fn(&Path)) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::create_dir_all(root.join(".git/objects")).unwrap();
        fs::create_dir_all(root.join(".git/refs")).unwrap();
        for (path, text) in [(".git/HEAD", "ref: refs/heads/main\n"), (".git/info/exclude", ""), (".git/config", ""), (".gitignore", "*.log\n"), ("src/a.rs", "fn a() {}\n"), ("src/deep/b.rs", "fn b() {}\n"), ("src/note.log", "x\n")] {
            fs::write(root.join(path), text).unwrap();
        }
        let scanner = scanner(root);
        let scan = scanner.scan();
        let paths: Vec<String> = scan.grounds.unwrap().into_iter().chain(scan.files.into_iter().map(|file| file.rel)).collect();
        let look = || scanner.marks(paths.iter().map(String::as_str).collect()).sum;
        let before = look();
        assert_eq!(before, look());
        // Stamps tell times apart when the clock has moved on.
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(root);
        before != look()
    }

    #[test]
    fn whatever_changes_a_scan_shows() {
        assert!(shows(|root| fs::write(root.join("src/a.rs"), "fn c() {}\n").unwrap()));
        assert!(shows(|root| fs::write(root.join("src/deep/new.rs"), "").unwrap()));
        assert!(shows(|root| fs::remove_file(root.join("src/deep/b.rs")).unwrap()));
        assert!(shows(|root| fs::rename(root.join("src/a.rs"), root.join("src/z.rs")).unwrap()));
        assert!(shows(|root| fs::write(root.join(".gitignore"), "").unwrap()));
        assert!(shows(|root| fs::write(root.join("src/.gitignore"), "a.rs\n").unwrap()));
        assert!(shows(|root| fs::write(root.join(".git/info/exclude"), "a.rs\n").unwrap()));
        assert!(shows(|root| fs::write(root.join(".git/index"), "").unwrap()));
        assert!(shows(|root| fs::create_dir(root.join("empty")).unwrap()));
        assert!(shows(|root| fs::remove_dir_all(root.join(".git")).unwrap()));
        assert!(shows(|root| fs::write(root.join(".contextignore"), "").unwrap()));
    }

    #[test]
    fn what_changes_nothing_does_not_show() {
        assert!(!shows(|root| fs::write(root.join("src/note.log"), "more\n").unwrap()));
        assert!(!shows(|root| fs::write(root.join(".git/HEAD"), "ref: refs/heads/other\n").unwrap()));
        assert!(!shows(|_| ()));
    }

    #[test]
    fn the_same_tree_has_the_same_marks() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "a").unwrap();
        let scanner = scanner(folder.path());
        assert_eq!(marks(&scanner), marks(&scanner));
    }
}
