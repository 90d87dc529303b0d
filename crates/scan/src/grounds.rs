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
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Paths looked at in one piece.
const PIECE: usize = 256;
/// Further paths in a folder from which on it is opened.
#[cfg(unix)]
const WORTH: usize = 3;

/// Something that is done while stamps are looked at.
#[derive(Debug, Default)]
pub struct Beside {
    ended: Mutex<bool>,
    told: Condvar,
}

impl Beside {
    /// Says that it is done.
    pub fn end(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }

    /// Waits until it is done.
    pub fn wait(&self) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.told.wait_while(ended, |ended| !*ended));
    }
}

/// Stamps of some paths in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Changes with every stamp.
    pub sum: ContentHash,
    /// The newest time among the stamps.
    pub newest_ns: i64,
    /// How many of the paths lead to nothing.
    pub missing: usize,
}

impl Mark {
    /// Takes paths and their stamps together, none for a path that leads to nothing.
    fn of<'p>(stamps: impl ExactSizeIterator<Item = (&'p str, Option<Stamp>)>) -> Self {
        let (mut bytes, mut newest_ns, mut missing) = (Vec::with_capacity(37 * stamps.len()), 0, 0);
        for (path, stamp) in stamps {
            let stamp = stamp.map(|stamp| settled(path, stamp));
            let Stamp { size, mtime_ns, ctime_ns, inode, mode } = stamp.unwrap_or_default();
            newest_ns = newest_ns.max(mtime_ns).max(ctime_ns);
            missing += usize::from(stamp.is_none());
            bytes.push(u8::from(stamp.is_some()));
            [size, mtime_ns as u64, ctime_ns as u64, inode]
                .iter()
                .for_each(|number| bytes.extend(number.to_le_bytes()));
            bytes.extend(mode.to_le_bytes());
        }
        Mark { sum: ContentHash::of(&bytes), newest_ns, missing }
    }
}

/// What a look at marked paths came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// All are as they were; so many were looked at.
    Same(usize),
    /// One is not.
    Other,
    /// The time was up; so many had been looked at, and all were as they were.
    Part(usize),
}

/// Cuts paths, which lie below the root or are whole, into pieces. Their order does not matter.
pub fn in_pieces(mut paths: Vec<&str>) -> Vec<Vec<&str>> {
    by_folder(&mut paths);
    paths.chunks(PIECE).map(<[&str]>::to_vec).collect()
}

