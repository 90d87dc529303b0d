//! `.dockerignore`: patterns count from the root, and a later `!` takes files back in even below an
//! excluded folder.

use gix::bstr::ByteSlice;
use gix::glob::wildmatch;

/// The parsed file.
#[derive(Clone, Debug, Default)]
pub(crate) struct DockerIgnore {
    patterns: Vec<DockerPattern>,
}

#[derive(Clone, Debug)]
struct DockerPattern {
    text: String,
    negative: bool,
    line: usize,
}

impl DockerIgnore {
    pub fn parse(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let patterns = text.lines().enumerate().filter_map(|(at, line)| pattern(line, at + 1));
        Self { patterns: patterns.collect() }
    }

    /// Returns the place of the pattern that excludes `path`, if one does.
    pub fn excludes(&self, path: &str) -> Option<String> {
        let hit = self.patterns.iter().rev().find(|pattern| pattern.covers(path))?;
        (!hit.negative).then(|| format!(".dockerignore line {}: `{}`", hit.line, hit.text))
    }

    /// True when nothing below an excluded folder can come back.
    pub fn is_final(&self) -> bool {
        self.patterns.iter().all(|pattern| !pattern.negative)
    }
}

fn pattern(line: &str, number: usize) -> Option<DockerPattern> {
    // Only a `#` in the first column starts a comment.
    if line.starts_with('#') {
        return None;
    }
    let line = line.trim();
    let (negative, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest.trim()),
        None => (false, line),
    };
    let parts = line.split('/').filter(|part| !part.is_empty() && *part != ".");
    let text = parts.collect::<Vec<_>>().join("/");
    (!text.is_empty()).then_some(DockerPattern { text, negative, line: number })
}

impl DockerPattern {
    /// True when the pattern matches the path or a folder above it.
    fn covers(&self, path: &str) -> bool {
        let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let pattern = self.text.as_bytes().as_bstr();
        ends.into_iter()
            .any(|end| gix::glob::wildmatch(pattern, path.as_bytes()[..end].as_bstr(), mode))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_count_from_the_root_and_the_last_wins() {
        let check = |text: &str, path: &str, expected: bool| {
            assert_eq!(
                DockerIgnore::parse(text).excludes(path).is_some(),
                expected,
                "{text:?} on {path}"
            );
        };
        check("node_modules", "node_modules/a/b.js", true);
        check("node_modules", "web/node_modules/b.js", false);
        check("*.md", "README.md", true);
        check("*.md", "docs/README.md", false);
        check("**/*.md", "docs/README.md", true);
        check("docs\n!docs/README.md", "docs/README.md", false);
        check("docs\n!docs/README.md", "docs/other.md", true);
        check("# docs\n/./build/", "build/x", true);
        check(" #a", "#a", true);
    }
}
