//! Elixir: every declaration is a call, every attribute an operator.

mod attributes;

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, is_name, line_of, literal};
use contextd_model::facts::{base_kind, binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};

pub struct Elixir;

impl Hooks for Elixir {
    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "unary_operator" => attributes::attribute(node, walk),
            _ => call(node, walk),
        }
    }

    /// Attributes may stand between `@doc` and the function.
    fn may_stand_between(&self, text: &str) -> bool {
        let text = text.trim_start_matches(['"', '\'']).trim();
        text.is_empty()
            || text.starts_with('@') && !text.contains("\n  def") && !text.contains("\n  @doc")
    }
}

fn call<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(target) = node.child_by_field_name("target") else { return Flow::Descend };
    let arguments = children(node.first_of_kind("arguments"));
    let word = walk.text_of(target);
    match word {
        "defmodule" | "defprotocol" | "defimpl" => module(node, word, &arguments, walk),
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate"
        | "defn" | "defnp" => function(node, word, &arguments, walk),
        "defstruct" | "defexception" => fields(&arguments, walk),
        "use" | "import" | "alias" | "require" => import(node, word, &arguments, walk),
        "test" | "describe" | "property" => test(node, word, &arguments, walk),
        _ => mention(node, target, word, &arguments, walk),
    }
}

fn children(node: Option<Node<'_>>) -> Vec<Node<'_>> {
    node.map_or_else(Vec::new, |node| node.named_children().collect())
}

/// Returns the value of `key:` among the arguments of a call.
fn keyword<'t>(arguments: &[Node<'t>], key: &str, walk: &Walk<'t>) -> Option<Node<'t>> {
    let last = arguments.last().filter(|last| last.kind() == "keywords")?;
    let pairs = children(Some(*last));
    let pair = pairs.iter().find(|pair| {
        pair.child_by_field_name("key")
            .is_some_and(|word| walk.text_of(word).trim_end().trim_end_matches(':') == key)
    })?;
    pair.child_by_field_name("value")
}

fn module<'t>(node: Node<'t>, word: &str, arguments: &[Node<'t>], walk: &mut Walk<'t>) -> Flow {
    let Some(name) = arguments.first().filter(|name| name.kind() == "alias") else {
        return Flow::Descend;
    };
    let written = walk.text_of(*name);
    let (scope, last) = names::split_last(written);
    let target = keyword(arguments, "for", walk).map(|target| names::path(walk.text_of(target)));
    let (kind, scope) = match word {
        "defprotocol" => (SymbolKind::Interface, scope.to_owned()),
        "defimpl" => (SymbolKind::Extension, target.clone().unwrap_or_default()),
        _ => (SymbolKind::Module, scope.to_owned()),
    };
    let symbol = walk.add_symbol(
        node,
        name.end_byte() - last.len(),
        last,
        &scope,
        kind,
        node.first_of_kind("do_block"),
        "",
        false,
    );
    if word == "defimpl" {
        walk.base(symbol, written, base_kind::IMPLEMENTS, line_of(*name));
    } else {
        walk.take(name.start_byte());
    }
    if last.ends_with("Test") {
        walk.symbols[symbol as usize].modifiers |= modifier::TEST;
    }
    Flow::Descend
}

fn function<'t>(node: Node<'t>, word: &str, arguments: &[Node<'t>], walk: &mut Walk<'t>) -> Flow {
    let Some(head) = arguments.first().map(|head| guarded(*head)) else { return Flow::Descend };
    let name = match head.kind() {
        "call" => head.child_by_field_name("target"),
        "identifier" => Some(head),
        "binary_operator" => head.child_by_field_name("operator"),
        _ => None,
    };
    let Some(name) = name else { return Flow::Descend };
    let parameters =
        if head.kind() == "call" { children(head.first_of_kind("arguments")) } else { Vec::new() };
    let body = node.first_of_kind("do_block").or_else(|| keyword(arguments, "do", walk));
    let text = walk.text_of(name);
    let again =
        walk.last_sibling().filter(|&symbol| is_clause(symbol, text, parameters.len(), walk));
    match again {
        Some(symbol) => walk.continue_symbol(symbol, node),
        None => {
            let kind =
                if word.starts_with("defmacro") { SymbolKind::Macro } else { SymbolKind::Function };
            let symbol = walk.add_symbol(node, name.start_byte(), text, "", kind, body, "", false);
            finish(symbol, node, word, head, walk);
            for (position, parameter) in parameters.iter().enumerate() {
                let bound =
                    if parameter.kind() == "identifier" { walk.text_of(*parameter) } else { "_" };
                walk.add_binding(
                    bound,
                    "",
                    binding::PARAMETER,
                    position.min(255) as u8,
                    0,
                    line_of(*parameter),
                );
            }
        }
    }
    // The head is no call, its default values and guards may hold some.
    walk.take(head.start_byte());
    Flow::Descend
}

fn finish(symbol: u32, node: Node<'_>, word: &str, head: Node<'_>, walk: &mut Walk<'_>) {
    let signature = walk
        .text
        .get(node.start_byte()..head.end_byte())
        .unwrap_or("")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let signature = walk.intern(&signature);
    let row = &mut walk.symbols[symbol as usize];
    row.signature = signature;
    if word != "def" {
        row.modifiers &= !modifier::DECLARATION;
    }
    if matches!(word, "defp" | "defmacrop" | "defguardp" | "defnp") {
        row.visibility = Visibility::Private as u8;
    }
}

/// The head without its guard.
fn guarded(head: Node<'_>) -> Node<'_> {
    let is_guard = head.kind() == "binary_operator"
        && head.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "when");
    if is_guard { head.child_by_field_name("left").unwrap_or(head) } else { head }
}

