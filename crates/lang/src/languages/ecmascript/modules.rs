//! Imports and exports in all their forms.
//!
//! An export of a local name under another one is a re-export from the empty module: `export { a as
//! b }` is `("", a, b)`, `export default a` is `("", a, default)`.

use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::Visibility;
use contextd_model::facts::{import_kind, modifier};

pub fn import<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let clause = node
        .named_children()
        .find(|child| matches!(child.kind(), "import_clause" | "import_require_clause"));
    if let Some(clause) = clause.filter(|clause| clause.kind() == "import_require_clause") {
        let alias = clause.named_child(0).map_or("", |name| walk.text_of(name));
        walk.import(source(clause, walk), "", alias, import_kind::MODULE, line_of(node));
        return Flow::Skip;
    }
    let module = source(node, walk);
    let Some(clause) = clause else {
        walk.import(module, "", "", import_kind::MODULE, line_of(node));
        return Flow::Skip;
    };
    for child in clause.named_children() {
        match child.kind() {
            "identifier" => walk.import(
                module,
                "default",
                walk.text_of(child),
                import_kind::NAME,
                line_of(child),
            ),
            "namespace_import" => {
                let alias = child.named_child(0).map_or("", |name| walk.text_of(name));
                walk.import(module, "", alias, import_kind::MODULE, line_of(child));
            }
            _ => specifiers(child, "import_specifier", module, import_kind::NAME, walk),
        }
    }
    Flow::Skip
}

fn specifiers<'t>(list: Node<'t>, kind_name: &str, module: &str, kind: u8, walk: &mut Walk<'t>) {
    for child in list.named_children().filter(|child| child.kind() == kind_name) {
        let name =
            child.child_by_field_name("name").map_or("", |name| unquoted(walk.text_of(name)));
        let alias =
            child.child_by_field_name("alias").map_or(name, |alias| unquoted(walk.text_of(alias)));
        walk.import(module, name, alias, kind, line_of(child));
        if module.is_empty() {
            publish(name, walk);
        }
    }
}

pub fn export<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let module = source(node, walk);
    let clause = node
        .named_children()
        .find(|child| matches!(child.kind(), "export_clause" | "namespace_export"));
    match clause {
        Some(clause) if clause.kind() == "export_clause" => {
            specifiers(clause, "export_specifier", module, import_kind::REEXPORT, walk);
            return Flow::Skip;
        }
        Some(clause) => {
            let alias = clause.named_child(0).map_or("", |name| walk.text_of(name));
            walk.import(module, "", alias, import_kind::REEXPORT, line_of(node));
            return Flow::Skip;
        }
        None if !module.is_empty() => {
            walk.import(module, "", "", import_kind::REEXPORT_ALL, line_of(node));
            return Flow::Skip;
        }
        None => {}
    }
    if node.child_by_field_name("declaration").is_some() {
        walk.wrap(node);
    } else if let Some(value) = node.child_by_field_name("value") {
        exported_value(value, walk);
    }
    Flow::Descend
}

fn exported_value<'t>(value: Node<'t>, walk: &mut Walk<'t>) {
    let path = if matches!(value.kind(), "identifier" | "member_expression") {
        names::path(walk.text_of(value))
    } else {
        String::new()
    };
    if !path.is_empty() {
        walk.import("", &path, "default", import_kind::REEXPORT, line_of(value));
        publish(&path, walk);
    }
}

/// Marks a symbol of the file as exported by a statement of its own.
fn publish(name: &str, walk: &mut Walk<'_>) {
    for at in 1..walk.symbols.len() {
        let row = walk.symbols[at];
        if row.parent == 0 && walk.strings.table.get(row.name) == name {
            walk.symbols[at].modifiers |= modifier::EXPORTED;
            walk.symbols[at].visibility = Visibility::Public as u8;
        }
    }
}

