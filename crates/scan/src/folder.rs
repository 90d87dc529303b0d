//! What holds in a folder, and the judgement of the names in it.

use crate::dockerignore::DockerIgnore;
use crate::git::{Entry, GitTree, is_repository, read_list};
use crate::open::read_small;
use crate::patterns::Stack;
use crate::rule::{Reason, Rule};
use crate::rules::Rules;
use contextd_model::Problem;
use gix::glob::pattern::Case;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

/// The root with everything that decides about the paths below it, as it stands now.
pub(crate) struct Tree<'a> {
    pub root: &'a Path,
    pub rules: &'a Rules,
    pub git: Option<&'a GitTree>,
    docker: Option<DockerIgnore>,
}

/// A folder on the way down, with the ignore files that apply in it.
#[derive(Clone)]
pub(crate) struct Folder {
    /// Path relative to the root; empty for the root.
    pub rel: String,
    git_patterns: Stack,
    own_patterns: Stack,
    /// Index entries below the folder.
    tracked: Range<usize>,
    /// Why everything untracked in here is left out.
    ignored: Option<Reason>,
}

impl Folder {
    /// Returns the path of something in the folder.
    pub fn join(&self, name: &str) -> String {
        if self.rel.is_empty() { name.to_owned() } else { format!("{}/{name}", self.rel) }
    }
}

impl<'a> Tree<'a> {
    pub fn new(
        root: &'a Path,
        rules: &'a Rules,
        git: Option<&'a GitTree>,
        use_dockerignore: bool,
        problems: &mut Vec<Problem>,
    ) -> (Self, Folder) {
        let docker = use_dockerignore
            .then(|| read_small(&root.join(".dockerignore"), false).ok().flatten())
            .flatten();
        let docker = docker.map(|bytes| DockerIgnore::parse(&String::from_utf8_lossy(&bytes)));
        let mut tree = Self { root, rules, git, docker };
        let folder = tree.root_folder(problems);
        (tree, folder)
    }

    /// Returns the root as a folder. A root that its repository ignores, with nothing tracked below
    /// it, is taken as lying outside git: whoever names it wants to see it.
    fn root_folder(&mut self, problems: &mut Vec<Problem>) -> Folder {
        let outside = Folder {
            rel: String::new(),
            git_patterns: Stack::new(Vec::new(), Case::Sensitive),
            own_patterns: Stack::new(Vec::new(), Case::Sensitive),
            tracked: 0..0,
            ignored: None,
        };
        let Some(git) = self.git else { return outside };
        let mut folder = Folder {
            git_patterns: git.global_patterns(problems),
            tracked: git.all(),
            ..outside.clone()
        };
        let mut above = String::new();
        for part in git.prefix.split('/').filter(|part| !part.is_empty()) {
            if self.rules.use_gitignore {
                let file = git.work_tree.join(&above).join(".gitignore");
                if let Some(list) = read_list(&file, &above, false, problems) {
                    folder.git_patterns = folder.git_patterns.with(list);
                }
            }
            above = if above.is_empty() { part.to_owned() } else { format!("{above}/{part}") };
            folder.tracked = git.below(&above, folder.tracked);
            if folder.ignored.is_none() {
                folder.ignored = self.untracked_exclusion(&folder, "", &above, true);
            }
        }
        if folder.ignored.is_some() && folder.tracked.is_empty() {
            self.git = None;
            return outside;
        }
        folder
    }

    /// Adds the ignore files that lie in the folder; `present` tells whether a name is there.
    pub fn load_ignore_files(
        &self,
        folder: &mut Folder,
        present: impl Fn(&str) -> bool,
        problems: &mut Vec<Problem>,
    ) {
        if self.rules.use_gitignore && folder.ignored.is_none() && present(".gitignore") {
            let file = self.root.join(&folder.rel).join(".gitignore");
            let base = self.git_path(&folder.rel);
            if let Some(list) = read_list(&file, &base, false, problems) {
                folder.git_patterns = folder.git_patterns.with(list);
            }
        }
        if self.rules.use_contextignore && present(".contextignore") {
            let file = self.root.join(&folder.rel).join(".contextignore");
            if let Some(list) = read_list(&file, &folder.rel, false, problems) {
                folder.own_patterns = folder.own_patterns.with(list);
            }
        }
    }

