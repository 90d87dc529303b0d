//! Kotlin: a grammar with few fields, so names, types and bases are found by their place.

mod mask;

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{base_kind, binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind};
use std::borrow::Cow;

pub struct Kotlin;

const TYPES: [&str; 5] =
    ["user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type"];

impl Hooks for Kotlin {
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let masked = mask::masked(text);
        // The grammar's scanner looks for the end of a line behind an annotation, and goes on for ever where there is none.
        if masked.ends_with('\n') { masked } else { Cow::Owned(masked.into_owned() + "\n") }
    }

    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "package_header" => {
                let path = node
                    .first_of_kind("qualified_identifier")
                    .map_or_else(String::new, |name| names::path(walk.text_of(name)));
                walk.package = walk.intern(&path);
                Flow::Skip
            }
            "import" => import(node, walk),
            "user_type" => {
                walk.type_in_pieces(node, "identifier");
                Flow::Table
            }
            "property_declaration" | "when_subject" => local(node, walk),
            "class_parameter" => constructor_property(node, walk),
            "companion_object" => companion(node, walk),
            "anonymous_initializer" => unnamed(node, "init", "block", walk),
            "secondary_constructor" => {
                let owner = walk.enclosing_type().map_or(0, |owner| owner as usize);
                let name = walk.strings.table.get(walk.symbols[owner].name).to_owned();
                unnamed(node, &name, "block", walk)
            }
            "function_type_parameters" => {
                walk.no_parameters_until = walk.no_parameters_until.max(node.end_byte());
                Flow::Table
            }
            "value_argument" => {
                if node.child(1).is_some_and(|second| second.kind() == "=") {
                    walk.take(node.start_byte());
                }
                Flow::Table
            }
            "parameter_modifiers" => {
                walk.variadic_at = node.end_byte()
                    * usize::from(
                        walk.text_of(node).split_whitespace().any(|word| word == "vararg"),
                    );
                Flow::Table
            }
            "binary_expression" => generic_call(node, walk),
            "infix_expression" => annotation_class(node, walk),
            _ => Flow::Table,
        }
    }

    fn name<'t>(&self, node: Node<'t>, _walk: &Walk<'t>) -> Option<Node<'t>> {
        if node.kind() == "property_declaration" {
            node.first_of_kind("variable_declaration")?.first_of_kind("identifier")
        } else {
            None
        }
    }

    /// An extension is named after the type it extends: `fun String.shout()` is `String.shout`.
    fn scope<'t>(&self, node: Node<'t>, walk: &Walk<'t>) -> Option<String> {
        extended(node).map(|written| names::type_head(walk.text_of(written)))
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        leave_companion(symbol, walk);
        mark_refused(symbol, walk);
        match node.kind() {
            "class_declaration" => class(node, symbol, walk),
            "object_declaration" | "companion_object" => bases(node, symbol, false, walk),
            "function_declaration" => {
                set_type(symbol, after(node, "function_value_parameters"), walk);
                receiver(node, walk);
            }
            "property_declaration" => {
                set_type(
                    symbol,
                    node.first_of_kind("variable_declaration").and_then(type_of),
                    walk,
                );
                if walk.symbols[symbol as usize].has(modifier::CONST)
                    && walk.text_of(node).contains("const ")
                {
                    walk.symbols[symbol as usize].kind = SymbolKind::Constant as u8;
                }
                receiver(node, walk);
                bind(node, walk);
            }
            _ => {}
        }
    }
}

fn type_of(node: Node<'_>) -> Option<Node<'_>> {
    node.named_children().find(|child| TYPES.contains(&child.kind()))
}

/// Returns the type that stands right after a child of this kind.
fn after<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut children = node.named_children();
    children.find(|child| child.kind() == kind)?;
    children.next().filter(|next| TYPES.contains(&next.kind()))
}

/// Returns the type in front of an extension's name.
fn extended(node: Node<'_>) -> Option<Node<'_>> {
    let until = match node.kind() {
        "function_declaration" => node.child_by_field_name("name")?.start_byte(),
        "property_declaration" => node.first_of_kind("variable_declaration")?.start_byte(),
        _ => return None,
    };
    node.named_children().find(|child| TYPES.contains(&child.kind()) && child.end_byte() <= until)
}

fn import(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let path = node
        .first_of_kind("qualified_identifier")
        .map_or_else(String::new, |name| names::path(walk.text_of(name)));
    if walk.text_of(node).trim_end().ends_with('*') {
        walk.import(&path, "", "", import_kind::WILDCARD, line_of(node));
        return Flow::Skip;
    }
    let alias = node.first_of_kind("identifier").map(|alias| walk.text_of(alias));
    let (module, name) = names::split_last(&path);
    walk.import(module, name, alias.unwrap_or(name), import_kind::NAME, line_of(node));
    Flow::Skip
}

/// A `val` in a body, or the subject of a `when`, is a local name.
fn local<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let owner = &walk.symbols[walk.owner() as usize];
    let kind = owner.kind();
    let is_local = owner.has(modifier::LOCAL)
        || !(kind.is_type() || matches!(kind, SymbolKind::File | SymbolKind::Module));
    if is_local {
        bind(node, walk);
    }
    Flow::Table
}

