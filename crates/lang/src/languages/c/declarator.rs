//! Declarators: what `*(*name[3])(int)` declares, and as what.

use crate::names;
use crate::tree::Node;
use crate::walk::Walk;

/// A declared name with what stands around it.
pub struct Declared<'t> {
    /// The name itself: an identifier, an operator, a destructor.
    pub name: Node<'t>,
    /// `Foo.Bar` of `Foo::Bar::name`.
    pub scope: String,
    /// The function declarator, when the name is that of a function and not of a pointer to one.
    pub function: Option<Node<'t>>,
    /// Stars and references between the type and the name or its parameters.
    pub pointers: String,
}

/// Nesting of declarators beyond this is not code.
const MAX_NESTING: usize = 64;

/// Reads a declarator from the outside in.
pub fn read<'t>(declarator: Node<'t>, walk: &Walk<'t>) -> Option<Declared<'t>> {
    let mut node = declarator;
    let mut found =
        Declared { name: node, scope: String::new(), function: None, pointers: String::new() };
    for _ in 0..MAX_NESTING {
        node = match node.kind() {
            "function_declarator" | "abstract_function_declarator" => {
                found.function = Some(node);
                node.child_by_field_name("declarator")?
            }
            "pointer_declarator" | "reference_declarator" => {
                found.function = None;
                found.pointers.push_str(node.child(0).map_or("", |sign| walk.text_of(sign)));
                inner(node)?
            }
            "array_declarator" => {
                found.function = None;
                inner(node)?
            }
            "init_declarator"
            | "parenthesized_declarator"
            | "attributed_declarator"
            | "dependent_name"
            | "structured_binding_declarator" => inner(node)?,
            "qualified_identifier" => {
                if let Some(scope) = node.child_by_field_name("scope") {
                    let scope = names::path(walk.text_of(scope));
                    found.scope = if found.scope.is_empty() {
                        scope
                    } else {
                        format!("{}.{scope}", found.scope)
                    };
                }
                node.child_by_field_name("name")?
            }
            "template_function" | "template_method" | "template_type" => {
                node.child_by_field_name("name")?
            }
            "operator_cast" => {
                found.function = node.child_by_field_name("declarator");
                found.name = node;
                return Some(found);
            }
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" | "primitive_type" => {
                found.name = node;
                return Some(found);
            }
            _ => return None,
        };
    }
    None
}

fn inner(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(inner) = node.child_by_field_name("declarator") {
        return Some(inner);
    }
    node.named_children().find(|child| {
        child.kind().ends_with("declarator")
            || child.kind().ends_with("identifier")
            || matches!(
                child.kind(),
                "operator_name"
                    | "operator_cast"
                    | "destructor_name"
                    | "template_function"
                    | "template_method"
            )
    })
}

/// Returns a name as it is written in one piece: `operator==`, `operator bool`, `~Foo`.
pub fn name_text(name: Node<'_>, walk: &Walk<'_>) -> String {
    let text = walk.text_of(name);
    match name.kind() {
        "operator_cast" => {
            let written =
                name.child_by_field_name("type").map_or("", |written| walk.text_of(written));
            format!("operator {written}")
        }
        "operator_name" => {
            let sign = text.trim_start_matches("operator").trim_start();
            let gap = if sign.starts_with(|c: char| c.is_alphabetic()) { " " } else { "" };
            format!("operator{gap}{}", sign.split_whitespace().collect::<Vec<_>>().join(gap))
        }
        _ => text.split_whitespace().collect(),
    }
}
