//! What a request looks like, which tells work to do from a question about where things are.
//!
//! Nothing here knows a repository: imperative verbs, question words, length, punctuation and the words
//! with which people describe failures are evidence, and the sum decides.

/// What the request looks like, which tells a task from a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Where is this, how does this work: files that answer.
    #[default]
    Question,
    /// Work to do: the symbols that are needed.
    Task,
    /// A bare identifier or path.
    Name,
}

/// Evidence that makes a task.
const ENOUGH: i32 = 3;

/// Tells the shape of a request; `identifiers` is how many of its words are code.
pub fn shape(text: &str, identifiers: usize) -> Shape {
    let words: Vec<&str> = text.split_whitespace().take(200).collect();
    if words.len() <= 1 || identifiers == words.len() {
        return Shape::Name;
    }
    let sum: i32 = evidence(text, &words).iter().map(|(_, points)| points).sum();
    if sum >= ENOUGH { Shape::Task } else { Shape::Question }
}

/// Returns each reason that speaks for a task (or, below zero, against it) with its points.
pub fn evidence(text: &str, words: &[&str]) -> Vec<(&'static str, i32)> {
    let lower: Vec<String> = words
        .iter()
        .map(|word| word.trim_matches(|c: char| ".,;:?!()\"'`".contains(c)).to_lowercase())
        .collect();
    let Some(first) = lower.first() else { return Vec::new() };
    let count = words.len();
    let sentence = is_sentence_case(words[0]);
    let has = |list: &[&str]| lower.iter().any(|word| list.contains(&word.as_str()));
    let direct =
        text.trim_end().ends_with('?') && count >= 8 && matches!(first.as_str(), "how" | "why");
    let asks = WH.contains(&first.as_str());
    let found = [
        ("imperative", 3, is_imperative(&lower, sentence)),
        ("long", 1, count >= 10),
        ("very long", 1, count >= 14),
        ("sentence case", 1, sentence && count >= 6),
        ("first person", 2, has(&FIRST_PERSON)),
        ("failure", 1, has(&FAILURES)),
        ("several clauses", 1, has_clauses(text)),
        ("whole question", 2, asks && direct),
        ("topic question", -2, asks && !direct),
    ];
    found
        .into_iter()
        .filter(|(_, _, holds)| *holds)
        .map(|(name, points, _)| (name, points))
        .collect()
}

/// A verb in front tells what to do. Some verbs are nouns as well: those need an article or the like
/// behind them, or to begin a sentence.
fn is_imperative(lower: &[String], sentence: bool) -> bool {
    let first = lower[0].as_str();
    let next = lower.get(1).map_or("", String::as_str);
    VERBS.binary_search(&first).is_ok()
        && (NOUNS_TOO.binary_search(&first).is_err()
            || OPENERS.contains(&next)
            || sentence && lower.len() >= 5)
}

/// `Word`, but not `HTTP`, `fooBar` or `foo`.
fn is_sentence_case(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().next().is_some()
        && letters.all(|c| c.is_lowercase())
}

fn has_clauses(text: &str) -> bool {
    let bytes = text.as_bytes();
    let after = |at: usize| bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace);
    let ends_sentence =
        |at: usize| after(at) && text[at + 1..].trim_start().starts_with(char::is_uppercase);
    text.contains(", and ")
        || bytes.iter().enumerate().any(|(at, &byte)| {
            matches!(byte, b':' | b';') && after(at) || byte == b'.' && ends_sentence(at)
        })
}

const WH: [&str; 8] = ["how", "where", "what", "which", "who", "when", "why", "whose"];
const FIRST_PERSON: [&str; 9] = ["i", "i'm", "i've", "i'd", "we", "we're", "we've", "my", "our"];

/// Words that may follow a verb and not a noun of the same form.
const OPENERS: [&str; 31] = [
    "a",
    "an",
    "the",
    "all",
    "any",
    "every",
    "each",
    "some",
    "this",
    "that",
    "these",
    "those",
    "how",
    "why",
    "what",
    "which",
    "when",
    "where",
    "whether",
    "if",
    "new",
    "custom",
    "our",
    "my",
    "its",
    "their",
    "to",
    "for",
    "so",
    "more",
    "additional",
];

/// How people say that something does not work.
const FAILURES: [&str; 40] = [
    "fail",
    "fails",
    "failing",
    "failed",
    "crash",
    "crashes",
    "crashing",
    "raise",
    "raises",
    "break",
    "breaks",
    "breaking",
    "broken",
    "incorrect",
    "incorrectly",
    "wrong",
    "wrongly",
    "bug",
    "hang",
    "hangs",
    "leak",
    "leaks",
    "instead",
    "unexpected",
    "unexpectedly",
    "cannot",
    "can't",
    "doesn't",
    "don't",
    "isn't",
    "won't",
    "should",
    "missing",
    "ignored",
    "ignores",
    "lost",
    "loses",
    "error",
    "errors",
    "slow",
];

