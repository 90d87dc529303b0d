//! Declarations of variables, fields, prototypes and type names.

use super::declarator::{self, Declared};
use super::functions;
use crate::tree::Node;
use crate::walk::{Deferred, Flow, Walk, line_of};
use contextd_model::facts::{MAX_SIGNATURE, modifier};
use contextd_model::{RefKind, SymbolKind};

/// Variables, fields and prototypes of one declaration; local ones are bindings.
pub fn declaration<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let declarators = declarators(node);
    let owner = &walk.symbols[walk.owner() as usize];
    if owner.kind().is_callable() || owner.has(modifier::LOCAL) && !owner.kind().is_type() {
        locals(node, &declarators, walk);
        return Flow::Descend;
    }
    if let Some(name) = announced(node, &declarators, walk) {
        walk.take(name.start_byte());
        walk.reference(walk.text_of(name), RefKind::Type, name.start_byte(), line_of(name), 255);
        return Flow::Skip;
    }
    let has_body = node
        .child_by_field_name("type")
        .is_some_and(|written| written.child_by_field_name("body").is_some());
    if has_body {
        walk.wrap(node);
    }
    let leaf = declarators.len() > 1;
    for &declarator in &declarators {
        let Some(declared) = declarator::read(declarator, walk) else { continue };
        if has_body {
            later(node, declarator, &declared, variable_kind(node, &declared, walk), walk);
        } else if let Some(function) = declared.function {
            prototype(node, &declared, function, leaf, walk);
        } else {
            variable(node, declarator, &declared, leaf, walk);
        }
    }
    Flow::Descend
}

/// Returns the class that is only announced, behind a macro for its attributes: `class API Name;`. Read
/// by its words it would be a variable of the class `API`.
fn announced<'t>(node: Node<'t>, declarators: &[Node<'t>], walk: &Walk<'t>) -> Option<Node<'t>> {
    let written = node
        .child_by_field_name("type")
        .filter(|written| written.child_by_field_name("body").is_none())?;
    let is_template = walk.ancestor(1).is_some_and(|outer| outer.kind() == "template_declaration");
    let announces =
        written.kind() == "class_specifier" || written.kind() == "struct_specifier" && is_template;
    let attribute = walk.text_of(written.child_by_field_name("name")?);
    let is_macro = attribute
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    match declarators {
        [only] if announces && is_macro && only.kind() == "identifier" => Some(*only),
        _ => None,
    }
}

/// Names for types. `typedef struct { … } Name` is the struct itself under that name.
pub fn type_definition<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let declarators = declarators(node);
    let Some(written) = node.child_by_field_name("type") else { return Flow::Descend };
    let body = written.child_by_field_name("body");
    let own_name = written
        .child_by_field_name("name")
        .filter(|_| body.is_some())
        .map(|name| walk.text_of(name));
    let mut unnamed = body.is_some() && own_name.is_none();
    if own_name.is_some() {
        walk.wrap(node);
    }
    for &declarator in &declarators {
        let Some(declared) = declarator::read(declarator, walk) else { continue };
        let name = walk.text_of(declared.name);
        if unnamed && declarator.kind() == "type_identifier" {
            unnamed = false;
            let symbol = walk.add_symbol(
                node,
                declared.name.start_byte(),
                name,
                "",
                specifier_kind(written),
                body,
                "",
                false,
            );
            let head = walk
                .text
                .get(node.start_byte()..body.map_or(node.start_byte(), |body| body.start_byte()))
                .unwrap_or("");
            let signature =
                format!("{} {name}", head.split_whitespace().collect::<Vec<_>>().join(" "));
            let signature = walk.intern(&signature);
            let row = &mut walk.symbols[symbol as usize];
            // The words in front of the name are those of the members here.
            row.modifiers &= modifier::TEST | modifier::LOCAL;
            row.signature = signature;
        } else if body.is_some() {
            if own_name != Some(name) {
                later(node, declarator, &declared, SymbolKind::TypeAlias, walk);
            }
        } else {
            let symbol = walk.add_symbol(
                node,
                declared.name.start_byte(),
                name,
                "",
                SymbolKind::TypeAlias,
                None,
                walk.text_of(written),
                declarators.len() > 1,
            );
            trim_signature(symbol, walk);
        }
    }
    Flow::Descend
}

fn declarators<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.children_by_field_name("declarator").collect()
}

fn specifier_kind(written: Node<'_>) -> SymbolKind {
    match written.kind() {
        "union_specifier" => SymbolKind::Union,
        "enum_specifier" => SymbolKind::Enum,
        "class_specifier" => SymbolKind::Class,
        _ => SymbolKind::Struct,
    }
}

