//! Java: packages, imports, record components and what `throws` declares.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{SymbolRow, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};

pub struct Java;

impl Hooks for Java {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "package_declaration" => package(node, walk),
            "import_declaration" => import(node, walk),
            "throws" => throws(node, walk),
            "element_value_pair" => {
                if let Some(key) = node.child_by_field_name("key") {
                    walk.take(key.start_byte());
                }
                Flow::Descend
            }
            "method_reference" => method_reference(node, walk),
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        match node.kind() {
            "record_declaration" => components(node, walk),
            "field_declaration" => {
                let row = &mut walk.symbols[symbol as usize];
                if row.has(modifier::STATIC) && row.has(modifier::FINAL) {
                    row.kind = SymbolKind::Constant as u8;
                }
            }
            _ => {}
        }
    }

    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let parent = walk.symbols.get(row.parent as usize)?;
        match parent.kind() {
            SymbolKind::Interface => Some(Visibility::Public),
            SymbolKind::Enum if row.kind() == SymbolKind::Variant => Some(parent.visibility()),
            SymbolKind::Enum if row.kind() == SymbolKind::Constructor => Some(Visibility::Private),
            _ => None,
        }
    }
}

fn package(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let name = node
        .named_children()
        .find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"));
    if let Some(name) = name {
        let path = names::path(walk.text_of(name));
        walk.package = walk.intern(&path);
    }
    Flow::Skip
}

fn import(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let (mut path, mut all) = (String::new(), false);
    for child in node.named_children() {
        match child.kind() {
            "identifier" | "scoped_identifier" => path = names::path(walk.text_of(child)),
            "asterisk" => all = true,
            _ => {}
        }
    }
    if all {
        walk.import(&path, "", "", import_kind::WILDCARD, line_of(node));
    } else {
        let (module, name) = names::split_last(&path);
        walk.import(module, name, name, import_kind::NAME, line_of(node));
    }
    Flow::Skip
}

/// `throws A, B` names what the owner throws.
fn throws(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    for child in node.named_children() {
        let path = names::path(walk.text_of(child));
        walk.reference(&path, RefKind::Throw, child.start_byte(), line_of(child), 255);
    }
    Flow::Skip
}

/// `Foo::bar` mentions a method, `Foo::new` a constructor.
fn method_reference(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let path = names::path(walk.text_of(node));
    match path.strip_suffix(".new") {
        Some(constructed) => {
            walk.take(node.start_byte());
            walk.reference(constructed, RefKind::Construct, node.start_byte(), line_of(node), 255);
        }
        None => {
            if let Some(name) = node.last_named_child() {
                walk.take(name.start_byte());
                walk.reference(&path, RefKind::Field, name.start_byte(), line_of(name), 255);
            }
        }
    }
    Flow::Descend
}

/// The components of a record are its fields.
fn components<'t>(node: Node<'t>, walk: &mut Walk<'t>) {
    let Some(parameters) = node.child_by_field_name("parameters") else { return };
    let components: Vec<Node<'t>> =
        parameters.named_children().filter(|child| child.kind() == "formal_parameter").collect();
    for component in components {
        let Some(name) = component.child_by_field_name("name") else { continue };
        let written =
            component.child_by_field_name("type").map_or("", |written| walk.text_of(written));
        let symbol = walk.add_symbol(
            component,
            name.start_byte(),
            walk.text_of(name),
            "",
            SymbolKind::Field,
            None,
            written,
            true,
        );
        walk.symbols[symbol as usize].visibility = Visibility::Public as u8;
    }
}
