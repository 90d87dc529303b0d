//! Where comments, strings and braces stand in a text, and what they hold together.

use std::ops::Range;

/// Most bytes of a text in quotes on one line.
const LONGEST_QUOTED: usize = 2_000;

/// Whether comments may stand in comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested(pub bool);

/// A text that was looked through once.
pub struct Scanned {
    /// The text without comments.
    code: String,
    /// The text without comments and without what stands in quotes: brackets in it belong to the code.
    shape: Vec<u8>,
    comments: Vec<Range<usize>>,
    /// What lies between two braces, without them, in the order in which they open.
    groups: Vec<Range<usize>>,
}

/// Finds comments and strings, and what lies between braces outside of them.
pub fn scanned(text: &str, nested: Nested) -> Scanned {
    let bytes = text.as_bytes();
    let (mut comments, mut strings) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let (length, found) = match bytes[at] {
            b'/' => (comment(&bytes[at..], nested), &mut comments),
            _ => (quoted(&bytes[at..]), &mut strings),
        };
        if length > 0 {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    let mut code = bytes.to_vec();
    let in_comments =
        comments.iter().flat_map(Clone::clone).filter(|&at| !matches!(bytes[at], b'\n' | b'\r'));
    in_comments.for_each(|at| code[at] = b' ');
    let mut shape = code.clone();
    // The end of a line in quotes is no place to cut at.
    strings.iter().for_each(|string| shape[string.clone()].fill(b'"'));
    let groups = groups(&shape);
    // Comments begin and end where characters do.
    Scanned {
        code: String::from_utf8(code).unwrap_or_else(|_| text.to_owned()),
        shape,
        comments,
        groups,
    }
}

impl Scanned {
    /// Returns a piece of the code with blanks for those places, see [`Scanned::blank`].
    pub fn piece_without(&self, piece: &Range<usize>, places: &[Range<usize>]) -> String {
        let mut bytes = self.code.as_bytes()[piece.clone()].to_vec();
        for place in places {
            self.blank(place, |at| bytes[at - piece.start] = b' ');
        }
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Returns the whole text with blanks for those places; comments stay.
    pub fn left_out_of(&self, text: &str, places: &[Range<usize>]) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for place in places {
            self.blank(place, |at| bytes[at] = b' ');
        }
        for comment in &self.comments {
            bytes[comment.clone()].copy_from_slice(&text.as_bytes()[comment.clone()]);
        }
        String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
    }

    /// Calls `blank` for every byte of a place but ends of lines and brackets that are closed elsewhere.
    fn blank(&self, place: &Range<usize>, mut blank: impl FnMut(usize)) {
        let balanced = is_balanced(&self.shape[place.clone()]);
        for at in place.clone() {
            let stays = matches!(self.code.as_bytes()[at], b'\n' | b'\r')
                || (!balanced && matches!(self.shape[at], b'(' | b')' | b'[' | b']' | b'{' | b'}'));
            if !stays {
                blank(at);
            }
        }
    }

    /// Cuts a span behind the braces that end something, and at blank lines outside of brackets.
    pub fn pieces(&self, span: Range<usize>) -> Vec<Range<usize>> {
        let (mut from, mut counted, mut open) = (span.start, span.start, 0);
        let mut pieces = Vec::new();
        for inside in self.outer_groups(&span).chain(std::iter::once(span.end..span.end)) {
            for cut in (counted + 1..inside.start)
                .filter(|&at| self.shape[at - 1..=at] == *b"\n\n")
                .map(|at| at + 1)
            {
                open += depth_of(&self.shape[counted..cut]);
                counted = cut;
                if open == 0 {
                    pieces.push(from..cut);
                    from = cut;
                }
            }
            // The brace itself is closed behind what it holds.
            open += depth_of(&self.shape[counted..inside.start.saturating_sub(1).max(counted)]);
            counted = (inside.end + 1).min(span.end);
            if ends_there(&self.shape[counted..span.end]) {
                pieces.push(from..counted);
                (from, open) = (counted, 0);
            }
        }
        pieces.retain(|piece| !self.code.as_bytes()[piece.clone()].trim_ascii().is_empty());
        pieces
    }

    /// What lies between braces in `span`, groups inside of groups left out.
    pub fn outer_groups(
        &self,
        span: &Range<usize>,
    ) -> impl Iterator<Item = Range<usize>> + use<'_> {
        let from = self.groups.partition_point(|inside| inside.start <= span.start);
        let (mut behind, end) = (span.start, span.end);
        let inside =
            self.groups[from..].iter().cloned().take_while(move |inside| inside.start <= end);
        inside.filter(move |inside| {
            let outer = inside.start > behind && inside.end <= end;
            if outer {
                behind = inside.end;
            }
            outer
        })
    }
}

