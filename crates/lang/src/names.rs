//! Paths of names as they stand in code: `a.b(x)?.c<T>` → qualifier `a.b()`, name `c`.

use std::borrow::Cow;

/// Longest qualifier that is kept; a longer chain keeps its end.
const MAX_PATH: usize = 160;
/// Longest text that is looked at whole; of a longer one only the end is. A chain of calls has such a text for each of its
/// links, so that all of them together are read once for each link.
const MAX_TEXT: usize = 1 << 16;

/// Normalises the text of a callee, type or member expression to names joined by `.`; calls in
/// between are `()`, subscripts `[]`, a receiver without a name is `()`; generics, white space and sigils go.
pub fn path(text: &str) -> String {
    path_in(text).into_owned()
}

/// Returns the same as [`path`]: most texts are normal already.
pub fn path_in(text: &str) -> Cow<'_, str> {
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_TEXT))..];
    if text.len() <= MAX_PATH && is_simple(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(normalised(text))
    }
}

fn normalised(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_PATH));
    let bytes = text.as_bytes();
    let mut at = 0;
    // Something stands in front that is no name: a literal or an expression in brackets.
    let mut nameless = false;
    while at < bytes.len() {
        match bytes[at] {
            b'(' if out.is_empty() => {
                let end = bracket(bytes, at, b'(', b')', &mut out, "()");
                out.push_str(&awaited(text.get(at + 1..end.saturating_sub(1)).unwrap_or("")));
                nameless |= out.is_empty();
                at = end;
            }
            b'(' => at = bracket(bytes, at, b'(', b')', &mut out, "()"),
            quote @ (b'"' | b'\'' | b'`')
                if out.len() <= 2
                    && !out.contains('.')
                    && skip_string(bytes, at, quote) + 1 < bytes.len() =>
            {
                at = skip_string(bytes, at, quote) + 1;
                out.clear();
                nameless = true;
            }
            b'[' => at = bracket(bytes, at, b'[', b']', &mut out, "[]"),
            b'{' => at = bracket(bytes, at, b'{', b'}', &mut out, ""),
            b'<' if out.is_empty() && at == 0 => at = qualified_self(text, &mut out),
            b'<' if !out.is_empty() && !out.ends_with('.') || is_turbofish(bytes, at) => {
                at = bracket(bytes, at, b'<', b'>', &mut out, "")
            }
            b':' if bytes.get(at + 1) == Some(&b':') => at = dot(&mut out, at + 2),
            b'-' if bytes.get(at + 1) == Some(&b'>') => at = dot(&mut out, at + 2),
            b'?' | b'!' if matches!(bytes.get(at + 1), Some(b'.')) => at = dot(&mut out, at + 2),
            b'.' if out.is_empty() && nameless => {
                out.push_str("().");
                at += 1;
            }
            // `\a` begins at the root, wherever it stands.
            b'\\' if out.is_empty() && !nameless => {
                out.push_str("\\.");
                at += 1;
            }
            b'.' | b'\\' | b'#' => at = dot(&mut out, at + 1),
            byte if is_name_byte(byte) => {
                let start = at;
                while at < bytes.len() && is_name_byte(bytes[at]) {
                    at += 1;
                }
                // `x.await.y` and `new X().y`: words of the language, not names.
                let word = &text[start..at];
                let is_new = word == "new"
                    && out.is_empty()
                    && bytes.get(at).is_some_and(u8::is_ascii_whitespace);
                if !is_new && (word != "await" || !out.ends_with('.')) {
                    out.push_str(&text[start..at]);
                }
            }
            _ => at += 1,
        }
    }
    while out.ends_with('.') {
        out.pop();
    }
    keep_end(out)
}

/// True for names joined by single dots, which are normal already.
fn is_simple(text: &str) -> bool {
    let (mut before, mut may_await) = (b'.', false);
    for byte in text.bytes() {
        if byte == b'.' {
            if before == b'.' {
                return false;
            }
        } else if !is_name_byte(byte) {
            return false;
        }
        may_await |= before == b'.' && byte == b'a';
        before = byte;
    }
    before != b'.' && !(may_await && text.contains(".await"))
}

fn is_name_byte(byte: u8) -> bool {
    const NAME: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = (byte as u8).is_ascii_alphanumeric()
                || matches!(byte as u8, b'_' | b'$')
                || byte >= 0x80;
            byte += 1;
        }
        table
    };
    NAME[usize::from(byte)]
}

/// Returns the path of `await x` in brackets, whose members are those of `x`; empty for all else.
fn awaited(inner: &str) -> String {
    // No bracket may follow, so that nesting in the source is not nesting of calls.
    inner
        .trim()
        .strip_prefix("await ")
        .filter(|rest| !rest.starts_with('('))
        .map_or_else(String::new, path)
}

/// Splits a normalised path into what stands before the last name and that name. A path that ends
/// in a call or subscript has no last name.
pub fn split_last(path: &str) -> (&str, &str) {
    match path.bytes().rposition(|byte| byte == b'.') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => ("", path),
    }
}

fn dot(out: &mut String, next: usize) -> usize {
    if !out.is_empty() && !out.ends_with('.') {
        out.push('.');
    }
    next
}

