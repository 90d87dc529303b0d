//! `@doc`, `@moduledoc`, `@type`, `@callback` and plain module attributes.

use super::{children, guarded};
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{base_kind, modifier};
use contextd_model::{SymbolKind, Visibility};

pub fn attribute<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let is_attribute =
        node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "@");
    let Some(call) = node
        .child_by_field_name("operand")
        .filter(|operand| is_attribute && operand.kind() == "call")
    else {
        return Flow::Descend;
    };
    let Some(target) = call.child_by_field_name("target") else { return Flow::Descend };
    let arguments = children(call.first_of_kind("arguments"));
    let Some(&first) = arguments.first() else { return Flow::Skip };
    match walk.text_of(target) {
        "doc" | "typedoc" => {
            if let Some(content) = content(first) {
                walk.note_doc(content);
            }
        }
        "moduledoc" => {
            if let Some(content) = content(first) {
                let owner = walk.owner();
                walk.symbols[owner as usize].doc =
                    walk.intern(&crate::doc::clean(walk.text_of(content)));
            }
        }
        "type" | "typep" | "opaque" => declare(node, first, SymbolKind::TypeAlias, walk),
        "callback" | "macrocallback" => declare(node, first, SymbolKind::Function, walk),
        "behaviour" => {
            let path = names::path(walk.text_of(first));
            walk.base(walk.owner(), &path, base_kind::IMPLEMENTS, line_of(first));
        }
        "spec" | "impl" | "deprecated" | "since" | "dialyzer" | "compile" | "derive"
        | "enforce_keys" | "before_compile" | "after_compile" | "on_load" | "on_definition"
        | "external_resource" | "tag" | "moduletag" | "describetag" | "optional_callbacks"
        | "fallback_to_any" | "vsn" => {}
        name => constant(node, target, name, walk),
    }
    Flow::Skip
}

fn content(node: Node<'_>) -> Option<Node<'_>> {
    node.first_of_kind("quoted_content")
}

/// `@type name(args) :: definition`.
fn declare<'t>(node: Node<'t>, written: Node<'t>, kind: SymbolKind, walk: &mut Walk<'t>) {
    let written = guarded(written);
    let (left, right) = (written.child_by_field_name("left"), written.child_by_field_name("right"));
    let Some(left) = left else { return };
    let name = if left.kind() == "call" {
        left.child_by_field_name("target").unwrap_or(left)
    } else {
        left
    };
    let type_text = right.map_or("", |right| walk.text_of(right));
    walk.add_symbol(node, name.start_byte(), walk.text_of(name), "", kind, None, type_text, true);
}

/// `@name value` is a constant that its module alone sees, where it is first set.
fn constant<'t>(node: Node<'t>, target: Node<'t>, name: &str, walk: &mut Walk<'t>) {
    let owner = walk.owner();
    let id = walk.intern(name);
    let is_known =
        walk.symbols.iter().rev().take(200).any(|row| row.parent == owner && row.name == id);
    if !is_known
        && !walk.symbols[owner as usize].kind().is_callable()
        && !walk.symbols[owner as usize].has(modifier::LOCAL)
    {
        let symbol = walk.add_symbol(
            node,
            target.start_byte(),
            name,
            "",
            SymbolKind::Constant,
            None,
            "",
            true,
        );
        walk.symbols[symbol as usize].visibility = Visibility::Private as u8;
    }
}