fn bind<'t>(node: Node<'t>, walk: &mut Walk<'t>) {
    let Some(declaration) = node.first_of_kind("variable_declaration") else { return };
    let Some(name) = declaration.first_of_kind("identifier") else { return };
    let written = type_of(declaration).map_or("", |written| walk.text_of(written));
    let mut later = node.named_children().skip_while(|&child| child != declaration).skip(1);
    let value = later.find(|child| {
        !matches!(
            child.kind(),
            "getter"
                | "setter"
                | "property_delegate"
                | "type_constraints"
                | "line_comment"
                | "block_comment"
        )
    });
    walk.take(name.start_byte());
    walk.bind(name, written, value);
}

/// `@Deprecated("…", level = DeprecationLevel.HIDDEN)`, or `ERROR`: the compiler lets nobody call it.
/// `@LowPriorityInOverloadResolution`: it calls this one where it has no other.
fn mark_refused(symbol: u32, walk: &mut Walk<'_>) {
    let row = &walk.symbols[symbol as usize];
    let head = walk.text.get(row.start as usize..row.name_start as usize).unwrap_or("");
    if head.contains("LowPriorityInOverloadResolution") {
        walk.symbols[symbol as usize].modifiers |= modifier::LOWERED;
    }
    let Some((_, annotation)) = head.split_once("@Deprecated") else { return };
    let refused = |level: &str| {
        ["HIDDEN", "ERROR"].iter().any(|word| {
            level
                .strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        })
    };
    let named =
        annotation.split("level").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('='));
    if annotation
        .split("DeprecationLevel.")
        .skip(1)
        .chain(named)
        .any(|level| refused(level.trim_start()))
    {
        walk.symbols[symbol as usize].modifiers |= modifier::REFUSED;
    }
}

/// `class Foo(val a: Int)`: the parameter is a property too.
fn constructor_property<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let is_property = node.children().any(|child| matches!(child.kind(), "val" | "var"));
    if let Some(name) = node.first_of_kind("identifier").filter(|_| is_property) {
        let written = type_of(node).map_or("", |written| walk.text_of(written));
        walk.add_symbol(
            node,
            name.start_byte(),
            walk.text_of(name),
            "",
            SymbolKind::Property,
            None,
            written,
            true,
        );
    }
    Flow::Table
}

/// A companion without a name is called `Companion`.
fn companion<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if node.child_by_field_name("name").is_some() {
        return Flow::Table;
    }
    let symbol = walk.add_symbol(
        node,
        node.start_byte(),
        "Companion",
        "",
        SymbolKind::Object,
        node.first_of_kind("class_body"),
        "",
        false,
    );
    walk.symbols[symbol as usize].modifiers |= modifier::STATIC;
    bases(node, symbol, false, walk);
    Flow::Descend
}

/// The members of a companion are used as members of the class: `Foo.make`, not `Foo.Companion.make`.
fn leave_companion(symbol: u32, walk: &mut Walk<'_>) {
    let row = walk.symbols[symbol as usize];
    let Some(parent) = walk
        .symbols
        .get(row.parent as usize)
        .filter(|parent| parent.kind() == SymbolKind::Object && parent.has(modifier::STATIC))
    else {
        return;
    };
    let inner = format!("{}.", walk.strings.table.get(parent.qualified));
    let qualified = walk.strings.table.get(row.qualified).to_owned();
    let outer = inner.trim_end_matches('.').rsplit_once('.').map_or("", |(outer, _)| outer);
    if let Some(rest) = qualified.strip_prefix(&inner).filter(|_| !outer.is_empty()) {
        walk.symbols[symbol as usize].qualified = walk.strings.intern(&format!("{outer}.{rest}"));
    }
}

/// A constructor or initialiser, which the source does not name.
fn unnamed<'t>(node: Node<'t>, name: &str, body: &str, walk: &mut Walk<'t>) -> Flow {
    // Its word stands for the name: modifiers are in front of it.
    let word = node
        .children()
        .find(|child| matches!(child.kind(), "constructor" | "init"))
        .map_or(node.start_byte(), |word| word.start_byte());
    let symbol = walk.add_symbol(
        node,
        word,
        name,
        "",
        SymbolKind::Constructor,
        node.first_of_kind(body),
        "",
        false,
    );
    // `constructor(a: Int) : this(a, 1)` is complete without a body.
    walk.symbols[symbol as usize].modifiers &= !modifier::DECLARATION;
    Flow::Descend
}

