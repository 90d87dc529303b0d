//! Blanks conditional compilation where the grammar does not expect it: between the name of a type,
//! or the parameters of a method, and its body.

use std::borrow::Cow;

/// Returns the text with such directives, and what stands behind their `#else`, as spaces.
pub fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains("\n#if") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut state = State::Outside;
    let mut changed = false;
    let mut before = "";
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let opens = before.ends_with(')')
            && lines.peek().is_some_and(|next| next.trim_start().starts_with('{'));
        state = match (state, directive(trimmed)) {
            (State::Outside, "#if") if opens || is_open_header(before) => State::Taken,
            (State::Taken | State::Dropped, "#else" | "#elif") => State::Dropped,
            (State::Taken | State::Dropped, "#endif") => State::Last,
            (State::Last, _) => State::Outside,
            (state, _) => state,
        };
        let blank = match state {
            State::Outside => false,
            State::Taken => trimmed.starts_with('#'),
            State::Dropped | State::Last => true,
        };
        if blank {
            changed = true;
            out.extend(
                line.bytes()
                    .map(|byte| if matches!(byte, b'\n' | b'\r') { byte as char } else { ' ' }),
            );
        } else {
            out.push_str(line);
        }
        if !trimmed.is_empty() {
            before = trimmed;
        }
    }
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Taken,
    Dropped,
    /// On the line of `#endif`.
    Last,
}

fn directive(line: &str) -> &str {
    line.split_whitespace().next().filter(|word| word.starts_with('#')).unwrap_or("")
}

/// True for a line that names a type and does not open its body.
fn is_open_header(line: &str) -> bool {
    let names_type = line
        .split_whitespace()
        .any(|word| matches!(word, "class" | "struct" | "interface" | "record"));
    names_type
        && !line.starts_with("//")
        && !line.contains('"')
        && line.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_joined_to_its_body() {
        let text = "public class A\n#if X\n    : B\n#else\n    : C\n#endif\n{\n#if X\n    int a;\n#endif\n}\n";
        let expected = "public class A\n     \n    : B\n     \n       \n      \n{\n#if X\n    int a;\n#endif\n}\n";
        assert_eq!(masked(text), expected);
        let text = "void A(int b)\n#if X\n{ }\n#else\n;\n#endif\nint c;\n";
        assert_eq!(masked(text), "void A(int b)\n     \n{ }\n     \n \n      \nint c;\n");
        let call = "A(b)\n#if X\n.C()\n#endif\n;";
        assert_eq!(masked(call), call);
        assert_eq!(masked("class A { }\n#if X\n#endif\n"), "class A { }\n#if X\n#endif\n");
    }
}
