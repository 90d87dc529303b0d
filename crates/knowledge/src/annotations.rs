//! Annotations in comments: `contextd:key=value`, `beadloom:key=value`.

use crate::sections::{fenced, lines};

/// One annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub key: String,
    /// The value, split at commas.
    pub values: Vec<String>,
    /// From 1.
    pub line: u32,
}

/// What an annotation speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    File,
    /// Number of the definition among those handed in.
    Definition(usize),
}

/// Words that may stand before the colon.
const PREFIXES: &[&str] = &["contextd:", "beadloom:"];
/// What comments start with in code, one letter each: `//`, `#`, `--`, `/*`, `*`, `;`, `%`, `<!--`, `{-`.
const LEADERS: &str = "/#-*;%<!{";
/// Annotations of one file.
const MAX: usize = 1_000;

/// Finds the annotations of a source file, in the comments that start their line.
pub fn in_code(text: &str, language: &str) -> Vec<Annotation> {
    let leader =
        |before: &str| !before.is_empty() && before.chars().all(|letter| LEADERS.contains(letter));
    let mut found = Vec::new();
    let mut quoted: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        if quoted.is_none() {
            found.extend(of_line(line, leader, at as u32 + 1));
        }
        if language == "python" {
            quoted = open_quote(line, quoted);
        }
        if found.len() >= MAX {
            break;
        }
    }
    found
}

/// Returns the triple quote that is open after a line.
fn open_quote<'q>(line: &str, mut open: Option<&'q str>) -> Option<&'q str> {
    let mut rest = line;
    loop {
        let next = match open {
            Some(quote) => rest.find(quote).map(|at| (at, quote)),
            None if rest.trim_start().starts_with('#') => None,
            None => ["\"\"\"", "'''"]
                .into_iter()
                .filter_map(|quote| Some((rest.find(quote)?, quote)))
                .min(),
        };
        let Some((at, quote)) = next else { return open };
        open = if open.is_some() { None } else { Some(quote) };
        rest = &rest[at + 3..];
    }
}

/// Finds the annotations of a document, outside of code: `<!-- … -->`, `// …`, `.. …`.
pub fn in_document(text: &str) -> Vec<Annotation> {
    let lines = lines(text);
    let code = fenced(&lines);
    let found = lines.iter().enumerate().filter(|(at, _)| !code[*at]);
    found
        .flat_map(|(at, (_, line))| {
            of_line(line, |before| matches!(before, "<!--" | "//" | ".."), at as u32 + 1)
        })
        .take(MAX)
        .collect()
}

fn of_line(line: &str, is_leader: impl Fn(&str) -> bool, number: u32) -> Vec<Annotation> {
    let Some((at, prefix)) =
        PREFIXES.iter().filter_map(|prefix| Some((line.find(prefix)?, prefix))).min()
    else {
        return Vec::new();
    };
    if !is_leader(line[..at].trim()) {
        return Vec::new();
    }
    let rest = line[at + prefix.len()..]
        .trim_end()
        .trim_end_matches("-->")
        .trim_end_matches("*/")
        .trim_end_matches("-}");
    let mut found = Vec::new();
    // The colon and the key stand together: "contextd: see a=b" is prose.
    for word in rest.split_whitespace().take_while(|_| !rest.starts_with(char::is_whitespace)) {
        let word = word.trim_start_matches(PREFIXES[0]).trim_start_matches(PREFIXES[1]);
        // The first word that is no pair ends the annotation: a remark may follow.
        let Some((key, value)) =
            word.split_once('=').filter(|(key, value)| is_key(key) && !value.is_empty())
        else {
            break;
        };
        let values: Vec<String> = value
            .split(',')
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
            .collect();
        if !values.is_empty() {
            found.push(Annotation { key: key.to_owned(), values, line: number });
        }
    }
    found
}

fn is_key(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
}

/// Lines of a definition: where its first line (decorators included) and its last line are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start_line: u32,
    pub end_line: u32,
}

