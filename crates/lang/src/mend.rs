//! What a grammar cannot read is taken out of what the parser reads, so that everything around it is read.
//!
//! A parser that meets something its grammar does not know may give up on all that stands around it: one odd expression in
//! a method, and the class has no members. Where braces tell what belongs together, the pieces between them are parsed
//! alone, those that fail are looked into, and the smallest ones found are left as blanks of the same length.

mod scan;

pub use scan::Nested;
use scan::Scanned;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Fewest lines of an error that is worth a second look: smaller ones cost little but themselves.
const LINES: usize = 6;
/// Longest text that is looked at again.
const MAX_TEXT: usize = 200_000;
/// Bytes that may be handed to the parser for each byte of the text; what it does with them is counted apart.
const EFFORT: usize = 24;
/// How deep pieces within pieces are looked for.
const DEPTH: usize = 8;
/// Most lines of a head that are tried one by one, and the longest head for which they are.
const HEAD: (usize, usize) = (64, 4_000);

/// What a parser says of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// The parser has done as much as it may.
    Spent,
    Unreadable,
    /// It can be read in whole and has so many declarations.
    Declares(usize),
}

/// Returns what the parser should read instead of `text`, of the same length, when `tree` has a large error and leaving
/// something out may make it smaller. `heads` are what may stand before a piece to make it readable alone, such as
/// `class X {`; each is closed by a brace.
pub fn mended(
    text: &str,
    tree: &Tree,
    heads: &[String],
    nested: Nested,
    read: impl FnMut(&str) -> Reading,
) -> Option<String> {
    if heads.is_empty() || text.len() > MAX_TEXT {
        return None;
    }
    let errors = errors(tree.root_node())?;
    let source = scan::scanned(text, nested);
    let mut search = Search {
        source: &source,
        errors,
        heads,
        read,
        left: text.len() * EFFORT,
        spent: false,
        unreadable: Vec::new(),
    };
    search.look(0..text.len(), 0);
    let unreadable = search.unreadable;
    (!unreadable.is_empty()).then(|| source.left_out_of(text, &unreadable))
}

/// Returns where errors are, in order; nothing when none of them is large.
fn errors(root: Node<'_>) -> Option<Vec<Range<usize>>> {
    let (mut found, mut large, mut left) = (Vec::new(), false, vec![root]);
    while let Some(node) = left.pop() {
        if node.is_error() || node.is_missing() {
            large |= node.end_position().row - node.start_position().row >= LINES;
            found.push(node.byte_range());
            continue;
        }
        let mut cursor = node.walk();
        left.extend(
            node.children(&mut cursor).filter(|child| child.has_error() || child.is_missing()),
        );
    }
    found.sort_unstable_by_key(|range| range.start);
    large.then_some(found)
}

struct Search<'a, R> {
    source: &'a Scanned,
    errors: Vec<Range<usize>>,
    heads: &'a [String],
    read: R,
    /// Bytes that may still be handed to the parser.
    left: usize,
    spent: bool,
    unreadable: Vec<Range<usize>>,
}