fn source<'t>(node: Node<'t>, walk: &Walk<'t>) -> &'t str {
    node.child_by_field_name("source").map_or("", |source| unquoted(walk.text_of(source)))
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// A module that an expression loads, with the member that is taken of it.
pub struct Loaded {
    module: String,
    member: String,
}

/// Reads `require("x")`, `require("x").y`, `await import("x")` and `(await import("x")).y`.
pub fn loaded(value: Node<'_>, walk: &Walk<'_>) -> Option<Loaded> {
    let mut node = value;
    let mut member = String::new();
    for _ in 0..6 {
        match node.kind() {
            "await_expression"
            | "parenthesized_expression"
            | "non_null_expression"
            | "as_expression" => node = node.named_child(0)?,
            "member_expression" if member.is_empty() => {
                member = walk.text_of(node.child_by_field_name("property")?).to_owned();
                node = node.child_by_field_name("object")?;
            }
            "call_expression" => {
                return Some(Loaded { module: load_target(node, walk)?.to_owned(), member });
            }
            _ => return None,
        }
    }
    None
}

fn load_target<'t>(call: Node<'_>, walk: &Walk<'t>) -> Option<&'t str> {
    let callee = call.child_by_field_name("function")?;
    if callee.kind() != "import" && walk.text_of(callee) != "require" {
        return None;
    }
    let first = call.child_by_field_name("arguments")?.named_child(0)?;
    let text = walk.text_of(first);
    (matches!(first.kind(), "string" | "template_string") && !text.contains("${"))
        .then(|| unquoted(text))
}

/// Binds what a declarator takes from a loaded module.
pub fn bind_loaded<'t>(name: Node<'t>, loaded: &Loaded, walk: &mut Walk<'t>) {
    if name.kind() == "identifier" {
        let kind = if loaded.member.is_empty() { import_kind::MODULE } else { import_kind::NAME };
        walk.import(&loaded.module, &loaded.member, walk.text_of(name), kind, line_of(name));
        walk.take(name.start_byte());
        return;
    }
    for child in name.named_children() {
        let (imported, alias) = match child.kind() {
            "shorthand_property_identifier_pattern" => (Some(child), Some(child)),
            "pair_pattern" => {
                (child.child_by_field_name("key"), child.child_by_field_name("value"))
            }
            _ => (None, None),
        };
        if let (Some(imported), Some(alias)) = (imported, alias) {
            walk.take(alias.start_byte());
            walk.import(
                &loaded.module,
                walk.text_of(imported),
                walk.text_of(alias),
                import_kind::NAME,
                line_of(child),
            );
        }
    }
}

/// A load whose result no declarator takes.
pub fn bare_load<'t>(call: Node<'t>, walk: &mut Walk<'t>) {
    let Some(module) = load_target(call, walk) else { return };
    let line = line_of(call);
    let id = walk.intern(module);
    if !walk.imports.iter().rev().take(8).any(|row| row.module == id && row.line == line) {
        walk.import(module, "", "", import_kind::MODULE, line);
    }
}

/// `module.exports = a` and `exports.b = a` export like their statements.
pub fn assigned_export<'t>(path: &str, value: Node<'t>, walk: &mut Walk<'t>) {
    let alias = match path {
        "module.exports" => "default",
        _ => match path.strip_prefix("module.exports.").or_else(|| path.strip_prefix("exports.")) {
            Some(name) if !name.contains('.') => name,
            _ => return,
        },
    };
    if matches!(value.kind(), "identifier" | "member_expression") {
        let local = names::path(walk.text_of(value));
        walk.import("", &local, alias, import_kind::REEXPORT, line_of(value));
        publish(&local, walk);
    } else if let Some(loaded) = loaded(value, walk) {
        walk.import(&loaded.module, &loaded.member, alias, import_kind::REEXPORT, line_of(value));
    } else if value.kind() == "object" {
        exported_object(value, walk);
    }
}

/// `module.exports = { a, b: c }`.
fn exported_object<'t>(object: Node<'t>, walk: &mut Walk<'t>) {
    for child in object.named_children() {
        let (alias, local) = match child.kind() {
            "shorthand_property_identifier" => (Some(child), Some(child)),
            "pair" => (
                child.child_by_field_name("key"),
                child.child_by_field_name("value").filter(|value| value.kind() == "identifier"),
            ),
            _ => (None, None),
        };
        if let (Some(alias), Some(local)) = (alias, local) {
            let local = walk.text_of(local);
            walk.import("", local, walk.text_of(alias), import_kind::REEXPORT, line_of(child));
            publish(local, walk);
        }
    }
}
