//! Modifiers and visibility, read from the words in front of a declaration's name.

use contextd_model::Visibility;
use contextd_model::facts::modifier;

/// What the words of a declaration say.
#[derive(Default, Clone, Copy)]
pub struct Header {
    pub modifiers: u32,
    pub visibility: Option<Visibility>,
}

/// Reads the text from a declaration's start to its name. Annotations and anything in brackets or
/// quotes is passed over, except `pub(crate)` and its like.
pub fn read(text: &str) -> Header {
    let mut header = Header::default();
    let mut words = Words { rest: text };
    let mut is_open = false;
    while let Some((word, restricted)) = words.next() {
        header.modifiers |= bits(word);
        if let Some(visibility) = visibility(word, restricted) {
            header.visibility = Some(combine(header.visibility, visibility));
        }
        is_open |= word == "open";
    }
    // Swift's `open` is public; Kotlin's only says that it may be extended.
    header.visibility = header.visibility.or(is_open.then_some(Visibility::Public));
    header
}

/// Returns where the declaration proper begins in the text in front of its name: after `@a(b)`, `[a]`
/// and `#[a]`.
pub fn annotations_end(text: &str) -> usize {
    let mut words = Words { rest: text.trim_start() };
    loop {
        let rest = words.rest;
        match rest.chars().next() {
            Some('@') if !rest.starts_with("@interface") => {
                let end = rest[1..]
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':')))
                    .map_or(rest.len(), |at| at + 1);
                words.rest = rest[end..].trim_start_matches([' ', '\t']);
                if words.rest.starts_with('(') {
                    words.skip_bracket('(', ')');
                }
            }
            Some('[') => words.skip_bracket('[', ']'),
            Some('#') if rest.starts_with("#[") => words.skip_bracket('[', ']'),
            _ => return text.len() - rest.len(),
        }
        words.rest = words.rest.trim_start();
    }
}

fn bits(word: &str) -> u32 {
    match word {
        "async" | "suspend" => modifier::ASYNC,
        "static" | "companion" => modifier::STATIC,
        "const" | "constexpr" | "readonly" | "val" => modifier::CONST,
        "unsafe" => modifier::UNSAFE,
        "abstract" | "virtual" => modifier::ABSTRACT,
        "final" | "sealed" => modifier::FINAL,
        "override" => modifier::OVERRIDE,
        "export" | "pub" => modifier::EXPORTED,
        "default" => modifier::DEFAULT,
        "expect" => modifier::EXPECTED,
        "get" => modifier::GETTER,
        "set" => modifier::SETTER,
        _ => 0,
    }
}

fn visibility(word: &str, restricted: bool) -> Option<Visibility> {
    Some(match word {
        "pub" if restricted => Visibility::Internal,
        "pub" | "public" | "export" => Visibility::Public,
        "protected" => Visibility::Protected,
        "internal" => Visibility::Internal,
        // Scala's `private[a]` is private to a package, Swift's `private(set)` says nothing of reading.
        "private" | "fileprivate" if restricted => Visibility::Internal,
        "private" | "fileprivate" => Visibility::Private,
        _ => return None,
    })
}

/// `protected internal` and the like: the wider of the two is what a caller may rely on.
fn combine(earlier: Option<Visibility>, later: Visibility) -> Visibility {
    earlier.map_or(later, |earlier| earlier.min(later))
}

struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// Returns the next bare word and whether a bracket follows it directly.
    fn next(&mut self) -> Option<(&'a str, bool)> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| {
                !c.is_alphanumeric() && !matches!(c, '_' | '@' | '#' | '(' | '[' | '"' | '\'' | '/')
            });
            let first = self.rest.chars().next()?;
            match first {
                '(' => self.skip_bracket('(', ')'),
                '[' => self.skip_bracket('[', ']'),
                '"' | '\'' => {
                    self.rest = self.rest[1..].split_once(first).map_or("", |(_, after)| after)
                }
                '/' if self.rest.starts_with("//") => {
                    self.rest = self.rest.split_once('\n').map_or("", |(_, after)| after)
                }
                '/' if self.rest.starts_with("/*") => {
                    self.rest = self.rest.split_once("*/").map_or("", |(_, after)| after)
                }
                '/' => self.rest = &self.rest[1..],
                '@' | '#' => {
                    let end = self.rest[1..]
                        .find(|c: char| {
                            !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!'))
                        })
                        .map_or(self.rest.len(), |at| at + 1);
                    self.rest = &self.rest[end.max(1)..];
                }
                _ => {
                    let end = self
                        .rest
                        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                        .unwrap_or(self.rest.len());
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    return Some((word, rest.starts_with(['(', '['])));
                }
            }
        }
    }

    fn skip_bracket(&mut self, open: char, close: char) {
        let (mut depth, mut in_string, mut escaped) = (0, false, false);
        for (at, c) in self.rest.char_indices() {
            in_string ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            if in_string {
                continue;
            }
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return;
                }
            }
        }
        self.rest = "";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_before_the_name() {
        let header = read("@Rest(\"private\") public static final async ");
        assert_eq!(header.visibility, Some(Visibility::Public));
        assert_eq!(header.modifiers, modifier::STATIC | modifier::FINAL | modifier::ASYNC);
        assert_eq!(read("#[test] pub(crate) unsafe fn ").visibility, Some(Visibility::Internal));
        assert_eq!(read("def ").visibility, None);
        assert_eq!(read("internal open class ").visibility, Some(Visibility::Internal));
        assert_eq!(read("open class ").visibility, Some(Visibility::Public));
    }

    #[test]
    fn annotations_are_no_part_of_a_signature() {
        for (text, expected) in [
            ("@A(\"x)\") @b.C public class ", "public class "),
            ("[A, B(1)] void ", "void "),
            ("@interface ", "@interface "),
            ("class ", "class "),
        ] {
            assert_eq!(&text[annotations_end(text)..], expected, "{text}");
        }
    }
}
