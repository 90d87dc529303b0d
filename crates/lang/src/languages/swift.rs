//! Swift: declarations of one node kind told apart by their word, members without a name, optional
//! bindings and subscripts that look like calls.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, is_name, line_of};
use contextd_model::facts::{SymbolRow, base_kind, binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};
use std::borrow::Cow;

pub struct Swift;

impl Hooks for Swift {
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // Behind one of these the grammar's scanner takes the end of the text for the end of its own word, and reads on
        // behind that.
        if ["#if", "#elseif", "#else", "#endif"].iter().any(|word| text.ends_with(word)) {
            Cow::Owned(format!("{text}\n"))
        } else {
            Cow::Borrowed(text)
        }
    }

    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "import_declaration" => import(node, walk),
            "simple_identifier" => implicit_member(node, RefKind::Field, walk),
            "class_declaration" => sugared_extension(node, walk),
            "function_declaration" | "protocol_function_declaration" => operator(node, walk),
            "init_declaration" => member(node, "init", SymbolKind::Constructor, walk),
            "deinit_declaration" => member(node, "deinit", SymbolKind::Method, walk),
            "subscript_declaration" => member(node, "subscript", SymbolKind::Method, walk),
            "call_expression" => subscript(node, walk),
            "control_transfer_statement" => throw(node, walk),
            "pattern" => pattern(node, walk),
            "if_statement" | "guard_statement" | "while_statement" => optional_bindings(node, walk),
            "user_type" => {
                walk.type_in_pieces(node, "type_identifier");
                Flow::Table
            }
            "value_argument_label" | "directive" => Flow::Skip,
            "parameter" => {
                let label = node.child_by_field_name("external_name");
                if let Some(label) = label {
                    walk.take(label.start_byte());
                }
                let written = label
                    .or_else(|| node.child_by_field_name("name"))
                    .map_or("", |label| walk.text_of(label));
                walk.label = label_hash(written);
                Flow::Table
            }
            "enum_type_parameters" | "tuple_type_item" => labels(node, walk),
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        match node.kind() {
            "class_declaration" | "protocol_declaration" => bases(node, symbol, walk),
            "function_declaration" | "protocol_function_declaration" => {
                set_result(node, symbol, walk)
            }
            _ => {}
        }
    }

    /// Members of protocols and enum cases are as visible as their type; an extension sets the
    /// visibility of its members.
    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let parent = walk.symbols.get(row.parent as usize)?;
        match parent.kind() {
            SymbolKind::Interface | SymbolKind::Extension => Some(parent.visibility()),
            SymbolKind::Enum if row.kind() == SymbolKind::Variant => Some(parent.visibility()),
            _ => None,
        }
    }
}

/// A label as 14 bits; never 0, which stands for a language without labels.
fn label_hash(label: &str) -> u16 {
    let hash = label
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    ((hash ^ (hash >> 14)) as u16 & 0x3fff).max(1)
}

/// `import Foo` makes the names of `Foo` visible; `import struct Foo.Bar` one of them.
fn import(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let Some(name) = node.first_of_kind("identifier") else { return Flow::Skip };
    let path = names::path(walk.text_of(name));
    let one = node.children().any(|child| {
        matches!(
            child.kind(),
            "struct" | "class" | "enum" | "protocol" | "func" | "var" | "let" | "typealias"
        )
    });
    let (module, last) = names::split_last(&path);
    if one && !module.is_empty() {
        walk.import(module, last, last, import_kind::NAME, line_of(node));
    } else {
        walk.import(&path, "", &path, import_kind::WILDCARD, line_of(node));
    }
    Flow::Skip
}

/// `.name` is a variant or a static member of a type that only the place tells.
fn implicit_member(node: Node<'_>, kind: RefKind, walk: &mut Walk<'_>) -> Flow {
    let before = walk.text.get(..node.start_byte()).and_then(|before| before.strip_suffix('.'));
    if !before.is_some_and(is_open) || walk.is_taken(node.start_byte()) {
        return Flow::Table;
    }
    let path = format!("().{}", walk.text_of(node));
    walk.take(node.start_byte());
    walk.reference(&path, kind, node.start_byte(), line_of(node), 255);
    Flow::Skip
}

