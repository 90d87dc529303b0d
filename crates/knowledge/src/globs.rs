//! Paths and patterns that people write in declarations.

use globset::{GlobBuilder, GlobMatcher};

/// True when a declared source (a file, a folder or a pattern) holds a file.
pub fn holds(source: &str, path: &str) -> bool {
    if source.contains(['*', '?', '[']) {
        return pattern(source).is_some_and(|pattern| pattern.is_match(path));
    }
    let folder = source.trim_end_matches('/');
    if folder.is_empty() || folder == "." {
        return true;
    }
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Compiles a pattern; `**` crosses folders, `*` does not, `[!a]` is a negated set.
pub fn pattern(text: &str) -> Option<GlobMatcher> {
    let text = text.trim_start_matches("./");
    GlobBuilder::new(text).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

/// True when a pattern matches a path, or a path below which it lies: `pkg/**` also means `src/pkg/a`.
pub fn matches_below(pattern: &GlobMatcher, path: &str) -> bool {
    pattern.is_match(path)
        || path.match_indices('/').any(|(at, _)| pattern.is_match(&path[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_hold_files() {
        for (source, path) in [
            ("a/", "a/b"),
            ("a", "a/b/c"),
            ("a/b.py", "a/b.py"),
            ("a/**/*.py", "a/b/c.py"),
            (".", "x"),
        ] {
            assert!(holds(source, path), "{source} {path}");
        }
        for (source, path) in
            [("a", "ab"), ("a/b.py", "a/b.pyi"), ("a/*.py", "a/b/c.py"), ("a/[", "a/x")]
        {
            assert!(!holds(source, path), "{source} {path}");
        }
    }

    #[test]
    fn patterns_may_start_below_the_root() {
        let inner = pattern("pkg/ai/**").unwrap();
        assert!(
            matches_below(&inner, "src/pkg/ai/x.py") && !matches_below(&inner, "src/pkg/air/x.py")
        );
        assert!(pattern("src/[!a]*/**").unwrap().is_match("src/graph/x.py"));
    }
}
