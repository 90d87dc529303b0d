//! Haskell: clauses of one function with its signature, constructors, instances, imports.

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{SymbolRow, base_kind, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};
use std::borrow::Cow;

pub struct Haskell;

impl Hooks for Haskell {
    /// Lines of the C preprocessor are blanked, so that both branches are read.
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !text.lines().any(is_directive) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            if is_directive(line) {
                out.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            } else {
                out.push_str(line);
            }
        }
        Cow::Owned(out)
    }

    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "header" => {
                let module =
                    node.child_by_field_name("module").map_or("", |module| walk.text_of(module));
                walk.package = walk.intern(module);
                walk.exports = node
                    .child_by_field_name("exports")
                    .and_then(|list| exports(list, module, walk));
                Flow::Skip
            }
            "import" => import(node, walk),
            "signature" => signature(node, walk),
            "function" | "bind" => equation(node, walk),
            "data_constructor" | "gadt_constructor" | "newtype_constructor" => {
                constructor(node, walk)
            }
            "field" => field(node, walk),
            "instance" | "deriving_instance" => instance(node, walk),
            "apply" => {
                application(node, walk);
                Flow::Descend
            }
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        if node.kind() == "class" {
            cut_where(symbol, walk);
        }
    }

    /// What a list of exports does not name is seen in the module alone; instances are seen everywhere.
    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let exports = walk.exports.as_ref()?;
        let parent = walk.symbols.get(row.parent as usize)?;
        let name = walk.strings.table.get(row.name);
        let of_instance =
            row.kind() == SymbolKind::Extension || parent.kind() == SymbolKind::Extension;
        let outer = walk.strings.table.get(parent.name);
        let listed = |wanted: &str| exports.iter().any(|export| export == wanted);
        let as_member = parent.kind().is_type()
            && (listed(&format!("{outer}.*")) || listed(&format!("{outer}.{name}")));
        // A constructor is exported with its type alone.
        let by_name = row.kind() != SymbolKind::Variant && listed(name);
        Some(if of_instance || as_member || by_name {
            Visibility::Public
        } else {
            Visibility::Private
        })
    }

    /// Primes and operators are parts of names.
    fn accepts_any_name(&self) -> bool {
        true
    }

    fn may_stand_between(&self, text: &str) -> bool {
        text.trim().lines().all(|line| line.trim_start().starts_with("{-#"))
    }
}

/// Returns the names of an export list; `None` when the module exports all of itself.
fn exports(list: Node<'_>, own: &str, walk: &Walk<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for export in list.named_children() {
        if export.kind() == "module_export" {
            if export
                .child_by_field_name("module")
                .is_some_and(|module| walk.text_of(module) == own)
            {
                return None;
            }
            continue;
        }
        let named = ["variable", "type", "operator"]
            .into_iter()
            .find_map(|field| export.child_by_field_name(field));
        let Some(name) = named.map(|name| bare(walk.text_of(name))) else { continue };
        if let Some(members) = export.child_by_field_name("children") {
            for member in members.children_by_field_name("element") {
                let member = walk.text_of(member);
                names.push(format!("{name}.{}", if member == ".." { "*" } else { bare(member) }));
            }
        }
        names.push(name.to_owned());
    }
    Some(names)
}

/// An exported name without brackets and without the module it comes from.
fn bare(written: &str) -> &str {
    let written = written.trim_matches(['(', ')', ' ']);
    match written.rsplit_once('.') {
        Some((module, name)) if !name.is_empty() && module.starts_with(char::is_uppercase) => name,
        _ => written,
    }
}

fn is_directive(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('#') else { return false };
    let rest = rest.trim_start();
    ["if", "else", "elif", "endif", "define", "undef", "include", "error"]
        .iter()
        .any(|word| rest.starts_with(word))
}

fn import(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let Some(module) = node.child_by_field_name("module").map(|module| walk.text_of(module)) else {
        return Flow::Skip;
    };
    let text = walk.text_of(node);
    let alias = node.child_by_field_name("alias").map_or("", |alias| walk.text_of(alias));
    let line = line_of(node);
    let list = node.child_by_field_name("names").filter(|_| !text.contains(" hiding"));
    match list {
        Some(list) => {
            for name in list.children_by_field_name("name") {
                let word = name.named_child(0).map_or("", |word| walk.text_of(word));
                walk.import(module, word, word, import_kind::NAME, line);
            }
        }
        None if text.contains("qualified") => walk.import(
            module,
            "",
            if alias.is_empty() { module } else { alias },
            import_kind::MODULE,
            line,
        ),
        None => walk.import(module, "", alias, import_kind::WILDCARD, line),
    }
    Flow::Skip
}

fn in_callable(walk: &Walk<'_>) -> bool {
    walk.symbols[walk.owner() as usize].kind().is_callable()
}

fn function_kind(walk: &Walk<'_>) -> SymbolKind {
    if walk.symbols[walk.owner() as usize].kind().is_type() {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    }
}

