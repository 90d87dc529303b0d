//! `#include` and `#define`.

use super::tokens::{Kind, tokens};
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{import_kind, modifier};
use contextd_model::{RefKind, SymbolKind};

/// The text of another file.
pub fn include(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(path) = node.child_by_field_name("path") {
        let module = walk.text_of(path).trim_matches(['"', '<', '>', ' ']);
        walk.import(module, "", "", import_kind::INCLUDE, line_of(node));
    }
    Flow::Skip
}

/// A constant or a macro, with the names its replacement mentions.
pub fn definition<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name_node) = node.child_by_field_name("name") else { return Flow::Skip };
    let value = node.child_by_field_name("value");
    let name = walk.text_of(name_node);
    let parameters = node.child_by_field_name("parameters");
    if parameters.is_none() && value.is_none() && is_guard(name) {
        return Flow::Skip;
    }
    let kind = if parameters.is_some() { SymbolKind::Macro } else { SymbolKind::Constant };
    let symbol = walk.add_symbol(node, name_node.start_byte(), name, "", kind, value, "", false);
    walk.symbols[symbol as usize].modifiers &= !modifier::DECLARATION;
    let signature = walk
        .strings
        .table
        .get(walk.symbols[symbol as usize].signature)
        .trim_end_matches(['\\', ' '])
        .to_owned();
    walk.symbols[symbol as usize].signature = walk.intern(&signature);
    if let Some(value) = value {
        mentions(value, parameters.map_or("", |parameters| walk.text_of(parameters)), walk);
    }
    Flow::Skip
}

/// Names that keep a header from being read twice.
fn is_guard(name: &str) -> bool {
    let name = name.trim_end_matches('_');
    ["_H", "_HPP", "_HH", "_HXX", "_INCLUDED", "_INC"].iter().any(|end| name.ends_with(end))
        || name.ends_with('H') && name.contains("_H_")
}

/// Longest replacement text that is looked at for names.
const MAX_MENTIONS: usize = 400;

fn mentions(value: Node<'_>, parameters: &str, walk: &mut Walk<'_>) {
    let text = walk.text_of(value);
    let known: Vec<&str> = parameters.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let tokens = tokens(text);
    for (index, token) in tokens.iter().enumerate().take(MAX_MENTIONS) {
        let word = &text[token.start..token.end];
        if token.kind != Kind::Word || word.len() < 2 || known.contains(&word) || is_keyword(word) {
            continue;
        }
        let before = |back: usize| index.checked_sub(back).map(|at| tokens[at].kind);
        let is_arrow = before(1) == Some(Kind::Punct(b'>')) && before(2) == Some(Kind::Punct(b'-'));
        let is_member = is_arrow || before(1) == Some(Kind::Punct(b'.'));
        let called = tokens.get(index + 1).is_some_and(|next| next.kind == Kind::Punct(b'('));
        let kind = match (called, is_member) {
            (true, _) => RefKind::Call,
            (false, true) => RefKind::Field,
            (false, false) => RefKind::Name,
        };
        let line = line_of(value)
            + text[..token.start].bytes().filter(|&byte| byte == b'\n').count() as u32;
        // What a member belongs to is known where the macro is used.
        let path = if is_member { format!("().{word}") } else { word.to_owned() };
        walk.reference(&path, kind, value.start_byte() + token.start, line, 255);
    }
}

fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 46] = [
        "do",
        "while",
        "if",
        "else",
        "for",
        "return",
        "sizeof",
        "int",
        "char",
        "void",
        "long",
        "short",
        "unsigned",
        "signed",
        "float",
        "double",
        "const",
        "static",
        "struct",
        "union",
        "enum",
        "typedef",
        "extern",
        "goto",
        "break",
        "continue",
        "switch",
        "case",
        "default",
        "inline",
        "volatile",
        "auto",
        "bool",
        "true",
        "false",
        "NULL",
        "nullptr",
        "class",
        "template",
        "typename",
        "namespace",
        "new",
        "delete",
        "this",
        "static_cast",
        "defined",
    ];
    WORDS.contains(&word)
}
