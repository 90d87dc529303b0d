//! Lists of ignore patterns with git's semantics, and the stack of lists that applies in a folder.

use crate::pattern_match::matches;
use gix::glob::pattern::Case;
use gix::glob::search::Pattern;
use gix::glob::search::pattern::{List, Mapping};
use gix::ignore::search::Ignore;
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
        let basename = path.rfind('/').map_or(0, |at| at + 1);
        self.lists.iter().rev().find_map(|list| find_in(list, path, basename, is_dir, self.case))
    }

    /// Returns the place of the pattern that excludes `path`, if one does.
    pub fn excludes(&self, path: &str, is_dir: bool) -> Option<String> {
        self.find(path, is_dir).filter(|hit| !hit.negative).map(|hit| hit.detail)
    }
}

/// Returns the last pattern of a list that matches.
fn find_in(
    list: &PatternList,
    path: &str,
    basename: usize,
    is_dir: bool,
    case: Case,
) -> Option<Hit> {
    let base = list.base.as_deref().map_or(0, |base| base.len());
    let inside = path.as_bytes().get(base..)?;
    let under = list.base.as_deref().is_none_or(|base| path.as_bytes().starts_with(base));
    if !under || inside.is_empty() {
        return None;
    }
    let hits =
        |mapping: &&Mapping<_>| matches(&mapping.pattern, inside, basename - base, is_dir, case);
    let hit = list.patterns.iter().rev().find(hits)?;
    Some(Hit { negative: hit.pattern.is_negative(), detail: describe(list, hit) })
}

fn describe<T>(list: &PatternList, hit: &Mapping<T>) -> String {
    match &list.source {
        Some(source) => {
            format!("{} line {}: `{}`", place(list, source), hit.sequence_number, hit.pattern)
        }
        None => format!("`{}`", hit.pattern),
    }
}

/// Lists without a folder of their own are git's global ones.
fn place(list: &PatternList, source: &Path) -> String {
    match (&list.base, source.file_name()) {
        (Some(base), Some(name)) => format!("{base}{}", name.to_string_lossy()),
        (None, Some(name)) if name.to_string_lossy().starts_with('.') => {
            name.to_string_lossy().into_owned()
        }
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
        let anchored = pattern.ends_with('/')
            && !pattern.starts_with(['/', '!'])
            && !pattern.starts_with("**");
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
        assert_eq!(
            stack.excludes("sub/x.o", false).as_deref(),
            Some("sub/.gitignore line 2: `*.o`")
        );
        assert!(stack.excludes("x.o", false).is_none());
    }
}
