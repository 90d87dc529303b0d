//! Go: receivers, embedding and import paths.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::RefKind;
use contextd_model::facts::{base_kind, binding, import_kind};

pub struct Go;

impl Hooks for Go {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "import_spec" => import(node, walk),
            "package_clause" => {
                let name = node.named_child(0).map_or("", |child| walk.text_of(child));
                walk.package = walk.intern(name);
                Flow::Skip
            }
            "type_declaration" | "const_declaration" | "var_declaration" => {
                // A group `type ( … )` holds several declarations; only a single one starts here.
                if node.child(1).is_some_and(|child| child.kind() != "(") {
                    walk.wrap(node);
                }
                Flow::Descend
            }
            "field_declaration" if node.child_by_field_name("name").is_none() => embed(node, walk),
            "keyed_element" => key(node, walk),
            // What a function's type takes is nobody's variable.
            "function_type" => {
                walk.no_parameters_until = walk.no_parameters_until.max(node.end_byte());
                Flow::Table
            }
            "parameter_declaration" | "variadic_parameter_declaration"
                if node.child_by_field_name("name").is_none() =>
            {
                unnamed(node, walk)
            }
            _ => Flow::Table,
        }
    }

    fn scope<'t>(&self, node: Node<'t>, walk: &Walk<'t>) -> Option<String> {
        let receiver = node.child_by_field_name("receiver")?.named_child(0)?;
        let written = walk.text_of(receiver.child_by_field_name("type")?);
        Some(names::type_head(written))
    }
}

fn import(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let Some(path) = node.child_by_field_name("path") else { return Flow::Skip };
    let module = walk.text_of(path).trim_matches(['"', '`']);
    let written = node.child_by_field_name("name").map_or("", |name| walk.text_of(name));
    let (alias, kind) = match written {
        "." => ("", import_kind::WILDCARD),
        "_" => ("", import_kind::MODULE),
        "" => (package_name(module), import_kind::MODULE),
        name => (name, import_kind::MODULE),
    };
    walk.import(module, "", alias, kind, line_of(node));
    Flow::Skip
}

/// The name a package is used by when the import does not say: the last component that is not a
/// version.
fn package_name(module: &str) -> &str {
    let mut components = module.rsplit('/');
    let last = components.next().unwrap_or(module);
    let is_version = last.len() > 1
        && last.starts_with('v')
        && last[1..].bytes().all(|byte| byte.is_ascii_digit());
    let name = if is_version { components.next().unwrap_or(last) } else { last };
    let name = name.split_once(".v").map_or(name, |(before, _)| before);
    name.strip_prefix("go-").unwrap_or(name)
}

/// The key of a struct's literal is a field of its type; that of a map or list is an expression.
fn key<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let name = node
        .child_by_field_name("key")
        .and_then(|key| key.named_child(0))
        .filter(|key| key.kind() == "identifier");
    let (Some(name), Some(literal)) = (name, walk.ancestor(2)) else { return Flow::Descend };
    let written = literal.child_by_field_name("type");
    if written.is_some_and(|written| {
        matches!(
            written.kind(),
            "map_type" | "slice_type" | "array_type" | "implicit_length_array_type"
        )
    }) {
        return Flow::Descend;
    }
    let owner =
        written.map_or_else(|| "()".to_owned(), |written| names::type_head(walk.text_of(written)));
    walk.take(name.start_byte());
    walk.reference(
        &format!("{owner}.{}", walk.text_of(name)),
        RefKind::Field,
        name.start_byte(),
        line_of(name),
        255,
    );
    Flow::Descend
}

/// A parameter without a name still has a type, which tells what a method satisfies: it goes by `_`.
fn unnamed<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let (Some(list), Some(callable)) = (walk.ancestor(1), walk.ancestor(2)) else {
        return Flow::Table;
    };
    let is_result = callable.child_by_field_name("result").is_some_and(|result| result == list);
    let is_own =
        matches!(callable.kind(), "function_declaration" | "method_declaration" | "method_elem");
    if let Some(written) = node.child_by_field_name("type").filter(|_| is_own && !is_result) {
        let owner = walk.owner();
        let position = walk
            .bindings
            .iter()
            .rev()
            .take_while(|row| row.owner == owner)
            .filter(|row| row.how == binding::PARAMETER)
            .count();
        let variadic = u16::from(node.kind() == "variadic_parameter_declaration");
        let written = crate::walk::fold(walk.text_of(written), 120);
        walk.add_binding(
            "_",
            &written,
            binding::PARAMETER,
            position.min(255) as u8,
            variadic,
            line_of(node),
        );
    }
    Flow::Table
}

/// A struct field without a name embeds its type.
fn embed(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let (Some(owner), Some(written)) = (walk.enclosing_type(), node.child_by_field_name("type"))
    {
        let path = names::type_head(walk.text_of(written));
        walk.base(owner, &path, base_kind::MIXIN, line_of(node));
        let name = names::split_last(&path).1.to_owned();
        walk.add_binding(&format!("self.{name}"), &path, binding::DECLARED, 0, 0, line_of(node));
    }
    Flow::Descend
}
