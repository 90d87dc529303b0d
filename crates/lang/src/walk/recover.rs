//! What can still be read where the grammar gave up: a keyword and a name make a declaration.

use super::{Walk, is_name};
use crate::tree::Node;
use contextd_model::SymbolKind;

/// Words that declare, in every language that has them.
const KEYWORDS: [(&str, SymbolKind); 13] = [
    ("class", SymbolKind::Class),
    ("interface", SymbolKind::Interface),
    ("struct", SymbolKind::Struct),
    ("enum", SymbolKind::Enum),
    ("trait", SymbolKind::Trait),
    ("protocol", SymbolKind::Interface),
    ("object", SymbolKind::Object),
    ("record", SymbolKind::Class),
    ("fun", SymbolKind::Function),
    ("func", SymbolKind::Function),
    ("fn", SymbolKind::Function),
    ("def", SymbolKind::Function),
    ("function", SymbolKind::Function),
];

/// Where an error node's children stand, and the keyword read last among them.
#[derive(Default)]
pub(super) struct Recovery {
    pub(super) depth: usize,
    until: usize,
    keyword: Option<SymbolKind>,
    start: usize,
    row: usize,
}

/// True when what follows a name can follow a declaration's: `struct a *b` declares no `a`.
fn opens(after: &str, kind: SymbolKind) -> bool {
    after.starts_with(['(', '<', '['])
        || kind.is_type()
            && (after.starts_with(['{', ':'])
                || after.starts_with("extends ")
                || after.starts_with("implements "))
}

impl<'t> Walk<'t> {
    /// Begins to look at the children of an error node.
    pub(super) fn enter_error(&mut self, node: Node<'t>) {
        self.recovery =
            Recovery { depth: self.depth + 1, until: node.end_byte(), ..Recovery::default() };
    }

    /// Looks at a node for a declaration in pieces. A type found so holds the rest of the error.
    pub(super) fn recover(&mut self, node: Node<'t>) {
        if self.depth != self.recovery.depth || node.start_byte() >= self.recovery.until {
            return;
        }
        if !node.is_named() {
            self.recovery.keyword =
                KEYWORDS.iter().find(|(word, _)| *word == node.kind()).map(|&(_, kind)| kind);
            (self.recovery.start, self.recovery.row) = (node.start_byte(), node.start_row());
            return;
        }
        let Some(kind) = self.recovery.keyword.take() else { return };
        let name = self.text_of(node);
        let after = self.text.get(node.end_byte()..).unwrap_or("").trim_start();
        if node.first_child().is_none()
            && is_name(name)
            && !name.contains(char::is_whitespace)
            && opens(after, kind)
        {
            self.declare_recovered(node, name, kind);
        }
    }

    fn declare_recovered(&mut self, node: Node<'t>, name: &str, kind: SymbolKind) {
        let is_type = kind.is_type();
        // The symbol stays open until the walk leaves the error node, one level up.
        self.depth = self.depth.saturating_sub(1);
        let symbol = self.add_symbol(node, node.start_byte(), name, "", kind, None, "", !is_type);
        self.depth += 1;
        let row = &mut self.symbols[symbol as usize];
        row.start = row.start.min(self.recovery.start as u32);
        row.doc_start = row.doc_start.min(row.start);
        row.start_line = self.recovery.row as u32 + 1;
        if is_type {
            row.end = self.recovery.until as u32;
            row.body_start = row.end;
            let rest = self.text.get(node.end_byte()..self.recovery.until).unwrap_or("").trim_end();
            row.end_line =
                row.name_line + rest.bytes().filter(|&byte| byte == b'\n').count() as u32;
        }
    }
}