/// Reads `<T as Trait>` in front of a path: the type, or the trait when the type is a parameter.
fn qualified_self(text: &str, out: &mut String) -> usize {
    let end = bracket(text.as_bytes(), 0, b'<', b'>', &mut String::new(), "");
    let inner = text.get(1..end - 1).unwrap_or("");
    let (own, bound) = inner.split_once(" as ").unwrap_or((inner, ""));
    let own = type_head(own);
    out.push_str(&if own.len() > 1 || bound.is_empty() { own } else { type_head(bound) });
    end
}

fn is_turbofish(bytes: &[u8], at: usize) -> bool {
    at >= 2 && &bytes[at - 2..at] == b"::"
}

/// Skips a bracketed run, strings inside included, and writes `mark` for it.
fn bracket(bytes: &[u8], start: usize, open: u8, close: u8, out: &mut String, mark: &str) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte == open => depth += 1,
            byte if byte == close
                && !(close == b'>' && at > 0 && matches!(bytes[at - 1], b'-' | b'=')) =>
            {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            quote @ (b'"' | b'\'' | b'`') if open != b'<' => at = skip_string(bytes, at, quote),
            _ => {}
        }
        at += 1;
    }
    if mark == "()" && out.is_empty() {
        // A parenthesised expression in front, not a call of something.
    } else if out.ends_with('.') && open == b'<' {
        out.pop();
    } else {
        out.push_str(mark);
    }
    at + 1
}

fn skip_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

fn keep_end(path: String) -> String {
    if path.len() <= MAX_PATH {
        return path;
    }
    let mut cut = path.len() - MAX_PATH;
    while !path.is_char_boundary(cut) {
        cut += 1;
    }
    match path[cut..].find('.') {
        Some(dot) => path[cut + dot + 1..].to_owned(),
        // A long name is still one name.
        None => split_last(&path).1.to_owned(),
    }
}

/// Returns the head type name of a type as written, modifiers and wrappers off:
/// `*http.Request` → `http.Request`, `Optional[Foo]` → `Optional`, `&'a mut Vec<T>` → `Vec`.
pub fn type_head(text: &str) -> String {
    let mut rest = text.trim();
    loop {
        let before = rest;
        rest = rest.trim_start_matches(['*', '&', '?', '(', ':', ' ', '@']);
        for word in [
            "mut ",
            "const ",
            "dyn ",
            "impl ",
            "struct ",
            "class ",
            "enum ",
            "final ",
            "readonly ",
            "unsigned ",
            "typename ",
            "in ",
            "out ",
            "ref ",
            "inout ",
            "some ",
            "any ",
        ] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        if let Some(lifetime) = rest.strip_prefix('\'') {
            rest =
                lifetime.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        }
        if let Some(slice) = rest.strip_prefix('[') {
            rest = slice
                .split_once(']')
                .map_or(slice, |(inner, after)| if after.is_empty() { inner } else { after });
        }
        if rest == before {
            break;
        }
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '\\')))
        .unwrap_or(rest.len());
    path(&rest[..end])
}

/// Returns the names that a list of type parameters declares: `T: Into<U>, const N: usize` → `T`, `N`.
pub fn type_parameters(written: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    let parts = written.split(move |c: char| {
        depth += i32::from(matches!(c, '<' | '[' | '(')) - i32::from(matches!(c, '>' | ']' | ')'));
        c == ',' && depth <= 0
    });
    parts.filter_map(|part| {
        let words = part.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '@')));
        words.filter(|word| !word.is_empty()).find(|word| {
            !matches!(*word, "const" | "in" | "out" | "reified" | "each" | "typename" | "class")
                && !word.starts_with('@')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_chain_the_end_is_kept() {
        let chain = "é".to_owned() + &".a()\n".repeat(MAX_TEXT) + ".b";
        assert!(path(&chain).ends_with(".a().b") && path(&chain).len() <= MAX_PATH);
    }

    #[test]
    fn paths_are_normalised() {
        for (text, expected) in [
            ("a.b.c", "a.b.c"),
            ("self.app.make(x, \")\").run", "self.app.make().run"),
            ("Vec::<u8>::new", "Vec.new"),
            ("a?.b!.c", "a.b.c"),
            ("p->next", "p.next"),
            ("std::vector<int>::size", "std.vector.size"),
            ("items[0].name", "items[].name"),
            ("$this->foo", "$this.foo"),
            ("(a || b).c", "().c"),
            ("(await a.b()).c", "a.b().c"),
            ("\", \".join", "().join"),
            ("f'{x}'.strip", "().strip"),
            ("r#type", "r.type"),
            ("new Foo(1).bar", "Foo().bar"),
            ("<T as Tr<U>>::make", "Tr.make"),
            ("<Foo as Tr>::make", "Foo.make"),
            ("a.run(x).await?.stop", "a.run().stop"),
        ] {
            assert_eq!(path(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_type_parameters() {
        let names = |text| type_parameters(text).collect::<Vec<_>>();
        assert_eq!(names("'a, T: Into<Map<K, V>>, const N: usize"), ["'a", "T", "N"]);
        assert_eq!(names("in TKey, out TValue"), ["TKey", "TValue"]);
        assert!(names("").is_empty());
    }

    #[test]
    fn type_heads() {
        for (text, expected) in [
            ("*http.Request", "http.Request"),
            ("Optional[Foo]", "Optional"),
            ("&'a mut Vec<T>", "Vec"),
            ("[]*Node", "Node"),
            ("Promise<User>", "Promise"),
            (": string", "string"),
        ] {
            assert_eq!(type_head(text), expected, "{text}");
        }
    }
}
