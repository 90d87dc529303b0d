//! Questions about what changed lately: told from others by their words, and what they are about.

/// Returns what a question about recent changes is about; empty for everything, `None` for another request.
///
/// It must name both time and change (`recently changed`, `latest commits`), or ask for a history.
pub fn recent_topic(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().take(40).collect();
    let plain: Vec<String> = words
        .iter()
        .map(|word| word.trim_matches(|c: char| ".,;:?!()\"'".contains(c)).to_lowercase())
        .collect();
    let used = asked(&plain)?;
    let about = words
        .iter()
        .enumerate()
        .filter(|(at, _)| !used.contains(at) && !LINKING.contains(&plain[*at].as_str()));
    let topic: Vec<&str> =
        about.map(|(_, word)| word.trim_matches(|c: char| "?!,;\"'".contains(c))).collect();
    Some(topic.join(" "))
}

/// Returns the places of the words that make it such a question.
fn asked(words: &[String]) -> Option<Vec<usize>> {
    let is =
        |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.as_str()));
    let all =
        |list: &[&str]| -> Vec<usize> { (0..words.len()).filter(|&at| is(at, list)).collect() };
    let start = usize::from(is(0, &["show", "list", "the", "give", "me"]))
        + usize::from(is(0, &["show", "list", "give"]) && is(1, &["me", "the"]));
    // `recent changes to …`, `latest commits in …`, `history of …`
    if is(start, RECENT) && is(start + 1, CHANGES)
        || is(start, &["changes", "commits"]) && all(LATELY).len() == 1
    {
        return Some(
            [(0..start + usize::from(is(start, RECENT)) + 1).collect(), all(LATELY)].concat(),
        );
    }
    if is(start, &["change", "commit", "git", "history"])
        && is(start + 1, &["history", "log", "of"])
        && (is(start, &["history"]) || is(start + 1, &["history", "log"]))
    {
        return Some((0..start + 2).collect());
    }
    // `what changed recently in …`, `who changed … last`
    let asks = is(0, &["what", "which", "who", "when", "what's", "whats"]);
    let (changed, lately) = (all(CHANGED), all(LATELY));
    if asks && !changed.is_empty() && !lately.is_empty() {
        return Some([vec![0], changed, lately, all(AROUND)].concat());
    }
    None
}

const RECENT: &[&str] = &["recent", "latest", "last", "newest"];
const CHANGES: &[&str] =
    &["change", "changes", "commit", "commits", "edits", "modifications", "work"];
const CHANGED: &[&str] = &[
    "changed", "change", "changes", "changing", "modified", "touched", "edited", "commits",
    "commit",
];
const LATELY: &[&str] = &["recently", "lately", "last", "latest", "newest", "recent"];
const AROUND: &[&str] = &[
    "has",
    "have",
    "been",
    "was",
    "were",
    "did",
    "files",
    "code",
    "things",
    "file",
    "functions",
    "symbols",
];
const LINKING: &[&str] = &[
    "in", "to", "of", "on", "for", "about", "the", "a", "an", "that", "and", "with", "around",
    "is", "are",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn questions_about_changes_are_told_from_others() {
        for (text, topic) in [
            ("what changed recently in the router", "router"),
            ("What changed recently?", ""),
            ("recent changes to authentication", "authentication"),
            ("show the latest commits in shop/cart.py", "shop/cart.py"),
            ("who changed Cart.total last?", "Cart.total"),
            ("which files have been touched lately", ""),
            ("history of the payment retry", "payment retry"),
            ("commits about sessions lately", "sessions"),
        ] {
            assert_eq!(recent_topic(text).as_deref(), Some(topic), "{text}");
        }
        for text in [
            "what changes the state of a cart",
            "where are sessions expired",
            "recent items of a user",
            "Add the last change to the log",
            "history",
            "how is the latest version found",
            "who calls it last",
            "",
        ] {
            assert_eq!(recent_topic(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|\n){0,120}") {
            recent_topic(&text);
        }
    }
}
