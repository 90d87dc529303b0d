//! Rust: use trees, `mod x;`, impl blocks, derives and the tokens inside macros.

mod tokens;
mod uses;

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{ImportRow, SymbolRow, base_kind, binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};

pub struct Rust;

impl Hooks for Rust {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "use_declaration" => uses::declaration(node, walk),
            "extern_crate_declaration" => uses::external(node, walk),
            "impl_item" => implementation(node, walk),
            "token_tree" => tokens::references(node, walk),
            "self_parameter" => receiver(node, walk),
            "match_pattern" => whole_pattern(node, walk),
            "macro_invocation" => environment(node, walk),
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        match node.kind() {
            "struct_item" | "enum_item" | "union_item" => derives(node, symbol, walk),
            "mod_item" if node.child_by_field_name("body").is_none() => {
                module_file(node, symbol, walk)
            }
            _ => {}
        }
    }

    /// Variants and the members of traits are as visible as what holds them, and so is what a trait
    /// implementation provides.
    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let parent = walk.symbols.get(row.parent as usize)?;
        match parent.kind() {
            SymbolKind::Trait => Some(parent.visibility()),
            SymbolKind::Enum if row.kind() == SymbolKind::Variant => Some(parent.visibility()),
            SymbolKind::Variant => Some(parent.visibility()),
            SymbolKind::Extension if walk.strings.table.get(parent.signature).contains(" for ") => {
                Some(Visibility::Public)
            }
            _ if row.kind() == SymbolKind::Extension => Some(Visibility::Public),
            _ if row.kind() == SymbolKind::Macro => Some(Visibility::Internal),
            _ => None,
        }
    }
}

/// `impl Trait for Type`: a block named after the type, so that its methods are `Type.method`.
fn implementation<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(written) = node.child_by_field_name("type") else { return Flow::Descend };
    let named = named_type(written);
    let text = walk.text_of(named);
    let name = match named.kind() {
        "tuple_type" | "unit_type" => "tuple",
        "array_type" => "slice",
        "function_type" => "fn",
        _ => text,
    };
    if !crate::walk::is_name(name) {
        return Flow::Descend;
    }
    let body = node.child_by_field_name("body");
    // The arguments of a trait tell its implementations for one type apart.
    let implemented = node
        .child_by_field_name("trait")
        .filter(|base| base.kind() == "generic_type")
        .map_or("", |base| walk.text_of(base));
    let symbol = walk.add_symbol(
        node,
        named.start_byte(),
        name,
        "",
        SymbolKind::Extension,
        body,
        implemented,
        false,
    );
    if let Some(generics) = node.child_by_field_name("type_parameters") {
        walk.set_generics(symbol, walk.text_of(generics));
    }
    if let Some(base) = node.child_by_field_name("trait") {
        let path = names::type_head(walk.text_of(base));
        walk.base(symbol, &path, base_kind::IMPLEMENTS, line_of(base));
    }
    if matches!(named.kind(), "type_identifier") && name != "Self" {
        walk.reference(name, RefKind::Type, named.start_byte(), line_of(named), 255);
    }
    Flow::Descend
}

/// Returns the node that names the type: references, generics and paths are looked through.
fn named_type(written: Node<'_>) -> Node<'_> {
    let mut node = written;
    for _ in 0..8 {
        let inner = match node.kind() {
            "reference_type" | "pointer_type" | "generic_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" => node.child_by_field_name("name"),
            "dynamic_type" | "abstract_type" => node.child_by_field_name("trait"),
            "bounded_type" => node.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

/// `#[derive(A, b::C)]` in front of a type mixes `A` and `C` in.
fn derives(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let start = walk.symbols[symbol as usize].start as usize;
    let text = walk.text;
    let mut line = walk.symbols[symbol as usize].start_line;
    let Some(mut rest) = text.get(start..node.start_byte()) else { return };
    while let Some((before, after)) = rest.split_once("derive(") {
        let Some((list, after)) = after.split_once(')') else { return };
        line += before.matches('\n').count() as u32;
        for part in list.split(',') {
            walk.base(symbol, &names::path(part), base_kind::MIXIN, line);
        }
        line += list.matches('\n').count() as u32;
        rest = after;
    }
}

/// `mod x;` takes in another file, which `#[path = "…"]` may name.
fn module_file(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let row = walk.symbols[symbol as usize];
    let attributes = walk.text.get(row.start as usize..node.start_byte()).unwrap_or("");
    let written = attributes.split_once("#[path").and_then(|(_, after)| after.split('"').nth(1));
    let name = row.name;
    let module = written.map_or(name, |path| walk.intern(path));
    walk.symbols[symbol as usize].modifiers |= modifier::DECLARATION;
    walk.imports.push(ImportRow {
        module,
        name: contextd_model::StrId::EMPTY,
        alias: name,
        owner: row.parent,
        line: row.name_line,
        kind: import_kind::INCLUDE,
        pad: [0; 3],
    });
}

fn receiver(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(owner) = walk.enclosing_type() {
        let name = walk.strings.table.get(walk.symbols[owner as usize].name).to_owned();
        walk.add_binding("self", &name, binding::RECEIVER, 0, 0, line_of(node));
    }
    Flow::Descend
}

/// `name => …`: the pattern as a whole is a new name. A guard after it is not part of the pattern.
fn whole_pattern(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(name) = node.child(0).filter(|first| first.kind() == "identifier") {
        let text = walk.text_of(name);
        if text.starts_with(char::is_lowercase) {
            walk.take(name.start_byte());
            walk.add_binding(text, "", binding::ALIAS, 0, 0, line_of(name));
        }
    }
    Flow::Descend
}

/// `env!("X")` reads the environment when the code is compiled.
fn environment(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let name = node.child_by_field_name("macro").map_or("", |name| walk.text_of(name));
    if matches!(name, "env" | "option_env" | "std::env" | "std::option_env") {
        let literal = node
            .named_child(1)
            .and_then(|tokens| tokens.named_child(0))
            .filter(|first| first.kind() == "string_literal");
        if let Some(literal) = literal {
            let variable = walk.text_of(literal).trim_matches('"');
            walk.reference(variable, RefKind::Env, literal.start_byte(), line_of(literal), 255);
        }
    }
    Flow::Table
}
