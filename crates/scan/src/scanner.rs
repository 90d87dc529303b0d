//! The scanner: which files under a root belong, why the others do not, and their content.

use crate::entry::{FileEntry, Stamp};
use crate::folder::{Folder, Tree};
use crate::git::GitTree;
use crate::open::HeldRoot;
use crate::projects::Projects;
use crate::read::{self, FileBytes, ReadFailure};
use crate::rule::{Rejected, Rule};
use crate::rules::Rules;
use crate::walk::{Found, walk};
use crate::watch_paths::WatchPaths;
use crate::{ScanError, links, root};
use contextd_model::Problem;
use contextd_model::config::Config;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Most rejections of one rule that a [`Scan`] lists; the counts are complete.
pub const REJECTED_PER_RULE: usize = 200;

/// Most files of one kind that a problem list names one by one.
const NAMED_FILES: usize = 20;

/// Above this many files the user is asked whether the root is the right one.
const VERY_LARGE: usize = 100_000;

/// Judges and reads the files under one root. The configuration's rules are compiled once; ignore
/// files and git's index are read as they stand at each call.
pub struct Scanner {
    pub(crate) root: PathBuf,
    pub(crate) rules: Rules,
    use_dockerignore: bool,
    git: Mutex<Option<CachedGit>>,
}

struct CachedGit {
    stamps: Vec<Option<Stamp>>,
    tree: Option<Arc<GitTree>>,
    problems: Vec<Problem>,
}

/// What a scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Files that pass every rule that needs no look inside, sorted by path.
    pub files: Vec<FileEntry>,
    /// Paths that were left out, sorted by rule and path, at most [`REJECTED_PER_RULE`] for each rule.
    pub rejected: Vec<Rejected>,
    /// How many paths each rule left out.
    pub counts: BTreeMap<Rule, u64>,
    pub problems: Vec<Problem>,
    /// Paths besides the files whose stamps decide what a scan finds; `None` when that cannot be told.
    pub grounds: Option<Vec<String>>,
    /// Why the root itself could not be listed, if it could not: that there are no files says nothing then.
    pub refused_root: Option<String>,
}

impl Scanner {
    /// Compiles the rules of `config` for exactly this root.
    pub fn new(root: &Path, config: &Config) -> Result<(Scanner, Vec<Problem>), ScanError> {
        Self::with_home(root, config, root::home().as_deref())
    }

    /// Does what [`Scanner::new`] does, with the home folder given.
    pub fn with_home(
        root: &Path,
        config: &Config,
        home: Option<&Path>,
    ) -> Result<(Scanner, Vec<Problem>), ScanError> {
        let real = real_root(root)?;
        let explicit = config.watch_paths().is_some();
        let mut problems = Vec::new();
        if let Some(why) = root::protection(&real, home) {
            // A home folder may be named in the configuration; the system's folders may not.
            let home_folder = home.is_some_and(|home| home == real);
            if !(home_folder && explicit) {
                return Err(ScanError::ProtectedRoot { path: real, why });
            }
        }
        if root::is_broad(&real) && !explicit {
            problems.push(too_broad(&real));
        }
        let watch_paths = WatchPaths::new(config.watch_paths(), &real, home, &mut problems);
        if watch_paths.is_void() {
            return Err(ScanError::NoWatchPath { root: real, problems });
        }
        let projects = Projects::new(config, &real, home, &mut problems);
        let rules = Rules::new(config, watch_paths, projects, index_folders(&real, config));
        let scanner = Scanner {
            root: real,
            rules,
            use_dockerignore: config.use_dockerignore(),
            git: Mutex::new(None),
        };
        Ok((scanner, problems))
    }

    /// Returns the root, with links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the git folder that all worktrees of the repository share, when the root lies in one.
    pub fn git_common_dir(&self) -> Option<PathBuf> {
        self.git_tree(&mut Vec::new()).map(|tree| tree.common_dir.clone())
    }

