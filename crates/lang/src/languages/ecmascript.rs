//! ECMAScript family: modules, declarators with functions as values, destructuring, parameters.
//! TypeScript, TSX and JavaScript share these hooks; kinds that a grammar lacks never arrive.

mod modules;
mod patterns;

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{
    FILE_SYMBOL, MAX_SIGNATURE, SymbolRow, binding, import_kind, modifier,
};
use contextd_model::{RefKind, SymbolKind, Visibility};

pub struct EcmaScript {
    /// Members are declared by types: what is assigned to them inside a function only fills them.
    pub typed: bool,
}

impl Hooks for EcmaScript {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "import_statement" => modules::import(node, walk),
            "export_statement" => modules::export(node, walk),
            "lexical_declaration" | "variable_declaration" => declaration(node, walk),
            "variable_declarator" => declarator(node, walk),
            "assignment_expression" => assignment(node, self.typed, walk),
            "method_definition" => method(node, walk),
            "public_field_definition" | "field_definition" => field(node, walk),
            "pair" => pair(node, walk),
            "arrow_function" | "function_expression" | "generator_function" | "class" => {
                anonymous(node, walk)
            }
            "formal_parameters" => patterns::parameters(node, walk),
            "for_in_statement" | "catch_clause" => patterns::loop_or_catch(node, walk),
            "type_parameter" => patterns::type_parameter(node, walk),
            "index_signature" => patterns::index_signature(node, walk),
            "call_expression" => call(node, walk),
            "enum_body" => enum_body(node, walk),
            "module" => ambient_module(node, walk),
            "member_expression" | "subscript_expression" => environment(node, walk),
            _ => Flow::Table,
        }
    }

    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let parent = walk.symbols.get(row.parent as usize)?;
        let hidden =
            walk.text.get(..row.name_start as usize).is_some_and(|before| before.ends_with('#'))
                || walk.text.as_bytes().get(row.name_start as usize) == Some(&b'#');
        Some(match parent.kind() {
            _ if hidden || row.has(modifier::LOCAL) => Visibility::Private,
            SymbolKind::File | SymbolKind::Namespace => Visibility::Internal,
            _ => Visibility::Public,
        })
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

fn at_module_level(walk: &Walk<'_>) -> bool {
    let owner = walk.owner();
    owner == FILE_SYMBOL
        || matches!(walk.symbols[owner as usize].kind(), SymbolKind::Namespace | SymbolKind::Module)
}

/// `const`, `let`, `var`: starts the symbol when its declarator becomes one.
fn declaration<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let value = node.named_child(0).and_then(|declarator| declarator.child_by_field_name("value"));
    if at_module_level(walk)
        || value.is_some_and(|value| is_function(value) || value.kind() == "class")
    {
        walk.wrap(node);
    }
    Flow::Descend
}

fn declarator<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Table };
    let value = node.child_by_field_name("value");
    if let Some(module) = value.and_then(|value| modules::loaded(value, walk)) {
        modules::bind_loaded(name, &module, walk);
        return Flow::Descend;
    }
    if name.kind() != "identifier" {
        patterns::destructure(name, node, walk);
        return Flow::Descend;
    }
    match value {
        Some(value) if is_function(value) => {
            return callable(node, name, value, "", SymbolKind::Function, walk);
        }
        Some(value) if value.kind() == "class" => return class(node, name, value, walk),
        _ => {}
    }
    if at_module_level(walk) {
        let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
        let constant = walk
            .ancestor(1)
            .and_then(|parent| parent.child(0))
            .is_some_and(|word| word.kind() == "const");
        let kind = if constant { SymbolKind::Constant } else { SymbolKind::Variable };
        let body = value.filter(|value| value.start_row() != value.end_row());
        walk.add_symbol(
            node,
            name.start_byte(),
            walk.text_of(name),
            "",
            kind,
            body,
            written,
            false,
        );
    }
    cast(node, name, value, walk).unwrap_or(Flow::Table)
}

/// `x = y as Foo` declares a type as well as `x: Foo` does.
fn cast<'t>(
    node: Node<'t>,
    name: Node<'t>,
    value: Option<Node<'t>>,
    walk: &mut Walk<'t>,
) -> Option<Flow> {
    let value = value.filter(|value| {
        value.kind() == "as_expression" && node.child_by_field_name("type").is_none()
    })?;
    let written = value.last_named_child()?;
    walk.take(name.start_byte());
    let type_text = crate::walk::fold(walk.text_of(written), 120);
    walk.add_binding(walk.text_of(name), &type_text, binding::DECLARED, 0, 0, line_of(name));
    Some(Flow::Descend)
}

