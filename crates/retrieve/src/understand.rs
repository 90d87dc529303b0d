//! A request in words → what to look for.

use crate::shape::Shape;
use contextd_lang::terms::{self, Terms};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest text that is looked at; the rest of a pasted log adds cost, not meaning.
const MAX_QUERY: usize = 20_000;
/// Most distinct words that are looked for; the rarest are kept by the ranking itself.
const MAX_WORDS: usize = 64;
/// Most words of a title or a body that are counted.
const MAX_TEXT_WORDS: usize = 240;
/// Most guesses that are looked for.
const MAX_NAMES: usize = 32;
/// Longest guess, in characters.
const MAX_NAME: usize = 200;
/// Shortest request whose first line is its title.
const SHORT: usize = 200;

/// What a request says, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub text: String,
    /// Distinct stemmed words without stop words, in order of appearance, with their count.
    pub words: Vec<(String, u32)>,
    /// The words of the first line; all words where the request is one paragraph.
    pub title: Vec<(String, u32)>,
    /// The words of what stands below the first line.
    pub body: Vec<(String, u32)>,
    /// What the caller expects in the code: identifiers, file names, messages, terms, as written.
    pub names: Vec<String>,
    /// Compounds (with their marker) of identifiers and of adjacent words written apart.
    pub compounds: Vec<String>,
    /// Identifiers as written, with how sure it is that they are code.
    pub identifiers: Vec<Identifier>,
    /// Paths and file names mentioned.
    pub paths: Vec<String>,
    /// True when the request is about tests.
    pub about_tests: bool,
    /// True when the request names a system that code is ported to.
    pub about_ports: bool,
    /// True when nothing could be looked for: empty, or stop words only.
    pub is_empty: bool,
    pub shape: Shape,
}

/// An identifier that the request mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    pub text: String,
    /// Written as code: backticks, `_`, inner capital, `::`, a call, or the only word.
    pub code: bool,
    /// Qualifier in front of it: `Type` in `Type.method`.
    pub qualifier: String,
}

/// Takes a request apart as [`understand`] does; the steps of one answer, which all ask for the same
/// request, share the result.
pub fn understood(text: &str, names: &[String]) -> Arc<Query> {
    type Last = Option<(String, Vec<String>, Arc<Query>)>;
    thread_local!(static LAST: RefCell<Last> = const { RefCell::new(None) });
    LAST.with_borrow_mut(|last| match last {
        Some((of, with, query)) if of == text && with == names => query.clone(),
        last => {
            let query = Arc::new(understand_with(text, names));
            *last =
                (text.len() <= MAX_QUERY).then(|| (text.to_owned(), names.to_vec(), query.clone()));
            query
        }
    })
}

/// Takes a request apart together with the caller's guesses.
pub fn understand_with(text: &str, names: &[String]) -> Query {
    let mut query = understand(text);
    query.names = guesses(names);
    query.is_empty &= query.names.is_empty();
    query
}

impl Query {
    /// Returns the request with its words cut down to what ranks best: guesses first, then the title,
    /// then identifiers of the text below it.
    pub fn focused(&self) -> Query {
        let mut query = self.clone();
        if self.names.is_empty() && self.body.is_empty() {
            return query;
        }
        let names = self.names.join("\n");
        let mut found = words(&names, MAX_WORDS);
        let code: Vec<&str> = self
            .identifiers
            .iter()
            .filter(|identifier| identifier.code)
            .map(|identifier| identifier.text.as_str())
            .collect();
        let of_code = words(&code.join("\n"), MAX_WORDS);
        for (word, count) in self.title.iter().chain(&of_code) {
            match found.iter_mut().find(|(other, _)| other == word) {
                Some((_, sum)) => *sum += count,
                None => found.push((word.clone(), *count)),
            }
        }
        found.truncate(MAX_WORDS);
        query.words = found;
        for identifier in identifiers(&names) {
            if !query.identifiers.iter().any(|other| other.text == identifier.text) {
                query.identifiers.push(identifier);
            }
        }
        query
    }
}

/// Returns the distinct guesses, trimmed; what is too long to be a name is cut.
fn guesses(names: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let name: String = name.trim().chars().take(MAX_NAME).collect();
        if !name.is_empty() && !found.contains(&name) {
            found.push(name);
        }
    }
    found.truncate(MAX_NAMES);
    found
}

