//! Types as written, taken apart: unions, wrappers, elements, results. Text in, text out.

/// Types whose members are those of their argument, or that mean little beside it.
const WRAPPERS: [&str; 44] = [
    "Annotated",
    "Arc",
    "Awaitable",
    "Awaited",
    "Box",
    "ClassVar",
    "Coroutine",
    "Deferred",
    "DeepPartial",
    "Final",
    "InstanceType",
    "Lazy",
    "Maybe",
    "Mutable",
    "NonNullable",
    "NotRequired",
    "Nullable",
    "Omit",
    "Option",
    "Optional",
    "Partial",
    "Pick",
    "Promise",
    "PromiseLike",
    "Rc",
    "Readonly",
    "Ref",
    "RefCell",
    "RefPtr",
    "Required",
    "Result",
    "Task",
    "Type",
    "Union",
    "ValueTask",
    "Weak",
    "Mutex",
    "RwLock",
    "shared_ptr",
    "type",
    "unique_ptr",
    "Cow",
    "Pin",
    "MaybePromise",
];

/// Returns the alternatives of a union or intersection, without those that hold nothing.
pub fn alternatives(text: &str) -> Vec<&str> {
    let text = unquoted(text);
    let parts = split_top(text, &['|', '&']);
    let mut kept: Vec<&str> =
        parts.into_iter().map(unquoted).filter(|part| !is_nothing(part)).collect();
    kept.truncate(6);
    kept
}

fn is_nothing(part: &str) -> bool {
    matches!(part, "" | "null" | "undefined" | "None" | "void" | "never" | "nil")
}

/// Strips what does not change which members a type has.
fn unquoted(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let before = rest;
        rest = rest.trim_matches(['"', '\'']).trim();
        rest = rest.trim_start_matches(['*', '&', '?', ':']).trim_start();
        rest = rest.trim_end_matches(['?', '!', '*']).trim_end();
        for word in [
            "readonly ",
            "const ",
            "mut ",
            "dyn ",
            "impl ",
            "final ",
            "struct ",
            "class ",
            "enum ",
            "unique ",
            "some ",
            "any ",
            "in ",
            "out ",
            "ref ",
            "asserts ",
        ] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        if rest.starts_with('\'') {
            rest = rest[1..]
                .trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                .trim_start();
        }
        if rest.starts_with('(') && closing(rest) == Some(rest.len() - 1) && !rest.contains("=>") {
            rest = rest[1..rest.len() - 1].trim();
        }
        if rest == before {
            return rest;
        }
    }
}

/// A type's head and its arguments: `Map<K, V>` is `Map` and `K, V`.
pub fn head(text: &str) -> (&str, &str) {
    let text = unquoted(text);
    // Go: `[]T` and `map[K]V` have no head of their own.
    if text.starts_with('[') || text.starts_with("map[") || text.ends_with("[]") {
        return ("", "");
    }
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '\\')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (name, arguments(rest.trim_start()))
}

/// Counts type arguments as [`head`] gives them.
pub fn count(arguments: &str) -> u8 {
    if arguments.is_empty() {
        return 0;
    }
    split_top(arguments, &[',']).len().min(254) as u8
}

fn arguments(rest: &str) -> &str {
    match (rest.as_bytes().first(), closing(rest)) {
        (Some(b'<' | b'['), Some(end)) => &rest[1..end],
        _ => "",
    }
}

/// Returns the argument that a wrapper stands for.
pub fn unwrap<'a>(name: &str, arguments: &'a str) -> Option<&'a str> {
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    let wraps = WRAPPERS.contains(&last) && !arguments.is_empty();
    wraps.then(|| split_top(arguments, &[','])).and_then(|parts| {
        if last == "Coroutine" { parts.last().copied() } else { parts.first().copied() }
    })
}

/// Returns the type of an element: `T` of `T[]`, `[]T`, `list[T]`, `Array<T>`, `map[K]T`, `dict[K, T]`.
pub fn element(text: &str) -> Option<&str> {
    let text = unquoted(text);
    if let Some(inner) = text.strip_suffix("[]") {
        return Some(inner);
    }
    if text.starts_with('[') {
        let end = closing(text)?;
        let after = text[end + 1..].trim();
        return Some(if after.is_empty() {
            text[1..end].split(';').next().unwrap_or("").rsplit(':').next().unwrap_or("").trim()
        } else {
            after
        });
    }
    if let Some(rest) = text.strip_prefix("map")
        && rest.starts_with('[')
    {
        return Some(rest[closing(rest)? + 1..].trim());
    }
    let (_, arguments) = head(text);
    split_top(arguments, &[','])
        .into_iter()
        .map(str::trim)
        .rfind(|part| !part.is_empty() && *part != "...")
}

/// Returns the result of a function type: `T` of `(x) => T` and `Callable[[X], T]`.
pub fn result(text: &str) -> Option<&str> {
    let text = text.trim();
    if text.starts_with('(') {
        let after = text[closing(text)? + 1..].trim_start();
        return after.strip_prefix("=>").or_else(|| after.strip_prefix("->")).map(str::trim);
    }
    let (name, arguments) = head(text);
    name.ends_with("Callable")
        .then(|| split_top(arguments, &[',']).into_iter().next_back())
        .flatten()
        .map(str::trim)
}

/// Splits at separators outside of brackets and strings.
fn split_top<'a>(text: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut before, mut quote) = (0i32, 0usize, ' ', None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, '>') if before == '=' || before == '-' => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            _ if depth == 0 && separators.contains(&c) => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    // A quote that never closes is a lifetime or an apostrophe; the text is one part then.
    if quote.is_some() && parts.is_empty() {
        return vec![text];
    }
    parts.push(&text[start..]);
    parts
}

/// Returns where the bracket that opens `text` closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '=' || before == '-' => {}
            ')' | ']' | '}' | '>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_apart() {
        assert_eq!(alternatives("Foo | None"), ["Foo"]);
        assert_eq!(alternatives("\"Foo[Bar | Baz]\""), ["Foo[Bar | Baz]"]);
        assert_eq!(
            alternatives("(A | B) & C"),
            ["(A | B)", "C"].map(|part| part.trim_matches(['(', ')']))
        );
        assert_eq!(head("*http.Request"), ("http.Request", ""));
        assert_eq!(head("Map<K, V<X>>"), ("Map", "K, V<X>"));
        assert_eq!(head("&'a mut Vec<T>"), ("Vec", "T"));
        assert_eq!(unwrap("t.Optional", "Foo"), Some("Foo"));
        assert_eq!(unwrap("List", "Foo"), None);
        for (text, expected) in [
            ("Foo[]", "Foo"),
            ("[]*Foo", "*Foo"),
            ("list[Foo]", "Foo"),
            ("map[string]Foo", "Foo"),
            ("dict[str, Foo]", " Foo"),
            ("[Foo; 3]", "Foo"),
            ("tuple[Foo, ...]", "Foo"),
        ] {
            assert_eq!(element(text).map(str::trim), Some(expected.trim()), "{text}");
        }
        assert_eq!(result("(a: A) => Promise<B>"), Some("Promise<B>"));
        assert_eq!(result("t.Callable[[A], B]"), Some("B"));
    }
}
