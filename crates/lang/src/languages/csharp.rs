//! C#: usings, namespaces, base lists that mix classes and interfaces, and members without a name.

mod mask;

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{
    SymbolRow, UNKNOWN_PARAMETERS, base_kind, binding, import_kind, modifier,
};
use contextd_model::{RefKind, SymbolKind, Visibility};
use std::borrow::Cow;

pub struct CSharp;

impl Hooks for CSharp {
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        mask::masked(text)
    }

    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "using_directive" => using(node, walk),
            "file_scoped_namespace_declaration" => file_namespace(node, walk),
            "field_declaration" | "event_field_declaration" => fields(node, walk),
            "variable_declaration" => locals(node, walk),
            "destructor_declaration" => {
                let name = field_text(node, "name", walk);
                member(node, &format!("~{name}"), "~", SymbolKind::Method, walk)
            }
            "operator_declaration" => {
                let name = format!("operator {}", field_text(node, "operator", walk));
                member(node, &name, "operator", SymbolKind::Method, walk)
            }
            "conversion_operator_declaration" => {
                let name = format!("operator {}", field_text(node, "type", walk));
                member(node, &name, "operator", SymbolKind::Method, walk)
            }
            "indexer_declaration" => member(node, "this", "this", SymbolKind::Property, walk),
            "params" => variadic(walk),
            "argument" | "attribute_argument" => {
                if let Some(name) = node.child_by_field_name("name") {
                    walk.take(name.start_byte());
                }
                Flow::Table
            }
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        plain_doc(symbol, walk);
        leave_namespace(symbol, walk);
        match node.kind() {
            "namespace_declaration" => namespace(node, symbol, walk),
            "class_declaration" | "struct_declaration" | "interface_declaration" => {
                bases(node, symbol, walk)
            }
            "record_declaration" => record(node, symbol, walk),
            _ => {}
        }
    }

    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let parent = walk.symbols.get(row.parent as usize)?;
        Some(match parent.kind() {
            SymbolKind::File | SymbolKind::Namespace if row.kind() == SymbolKind::Namespace => {
                Visibility::Public
            }
            SymbolKind::File | SymbolKind::Namespace => Visibility::Internal,
            SymbolKind::Interface => Visibility::Public,
            SymbolKind::Enum => parent.visibility(),
            _ => Visibility::Private,
        })
    }
}

fn field_text<'t>(node: Node<'_>, field: &str, walk: &Walk<'t>) -> &'t str {
    node.child_by_field_name(field).map_or("", |child| walk.text_of(child))
}

/// `using A;` opens a namespace, `using static` a type, `using X = A.B` binds one name. `global` makes
/// it count for the other files too.
fn using<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let is_global = node.children().any(|child| child.kind() == "global");
    let alias = node.child_by_field_name("name");
    let Some(target) = node.named_children().filter(|&child| Some(child) != alias).last() else {
        return Flow::Skip;
    };
    let path = names::path(walk.text_of(target));
    match alias {
        Some(alias) => {
            let (module, name) = names::split_last(&path);
            let kind = if is_global { import_kind::REEXPORT } else { import_kind::NAME };
            walk.import(module, name, walk.text_of(alias), kind, line_of(node));
            let symbol = walk.add_symbol(
                node,
                alias.start_byte(),
                walk.text_of(alias),
                "",
                SymbolKind::TypeAlias,
                None,
                walk.text_of(target),
                true,
            );
            walk.symbols[symbol as usize].visibility =
                if is_global { Visibility::Internal } else { Visibility::Private } as u8;
        }
        None => {
            let kind = if is_global { import_kind::REEXPORT_ALL } else { import_kind::WILDCARD };
            walk.import(&path, "", "", kind, line_of(node));
        }
    }
    Flow::Skip
}

/// `namespace A.B;` holds for the rest of the file.
fn file_namespace<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if let Some(name) = node.child_by_field_name("name") {
        let path = names::path(walk.text_of(name));
        let (scope, last) = names::split_last(&path);
        let start = name.end_byte().saturating_sub(last.len());
        walk.add_symbol(node, start, last, scope, SymbolKind::Namespace, None, "", true);
        walk.package = walk.intern(&path);
    }
    Flow::Skip
}

/// The first namespace of a file is its package, as `namespace A.B;` would be.
fn namespace(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    if let Some(name) = node.child_by_field_name("name") {
        walk.path_until = name.end_byte();
        walk.take(name.start_byte());
    }
    if walk.package.is_empty() {
        walk.package = walk.symbols[symbol as usize].qualified;
    }
}

/// What stands in the package is named without it, whichever way the namespace is written.
fn leave_namespace(symbol: u32, walk: &mut Walk<'_>) {
    let row = walk.symbols[symbol as usize];
    let parent = walk.symbols[row.parent as usize];
    if parent.kind() == SymbolKind::Namespace
        && parent.qualified == walk.package
        && row.kind() != SymbolKind::Namespace
    {
        walk.symbols[symbol as usize].qualified = row.name;
    }
}

/// `params T[] rest`: the grammar leaves the last parameter without a node of its own.
fn variadic(walk: &mut Walk<'_>) -> Flow {
    let Some(list) = walk.ancestor(1) else { return Flow::Skip };
    let Some(name) = list.child_by_field_name("name") else { return Flow::Skip };
    let owner = walk.owner();
    let position = walk
        .bindings
        .iter()
        .rev()
        .take_while(|row| row.owner == owner)
        .filter(|row| row.how == binding::PARAMETER)
        .count();
    walk.take(name.start_byte());
    // Its type and its name were counted as one parameter each.
    let count = &mut walk.symbols[owner as usize].parameters;
    *count = if *count == UNKNOWN_PARAMETERS { *count } else { count.saturating_sub(1) };
    walk.add_binding(
        walk.text_of(name),
        field_text(list, "type", walk),
        binding::PARAMETER,
        position.min(255) as u8,
        1,
        line_of(name),
    );
    Flow::Skip
}