fn callable<'t>(
    node: Node<'t>,
    name: Node<'t>,
    value: Node<'t>,
    scope: &str,
    kind: SymbolKind,
    walk: &mut Walk<'t>,
) -> Flow {
    let text = names::path(walk.text_of(name));
    let text = names::split_last(&text).1;
    if !crate::walk::is_name(text) {
        return Flow::Descend;
    }
    let own = value.child_by_field_name("name");
    if let Some(own) = own {
        walk.take(own.start_byte());
    }
    let written =
        value.child_by_field_name("return_type").map_or("", |written| walk.text_of(written));
    let start = name.end_byte() - text.len().min(name.end_byte());
    let index = walk.add_symbol(
        node,
        start,
        text,
        scope,
        kind,
        value.child_by_field_name("body"),
        written,
        false,
    );
    if walk.text_of(value).starts_with("async") {
        walk.symbols[index as usize].modifiers |= modifier::ASYNC;
    }
    if let Some(own) = own.filter(|&own| walk.text_of(own) != text) {
        own_name(own, value, walk);
    }
    Flow::Descend
}

/// `open: function openMenu() {}` is known by both names, inside and in traces by the second; what it
/// holds belongs to the first.
fn own_name<'t>(name: Node<'t>, value: Node<'t>, walk: &mut Walk<'t>) {
    let index = walk.add_symbol(
        name,
        name.start_byte(),
        walk.text_of(name),
        "",
        SymbolKind::Function,
        Some(name),
        "",
        true,
    );
    let head = value.child_by_field_name("body").map_or(value.end_byte(), |body| body.start_byte());
    let signature =
        crate::walk::fold(walk.text.get(value.start_byte()..head).unwrap_or(""), MAX_SIGNATURE);
    let signature = walk.intern(&signature);
    let row = &mut walk.symbols[index as usize];
    row.signature = signature;
    row.modifiers |= modifier::LOCAL;
    row.visibility = Visibility::Private as u8;
}

fn class<'t>(node: Node<'t>, name: Node<'t>, value: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if let Some(inner) = value.child_by_field_name("name") {
        walk.take(inner.start_byte());
    }
    walk.add_symbol(
        node,
        name.start_byte(),
        walk.text_of(name),
        "",
        SymbolKind::Class,
        value.child_by_field_name("body"),
        "",
        false,
    );
    Flow::Descend
}

/// `a.b = function …` defines, as `a = function …` does; `this.x = value` tells the type of a field; the
/// rest only refers. Inside a function of a typed language only what is put on a type defines.
fn assignment<'t>(node: Node<'t>, typed: bool, walk: &mut Walk<'t>) -> Flow {
    let (Some(left), Some(right)) =
        (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return Flow::Descend;
    };
    let function = function_in(right);
    let defines = !typed || at_module_level(walk);
    if left.kind() == "identifier" {
        return function.filter(|_| defines).map_or(Flow::Descend, |function| {
            callable(node, left, function, "", SymbolKind::Function, walk)
        });
    }
    let (Some(property), "member_expression") = (left.child_by_field_name("property"), left.kind())
    else {
        return Flow::Descend;
    };
    let path = names::path(walk.text_of(left));
    let (object, name) = names::split_last(&path);
    let named = !path.contains(['(', '[']) && !name.is_empty();
    if let Some(rest) = path.strip_prefix("this.") {
        let scope = names::split_last(rest).0;
        return function.filter(|_| named && !typed).map_or(Flow::Table, |function| {
            callable(node, property, function, scope, SymbolKind::Method, walk)
        });
    }
    modules::assigned_export(&path, right, walk);
    match (object, function) {
        _ if !named || !(defines || is_type_like(object)) => Flow::Descend,
        ("module", _) => exported(node, property, right, walk),
        ("exports" | "module.exports", _) if right.kind() == "class" => {
            published(node, property, right, walk, class)
        }
        ("exports" | "module.exports", Some(function)) => {
            published(node, property, function, walk, |node, name, value, walk| {
                callable(node, name, value, "", SymbolKind::Function, walk)
            })
        }
        (_, Some(function)) => callable(
            node,
            property,
            function,
            object.strip_suffix(".prototype").unwrap_or(object),
            SymbolKind::Method,
            walk,
        ),
        _ => Flow::Descend,
    }
}

