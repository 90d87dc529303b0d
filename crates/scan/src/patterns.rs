//! Lists of ignore patterns with git's semantics, and the stack of lists that applies in a folder.

use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;
use gix::glob::search::Pattern;
use gix::glob::search::pattern::List;
use gix::ignore::search::{Ignore, pattern_matching_relative_path};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Patterns of one file.
pub(crate) type PatternList = List<Ignore>;

/// Parses patterns that count from `base`, a folder relative to where matched paths start.
pub(crate) fn parse_list(bytes: &[u8], source: &Path, base: &str) -> PatternList {
    let base = (!base.is_empty()).then(|| format!("{base}/").into());
    let patterns = Ignore::default().bytes_to_patterns(bytes, source);
    PatternList { patterns, source: Some(source.to_path_buf()), base }
}

/// A pattern that matched.
pub(crate) struct Hit {
    /// True when the pattern takes the path back in.
    pub negative: bool,
    /// Pattern with its place, for people.
    pub detail: String,
}

/// The lists that apply in a folder, the most specific last. Cloning shares them.
#[derive(Clone)]
pub(crate) struct Stack {
    lists: Arc<[Arc<PatternList>]>,
    case: Case,
}

impl Stack {
    pub fn new(lists: Vec<PatternList>, case: Case) -> Self {
        Self { lists: lists.into_iter().map(Arc::new).collect(), case }
    }

    /// Returns the stack with one more list on top.
    pub fn with(&self, list: PatternList) -> Self {
        let lists = self.lists.iter().cloned().chain([Arc::new(list)]).collect();
        Self { lists, case: self.case }
    }

    /// Returns the pattern that decides about `path`; those of the last list go first.
    pub fn find(&self, path: &str, is_dir: bool) -> Option<Hit> {
        if self.lists.is_empty() {
            return None;
        }
        let path: &BStr = path.as_bytes().as_bstr();
        let basename = path.rfind_byte(b'/').map(|at| at + 1);
        let find = |list: &Arc<PatternList>| {
            let hit = pattern_matching_relative_path(list, path, basename, Some(is_dir), self.case)?;
            Some(Hit { negative: hit.pattern.is_negative(), detail: describe(list, &hit) })
        };
        self.lists.iter().rev().find_map(find)
    }

    /// Returns the place of the pattern that excludes `path`, if one does.
    pub fn excludes(&self, path: &str, is_dir: bool) -> Option<String> {
        self.find(path, is_dir).filter(|hit| !hit.negative).map(|hit| hit.detail)
    }
}

fn describe(list: &PatternList, hit: &gix::ignore::search::Match<'_>) -> String {
    match &list.source {
        // Lists without a folder of their own are git's global ones or the configuration's.
        Some(source) => format!("{} line {}: `{}`", place(list, source), hit.sequence_number, hit.pattern),
        None => format!("`{}`", hit.pattern),
    }
}

fn place(list: &PatternList, source: &Path) -> String {
    match (&list.base, source.file_name()) {
        (Some(base), Some(name)) => format!("{base}{}", name.to_string_lossy()),
        (None, Some(name)) if name.to_string_lossy().starts_with('.') => name.to_string_lossy().into_owned(),
        _ => source.display().to_string(),
    }
}

/// Patterns of the configuration: as in `.gitignore`, except that a pattern ending in `/` counts
/// from the root.
pub(crate) fn configured(patterns: &[String], ignore_case: bool) -> Stack {
    let case = if ignore_case { Case::Fold } else { Case::Sensitive };
    let mut text = String::new();
    for pattern in patterns {
        let pattern = pattern.trim().replace(['\n', '\r'], " ");
        let anchored = pattern.ends_with('/') && !pattern.starts_with(['/', '!']) && !pattern.starts_with("**");
        text.push_str(if anchored { "/" } else { "" });
        text.push_str(&pattern);
        text.push('\n');
    }
    let mut list = parse_list(text.as_bytes(), &PathBuf::new(), "");
    list.source = None;
    Stack::new(vec![list], case)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &[&str], path: &str, is_dir: bool, expected: bool) {
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let found = configured(&patterns, true).excludes(path, is_dir).is_some();
        assert_eq!(found, expected, "{patterns:?} on {path}");
    }

    #[test]
    fn configured_patterns_read_as_the_seed_says() {
        check(&["node_modules"], "a/b/node_modules", true, true);
        check(&["Node_Modules"], "node_modules", true, true);
        check(&["vendor/"], "vendor", true, true);
        check(&["vendor/"], "a/vendor", true, false);
        check(&["*.log"], "a/b.LOG", false, true);
        check(&["temp/*"], "temp/x", false, true);
        check(&["temp/*"], "a/temp/x", false, false);
        check(&["**/cache"], "a/b/cache", true, true);
        check(&["*/dist"], "web/dist", true, true);
        check(&["*.test.ts", "!keep.test.ts"], "keep.test.ts", false, false);
        check(&["a\nb"], "b", false, false);
    }

    #[test]
    fn a_hit_names_its_place() {
        let list = parse_list(b"# note\n*.o\n", Path::new("sub/.gitignore"), "sub");
        let stack = Stack::new(vec![list], Case::Sensitive);
        assert_eq!(stack.excludes("sub/x.o", false).as_deref(), Some("sub/.gitignore line 2: `*.o`"));
        assert!(stack.excludes("x.o", false).is_none());
    }
}
