//! Calls, among them those that declare: `attr_reader`, `include`, `require`, `describe`, `private`.

use super::{declarations, section_word, uses};
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{base_kind, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};

pub fn call<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    let Some(method) = node.child_by_field_name("method") else { return Flow::Descend };
    if walk.is_taken(method.start_byte()) {
        // What is assigned to has been mentioned by the assignment.
        return Flow::Descend;
    }
    let word = walk.text_of(method);
    let receiver = node.child_by_field_name("receiver");
    let list = node.child_by_field_name("arguments");
    let arguments: Vec<Node<'t>> =
        list.map_or_else(Vec::new, |list| list.named_children().collect());
    let is_bare = receiver
        .is_none_or(|receiver| receiver.kind() == "self" || walk.text_of(receiver) == "RSpec");
    if is_bare && let Some(flow) = bare(node, word, &arguments, walk) {
        walk.take(method.start_byte());
        return flow;
    }
    mention(method, word, receiver, list.is_some().then_some(arguments.len()), walk);
    special(receiver, word, &arguments, node, walk);
    Flow::Descend
}

/// Calls without a receiver that mean more than a call.
fn bare<'t>(
    node: Node<'t>,
    word: &str,
    arguments: &[Node<'t>],
    walk: &mut Walk<'t>,
) -> Option<Flow> {
    let in_callable = walk.symbols[walk.owner() as usize].kind().is_callable();
    match word {
        "require" | "require_relative" | "load" | "autoload" => {
            return import(node, word, arguments, walk);
        }
        "raise" | "fail" => thrown(arguments, walk),
        _ => {}
    }
    if in_callable {
        return None;
    }
    match word {
        "include" | "extend" | "prepend" => {
            for module in arguments
                .iter()
                .filter(|module| matches!(module.kind(), "constant" | "scope_resolution"))
            {
                let path = names::path(walk.text_of(*module));
                walk.base(walk.owner(), &path, base_kind::MIXIN, line_of(*module));
            }
            Some(Flow::Descend)
        }
        "attr_accessor" | "attr_reader" | "attr_writer" | "cattr_accessor" | "mattr_accessor"
        | "class_attribute" => {
            for name in
                arguments.iter().filter(|name| matches!(name.kind(), "simple_symbol" | "string"))
            {
                let text = walk.text_of(*name).trim_start_matches(':').trim_matches(['"', '\'']);
                // Without a reader only `x=` is there.
                let named =
                    if word == "attr_writer" { format!("{text}=") } else { text.to_owned() };
                let symbol = walk.add_symbol(
                    node,
                    name.start_byte() + 1,
                    &named,
                    "",
                    SymbolKind::Property,
                    None,
                    "",
                    true,
                );
                walk.symbols[symbol as usize].signature = walk.intern(&format!("{word} :{text}"));
                walk.symbols[symbol as usize].modifiers |=
                    if word == "attr_reader" { 0 } else { modifier::SETTER };
            }
            Some(Flow::Descend)
        }
        "alias_method" => {
            if let [name, target] = arguments {
                declarations::aliased(node, *name, *target, walk);
            }
            Some(Flow::Skip)
        }
        "define_method" | "define_singleton_method" => {
            let name = *arguments.first()?;
            let text = plain_name(name, walk)?;
            let symbol = walk.add_symbol(
                node,
                name.start_byte() + 1,
                text,
                "",
                SymbolKind::Method,
                node.child_by_field_name("block"),
                "",
                false,
            );
            declarations::finish(symbol, word == "define_singleton_method", walk);
            Some(Flow::Descend)
        }
        "private" | "protected" | "public" | "private_class_method" | "private_constant" => {
            hide(word, arguments, walk);
            Some(Flow::Descend)
        }
        _ => test_block(node, word, arguments, walk),
    }
}

fn plain_name<'t>(node: Node<'_>, walk: &Walk<'t>) -> Option<&'t str> {
    let text = walk.text_of(node);
    let name = text.strip_prefix(':').unwrap_or(text).trim_matches(['"', '\'']);
    let is_plain = matches!(node.kind(), "simple_symbol" | "string")
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'?' | b'!' | b'='));
    (is_plain && !name.is_empty()).then_some(name)
}

fn import(node: Node<'_>, word: &str, arguments: &[Node<'_>], walk: &mut Walk<'_>) -> Option<Flow> {
    let target = arguments.iter().rev().find_map(|argument| uses::string(*argument, walk))?;
    let line = line_of(node);
    match word {
        "require_relative" | "load" => walk.import(target, "", "", import_kind::INCLUDE, line),
        "autoload" => {
            let name =
                arguments.first().map_or("", |name| walk.text_of(*name)).trim_start_matches(':');
            walk.import(target, name, name, import_kind::NAME, line);
        }
        _ => walk.import(target, "", "", import_kind::MODULE, line),
    }
    Some(Flow::Skip)
}

