//! Ends of a `forbid_import` rule: a pattern of paths, and after `::` one of definitions.

use super::check::{Code, Use};
use crate::globs;
use globset::GlobMatcher;

/// One end: which files, and which definitions in them.
pub(super) struct End {
    path: GlobMatcher,
    /// `None` where the rule speaks of whole files.
    definition: Option<GlobMatcher>,
}

impl End {
    /// Compiles an end; `None` when one of its patterns is none.
    pub(super) fn parse(text: &str) -> Option<End> {
        let (path, definition) = split(text);
        let definition = match definition {
            Some(name) => Some(globs::pattern(&name.replace("::", "."))?),
            None => None,
        };
        Some(End { path: globs::pattern(path)?, definition })
    }

    /// True when the end speaks of definitions.
    pub(super) fn is_definition(&self) -> bool {
        self.definition.is_some()
    }

    /// True when a definition of a file is meant; what lies inside of one is meant with it.
    fn names(&self, definition: &str) -> bool {
        let Some(pattern) = &self.definition else {
            return true;
        };
        let dots = definition.match_indices('.').map(|(at, _)| at);
        !definition.is_empty()
            && dots.chain([definition.len()]).any(|end| pattern.is_match(&definition[..end]))
    }
}

/// Takes the definition off a path: `src/db.py::Connection.*`.
pub(super) fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once("::") {
        Some((path, definition)) => (path, Some(definition)),
        None => (text, None),
    }
}

/// Returns the uses between two ends: imports where both are files, any use where one is a definition.
pub(super) fn uses<'c>(
    from: &'c End,
    to: &'c End,
    code: &'c Code,
) -> impl Iterator<Item = &'c Use> {
    let narrow = from.is_definition() || to.is_definition();
    let all = if narrow { &code.definitions } else { &code.uses };
    all.iter().filter(move |used| {
        (narrow || used.import)
            && from.path.is_match(&code.files[used.from].path)
            && globs::matches_below(&to.path, &code.files[used.to].path)
            && from.names(&used.source)
            && to.names(&used.target)
    })
}
