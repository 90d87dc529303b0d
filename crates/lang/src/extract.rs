//! One file's text → its facts.

use crate::arena;
use crate::guard::{self, Parser, Room, Stop};
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
use tree_sitter::Tree;

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
        None => match syntax(text, language) {
            Ok(Some((whole, mended))) => {
                richer(walk(text, &whole, language), mended.map(|part| walk(text, &part, language)))
            }
            Ok(None) => plain(text, flags),
            Err(_) => plain(text, flags | file_flag::UNPARSED),
        },
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

/// A text's tree, and what was read where much of it was left out.
type Trees = (Syntax, Option<Syntax>);

/// Parses a text, and where much of it cannot be read a second time without that; nothing where there is no grammar.
fn syntax(text: &str, language: LanguageId) -> Result<Option<Trees>, Stop> {
    let end = text.len();
    let Some((grammar, text)) = readable(text, language) else { return Ok(None) };
    let trees = match parsed(&text, &grammar, language, Room::Usual) {
        Err(Stop::TooDeep) => {
            guard::with_deep_stack(|| parsed(&text, &grammar, language, Room::Deep))
                .unwrap_or(Err(Stop::TooDeep))
        }
        trees => trees,
    };
    trees.map(|(mut whole, mut mended)| {
        if text.len() > end {
            [Some(&mut whole), mended.as_mut()]
                .into_iter()
                .flatten()
                .for_each(|tree| tree.end_at(end));
        }
        Some((whole, mended))
    })
}

#[allow(unsafe_code)]
fn parsed(
    text: &str,
    grammar: &tree_sitter::Language,
    language: LanguageId,
    room: Room,
) -> Result<Trees, Stop> {
    // SAFETY: the parser and the trees of pieces are dropped inside, trees of the whole are never dropped, and the tables
    // that are made of them hold no part of any.
    unsafe {
        arena::within(|| {
            let mut parser = Parser::new(grammar, room);
            parser.most_steps = step_limit(text);
            let tree = ManuallyDrop::new(parser.parse(text)?);
            let whole = Syntax::of(&tree, language.rules()).ok_or(Stop::Refused)?;
            let mended =
                if whole.has_error { mended(&mut parser, text, &tree, language) } else { None };
            Ok((whole, mended))
        })
    }
}

/// What all pieces of a text together may cost, in units of its first parse.
const MENDING: u64 = 20;
/// Fewest and most steps that they may take.
const MENDING_STEPS: (u64, u64) = (1_000, 15_000);

/// Parses a text again without what its grammar cannot read, see [`mend`]. It still counts as not read in whole.
fn mended(parser: &mut Parser, text: &str, tree: &Tree, language: LanguageId) -> Option<Syntax> {
    let rules = language.rules();
    parser.most_steps = (parser.steps * MENDING).clamp(MENDING_STEPS.0, MENDING_STEPS.1);
    parser.steps = 0;
    let text =
        mend::mended(text, tree, &rules.alone, mend::Nested(rules.nested_comments), |piece| {
            // Also what takes no step takes time.
            parser.steps += 1;
            let Ok(tree) = parser.parse(piece) else { return Reading::Spent };
            let read = if tree.root_node().has_error() { None } else { Syntax::of(&tree, rules) };
            read.map_or(Reading::Unreadable, |read| Reading::Declares(read.declarations()))
        })?;
    (parser.steps, parser.most_steps) = (0, step_limit(&text));
    let tree = ManuallyDrop::new(parser.parse(&text).ok()?);
    let mut part = Syntax::of(&tree, rules)?;
    part.has_error = true;
    Some(part)
}

/// Returns a language's grammar and what its parser reads for `text`, see [`crate::languages::Hooks::masked`]. Who makes a
/// parser of it must not call [`extract`] while it lives: that changes where the library's memory comes from.
pub fn readable(text: &str, language: LanguageId) -> Option<(tree_sitter::Language, Cow<'_, str>)> {
    Some((guard::grammar(language)?, language.get().hooks.masked(text)))
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
    let trees = syntax(text, language).ok().flatten();
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