fn thrown(arguments: &[Node<'_>], walk: &mut Walk<'_>) {
    let Some(first) = arguments.first() else { return };
    let class =
        if first.kind() == "call" { first.child_by_field_name("receiver") } else { Some(*first) };
    if let Some(class) =
        class.filter(|class| matches!(class.kind(), "constant" | "scope_resolution"))
    {
        let path = names::path(walk.text_of(class));
        walk.reference(&path, RefKind::Throw, class.start_byte(), line_of(class), 255);
    }
}

/// `private :a, :b` is about methods declared before.
fn hide(word: &str, arguments: &[Node<'_>], walk: &mut Walk<'_>) {
    let visibility = section_word(word).unwrap_or(Visibility::Private);
    let owner = walk.owner();
    for argument in arguments.iter().filter(|argument| argument.kind() == "simple_symbol") {
        let name = walk.text_of(*argument).trim_start_matches(':');
        let name = walk.intern(name);
        for row in walk
            .symbols
            .iter_mut()
            .skip(owner as usize + 1)
            .filter(|row| row.parent == owner && row.name == name)
        {
            row.visibility = visibility as u8;
        }
    }
}

/// Blocks of test frameworks that are named by a string or a constant.
fn test_block<'t>(
    node: Node<'t>,
    word: &str,
    arguments: &[Node<'t>],
    walk: &mut Walk<'t>,
) -> Option<Flow> {
    let kind = match word {
        "describe" | "context" | "feature" | "shared_examples" | "xdescribe" => SymbolKind::Module,
        "it" | "specify" | "scenario" | "test" | "should" | "xit" | "example" => {
            SymbolKind::Function
        }
        _ => return None,
    };
    let body = node.child_by_field_name("block")?;
    let first = *arguments.first()?;
    let name = match first.kind() {
        "constant" | "scope_resolution" => names::path(walk.text_of(first)),
        _ => uses::string(first, walk)?.to_owned(),
    };
    let symbol = walk.add_symbol(node, first.start_byte(), &name, "", kind, Some(body), "", false);
    walk.symbols[symbol as usize].modifiers |= modifier::TEST | modifier::TITLE;
    Some(Flow::Descend)
}

pub fn mention(
    method: Node<'_>,
    word: &str,
    receiver: Option<Node<'_>>,
    count: Option<usize>,
    walk: &mut Walk<'_>,
) {
    let is_class =
        receiver.is_some_and(|receiver| matches!(receiver.kind(), "constant" | "scope_resolution"));
    walk.take(method.start_byte());
    let arguments = count.unwrap_or(0).min(254) as u8;
    let head = receiver.map_or_else(String::new, |receiver| names::path(walk.text_of(receiver)));
    if let Some(receiver) = receiver.filter(|_| is_class && word == "new") {
        let name_start =
            receiver.end_byte() - names::split_last(&head).1.len().min(receiver.end_byte());
        walk.take(name_start);
        walk.reference(&head, RefKind::Construct, name_start, line_of(receiver), arguments);
        return;
    }
    let path = match receiver.map(|receiver| receiver.kind()) {
        None => word.to_owned(),
        Some("instance_variable") => format!("self.{head}.{word}"),
        Some(
            "string" | "string_array" | "symbol_array" | "array" | "hash" | "regex" | "integer"
            | "subshell",
        ) => format!("().{word}"),
        Some(_) if head.is_empty() => format!("().{word}"),
        Some(_) => format!("{head}.{word}"),
    };
    walk.reference(&path, RefKind::Call, method.start_byte(), line_of(method), arguments);
}

/// Environment reads, process starts and routes.
fn special(
    receiver: Option<Node<'_>>,
    word: &str,
    arguments: &[Node<'_>],
    node: Node<'_>,
    walk: &mut Walk<'_>,
) {
    let Some(&first) = arguments.first() else { return };
    let object = receiver.map_or("", |receiver| walk.text_of(receiver));
    match (object, word) {
        ("ENV", "fetch" | "key?" | "[]") => uses::environment(first, walk),
        (
            "" | "Kernel" | "Process" | "IO" | "Open3",
            "system" | "exec" | "spawn" | "popen" | "capture2" | "capture2e" | "capture3"
            | "popen3",
        ) => {
            let command = uses::string(first, walk)
                .and_then(|text| text.split_whitespace().next())
                .unwrap_or("");
            uses::process(command, first, walk);
        }
        (
            "" | "app" | "router",
            "get" | "post" | "put" | "patch" | "delete" | "head" | "options",
        ) => {
            let handled = arguments.len() > 1 || node.child_by_field_name("block").is_some();
            if let Some(pattern) =
                uses::string(first, walk).filter(|pattern| pattern.starts_with('/') && handled)
            {
                walk.route(&word.to_uppercase(), pattern, first.start_byte(), line_of(first));
            }
        }
        _ => {}
    }
}
