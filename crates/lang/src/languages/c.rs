//! C and C++: declarators, macros, access sections and the preprocessor.

mod conditionals;
mod declarations;
mod declarator;
mod functions;
mod heads;
mod items;
mod mask;
mod preprocessor;
mod tokens;

use super::Hooks;
use crate::names;
use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::{SymbolRow, binding, import_kind, modifier};
use contextd_model::{RefKind, SymbolKind, Visibility};
use std::borrow::Cow;

/// Hooks of both languages: the grammar of C++ extends that of C.
pub struct CFamily;

impl Hooks for CFamily {
    fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        mask::mask(text)
    }

    fn visit<'t>(&self, node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
        match node.kind() {
            "function_definition" => functions::definition(node, walk),
            "declaration" | "field_declaration" => declarations::declaration(node, walk),
            "type_definition" => declarations::type_definition(node, walk),
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                specifier(node)
            }
            "preproc_include" => preprocessor::include(node, walk),
            "preproc_def" | "preproc_function_def" => preprocessor::definition(node, walk),
            "access_specifier" => {
                access(node, walk);
                Flow::Skip
            }
            "namespace_definition" => {
                // What stands in a namespace without a name belongs to its file.
                if node.child_by_field_name("name").is_none() {
                    walk.set_section(node.start_byte(), node.end_byte(), Visibility::Private);
                }
                Flow::Table
            }
            "using_declaration" => using(node, walk),
            "namespace_alias_definition" => namespace_alias(node, walk),
            "qualified_identifier" => qualified(node, walk),
            "throw_statement" => thrown(node, walk),
            "lambda_expression" | "catch_clause" => {
                local_parameters(node, walk);
                Flow::Table
            }
            "parameter_declaration" | "optional_parameter_declaration" => {
                if let Some(declared) = node
                    .child_by_field_name("declarator")
                    .and_then(|declarator| declarator::read(declarator, walk))
                {
                    walk.take(declared.name.start_byte());
                }
                Flow::Descend
            }
            "compound_literal_expression" => {
                if let Some(written) = node.child_by_field_name("type") {
                    let path = names::type_head(walk.text_of(written));
                    walk.reference(
                        &path,
                        RefKind::Construct,
                        written.start_byte(),
                        line_of(written),
                        255,
                    );
                }
                Flow::Descend
            }
            "type_parameter_declaration" => Flow::Skip,
            // `&&` is a reference too, so the sign alone is no branch.
            "&&" => {
                if walk.ancestor(1).is_some_and(|parent| parent.kind() == "binary_expression") {
                    walk.branch();
                }
                Flow::Skip
            }
            "for_range_loop" => {
                loop_variable(node, walk);
                Flow::Table
            }
            _ => Flow::Table,
        }
    }

    fn declared<'t>(&self, node: Node<'t>, symbol: u32, walk: &mut Walk<'t>) {
        template_parameters(node, symbol, walk);
        // `struct Maker<int> { … }` is what the template comes to for one argument.
        let named = Some(node)
            .filter(|node| node.kind().ends_with("_specifier"))
            .and_then(|node| node.child_by_field_name("name"));
        if named.is_some_and(|name| name.kind() == "template_type") {
            walk.symbols[symbol as usize].modifiers |= modifier::SPECIALIZED;
        }
    }

    fn may_stand_between(&self, text: &str) -> bool {
        text.trim().lines().all(|line| line.starts_with('#') || is_macro_line(line.trim()))
            && text.matches("\n\n").count() == 0
    }

    fn visibility(&self, row: &SymbolRow, walk: &Walk<'_>) -> Option<Visibility> {
        let parent = &walk.symbols[row.parent as usize];
        if parent.kind().is_type() {
            let default = if parent.kind() == SymbolKind::Class {
                Visibility::Private
            } else {
                Visibility::Public
            };
            return Some(walk.section(row.parent, row.start).unwrap_or(default));
        }
        if let Some(visibility) = walk.section(row.parent, row.start) {
            return Some(visibility);
        }
        (row.has(modifier::STATIC) && !row.kind().is_type()).then_some(Visibility::Private)
    }
}