/// Verbs of work on software, sorted.
const VERBS: [&str; 140] = [
    "accept",
    "adapt",
    "add",
    "adjust",
    "adopt",
    "allow",
    "analyse",
    "analyze",
    "annotate",
    "apply",
    "avoid",
    "build",
    "bump",
    "cache",
    "change",
    "check",
    "clean",
    "cleanup",
    "close",
    "combine",
    "configure",
    "connect",
    "convert",
    "count",
    "create",
    "debug",
    "decouple",
    "define",
    "delete",
    "deprecate",
    "describe",
    "detect",
    "determine",
    "disable",
    "document",
    "drop",
    "enable",
    "enforce",
    "ensure",
    "exclude",
    "explain",
    "expose",
    "extend",
    "extract",
    "find",
    "fix",
    "generate",
    "give",
    "handle",
    "hide",
    "identify",
    "implement",
    "improve",
    "include",
    "inject",
    "inline",
    "integrate",
    "introduce",
    "investigate",
    "isolate",
    "keep",
    "let",
    "limit",
    "load",
    "locate",
    "log",
    "make",
    "measure",
    "merge",
    "migrate",
    "modify",
    "move",
    "normalise",
    "normalize",
    "optimise",
    "optimize",
    "override",
    "parse",
    "patch",
    "persist",
    "port",
    "prevent",
    "print",
    "profile",
    "propagate",
    "provide",
    "raise",
    "read",
    "reduce",
    "refactor",
    "register",
    "remove",
    "rename",
    "reorder",
    "replace",
    "report",
    "reproduce",
    "resolve",
    "restore",
    "restrict",
    "retry",
    "return",
    "revert",
    "review",
    "rewrite",
    "run",
    "secure",
    "send",
    "serve",
    "set",
    "show",
    "simplify",
    "skip",
    "sort",
    "speed",
    "split",
    "start",
    "stop",
    "store",
    "support",
    "switch",
    "teach",
    "test",
    "trace",
    "track",
    "translate",
    "troubleshoot",
    "tune",
    "turn",
    "understand",
    "unify",
    "update",
    "upgrade",
    "use",
    "validate",
    "verify",
    "warn",
    "wire",
    "wrap",
    "write",
];

/// Those of them that are nouns, or modifiers of nouns, as well; sorted.
const NOUNS_TOO: [&str; 52] = [
    "build", "cache", "change", "check", "close", "count", "debug", "document", "drop", "extract",
    "find", "fix", "handle", "include", "inline", "limit", "load", "log", "make", "measure",
    "merge", "move", "override", "patch", "port", "print", "profile", "raise", "read", "report",
    "return", "review", "run", "serve", "set", "show", "skip", "sort", "split", "start", "stop",
    "store", "support", "switch", "test", "trace", "track", "turn", "update", "upgrade", "use",
    "wrap",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: Shape) {
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(shape(text, 0), expected, "{text}: {:?}", evidence(text, &words));
    }

    #[test]
    fn lists_are_sorted() {
        assert!(VERBS.is_sorted() && NOUNS_TOO.is_sorted());
        assert!(NOUNS_TOO.iter().all(|word| VERBS.binary_search(word).is_ok()));
    }

    #[test]
    fn tasks_are_told_from_questions() {
        for task in [
            "Add a retry to the upload client",
            "fix the race in the scheduler",
            "Checkout crashes when the cart holds an item whose price was removed in the meantime",
            "How does the importer decide which rows are duplicates before it writes them?",
            "I want to know what happens to a parcel between booking and delivery",
            "Understand how invoices are numbered",
            "test that receipts are signed",
        ] {
            check(task, Shape::Task);
        }
        for question in [
            "how receipts are signed",
            "where are sessions expired",
            "Where is the total of a cart?",
            "test runner setup",
            "store layout on disk",
            "price formatting and rounding",
            "log levels",
        ] {
            check(question, Shape::Question);
        }
        check("Cart", Shape::Name);
        check("", Shape::Name);
        assert_eq!(shape("Cart.total Cart.add", 2), Shape::Name);
    }

    proptest! {
        #[test]
        fn any_text_has_a_shape(text in "(\\PC|\n){0,200}") {
            shape(&text, 0);
        }
    }
}
