//! PHP: namespaces, `use`, properties and constants that come in lists, `define`.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind};

pub struct Php;

impl Hooks for Php {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "namespace_definition" => namespace(node, walk),
            "namespace_use_declaration" => imports(node, walk),
            "require_expression"
            | "require_once_expression"
            | "include_expression"
            | "include_once_expression" => include(node, walk),
            "const_declaration" => constants(node, walk),
            "property_declaration" => properties(node, walk),
            "property_promotion_parameter" => {
                promoted(node, walk);
                Flow::Table
            }
            "function_call_expression" => define(node, walk),
            "subscript_expression" => environment(node, walk),
            "class_constant_access_expression" => class_constant(node, walk),
            "scoped_property_access_expression" => static_property(node, walk),
            "foreach_statement" => {
                loop_variables(node, walk);
                Flow::Table
            }
            "use_as_clause" | "use_instead_of_clause" => Flow::Skip,
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        if node.kind() != "method_declaration" {
            return;
        }
        let row = walk.symbols[symbol as usize];
        let (name, doc) = (walk.strings.table.get(row.name), walk.strings.table.get(row.doc));
        let is_test = doc.lines().any(|line| line.trim() == "@test")
            || name
                .strip_prefix("test")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'));
        let is_constructor = name == "__construct";
        let row = &mut walk.symbols[symbol as usize];
        row.modifiers |= if is_test { modifier::TEST } else { 0 };
        if is_constructor {
            row.kind = SymbolKind::Constructor as u8;
        }
    }
}

/// `namespace A\B;` is the package of the file, `namespace A\B { … }` a scope in it.
fn namespace<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let written = walk.text_of(name);
    if walk.package.is_empty() {
        walk.package = walk.intern(written);
    }
    if let Some(body) = node.child_by_field_name("body") {
        let path = names::path(written);
        let (scope, last) = names::split_last(&path);
        walk.add_symbol(
            node,
            name.end_byte() - last.len(),
            last,
            scope,
            SymbolKind::Namespace,
            Some(body),
            "",
            false,
        );
    }
    Flow::Descend
}

/// `use A\B;`, `use A\{B, C as D};`, `use function A\f;`.
fn imports(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let prefix = node.first_of_kind("namespace_name").map_or("", |prefix| walk.text_of(prefix));
    let group = node.child_by_field_name("body");
    let list = group.unwrap_or(node);
    for clause in list.named_children().filter(|child| child.kind() == "namespace_use_clause") {
        let Some(target) = clause.named_child(0) else { continue };
        let written = walk.text_of(target).trim_start_matches('\\');
        let whole = if prefix.is_empty() {
            written.to_owned()
        } else {
            format!("{}\\{written}", prefix.trim_matches('\\'))
        };
        let (module, name) = whole.rsplit_once('\\').unwrap_or(("", &whole));
        let alias = clause.child_by_field_name("alias").map_or(name, |alias| walk.text_of(alias));
        walk.import(module, name, alias, import_kind::NAME, line_of(clause));
    }
    Flow::Skip
}

/// `require __DIR__ . '/a.php'` names a file beside this one.
fn include(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let text = walk.text_of(node);
    let Some(open) = text.find(['"', '\'']) else { return Flow::Descend };
    let rest = &text[open + 1..];
    let Some(path) = rest.find(['"', '\'']).map(|close| &rest[..close]) else {
        return Flow::Descend;
    };
    let module =
        if text[..open].contains("__DIR__") { format!(".{path}") } else { path.to_owned() };
    walk.import(&module, "", "", import_kind::INCLUDE, line_of(node));
    Flow::Skip
}

fn constants<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    elements(node, "const_element", SymbolKind::Constant, written, walk)
}

fn properties<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    elements(node, "property_element", SymbolKind::Field, written, walk)
}

/// One symbol for each element; a single one owns what the declaration holds.
fn elements<'t>(
    node: Node<'t>,
    kind: &str,
    symbol_kind: SymbolKind,
    written: &'t str,
    walk: &mut Walk<'t>,
) -> Flow {
    let elements: Vec<Node<'t>> =
        node.named_children().filter(|child| child.kind() == kind).collect();
    for element in &elements {
        let Some(name) = element.named_child(0) else { continue };
        let text = walk.text_of(name).trim_start_matches('$');
        let symbol = walk.add_symbol(
            node,
            name.end_byte() - text.len(),
            text,
            "",
            symbol_kind,
            None,
            written,
            elements.len() > 1,
        );
        let signature = walk
            .strings
            .table
            .get(walk.symbols[symbol as usize].signature)
            .trim_end_matches([';', ' '])
            .to_owned();
        walk.symbols[symbol as usize].signature = walk.intern(&signature);
        walk.take(name.start_byte());
    }
    Flow::Descend
}

/// A constructor's parameter that is a property too.
fn promoted(node: Node<'_>, walk: &mut Walk<'_>) {
    let name = node
        .child_by_field_name("name")
        .map_or("", |name| walk.text_of(name))
        .trim_start_matches('$');
    let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    walk.add_binding(&format!("self.{name}"), written, binding::DECLARED, 0, 0, line_of(node));
}

/// `define('NAME', value)` declares a constant.
fn define<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let callee = node.child_by_field_name("function").map_or("", |callee| walk.text_of(callee));
    let in_callable = walk.symbols[walk.owner() as usize].kind().is_callable();
    let first = node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
    if let Some(first) = first.filter(|_| callee == "define" && !in_callable) {
        let name = walk.text_of(first).trim_matches(['"', '\'']);
        if crate::walk::is_name(name) {
            walk.add_symbol(
                node,
                first.start_byte() + 1,
                name,
                "",
                SymbolKind::Constant,
                None,
                "",
                false,
            );
        }
    }
    Flow::Table
}

/// `$_ENV['X']` and `$_SERVER['X']` read the environment.
fn environment(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let object = node.named_child(0).map_or("", |object| walk.text_of(object));
    if let Some(index) = node.named_child(1).filter(|_| matches!(object, "$_ENV" | "$_SERVER")) {
        let name = walk.text_of(index).trim_matches(['"', '\'']).to_owned();
        walk.reference(&name, RefKind::Env, index.start_byte(), line_of(index), 255);
    }
    Flow::Descend
}

/// `Foo::class` mentions `Foo` alone.
fn class_constant(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let last = node.last_named_child();
    match last {
        Some(last) if walk.text_of(last) == "class" => {
            walk.take(last.start_byte());
            Flow::Descend
        }
        _ => Flow::Table,
    }
}

/// `self::$cache` is the property `cache`.
fn static_property(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let (Some(scope), Some(name)) =
        (node.child_by_field_name("scope"), node.child_by_field_name("name"))
    {
        let path = format!(
            "{}.{}",
            names::path(walk.text_of(scope)),
            walk.text_of(name).trim_start_matches('$')
        );
        walk.reference(&path, RefKind::Field, name.start_byte(), line_of(name), 255);
    }
    Flow::Descend
}

fn loop_variables(node: Node<'_>, walk: &mut Walk<'_>) {
    // The first child is what is looped over.
    for child in node.named_children().skip(1).take(1) {
        let names: Vec<Node<'_>> =
            if child.kind() == "pair" { child.named_children().collect() } else { vec![child] };
        for name in names.iter().filter(|name| name.kind() == "variable_name") {
            walk.add_binding(walk.text_of(*name), "", binding::ALIAS, 0, 0, line_of(*name));
        }
    }
}