/// A masked attribute, such as `API` or `API_DEPRECATED("use x")`.
fn is_macro_line(line: &str) -> bool {
    let word = line.split(['(', ' ']).next().unwrap_or("");
    !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && (word.len() == line.len() || line.ends_with(')'))
}

/// True when a header is C++: it says something that C has no words for. What stands in
/// `#ifdef __cplusplus` proves nothing.
pub fn is_cpp(text: &str) -> bool {
    let (mut depth, mut guarded) = (0usize, None);
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(directive) = line.strip_prefix('#') {
            let directive = directive.trim_start();
            if directive.starts_with("if") {
                depth += 1;
                if guarded.is_none()
                    && directive.contains("__cplusplus")
                    && !directive.contains('!')
                    && !directive.starts_with("ifndef")
                {
                    guarded = Some(depth);
                }
            } else if directive.starts_with("endif") {
                guarded = guarded.filter(|&at| at != depth);
                depth = depth.saturating_sub(1);
            }
        } else if guarded.is_none() && is_cpp_line(line) {
            return true;
        }
    }
    false
}

fn is_cpp_line(line: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    if starts(&[
        "template <",
        "template<",
        "public:",
        "private:",
        "protected:",
        "using namespace ",
        "constexpr ",
        "inline namespace ",
        "static constexpr ",
    ]) {
        return true;
    }
    if starts(&["class ", "namespace "]) {
        let named = line.split_whitespace().nth(1).is_some_and(|word| {
            word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '{' | '['))
        });
        return named
            && !line.contains('=')
            && (line.trim_end().ends_with(['{', ';'])
                || line.contains(" : ")
                || line.split_whitespace().count() == 2);
    }
    starts(&["using "]) && line.contains(" = ") || line.contains("std::")
}

/// A specifier without a body mentions a type; one without a name is its declaration's business.
fn specifier(node: Node<'_>) -> Flow {
    let is_definition =
        node.child_by_field_name("body").is_some() && node.child_by_field_name("name").is_some();
    if is_definition { Flow::Table } else { Flow::Descend }
}

fn access(node: Node<'_>, walk: &mut Walk<'_>) {
    let visibility = match walk.text_of(node).trim_end_matches(':').trim() {
        "public" => Visibility::Public,
        "protected" => Visibility::Protected,
        "private" => Visibility::Private,
        _ => return,
    };
    // In a base clause the class has no members yet, and the word is about the base.
    let is_section = walk.text.get(node.end_byte()..).is_some_and(|rest| {
        rest.trim_start().starts_with(':') && !rest.trim_start().starts_with("::")
    }) || walk.text_of(node).ends_with(':');
    if is_section {
        walk.set_section(node.end_byte(), usize::MAX, visibility);
    }
}

/// Fills the type parameters of a symbol from the `template <…>` in front of it.
fn template_parameters(node: Node<'_>, symbol: u32, walk: &mut Walk<'_>) {
    let row = walk.symbols[symbol as usize];
    let text = walk.text.get(row.start as usize..node.start_byte()).unwrap_or("");
    let Some(head) = text.rfind("template").map(|at| text[at + 8..].trim()) else { return };
    let inner = head
        .strip_prefix('<')
        .map_or("", |inner| inner.rfind('>').map_or(inner, |end| &inner[..end]));
    let folded: Vec<&str> = inner.split_whitespace().take(60).collect();
    walk.symbols[symbol as usize].generics = walk.intern(&folded.join(" "));
}

