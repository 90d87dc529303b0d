//! Blanks the modifiers of a primary constructor on a line of its own, which the grammar takes for a new statement.

use std::borrow::Cow;

const MODIFIERS: [&str; 6] =
    ["actual ", "expect ", "public ", "protected ", "internal ", "private "];

/// Returns the text with spaces for such modifiers.
pub fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains(" constructor(") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut before = "";
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        let modifiers = modifiers(code);
        if modifiers > 0 && is_open_header(before) {
            out.extend(std::iter::repeat_n(' ', line.len() - code.len() + modifiers));
            out.push_str(&code[modifiers..]);
        } else {
            out.push_str(line);
        }
        if !code.is_empty() {
            before = code.trim_end();
        }
    }
    Cow::Owned(out)
}

/// Length of the modifiers and plain annotations before `constructor`, 0 where there is none of both.
fn modifiers(code: &str) -> usize {
    let mut rest = code;
    while let Some(behind) =
        MODIFIERS.iter().find_map(|word| rest.strip_prefix(word)).or_else(|| annotation(rest))
    {
        rest = behind;
    }
    if rest.starts_with("constructor") { code.len() - rest.len() } else { 0 }
}

/// Returns what follows an annotation without arguments.
fn annotation(code: &str) -> Option<&str> {
    let (name, rest) = code.strip_prefix('@')?.split_once(' ')?;
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_')).then_some(rest)
}

/// True for a line that names a class, or closes its type parameters, and does not open its body.
fn is_open_header(line: &str) -> bool {
    let names_class = line.split_whitespace().any(|word| word == "class");
    line == ">"
        || names_class
            && !line.starts_with("//")
            && line.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | '`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_of_primary_constructors_alone_are_blank() {
        assert_eq!(
            masked("class A<T>\n  actual internal constructor(a: Int) {\n"),
            "class A<T>\n                  constructor(a: Int) {\n"
        );
        assert_eq!(
            masked("class A<\n  T\n  >\nactual constructor()"),
            "class A<\n  T\n  >\n       constructor()"
        );
        assert_eq!(
            masked("value class A<T>\n@Api internal constructor(val a: Int) {"),
            "value class A<T>\n              constructor(val a: Int) {"
        );
        for same in [
            "class A {\n  internal constructor(a: Int) : this()\n}",
            "class A internal constructor()",
            "val a: B<C>\nprivate constructor()",
            "// class A\nprivate constructor()",
            "class A\n@Named(\"b\") constructor(b: B)",
        ] {
            assert_eq!(masked(same), same);
        }
    }
}
