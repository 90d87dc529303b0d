//! What a grammar cannot read is taken out of what the parser reads, so that everything around it is read.
//!
//! A parser that meets something its grammar does not know may give up on all that stands around it: one odd expression in
//! a method, and the class has no members. Where braces tell what belongs together, the pieces between them are parsed
//! alone, those that fail are looked into, and the smallest ones found are left as blanks of the same length.

use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Fewest lines of an error that is worth a second look: smaller ones cost little but themselves.
const LINES: usize = 6;
/// Longest text that is looked at again.
const MAX_TEXT: usize = 400_000;
/// Bytes that may be parsed for each byte of the text.
const EFFORT: usize = 24;
/// How deep pieces within pieces are looked for.
const DEPTH: usize = 8;
/// Most bytes of a text in quotes on one line.
const LONGEST_QUOTED: usize = 2_000;
/// Most lines of a head that are tried one by one, and the longest head for which they are.
const HEAD: (usize, usize) = (64, 4_000);

/// Returns what the parser should read instead of `text`, of the same length, when `tree` has a large error and leaving
/// something out may make it smaller. `heads` are what may stand before a piece to make it readable alone, such as
/// `class X {`; each is closed by a brace. `read` says how many declarations a text has that can be read in whole.
pub fn mended(text: &str, tree: &Tree, heads: &[String], nested: Nested, read: impl FnMut(&str) -> Option<usize>) -> Option<String> {
    if heads.is_empty() || text.len() > MAX_TEXT || !has_large_error(tree.root_node()) {
        return None;
    }
    let Scanned { groups, comments } = scanned(text, nested);
    let code = without_comments(text, &comments);
    let mut search = Search { text: &code, groups, heads, read, left: text.len() * EFFORT, unreadable: Vec::new() };
    search.look(0..text.len(), 0);
    let unreadable = search.unreadable;
    (!unreadable.is_empty()).then(|| without(text, &unreadable))
}

fn has_large_error(root: Node<'_>) -> bool {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        if node.is_error() && node.end_position().row - node.start_position().row >= LINES {
            return true;
        }
        let mut cursor = node.walk();
        left.extend(node.children(&mut cursor).filter(Node::has_error));
    }
    false
}

/// Whether comments may stand in comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested(pub bool);

/// What lies between two braces, without them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    inside: Range<usize>,
}

struct Search<'a, R> {
    /// Without comments.
    text: &'a str,
    groups: Vec<Group>,
    heads: &'a [String],
    read: R,
    /// Bytes that may still be parsed.
    left: usize,
    unreadable: Vec<Range<usize>>,
}