/// Takes a request apart. Never fails: control characters and other scripts are words or nothing.
pub fn understand(text: &str) -> Query {
    let text = cut(text);
    let mut query = Query { text: text.to_owned(), ..Query::default() };
    query.paths = paths(text);
    query.identifiers = identifiers(text);
    query.words = words(text, MAX_WORDS);
    let (title, body) = title_and_body(text);
    query.title = words(title, MAX_TEXT_WORDS);
    query.body = words(body, MAX_TEXT_WORDS);
    query.compounds = compounds(text, &query.identifiers);
    query.about_tests = about_tests(text);
    query.about_ports =
        terms::identifiers(text).any(|word| contextd_lang::paths::is_port(&word.to_lowercase()));
    query.is_empty =
        query.words.is_empty() && query.identifiers.is_empty() && query.paths.is_empty();
    query.shape = crate::shape::shape(
        text,
        query.identifiers.iter().filter(|identifier| identifier.code).count(),
    );
    query
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_QUERY);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim()
}

/// Splits a request into its first line and the rest; one paragraph is all title.
fn title_and_body(text: &str) -> (&str, &str) {
    match text.split_once('\n') {
        Some((title, body)) if text.len() > SHORT && !title.trim().is_empty() => (title, body),
        _ => (text, ""),
    }
}

fn words(text: &str, most: usize) -> Vec<(String, u32)> {
    let mut counts: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    let mut memory = Terms::default();
    let mut order = 0;
    for identifier in terms::identifiers(text) {
        if is_stop_word(&identifier.to_lowercase()) {
            continue;
        }
        terms::parts(identifier, |part| {
            if is_stop_word(&part.to_lowercase()) {
                return;
            }
            order += 1;
            counts.entry(memory.stem(part).to_owned()).or_insert((order, 0)).1 += 1;
        });
    }
    let mut words: Vec<(usize, String, u32)> =
        counts.into_iter().map(|(word, (order, count))| (order, word, count)).collect();
    words.sort();
    words.truncate(most);
    words.into_iter().map(|(_, word, count)| (word, count)).collect()
}

/// Identifiers written as code, and capitalised words that may be names of types.
fn identifiers(text: &str) -> Vec<Identifier> {
    let mut found: Vec<Identifier> = Vec::new();
    let single = text.split_whitespace().count() == 1;
    for (token, quoted) in tokens(text) {
        let path = contextd_lang::names::path(token);
        let path = path.trim_end_matches("()");
        let (qualifier, name) = contextd_lang::names::split_last(path);
        if name.len() < 2
            || !name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
            || !name.chars().all(|c| c.is_alphanumeric() || c == '_')
        {
            continue;
        }
        let code = quoted || single || looks_like_code(token, name);
        let capitalised = name.chars().next().is_some_and(char::is_uppercase) && name.len() > 2;
        if (code || capitalised)
            && !is_stop_word(&name.to_lowercase())
            && !found.iter().any(|other| other.text == name)
        {
            found.push(Identifier {
                text: name.to_owned(),
                code,
                qualifier: qualifier.replace("()", "").to_owned(),
            });
        }
    }
    found.truncate(MAX_WORDS);
    found
}

/// White-space separated tokens; what stands in backticks or quotes is one token, marked.
fn tokens(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('`') {
        found.extend(rest[..open].split_whitespace().map(|token| (token, false)));
        let after = &rest[open + 1..];
        let Some(close) = after.find('`') else {
            rest = after;
            break;
        };
        found.extend(after[..close].split_whitespace().map(|token| (token, true)));
        rest = &after[close + 1..];
    }
    found.extend(rest.split_whitespace().map(|token| (token, false)));
    found
        .iter()
        .map(|&(token, quoted)| {
            (
                token.trim_matches([
                    '"', '\'', ',', ';', ':', '?', '!', '(', '[', '{', '}', ']', '.',
                ]),
                quoted,
            )
        })
        .filter(|(token, _)| !token.is_empty())
        .collect()
}

fn looks_like_code(token: &str, name: &str) -> bool {
    let inner_capital =
        name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    name.trim_matches('_').contains('_')
        || inner_capital
        || token.contains("::")
        || token.contains("()")
        || token.starts_with('.')
        || token.contains('(') && !token.ends_with('(')
        || is_dotted(token)
}

