//! Lua: functions by declaration, assignment and table field, `require`, and test blocks.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};

pub struct Lua;

impl Hooks for Lua {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "function_declaration" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let is_local = walk.text_of(node).starts_with("local");
                    function(node, name, node, is_local, walk);
                }
                Flow::Descend
            }
            "assignment_statement" => assignment(node, walk),
            "field" => field(node, walk),
            "function_call" => call(node, walk),
            "parameters" => {
                for (position, name) in
                    node.named_children().filter(|child| child.kind() == "identifier").enumerate()
                {
                    walk.take(name.start_byte());
                    walk.add_binding(
                        walk.text_of(name),
                        "",
                        binding::PARAMETER,
                        position.min(255) as u8,
                        0,
                        line_of(name),
                    );
                }
                Flow::Skip
            }
            "for_generic_clause" | "for_numeric_clause" => {
                let list = node
                    .named_child(0)
                    .filter(|list| list.kind() == "variable_list")
                    .unwrap_or(node);
                for name in list.children_by_field_name("name") {
                    walk.take(name.start_byte());
                    walk.add_binding(walk.text_of(name), "", binding::ALIAS, 0, 0, line_of(name));
                }
                Flow::Descend
            }
            _ => Flow::Table,
        }
    }
}

/// Adds a function named by a path: `M.sub:name`.
fn function<'t>(
    node: Node<'t>,
    name: Node<'t>,
    value: Node<'t>,
    is_local: bool,
    walk: &mut Walk<'t>,
) {
    let written = walk.text_of(name);
    let path = names::path(&written.replace(':', "."));
    let (scope, last) = names::split_last(&path);
    let kind = if written.contains(':') { SymbolKind::Method } else { SymbolKind::Function };
    let start = name.end_byte() - last.len().min(name.end_byte());
    let symbol = walk.add_symbol(
        node,
        start,
        last,
        scope,
        kind,
        value.child_by_field_name("body"),
        "",
        false,
    );
    let end =
        value.child_by_field_name("parameters").map_or(node.end_byte(), |list| list.end_byte());
    let signature: Vec<&str> =
        walk.text.get(node.start_byte()..end).unwrap_or("").split_whitespace().collect();
    let signature = walk.intern(&signature.join(" "));
    let row = &mut walk.symbols[symbol as usize];
    row.signature = signature;
    row.modifiers &= !modifier::DECLARATION;
    if is_local || row.has(modifier::LOCAL) {
        row.visibility = Visibility::Private as u8;
    }
}

fn assignment<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let (Some(names_list), Some(values)) = (node.named_child(0), node.named_child(1)) else {
        return Flow::Descend;
    };
    let names: Vec<Node<'t>> = names_list.children_by_field_name("name").collect();
    let before = walk.text.get(..node.start_byte()).unwrap_or("");
    let is_local = before.trim_end().ends_with("local");
    let mut values = values.named_children();
    for name in &names {
        one(node, *name, values.next(), is_local, names.len() > 1, walk);
    }
    Flow::Descend
}

fn one<'t>(
    node: Node<'t>,
    name: Node<'t>,
    value: Option<Node<'t>>,
    is_local: bool,
    leaf: bool,
    walk: &mut Walk<'t>,
) {
    if let Some(value) = value.filter(|value| value.kind() == "function_definition" && !leaf) {
        return function(node, name, value, is_local, walk);
    }
    if value.is_some_and(|value| required(name, value, walk)) {
        return;
    }
    let owner = walk.owner();
    let path = names::path(walk.text_of(name));
    if walk.symbols[owner as usize].kind() != SymbolKind::File {
        if name.kind() == "identifier" {
            walk.take(name.start_byte());
        }
        return walk.bind(name, "", value);
    }
    let (scope, last) = names::split_last(&path);
    let text = walk.intern(&path);
    if !crate::walk::is_name(last)
        || walk
            .symbols
            .iter()
            .rev()
            .take(400)
            .any(|row| row.parent == owner && row.qualified == text)
    {
        return;
    }
    let body = value.filter(|value| value.kind() == "table_constructor");
    let start = name.end_byte() - last.len().min(name.end_byte());
    let symbol = walk.add_symbol(node, start, last, scope, SymbolKind::Variable, body, "", leaf);
    if is_local {
        walk.symbols[symbol as usize].visibility = Visibility::Private as u8;
    }
}

/// `local x = require("a.b")` imports; it declares nothing of its own.
fn required(name: Node<'_>, value: Node<'_>, walk: &mut Walk<'_>) -> bool {
    let callee = value.child_by_field_name("name").filter(|_| value.kind() == "function_call");
    let callee = callee.filter(|callee| walk.text_of(*callee) == "require");
    let (Some(callee), Some(module)) = (callee, argument(value, walk)) else { return false };
    walk.import(module, "", walk.text_of(name), import_kind::MODULE, line_of(value));
    walk.take(callee.start_byte());
    walk.take(name.start_byte());
    name.kind() == "identifier"
}

fn argument<'t>(call: Node<'_>, walk: &Walk<'t>) -> Option<&'t str> {
    let list = call.child_by_field_name("arguments")?;
    let first = if list.kind() == "string" { list } else { list.named_child(0)? };
    crate::walk::literal(walk.text_of(first)).or_else(|| crate::walk::literal(walk.text_of(list)))
}

/// `name = function() … end` in a table.
fn field<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if let (Some(name), Some(value)) =
        (node.child_by_field_name("name"), node.child_by_field_name("value"))
    {
        walk.take(name.start_byte());
        if value.kind() == "function_definition" && name.kind() == "identifier" {
            function(node, name, value, false, walk);
        }
    }
    Flow::Descend
}

/// `object:method(…)`.
fn method_call(node: Node<'_>, name: Node<'_>, walk: &mut Walk<'_>) {
    let Some(method) = name.child_by_field_name("method") else { return };
    let object = name
        .child_by_field_name("table")
        .map_or_else(String::new, |table| names::path(walk.text_of(table)));
    let object = if object.is_empty() { "()".to_owned() } else { object };
    let count = node
        .child_by_field_name("arguments")
        .map_or(255, |list| list.named_child_count().min(254) as u8);
    let path = format!("{object}.{}", walk.text_of(method));
    walk.take(method.start_byte());
    walk.reference(&path, RefKind::Call, method.start_byte(), line_of(method), count);
}

fn call<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let word = walk.text_of(name);
    let kind = match word {
        "require" => {
            if !walk.is_taken(name.start_byte())
                && let Some(module) = argument(node, walk)
            {
                walk.import(module, "", "", import_kind::MODULE, line_of(node));
                walk.take(name.start_byte());
            }
            return Flow::Descend;
        }
        "describe" | "context" => SymbolKind::Module,
        "it" | "test" => SymbolKind::Function,
        _ if name.kind() == "method_index_expression" => {
            method_call(node, name, walk);
            return Flow::Descend;
        }
        _ => return Flow::Table,
    };
    let body = node
        .child_by_field_name("arguments")
        .and_then(|list| list.named_child(1))
        .filter(|body| body.kind() == "function_definition");
    if let (Some(body), Some(title)) = (body, argument(node, walk)) {
        let symbol =
            walk.add_symbol(node, name.end_byte() + 2, title, "", kind, Some(body), "", false);
        walk.symbols[symbol as usize].modifiers |= modifier::TEST;
        walk.take(name.start_byte());
        return Flow::Descend;
    }
    Flow::Table
}
