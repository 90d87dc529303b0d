//! Functions: definitions, prototypes, and macros that stand for one.

use super::declarator::{self, Declared, name_text};
use super::template_parameters;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{binding, modifier};
use contextd_model::{RefKind, SymbolKind};

/// A function with its body, or a defaulted or deleted member.
pub fn definition<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(declarator) = node.child_by_field_name("declarator") else { return Flow::Descend };
    let Some(declared) = declarator::read(declarator, walk) else { return Flow::Descend };
    // In broken code a statement may look like a function.
    if matches!(
        walk.text_of(declared.name),
        "if" | "for" | "while" | "switch" | "return" | "else" | "do" | "sizeof"
    ) {
        return Flow::Descend;
    }
    let Some(function) = declared.function else {
        // In C, `TEST(name) {` reads as a type with a name in brackets.
        let word = node
            .child_by_field_name("type")
            .filter(|word| word.kind() == "type_identifier" && is_macro_word(walk.text_of(*word)));
        if let Some(word) = word.filter(|_| declarator.kind() == "parenthesized_declarator") {
            invoke(node, word, declarator, node.child_by_field_name("body"), walk);
        }
        return Flow::Descend;
    };
    if node.child_by_field_name("type").is_none() && invocation(node, &declared, function, walk) {
        return Flow::Descend;
    }
    let initializers = node.first_of_kind("field_initializer_list");
    let body = initializers.or_else(|| node.child_by_field_name("body")).or_else(|| {
        node.named_children().find(|child| {
            matches!(
                child.kind(),
                "default_method_clause" | "delete_method_clause" | "try_statement"
            )
        })
    });
    declare(node, &declared, function, body, false, walk);
    Flow::Descend
}

/// Adds a function and binds its parameters.
pub fn declare<'t>(
    node: Node<'t>,
    declared: &Declared<'t>,
    function: Node<'t>,
    body: Option<Node<'t>>,
    leaf: bool,
    walk: &mut Walk<'t>,
) {
    if let Some(scope) = conversion_scope(node, walk) {
        return convert(node, declared, &scope, body, walk);
    }
    let name = name_text(declared.name, walk);
    let kind = kind(declared, &name, walk);
    let written = return_type(node, declared, function, walk);
    let symbol = walk.add_symbol(
        node,
        declared.name.start_byte(),
        &name,
        &declared.scope,
        kind,
        body,
        &written,
        leaf,
    );
    template_parameters(node, symbol, walk);
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    modifiers(
        symbol,
        walk.text.get(function.end_byte().min(end)..end).unwrap_or(""),
        function,
        walk,
    );
    super::declarations::trim_signature(symbol, walk);
    if declared.name.kind() == "destructor_name" {
        walk.take(declared.name.end_byte() - name.len() + 1);
    }
    if !leaf {
        parameters(function, walk);
    }
}

/// The grammar takes `constexpr Foo::operator bool()` for a function `bool` of the type
/// `Foo::operator`. Returns `Foo`.
fn conversion_scope(node: Node<'_>, walk: &Walk<'_>) -> Option<String> {
    let written = walk.text_of(node.child_by_field_name("type")?);
    written.trim_end().strip_suffix("operator")?.trim_end().strip_suffix("::").map(names::path)
}

fn convert<'t>(
    node: Node<'t>,
    declared: &Declared<'t>,
    scope: &str,
    body: Option<Node<'t>>,
    walk: &mut Walk<'t>,
) {
    let target = walk.text_of(declared.name);
    if let Some(written) = node.child_by_field_name("type") {
        walk.take(written.end_byte() - "operator".len());
    }
    walk.add_symbol(
        node,
        declared.name.start_byte(),
        &format!("operator {target}"),
        scope,
        SymbolKind::Method,
        body,
        target,
        false,
    );
}

fn kind(declared: &Declared<'_>, name: &str, walk: &Walk<'_>) -> SymbolKind {
    let owner = &walk.symbols[walk.owner() as usize];
    let class = match names::split_last(&declared.scope).1 {
        "" if owner.kind().is_type() => walk.strings.table.get(owner.name),
        "" => return SymbolKind::Function,
        last => last,
    };
    if name == class { SymbolKind::Constructor } else { SymbolKind::Method }
}

