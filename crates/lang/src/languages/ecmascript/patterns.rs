//! Names that patterns bind: parameters, destructuring, loops, `catch`, type parameters.

use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, fold, line_of};
use contextd_model::facts::binding;

/// Nesting of patterns that is followed.
const MAX_NESTING: u32 = 6;

pub fn parameters<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    for (position, child) in node.named_children().enumerate() {
        parameter(child, position.min(255) as u8, walk);
    }
    Flow::Descend
}

fn parameter<'t>(node: Node<'t>, position: u8, walk: &mut Walk<'t>) {
    let pattern = node
        .child_by_field_name("pattern")
        .or_else(|| node.child_by_field_name("left"))
        .unwrap_or(node);
    let type_text = written_type(node, walk);
    let optional = node.kind() == "optional_parameter"
        || node.child_by_field_name("value").is_some()
        || node.kind() == "assignment_pattern";
    let (name, variadic) = if pattern.kind() == "rest_pattern" {
        (pattern.named_child(0).unwrap_or(pattern), true)
    } else {
        (pattern, false)
    };
    let flags = u16::from(variadic) | u16::from(optional) << 1;
    match name.kind() {
        "identifier" if is_callback(node, walk) => {
            let how = if type_text.is_empty() { binding::ALIAS } else { binding::DECLARED };
            callback_parameter(name, &type_text, how, walk.ancestor(1), walk);
        }
        "identifier" => {
            walk.take(name.start_byte());
            walk.add_binding(
                walk.text_of(name),
                &type_text,
                binding::PARAMETER,
                position,
                flags,
                line_of(name),
            );
            if is_property(node) {
                walk.add_binding(
                    &format!("self.{}", walk.text_of(name)),
                    &type_text,
                    binding::DECLARED,
                    0,
                    0,
                    line_of(name),
                );
            }
        }
        "object_pattern" | "array_pattern" => {
            bind_pattern(name, &type_text, binding::DECLARED, 0, walk)
        }
        _ => {}
    }
}

/// True for a parameter that is not one of the symbol around it, but of a function inside.
fn is_callback(node: Node<'_>, walk: &Walk<'_>) -> bool {
    let owner = &walk.symbols[walk.owner() as usize];
    let start = node.start_byte() as u32;
    start >= owner.body_start && owner.body_start < owner.end
}

/// Binds a parameter of a function without a name, with the lines that it is known in.
fn callback_parameter<'t>(
    name: Node<'t>,
    type_text: &str,
    how: u8,
    function: Option<Node<'t>>,
    walk: &mut Walk<'t>,
) {
    let lines = function.map_or(0, |function| {
        (function.end_row() - name.start_row() + 1).min(usize::from(u16::MAX))
    });
    walk.take(name.start_byte());
    walk.add_binding(walk.text_of(name), type_text, how, 0, lines as u16, line_of(name));
}

/// A constructor's parameter with a modifier declares a field.
fn is_property(node: Node<'_>) -> bool {
    node.children().any(|child| {
        matches!(child.kind(), "accessibility_modifier" | "readonly" | "override_modifier")
    })
}

pub fn lone_parameter<'t>(node: Node<'t>, walk: &mut Walk<'t>) {
    if let Some(name) = node.child_by_field_name("parameter") {
        if is_callback(name, walk) {
            return callback_parameter(name, "", binding::ALIAS, Some(node), walk);
        }
        walk.take(name.start_byte());
        walk.add_binding(walk.text_of(name), "", binding::PARAMETER, 0, 0, line_of(name));
    }
}

fn written_type(node: Node<'_>, walk: &Walk<'_>) -> String {
    let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    fold(written, 120).trim_start_matches(':').trim().to_owned()
}

/// `const { a, b: c } = value`: each name is a member of the value, or of the declared type.
pub fn destructure<'t>(pattern: Node<'t>, declarator: Node<'t>, walk: &mut Walk<'t>) {
    let declared = written_type(declarator, walk);
    if !declared.is_empty() {
        bind_pattern(pattern, &declared, binding::DECLARED, 0, walk);
        return;
    }
    let value = declarator.child_by_field_name("value").map(unwrapped);
    let path = value
        .filter(|value| {
            matches!(value.kind(), "identifier" | "member_expression" | "call_expression" | "this")
        })
        .map_or_else(String::new, |value| names::path(walk.text_of(value)));
    let path = if path == "this" {
        "self".to_owned()
    } else {
        path.strip_prefix("this.").map_or(path.clone(), |rest| format!("self.{rest}"))
    };
    bind_pattern(pattern, &path, binding::ALIAS, 0, walk);
}