/// True when nothing stands at the end of the text that could have members.
fn is_open(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    if word.is_empty() {
        return !before.ends_with([')', ']', '}', '"', '?', '!', '>', '`', '.']);
    }
    matches!(
        word,
        "case"
            | "return"
            | "in"
            | "is"
            | "where"
            | "else"
            | "try"
            | "await"
            | "if"
            | "while"
            | "throw"
            | "yield"
    )
}

/// `extension [T]` extends `Array`, `extension [K: V]` `Dictionary`.
fn sugared_extension<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(written) = node.child_by_field_name("name") else { return Flow::Table };
    let name = match written.kind() {
        "array_type" => "Array",
        "dictionary_type" => "Dictionary",
        "optional_type" => "Optional",
        _ => return Flow::Table,
    };
    let symbol = walk.add_symbol(
        node,
        written.start_byte(),
        name,
        "",
        SymbolKind::Extension,
        node.child_by_field_name("body"),
        "",
        false,
    );
    bases(node, symbol, walk);
    Flow::Descend
}

/// `func + (a: A, b: A)`: the name is an operator.
fn operator<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Table };
    let text = walk.text_of(name);
    if is_name(text) || text.starts_with('`') || text.is_empty() {
        return Flow::Table;
    }
    let kind = if walk.symbols[walk.owner() as usize].kind().is_type() {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    };
    let symbol = walk.add_symbol(
        node,
        name.start_byte(),
        text,
        "",
        kind,
        node.child_by_field_name("body"),
        "",
        false,
    );
    set_result(node, symbol, walk);
    Flow::Descend
}

/// Initialisers and subscripts are called by the word that declares them.
fn member<'t>(node: Node<'t>, word: &str, kind: SymbolKind, walk: &mut Walk<'t>) -> Flow {
    let start = node
        .children()
        .find(|child| child.kind() == word)
        .map_or(node.start_byte(), |word| word.start_byte());
    let body = node.child_by_field_name("body").or_else(|| node.first_of_kind("computed_property"));
    let symbol = walk.add_symbol(node, start, word, "", kind, body, "", false);
    if let Some(generics) = node.first_of_kind("type_parameters") {
        walk.set_generics(symbol, walk.text_of(generics));
    }
    set_result(node, symbol, walk);
    Flow::Descend
}

/// The type after `->`, and `async` before it.
fn set_result(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    if node.children().any(|child| child.kind() == "async") {
        walk.symbols[symbol as usize].modifiers |= modifier::ASYNC;
    }
    let mut children = node.children();
    if children.any(|child| child.kind() == "->")
        && let Some(written) = children.find(Node::is_named)
    {
        let words: Vec<&str> = walk.text_of(written).split_whitespace().collect();
        walk.symbols[symbol as usize].type_text = walk.strings.intern(&words.join(" "));
    }
}

/// `m[i]` is read as a call of `m`; `environment["X"]` reads the environment.
fn subscript(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let callee = node.named_child(0).filter(|callee| callee.kind() == "prefix_expression");
    if let Some(name) = callee
        .and_then(|callee| callee.child_by_field_name("target"))
        .filter(|name| name.kind() == "simple_identifier")
        && matches!(implicit_member(name, RefKind::Call, walk), Flow::Skip)
    {
        return Flow::Descend;
    }
    let Some(suffix) = node.last_named_child().filter(|last| last.kind() == "call_suffix") else {
        return Flow::Table;
    };
    let Some(arguments) =
        suffix.named_child(0).filter(|first| walk.text_of(*first).starts_with('['))
    else {
        return Flow::Table;
    };
    let subject = node.named_child(0).map_or("", |subject| walk.text_of(subject));
    if let Some(first) = arguments.named_child(0).filter(|_| subject.ends_with("environment"))
        && let Some(name) =
            walk.text_of(first).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
    {
        walk.reference(name, RefKind::Env, first.start_byte(), line_of(first), 255);
    }
    Flow::Descend
}

