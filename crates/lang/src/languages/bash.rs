//! Shell: functions, variables of the script, sourced files, and `@test` blocks of bats.

use super::Hooks;
use crate::tree::Node;
use crate::walk::{Flow, Walk, is_name, line_of};
use contextd_model::facts::{import_kind, modifier};
use contextd_model::{RefKind, SymbolKind};
use std::borrow::Cow;

pub struct Bash;

impl Hooks for Bash {
    /// `@test "name" {` is read as `t() {`.
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.contains("@test") {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match test_head(line) {
                Some((start, brace)) => {
                    out.push_str(&line[..start]);
                    out.push_str("t()");
                    out.extend(std::iter::repeat_n(' ', brace - start - 3));
                    out.push_str(&line[brace..]);
                }
                None => out.push_str(line),
            }
        }
        Cow::Owned(out)
    }

    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "function_definition" => function(node, walk),
            "command" => command(node, walk),
            "variable_assignment" => {
                variable(node, node, walk);
                Flow::Descend
            }
            "declaration_command" => {
                for assignment in
                    node.named_children().filter(|child| child.kind() == "variable_assignment")
                {
                    variable(node, assignment, walk);
                }
                Flow::Descend
            }
            _ => Flow::Table,
        }
    }
}

const WORD: &str = "@test";

/// Returns where `@test` and the bracket that opens its block stand in a line: the first one outside
/// of quotes.
fn test_head(line: &str) -> Option<(usize, usize)> {
    let rest = line.trim_start();
    let start = line.len() - rest.len();
    let title = rest.strip_prefix(WORD)?;
    if !title.starts_with([' ', '\t']) {
        return None;
    }
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in title.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            ('{', None) => return Some((start, start + WORD.len() + at)),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

fn function<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let body = node.child_by_field_name("body");
    let written = walk.text_of(node);
    let head = written.lines().next().and_then(test_head);
    match head {
        Some((_, brace)) => {
            let title = written[WORD.len()..brace].trim();
            let start = node.start_byte() + brace
                - written[..brace].trim_start_matches(WORD).trim_start().len();
            let title = title.trim_matches(['"', '\'']);
            let symbol =
                walk.add_symbol(node, start, title, "", SymbolKind::Function, body, "", false);
            walk.symbols[symbol as usize].modifiers |= modifier::TEST;
        }
        None => {
            walk.add_symbol(
                node,
                name.start_byte(),
                walk.text_of(name),
                "",
                SymbolKind::Function,
                body,
                "",
                false,
            );
        }
    }
    Flow::Descend
}

/// A variable of the script is a symbol where it is first set.
fn variable<'t>(node: Node<'t>, assignment: Node<'t>, walk: &mut Walk<'t>) {
    let Some(name) =
        assignment.child_by_field_name("name").filter(|name| name.kind() == "variable_name")
    else {
        return;
    };
    let owner = walk.owner();
    let text = walk.text_of(name);
    let id = walk.intern(text);
    let is_known =
        walk.symbols.iter().rev().take(400).any(|row| row.parent == owner && row.name == id);
    if walk.symbols[owner as usize].kind() != SymbolKind::File
        || is_known
        || walk.is_taken(name.start_byte())
    {
        return;
    }
    let word = walk.text_of(node).split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let is_constant = node.kind() == "declaration_command"
        && (word.starts_with("readonly") || word.contains(" -r"));
    let kind = if is_constant { SymbolKind::Constant } else { SymbolKind::Variable };
    walk.add_symbol(node, name.start_byte(), text, "", kind, None, "", true);
}

fn command(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let word = walk.text_of(name);
    let argument = node.child_by_field_name("argument");
    match (word, argument) {
        ("source" | "." | "load", Some(argument)) => {
            let path = walk.text_of(argument).trim_matches(['"', '\'']);
            walk.import(path, "", "", import_kind::INCLUDE, line_of(node));
        }
        _ if is_builtin(word) => {}
        _ if word.contains(['/', '.', '$']) => {
            if is_name(word) || word.starts_with(['.', '/']) && !word.contains('$') {
                walk.reference(word, RefKind::Process, name.start_byte(), line_of(name), 255);
            }
        }
        _ => walk.reference(word, RefKind::Call, name.start_byte(), line_of(name), 255),
    }
    Flow::Descend
}

fn is_builtin(word: &str) -> bool {
    const WORDS: [&str; 34] = [
        "echo", "printf", "local", "return", "cd", "test", "[", "set", "shift", "exit", "eval",
        "export", "read", "true", "false", ":", "trap", "unset", "alias", "exec", "let", "pwd",
        "shopt", "type", "wait", "break", "continue", "getopts", "command", "builtin", "declare",
        "readonly", "unalias", "umask",
    ];
    WORDS.contains(&word)
}