/// True when `symbol` is the function of that name and number of parameters.
fn is_clause(symbol: u32, name: &str, arity: usize, walk: &Walk<'_>) -> bool {
    let row = &walk.symbols[symbol as usize];
    let parameters = || {
        walk.bindings
            .iter()
            .rev()
            .filter(|bound| bound.owner == symbol && bound.how == binding::PARAMETER)
            .count()
    };
    row.kind().is_callable() && walk.strings.table.get(row.name) == name && parameters() == arity
}

/// `defstruct [:a, b: 1]` gives the module fields.
fn fields<'t>(arguments: &[Node<'t>], walk: &mut Walk<'t>) -> Flow {
    let mut pending: Vec<Node<'t>> = arguments.iter().rev().copied().collect();
    while let Some(node) = pending.pop() {
        match node.kind() {
            "list" | "keywords" => pending.extend(children(Some(node)).into_iter().rev()),
            "atom" => {
                let name = walk.text_of(node).trim_start_matches(':');
                walk.add_symbol(
                    node,
                    node.start_byte() + 1,
                    name,
                    "",
                    SymbolKind::Field,
                    None,
                    "",
                    true,
                );
            }
            "pair" => {
                let Some(key) = node.child_by_field_name("key") else { continue };
                let name = walk.text_of(key).trim_end().trim_end_matches(':');
                walk.add_symbol(
                    node,
                    key.start_byte(),
                    name,
                    "",
                    SymbolKind::Field,
                    None,
                    "",
                    true,
                );
            }
            _ => {}
        }
    }
    Flow::Descend
}

fn import<'t>(node: Node<'t>, word: &str, arguments: &[Node<'t>], walk: &mut Walk<'t>) -> Flow {
    let Some(&first) = arguments.first() else { return Flow::Descend };
    let line = line_of(node);
    if first.kind() == "dot" {
        let prefix = first.child_by_field_name("left").map_or("", |left| walk.text_of(left));
        for member in children(first.child_by_field_name("right")) {
            let module = format!("{prefix}.{}", walk.text_of(member));
            walk.import(&module, "", names::split_last(&module).1, import_kind::MODULE, line);
        }
        return Flow::Skip;
    }
    if first.kind() != "alias" {
        return mention(
            node,
            node.child_by_field_name("target").unwrap_or(node),
            word,
            arguments,
            walk,
        );
    }
    let module = walk.text_of(first);
    let alias = keyword(arguments, "as", walk).map_or("", |alias| walk.text_of(alias));
    match word {
        "import" => walk.import(module, "", "", import_kind::WILDCARD, line),
        "alias" => walk.import(
            module,
            "",
            if alias.is_empty() { names::split_last(module).1 } else { alias },
            import_kind::MODULE,
            line,
        ),
        _ => walk.import(module, "", alias, import_kind::MODULE, line),
    }
    if word == "use" {
        walk.base(walk.owner(), module, base_kind::MIXIN, line);
    }
    Flow::Skip
}

fn test<'t>(node: Node<'t>, word: &str, arguments: &[Node<'t>], walk: &mut Walk<'t>) -> Flow {
    let title = arguments.first().and_then(|title| literal(walk.text_of(*title)));
    if let (Some(title), Some(body)) = (title, node.first_of_kind("do_block")) {
        let kind = if word == "describe" { SymbolKind::Module } else { SymbolKind::Function };
        let symbol = walk.add_symbol(
            node,
            arguments[0].start_byte() + 1,
            title,
            "",
            kind,
            Some(body),
            "",
            false,
        );
        walk.symbols[symbol as usize].modifiers |= modifier::TEST;
    }
    Flow::Descend
}

/// Words of the language that look like calls.
const WORDS: [&str; 20] = [
    "if",
    "unless",
    "case",
    "cond",
    "with",
    "for",
    "quote",
    "unquote",
    "try",
    "receive",
    "fn",
    "raise",
    "reraise",
    "super",
    "is_nil",
    "send",
    "self",
    "assert",
    "refute",
    "unquote_splicing",
];

fn mention(
    node: Node<'_>,
    target: Node<'_>,
    word: &str,
    arguments: &[Node<'_>],
    walk: &mut Walk<'_>,
) -> Flow {
    if walk.is_taken(node.start_byte()) {
        return Flow::Descend;
    }
    match word {
        "if" | "unless" => walk.branch(),
        "raise" | "reraise" => {
            if let Some(error) = arguments.first().filter(|error| error.kind() == "alias") {
                walk.reference(
                    walk.text_of(*error),
                    RefKind::Throw,
                    error.start_byte(),
                    line_of(*error),
                    255,
                );
            }
        }
        _ => {}
    }
    let path = names::path(word);
    if WORDS.contains(&word) || !is_name(names::split_last(&path).1) {
        return Flow::Descend;
    }
    let start = target.end_byte() - names::split_last(&path).1.len().min(target.end_byte());
    walk.reference(&path, RefKind::Call, start, line_of(target), arguments.len().min(254) as u8);
    let first = arguments
        .first()
        .and_then(|first| literal(walk.text_of(*first)).map(|text| (*first, text)));
    if let Some((first, text)) = first {
        let kind = match word {
            "System.get_env" | "System.fetch_env!" | "System.fetch_env" => RefKind::Env,
            "System.cmd" | "System.shell" => RefKind::Process,
            _ => return Flow::Descend,
        };
        walk.reference(text, kind, first.start_byte(), line_of(first), 255);
    }
    Flow::Descend
}