/// True for what stands for a type by its form: `Shape.prototype`, `Shape`.
fn is_type_like(object: &str) -> bool {
    let last = names::split_last(object).1;
    last == "prototype" || last.starts_with(char::is_uppercase)
}

/// `module.exports = function () {}`: what the module is goes by that name when it has no other.
fn exported<'t>(node: Node<'t>, name: Node<'t>, value: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let is_class = value.kind() == "class";
    if walk.text_of(name) != "exports"
        || !(is_function(value) || is_class)
        || value.child_by_field_name("name").is_some()
    {
        return Flow::Descend;
    }
    if at_module_level(walk) {
        walk.import("", "exports", "default", import_kind::REEXPORT, line_of(name));
    }
    published(node, name, value, walk, |node, name, value, walk| {
        if is_class {
            class(node, name, value, walk)
        } else {
            callable(node, name, value, "", SymbolKind::Function, walk)
        }
    })
}

/// Adds a symbol by `add` and makes it public.
fn published<'t>(
    node: Node<'t>,
    name: Node<'t>,
    value: Node<'t>,
    walk: &mut Walk<'t>,
    add: impl FnOnce(Node<'t>, Node<'t>, Node<'t>, &mut Walk<'t>) -> Flow,
) -> Flow {
    let before = walk.symbols.len();
    let flow = add(node, name, value, walk);
    if let Some(row) = walk.symbols.get_mut(before) {
        row.modifiers |= modifier::EXPORTED;
        row.visibility = Visibility::Public as u8;
    }
    flow
}

/// Returns the function that a value is, or that is made by calling one which does nothing else:
/// `(function (self) { return function () {}; })(this)`.
fn function_in(value: Node<'_>) -> Option<Node<'_>> {
    if is_function(value) {
        return Some(value);
    }
    let wrapper = Some(value)
        .filter(|value| value.kind() == "call_expression")?
        .child_by_field_name("function")?;
    let maker = Some(wrapper)
        .filter(|wrapper| wrapper.kind() == "parenthesized_expression")?
        .named_child(0)
        .filter(|&maker| is_function(maker))?;
    let first = maker
        .child_by_field_name("body")?
        .named_child(0)
        .filter(|first| first.kind() == "return_statement")?;
    first.named_child(0).filter(|&made| is_function(made))
}

fn method<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Table };
    if walk.text_of(name) != "constructor" || !walk.symbols[walk.owner() as usize].kind().is_type()
    {
        return Flow::Table;
    }
    walk.add_symbol(
        node,
        name.start_byte(),
        "constructor",
        "",
        SymbolKind::Constructor,
        node.child_by_field_name("body"),
        "",
        false,
    );
    Flow::Descend
}

fn field<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
    match (name, node.child_by_field_name("value")) {
        (Some(name), Some(value)) if is_function(value) => {
            callable(node, name, value, "", SymbolKind::Method, walk)
        }
        _ => Flow::Table,
    }
}

fn pair<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    match (node.child_by_field_name("key"), node.child_by_field_name("value")) {
        (Some(key), Some(value)) if is_function(value) => match key.kind() {
            "property_identifier" => callable(node, key, value, "", SymbolKind::Method, walk),
            "string" => key.named_child(0).map_or(Flow::Descend, |key| {
                callable(node, key, value, "", SymbolKind::Method, walk)
            }),
            _ => Flow::Descend,
        },
        _ => Flow::Descend,
    }
}

/// A function or class that is exported as the default has no other name than `default`.
fn anonymous<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if node.kind() == "arrow_function" {
        patterns::lone_parameter(node, walk);
    }
    if let Some(name) = node.child_by_field_name("name") {
        return named_expression(node, name, walk);
    }
    if walk.ancestor(1).is_none_or(|parent| parent.kind() != "export_statement") {
        if node.kind() != "class" {
            walk.unnamed_function(node);
        }
        return Flow::Descend;
    }
    let kind = if node.kind() == "class" { SymbolKind::Class } else { SymbolKind::Function };
    let index = walk.add_symbol(
        node,
        node.start_byte(),
        "default",
        "",
        kind,
        node.child_by_field_name("body"),
        "",
        false,
    );
    let row = &mut walk.symbols[index as usize];
    row.modifiers |= modifier::EXPORTED | modifier::DEFAULT;
    row.visibility = Visibility::Public as u8;
    Flow::Descend
}

