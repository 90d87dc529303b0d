//! The configured folders, checked and brought to paths relative to the root.

use crate::root;
use contextd_model::Problem;
use std::path::{Component, Path};

/// Folders and files that are indexed, relative to the root; `None` is the whole root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchPaths(Option<Vec<String>>);

impl WatchPaths {
    /// Checks the configured paths; those that cannot be used are reported and left out.
    pub fn new(
        paths: Option<&[String]>,
        root: &Path,
        home: Option<&Path>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let Some(paths) = paths else {
            return Self(None);
        };
        let mut kept: Vec<String> = Vec::new();
        for path in paths {
            match relative(path, root, home) {
                Ok(rel) => {
                    if !rel.is_empty() && !root.join(&rel).exists() {
                        problems.push(missing(path));
                    }
                    kept.push(rel);
                }
                Err(problem) => problems.push(problem),
            }
        }
        kept.sort();
        kept.dedup();
        report_overlaps(&kept, problems);
        Self(Some(kept))
    }

    /// True when no path of the configuration can be used.
    pub fn is_void(&self) -> bool {
        self.0.as_ref().is_some_and(Vec::is_empty)
    }

    /// True when a file belongs.
    pub fn contain(&self, rel: &str) -> bool {
        self.0.as_ref().is_none_or(|paths| paths.iter().any(|path| is_under(rel, path)))
    }

    /// True when a folder belongs, or something below it does.
    pub fn reach(&self, rel: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|paths| paths.iter().any(|path| is_under(rel, path) || is_under(path, rel)))
    }
}

/// True when `rel` is `folder` or lies below it.
fn is_under(rel: &str, folder: &str) -> bool {
    folder.is_empty()
        || rel.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Brings a configured path to one relative to the root.
fn relative(path: &str, root: &Path, home: Option<&Path>) -> Result<String, Problem> {
    let path = path.trim();
    if path.starts_with('~') || path.contains("$HOME") {
        return Err(refused(
            path,
            "it uses a short form of the home folder",
            "Write the whole path instead.",
        ));
    }
    let given = Path::new(path);
    if given.is_absolute() {
        let real = given.canonicalize().unwrap_or_else(|_| given.to_path_buf());
        if let Some(why) = root::protection(&real, home).filter(|_| real != root) {
            return Err(refused(path, why, "Name the folders of the project one by one."));
        }
        let inside = real.strip_prefix(root).or_else(|_| given.strip_prefix(root));
        let inside = inside.map_err(|_| {
            refused(
                path,
                "it lies outside the root",
                "Start contextd in a folder that contains it (--repo).",
            )
        })?;
        return plain(inside, path);
    }
    plain(given, path)
}

fn plain(path: &Path, written: &str) -> Result<String, Problem> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => match part.to_str() {
                Some(part) => parts.push(part),
                None => {
                    return Err(refused(written, "it is not valid UTF-8", "Rename the folder."));
                }
            },
            Component::CurDir => {}
            _ => {
                return Err(refused(written, "it climbs with `..`", "Write it without `..`."));
            }
        }
    }
    Ok(parts.join("/"))
}

fn refused(path: &str, why: &str, remedy: &str) -> Problem {
    Problem::error(
        "CTX_E_CONFIG_WATCH_PATH",
        format!("The watch path {path:?} is not used: {why}."),
        remedy,
    )
}

fn missing(path: &str) -> Problem {
    let message = format!("The watch path {path:?} does not exist.");
    Problem::warning(
        "CTX_W_CONFIG_WATCH_PATH",
        message,
        "Create it, or remove it from `watcher.watch_paths`.",
    )
}

fn report_overlaps(paths: &[String], problems: &mut Vec<Problem>) {
    for (at, path) in paths.iter().enumerate() {
        if let Some(outer) = paths[..at].iter().find(|outer| is_under(path, outer)) {
            problems.push(Problem::warning(
                "CTX_W_CONFIG_WATCH_PATH",
                format!(
                    "The watch path {path:?} lies inside {:?}.",
                    if outer.is_empty() { "." } else { outer }
                ),
                "Remove the inner one; its files are indexed once either way.",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str]) -> (WatchPaths, Vec<Problem>) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("src/main")).unwrap();
        std::fs::create_dir_all(root.join("docs")).unwrap();
        let paths: Vec<String> =
            paths.iter().map(|path| path.replace("ROOT", root.to_str().unwrap())).collect();
        let mut problems = Vec::new();
        let watch = WatchPaths::new(Some(&paths), &root, Some(Path::new("/home/x")), &mut problems);
        (watch, problems)
    }

    #[test]
    fn paths_are_relative_to_the_root() {
        let (watch, problems) = of(&["./src/", "ROOT/docs"]);
        assert_eq!(problems, []);
        for (rel, contained, reached) in [
            ("src/a.rs", true, true),
            ("srcs/a.rs", false, false),
            ("docs", true, true),
            ("a", false, false),
        ] {
            assert_eq!((watch.contain(rel), watch.reach(rel)), (contained, reached), "{rel}");
        }
        let (deep, _) = of(&["src/main"]);
        assert!(deep.reach("src") && !deep.contain("src") && !deep.contain("src/x"));
    }

    #[test]
    fn paths_that_cannot_be_used_are_reported() {
        for path in
            ["~/x", "$HOME/x", "/", "/etc", "/home", "../x", "src/../../x", "/somewhere/else"]
        {
            let (watch, problems) = of(&[path]);
            assert!(watch.is_void(), "{path}");
            assert_eq!(problems.len(), 1, "{path}");
        }
        assert_eq!(of(&["src", "src/main"]).1.len(), 1);
        assert_eq!(of(&["nowhere"]).1.len(), 1);
    }
}