/// `a.b` with a letter on both sides, but not a file name or the end of a sentence.
fn is_dotted(token: &str) -> bool {
    token.split_once('.').is_some_and(|(before, after)| {
        before.chars().all(|c| c.is_alphanumeric() || c == '_')
            && before.len() > 1
            && after.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && after.len() > 2
    })
}

/// Compounds of code identifiers, and of adjacent words that may be one identifier in code.
fn compounds(text: &str, identifiers: &[Identifier]) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |term: String| {
        if term.len() > 3 && !found.contains(&term) {
            found.push(term);
        }
    };
    for identifier in identifiers {
        add(terms::compound(&identifier.text));
    }
    for identifier in terms::identifiers(text) {
        let mut parts = 0;
        terms::parts(identifier, |_| parts += 1);
        if parts > 1 {
            add(terms::compound(identifier));
        }
    }
    let plain: Vec<&str> = terms::identifiers(text).collect();
    for pair in plain.windows(2) {
        if pair.iter().all(|word| !is_stop_word(&word.to_lowercase()) && word.len() > 1) {
            add(terms::compound(&pair.concat()));
        }
    }
    found.truncate(2 * MAX_WORDS);
    found
}

fn paths(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for token in text.split_whitespace() {
        let token =
            token.trim_matches(['`', '"', '\'', ',', ';', '(', ')', '[', ']', ':', '.', '?', '!']);
        // A stack trace writes `path:line` or `path:line:column`.
        let token = token.split(':').next().unwrap_or(token);
        let has_extension = token.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && (1..=5).contains(&extension.len())
                && extension.chars().all(|c| c.is_ascii_alphanumeric())
                && extension.chars().any(|c| c.is_ascii_alphabetic())
        });
        let is_path = token.contains('/') && token.len() > 3 && !token.contains("://");
        if (is_path || has_extension && stem_is_file(token))
            && !found.iter().any(|other| other == token)
        {
            found.push(token.to_owned());
        }
    }
    found.truncate(MAX_WORDS);
    found
}

fn stem_is_file(token: &str) -> bool {
    token.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && contextd_lang::detect(token, "").name() != "text"
}

fn about_tests(text: &str) -> bool {
    terms::identifiers(text).any(|word| {
        matches!(
            word.to_lowercase().as_str(),
            "test"
                | "tests"
                | "testing"
                | "unittest"
                | "pytest"
                | "spec"
                | "specs"
                | "testcase"
                | "coverage"
        )
    })
}

/// Words that say nothing about code: English function words and the verbs of asking.
pub fn is_stop_word(word: &str) -> bool {
    const WORDS: [&str; 118] = [
        "a", "about", "across", "after", "again", "all", "also", "am", "an", "and", "any", "are",
        "as", "at", "be", "because", "been", "before", "being", "between", "both", "but", "by",
        "can", "cannot", "could", "did", "do", "does", "doing", "done", "each", "either", "etc",
        "every", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her",
        "here", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "just", "like",
        "may", "me", "might", "more", "most", "must", "my", "no", "nor", "not", "of", "off", "on",
        "once", "only", "or", "other", "our", "out", "over", "own", "same", "she", "should", "so",
        "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
        "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "via",
        "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why",
        "will", "with",
    ];
    // None is longer, and most words are.
    word.len() <= 7 && WORDS.binary_search(&word).is_ok()
        || matches!(word, "would" | "you" | "your" | "yours" | "within" | "without")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(
            is_stop_word("the")
                && is_stop_word("a")
                && is_stop_word("with")
                && is_stop_word("about")
        );
        assert!(!is_stop_word("request"));
    }

    #[test]
    fn a_request_is_taken_apart() {
        let query = understand(
            "Fix the crash in `Session.open_url` when src/http/client.py gets a BadRequest, see parse_header()",
        );
        assert_eq!(query.paths, ["src/http/client.py"]);
        let names: Vec<&str> =
            query.identifiers.iter().map(|identifier| identifier.text.as_str()).collect();
        assert!(
            names.contains(&"open_url")
                && names.contains(&"BadRequest")
                && names.contains(&"parse_header"),
            "{names:?}"
        );
        assert!(query.compounds.contains(&terms::compound("open_url")));
        assert_eq!(query.shape, Shape::Task);
    }

    #[test]
    fn nothing_to_look_for_is_said() {
        assert!(understand("").is_empty);
        assert!(understand("how does it do that?").is_empty);
        assert!(!understand("日本語").is_empty);
        understand("\u{0}\u{1b}[31m");
    }
}