fn class(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let name_start = walk.symbols[symbol as usize].name_start as usize;
    let header = walk.text.get(node.start_byte()..name_start).unwrap_or("");
    let has = |word: &str| header.split_whitespace().any(|other| other == word);
    let kind = match () {
        () if has("interface") || has("annotation") => SymbolKind::Interface,
        () if has("enum") => SymbolKind::Enum,
        () => SymbolKind::Class,
    };
    walk.symbols[symbol as usize].kind = kind as u8;
    bases(node, symbol, kind == SymbolKind::Interface, walk);
}

/// A base that is called is a class; the others are interfaces.
fn bases(node: Node<'_>, symbol: u32, is_interface: bool, walk: &mut Walk<'_>) {
    let Some(list) = node.first_of_kind("delegation_specifiers") else { return };
    for specifier in list.named_children() {
        let Some(inner) = specifier.named_child(0) else { continue };
        let called = inner.kind() == "constructor_invocation";
        let written = if inner.kind() == "user_type" {
            Some(inner)
        } else {
            inner.first_of_kind("user_type")
        };
        let Some(written) = written else { continue };
        let kind = if called || is_interface { base_kind::EXTENDS } else { base_kind::IMPLEMENTS };
        let path = names::type_head(walk.text_of(written));
        walk.base(symbol, &path, kind, line_of(written));
    }
}

fn set_type(symbol: u32, written: Option<Node<'_>>, walk: &mut Walk<'_>) {
    if let Some(written) = written {
        let text: Vec<&str> = walk.text_of(written).split_whitespace().collect();
        walk.symbols[symbol as usize].type_text = walk.strings.intern(&text.join(" "));
    }
}

/// `this` in an extension is what it extends.
fn receiver(node: Node<'_>, walk: &mut Walk<'_>) {
    if let Some(written) = extended(node) {
        let path = names::type_head(walk.text_of(written));
        walk.add_binding("self", &path, binding::RECEIVER, 0, 0, line_of(node));
    }
}

/// `annotation class Name` without a body or parameters, which the grammar takes for an expression: the
/// words name a class, and what follows it may be part of the same expression.
fn annotation_class<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let text = walk.text_of(node);
    let mut words = text
        .split_whitespace()
        .skip_while(|word| matches!(*word, "public" | "internal" | "private" | "protected"));
    if words.next() != Some("annotation") || words.next() != Some("class") {
        return Flow::Table;
    }
    let Some(name) = words.next().and_then(|word| named(node, word, walk)) else {
        return Flow::Table;
    };
    // Of the expression only its beginning is sure to be this class.
    let whole = name.end_byte() == node.end_byte();
    walk.add_symbol(
        if whole { node } else { name },
        name.start_byte(),
        walk.text_of(name),
        "",
        SymbolKind::Interface,
        None,
        "",
        false,
    );
    walk.take(name.start_byte());
    Flow::Descend
}

/// Returns the first identifier of an expression that is written so.
fn named<'t>(node: Node<'t>, word: &str, walk: &Walk<'t>) -> Option<Node<'t>> {
    // A list of its own, not calls: an expression is as deep as somebody cares to write it.
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if node.kind() == "identifier" {
            return Some(node);
        }
        let from = left.len();
        left.extend(node.named_children().filter(|child| match child.kind() {
            "identifier" => walk.text_of(*child) == word,
            kind => kind == "infix_expression",
        }));
        left[from..].reverse();
    }
    None
}

/// `make<Foo>(x)` is read by the grammar as two comparisons.
fn generic_call(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let operator = |node: Node<'_>, text: &str| {
        node.child_by_field_name("operator").is_some_and(|found| found.kind() == text)
    };
    let Some(left) = node.child_by_field_name("left").filter(|_| operator(node, ">")) else {
        return Flow::Table;
    };
    let arguments = node
        .child_by_field_name("right")
        .filter(|right| matches!(right.kind(), "parenthesized_expression" | "lambda_literal"));
    if let (Some(arguments), Some(callee), true) = (
        arguments,
        left.child_by_field_name("left"),
        left.kind() == "binary_expression" && operator(left, "<"),
    ) {
        let path = names::path(walk.text_of(callee));
        walk.take(callee.start_byte());
        let count = if arguments.kind() == "lambda_literal" {
            1
        } else {
            arguments.named_child_count().min(253) as u8
        };
        walk.reference(&path, RefKind::Call, callee.start_byte(), line_of(callee), count);
    }
    Flow::Table
}
