//! Use trees, flattened: one import for each name they bind.

use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::facts::import_kind;

/// Nesting of groups beyond this is not code that anyone wrote.
const MAX_DEPTH: usize = 64;

pub fn declaration(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    let exported = node.children().any(|child| child.kind() == "visibility_modifier");
    if let Some(argument) = node.child_by_field_name("argument") {
        tree(argument, "", exported, 0, walk);
    }
    Flow::Skip
}

/// `extern crate a as b;`
pub fn external(node: Node<'_>, walk: &mut Walk<'_>) -> Flow {
    if let Some(name) = node.child_by_field_name("name") {
        let module = walk.text_of(name);
        let alias = node.child_by_field_name("alias").map_or(module, |alias| walk.text_of(alias));
        walk.import(module, "", alias, import_kind::MODULE, line_of(node));
    }
    Flow::Skip
}

fn tree(node: Node<'_>, prefix: &str, exported: bool, depth: usize, walk: &mut Walk<'_>) {
    if depth > MAX_DEPTH {
        return;
    }
    match node.kind() {
        "use_list" => {
            for child in node.named_children() {
                tree(child, prefix, exported, depth + 1, walk);
            }
        }
        "scoped_use_list" => {
            let path = node.child_by_field_name("path").map_or("", |path| walk.text_of(path));
            let joined = join(prefix, &compact(path));
            if let Some(list) = node.child_by_field_name("list") {
                tree(list, &joined, exported, depth + 1, walk);
            }
        }
        "use_wildcard" => {
            let path = node.named_child(0).map_or("", |path| walk.text_of(path));
            let kind = if exported { import_kind::REEXPORT_ALL } else { import_kind::WILDCARD };
            walk.import(&join(prefix, &compact(path)), "", "", kind, line_of(node));
        }
        "use_as_clause" => {
            let path = node.child_by_field_name("path").map_or("", |path| walk.text_of(path));
            let alias = node.child_by_field_name("alias").map_or("", |alias| walk.text_of(alias));
            leaf(&join(prefix, &compact(path)), Some(alias), exported, line_of(node), walk);
        }
        "identifier" | "scoped_identifier" | "self" | "crate" | "super" => {
            let path = compact(walk.text_of(node));
            leaf(&join(prefix, &path), None, exported, line_of(node), walk);
        }
        _ => {}
    }
}

/// One name: `a::b` binds `b`, `a::{self}` binds `a`, `a::b as _` binds nothing.
fn leaf(path: &str, alias: Option<&str>, exported: bool, line: u32, walk: &mut Walk<'_>) {
    let path = path.strip_suffix("::self").unwrap_or(path);
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    let alias = match alias {
        Some("_") => "",
        Some(alias) => alias,
        None => name,
    };
    match (module, exported) {
        (_, true) => walk.import(module, name, alias, import_kind::REEXPORT, line),
        ("", false) => walk.import(name, "", alias, import_kind::MODULE, line),
        _ => walk.import(module, name, alias, import_kind::NAME, line),
    }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{}", path.trim_start_matches("::")),
    }
}

/// A path may be written over several lines.
fn compact(path: &str) -> String {
    path.split_whitespace().collect()
}