    /// Judges a folder by its name; one that may hold something is returned, ready to be listed.
    pub fn judge_folder(&self, parent: &Folder, name: &str) -> Result<Folder, Reason> {
        let rel = parent.join(name);
        self.judge_path(parent, name, &rel, true)?;
        let path = self.git_path(&rel);
        let (mut tracked, mut submodule) = (0..0, false);
        if let Some(git) = self.git {
            tracked = git.below(&path, parent.tracked.clone());
            submodule = git.entry(&path, parent.tracked.clone()) == Some(Entry::Submodule);
        }
        if submodule {
            return Err(Reason::new(Rule::NestedRepository, "it is a submodule"));
        }
        let ignored = match &parent.ignored {
            Some(reason) => Some(reason.clone()),
            None => self.untracked_exclusion(parent, name, &path, true),
        };
        match ignored {
            Some(reason) if tracked.is_empty() => return Err(reason),
            None if tracked.is_empty()
                && self.git.is_some()
                && is_repository(&self.root.join(&rel)) =>
            {
                return Err(Reason::new(Rule::NestedRepository, "it has a .git of its own"));
            }
            _ => {}
        }
        let (git_patterns, own_patterns) =
            (parent.git_patterns.clone(), parent.own_patterns.clone());
        Ok(Folder { rel, git_patterns, own_patterns, tracked, ignored })
    }

    /// Judges a file by its name; returns whether git tracks it.
    pub fn judge_file(&self, parent: &Folder, name: &str) -> Result<bool, Reason> {
        let rel = parent.join(name);
        self.judge_path(parent, name, &rel, false)?;
        let path = self.git_path(&rel);
        let tracked =
            self.git.is_some_and(|git| git.entry(&path, parent.tracked.clone()).is_some());
        if !tracked {
            if let Some(reason) = &parent.ignored {
                return Err(reason.clone());
            }
            if let Some(reason) = self.untracked_exclusion(parent, name, &path, false) {
                return Err(reason);
            }
        }
        self.rules.judge_name(&rel)?;
        Ok(tracked)
    }

    /// Judges by the rules that hold whether or not git tracks the path.
    pub fn judge_path(
        &self,
        parent: &Folder,
        name: &str,
        rel: &str,
        is_dir: bool,
    ) -> Result<(), Reason> {
        self.judge_place(name, rel, is_dir)?;
        if let Some(pattern) = parent.own_patterns.excludes(rel, is_dir) {
            return Err(Reason::new(Rule::ContextIgnore, pattern));
        }
        let docker = self.docker.as_ref().filter(|docker| !is_dir || docker.is_final());
        if let Some(pattern) = docker.and_then(|docker| docker.excludes(rel)) {
            return Err(Reason::new(Rule::DockerIgnore, pattern));
        }
        Ok(())
    }

    /// Judges by the rules of the configuration that need only the path.
    pub fn judge_place(&self, name: &str, rel: &str, is_dir: bool) -> Result<(), Reason> {
        let rules = self.rules;
        let watched =
            if is_dir { rules.watch_paths.reach(rel) } else { rules.watch_paths.contain(rel) };
        if !watched {
            return Err(Reason::new(Rule::WatchPaths, "it is not below `watcher.watch_paths`"));
        }
        if rules.only_projects {
            let owned =
                if is_dir { rules.projects.reach(rel) } else { !rules.projects.of(rel).is_empty() };
            if !owned {
                return Err(Reason::new(Rule::Projects, "no project of the configuration has it"));
            }
        }
        if name == ".git" {
            return Err(Reason::new(Rule::GitFolder, "git's own data"));
        }
        if rules.index_folders.iter().any(|folder| folder == rel) {
            return Err(Reason::new(Rule::IndexFolder, "contextd's own data"));
        }
        if let Some(pattern) = rules.patterns.excludes(rel, is_dir) {
            return Err(Reason::new(Rule::IgnorePatterns, pattern));
        }
        Ok(())
    }

    /// Returns the rule that leaves a path out when git does not track it.
    fn untracked_exclusion(
        &self,
        parent: &Folder,
        name: &str,
        path: &str,
        is_dir: bool,
    ) -> Option<Reason> {
        let rules = self.rules;
        if self.git.is_none() || !rules.use_gitignore {
            let pattern = rules
                .default_patterns
                .as_ref()
                .and_then(|patterns| patterns.excludes(path, is_dir));
            if let Some(pattern) = pattern {
                return Some(Reason::new(
                    Rule::IgnorePatterns,
                    format!("built-in pattern {pattern}"),
                ));
            }
        }
        // Declared knowledge lies in .contextd, which is hidden but meant for us.
        if self.git.is_none() && is_dir && name.starts_with('.') && name != ".contextd" {
            return Some(Reason::new(Rule::Hidden, "its name starts with a dot"));
        }
        if !rules.use_gitignore {
            return None;
        }
        parent
            .git_patterns
            .excludes(path, is_dir)
            .map(|pattern| Reason::new(Rule::GitIgnore, pattern))
    }

    /// Returns the path as git writes it: relative to the work tree.
    fn git_path<'p>(&self, rel: &'p str) -> Cow<'p, str> {
        match self.git.map(|git| git.prefix.as_str()) {
            None | Some("") => Cow::Borrowed(rel),
            Some(prefix) if rel.is_empty() => Cow::Owned(prefix.to_owned()),
            Some(prefix) => Cow::Owned(format!("{prefix}/{rel}")),
        }
    }
}