fn return_type(
    node: Node<'_>,
    declared: &Declared<'_>,
    function: Node<'_>,
    walk: &Walk<'_>,
) -> String {
    let trailing = function.first_of_kind("trailing_return_type");
    match trailing {
        Some(trailing) => walk.text_of(trailing).trim_start_matches("->").trim().to_owned(),
        None => {
            let written =
                node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
            format!("{written}{}", declared.pointers)
        }
    }
}

/// Words after the parameters: `override`, `final`, `= 0`, `= delete`.
fn modifiers(symbol: u32, tail: &str, function: Node<'_>, walk: &mut Walk<'_>) {
    let mut bits = 0;
    for child in function.named_children().filter(|child| child.kind() == "virtual_specifier") {
        bits |=
            if walk.text_of(child) == "override" { modifier::OVERRIDE } else { modifier::FINAL };
    }
    let is_pure =
        tail.trim_start().strip_prefix('=').is_some_and(|rest| rest.trim_start().starts_with('0'));
    let row = &mut walk.symbols[symbol as usize];
    // `virtual` alone is not abstract, `= 0` is.
    row.modifiers =
        row.modifiers & !modifier::ABSTRACT | bits | if is_pure { modifier::ABSTRACT } else { 0 };
    // `const` in front of a function is about its result.
    let signature = walk.strings.table.get(row.signature);
    if !signature.contains("constexpr") && !signature.contains("consteval") {
        row.modifiers &= !modifier::CONST;
    }
}

fn parameters<'t>(function: Node<'t>, walk: &mut Walk<'t>) {
    let Some(list) = function.child_by_field_name("parameters") else { return };
    for (position, parameter) in
        list.named_children().filter(|child| child.kind() != "comment").enumerate()
    {
        let declarator = if parameter.kind() == "identifier" {
            Some(parameter)
        } else {
            parameter.child_by_field_name("declarator")
        };
        let Some(declared) = declarator.and_then(|declarator| declarator::read(declarator, walk))
        else {
            continue;
        };
        let written =
            parameter.child_by_field_name("type").map_or("", |written| walk.text_of(written));
        let before =
            walk.text.get(parameter.start_byte()..declared.name.start_byte()).unwrap_or("").trim();
        let written = if before.contains('(') || before.is_empty() { written } else { before };
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        let flags = u16::from(parameter.kind().starts_with("variadic"))
            | u16::from(parameter.kind().starts_with("optional")) << 1;
        walk.take(declared.name.start_byte());
        walk.add_binding(
            walk.text_of(declared.name),
            &written,
            binding::PARAMETER,
            position.min(255) as u8,
            flags,
            line_of(declared.name),
        );
    }
}

/// `TEST(Suite, Name) { … }`: a macro whose arguments name the function. Returns false for a
/// constructor or another function without a type.
fn invocation<'t>(
    node: Node<'t>,
    declared: &Declared<'t>,
    function: Node<'t>,
    walk: &mut Walk<'t>,
) -> bool {
    let word = walk.text_of(declared.name);
    let is_macro =
        declared.name.kind() == "identifier" && declared.scope.is_empty() && is_macro_word(word);
    let Some(list) = function.child_by_field_name("parameters").filter(|_| is_macro) else {
        return false;
    };
    invoke(node, declared.name, list, node.child_by_field_name("body"), walk)
}

fn is_macro_word(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Adds the function that a macro `word` with the arguments `list` defines.
pub fn invoke<'t>(
    node: Node<'t>,
    word: Node<'t>,
    list: Node<'t>,
    body: Option<Node<'t>>,
    walk: &mut Walk<'t>,
) -> bool {
    let arguments: Vec<Node<'t>> = list.named_children().take(2).collect();
    let texts: Vec<&str> = arguments.iter().map(|argument| walk.text_of(*argument)).collect();
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let (scope, name) = match texts.as_slice() {
        [name] if is_name(name) => ("", *name),
        [scope, name] if is_name(scope) && is_name(name) => (*scope, *name),
        _ => return false,
    };
    let start = arguments[arguments.len() - 1].start_byte();
    for argument in &arguments {
        walk.take(argument.start_byte());
    }
    let symbol = walk.add_symbol(node, start, name, scope, SymbolKind::Function, body, "", false);
    let macro_name = walk.text_of(word);
    if macro_name.split('_').any(|part| part == "TEST" || part == "TESTS") {
        walk.symbols[symbol as usize].modifiers |= modifier::TEST;
    }
    walk.take(word.start_byte());
    walk.reference(macro_name, RefKind::Macro, word.start_byte(), line_of(word), 255);
    true
}
