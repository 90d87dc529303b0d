//! Zig: containers and imports that are values of constants, tests named by strings.

use super::Hooks;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::SymbolKind;
use contextd_model::facts::{import_kind, modifier};

pub struct Zig;

impl Hooks for Zig {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "variable_declaration" => variable(node, walk),
            "container_field" => field(node, walk),
            "test_declaration" => test(node, walk),
            _ => Flow::Table,
        }
    }
}

fn variable<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.first_of_kind("identifier") else { return Flow::Descend };
    let value = node.last_named_child().filter(|value| value.start_byte() > name.start_byte());
    let text = walk.text_of(name);
    let head = walk.text.get(node.start_byte()..name.start_byte()).unwrap_or("");
    let is_public = head.split_whitespace().any(|word| word == "pub");
    // A private constant for an import declares nothing of its own.
    if import(text, value, walk) && !is_public {
        return Flow::Skip;
    }
    let kind = value.and_then(|value| container(value.kind()));
    let written = node.child_by_field_name("type");
    let type_text = written.map_or("", |written| walk.text_of(written));
    let is_local = walk.symbols[walk.owner() as usize].kind().is_callable();
    if is_local && kind.is_none() {
        walk.take(name.start_byte());
        walk.bind(name, type_text, value.filter(|value| Some(*value) != written));
        return Flow::Descend;
    }
    let plain = if head.split_whitespace().any(|word| word == "var") {
        SymbolKind::Variable
    } else {
        SymbolKind::Constant
    };
    let symbol = walk.add_symbol(
        node,
        name.start_byte(),
        text,
        "",
        kind.unwrap_or(plain),
        value.filter(|_| kind.is_some()),
        type_text,
        false,
    );
    let signature = walk
        .strings
        .table
        .get(walk.symbols[symbol as usize].signature)
        .trim_end_matches([';', ' ', '='])
        .to_owned();
    walk.symbols[symbol as usize].signature = walk.intern(&signature);
    if let Some(errors) = value.filter(|value| value.kind() == "error_set_declaration") {
        for error in errors.named_children().filter(|child| child.kind() == "identifier") {
            walk.add_symbol(
                error,
                error.start_byte(),
                walk.text_of(error),
                "",
                SymbolKind::Variant,
                None,
                "",
                true,
            );
        }
    }
    Flow::Descend
}

fn container(kind: &str) -> Option<SymbolKind> {
    Some(match kind {
        "struct_declaration" | "opaque_declaration" => SymbolKind::Struct,
        "enum_declaration" | "error_set_declaration" => SymbolKind::Enum,
        "union_declaration" => SymbolKind::Union,
        _ => return None,
    })
}

/// `@import("x.zig")` or a member of it.
fn import(name: &str, value: Option<Node<'_>>, walk: &mut Walk<'_>) -> bool {
    let Some(value) = value else { return false };
    let Some(rest) = walk.text_of(value).strip_prefix("@import(\"") else { return false };
    let Some((module, after)) = rest.split_once("\")") else { return false };
    match after.strip_prefix('.') {
        Some(member) => walk.import(module, member, name, import_kind::NAME, line_of(value)),
        None => walk.import(module, "", name, import_kind::MODULE, line_of(value)),
    }
    true
}

fn field<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")
    else {
        return Flow::Descend;
    };
    let in_enum = walk.symbols[walk.owner() as usize].kind() == SymbolKind::Enum;
    let kind = if in_enum { SymbolKind::Variant } else { SymbolKind::Field };
    let type_text = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    let symbol = walk.add_symbol(
        node,
        name.start_byte(),
        walk.text_of(name),
        "",
        kind,
        None,
        type_text,
        false,
    );
    walk.symbols[symbol as usize].visibility = contextd_model::Visibility::Public as u8;
    Flow::Descend
}

fn test<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let name = node.named_children().find(|child| matches!(child.kind(), "string" | "identifier"));
    let body = node.first_of_kind("block");
    let title = name.map_or("test", |name| walk.text_of(name).trim_matches('"'));
    let start = name.map_or(node.start_byte(), |name| name.start_byte());
    let symbol = walk.add_symbol(node, start, title, "", SymbolKind::Function, body, "", false);
    walk.symbols[symbol as usize].modifiers |= modifier::TEST;
    Flow::Descend
}