    /// Finds every file that belongs. No file is opened except ignore files and git's index.
    pub fn scan(&self) -> Scan {
        let mut scan = Scan::default();
        let (mut found, git) = self.find();
        scan.grounds = self.grounds(&found, git.as_deref());
        found.files.par_sort_unstable_by(|left, right| left.rel.cmp(&right.rel));
        scan.problems = std::mem::take(&mut found.problems);
        self.report_sizes(&found.files, &mut scan.problems);
        scan.files = found.files;
        for rejected in &found.rejected {
            *scan.counts.entry(rejected.rule).or_default() += 1;
        }
        let is_root =
            |rejected: &&Rejected| rejected.rule == Rule::Unreadable && rejected.rel == ".";
        scan.refused_root = found.rejected.iter().find(is_root).map(|root| root.detail.clone());
        scan.rejected = bounded(found.rejected);
        scan.problems.sort();
        scan.problems.dedup();
        scan
    }

    /// Reads one file; `rel` is a path from a [`Scan`].
    pub fn read(&self, rel: &str) -> Result<FileBytes, ReadFailure> {
        read::read(&self.root, None, &self.rules, rel)
    }

    /// Opens the root for reading many files, with [`Scanner::read_found`].
    pub fn hold(&self) -> io::Result<HeldRoot> {
        HeldRoot::open(&self.root)
    }

    /// Reads one of the files that a scan has just found, as [`Scanner::read`] does.
    pub fn read_found(&self, held: &HeldRoot, rel: &str) -> Result<FileBytes, ReadFailure> {
        read::read(&self.root, Some(held), &self.rules, rel)
    }

    /// Returns the names of the projects that a file belongs to, sorted.
    pub fn projects_of(&self, rel: &str) -> Vec<&str> {
        self.rules.projects.of(rel)
    }

    /// Lists the files whose content is text as well, with the scan that this is taken from; files
    /// that turn out not to be readable text are moved to its rejections.
    pub fn list_indexable(&self) -> (Vec<String>, Scan) {
        let mut scan = self.scan();
        let judge = |file: &FileEntry| self.read(&file.rel).err();
        let failures: Vec<Option<ReadFailure>> = scan.files.par_iter().map(judge).collect();
        let (mut listed, mut rejected) = (Vec::new(), std::mem::take(&mut scan.rejected));
        for (file, failure) in std::mem::take(&mut scan.files).into_iter().zip(failures) {
            let Some(failure) = failure else {
                listed.push(file.rel.clone());
                scan.files.push(file);
                continue;
            };
            *scan.counts.entry(failure.rule()).or_default() += 1;
            scan.problems.extend(failure.problem(&file.rel));
            rejected.push(Rejected {
                rule: failure.rule(),
                detail: failure.to_string(),
                rel: file.rel,
            });
        }
        scan.rejected = bounded(rejected);
        scan.problems.sort();
        (listed, scan)
    }

    /// Walks the root and settles the links; returns the repository that it asked, too.
    pub(crate) fn find(&self) -> (Found, Option<Arc<GitTree>>) {
        let mut problems = Vec::new();
        let git = self.git_tree(&mut problems);
        let (tree, folder) = self.tree(git.as_deref(), &mut problems);
        let mut found = walk(&tree, folder);
        links::settle(&tree, &mut found);
        found.problems.append(&mut problems);
        (found, git)
    }

    pub(crate) fn tree<'a>(
        &'a self,
        git: Option<&'a GitTree>,
        problems: &mut Vec<Problem>,
    ) -> (Tree<'a>, Folder) {
        Tree::new(&self.root, &self.rules, git, self.use_dockerignore, problems)
    }

    /// Returns the repository as it stands now; it is opened again only when its files changed.
    pub(crate) fn git_tree(&self, problems: &mut Vec<Problem>) -> Option<Arc<GitTree>> {
        let mut cached = self.git.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let current = cached.as_ref().is_some_and(|cached| {
            cached.tree.as_ref().is_some_and(|tree| stamps(&self.root, tree) == cached.stamps)
        });
        if !current {
            let mut problems = Vec::new();
            let tree = GitTree::open(&self.root, &mut problems).map(Arc::new);
            let stamps = tree.as_ref().map(|tree| stamps(&self.root, tree)).unwrap_or_default();
            *cached = Some(CachedGit { stamps, tree, problems });
        }
        let cached = cached.as_ref()?;
        problems.extend(cached.problems.iter().cloned());
        cached.tree.clone()
    }

    fn report_sizes(&self, files: &[FileEntry], problems: &mut Vec<Problem>) {
        let large: Vec<&FileEntry> =
            files.iter().filter(|file| file.size > self.rules.warn_bytes).collect();
        for file in large.iter().take(NAMED_FILES) {
            problems.push(large_file(file));
        }
        if large.len() > NAMED_FILES {
            let message = format!("{} more files are large.", large.len() - NAMED_FILES);
            let remedy = "Leave them out in .contextignore, or raise `indexing.warn_file_size_mb`.";
            problems.push(Problem::warning("CTX_W_SCAN_LARGE_FILE", message, remedy));
        }
        if files.len() > VERY_LARGE {
            let message = format!("The root holds {} files.", files.len());
            let remedy = "If that is more than the project, set `watcher.watch_paths` or patterns in .contextignore.";
            problems.push(Problem::warning("CTX_W_SCAN_VERY_LARGE", message, remedy));
        }
    }
}