impl Scanner {
    /// Returns what the system says now about each piece.
    pub fn marks(&self, pieces: &[Vec<&str>]) -> Vec<Mark> {
        let marks: Vec<OnceLock<Mark>> = pieces.iter().map(|_| OnceLock::new()).collect();
        by_threads(pieces.len(), None, |at| marks[at].set(self.mark(&pieces[at])).is_ok());
        marks.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// Returns what the system said about each piece, by the stamps that are known: a state that was recorded counts as it
    /// was then. What has none that the system gave is looked at.
    pub fn marks_by(
        &self,
        pieces: &[Vec<&str>],
        known: impl Fn(&str) -> Option<Stamp>,
    ) -> Vec<Mark> {
        let mut folders = Folders::new(&self.root);
        let mut stamp = |path: &str| {
            known(path).filter(|stamp| stamp.inode != 0).or_else(|| folders.stamp(path, &[]))
        };
        pieces.iter().map(|piece| Mark::of(piece.iter().map(|path| (*path, stamp(path))))).collect()
    }

    /// Looks at pieces as they come, each what its mark was and its paths, a line each, until one is not as it was or the time is up. One core is left to what is done beside,
    /// until that is done.
    pub fn look(
        &self,
        pieces: impl Iterator<Item = String> + Send,
        until: Option<Instant>,
        beside: Option<&Beside>,
    ) -> Seen {
        let (other, is_late, paths) =
            (AtomicBool::new(false), AtomicBool::new(false), AtomicUsize::new(0));
        let pieces = Mutex::new(pieces);
        by_threads(usize::MAX, beside, |_| {
            let Some(piece) = pieces.lock().unwrap_or_else(PoisonError::into_inner).next() else {
                return false;
            };
            if until.is_some_and(|until| Instant::now() >= until) {
                is_late.store(true, Ordering::Relaxed);
                return false;
            }
            let (sum, listed) = piece.split_once('\n').unwrap_or_default();
            let lines: Vec<&str> = listed.split('\n').collect();
            let is_same = self.mark(&lines).sum.to_hex() == sum;
            other.fetch_or(!is_same, Ordering::Relaxed);
            paths.fetch_add(lines.len(), Ordering::Relaxed);
            is_same
        });
        match (other.into_inner(), is_late.into_inner()) {
            (true, _) => Seen::Other,
            (false, false) => Seen::Same(paths.into_inner()),
            (false, true) => Seen::Part(paths.into_inner()),
        }
    }

    /// Returns what the system says now about paths, which lie below the root or are whole.
    pub fn mark(&self, paths: &[&str]) -> Mark {
        let mut folders = Folders::new(&self.root);
        Mark::of(
            paths
                .iter()
                .enumerate()
                .map(|(at, path)| (*path, folders.stamp(path, &paths[at + 1..]))),
        )
    }

    /// Returns the paths that decide about others, for a walk that found `found`; `None` when they
    /// cannot be told.
    pub(crate) fn grounds(&self, found: &Found, git: Option<&GitTree>) -> Option<Vec<String>> {
        if self.rules.follow_symlinks
            || found.odd
            || found.rejected.iter().any(|rejected| rejected.rule == Rule::Unreadable)
        {
            return None;
        }
        // What keeps a repository from being one is not looked at.
        if git.is_none() && above(&self.root).iter().any(|git| git.symlink_metadata().is_ok()) {
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

    /// Returns a short name for what the grounds depend on beside the tree: where it lies, and whose settings of git count.
    pub fn surroundings(&self) -> String {
        let mut hash = blake3::Hasher::new();
        let settings = ["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_DIR"]
            .map(std::env::var_os);
        let home = std::env::home_dir().map(PathBuf::into_os_string);
        let parts = [Some(self.root.clone().into_os_string()), home].into_iter().chain(settings);
        for part in parts {
            let bytes = part.as_ref().map(|part| part.as_encoded_bytes());
            hash.update(&(bytes.map_or(u64::MAX, |bytes| bytes.len() as u64)).to_le_bytes())
                .update(bytes.unwrap_or_default());
        }
        hash.finalize().to_hex()[..16].to_owned()
    }

    fn git_grounds(&self, git: &GitTree) -> Vec<PathBuf> {
        let mut paths = vec![
            git.index_path.clone(),
            git.common_dir.join("config"),
            git.common_dir.join("info").join("exclude"),
        ];
        paths.extend(git.excludes_file.iter().chain(&git.config_files).cloned());
        paths.extend(["/etc/gitconfig"].map(PathBuf::from));
        if let Some(home) = std::env::home_dir() {
            paths
                .extend([home.join(".gitconfig"), home.join(".config").join("git").join("config")]);
        }
        paths.extend(
            std::env::var_os("XDG_CONFIG_HOME")
                .map(|config| PathBuf::from(config).join("git").join("config")),
        );
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
        Rule::NestedRepository => {
            vec![rel.clone(), format!("{rel}/.git"), format!("{rel}/.git/HEAD")]
        }
        _ => Vec::new(),
    }
}

/// Does work in order, by several threads, until all is done or some says that it is enough. The threads are its own: in
/// the shared pool, who waits for something else would be handed work and wait for the system. The second one begins when
/// what is done beside has ended.
fn by_threads(count: usize, beside: Option<&Beside>, work: impl Fn(usize) -> bool + Sync) {
    let (next, is_enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    let go = &|| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count || is_enough.load(Ordering::Relaxed) {
                return;
            }
            if !work(at) {
                is_enough.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for more in 1..std::thread::available_parallelism().map_or(1, usize::from).min(count) {
            let waits_for = beside.filter(|_| more == 1);
            scope.spawn(move || {
                waits_for.inspect(|beside| beside.wait());
                go();
            });
        }
        go();
        // There is nothing left to wait for.
        beside.inspect(|beside| beside.end());
    });
}

/// The times of a git folder change with everything that is done in it; that it is there is enough. A file in its place
/// says where it lies.
fn settled(path: &str, stamp: Stamp) -> Stamp {
    let is_git = path == ".git" || path.ends_with("/.git");
    if is_git && stamp.mode & FILE_TYPE != REGULAR {
        Stamp { inode: stamp.inode, ..Stamp::default() }
    } else {
        stamp
    }
}

/// Bits of a mode that tell what something is, and those of a file.
const FILE_TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// Returns where the name begins in a path.
fn folder_end(path: &str) -> usize {
    path.bytes().rposition(|byte| byte == b'/').map_or(0, |end| end + 1)
}

/// Puts what lies in one folder together, folders and what lies in each in order: the same for the same paths. Folders
/// are few and names are short, so that this takes a part of the time that sorting whole paths takes.
fn by_folder(paths: &mut Vec<&str>) {
    let mut folders: FxHashMap<&str, u32> = FxHashMap::default();
    let mut named: Vec<(u32, u32)> = Vec::with_capacity(paths.len());
    for path in paths.iter() {
        let (end, next) = (folder_end(path), folders.len() as u32);
        named.push((*folders.entry(&path[..end]).or_insert(next), end as u32));
    }
    let mut order: Vec<(&str, u32)> = folders.into_iter().collect();
    order.sort_unstable();
    let mut ends = vec![0; order.len()];
    named.iter().for_each(|&(folder, _)| ends[folder as usize] += 1);
    // From now on the places where the folders begin, and after the next loop, where they end.
    order.iter().fold(0, |begin, &(_, folder)| {
        begin + std::mem::replace(&mut ends[folder as usize], begin)
    });
    let mut sorted = vec![("", 0); paths.len()];
    for (path, (folder, end)) in paths.iter().zip(named) {
        let place = &mut ends[folder as usize];
        sorted[*place] = (*path, end as usize);
        *place += 1;
    }
    let mut begin = 0;
    for (_, folder) in order {
        let end = ends[folder as usize];
        sorted[begin..end]
            .sort_unstable_by(|(left, at), (right, _)| left[*at..].cmp(&right[*at..]));
        begin = end;
    }
    paths.clear();
    paths.extend(sorted.into_iter().map(|(path, _)| path));
}

/// Paths are whole or lie below the root.
#[cfg(unix)]
fn is_below_root(path: &str) -> bool {
    !path.starts_with('/')
}

/// The folders that were looked into last, one inside the other: what lies in them is found without going down
/// from the root again.
#[cfg(unix)]
struct Folders<'r> {
    root: &'r Path,
    /// The root itself.
    base: Option<std::os::fd::OwnedFd>,
    open: Vec<(String, std::os::fd::OwnedFd)>,
}

#[cfg(unix)]
impl<'r> Folders<'r> {
    fn new(root: &'r Path) -> Self {
        Folders { root, base: open_folder(rustix::fs::CWD, root, false), open: Vec::new() }
    }

    /// Returns the stamp of a path; `after` are those that come after it.
    fn stamp(&mut self, path: &str, after: &[&str]) -> Option<Stamp> {
        use rustix::fs::{AtFlags, CWD, statat};
        let end = folder_end(path);
        if end <= 1 {
            let whole = self.root.join(path);
            return if is_below_root(path) {
                std::fs::symlink_metadata(whole)
            } else {
                std::fs::metadata(whole)
            }
            .ok()
            .map(|metadata| Stamp::of(&metadata));
        }
        let folder = &path[..end - 1];
        self.leave(folder);
        // A folder with little in it is looked through from the outside: to open and close it costs more.
        let much = || {
            after.len() >= WORTH
                && after[..WORTH].iter().all(|other| other.starts_with(&path[..end]))
        };
        if self.open.last().is_none_or(|(open, _)| open.len() < folder.len())
            && much()
            && !self.enter(folder)
        {
            return None;
        }
        // Nothing that was found lies behind a link; a user's own settings may, and are read through it.
        let links = if is_below_root(path) { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
        let stat = match (self.open.last(), &self.base) {
            (Some((open, outer)), _) => statat(outer, &path[open.len() + 1..], links),
            (None, Some(base)) if is_below_root(path) => statat(base, path, links),
            (None, _) => statat(CWD, self.root.join(path), links),
        };
        Some(Stamp::of_stat(&stat.ok()?))
    }

    /// Closes what the folder does not lie in.
    fn leave(&mut self, folder: &str) {
        let holds = |open: &str| {
            folder.strip_prefix(open).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        while self.open.last().is_some_and(|(open, _)| !holds(open)) {
            self.open.pop();
        }
    }

    /// Makes a folder that lies in the innermost open one the innermost; false when it is none.
    fn enter(&mut self, folder: &str) -> bool {
        let opened = match (self.open.last(), &self.base) {
            (Some((open, outer)), _) => {
                open_folder(outer, Path::new(&folder[open.len() + 1..]), true)
            }
            (None, Some(base)) if is_below_root(folder) => {
                open_folder(base, Path::new(folder), true)
            }
            // Nothing that was found lies behind a link; a user's own settings may.
            (None, _) => {
                open_folder(rustix::fs::CWD, &self.root.join(folder), is_below_root(folder))
            }
        };
        opened.is_some_and(|opened| {
            self.open.push((folder.to_owned(), opened));
            true
        })
    }
}

#[cfg(unix)]
fn open_folder(
    outer: impl std::os::fd::AsFd,
    folder: &Path,
    is_itself: bool,
) -> Option<std::os::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags, openat};
    // Looking into a folder needs no right to list it, where the system can tell the two apart.
    #[cfg(target_os = "linux")]
    let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let way = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(outer, folder, if is_itself { way | OFlags::NOFOLLOW } else { way }, Mode::empty()).ok()
}

#[cfg(not(unix))]
struct Folders<'r> {
    root: &'r Path,
}

#[cfg(not(unix))]
impl<'r> Folders<'r> {
    fn new(root: &'r Path) -> Self {
        Folders { root }
    }