/// `throw Failure.empty(x)` throws a `Failure`.
fn throw(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let is_throw = node.child(0).is_some_and(|first| first.kind() == "throw_keyword");
    if let Some(thrown) = node.named_child(1).filter(|_| is_throw) {
        let text = walk.text_of(thrown);
        let path = names::path(text.split(['(', '{']).next().unwrap_or(text));
        let types: Vec<&str> =
            path.split('.').take_while(|part| part.starts_with(char::is_uppercase)).collect();
        walk.reference(&types.join("."), RefKind::Throw, thrown.start_byte(), line_of(thrown), 255);
    }
    Flow::Table
}

/// `let a`, `let (a, b)`, `case .some(let a)`: the bound names are locals; `.some` is not.
fn pattern(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let lone = || {
        node.named_child(0).filter(|only| {
            node.named_child_count() == 1
                && only.kind() == "simple_identifier"
                && only.start_byte() == node.start_byte()
        })
    };
    let owner = walk.symbols[walk.owner() as usize].kind();
    if let Some(name) = node.child_by_field_name("bound_identifier").or_else(lone) {
        let is_member = owner.is_type()
            || matches!(owner, SymbolKind::File | SymbolKind::Property | SymbolKind::Variable);
        if !is_member {
            walk.take(name.start_byte());
            if !walk.bindings.last().is_some_and(|last| {
                last.line == line_of(name)
                    && walk.strings.table.get(last.name) == walk.text_of(name)
            }) {
                walk.add_binding(walk.text_of(name), "", binding::ALIAS, 0, 0, line_of(name));
            }
        }
    }
    Flow::Table
}

/// `if let a = b`: the name and its value are children of the statement.
fn optional_bindings<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let mut name: Option<Node<'t>> = None;
    for child in node.children() {
        match child.field_name() {
            Some("bound_identifier") => {
                if let Some(earlier) = name.replace(child) {
                    walk.bind(earlier, "", None);
                }
                walk.take(child.start_byte());
            }
            Some("condition") if child.is_named() && child.kind() != "value_binding_pattern" => {
                if let Some(name) = name.take() {
                    walk.bind(name, "", Some(child));
                }
            }
            _ => {}
        }
    }
    if let Some(name) = name {
        walk.bind(name, "", None);
    }
    Flow::Table
}

/// Labels of associated values and of tuple elements are no references.
fn labels(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    for label in node.named_children().filter(|child| child.kind() == "simple_identifier") {
        walk.take(label.start_byte());
    }
    Flow::Table
}

/// A class may extend a class first; everything else conforms to protocols.
fn bases(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let kind = walk.symbols[symbol as usize].kind();
    let found: Vec<Node<'_>> =
        node.named_children().filter(|child| child.kind() == "inheritance_specifier").collect();
    for (index, specifier) in found.into_iter().enumerate() {
        let path = names::type_head(walk.text_of(specifier));
        let how = match kind {
            SymbolKind::Interface => base_kind::EXTENDS,
            SymbolKind::Class if index == 0 && !is_protocol_name(&path) => base_kind::EXTENDS,
            _ => base_kind::IMPLEMENTS,
        };
        walk.base(symbol, &path, how, line_of(specifier));
    }
    if kind == SymbolKind::Extension {
        walk.symbols[symbol as usize].modifiers &= !modifier::DECLARATION;
    }
}

/// Names that only protocols bear by convention.
fn is_protocol_name(path: &str) -> bool {
    ["Protocol", "Delegate", "DataSource", "able", "ible", "Sendable"]
        .iter()
        .any(|end| path.ends_with(end))
}
