//! Matching one ignore pattern the way git does it, step for step.
//!
//! Git compares the literal start of a pattern by itself and gives only the rest to its glob
//! matcher, which shows in odd patterns: `a**/*` matches `ab`, because `**/` stands at the start of
//! what is left.

use gix::bstr::{BStr, ByteSlice};
use gix::glob::Pattern;
use gix::glob::pattern::{Case, Mode};
use gix::glob::wildmatch;

/// Tells whether `pattern` matches `path`, which is relative to the folder the pattern counts from;
/// `basename` is where the last part of the path starts.
pub(crate) fn matches(
    pattern: &Pattern,
    path: &[u8],
    basename: usize,
    is_dir: bool,
    case: Case,
) -> bool {
    if pattern.mode.contains(Mode::MUST_BE_DIR) && !is_dir {
        return false;
    }
    if pattern.mode.contains(Mode::NO_SUB_DIR) && !pattern.mode.contains(Mode::ABSOLUTE) {
        matches_name(pattern, &path[basename..], case)
    } else {
        matches_path(pattern, path, case)
    }
}

fn matches_name(pattern: &Pattern, name: &[u8], case: Case) -> bool {
    let text = pattern.text.as_slice();
    if pattern.first_wildcard_pos.is_none() {
        return equal(text, name, case);
    }
    if pattern.mode.contains(Mode::ENDS_WITH) {
        let end = &text[1..];
        return name
            .len()
            .checked_sub(end.len())
            .is_some_and(|start| equal(end, &name[start..], case));
    }
    glob(text, name, wildmatch::Mode::empty(), case)
}

fn matches_path(pattern: &Pattern, path: &[u8], case: Case) -> bool {
    let literal = pattern.first_wildcard_pos.unwrap_or(pattern.text.len());
    let (start, rest) = pattern.text.split_at(literal);
    let Some((path_start, path_rest)) = path.split_at_checked(literal) else {
        return false;
    };
    if !equal(start, path_start, case) {
        return false;
    }
    if literal > 0 && rest.is_empty() && path_rest.is_empty() {
        return true;
    }
    glob(rest, path_rest, wildmatch::Mode::NO_MATCH_SLASH_LITERAL, case)
}

fn equal(left: &[u8], right: &[u8], case: Case) -> bool {
    match case {
        Case::Sensitive => left == right,
        Case::Fold => left.eq_ignore_ascii_case(right),
    }
}

fn glob(pattern: &[u8], text: &[u8], mode: wildmatch::Mode, case: Case) -> bool {
    let mode = if case == Case::Fold { mode | wildmatch::Mode::IGNORE_CASE } else { mode };
    let (pattern, text): (&BStr, &BStr) = (pattern.as_bstr(), text.as_bstr());
    gix::glob::wildmatch(pattern, text, mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_start_is_compared_by_itself() {
        let check = |pattern: &str, path: &str, expected: bool| {
            let pattern = Pattern::from_bytes(pattern.as_bytes()).unwrap();
            let basename = path.rfind('/').map_or(0, |at| at + 1);
            assert_eq!(
                matches(&pattern, path.as_bytes(), basename, false, Case::Sensitive),
                expected,
                "{pattern} on {path}"
            );
        };
        check("a**/*", "ab", true);
        check("a**/*", "a/b/c", true);
        check("a*/*", "ab", false);
        check("/a", "a", true);
        check("/a", "b/a", false);
        check("*.o", "x/y.o", true);
        check("x/*.o", "x/y/z.o", false);
        check("x/**/z.o", "x/z.o", true);
        check("*/", "a", false);
    }
}