    fn stamp(&mut self, path: &str, _after: &[&str]) -> Option<Stamp> {
        std::fs::symlink_metadata(self.root.join(path)).ok().map(|metadata| Stamp::of(&metadata))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextd_model::config::Config;
    use std::fs;

    proptest::proptest! {
        #[test]
        fn folders_come_together_in_one_order(paths in proptest::collection::vec("(a|ab|a-b|b)?(/(a|b|a-b)){0,2}/?(x|y|xy|x-)?", 0..40), turned in proptest::bool::ANY) {
            let split = |path: &str| path.rfind('/').map_or(0, |end| end + 1);
            let mut found: Vec<&str> = paths.iter().map(String::as_str).collect();
            let mut expected = found.clone();
            expected.sort_by_key(|path| path.split_at(split(path)));
            if turned {
                found.reverse();
            }
            by_folder(&mut found);
            proptest::prop_assert_eq!(found, expected);
        }
    }

    fn scanner(root: &Path) -> Scanner {
        Scanner::with_home(root, &Config::default(), None).unwrap().0
    }

    /// The marks of all pieces.
    fn sum<'p>(scanner: &Scanner, paths: impl Iterator<Item = &'p String>) -> ContentHash {
        let marks = scanner.marks(&in_pieces(paths.map(String::as_str).collect()));
        ContentHash::of(&marks.iter().flat_map(|mark| mark.sum.0).collect::<Vec<u8>>())
    }

