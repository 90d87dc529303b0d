//! What a commit message says about the work, without what would give the answer away.

/// Returns the subject and body without trailers, issue numbers, commit ids, links and paths. `is_path` tells
/// further words that name files, such as a bare file name.
pub fn query_text(subject: &str, body: &str, is_path: &dyn Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in std::iter::once(subject).chain(without_trailers(body)) {
        let words: Vec<&str> =
            line.split_whitespace().filter_map(|word| kept(word, is_path)).collect();
        let has_word = words.iter().any(|word| word.chars().any(char::is_alphanumeric));
        if has_word {
            lines.push(words.join(" "));
        }
    }
    lines.join("\n")
}

/// Returns the lines of a body up to its trailers, and none that is a trailer on its own.
fn without_trailers(body: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = body.lines().collect();
    let last = lines.iter().rposition(|line| line.trim().is_empty()).map_or(0, |at| at + 1);
    let block = &lines[last..];
    let is_block = !block.is_empty()
        && block.iter().all(|line| is_trailer(line) || line.starts_with([' ', '\t']));
    let end = if is_block { last } else { lines.len() };
    lines
        .into_iter()
        .take(end)
        .filter(|line| !is_attribution(line) && !line.starts_with("Merge pull request "))
}

/// True for `Some-Key: value`: one word without spaces, a colon, a space.
fn is_trailer(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else {
        return false;
    };
    let is_key = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && key.starts_with(|c: char| c.is_ascii_uppercase());
    let names_someone =
        value.contains('@') || value.trim_start().starts_with(['#', 'h', 'I']) || key.contains('-');
    is_key && value.starts_with(' ') && names_someone
}

/// True for a trailer that names a person or a machine's record wherever it stands.
fn is_attribution(line: &str) -> bool {
    let Some((key, _)) = line.trim().split_once(':') else {
        return false;
    };
    let key = key.to_ascii_lowercase();
    key.ends_with("-by")
        || matches!(key.as_str(), "cc" | "change-id" | "git-svn-id" | "co-authored" | "backport-of")
}

/// Returns the word without issue numbers around it, or `None` when it is one, a link or a path.
fn kept<'a>(word: &'a str, is_path: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let inner = word
        .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '/' | '.' | '_' | '~'));
    let inner = inner.trim_end_matches(['.', '/']);
    if is_issue(inner)
        || is_commit_id(inner)
        || inner.contains("://")
        || looks_like_path(inner)
        || is_path(inner)
    {
        return None;
    }
    Some(word)
}

/// True for `#12`, `owner/name#12`, `GH-12`, `KEY-123`.
fn is_issue(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((_, number)) = word.rsplit_once('#') {
        return digits(number);
    }
    let key = |text: &str| {
        text.len() >= 2
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    matches!(word.split_once('-'), Some((name, number)) if key(name) && name.starts_with(|c: char| c.is_ascii_uppercase()) && digits(number))
}

/// True for an id of at least ten hexadecimal digits; shorter ones can be words.
fn is_commit_id(word: &str) -> bool {
    word.len() >= 10
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// True for words with a slash that name a file or a folder: `a/b.c`, `./a`, `/a/b`, `a/b/c`.
fn looks_like_path(word: &str) -> bool {
    let Some((_, last)) = word.rsplit_once('/') else {
        return false;
    };
    let has_extension = last.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=8).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    has_extension || word.starts_with(['/', '.', '~']) || word.matches('/').count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(subject: &str, body: &str, expected: &str) {
        assert_eq!(query_text(subject, body, &|word| word == "app.py"), expected);
    }

    #[test]
    fn messages_lose_what_gives_the_answer_away() {
        check("Fix the parser (#123)", "", "Fix the parser");
        check("KAFKA-123: Fix and/or drop", "", "Fix and/or drop");
        check(
            "Fixed #99 -- Made it work in src/a/b.py, really.",
            "",
            "Fixed -- Made it work in really.",
        );
        check(
            "Update app.py and `app.py`",
            "See https://example.org/x for more",
            "Update and\nSee for more",
        );
        check(
            "Add x",
            "Why.\n\nMore: this.\n\nSigned-off-by: A <a@b>\nReviewed-by: C\n",
            "Add x\nWhy.\nMore: this.",
        );
        check("Add x", "Co-authored-by: A <a@b>\n\nText", "Add x\nText");
        check("Add x", "Fixes: #12\nChange-Id: I0a\n", "Add x");
        check("Note: read this", "Note: keep this", "Note: read this\nNote: keep this");
        check(
            "Take it back",
            "This reverts commit 99fae9187ac0bae12a.\n\nMerge pull request 12",
            "Take it back\nThis reverts commit",
        );
        check("#1", "", "");
    }

    proptest! {
        #[test]
        fn any_message_gives_a_text(subject in "\\PC{0,60}", body in "(\\PC|\n){0,120}") {
            let text = query_text(&subject, &body, &|_| false);
            prop_assert!(text.len() <= subject.len() + body.len() + 1);
        }
    }
}
