//! Scala: nested packages, import selectors, mixins, operators as names and extensions.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, is_name, line_of};
use contextd_model::SymbolKind;
use contextd_model::facts::{base_kind, binding, import_kind};

pub struct Scala;

impl Hooks for Scala {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "package_clause" => package(node, walk),
            "import_declaration" => imports(node, false, walk),
            "export_declaration" => imports(node, true, walk),
            "function_definition" | "function_declaration" => operator(node, walk),
            "extension_definition" => extension(node, walk),
            "case_clause" => bound(node.child_by_field_name("pattern"), walk),
            "enumerator" => bound(node.named_child(0), walk),
            "assignment_expression" => argument_name(node, walk),
            "block"
            | "indented_block"
            | "case_block"
            | "indented_cases"
            | "lambda_expression"
            | "instance_expression" => {
                let owner = &walk.symbols[walk.owner() as usize];
                if owner.kind().is_type() || owner.kind() == SymbolKind::File {
                    walk.local_block(node);
                }
                Flow::Table
            }
            "type_definition" => symbolic_type(node, walk),
            _ => Flow::Table,
        }
    }

    fn name<'t>(&self, node: Node<'t>, _walk: &Walk<'t>) -> Option<Node<'t>> {
        // `val a, b = 1` is named by the first.
        let pattern = node.child_by_field_name("pattern")?;
        (pattern.kind() == "identifiers").then(|| pattern.named_child(0)).flatten()
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        if let Some(extend) = node.child_by_field_name("extend") {
            bases(extend, symbol, walk);
        }
        if let Some(derive) = node.child_by_field_name("derive") {
            each_base(derive, symbol, base_kind::MIXIN, walk);
        }
        match node.kind() {
            "given_definition" => {
                if let Some(written) = node.child_by_field_name("return_type") {
                    walk.base(
                        symbol,
                        &names::type_head(walk.text_of(written)),
                        base_kind::EXTENDS,
                        line_of(written),
                    );
                }
            }
            "class_definition" | "enum_definition" | "full_enum_case" => {
                constructor_fields(node, walk)
            }
            "function_definition"
                if walk.strings.table.get(walk.symbols[symbol as usize].name) == "this" =>
            {
                walk.symbols[symbol as usize].kind = SymbolKind::Constructor as u8;
            }
            _ => {}
        }
    }
}

/// Clauses add up: `package a` and `package b` make `a.b`.
fn package(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let written = node
        .child_by_field_name("name")
        .map_or_else(String::new, |name| names::path(walk.text_of(name)));
    let outer = walk.strings.table.get(walk.package);
    let joined = if outer.is_empty() { written } else { format!("{outer}.{written}") };
    walk.package = walk.intern(&joined);
    Flow::Descend
}

/// `import a.b.{c, d => e, _}`, several of them split by commas.
fn imports(node: Node<'_>, exported: bool, walk: &mut Walk<'_>) -> Flow {
    let mut path: Vec<&str> = Vec::new();
    let mut done = false;
    for child in node.children() {
        match child.kind() {
            "," => {
                finish_path(&path, done, exported, line_of(node), walk);
                path.clear();
                done = false;
            }
            "identifier" | "operator_identifier" => path.push(walk.text_of(child)),
            "stable_identifier" => path.extend(walk.text_of(child).split('.')),
            "namespace_wildcard" | "as_renamed_identifier" | "arrow_renamed_identifier" => {
                selector(child, &path.join("."), exported, walk);
                done = true;
            }
            "namespace_selectors" => {
                let module = path.join(".");
                for one in child.named_children() {
                    selector(one, &module, exported, walk);
                }
                done = true;
            }
            _ => {}
        }
    }
    finish_path(&path, done, exported, line_of(node), walk);
    Flow::Skip
}

fn finish_path(path: &[&str], done: bool, exported: bool, line: u32, walk: &mut Walk<'_>) {
    if let (Some((name, module)), false) = (path.split_last(), done) {
        let kind = if exported { import_kind::REEXPORT } else { import_kind::NAME };
        walk.import(&module.join("."), name, name, kind, line);
    }
}

fn selector(node: Node<'_>, module: &str, exported: bool, walk: &mut Walk<'_>) {
    let text =
        |field: &str| node.child_by_field_name(field).map_or("", |child| walk.text_of(child));
    let (name, alias, kind) = match node.kind() {
        "namespace_wildcard" => {
            ("", "", if exported { import_kind::REEXPORT_ALL } else { import_kind::WILDCARD })
        }
        "as_renamed_identifier" | "arrow_renamed_identifier" => (
            text("name"),
            text("alias"),
            if exported { import_kind::REEXPORT } else { import_kind::NAME },
        ),
        "identifier" | "operator_identifier" => (
            walk.text_of(node),
            walk.text_of(node),
            if exported { import_kind::REEXPORT } else { import_kind::NAME },
        ),
        _ => return,
    };
    // `d => _` hides the name.
    if alias == "_" {
        return;
    }
    walk.import(module, name, alias, kind, line_of(node));
}

