//! Methods, constants and local variables.

use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{binding, modifier};
use contextd_model::{RefKind, SymbolKind};

/// `def name` and `def self.name`.
pub fn method<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name_node) = node.child_by_field_name("name") else { return Flow::Descend };
    let name: String = walk.text_of(name_node).split_whitespace().collect();
    let object = node.child_by_field_name("object");
    let scope = object
        .filter(|object| object.kind() != "self")
        .map_or_else(String::new, |object| names::path(walk.text_of(object)));
    let in_singleton = walk.ancestor(2).is_some_and(|outer| outer.kind() == "singleton_class");
    let is_static = object.is_some() || in_singleton;
    let kind = match (is_member(walk), name.as_str()) {
        (true, "initialize") => SymbolKind::Constructor,
        (true, _) => SymbolKind::Method,
        (false, _) if object.is_some() => SymbolKind::Method,
        (false, _) => SymbolKind::Function,
    };
    let symbol = walk.add_symbol(
        node,
        name_node.start_byte(),
        &name,
        &scope,
        kind,
        node.child_by_field_name("body"),
        "",
        false,
    );
    finish(symbol, is_static, walk);
    if let Some(list) = node.child_by_field_name("parameters") {
        walk.symbols[symbol as usize].signature = header(node, list, walk);
        parameters(list, walk);
    } else {
        walk.symbols[symbol as usize].signature = header(node, name_node, walk);
    }
    Flow::Descend
}

/// A method without statements has a body all the same.
pub fn finish(symbol: u32, is_static: bool, walk: &mut Walk<'_>) {
    let row = &mut walk.symbols[symbol as usize];
    row.modifiers &= !modifier::DECLARATION;
    row.modifiers |= if is_static { modifier::STATIC } else { 0 };
}

fn header(node: Node<'_>, last: Node<'_>, walk: &mut Walk<'_>) -> contextd_model::StrId {
    let text = walk.text.get(node.start_byte()..last.end_byte()).unwrap_or("");
    let words: Vec<&str> = text.split_whitespace().take(120).collect();
    walk.intern(&words.join(" "))
}

/// True when the innermost symbol is a class or a module.
pub fn is_member(walk: &Walk<'_>) -> bool {
    let owner = &walk.symbols[walk.owner() as usize];
    owner.kind().is_type() || owner.kind() == SymbolKind::Module && !owner.has(modifier::TEST)
}

fn parameters(list: Node<'_>, walk: &mut Walk<'_>) {
    for (position, parameter) in list.named_children().enumerate() {
        let name = if parameter.kind() == "identifier" {
            Some(parameter)
        } else {
            parameter.child_by_field_name("name")
        };
        let Some(name) = name else { continue };
        let has_default = parameter.child_by_field_name("value").is_some();
        let flags = u16::from(parameter.kind().contains("splat")) | u16::from(has_default) << 1;
        walk.take(name.start_byte());
        walk.add_binding(
            walk.text_of(name),
            "",
            binding::PARAMETER,
            position.min(255) as u8,
            flags,
            line_of(name),
        );
    }
}

/// `alias new old`.
pub fn alias<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if let (Some(name), Some(target)) =
        (node.child_by_field_name("name"), node.child_by_field_name("alias"))
    {
        aliased(node, name, target, walk);
    }
    Flow::Skip
}

/// Adds a method by another name, which mentions the first.
pub fn aliased<'t>(node: Node<'t>, name: Node<'t>, target: Node<'t>, walk: &mut Walk<'t>) {
    let kind = if is_member(walk) { SymbolKind::Method } else { SymbolKind::Function };
    let text = walk.text_of(name).trim_start_matches(':').trim_matches(['"', '\'']);
    let symbol = walk.add_symbol(
        node,
        name.end_byte() - text.len().min(name.end_byte()),
        text,
        "",
        kind,
        None,
        "",
        false,
    );
    finish(symbol, false, walk);
    let old = walk.text_of(target).trim_start_matches(':').trim_matches(['"', '\'']);
    walk.reference(old, RefKind::Name, target.start_byte(), line_of(target), 255);
}

