//! What git knows: where the work tree is, what is tracked, and the exclude files outside the tree.

use crate::open::read_small;
use crate::patterns::{PatternList, Stack, parse_list};
use contextd_model::Problem;
use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;
use gix::index::entry::Mode;
use std::cmp::Ordering;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The repository around a root, as it stands now.
pub(crate) struct GitTree {
    /// The work tree, with links resolved.
    pub work_tree: PathBuf,
    /// The root relative to the work tree; empty when they are the same.
    pub prefix: String,
    /// Folder that all worktrees share.
    pub common_dir: PathBuf,
    pub index_path: PathBuf,
    pub excludes_file: Option<PathBuf>,
    /// Files that settings were read from, included ones among them.
    pub config_files: Vec<PathBuf>,
    pub case: Case,
    index: Option<gix::index::File>,
}

/// How a path stands in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File,
    Submodule,
}

impl GitTree {
    /// Opens the repository that `root` lies in; `None` when it lies in none.
    pub fn open(root: &Path, problems: &mut Vec<Problem>) -> Option<GitTree> {
        if let Some(path) = trap(root) {
            problems.push(unusable(&format!("{} is not a file", path.display())));
            return None;
        }
        let repository = match gix::ThreadSafeRepository::discover(root) {
            Ok(repository) => repository.to_thread_local(),
            Err(error) => {
                if root.ancestors().any(|folder| folder.join(".git").join("HEAD").exists()) {
                    problems.push(unusable(&error.to_string()));
                }
                return None;
            }
        };
        let work_tree = repository.workdir()?.canonicalize().ok()?;
        let prefix =
            root.strip_prefix(&work_tree).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        let common_dir = repository.common_dir().canonicalize().ok()?;
        if root.starts_with(&common_dir) {
            return None;
        }
        let ignore_case = repository.filesystem_options().is_ok_and(|options| options.ignore_case);
        let index_path = repository.index_path();
        let index = read_index(&repository, &index_path, problems);
        Some(GitTree {
            work_tree,
            prefix,
            common_dir,
            index_path,
            excludes_file: excludes_file(&repository),
            config_files: config_files(&repository),
            case: if ignore_case { Case::Fold } else { Case::Sensitive },
            index,
        })
    }

    /// Returns the patterns that stand outside the tree: `core.excludesFile`, then `info/exclude`.
    pub fn global_patterns(&self, problems: &mut Vec<Problem>) -> Stack {
        let exclude = self.common_dir.join("info").join("exclude");
        let files = self.excludes_file.iter().chain([&exclude]);
        Stack::new(
            files.filter_map(|file| read_list(file, "", true, problems)).collect(),
            self.case,
        )
    }

    /// Returns the range of index entries below `folder`, searched within `range`.
    pub fn below(&self, folder: &str, range: Range<usize>) -> Range<usize> {
        let Some(index) = &self.index else {
            return 0..0;
        };
        if folder.is_empty() {
            return 0..index.entries().len();
        }
        let entries = &index.entries()[range.clone()];
        let compare = |entry: &gix::index::Entry| compare_to_folder(entry.path(index), folder);
        let start = entries.partition_point(|entry| compare(entry) == Ordering::Less);
        let len = entries[start..].partition_point(|entry| compare(entry) == Ordering::Equal);
        range.start + start..range.start + start + len
    }

    /// Returns how `path` stands in the index, searched within `range`.
    pub fn entry(&self, path: &str, range: Range<usize>) -> Option<Entry> {
        let index = self.index.as_ref()?;
        let entries = &index.entries()[range];
        let path: &BStr = path.as_bytes().as_bstr();
        let at = entries.partition_point(|entry| entry.path(index) < path);
        let entry = entries.get(at).filter(|entry| entry.path(index) == path)?;
        Some(if entry.mode == Mode::COMMIT { Entry::Submodule } else { Entry::File })
    }

    /// Returns the range of all entries.
    pub fn all(&self) -> Range<usize> {
        0..self.index.as_ref().map_or(0, |index| index.entries().len())
    }
}

/// Tells whether a path sorts before, below or after `folder/`.
fn compare_to_folder(path: &BStr, folder: &str) -> Ordering {
    let len = folder.len();
    let (head, rest) = path.split_at(path.len().min(len));
    match head.cmp(folder.as_bytes()) {
        Ordering::Equal => rest.first().map_or(Ordering::Less, |byte| byte.cmp(&b'/')),
        other => other,
    }
}