fn unwrapped(value: Node<'_>) -> Node<'_> {
    let mut node = value;
    while matches!(
        node.kind(),
        "await_expression" | "parenthesized_expression" | "non_null_expression"
    ) {
        let Some(inner) = node.named_child(0) else { break };
        node = inner;
    }
    node
}

/// Binds the names of a pattern. With `ALIAS`, `of` is the path of the whole; with `DECLARED`, its
/// type, of which a member's type is not known here: such names are bound without one, except that
/// `Type.member` says where to look.
fn bind_pattern<'t>(pattern: Node<'t>, of: &str, how: u8, depth: u32, walk: &mut Walk<'t>) {
    for child in pattern.named_children() {
        let (key, target) = match child.kind() {
            "shorthand_property_identifier_pattern" => (walk.text_of(child), child),
            "object_assignment_pattern" => match child.child_by_field_name("left") {
                Some(left) => (walk.text_of(left), left),
                None => continue,
            },
            "pair_pattern" => {
                match (child.child_by_field_name("key"), child.child_by_field_name("value")) {
                    (Some(key), Some(value)) => (walk.text_of(key), value),
                    _ => continue,
                }
            }
            "identifier" => ("", child),
            "assignment_pattern" => ("", child.child_by_field_name("left").unwrap_or(child)),
            "rest_pattern" => ("", child.named_child(0).unwrap_or(child)),
            "object_pattern" | "array_pattern" => ("", child),
            _ => continue,
        };
        let target = if target.kind() == "assignment_pattern" {
            target.child_by_field_name("left").unwrap_or(target)
        } else {
            target
        };
        bind_member(key, target, of, how, depth, walk);
    }
}

fn bind_member<'t>(
    key: &str,
    target: Node<'t>,
    of: &str,
    how: u8,
    depth: u32,
    walk: &mut Walk<'t>,
) {
    let known = !key.is_empty() && !of.is_empty() && crate::walk::is_name(key);
    let path = match how {
        binding::ALIAS if known => format!("{of}.{key}"),
        binding::DECLARED if known => format!("{}::{key}", names::type_head(of)),
        _ => String::new(),
    };
    if matches!(target.kind(), "object_pattern" | "array_pattern") {
        if depth < MAX_NESTING {
            bind_pattern(
                target,
                if how == binding::ALIAS { &path } else { "" },
                how,
                depth + 1,
                walk,
            );
        }
        return;
    }
    walk.take(target.start_byte());
    let how = if path.is_empty() { binding::ALIAS } else { how };
    walk.add_binding(walk.text_of(target), &path, how, 0, 0, line_of(target));
}

pub fn loop_or_catch<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let name = node.child_by_field_name("parameter").or_else(|| {
        node.child_by_field_name("left").filter(|_| node.child_by_field_name("kind").is_some())
    });
    match name {
        Some(name) if name.kind() == "identifier" => {
            let path = node
                .child_by_field_name("right")
                .filter(|right| matches!(right.kind(), "identifier" | "member_expression"))
                .map_or_else(String::new, |right| {
                    let path = names::path(walk.text_of(right));
                    let path = path
                        .strip_prefix("this.")
                        .map_or(path.clone(), |rest| format!("self.{rest}"));
                    format!("{path}[]")
                });
            walk.take(name.start_byte());
            walk.add_binding(walk.text_of(name), &path, binding::ALIAS, 0, 0, line_of(name));
        }
        Some(name) if matches!(name.kind(), "object_pattern" | "array_pattern") => {
            bind_pattern(name, "", binding::ALIAS, 0, walk)
        }
        _ => {}
    }
    Flow::Table
}

/// A type parameter hides a type of that name; its constraint tells its members.
pub fn type_parameter<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if let Some(name) = node.child_by_field_name("name") {
        let constraint = node
            .child_by_field_name("constraint")
            .map_or("", |constraint| walk.text_of(constraint));
        let constraint = fold(constraint.trim_start_matches("extends").trim(), 120);
        walk.take(name.start_byte());
        walk.add_binding(walk.text_of(name), &constraint, binding::DECLARED, 0, 0, line_of(name));
    }
    Flow::Descend
}

/// `[key: string]: T` and `[K in Keys]: T` name a key that is nothing elsewhere.
pub fn index_signature<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let mapped = node
        .first_of_kind("mapped_type_clause")
        .and_then(|clause| clause.child_by_field_name("name"));
    if let Some(name) = node.child_by_field_name("name").or(mapped) {
        walk.take(name.start_byte());
        walk.add_binding(walk.text_of(name), "", binding::DECLARED, 0, 0, line_of(name));
    }
    Flow::Descend
}
