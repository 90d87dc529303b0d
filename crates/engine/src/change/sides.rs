//! Where the two texts of every changed file come from: commits, the work tree, a patch.

use crate::engine::Engine;
use contextd_history::{ChangeSet, CommitId, FileChange, Range, Repository, patched_files};
use contextd_model::Problem;
use contextd_scan::{Rule, Verdict};
use contextd_snapshot::Snapshot;

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeSource {
    /// Where the head left the default branch, against the work tree.
    Branch,
    /// `BASE` against the work tree, `BASE..HEAD` (from where the head left the base), `COMMIT^!`.
    Range(String),
    /// A patch, applied already or not.
    Patch(Vec<u8>),
}

/// Two states with the texts of what differs.
#[derive(Default)]
pub struct Sides {
    pub label: String,
    pub base: Option<CommitId>,
    pub head: Option<CommitId>,
    pub files: Vec<FileSides>,
    pub outside: u32,
    pub problems: Vec<Problem>,
}

/// One changed file with its texts, scrubbed; `None` for a side that does not exist or is not shown.
pub struct FileSides {
    pub change: FileChange,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl FileSides {
    /// True when every side that exists can be shown.
    pub fn is_shown(&self) -> bool {
        self.old.is_some() == self.change.old_path().is_some()
            && self.new.is_some() == self.change.new_path().is_some()
    }
}

/// Files whose texts are compared; a larger change is listed by its files alone.
const MAX_FILES: usize = 1_000;

impl Engine {
    pub(super) fn sides(&self, source: &ChangeSource, snapshot: &Snapshot) -> Sides {
        let repository = Repository::open(&self.places.root);
        match (source, repository) {
            (ChangeSource::Patch(patch), repository) => {
                self.of_patch(patch, repository.as_ref().map_or("", Repository::prefix), snapshot)
            }
            (_, Err(problem)) => Sides { problems: vec![problem], ..Sides::default() },
            (ChangeSource::Branch, Ok(repository)) => {
                let branch = repository.default_branch();
                let label = branch.clone().unwrap_or_else(|| "HEAD".to_owned());
                self.since(&repository, &label, snapshot)
            }
            (ChangeSource::Range(text), Ok(repository)) => {
                self.of_range(&repository, text.trim(), snapshot)
            }
        }
    }

    fn of_range(&self, repository: &Repository, text: &str, snapshot: &Snapshot) -> Sides {
        if let Some(commit) = text.strip_suffix("^!") {
            return self.of_set(
                repository,
                &Range::Commit(commit.to_owned()),
                text.to_owned(),
                snapshot,
            );
        }
        match Range::parse(text) {
            Range::Between { base, head, .. } => {
                let ids = (repository.resolve(&base), repository.resolve(&head));
                // Without a common past the two trees are compared as they are.
                let fork = ids
                    .0
                    .zip(ids.1)
                    .is_none_or(|(base, head)| repository.merge_base(base, head).is_some());
                let label = format!("{base}..{head}");
                self.of_set(repository, &Range::Between { base, head, fork }, label, snapshot)
            }
            _ => self.since(repository, if text.is_empty() { "HEAD" } else { text }, snapshot),
        }
    }

    /// Compares the work tree with where the head left `base`.
    fn since(&self, repository: &Repository, base: &str, snapshot: &Snapshot) -> Sides {
        let fork = repository
            .resolve(base)
            .zip(repository.head())
            .and_then(|(base, head)| repository.merge_base(base, head));
        let from = fork.map_or_else(|| base.to_owned(), |fork| fork.to_string());
        self.of_set(
            repository,
            &Range::WorkTree { base: from },
            format!("{base}..work tree"),
            snapshot,
        )
    }

    fn of_set(
        &self,
        repository: &Repository,
        range: &Range,
        label: String,
        snapshot: &Snapshot,
    ) -> Sides {
        let (set, problems) = repository.changed_files(range);
        let ChangeSet { base, head, files, outside } = set;
        let old = |path: &str| base.and_then(|base| repository.read(base, path));
        let new = |path: &str| match head {
            Some(head) => repository.read(head, path),
            None => self.scanner.read(path).ok().map(|bytes| bytes.text.into_bytes()),
        };
        let files = files.into_iter().enumerate().map(|(at, change)| {
            let shown = at < MAX_FILES && !change.binary;
            let text = |path: Option<&str>, read: &dyn Fn(&str) -> Option<Vec<u8>>| {
                path.filter(|_| shown).and_then(|path| self.shown_text(path, read(path)?, snapshot))
            };
            let (old, new) = (text(change.old_path(), &old), text(change.new_path(), &new));
            FileSides { change, old, new }
        });
        Sides { label, base, head, files: files.collect(), outside, problems }
    }

    fn of_patch(&self, patch: &[u8], prefix: &str, snapshot: &Snapshot) -> Sides {
        let read = |path: &str| self.scanner.read(path).ok().map(|bytes| bytes.text.into_bytes());
        let (patched, outside, problems) = patched_files(patch, prefix, &read);
        let files = patched.into_iter().take(MAX_FILES).map(|file| {
            let text = |path: Option<&str>, bytes: Option<Vec<u8>>| {
                path.and_then(|path| self.shown_text(path, bytes?, snapshot))
            };
            let (old, new) =
                (text(file.change.old_path(), file.old), text(file.change.new_path(), file.new));
            FileSides { change: file.change, old, new }
        });
        Sides {
            label: "patch".to_owned(),
            files: files.collect(),
            outside,
            problems,
            ..Sides::default()
        }
    }

    /// Returns a text without its secrets, when the file may be indexed at all.
    fn shown_text(&self, path: &str, bytes: Vec<u8>, snapshot: &Snapshot) -> Option<String> {
        if bytes.len() as u64 > self.config.max_file_bytes() || !self.belongs(path, snapshot) {
            return None;
        }
        let text = String::from_utf8(bytes).ok()?;
        Some(self.scrubber.scrub(&text, path).text.into_owned())
    }

    /// A path that no longer exists is judged by its name.
    fn belongs(&self, path: &str, snapshot: &Snapshot) -> bool {
        let by_name = || match self.scanner.check(std::path::Path::new(path)).verdict {
            Verdict::Included => true,
            Verdict::Excluded { rule, .. } => rule == Rule::NotFound,
        };
        snapshot.find_file(path).is_some() || by_name()
    }
}