/// Constants are symbols, everything else is bound.
pub fn assignment<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let (Some(left), right) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return Flow::Descend;
    };
    match left.kind() {
        "constant" | "scope_resolution" => constant(node, left, right, walk),
        "call" => {
            written(left, walk);
            bind(left, right, walk);
        }
        "identifier" | "instance_variable" | "class_variable" => bind(left, right, walk),
        "left_assignment_list" => {
            for name in left.named_children().filter(|name| name.kind() == "identifier") {
                walk.take(name.start_byte());
                walk.add_binding(walk.text_of(name), "", binding::ALIAS, 0, 0, line_of(name));
            }
        }
        _ => {}
    }
    Flow::Descend
}

/// `a.b = c` calls `b=`.
fn written<'t>(left: Node<'t>, walk: &mut Walk<'t>) {
    let (Some(method), Some(receiver)) =
        (left.child_by_field_name("method"), left.child_by_field_name("receiver"))
    else {
        return;
    };
    let word = format!("{}=", walk.text_of(method));
    super::macros::mention(method, &word, Some(receiver), Some(1), walk);
}

fn constant<'t>(node: Node<'t>, left: Node<'t>, right: Option<Node<'t>>, walk: &mut Walk<'t>) {
    if walk.symbols[walk.owner() as usize].kind().is_callable() {
        return;
    }
    let path = names::path(walk.text_of(left));
    let (scope, name) = names::split_last(&path);
    let start = left.end_byte() - name.len();
    // `Point = Struct.new(:x) do … end` declares a class.
    let made = right.filter(|right| right.kind() == "call").map(|call| {
        (
            call,
            walk.text
                .get(
                    call.start_byte()
                        ..call
                            .child_by_field_name("method")
                            .map_or(call.start_byte(), |method| method.end_byte()),
                )
                .unwrap_or(""),
        )
    });
    let class = made.filter(|(_, callee)| {
        matches!(*callee, "Struct.new" | "Class.new" | "Data.define" | "::Struct.new")
    });
    let kind = match class {
        Some((_, callee)) if callee != "Class.new" => SymbolKind::Struct,
        Some(_) => SymbolKind::Class,
        None => SymbolKind::Constant,
    };
    let body = class.and_then(|(call, _)| call.child_by_field_name("block"));
    walk.add_symbol(node, start, name, scope, kind, body, "", false);
    let arguments = class.and_then(|(call, _)| call.child_by_field_name("arguments"));
    if let Some(arguments) = arguments {
        for field in arguments.named_children().filter(|field| field.kind() == "simple_symbol") {
            let name = walk.text_of(field).trim_start_matches(':');
            walk.add_symbol(
                field,
                field.start_byte() + 1,
                name,
                "",
                SymbolKind::Field,
                None,
                "",
                true,
            );
        }
    }
}

fn bind<'t>(left: Node<'t>, right: Option<Node<'t>>, walk: &mut Walk<'t>) {
    let text = walk.text_of(left);
    let name = match left.kind() {
        "instance_variable" | "class_variable" => format!("self.{}", text.trim_start_matches('@')),
        "call" => match text.strip_prefix("self.") {
            Some(rest) if rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                format!("self.{rest}")
            }
            _ => return,
        },
        _ => {
            walk.take(left.start_byte());
            text.to_owned()
        }
    };
    let (how, type_text) =
        right.map_or((binding::ALIAS, String::new()), |right| value(right, walk));
    walk.add_binding(&name, &type_text, how, 0, 0, line_of(left));
}

/// What a value says of its type.
fn value(right: Node<'_>, walk: &Walk<'_>) -> (u8, String) {
    match right.kind() {
        "call" => {
            let receiver = right.child_by_field_name("receiver");
            let method =
                right.child_by_field_name("method").map_or("", |method| walk.text_of(method));
            match receiver {
                Some(receiver)
                    if method == "new"
                        && matches!(receiver.kind(), "constant" | "scope_resolution") =>
                {
                    (binding::CONSTRUCTED, names::path(walk.text_of(receiver)))
                }
                Some(receiver) => {
                    (binding::CALLED, format!("{}.{method}", names::path(walk.text_of(receiver))))
                }
                None => (binding::CALLED, method.to_owned()),
            }
        }
        "identifier" | "constant" | "scope_resolution" => {
            (binding::ALIAS, names::path(walk.text_of(right)))
        }
        "instance_variable" => {
            (binding::ALIAS, format!("self.{}", walk.text_of(right).trim_start_matches('@')))
        }
        _ => (binding::ALIAS, String::new()),
    }
}