fn using(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let line = line_of(node);
    let in_type = walk.symbols[walk.owner() as usize].kind().is_type();
    let Some(target) = node.named_child(0).filter(|_| !in_type) else { return Flow::Descend };
    let written = walk.text_of(target);
    let is_namespace = node.child(1).is_some_and(|word| word.kind() == "namespace");
    if is_namespace {
        walk.import(written, "", "", import_kind::WILDCARD, line);
    } else if let Some((module, name)) = written.rsplit_once("::") {
        walk.import(module, name, name, import_kind::NAME, line);
    }
    Flow::Skip
}

fn namespace_alias(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let alias = node.child_by_field_name("name").map_or("", |name| walk.text_of(name));
    if let Some(target) = node.named_child(1) {
        walk.import(walk.text_of(target), "", alias, import_kind::MODULE, line_of(node));
    }
    Flow::Skip
}

/// `a::b::c` is one mention, of its last name.
fn qualified(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let mut name = node;
    while let Some(next) = name.child_by_field_name("name").filter(|_| {
        matches!(name.kind(), "qualified_identifier" | "template_type" | "template_function")
    }) {
        name = next;
    }
    if matches!(name.kind(), "identifier" | "type_identifier" | "field_identifier")
        && !walk.is_taken(name.start_byte())
    {
        let path = names::path(walk.text_of(node));
        let kind = if name.kind() == "type_identifier" { RefKind::Type } else { RefKind::Field };
        walk.take(name.start_byte());
        walk.reference(&path, kind, name.start_byte(), line_of(name), 255);
    }
    Flow::Descend
}

/// Exceptions of C++ are written in lower case as often as not: `throw std::runtime_error("x")`.
fn thrown(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(callee) = node.named_child(0).and_then(|value| {
        value.child_by_field_name("function").or_else(|| value.child_by_field_name("type"))
    }) {
        let path = names::path(walk.text_of(callee));
        walk.reference(&path, RefKind::Throw, callee.start_byte(), line_of(callee), 255);
    }
    Flow::Descend
}

/// Parameters of lambdas and `catch` are names of the function around them.
fn local_parameters<'t>(node: Node<'t>, walk: &mut Walk<'t>) {
    let list = node
        .child_by_field_name("parameters")
        .or_else(|| node.child_by_field_name("declarator")?.child_by_field_name("parameters"));
    let Some(list) = list else { return };
    for parameter in list.named_children() {
        let Some(declared) = parameter
            .child_by_field_name("declarator")
            .and_then(|declarator| declarator::read(declarator, walk))
        else {
            continue;
        };
        let written =
            parameter.child_by_field_name("type").map_or("", |written| walk.text_of(written));
        let written = if written == "auto" { "" } else { written };
        let how = if written.is_empty() { binding::ALIAS } else { binding::DECLARED };
        walk.take(declared.name.start_byte());
        walk.add_binding(walk.text_of(declared.name), written, how, 0, 0, line_of(declared.name));
    }
}

fn loop_variable<'t>(node: Node<'t>, walk: &mut Walk<'t>) {
    let Some(declared) = node
        .child_by_field_name("declarator")
        .and_then(|declarator| declarator::read(declarator, walk))
    else {
        return;
    };
    let written = node.child_by_field_name("type").map_or("", |written| walk.text_of(written));
    walk.take(declared.name.start_byte());
    walk.bind(declared.name, if written == "auto" { "" } else { written }, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_apart_by_their_words() {
        for text in [
            "class Foo {\n",
            "namespace a {\n",
            "  template <class T>\n",
            " public:\n",
            "#ifdef X\nusing A = int;\n#endif",
            "std::string f();",
            "class Foo : public Bar\n{",
        ] {
            assert!(is_cpp(text), "{text}");
        }
        for text in [
            "struct s { int class; };",
            "#ifdef __cplusplus\nnamespace a {\n#endif\nint f(void);",
            "class = 3;",
            "int template_x;",
            "/* a class of things */",
        ] {
            assert!(!is_cpp(text), "{text}");
        }
    }
}