/// A function or class that is named where it is passed, returned or called: `app.use(function log() {})`.
/// One that is the value of a name goes by that name.
fn named_expression<'t>(node: Node<'t>, name: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if walk.is_taken(name.start_byte()) {
        return Flow::Descend;
    }
    let assigned = walk
        .ancestor(1)
        .filter(|parent| parent.kind() == "assignment_expression")
        .and_then(|parent| parent.child_by_field_name("left"));
    let is_export = at_module_level(walk)
        && assigned.is_some_and(|left| walk.text_of(left) == "module.exports");
    if is_export {
        walk.import("", walk.text_of(name), "default", import_kind::REEXPORT, line_of(name));
    }
    let written =
        node.child_by_field_name("return_type").map_or("", |written| walk.text_of(written));
    let kind = if node.kind() == "class" { SymbolKind::Class } else { SymbolKind::Function };
    let index = walk.add_symbol(
        node,
        name.start_byte(),
        walk.text_of(name),
        "",
        kind,
        node.child_by_field_name("body"),
        written,
        false,
    );
    let (modifiers, visibility) = if is_export {
        (modifier::EXPORTED, Visibility::Public)
    } else {
        (modifier::LOCAL | modifier::EXPRESSION, Visibility::Private)
    };
    let row = &mut walk.symbols[index as usize];
    row.modifiers |= modifiers;
    row.visibility = visibility as u8;
    Flow::Descend
}

/// Loads of modules, and the calls by which a file shows that it is a test.
fn call<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    modules::bare_load(node, walk);
    if walk.owner() == FILE_SYMBOL && is_test_call(node, walk) {
        for row in &mut walk.symbols {
            row.modifiers |= modifier::TEST;
        }
    }
    Flow::Table
}

fn is_test_call(node: Node<'_>, walk: &Walk<'_>) -> bool {
    let top = walk.ancestor(1).is_some_and(|parent| {
        parent.kind() == "expression_statement"
            && walk.ancestor(2).is_some_and(|outer| outer.kind() == "program")
    });
    let callee = node.child_by_field_name("function").map_or("", |callee| walk.text_of(callee));
    let known =
        matches!(callee.split(['.', '(']).next(), Some("describe" | "it" | "test" | "suite"));
    let arguments = node.child_by_field_name("arguments");
    let titled = arguments
        .and_then(|list| list.named_child(0))
        .is_some_and(|first| matches!(first.kind(), "string" | "template_string"));
    let runs = arguments.is_some_and(|list| list.named_children().any(is_function));
    top && known && titled && runs
}

fn enum_body<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    for child in node.named_children() {
        let name = if child.kind() == "enum_assignment" {
            child.child_by_field_name("name")
        } else {
            Some(child)
        };
        if let Some(name) = name.filter(|name| name.kind() == "property_identifier") {
            walk.add_symbol(
                child,
                name.start_byte(),
                walk.text_of(name),
                "",
                SymbolKind::Variant,
                None,
                "",
                true,
            );
        }
    }
    Flow::Descend
}

/// `declare module "x"` adds to a module that stands elsewhere: its names are not this file's.
fn ambient_module<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let text = walk.text_of(name).trim_matches(['"', '\'']);
    walk.add_symbol(
        node,
        name.start_byte(),
        text,
        "",
        SymbolKind::Module,
        node.child_by_field_name("body"),
        "",
        false,
    );
    Flow::Descend
}

/// `process.env.X` and `process.env["X"]` read the environment.
fn environment<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let object = node.child_by_field_name("object").map_or("", |object| walk.text_of(object));
    if matches!(object, "process.env" | "import.meta.env")
        && let Some(name) =
            node.child_by_field_name("property").or_else(|| node.child_by_field_name("index"))
    {
        let text = walk.text_of(name).trim_matches(['"', '\'', '`']);
        walk.reference(text, RefKind::Env, name.start_byte(), line_of(name), 255);
    }
    Flow::Table
}