impl<R: FnMut(&str) -> Option<usize>> Search<'_, R> {
    /// Looks for what cannot be read in the pieces of `span`.
    fn look(&mut self, span: Range<usize>, depth: usize) {
        for piece in self.pieces(span) {
            if self.reads(&piece, &[]).is_none() && self.left > 0 {
                self.look_into(piece, depth);
            }
        }
    }

    fn look_into(&mut self, piece: Range<usize>, depth: usize) {
        let bodies: Vec<Range<usize>> = self.outer_groups(&piece).collect();
        let mut gone = Vec::new();
        if bodies.is_empty() || self.reads(&piece, &bodies).is_none() {
            match self.odd_part(&piece, &bodies) {
                Some(part) => gone.push(part),
                None => return self.unreadable.push(piece),
            }
        }
        if self.reads(&piece, &gone).is_none() {
            let from = self.unreadable.len();
            if depth < DEPTH {
                bodies.iter().for_each(|body| self.look(body.clone(), depth + 1));
            }
            let found: Vec<Range<usize>> = self.unreadable.drain(from..).chain(gone.iter().cloned()).collect();
            if self.reads(&piece, &found).is_some() {
                gone = found;
            } else {
                gone.extend(bodies);
            }
        }
        self.unreadable.extend(gone);
    }

    /// Finds the part outside of bodies without which the rest can be read and declares most: a line, or what stands between
    /// a name and the body behind it.
    fn odd_part(&mut self, piece: &Range<usize>, bodies: &[Range<usize>]) -> Option<Range<usize>> {
        let head = without(&self.text[piece.clone()], &shifted(bodies, piece.start));
        let mut at = piece.start;
        let lines = head.split_inclusive('\n').map(|line| {
            at += line.len();
            (at - line.len(), line)
        });
        let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.trim().is_empty()).take(HEAD.0).collect();
        if lines.iter().map(|(_, line)| line.len()).sum::<usize>() > HEAD.1 {
            return None;
        }
        let whole = lines.iter().map(|(start, line)| *start..start + line.len());
        let brace = bodies.last().map_or(piece.start, |body| body.start - 1);
        let behind_name = lines.iter().filter_map(|(start, line)| Some(start + line.find(['<', '(', ':'])?..brace)).filter(|part| part.start < brace);
        let parts: Vec<Range<usize>> = whole.chain(behind_name).collect();
        let mut gone = bodies.to_vec();
        let mut best = None;
        for part in parts {
            gone.truncate(bodies.len());
            gone.push(part.clone());
            let declared = self.reads(piece, &gone);
            if declared > best.as_ref().map(|(declared, _)| *declared) {
                best = declared.map(|declared| (declared, part));
            }
        }
        best.map(|(_, part)| part)
    }

    /// How many declarations a piece has that can be read by itself, but for what is `gone`.
    fn reads(&mut self, piece: &Range<usize>, gone: &[Range<usize>]) -> Option<usize> {
        let text = condensed(&without(&self.text[piece.clone()], &shifted(gone, piece.start)));
        if text.is_empty() {
            return Some(0);
        }
        let heads = self.heads;
        heads.iter().find_map(|head| {
            let whole = if head.is_empty() { text.clone() } else { format!("{head}\n{text}\n}}") };
            self.left = self.left.saturating_sub(whole.len());
            if self.left > 0 { (self.read)(&whole) } else { None }
        })
    }

    /// Cuts a span behind the braces that end something, and at blank lines outside of brackets.
    fn pieces(&self, span: Range<usize>) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let (mut from, mut counted, mut open) = (span.start, span.start, 0);
        let mut pieces = Vec::new();
        for inside in self.outer_groups(&span).chain([span.end..span.end]) {
            let behind = counted;
            for (at, _) in self.text[behind..inside.start].match_indices("\n\n") {
                let cut = behind + at + 2;
                open += balance(&bytes[counted..cut]);
                counted = cut;
                if open == 0 {
                    pieces.push(from..cut);
                    from = cut;
                }
            }
            // The brace itself is closed behind what it holds.
            open += balance(&bytes[counted..inside.start.saturating_sub(1).max(counted)]);
            counted = (inside.end + 1).min(span.end);
            if ends_there(&self.text[counted..span.end]) {
                pieces.push(from..counted);
                (from, open) = (counted, 0);
            }
        }
        pieces.retain(|piece| !self.text[piece.clone()].trim().is_empty());
        pieces
    }

    /// What lies between braces in `span`, groups inside of groups left out.
    fn outer_groups(&self, span: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'_, R> {
        let from = self.groups.partition_point(|group| group.inside.start <= span.start);
        let (mut behind, end) = (span.start, span.end);
        let inside = self.groups[from..].iter().map(|group| group.inside.clone()).take_while(move |inside| inside.start <= end);
        inside.filter(move |inside| {
            let outer = inside.start > behind && inside.end <= end;
            if outer {
                behind = inside.end;
            }
            outer
        })
    }
}

fn shifted(ranges: &[Range<usize>], by: usize) -> Vec<Range<usize>> {
    ranges.iter().map(|range| range.start - by..range.end - by).collect()
}

/// Returns the text with blanks in those places; ends of lines stay, and brackets that are closed elsewhere.
fn without(text: &str, places: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for place in places {
        let balanced = balance(&bytes[place.clone()]) == 0;
        for byte in &mut bytes[place.clone()] {
            let stays = matches!(byte, b'\n' | b'\r') || (!balanced && matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}'));
            if !stays {
                *byte = b' ';
            }
        }
    }
    // Characters are blanked whole: places begin and end at brackets and lines.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn without_comments(text: &str, comments: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let places = comments.iter().flat_map(Clone::clone);
    places.for_each(|at| bytes[at] = if matches!(bytes[at], b'\n' | b'\r') { bytes[at] } else { b' ' });
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Returns the text without its blank lines, which are many where something was taken out.
fn condensed(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim().is_empty()).collect()
}

/// How many brackets are opened and not closed.
fn balance(bytes: &[u8]) -> i64 {
    bytes.iter().map(|byte| match byte {
        b'(' | b'[' | b'{' => 1,
        b')' | b']' | b'}' => -1,
        _ => 0,
    }).sum()
}

