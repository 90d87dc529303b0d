//! Mentions: constants, instance variables, the environment, processes.

use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::RefKind;

/// `A::B` is one mention, of `B`.
pub fn constant_path(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let head = node.child_by_field_name("scope");
    if !walk.is_taken(name.start_byte()) {
        let path = names::path(walk.text_of(node));
        walk.take(name.start_byte());
        walk.reference(&path, RefKind::Type, name.start_byte(), line_of(name), 255);
    }
    // Modules in front of the name are the qualifier already; calls in front are more.
    let is_plain = head.is_none_or(|head| matches!(head.kind(), "constant" | "scope_resolution"));
    if is_plain { Flow::Skip } else { Flow::Descend }
}

/// `ENV["X"]` reads the environment.
pub fn subscript(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let object = node.child_by_field_name("object").map_or("", |object| walk.text_of(object));
    if let Some(index) = node.named_child(1).filter(|_| object == "ENV") {
        environment(index, walk);
    }
    Flow::Descend
}

/// Reports an environment variable named by a string.
pub fn environment(index: Node<'_>, walk: &mut Walk<'_>) {
    if let Some(name) = string(index, walk) {
        walk.reference(name, RefKind::Env, index.start_byte(), line_of(index), 255);
    }
}

/// A command in backticks.
pub fn subshell(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let command = walk.text_of(node).trim_matches('`').split_whitespace().next().unwrap_or("");
    process(command, node, walk);
    Flow::Descend
}

/// Reports a started program.
pub fn process(command: &str, node: Node<'_>, walk: &mut Walk<'_>) {
    if !command.is_empty() && !command.contains('#') {
        walk.reference(command, RefKind::Process, node.start_byte(), line_of(node), 255);
    }
}

pub fn instance_variable(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let name = format!("self.{}", walk.text_of(node).trim_start_matches('@'));
    walk.reference(&name, RefKind::Field, node.start_byte(), line_of(node), 255);
    Flow::Skip
}

/// Returns the inside of a plain string.
pub fn string<'t>(node: Node<'_>, walk: &Walk<'t>) -> Option<&'t str> {
    (node.kind() == "string")
        .then(|| walk.text_of(node).trim_matches(['"', '\'']))
        .filter(|text| !text.is_empty() && text.len() <= 200 && !text.contains(['\n', '#']))
}