/// `def +(other: A)`: an operator is as good a name as any.
fn operator<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Table };
    let text = walk.text_of(name);
    if is_name(text) || text.starts_with('`') {
        return Flow::Table;
    }
    let written =
        node.child_by_field_name("return_type").map_or("", |written| walk.text_of(written));
    let symbol = walk.add_symbol(
        node,
        name.start_byte(),
        text,
        "",
        SymbolKind::Method,
        node.child_by_field_name("body"),
        written,
        false,
    );
    if let Some(generics) = node.first_of_kind("type_parameters") {
        walk.set_generics(symbol, walk.text_of(generics));
    }
    Flow::Descend
}

/// `type ~>[F[_], G[_]] = FunctionK[F, G]`: the name may be an operator.
fn symbolic_type<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Table };
    let text = walk.text_of(name);
    if is_name(text) || text.starts_with('`') || text.is_empty() {
        return Flow::Table;
    }
    let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    let symbol = walk.add_symbol(
        node,
        name.start_byte(),
        text,
        "",
        SymbolKind::TypeAlias,
        None,
        written,
        false,
    );
    if let Some(generics) = node.child_by_field_name("type_parameters") {
        walk.set_generics(symbol, walk.text_of(generics));
    }
    Flow::Descend
}

/// `extension (s: String)`: its methods are members of `String`.
fn extension<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let parameters =
        node.children_by_field_name("parameters").find(|child| child.kind() == "parameters");
    let parameter = parameters.and_then(|parameters| parameters.named_child(0));
    if let Some(written) = parameter.and_then(|parameter| parameter.child_by_field_name("type")) {
        let path = names::type_head(walk.text_of(written));
        let name = names::split_last(&path).1;
        if is_name(name) {
            walk.add_symbol(
                node,
                written.start_byte(),
                name,
                "",
                SymbolKind::Extension,
                node.child_by_field_name("body"),
                "",
                false,
            );
        }
    }
    Flow::Descend
}

/// A pattern that is one lower-case name binds it.
fn bound(pattern: Option<Node<'_>>, walk: &mut Walk<'_>) -> Flow {
    if let Some(name) = pattern.filter(|pattern| pattern.kind() == "identifier") {
        let text = walk.text_of(name);
        if text.starts_with(char::is_lowercase) {
            walk.take(name.start_byte());
            walk.add_binding(text, "", binding::ALIAS, 0, 0, line_of(name));
        }
    }
    Flow::Table
}

/// `f(name = value)` names a parameter, which the grammar reads as an assignment.
fn argument_name(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(left) = node.child_by_field_name("left").filter(|left| left.kind() == "identifier")
    {
        walk.take(left.start_byte());
    }
    Flow::Table
}

/// What follows `extends` is the base, what follows `with` is mixed in.
fn bases(extend: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let mut kind = base_kind::EXTENDS;
    let types: Vec<Node<'_>> = extend
        .named_children()
        .filter(|child| !matches!(child.kind(), "arguments" | "comment" | "block_comment"))
        .collect();
    for written in types {
        // `A with B` may come as one compound type.
        if written.kind() == "compound_type" {
            for part in written.named_children() {
                walk.base(symbol, &names::type_head(walk.text_of(part)), kind, line_of(part));
                kind = base_kind::MIXIN;
            }
        } else {
            walk.base(symbol, &names::type_head(walk.text_of(written)), kind, line_of(written));
        }
        kind = base_kind::MIXIN;
    }
}

fn each_base(list: Node<'_>, symbol: u32, kind: u8, walk: &mut Walk<'_>) {
    let types: Vec<Node<'_>> = list.named_children().collect();
    for written in types {
        walk.base(symbol, &names::type_head(walk.text_of(written)), kind, line_of(written));
    }
}

/// Parameters of a case class, and those marked `val` or `var`, are fields.
fn constructor_fields<'t>(node: Node<'t>, walk: &mut Walk<'t>) {
    let is_case =
        node.kind() == "full_enum_case" || node.children().any(|child| child.kind() == "case");
    let lists: Vec<Node<'t>> =
        node.named_children().filter(|child| child.kind() == "class_parameters").collect();
    for (index, list) in lists.into_iter().enumerate() {
        let parameters: Vec<Node<'t>> =
            list.named_children().filter(|child| child.kind() == "class_parameter").collect();
        for parameter in parameters {
            let marked = parameter.children().any(|child| matches!(child.kind(), "val" | "var"));
            let Some(name) =
                parameter.child_by_field_name("name").filter(|_| marked || is_case && index == 0)
            else {
                continue;
            };
            let written =
                parameter.child_by_field_name("type").map_or("", |written| walk.text_of(written));
            walk.add_symbol(
                parameter,
                name.start_byte(),
                walk.text_of(name),
                "",
                SymbolKind::Field,
                None,
                written,
                true,
            );
        }
    }
}
