//! Ruby: what is declared by calling methods, visibility sections, constants and instance variables.

mod declarations;
mod macros;
mod uses;

use super::Hooks;
use crate::tree::Node;
use crate::walk::{Flow, Walk};
use contextd_model::Visibility;
use contextd_model::facts::SymbolRow;

pub struct Ruby;

impl Hooks for Ruby {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "call" => macros::call(node, walk),
            "method" | "singleton_method" => declarations::method(node, walk),
            "assignment" => declarations::assignment(node, walk),
            "alias" => declarations::alias(node, walk),
            "scope_resolution" => uses::constant_path(node, walk),
            "element_reference" => uses::subscript(node, walk),
            "subshell" => uses::subshell(node, walk),
            "instance_variable" => uses::instance_variable(node, walk),
            // The keywords `class` and `module` have the same kind names as the declarations.
            "class" | "module" if node.child_by_field_name("name").is_none() => Flow::Skip,
            "singleton_class" => {
                walk.set_section(node.start_byte(), node.end_byte(), Visibility::Public);
                sections(node, walk);
                Flow::Descend
            }
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, _symbol: u32, walk: &mut Walk<'t>) {
        sections(node, walk);
    }

    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let before = walk.text.get(..row.start as usize).unwrap_or("");
        let line = before.rsplit('\n').next().unwrap_or("").trim();
        match line.trim_end_matches('(') {
            "private" | "private_class_method" => Some(Visibility::Private),
            "protected" => Some(Visibility::Protected),
            "public" => Some(Visibility::Public),
            _ if row.kind().is_callable() || row.kind() == contextd_model::SymbolKind::Property => {
                walk.section(row.parent, row.start)
            }
            _ => None,
        }
    }
}

/// Notes where the body of a class turns private or public again.
fn sections(node: Node<'_>, walk: &mut Walk<'_>) {
    let Some(body) = node.child_by_field_name("body") else { return };
    for child in body.named_children().filter(|child| child.kind() == "identifier") {
        if let Some(visibility) = section_word(walk.text_of(child)) {
            walk.set_section(child.end_byte(), body.end_byte(), visibility);
        }
    }
}

fn section_word(word: &str) -> Option<Visibility> {
    match word {
        "private" => Some(Visibility::Private),
        "protected" => Some(Visibility::Protected),
        "public" => Some(Visibility::Public),
        _ => None,
    }
}