/// Returns what an annotation on `line` speaks of. Directly above a definition, comments in between
/// allowed, it is the definition; inside one, the innermost; elsewhere, the file.
pub fn place(text: &[&str], line: u32, definitions: &[Span]) -> Place {
    let mut next = line as usize;
    while text.get(next).is_some_and(|line| is_comment(line)) {
        next += 1;
    }
    let below = next as u32 + 1;
    if text.get(next).is_some_and(|line| !line.trim().is_empty())
        && let Some(number) = definitions.iter().position(|span| span.start_line == below)
    {
        return Place::Definition(number);
    }
    let inside = |span: &Span| span.start_line <= line && line <= span.end_line;
    let innermost =
        definitions.iter().enumerate().filter(|(_, span)| inside(span)).min_by_key(
            |(number, span)| (span.end_line - span.start_line, std::cmp::Reverse(*number)),
        );
    innermost.map_or(Place::File, |(number, _)| Place::Definition(number))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "//", "--", "/*", "*", ";", "%", "<!--", "{-"]
        .iter()
        .any(|leader| line.starts_with(leader))
        && !line.starts_with("#[")
        && !line.starts_with("#!")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn any_comment_leader_is_read_and_strings_are_not() {
        let pair = |line: &str| {
            in_code(line, "rust").into_iter().map(|own| (own.key, own.values)).collect::<Vec<_>>()
        };
        let expected = vec![("domain".to_owned(), vec!["cart".to_owned()])];
        for leader in ["#", "//", "///", "--", "/*", " *", ";;", "%", "<!--"] {
            assert_eq!(pair(&format!("  {leader} beadloom:domain=cart")), expected, "{leader}");
        }
        assert_eq!(pair("/* contextd:domain=cart */"), expected);
        assert_eq!(
            pair("# contextd:domain=cart feature=a,b and more"),
            [expected.clone(), vec![("feature".to_owned(), vec!["a".to_owned(), "b".to_owned()])]]
                .concat()
        );
        for line in [
            "x = 1",
            "\"# beadloom:domain=cart\"",
            "contextd:domain=cart",
            "# beadloom: domain=cart",
            "# beadloom:=cart",
            "# beadloom:domain=",
        ] {
            assert_eq!(pair(line), [], "{line}");
        }
    }

    #[test]
    fn python_strings_of_many_lines_hold_none() {
        let text = "X = \"\"\"\n# contextd:a=b\n\"\"\"\n# it's \"\"\"\n# contextd:c=d\n";
        let found = in_code(text, "python");
        assert_eq!((found.len(), found[0].line), (1, 5));
        assert_eq!(in_code(text, "ruby").len(), 2);
    }

    #[test]
    fn documents_hold_annotations_outside_of_code() {
        let found = in_document(
            "# T\n<!-- beadloom:watches=cli,graph -->\n```\n<!-- contextd:covers=x -->\n```\n| `<!-- beadloom:watches=a -->` |\n",
        );
        assert_eq!((found.len(), found[0].line, found[0].values.len()), (1, 2, 2));
    }

    #[test]
    fn annotations_bind_to_what_they_precede() {
        let text: Vec<&str> = "# contextd:domain=a\n\nimport x\n# contextd:feature=b\n# more\ndef f():\n    # contextd:feature=c\n    pass\n\n# contextd:feature=d\n\nx = 1\n".lines().collect();
        let spans = [Span { start_line: 6, end_line: 8 }];
        for (line, expected) in [
            (1, Place::File),
            (4, Place::Definition(0)),
            (7, Place::Definition(0)),
            (10, Place::File),
        ] {
            assert_eq!(place(&text, line, &spans), expected, "{line}");
        }
        assert_eq!(
            place(
                &["// contextd:a=b", "#[test]", "fn f() {}"],
                1,
                &[Span { start_line: 2, end_line: 3 }]
            ),
            Place::Definition(0)
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s)(#|//|contextd:|beadloom:|[a-z=, \n]){0,40}", line in 0u32..60, start in 1u32..9, length in 0u32..9) {
            let lines: Vec<&str> = text.lines().collect();
            in_code(&text, "python");
            in_document(&text);
            place(&lines, line, &[Span { start_line: start, end_line: start + length }]);
        }
    }
}