/// One field for each declarator. A single one owns its initialiser.
fn fields<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(declaration) = node.first_of_kind("variable_declaration") else {
        return Flow::Descend;
    };
    let written = field_text(declaration, "type", walk);
    let names: Vec<Node<'t>> = declaration
        .named_children()
        .filter_map(|child| child.child_by_field_name("name"))
        .collect();
    for &name in &names {
        let symbol = walk.add_symbol(
            node,
            name.start_byte(),
            walk.text_of(name),
            "",
            SymbolKind::Field,
            None,
            written,
            names.len() > 1,
        );
        let header = walk.text.get(node.start_byte()..declaration.start_byte()).unwrap_or("");
        if header.split_whitespace().any(|word| word == "const") {
            walk.symbols[symbol as usize].kind = SymbolKind::Constant as u8;
        }
        plain_doc(symbol, walk);
    }
    Flow::Descend
}

fn locals<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let written = field_text(node, "type", walk);
    let written = if written == "var" { "" } else { written };
    let declarators: Vec<Node<'t>> =
        node.named_children().filter(|child| child.kind() == "variable_declarator").collect();
    for declarator in declarators {
        let Some(name) = declarator.child_by_field_name("name") else { continue };
        let last = declarator.last_named_child();
        walk.take(name.start_byte());
        walk.bind(name, written, last.filter(|&last| last != name));
    }
    Flow::Table
}

/// A member that the grammar gives no name field: it is called by the word it is declared with.
fn member<'t>(
    node: Node<'t>,
    name: &str,
    word: &str,
    kind: SymbolKind,
    walk: &mut Walk<'t>,
) -> Flow {
    let start = node
        .children()
        .find(|child| child.kind() == word)
        .map_or(node.start_byte(), |word| word.start_byte());
    let body = node
        .child_by_field_name("body")
        .or_else(|| node.child_by_field_name("accessors"))
        .or_else(|| node.child_by_field_name("value"));
    let written = field_text(node, "type", walk);
    if let Some(written_name) = node.child_by_field_name("name") {
        walk.take(written_name.start_byte());
    }
    let symbol = walk.add_symbol(node, start, name, "", kind, body, written, false);
    plain_doc(symbol, walk);
    Flow::Descend
}

/// The first base of a class may be a class or an interface: by convention `IName` is the latter.
fn bases(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let Some(list) = node.first_of_kind("base_list") else { return };
    let kind = walk.symbols[symbol as usize].kind();
    let found: Vec<Node<'_>> = list
        .named_children()
        .filter(|child| !matches!(child.kind(), "argument_list" | "comment"))
        .collect();
    for (index, base) in found.into_iter().enumerate() {
        let path = names::type_head(walk.text_of(base));
        let how = match kind {
            SymbolKind::Interface => base_kind::EXTENDS,
            SymbolKind::Struct => base_kind::IMPLEMENTS,
            _ if index > 0 || is_interface_name(names::split_last(&path).1) => {
                base_kind::IMPLEMENTS
            }
            _ => base_kind::EXTENDS,
        };
        // As metadata writes it: a base with two type arguments is named `Base`2`.
        let named = match walk.arity(base) {
            0 => path.clone(),
            arity => format!("{path}`{arity}"),
        };
        walk.base(symbol, &named, how, line_of(base));
        if base.kind() == "identifier" {
            walk.take(base.start_byte());
            walk.reference(&path, RefKind::Type, base.start_byte(), line_of(base), 0);
        }
    }
}

fn is_interface_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}

/// The parameters of a record are its properties.
fn record<'t>(node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
    if node.children().any(|child| child.kind() == "struct") {
        walk.symbols[symbol as usize].kind = SymbolKind::Struct as u8;
    }
    bases(node, symbol, walk);
    let Some(list) = node.first_of_kind("parameter_list") else { return };
    let parameters: Vec<Node<'t>> =
        list.named_children().filter(|child| child.kind() == "parameter").collect();
    for parameter in parameters {
        let Some(name) = parameter.child_by_field_name("name") else { continue };
        let written = field_text(parameter, "type", walk);
        let property = walk.add_symbol(
            parameter,
            name.start_byte(),
            walk.text_of(name),
            "",
            SymbolKind::Property,
            None,
            written,
            true,
        );
        let row = &mut walk.symbols[property as usize];
        (row.visibility, row.modifiers) =
            (Visibility::Public as u8, row.modifiers & !modifier::DECLARATION);
    }
}

/// Documentation is XML: tags go, what `cref` names stays.
fn plain_doc(symbol: u32, walk: &mut Walk<'_>) {
    let doc = walk.strings.table.get(walk.symbols[symbol as usize].doc);
    if !doc.contains('<') {
        return;
    }
    let mut out = String::with_capacity(doc.len());
    let mut rest = doc;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        out.push_str(
            tag.split_once("cref=\"")
                .or_else(|| tag.split_once("name=\""))
                .and_then(|(_, name)| name.split('"').next())
                .unwrap_or(""),
        );
        rest = after;
    }
    out.push_str(rest);
    let lines: Vec<&str> = out.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let plain = lines.join("\n");
    walk.symbols[symbol as usize].doc = walk.strings.intern(&plain);
}
