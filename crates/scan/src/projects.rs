//! Several projects under one root, and which of them a file belongs to.

use crate::patterns::{Stack, configured};
use crate::watch_paths::WatchPaths;
use contextd_model::Problem;
use contextd_model::config::Config;
use std::path::Path;

#[derive(Default)]
pub(crate) struct Projects(Vec<Project>);

struct Project {
    name: String,
    watch_paths: WatchPaths,
    ignore: Stack,
}

impl Projects {
    pub fn new(
        config: &Config,
        root: &Path,
        home: Option<&Path>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let compile = |(name, project): (&String, &contextd_model::config::Project)| Project {
            name: name.clone(),
            watch_paths: WatchPaths::new(Some(&project.watch_paths), root, home, problems),
            ignore: configured(&project.ignore_patterns, config.watcher.ignore_case),
        };
        Self(config.projects.iter().map(compile).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the projects that `rel` belongs to, sorted.
    pub fn of(&self, rel: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|project| project.owns(rel))
            .map(|project| project.name.as_str())
            .collect()
    }

    /// True when a project has something at or below a folder.
    pub fn reach(&self, rel: &str) -> bool {
        self.0.iter().any(|project| project.watch_paths.reach(rel) && !project.ignores(rel, true))
    }
}

impl Project {
    fn owns(&self, rel: &str) -> bool {
        self.watch_paths.contain(rel) && !self.ignores(rel, false)
    }

    /// True when a pattern excludes the path or a folder above it.
    fn ignores(&self, rel: &str, is_dir: bool) -> bool {
        let mut folders = rel.match_indices('/').map(|(at, _)| &rel[..at]);
        folders.any(|folder| self.ignore.excludes(folder, true).is_some())
            || self.ignore.excludes(rel, is_dir).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_projects_that_watch_them() {
        let text = "[projects.web]\nwatch_paths = [\"web\", \"shared\"]\nignore_patterns = [\"web/dist\"]\n[projects.api]\nwatch_paths = [\"api\", \"shared\"]\n";
        let (config, problems) = contextd_model::config::parse(text, &|_| None);
        assert_eq!(problems, []);
        let projects = Projects::new(&config, Path::new("/nowhere"), None, &mut Vec::new());
        let check = |rel: &str, expected: &[&str]| assert_eq!(projects.of(rel), expected, "{rel}");
        check("web/a.ts", &["web"]);
        check("web/dist/a.js", &[]);
        check("shared/x", &["api", "web"]);
        check("README.md", &[]);
        assert!(projects.reach("api") && !projects.reach("web/dist") && !projects.reach("docs"));
    }
}
