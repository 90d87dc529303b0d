//! Python: imports, bare parameters, docstrings, environment subscripts.

use super::Hooks;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::RefKind;
use contextd_model::facts::{binding, import_kind};

pub struct Python;

impl Hooks for Python {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "import_statement" => import(node, walk),
            "import_from_statement" => import_from(node, walk),
            "future_import_statement" => Flow::Skip,
            "keyword_argument" => {
                if let Some(name) = node.child_by_field_name("name") {
                    walk.take(name.start_byte());
                }
                Flow::Descend
            }
            "parameters" | "lambda_parameters" => {
                parameters(node, walk);
                Flow::Descend
            }
            "default_parameter" | "typed_parameter" => Flow::Table,
            "subscript" => environment(node, walk),
            "type" => quoted_type(node, walk),
            _ => Flow::Table,
        }
    }

    fn docstring<'t>(&self, body: Node<'t>) -> Option<Node<'t>> {
        let first = body.named_child(0)?;
        let string =
            if first.kind() == "expression_statement" { first.named_child(0)? } else { first };
        matches!(string.kind(), "string" | "concatenated_string").then_some(string)
    }
}

fn import(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    for child in node.named_children() {
        let (module, alias) = aliased(child, walk);
        // `import a.b` binds `a`, but `a.b` is how it is used.
        walk.import(module, "", alias.unwrap_or(module), import_kind::MODULE, line_of(child));
    }
    Flow::Skip
}

fn import_from(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let Some(module_node) = node.child_by_field_name("module_name") else { return Flow::Skip };
    let module = walk.text_of(module_node);
    for child in node.named_children().filter(|&child| child != module_node) {
        if child.kind() == "wildcard_import" {
            walk.import(module, "", "", import_kind::WILDCARD, line_of(child));
        } else if matches!(child.kind(), "dotted_name" | "aliased_import") {
            let (name, alias) = aliased(child, walk);
            walk.import(module, name, alias.unwrap_or(name), import_kind::NAME, line_of(child));
        }
    }
    Flow::Skip
}

fn aliased<'t>(node: Node<'_>, walk: &Walk<'t>) -> (&'t str, Option<&'t str>) {
    match (node.child_by_field_name("name"), node.child_by_field_name("alias")) {
        (Some(name), Some(alias)) if node.kind() == "aliased_import" => {
            (walk.text_of(name), Some(walk.text_of(alias)))
        }
        _ => (walk.text_of(node), None),
    }
}

/// Parameters come as bare identifiers, defaults, types and splats; the table cannot name them all.
fn parameters(node: Node<'_>, walk: &mut Walk<'_>) {
    for (position, child) in node.named_children().enumerate() {
        let name = match child.kind() {
            "identifier" => Some(child),
            "default_parameter" => child.child_by_field_name("name"),
            "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                child.named_child(0)
            }
            _ => None,
        };
        let Some(name) = name else { continue };
        let name = if matches!(name.kind(), "list_splat_pattern" | "dictionary_splat_pattern") {
            name.named_child(0).unwrap_or(name)
        } else {
            name
        };
        let written = child.child_by_field_name("type").map_or("", |written| walk.text_of(written));
        let variadic = u16::from(walk.text_of(child).starts_with('*'));
        let flags = variadic | u16::from(child.kind() == "default_parameter") << 1;
        walk.take(name.start_byte());
        let text = walk.text_of(name);
        walk.add_binding(
            text,
            written,
            binding::PARAMETER,
            position.min(255) as u8,
            flags,
            line_of(name),
        );
    }
}

/// `os.environ["X"]` reads the environment.
fn environment(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let value = node.child_by_field_name("value").map_or("", |value| walk.text_of(value));
    if matches!(value, "os.environ" | "environ")
        && let Some(index) = node.child_by_field_name("subscript")
    {
        let name = walk.text_of(index).trim_matches(['"', '\'']).to_owned();
        walk.reference(&name, RefKind::Env, index.start_byte(), line_of(index), 255);
    }
    Flow::Descend
}

/// A type in quotes names what it would name without them.
fn quoted_type(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(string) = node.named_child(0).filter(|child| child.kind() == "string") {
        let text = walk.text_of(string).trim_matches(['"', '\'']);
        for path in text
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .filter(|path| !path.is_empty())
        {
            walk.reference(path, RefKind::Type, string.start_byte(), line_of(string), 255);
        }
    }
    Flow::Table
}