    /// Every path that the scanner says decides, with the files.
    fn marks(scanner: &Scanner) -> ContentHash {
        let scan = scanner.scan();
        let grounds = scan.grounds.unwrap();
        sum(scanner, grounds.iter().chain(scan.files.iter().map(|file| &file.rel)))
    }

    /// Makes a tree, remembers its marks, and tells whether a change of it shows in them.
    fn shows(change: impl Fn(&Path)) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::create_dir_all(root.join(".git/objects")).unwrap();
        fs::create_dir_all(root.join(".git/refs")).unwrap();
        for (path, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".git/info/exclude", ""),
            (".git/config", ""),
            (".gitignore", "*.log\n"),
            ("src/a.rs", "fn a() {}\n"),
            ("src/deep/b.rs", "fn b() {}\n"),
            ("src/note.log", "x\n"),
        ] {
            fs::write(root.join(path), text).unwrap();
        }
        let scanner = scanner(root);
        let scan = scanner.scan();
        let paths: Vec<String> = scan
            .grounds
            .unwrap()
            .into_iter()
            .chain(scan.files.into_iter().map(|file| file.rel))
            .collect();
        let look = || sum(&scanner, paths.iter());
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
        assert!(!shows(
            |root| fs::write(root.join(".git/HEAD"), "ref: refs/heads/other\n").unwrap()
        ));
        assert!(!shows(|_| ()));
    }

    #[test]
    #[cfg(unix)]
    fn settings_are_looked_at_through_links_and_where_they_are_included_from() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let (root, target, link) =
            (place.join("root"), place.join("ignore-of-mine"), place.join("ignore"));
        fs::create_dir(&root).unwrap();
        fs::write(&target, "a\n").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let git = |words: &[&str]| {
            assert!(
                std::process::Command::new("git")
                    .current_dir(&root)
                    .args(words)
                    .status()
                    .unwrap()
                    .success()
            )
        };
        git(&["init", "-q"]);
        git(&["config", "include.path", place.join("more").to_str().unwrap()]);
        fs::write(place.join("more"), "[core]\n\texcludesFile = /nowhere\n").unwrap();
        let scanner = scanner(&root);
        let grounds = scanner.scan().grounds.unwrap();
        for path in [place.join("more"), root.join(".git/config.worktree")] {
            assert!(grounds.iter().any(|ground| Path::new(ground) == path), "{}", path.display());
        }
        let look = || scanner.mark(&[link.to_str().unwrap()]);
        let before = look();
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&target, "b\n").unwrap();
        assert_ne!(look(), before);
        // What looks like a repository and is none may become one without a change of the folder.
        fs::remove_file(root.join(".git/HEAD")).unwrap();
        assert_eq!(super::tests::scanner(&root).scan().grounds, None);
    }

    #[test]
    fn a_file_in_place_of_a_git_folder_is_looked_at_whole() {
        let stamp = Stamp { size: 9, mtime_ns: 8, ctime_ns: 7, inode: 6, mode: REGULAR | 0o644 };
        assert_eq!(settled("nest/.git", stamp), stamp);
        assert_eq!(
            settled("nest/.git", Stamp { mode: 0o040_755, ..stamp }),
            Stamp { inode: 6, ..Stamp::default() }
        );
        assert_eq!(settled("nest/git", stamp), stamp);
    }

    #[test]
    fn a_look_ends_at_a_change_or_when_its_time_is_up() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..3 * PIECE).map(|number| format!("{number:05}.txt")).collect();
        names.iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        let scanner = scanner(folder.path());
        let pieces = in_pieces(names.iter().map(String::as_str).collect());
        let marked: Vec<String> = scanner
            .marks(&pieces)
            .iter()
            .zip(&pieces)
            .map(|(mark, piece)| format!("{}\n{}", mark.sum.to_hex(), piece.join("\n")))
            .collect();
        let look = |count: usize, until: Option<Instant>| {
            scanner.look(marked.iter().take(count).cloned(), until, None)
        };
        assert_eq!(look(3, None), Seen::Same(3 * PIECE));
        let now = Instant::now();
        assert_eq!(look(3, Some(now)), Seen::Part(0));
        assert_eq!(
            look(3, Some(now + std::time::Duration::from_secs(3600))),
            Seen::Same(3 * PIECE)
        );
        assert_eq!(look(0, Some(now)), Seen::Same(0));
        fs::write(folder.path().join(&names[2 * PIECE + 7]), "more").unwrap();
        assert_eq!(look(3, None), Seen::Other);
        assert_eq!(look(2, None), Seen::Same(2 * PIECE));
    }

    #[test]
    fn the_same_tree_has_the_same_marks() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "a").unwrap();
        let scanner = scanner(folder.path());
        assert_eq!(marks(&scanner), marks(&scanner));
    }
}
