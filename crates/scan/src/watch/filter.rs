//! What a changed path means: something to look at, a sign to look at everything, or nothing.

use super::RescanReason;

/// Folder that contextd itself writes.
const OWN_INDEX: &str = ".contextd/index";

/// Meaning of a path relative to the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Ignored,
    Changed,
    Rescan(RescanReason),
}

/// Returns what a change of `path`, relative and with `/`, means.
pub(super) fn meaning(path: &str) -> Meaning {
    if is_or_below(path, OWN_INDEX) {
        return Meaning::Ignored;
    }
    if let Some(inside) = path.strip_prefix(".git/") {
        let tells =
            matches!(inside, "HEAD" | "index" | "packed-refs") || inside.starts_with("refs/heads/");
        let is_lock = inside.ends_with(".lock");
        return if tells && !is_lock {
            Meaning::Rescan(RescanReason::Git)
        } else {
            Meaning::Ignored
        };
    }
    if path == ".git" {
        return Meaning::Rescan(RescanReason::Git);
    }
    if path.split('/').any(|part| part == ".git") && !is_git_entry(path) {
        Meaning::Ignored
    } else {
        Meaning::Changed
    }
}

/// Tells whether the path is the `.git` of a folder: where there is one, a repository of its own begins.
pub(super) fn is_git_entry(path: &str) -> bool {
    path.strip_suffix(".git")
        .is_some_and(|above| above.is_empty() || above.ends_with('/') && !above.contains(".git/"))
}

/// Tells whether a folder may hold anything that means something, before the caller is asked.
pub(super) fn holds_meaning(folder: &str) -> bool {
    match folder.strip_prefix(".git/") {
        Some(inside) => inside == "refs" || is_or_below(inside, "refs/heads"),
        None => folder == ".git" || (meaning(folder) == Meaning::Changed && !is_git_entry(folder)),
    }
}

/// Tells whether `folder` is git's own: the caller's predicate knows nothing of it.
pub(super) fn is_git(folder: &str) -> bool {
    is_or_below(folder, ".git")
}

fn is_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_mean_what_they_should() {
        let git = Meaning::Rescan(RescanReason::Git);
        let cases = [
            ("src/main.rs", Meaning::Changed),
            (".gitignore", Meaning::Changed),
            (".github/workflows/a.yml", Meaning::Changed),
            (".contextd/graph/a.yml", Meaning::Changed),
            (".contextd/index", Meaning::Ignored),
            (".contextd/index/CURRENT", Meaning::Ignored),
            (".contextd/indexes", Meaning::Changed),
            (".git/HEAD", git),
            (".git/index", git),
            (".git/refs/heads/feature/x", git),
            (".git/refs/heads/x.lock", Meaning::Ignored),
            (".git/index.lock", Meaning::Ignored),
            (".git/objects/ab/cd", Meaning::Ignored),
            ("sub/.git/HEAD", Meaning::Ignored),
            ("sub/.git", Meaning::Changed),
            ("sub/.git/modules/.git", Meaning::Ignored),
            ("sub/not.git", Meaning::Changed),
        ];
        for (path, expected) in cases {
            assert_eq!(meaning(path), expected, "{path}");
        }
    }

    #[test]
    fn only_telling_folders_of_git_are_watched() {
        for folder in
            ["src", ".git", ".git/refs", ".git/refs/heads", ".git/refs/heads/feature", ".contextd"]
        {
            assert!(holds_meaning(folder), "{folder}");
        }
        for folder in
            [".git/objects", ".git/refs/remotes", ".contextd/index", "sub/.git", ".git/hooks"]
        {
            assert!(!holds_meaning(folder), "{folder}");
        }
    }
}
