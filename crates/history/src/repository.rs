//! The enclosing git repository of an indexed root.

use crate::rows::CommitId;
use crate::walk::shallow_commits;
use contextd_model::{Problem, Severity};
use gix::bstr::BStr;
use rustc_hash::FxHashSet;
use std::path::Path;

/// Handle on the repository that encloses a root; made once, asked many times.
pub struct Repository {
    pub(crate) git: gix::Repository,
    /// Place of the root inside the repository: empty, or ending in `/`.
    pub(crate) prefix: String,
}

impl Repository {
    /// Opens the repository that `root` lies in, or says why there is none to read.
    ///
    /// The repository is opened with reduced trust: programs named in its configuration never run.
    pub fn open(root: &Path) -> Result<Self, Problem> {
        let upwards = gix::discover::upwards::Options {
            trust: gix::discover::upwards::TrustPolicy::Assume(gix::sec::Trust::Reduced),
            ..Default::default()
        };
        let isolated =
            || gix::open::Options::isolated().bail_if_untrusted(false).strict_config(false);
        let trust = gix::sec::trust::Mapping { full: isolated(), reduced: isolated() };
        // Without this check a `.git` that cannot be read would be taken for a folder without git.
        if !root.is_dir() {
            return Err(no_repository(format!("`{}` is not a folder", root.display())));
        }
        let git = match gix::ThreadSafeRepository::discover_opts(root, upwards, trust) {
            Ok(repository) => repository.to_thread_local(),
            Err(error) => return Err(open_problem(root, &error.to_string())),
        };
        let prefix = prefix_of(&git, root)?;
        Ok(Self { git, prefix })
    }

    /// Returns the place of the root inside the repository: empty, or ending in `/`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the commit at the head; `None` in a repository without commits.
    pub fn head(&self) -> Option<CommitId> {
        self.resolve("HEAD")
    }

    /// Returns the commit that a revision names (`main`, `HEAD~2`, an id).
    pub fn resolve(&self, revision: &str) -> Option<CommitId> {
        let id = self.git.rev_parse_single(BStr::new(revision)).ok()?;
        let commit = id.object().ok()?.peel_to_kind(gix::objs::Kind::Commit).ok()?;
        CommitId::of(&commit.id)
    }

    /// Returns the first commit of the head's first-parent line: the same for all clones. `None` in
    /// a shallow clone, whose first commit is not the repository's.
    pub fn root_commit(&self) -> Option<CommitId> {
        let shallow = shallow_commits(&self.git);
        let mut id = self.head()?;
        let mut seen = FxHashSet::default();
        // Damaged ids could lead in a circle.
        while seen.insert(id) {
            let commit = self.git.find_commit(id.object()).ok()?;
            match commit.parent_ids().next() {
                Some(parent) => id = CommitId::of(&parent)?,
                None => return (!shallow.contains(&id)).then_some(id),
            }
        }
        None
    }

    /// Returns the best common ancestor of two commits.
    pub fn merge_base(&self, one: CommitId, two: CommitId) -> Option<CommitId> {
        CommitId::of(&self.git.merge_base(one.object(), two.object()).ok()??)
    }

    /// Returns the bytes of a file at a commit; the path is relative to the root.
    pub fn read(&self, commit: CommitId, path: &str) -> Option<Vec<u8>> {
        let tree = self.git.find_commit(commit.object()).ok()?.tree().ok()?;
        let entry = tree.lookup_entry_by_path(format!("{}{path}", self.prefix)).ok()??;
        if !entry.mode().is_blob_or_symlink() {
            return None;
        }
        Some(entry.object().ok()?.detach().data)
    }
}

/// Returns where `root` lies below the work tree; a bare repository is its own root.
fn prefix_of(git: &gix::Repository, root: &Path) -> Result<String, Problem> {
    let Some(work_tree) = git.workdir() else {
        return Ok(String::new());
    };
    let (Ok(root), Ok(work_tree)) = (root.canonicalize(), work_tree.canonicalize()) else {
        return Err(no_repository(format!("`{}` cannot be resolved", root.display())));
    };
    let Ok(below) = root.strip_prefix(&work_tree) else {
        return Err(no_repository(format!(
            "`{}` lies outside the work tree of its repository",
            root.display()
        )));
    };
    let mut prefix = String::new();
    for part in below.components() {
        prefix.push_str(&part.as_os_str().to_string_lossy());
        prefix.push('/');
    }
    Ok(prefix)
}

fn open_problem(root: &Path, reason: &str) -> Problem {
    let has_git = root.ancestors().any(|folder| folder.join(".git").exists());
    if !has_git {
        return no_repository(format!("`{}` is not inside a git repository", root.display()));
    }
    Problem::warning(
        "CTX_W_HISTORY_UNREADABLE",
        format!(
            "The git repository of `{}` cannot be opened: {}",
            root.display(),
            first_line(reason)
        ),
        "Run `git fsck` there; everything but history works without it.",
    )
}

fn no_repository(message: String) -> Problem {
    let remedy = "Nothing to do: history, recency and co-change are left out.";
    Problem { severity: Severity::Info, ..Problem::warning("CTX_I_HISTORY_NONE", message, remedy) }
}

pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("").trim_end_matches('.')
}
