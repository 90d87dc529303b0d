//! One file's text → its facts.

use crate::arena;
use crate::lines::Lines;
use crate::mend::{self, Reading};
use crate::registry::LanguageId;
use crate::tree::{Node, Syntax};
use crate::walk::Walk;
use contextd_model::FileFacts;
use contextd_model::SymbolKind;
use contextd_model::config::ChunkRules;
use contextd_model::facts::{SymbolRow, file_flag};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, Parser, Tree};

/// Returns the facts of `text`, which has been scrubbed of secrets and is valid UTF-8.
///
/// The result depends on the arguments alone. Broken source yields what could be read.
pub fn extract(text: &str, language: LanguageId, rules: &ChunkRules) -> FileFacts {
    let lines = Lines::of(text);
    let flags = file_flags(text, lines.count());
    let minified = flags & file_flag::MINIFIED != 0;
    let mut facts = match language.get().hooks.extract(text) {
        Some(facts) => facts,
        None if minified => plain(text, flags),
        None => syntax(text, language).map_or_else(
            || plain(text, flags),
            |(whole, mended)| {
                richer(walk(text, &whole, language), mended.map(|part| walk(text, &part, language)))
            },
        ),
    };
    facts.language = language.0;
    facts.flags |= flags;
    facts.lines = lines.count();
    facts.size = text.len() as u32;
    facts.symbols[0].end_line = facts.lines.max(1);
    facts.chunks = crate::chunk::chunks(text, &lines, &facts, language, rules);
    facts.text = crate::terms::with_remembered(|terms| {
        crate::text::cells(text, &lines, &facts.symbols, terms)
    });
    facts
}

/// Returns the facts of a second reading where it found more and has lost no type, import or package. Functions and types
/// count first: where a class is lost, locals of its functions pass for properties.
fn richer(first: FileFacts, second: Option<FileFacts>) -> FileFacts {
    let kind = |row: &SymbolRow| SymbolKind::from_byte(row.kind);
    let found = |facts: &FileFacts| {
        (
            facts
                .symbols
                .iter()
                .filter(|row| kind(row).is_type() || kind(row).is_callable())
                .count(),
            facts.symbols.len(),
        )
    };
    let types = |facts: &FileFacts| {
        facts
            .symbols
            .iter()
            .filter(|row| kind(row).is_type())
            .map(|row| facts.str(row.name).to_owned())
            .collect::<BTreeSet<String>>()
    };
    let is_richer = |second: &FileFacts| {
        let keeps = second.str(second.package) == first.str(first.package)
            && second.imports.len() >= first.imports.len();
        keeps && found(second) > found(&first) && types(&first).is_subset(&types(second))
    };
    match second {
        Some(second) if is_richer(&second) => second,
        _ => first,
    }
}

fn walk(text: &str, tree: &Syntax, language: LanguageId) -> FileFacts {
    let mut walk = Walk::new(text, language.rules(), language.get().hooks);
    walk.run(tree);
    let truncated = walk.truncated;
    let mut facts = walk.finish();
    facts.flags |= if tree.has_error { file_flag::PARSE_ERRORS } else { 0 };
    facts.flags |= if truncated { file_flag::TRUNCATED } else { 0 };
    facts
}

fn plain(text: &str, flags: u32) -> FileFacts {
    let file = SymbolRow {
        kind: SymbolKind::File as u8,
        parent: contextd_model::facts::NONE,
        end: text.len() as u32,
        start_line: 1,
        name_line: 1,
        ..SymbolRow::default()
    };
    FileFacts { symbols: vec![file], flags, ..FileFacts::default() }
}

/// Steps the parser may take for a file before it is treated as plain text. Counted, not timed:
/// facts must not depend on the machine. Of 70,000 files none takes a sixth of that.
fn step_limit(text: &str) -> u64 {
    1_000 + text.len() as u64 / 8
}

/// Parses a text, and where much of it cannot be read a second time without that; nothing where there is no grammar or
/// the parser gave up.
#[allow(unsafe_code)]
fn syntax(text: &str, language: LanguageId) -> Option<(Syntax, Option<Syntax>)> {
    let end = text.len();
    let (grammar, text) = readable(text, language)?;
    // SAFETY: the parser and the trees of pieces are dropped inside, trees of the whole are never dropped, and the tables
    // that are made of them hold no part of any.
    unsafe {
        arena::within(|| {
            let mut parser = Parser::new();
            // The registry's tests load every grammar, so a mismatch of versions cannot reach here.
            let _ = parser.set_language(&grammar);
            let mut effort = Effort { steps: 0, limit: step_limit(&text) };
            let tree = ManuallyDrop::new(parse(&mut parser, &text, &mut effort)?);
            let mut whole = Syntax::of(&tree, language.rules())?;
            let mut mended = if whole.has_error {
                mended(&mut parser, &text, &tree, effort.steps, language)
            } else {
                None
            };
            if text.len() > end {
                [Some(&mut whole), mended.as_mut()]
                    .into_iter()
                    .flatten()
                    .for_each(|tree| tree.end_at(end));
            }
            Some((whole, mended))
        })
    }
}