fn groups(shape: &[u8]) -> Vec<Range<usize>> {
    let (mut groups, mut open) = (Vec::new(), Vec::new());
    for (at, byte) in shape.iter().enumerate() {
        match byte {
            b'{' => {
                open.push(groups.len());
                groups.push(at + 1..shape.len());
            }
            b'}' => {
                if let Some(number) = open.pop() {
                    let group: &mut Range<usize> = &mut groups[number];
                    group.end = at;
                }
            }
            _ => {}
        }
    }
    // What is not closed holds nothing together.
    let mut number = 0;
    let mut open = open.into_iter().peekable();
    groups.retain(|_| {
        number += 1;
        open.next_if_eq(&(number - 1)).is_none()
    });
    groups
}

fn bracket(byte: u8) -> i64 {
    match byte {
        b'(' | b'[' | b'{' => 1,
        b')' | b']' | b'}' => -1,
        _ => 0,
    }
}

/// How many brackets are opened and not closed.
fn depth_of(shape: &[u8]) -> i64 {
    shape.iter().map(|byte| bracket(*byte)).sum()
}

/// True when every bracket is closed inside, and none from outside.
fn is_balanced(shape: &[u8]) -> bool {
    let mut depth = 0;
    let closes_none = shape.iter().all(|byte| {
        depth += bracket(*byte);
        depth >= 0
    });
    closes_none && depth == 0
}

/// True when what follows a closing brace begins something new.
fn ends_there(rest: &[u8]) -> bool {
    let same_line = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b';' | b'\r'));
    let Some(end) = same_line else { return true };
    if rest[end] != b'\n' {
        return false;
    }
    let next = rest[end..].trim_ascii_start();
    let word =
        &next[..next.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(next.len())];
    let goes_on = next.first().is_some_and(|byte| b".?:),=&|+]{*<>-!/%".contains(byte));
    !goes_on
        && ![&b"else"[..], b"catch", b"finally", b"while", b"as", b"where", b"is", b"satisfies"]
            .contains(&word)
}

/// Length of the comment that begins here, 0 where none does.
fn comment(rest: &[u8], nested: Nested) -> usize {
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => {
            let (mut depth, mut at) = (1, 2);
            while depth > 0 && at < rest.len() {
                match rest[at..] {
                    [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                    [b'/', b'*', ..] if nested.0 => (depth, at) = (depth + 1, at + 2),
                    _ => at += 1,
                }
            }
            at
        }
        _ => 0,
    }
}

/// Length of the text in quotes that begins here, 0 where none does.
fn quoted(rest: &[u8]) -> usize {
    match rest {
        [b'"', b'"', b'"', ..] => rest[3..]
            .windows(3)
            .position(|part| part == b"\"\"\"")
            .map_or(rest.len(), |found| found + 6),
        [b'"', ..] => in_line(rest, b'"').unwrap_or(0),
        // A character, a string, or a lifetime: what holds a brace must be short.
        [b'\'', ..] => in_line(rest, b'\'')
            .filter(|&length| {
                length <= 4 || !rest[..length].iter().any(|byte| matches!(byte, b'{' | b'}'))
            })
            .unwrap_or(0),
        [b'`', ..] => rest[1..].iter().position(|byte| *byte == b'`').map_or(0, |found| found + 2),
        _ => 0,
    }
}