/// A name that stands behind the body of its type.
fn later<'t>(
    node: Node<'t>,
    declarator: Node<'t>,
    declared: &Declared<'t>,
    kind: SymbolKind,
    walk: &mut Walk<'t>,
) {
    let written = node.child_by_field_name("type");
    let body_start = written
        .and_then(|written| written.child_by_field_name("body"))
        .map_or(node.start_byte(), |body| body.start_byte());
    let head = walk.text.get(node.start_byte()..body_start).unwrap_or("");
    let signature = format!(
        "{} {}",
        head.split_whitespace().collect::<Vec<_>>().join(" "),
        walk.text_of(declarator)
    );
    let type_text = written
        .and_then(|written| written.child_by_field_name("name"))
        .map_or("", |name| walk.text_of(name))
        .to_owned();
    walk.defer(Deferred { node: declarator, name: declared.name, kind, type_text, signature });
}

fn prototype<'t>(
    node: Node<'t>,
    declared: &Declared<'t>,
    function: Node<'t>,
    leaf: bool,
    walk: &mut Walk<'t>,
) {
    let owner = &walk.symbols[walk.owner() as usize];
    // Without a type it is a macro's use, unless it declares a constructor or a conversion.
    let is_special = owner.kind().is_type()
        && (declared.name.kind() != "identifier"
            || walk.text_of(declared.name) == walk.strings.table.get(owner.name));
    if is_special || node.child_by_field_name("type").is_some() {
        functions::declare(node, declared, function, None, leaf, walk);
    }
}

fn variable<'t>(
    node: Node<'t>,
    declarator: Node<'t>,
    declared: &Declared<'t>,
    leaf: bool,
    walk: &mut Walk<'t>,
) {
    let Some(written) = node.child_by_field_name("type") else { return };
    if !matches!(declared.name.kind(), "identifier" | "field_identifier") {
        return;
    }
    let value = declarator
        .child_by_field_name("value")
        .or_else(|| node.child_by_field_name("default_value"))
        .filter(|value| value.kind() == "initializer_list");
    let type_text = format!("{}{}", walk.text_of(written), declared.pointers);
    let kind = variable_kind(node, declared, walk);
    let name = walk.text_of(declared.name);
    let symbol = walk.add_symbol(
        node,
        declared.name.start_byte(),
        name,
        &declared.scope,
        kind,
        value,
        &type_text,
        leaf,
    );
    trim_signature(symbol, walk);
}

fn variable_kind(node: Node<'_>, declared: &Declared<'_>, walk: &Walk<'_>) -> SymbolKind {
    if walk.symbols[walk.owner() as usize].kind().is_type() {
        return SymbolKind::Field;
    }
    let is_const = node.named_children().any(|child| {
        child.kind() == "type_qualifier"
            && matches!(walk.text_of(child), "const" | "constexpr" | "constinit")
    });
    if is_const && !declared.pointers.contains('*') {
        SymbolKind::Constant
    } else {
        SymbolKind::Variable
    }
}

/// Takes the semicolon off a declaration's signature, and what the mask has hidden from the grammar:
/// other branches of a conditional, the bracket of a macro around it.
pub fn trim_signature(symbol: u32, walk: &mut Walk<'_>) {
    let row = walk.symbols[symbol as usize];
    let signature = walk.strings.table.get(row.signature);
    let trimmed =
        signature.split(" #").next().unwrap_or(signature).trim_end_matches([';', ':', ' ']);
    let is_uneven =
        trimmed.ends_with(')') && trimmed.matches(')').count() > trimmed.matches('(').count();
    let trimmed = if is_uneven { &trimmed[..trimmed.len() - 1] } else { trimmed };
    if trimmed.len() != signature.len() && signature.len() < MAX_SIGNATURE {
        let trimmed = trimmed.to_owned();
        walk.symbols[symbol as usize].signature = walk.intern(&trimmed);
    }
}

fn locals<'t>(node: Node<'t>, declarators: &[Node<'t>], walk: &mut Walk<'t>) {
    let written = node.child_by_field_name("type");
    let type_text = written.map_or("", |written| walk.text_of(written));
    let type_text = if matches!(type_text, "auto" | "decltype(auto)") { "" } else { type_text };
    for &declarator in declarators {
        let Some(declared) = declarator::read(declarator, walk) else { continue };
        let value = declarator.child_by_field_name("value");
        walk.take(declared.name.start_byte());
        let bound =
            format!("{type_text}{}", if type_text.is_empty() { "" } else { &declared.pointers });
        let how_value =
            value.filter(|value| !matches!(value.kind(), "argument_list" | "initializer_list"));
        walk.bind(declared.name, &bound, how_value);
        // `Foo f(1)` and `Foo f{1}` construct.
        let constructs = value
            .is_some_and(|value| matches!(value.kind(), "argument_list" | "initializer_list"))
            && declared.pointers.is_empty();
        if let Some(written) = written.filter(|written| {
            constructs
                && matches!(
                    written.kind(),
                    "type_identifier" | "qualified_identifier" | "template_type"
                )
        }) {
            let path = crate::names::path(type_text);
            walk.reference(&path, RefKind::Construct, written.start_byte(), line_of(written), 255);
        }
    }
}