impl<R: FnMut(&str) -> Reading> Search<'_, R> {
    /// Looks for what cannot be read in the pieces of `span`. What was found when the effort is spent stays found.
    fn look(&mut self, span: Range<usize>, depth: usize) {
        for piece in self.source.pieces(span) {
            if self.spent {
                return;
            }
            if self.has_error(&piece) && !self.reads(&piece, &[]) {
                self.look_into(piece, depth);
            }
        }
    }

    fn look_into(&mut self, piece: Range<usize>, depth: usize) {
        let bodies: Vec<Range<usize>> = self.source.outer_groups(&piece).collect();
        let mut gone = Vec::new();
        if bodies.is_empty() || !self.reads(&piece, &bodies) {
            match self.odd_part(&piece, &bodies) {
                Some(part) => gone.push(part),
                None if self.spent => return,
                None => return self.unreadable.push(piece),
            }
        }
        if !self.reads(&piece, &gone) {
            let from = self.unreadable.len();
            if depth < DEPTH {
                bodies.iter().for_each(|body| self.look(body.clone(), depth + 1));
            }
            let found: Vec<Range<usize>> =
                self.unreadable.drain(from..).chain(gone.iter().cloned()).collect();
            if self.reads(&piece, &found) || self.spent {
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
        let head = self.source.piece_without(piece, bodies);
        let mut at = piece.start;
        let lines = head.split_inclusive('\n').map(|line| {
            at += line.len();
            (at - line.len(), line)
        });
        let lines: Vec<(usize, &str)> =
            lines.filter(|(_, line)| !line.trim().is_empty()).take(HEAD.0).collect();
        if lines.iter().map(|(_, line)| line.len()).sum::<usize>() > HEAD.1 {
            return None;
        }
        let whole = lines.iter().map(|(start, line)| *start..start + line.len());
        let brace = bodies.last().map_or(piece.start, |body| body.start - 1);
        let behind_name = lines
            .iter()
            .filter_map(|(start, line)| Some(start + line.find(['<', '(', ':'])?..brace))
            .filter(|part| part.start < brace);
        let mut gone = bodies.to_vec();
        let mut best = (Reading::Unreadable, None);
        for part in whole.chain(behind_name) {
            gone.truncate(bodies.len());
            gone.push(part.clone());
            let reading = self.reading(piece, &gone);
            if reading > best.0 {
                best = (reading, Some(part));
            }
        }
        best.1
    }

    fn has_error(&self, piece: &Range<usize>) -> bool {
        // Errors do not lie in each other, so that their ends are in order as well.
        let at = self.errors.partition_point(|error| error.end < piece.start);
        self.errors.get(at).is_some_and(|error| error.start <= piece.end)
    }

    /// True when a piece can be read by itself, but for what is `gone`.
    fn reads(&mut self, piece: &Range<usize>, gone: &[Range<usize>]) -> bool {
        matches!(self.reading(piece, gone), Reading::Declares(_))
    }

    fn reading(&mut self, piece: &Range<usize>, gone: &[Range<usize>]) -> Reading {
        let text = self.source.piece_without(piece, gone);
        // What was taken out leaves many blank lines.
        let text: String =
            text.split_inclusive('\n').filter(|line| !line.trim().is_empty()).collect();
        if text.is_empty() {
            return Reading::Declares(0);
        }
        let heads = self.heads;
        let mut best = Reading::Unreadable;
        for head in heads {
            let whole = if head.is_empty() { text.clone() } else { format!("{head}\n{text}\n}}") };
            self.left = self.left.saturating_sub(whole.len().max(piece.len() / 8));
            best = if self.spent || self.left == 0 { Reading::Spent } else { (self.read)(&whole) };
            self.spent |= best == Reading::Spent;
            if best != Reading::Unreadable {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::detect;

    /// Reads a text twice, as it stands and mended, and returns the names of its symbols.
    fn names(path: &str, text: &str) -> Vec<String> {
        let facts = crate::extract(text, detect(path, text), &Default::default());
        facts.symbols.iter().skip(1).map(|row| facts.str(row.qualified).to_owned()).collect()
    }

    const ODD: &str = "class Routes {\n  fun odd() {\n    val model = mapOf(1)\n      get(\"/\") {\n        respond(model)\n      }\n    val body = suspend {\n      first()\n    }\n    done()\n  }\n\n  fun last() = first()\n}\n";

    #[test]
    fn comments_and_strings_with_blank_lines_stay_whole() {
        let text = format!(
            "/* Copyright\n\n * Licensed\n */\npackage a.b\n\nimport c.d\n\n/** Doc.\n\n More. */\nval text = \"\"\"\n{{\n\n(\"\"\"\n\n{ODD}"
        );
        let facts = crate::extract(&text, detect("A.kt", &text), &Default::default());
        assert_eq!(facts.str(facts.package), "a.b");
        assert_eq!(facts.imports.len(), 1);
        let found = names("A.kt", &text);
        assert!(
            ["text", "Routes", "Routes.odd", "Routes.last"]
                .iter()
                .all(|name| found.iter().any(|found| found == name)),
            "{found:?}"
        );
    }

    #[test]
    fn brackets_in_comments_and_strings_do_not_count() {
        let text = ODD.replace("    done()", "    // 1) done\n    done(\")\")");
        let found = names("A.kt", &text);
        assert!(found.contains(&"Routes.last".to_owned()), "{found:?}");
    }

    #[test]
    fn what_can_be_read_is_not_touched() {
        let text = "type Pair = F<\n  'a',\n  {\n    each: E\n  }\n>\n\nexport interface Odd<S> {\n  <P extends string = '/',>(\n    ...handlers: [A<P>, infer ??? B]\n  ): S\n\n  (path: string): S\n  (path: number): S\n  (path: boolean): S\n}\n\nexport type After = { b: string }\n";
        let found = names("a.ts", text);
        assert!(
            ["Pair", "Odd", "After"].iter().all(|name| found.iter().any(|found| found == name)),
            "{found:?}"
        );
    }

    #[test]
    fn nothing_is_parsed_any_more_when_the_effort_is_spent() {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&tree_sitter_kotlin_ng::LANGUAGE.into()).expect("a grammar");
        let text = ODD.repeat(4);
        let tree = parser.parse(&text, None).expect("a tree");
        let heads = [String::new(), "class X {".to_owned()];
        for most in 0..40 {
            let mut asked = 0;
            let read = |_: &str| {
                asked += 1;
                if asked > most { Reading::Spent } else { Reading::Unreadable }
            };
            let left = mended(&text, &tree, &heads, Nested(true), read);
            assert!(asked <= most + 1, "{asked} of {most}");
            assert!(left.is_none_or(|left| left.len() == text.len()));
        }
    }
}