/// What all pieces of a text together may cost, in units of its first parse.
const MENDING: u64 = 20;
/// Fewest and most steps that they may take.
const MENDING_STEPS: (u64, u64) = (1_000, 15_000);

/// Parses a text again without what its grammar cannot read, see [`mend`]. It still counts as not read in whole.
fn mended(
    parser: &mut Parser,
    text: &str,
    tree: &Tree,
    steps: u64,
    language: LanguageId,
) -> Option<Syntax> {
    let rules = language.rules();
    let mut effort =
        Effort { steps: 0, limit: (steps * MENDING).clamp(MENDING_STEPS.0, MENDING_STEPS.1) };
    let text =
        mend::mended(text, tree, &rules.alone, mend::Nested(rules.nested_comments), |piece| {
            // Also what takes no step takes time.
            effort.steps += 1;
            let Some(tree) = parse(parser, piece, &mut effort) else { return Reading::Spent };
            let read = if tree.root_node().has_error() { None } else { Syntax::of(&tree, rules) };
            read.map_or(Reading::Unreadable, |read| Reading::Declares(read.declarations()))
        })?;
    let tree = ManuallyDrop::new(parse(
        parser,
        &text,
        &mut Effort { steps: 0, limit: step_limit(&text) },
    )?);
    let mut part = Syntax::of(&tree, rules)?;
    part.has_error = true;
    Some(part)
}

/// What a parser has done, in steps of its own, and what it may do.
struct Effort {
    steps: u64,
    limit: u64,
}

/// Parses a text; nothing when the effort is spent.
fn parse(parser: &mut Parser, text: &str, effort: &mut Effort) -> Option<Tree> {
    let mut progress = |_: &tree_sitter::ParseState| {
        effort.steps += 1;
        if effort.steps > effort.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or(&[]);
    let tree = parser.parse_with_options(
        &mut read,
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    if tree.is_none() {
        // Else the next text would go on where this one was left.
        parser.reset();
    }
    tree
}

/// Returns a language's grammar and what its parser reads for `text`, see [`crate::languages::Hooks::masked`]. Who makes a
/// parser of it must not call [`extract`] while it lives: that changes where the library's memory comes from.
pub fn readable(text: &str, language: LanguageId) -> Option<(tree_sitter::Language, Cow<'_, str>)> {
    let language = language.get();
    Some(((language.grammar?)(), language.hooks.masked(text)))
}

/// Words in the head of a file that a program wrote.
const GENERATED: [&str; 7] = [
    "DO NOT EDIT",
    "@generated",
    "Code generated by",
    "autogenerated",
    "auto-generated",
    "Autogenerated",
    "Automatically generated",
];

/// Lines of a file's head, and how much of each is looked at.
const HEAD: (usize, usize) = (20, 200);

fn file_flags(text: &str, lines: u32) -> u32 {
    let minified = text.len() > 20_000 && text.len() / lines.max(1) as usize > 600;
    (if is_generated(text) { file_flag::GENERATED } else { 0 })
        | (if minified { file_flag::MINIFIED } else { 0 })
}

fn is_generated(text: &str) -> bool {
    let head = text.match_indices('\n').nth(HEAD.0 - 1).map_or(text, |(end, _)| &text[..end]);
    // What all marks have; few files need a closer look.
    if !["DO NOT EDIT", "enerated"].iter().any(|part| head.contains(part)) {
        return false;
    }
    let begin = |line: &str| line.char_indices().nth(HEAD.1).map_or(line.len(), |(end, _)| end);
    head.lines().any(|line| GENERATED.iter().any(|mark| line[..begin(line)].contains(mark)))
}

/// Writes the syntax tree with field names, one node a line.
pub fn syntax_tree(text: &str, language: LanguageId) -> String {
    let mut out = String::new();
    let trees = syntax(text, language);
    let mut left: Vec<(usize, Node<'_>)> =
        trees.iter().map(|(whole, mended)| (0, mended.as_ref().unwrap_or(whole).root())).collect();
    while let Some((depth, node)) = left.pop() {
        let field = node.field_name().map_or_else(String::new, |name| format!("{name}: "));
        let leaf = if node.first_child().is_none() {
            format!(" {:?}", text.get(node.byte_range()).unwrap_or(""))
        } else {
            String::new()
        };
        let kind =
            if node.is_named() { node.kind().to_owned() } else { format!("{:?}", node.kind()) };
        out.push_str(&format!("{}{field}{kind}{leaf}\n", "  ".repeat(depth)));
        let from = left.len();
        left.extend(node.children().map(|child| (depth + 1, child)));
        left[from..].reverse();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_tell_what_a_program_wrote() {
        for mark in GENERATED {
            assert!(is_generated(&format!("// x\n// {mark} y\n")), "{mark}");
            assert!(is_generated(&format!("{}{mark}", "\n".repeat(HEAD.0 - 1))), "{mark}");
            assert!(!is_generated(&format!("{}{mark}", "\n".repeat(HEAD.0))), "{mark}");
            assert!(!is_generated(&format!("{}{mark}", "\u{e9}".repeat(HEAD.1))), "{mark}");
        }
        assert!(!is_generated("// Generated, EDIT at will"));
    }
}