fn real_root(root: &Path) -> Result<PathBuf, ScanError> {
    let real = root.canonicalize().map_err(|error| ScanError::RootUnusable {
        path: root.to_path_buf(),
        why: error.to_string(),
    })?;
    if !real.is_dir() {
        return Err(ScanError::RootUnusable { path: real, why: "it is not a folder".to_owned() });
    }
    Ok(real)
}

/// What of our own lies under the root and is not to be read: the default place, and where the configuration moves it.
fn index_folders(root: &Path, config: &Config) -> Vec<String> {
    let configured = [&config.storage.path, &config.storage.db_path].into_iter().flatten();
    let inside = configured.filter_map(|path| {
        let path = root.join(path);
        let path = path.canonicalize().unwrap_or(path);
        let rel = path.strip_prefix(root).ok()?.components().collect::<PathBuf>();
        Some(rel.to_str()?.replace(std::path::MAIN_SEPARATOR, "/")).filter(|rel| !rel.is_empty())
    });
    // What documents agreed with is for checks, not for readers.
    [".contextd/index", ".contextd/sync.lock"]
        .map(str::to_owned)
        .into_iter()
        .chain(inside)
        .collect()
}

/// Returns the state of everything that a [`GitTree`] was read from. A repository that appears
/// nearer to the root shows as a `.git` that was not there.
fn stamps(root: &Path, tree: &GitTree) -> Vec<Option<Stamp>> {
    let config = tree.common_dir.join("config");
    let files = [Some(&tree.index_path), Some(&config), tree.excludes_file.as_ref()]
        .into_iter()
        .flatten()
        .cloned();
    let gits = root
        .ancestors()
        .take_while(|folder| folder.starts_with(&tree.work_tree))
        .map(|folder| folder.join(".git"));
    let stamp = |path: PathBuf| {
        let stamp = std::fs::metadata(&path).ok().map(|metadata| Stamp::of(&metadata))?;
        // A folder's times change with every file in it; that it is there is enough.
        Some(if path.ends_with(".git") {
            Stamp { inode: stamp.inode, ..Stamp::default() }
        } else {
            stamp
        })
    };
    files.chain(gits).map(stamp).collect()
}

/// Keeps the first rejections of each rule.
fn bounded(mut rejected: Vec<Rejected>) -> Vec<Rejected> {
    rejected
        .par_sort_unstable_by(|left, right| (left.rule, &left.rel).cmp(&(right.rule, &right.rel)));
    let mut kept = 0;
    let mut rule = None;
    rejected.retain(|item| {
        kept = if rule == Some(item.rule) { kept + 1 } else { 0 };
        rule = Some(item.rule);
        kept < REJECTED_PER_RULE
    });
    rejected
}

fn large_file(file: &FileEntry) -> Problem {
    let message = format!("The file is large: {} bytes.", file.size);
    let remedy = "Leave it out in .contextignore, or raise `indexing.warn_file_size_mb`.";
    Problem::warning("CTX_W_SCAN_LARGE_FILE", message, remedy).at(file.rel.clone(), None)
}

fn too_broad(root: &Path) -> Problem {
    let message = format!("The root {} is very broad.", root.display());
    Problem::warning(
        "CTX_W_SCAN_BROAD_ROOT",
        message,
        "Name the folder of the project with --repo.",
    )
}