/// Length of a quoted text that closes on its line.
fn in_line(rest: &[u8], quote: u8) -> Option<usize> {
    let (mut at, end) = (1, rest.len().min(LONGEST_QUOTED));
    while at < end && rest[at] != b'\n' {
        match rest[at] {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside(text: &str) -> Vec<&str> {
        scanned(text, Nested(true)).groups.into_iter().map(|group| &text[group]).collect()
    }

    #[test]
    fn braces_in_comments_and_strings_hold_nothing() {
        assert_eq!(inside("a { b { c } } d { }"), [" b { c } ", " c ", " "]);
        assert_eq!(inside("// {\n/* { */ \"{\" '{' '\\'' `{` \"\"\"{\n{\"\"\" {x}"), ["x"]);
        assert_eq!(inside("fn a<'a>(x: &'a str) { 'b' } \"\\\"{\""), [" 'b' "]);
        assert_eq!(inside("} { a"), Vec::<&str>::new());
    }

    #[test]
    fn comments_end_where_their_language_says() {
        let rest = |text: &str, nested| scanned(text, Nested(nested)).code.trim().to_owned();
        assert_eq!(rest("/* a /* { */ b */ c // d\n", true), "c");
        assert_eq!(rest("/* a /* { */ b */ c // d\n", false), "b */ c");
        assert_eq!(rest("\"// a\" + 'b' /", true), "\"// a\" + 'b' /");
        assert_eq!(rest("a /* b", false), "a");
    }

    #[test]
    fn pieces_end_where_something_new_begins() {
        for rest in ["", "\n", ";\nfun a()", "\n\n  @Test", " \nval b", "\r\nval b"] {
            assert!(ends_there(rest.as_bytes()), "{rest:?}");
        }
        for rest in [
            ".map",
            "\n  .filter",
            " else {",
            "\n else {",
            ")",
            " catch (e: E) {",
            ",\n b",
            "\n>",
            " a",
        ] {
            assert!(!ends_there(rest.as_bytes()), "{rest:?}");
        }
        let text = "import a\n\nval b = \"\"\"\n\n\"\"\"\n\nf(1,\n\n2)\nclass C { }\nval d";
        let source = scanned(text, Nested(true));
        let pieces: Vec<&str> =
            source.pieces(0..text.len()).into_iter().map(|piece| text[piece].trim()).collect();
        assert_eq!(
            pieces,
            ["import a", "val b = \"\"\"\n\n\"\"\"", "f(1,\n\n2)\nclass C { }", "val d"]
        );
    }

    #[test]
    fn brackets_that_are_closed_elsewhere_stay() {
        let text = "a(b { c) } // (\n";
        let left = |text: &str, place: Range<usize>| {
            scanned(text, Nested(true)).left_out_of(text, std::slice::from_ref(&place))
        };
        assert_eq!(left(text, 2..10), "a(  {  ) } // (\n");
        assert_eq!(left(text, 0..text.len()), "           // (\n");
        assert_eq!(left("a(b)", 1..4), "a   ");
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length_and_its_lines(text in "[a-z{}()\"'`/*\\\\\n\r é]{0,200}", marks in proptest::collection::vec(0usize..200, 0..6)) {
            let source = scanned(&text, Nested(text.len() % 2 == 0));
            prop_assert_eq!(source.code.len(), text.len());
            prop_assert_eq!(source.shape.len(), text.len());
            prop_assert!(source.groups.iter().all(|group| text.get(group.clone()).is_some()));
            let pieces = source.pieces(0..text.len());
            prop_assert!(pieces.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(pieces.iter().all(|piece| text.get(piece.clone()).is_some()));
            let mut marks: Vec<usize> = marks.into_iter().filter(|mark| text.is_char_boundary(*mark)).map(|mark| mark.min(text.len())).collect();
            marks.sort_unstable();
            let places: Vec<Range<usize>> = marks.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let left = source.left_out_of(&text, &places);
            prop_assert_eq!(left.len(), text.len());
            let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(ends(&left), ends(&text));
        }
    }
}