/// Reads a file of patterns; one that cannot be read is reported and taken as empty.
pub(crate) fn read_list(
    path: &Path,
    base: &str,
    follow_link: bool,
    problems: &mut Vec<Problem>,
) -> Option<PatternList> {
    match read_small(path, follow_link) {
        Ok(bytes) => bytes.map(|bytes| parse_list(&bytes, path, base)),
        Err(error) => {
            let message = format!("The ignore file {} cannot be read: {error}.", path.display());
            let remedy = "Make it readable; until then its patterns are not applied.";
            problems.push(Problem::warning("CTX_W_SCAN_IGNORE_FILE", message, remedy));
            None
        }
    }
}

/// True when `folder` is the work tree of another repository, told the way git tells it.
pub(crate) fn is_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    match std::fs::metadata(&git) {
        Ok(metadata) if metadata.is_dir() => is_git_folder(&git),
        Ok(metadata) if metadata.is_file() => match read_small(&git, true) {
            Ok(Some(bytes)) => links_to_git_folder(folder, &bytes),
            // Git takes what it cannot read for a repository.
            Ok(None) | Err(_) => true,
        },
        _ => false,
    }
}

fn links_to_git_folder(folder: &Path, bytes: &[u8]) -> bool {
    let Some(target) = bytes.strip_prefix(b"gitdir: ") else {
        return false;
    };
    let target = target.trim_end_with(|last| last == '\n' || last == '\r');
    target.to_path().is_ok_and(|target| is_git_folder(&folder.join(target)))
}

fn is_git_folder(folder: &Path) -> bool {
    let common = match read_small(&folder.join("commondir"), true) {
        Ok(Some(common)) => {
            folder.join(String::from_utf8_lossy(&common).trim_end_matches(['\n', '\r']))
        }
        _ => folder.to_path_buf(),
    };
    std::fs::symlink_metadata(folder.join("HEAD")).is_ok()
        && common.join("objects").is_dir()
        && common.join("refs").is_dir()
}

/// Names a file of the nearest repository that is no file; reading a pipe would never end.
fn trap(root: &Path) -> Option<PathBuf> {
    let git = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.is_dir())?;
    let names = ["HEAD", "config", "config.worktree", "commondir", "packed-refs"];
    let is_trap = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    names.iter().map(|name| git.join(name)).find(is_trap)
}

fn config_files(repository: &gix::Repository) -> Vec<PathBuf> {
    let config = repository.config_snapshot();
    let mut files: Vec<PathBuf> =
        config.plumbing().sections().filter_map(|section| section.meta().path.clone()).collect();
    files.push(repository.git_dir().join("config.worktree"));
    files.dedup();
    files
}

fn excludes_file(repository: &gix::Repository) -> Option<PathBuf> {
    let configured = repository.config_snapshot().trusted_path("core.excludesFile").ok().flatten();
    configured.or_else(|| {
        let config = std::env::var_os("XDG_CONFIG_HOME")
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        let config = config.or_else(|| std::env::home_dir().map(|home| home.join(".config")))?;
        Some(config.join("git").join("ignore"))
    })
}

fn read_index(
    repository: &gix::Repository,
    path: &Path,
    problems: &mut Vec<Problem>,
) -> Option<gix::index::File> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => {
            problems.push(broken_index("it is not a file"));
            return None;
        }
        // A fresh repository has no index yet; with commits, it was lost.
        Err(_) if repository.head_id().is_err() => return None,
        Err(_) => {
            problems.push(broken_index("it is missing"));
            return None;
        }
    }
    repository.open_index().map_err(|error| problems.push(broken_index(&error.to_string()))).ok()
}

fn broken_index(why: &str) -> Problem {
    let message = format!("Git's index cannot be read: {why}.");
    let remedy = "Run `git reset` to write it anew; until then tracked files that .gitignore names are left out.";
    Problem::warning("CTX_W_SCAN_GIT_INDEX", message, remedy)
}

fn unusable(why: &str) -> Problem {
    let message = format!("The git repository cannot be opened: {why}.");
    let remedy =
        "Check it with `git status`; until then the folder is indexed as if it were outside git.";
    Problem::warning("CTX_W_SCAN_GIT", message, remedy)
}