/// True when what follows a closing brace begins something new.
fn ends_there(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or("").trim_start().trim_start_matches(';').trim_start();
    if !line.is_empty() && !line.starts_with("//") {
        return false;
    }
    let next = rest.trim_start_matches([';', ' ', '\t']).trim_start();
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    !(next.starts_with(['.', '?', ':', ')', ',', '=', '&', '|', '+', ']', '{', '*', '<']) || matches!(word, "else" | "catch" | "finally" | "while" | "as" | "where"))
}

struct Scanned {
    /// In the order in which they open.
    groups: Vec<Group>,
    comments: Vec<Range<usize>>,
}

/// Finds comments, and what lies between braces outside of comments and strings.
fn scanned(text: &str, nested: Nested) -> Scanned {
    let bytes = text.as_bytes();
    let (mut groups, mut open, mut comments) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => {
                open.push(groups.len());
                groups.push(Group { inside: at + 1..bytes.len() });
            }
            b'}' => {
                if let Some(number) = open.pop() {
                    let group: &mut Group = &mut groups[number];
                    group.inside.end = at;
                }
            }
            b'/' => {
                let length = comment(&bytes[at..], nested);
                if length > 0 {
                    comments.push(at..at + length);
                    at += length - 1;
                }
            }
            _ => at += quoted(&bytes[at..]),
        }
        at += 1;
    }
    // What is not closed holds nothing together.
    let mut number = 0;
    let mut open = open.into_iter().peekable();
    groups.retain(|_| {
        number += 1;
        open.next_if_eq(&(number - 1)).is_none()
    });
    Scanned { groups, comments }
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

/// How many bytes of a string follow its first one, 0 where none begins.
fn quoted(rest: &[u8]) -> usize {
    match rest {
        [b'"', b'"', b'"', ..] => rest[3..].windows(3).position(|part| part == b"\"\"\"").map_or(rest.len() - 1, |found| found + 5),
        [b'"', ..] => in_line(rest, b'"').unwrap_or(0),
        // A character, a string, or a lifetime: what holds a brace must be short.
        [b'\'', ..] => in_line(rest, b'\'').filter(|&end| end <= 3 || !rest[..end].iter().any(|byte| matches!(byte, b'{' | b'}'))).unwrap_or(0),
        [b'`', ..] => rest[1..].iter().position(|byte| *byte == b'`').map_or(0, |found| found + 1),
        _ => 0,
    }
}

/// Where a quoted text closes on its line.
fn in_line(rest: &[u8], quote: u8) -> Option<usize> {
    let (mut at, end) = (1, rest.len().min(LONGEST_QUOTED));
    while at < end && rest[at] != b'\n' {
        match rest[at] {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
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
        scanned(text, Nested(true)).groups.into_iter().map(|group| &text[group.inside]).collect()
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
        let rest = |text: &str, nested| without_comments(text, &scanned(text, Nested(nested)).comments).trim().to_owned();
        assert_eq!(rest("/* a /* { */ b */ c // d\n", true), "c");
        assert_eq!(rest("/* a /* { */ b */ c // d\n", false), "b */ c");
        assert_eq!(rest("\"// a\" + 'b' /", true), "\"// a\" + 'b' /");
        assert_eq!(rest("a /* b", false), "a");
    }

    #[test]
    fn pieces_end_where_something_new_begins() {
        for rest in ["", "\n", ";\nfun a()", "\n\n  @Test", " // done\nval b"] {
            assert!(ends_there(rest), "{rest:?}");
        }
        for rest in [".map", "\n  .filter", " else {", "\n else {", ")", " catch (e: E) {", ",\n b"] {
            assert!(!ends_there(rest), "{rest:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length_and_its_lines(text in "[a-z{}()\"'`/*\n é]{0,200}", marks in proptest::collection::vec(0usize..200, 0..6)) {
            let Scanned { groups, comments } = scanned(&text, Nested(text.len() % 2 == 0));
            prop_assert_eq!(without_comments(&text, &comments).len(), text.len());
            prop_assert!(groups.iter().all(|group| text.get(group.inside.clone()).is_some()));
            let mut marks: Vec<usize> = marks.into_iter().filter(|mark| text.is_char_boundary(*mark)).collect();
            marks.sort_unstable();
            let places: Vec<Range<usize>> = marks.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let left = without(&text, &places);
            prop_assert_eq!(left.len(), text.len());
            let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(ends(&left), ends(&text));
        }
    }
}