/// `name :: type` begins a function; its clauses follow.
fn signature<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    // `a, b :: type` lists several.
    let first =
        || node.child_by_field_name("names").and_then(|names| names.child_by_field_name("name"));
    let Some(name) = node.child_by_field_name("name").or_else(first).filter(|_| !in_callable(walk))
    else {
        return Flow::Descend;
    };
    let type_text = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    let text = walk.text_of(name).trim_matches(['(', ')', ' ']);
    walk.add_symbol(node, name.start_byte(), text, "", function_kind(walk), None, type_text, false);
    Flow::Descend
}

/// A clause; those of one name next to each other, and their signature, are one function.
fn equation<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let is_declaration = node.child_by_field_name("match").is_some();
    let Some(name) = equation_name(node).filter(|_| is_declaration && !in_callable(walk)) else {
        return Flow::Descend;
    };
    let text = walk.text_of(name).trim_matches(['(', ')', '`', ' ']);
    let same = walk.last_sibling().filter(|&symbol| {
        let row = &walk.symbols[symbol as usize];
        row.kind().is_callable() && walk.strings.table.get(row.name) == text
    });
    match same {
        Some(symbol) => {
            walk.continue_symbol(symbol, node);
            walk.symbols[symbol as usize].modifiers &= !modifier::DECLARATION;
        }
        None => {
            let body = node.child_by_field_name("match");
            walk.add_symbol(
                node,
                name.start_byte(),
                text,
                "",
                function_kind(walk),
                body,
                "",
                false,
            );
        }
    }
    Flow::Descend
}

fn equation_name(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(name);
    }
    let mut head = node.named_child(0)?;
    while matches!(head.kind(), "function_head_parens" | "parens") {
        head = head.named_child(0)?;
    }
    if head.kind() == "infix" {
        head.child_by_field_name("operator")
    } else {
        head.child_by_field_name("name")
    }
}

fn constructor<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let inner = node.child_by_field_name("constructor").unwrap_or(node);
    let name = inner.child_by_field_name("name").or_else(|| inner.child_by_field_name("operator"));
    let Some(name) = name else { return Flow::Descend };
    walk.add_symbol(
        node,
        name.start_byte(),
        walk.text_of(name),
        "",
        SymbolKind::Variant,
        None,
        "",
        true,
    );
    Flow::Descend
}

fn field<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let type_text = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    for name in node.children_by_field_name("name").filter(|name| name.kind() == "field_name") {
        walk.add_symbol(
            node,
            name.start_byte(),
            walk.text_of(name),
            "",
            SymbolKind::Field,
            None,
            type_text,
            true,
        );
    }
    Flow::Descend
}

fn instance<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(name) = node.child_by_field_name("name") else { return Flow::Descend };
    let path = walk.text_of(name);
    let class = bare(path);
    let target =
        node.child_by_field_name("patterns").map_or("", |patterns| instance_of(patterns, walk));
    let symbol = walk.add_symbol(
        node,
        name.end_byte() - class.len().min(name.end_byte()),
        class,
        target,
        SymbolKind::Extension,
        node.child_by_field_name("declarations"),
        target,
        false,
    );
    cut_where(symbol, walk);
    walk.base(symbol, path, base_kind::IMPLEMENTS, line_of(name));
    Flow::Descend
}

/// Returns the type that an instance is for: the first constructor in the last pattern that has one.
/// Where all are variables the last of them stands for itself.
fn instance_of<'t>(patterns: Node<'t>, walk: &Walk<'t>) -> &'t str {
    let all: Vec<Node<'t>> = patterns.named_children().collect();
    let words = |node: &Node<'t>| {
        walk.text_of(*node)
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '.')))
            .filter(|word| !word.is_empty())
    };
    let constructed = |node: &Node<'t>| match node.kind() {
        "tuple" => Some("(,)"),
        "list" => Some("[]"),
        "unit" => Some("()"),
        _ => match walk.text_of(*node).trim_start_matches(['(', ' ']) {
            text if text.starts_with(',') => Some("(,)"),
            text if text.starts_with("->") => Some("(->)"),
            _ => words(node).find(|word| word.starts_with(char::is_uppercase)).map(bare),
        },
    };
    all.iter()
        .rev()
        .find_map(constructed)
        .or_else(|| all.last().and_then(|last| words(last).next()))
        .unwrap_or("")
}

/// What follows `where` is no part of a signature.
fn cut_where(symbol: u32, walk: &mut Walk<'_>) {
    let signature = walk.strings.table.get(walk.symbols[symbol as usize].signature);
    let end = signature.find(" where").unwrap_or(signature.len());
    let cut = signature[..end].to_owned();
    walk.symbols[symbol as usize].signature = walk.intern(&cut);
}

/// `f a b` is an application inside an application; the innermost has the function.
fn application(node: Node<'_>, walk: &mut Walk<'_>) {
    let Some(function) = node
        .child_by_field_name("function")
        .filter(|function| matches!(function.kind(), "variable" | "qualified" | "constructor"))
    else {
        return;
    };
    let path = names::path(walk.text_of(function));
    let kind = if function.kind() == "constructor" { RefKind::Construct } else { RefKind::Call };
    let start = function.end_byte() - names::split_last(&path).1.len().min(function.end_byte());
    walk.reference(&path, kind, start, line_of(function), 255);
}
