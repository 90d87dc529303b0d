//! Data and configuration: YAML, JSON, TOML, CSS, HTML, HCL, SQL, Dockerfiles. Keys and blocks near the
//! top are symbols; what lies deeper is text.

use super::Hooks;
use crate::tree::Node;
use crate::walk::{Flow, Walk};
use contextd_model::SymbolKind;
use contextd_model::facts::FILE_SYMBOL;

pub struct Data;

/// Keys are symbols down to this depth.
const MAX_KEY_DEPTH: usize = 2;

impl Hooks for Data {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "block_mapping_pair" | "flow_pair" | "pair" => key(node, walk),
            "table" | "table_array_element" => {
                named(node, node.named_child(0), SymbolKind::Table, walk)
            }
            "rule_set" => named(node, node.named_child(0), SymbolKind::Selector, walk),
            "keyframes_statement" => named(node, node.named_child(0), SymbolKind::Selector, walk),
            "element" => element(node, walk),
            "script_element" | "style_element" => Flow::Skip,
            "block" => block(node, walk),
            "from_instruction" => named(
                node,
                node.child_by_field_name("as").or_else(|| node.named_child(0)),
                SymbolKind::Stage,
                walk,
            ),
            "statement" => statement(node, walk),
            _ => Flow::Table,
        }
    }

    fn accepts_any_name(&self) -> bool {
        true
    }
}

fn depth(walk: &Walk<'_>) -> usize {
    let mut at = walk.owner();
    let mut depth = 0;
    while at != FILE_SYMBOL && depth <= MAX_KEY_DEPTH {
        at = walk.symbols[at as usize].parent;
        depth += 1;
    }
    depth
}

fn key<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    if depth(walk) >= MAX_KEY_DEPTH {
        return Flow::Skip;
    }
    let Some(name) = node.child_by_field_name("key").or_else(|| node.named_child(0)) else {
        return Flow::Descend;
    };
    let text = clean(walk.text_of(name));
    if !text.is_empty() {
        // Other files import a package by what its manifest calls it.
        let value = if text == "name" { short_value(node, name, walk) } else { String::new() };
        walk.add_symbol(node, name.start_byte(), &text, "", SymbolKind::Key, None, &value, false);
    }
    Flow::Descend
}

/// Returns what a key stands for, when it is one short word.
fn short_value(node: Node<'_>, name: Node<'_>, walk: &Walk<'_>) -> String {
    let value = node.last_named_child();
    let text = value
        .filter(|value| value.start_byte() > name.start_byte())
        .map_or("", |value| walk.text_of(value));
    let word = text.trim().trim_matches(['"', '\'']);
    let is_word = !word.is_empty()
        && word.len() <= 80
        && word.chars().all(|letter| {
            letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | '@')
        });
    if is_word { word.to_owned() } else { String::new() }
}

fn named<'t>(
    node: Node<'t>,
    name: Option<Node<'t>>,
    kind: SymbolKind,
    walk: &mut Walk<'t>,
) -> Flow {
    let Some(name) = name else { return Flow::Descend };
    let text = clean(walk.text_of(name));
    add(node, name.start_byte(), &text, kind, walk);
    Flow::Descend
}

fn add<'t>(node: Node<'t>, at: usize, name: &str, kind: SymbolKind, walk: &mut Walk<'t>) {
    if !name.is_empty() {
        walk.add_symbol(node, at, name, "", kind, None, "", false);
    }
}

/// One line, quotes off, cut.
fn clean(text: &str) -> String {
    let folded: Vec<&str> = text.split_whitespace().collect();
    folded.join(" ").trim_matches(['"', '\'', '`']).chars().take(80).collect()
}

/// An element with an id is a place that others point to.
fn element<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(tag) = node.named_child(0) else { return Flow::Descend };
    let id = tag
        .named_children()
        .filter(|child| child.kind() == "attribute")
        .find(|attribute| attribute.named_child(0).is_some_and(|name| walk.text_of(name) == "id"))
        .and_then(|attribute| attribute.named_child(1));
    if let Some(id) = id {
        let name = clean(walk.text_of(id));
        add(node, id.start_byte(), &name, SymbolKind::Element, walk);
    }
    Flow::Descend
}

/// `resource "kind" "name" { … }`: the words before the body are the name.
fn block<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let words: Vec<String> = node
        .named_children()
        .take_while(|child| matches!(child.kind(), "identifier" | "string_lit"))
        .map(|child| clean(walk.text_of(child)))
        .collect();
    if words.is_empty() || depth(walk) >= MAX_KEY_DEPTH {
        return Flow::Descend;
    }
    add(node, node.start_byte(), &words.join("."), SymbolKind::Resource, walk);
    Flow::Descend
}

/// A statement is named by its verb and its object: `CREATE users`, `SELECT users`.
fn statement<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(first) = node.named_child(0) else { return Flow::Descend };
    let object = object_name(first, walk).unwrap_or_default();
    let (kind, verb) = match first.kind() {
        "create_table" => (SymbolKind::Table, ""),
        "create_view" | "create_materialized_view" => (SymbolKind::Table, ""),
        "create_function" | "create_procedure" | "create_trigger" => (SymbolKind::Function, ""),
        "create_type" | "create_domain" => (SymbolKind::TypeAlias, ""),
        "create_index" => (SymbolKind::Statement, "INDEX "),
        _ => (SymbolKind::Statement, walk.text_of(first).split_whitespace().next().unwrap_or("")),
    };
    let name = match kind {
        SymbolKind::Statement => {
            format!("{} {object}", verb.trim().to_uppercase()).trim().to_owned()
        }
        _ => object,
    };
    add(node, first.start_byte(), &name, kind, walk);
    Flow::Descend
}

fn object_name(node: Node<'_>, walk: &Walk<'_>) -> Option<String> {
    let mut pending = vec![node];
    let mut seen = 0;
    while let Some(at) = pending.pop() {
        seen += 1;
        if at.kind() == "object_reference" || seen > 40 {
            return (at.kind() == "object_reference").then(|| clean(walk.text_of(at)));
        }
        let children: Vec<Node<'_>> = at.named_children().collect();
        pending.extend(children.into_iter().rev());
    }
    None
}
