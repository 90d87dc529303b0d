//! Symbol identities that survive edits of a body: `scip-contextd <lang> <package> <descriptors>`.

use crate::{OutsideKind, SymbolKind};

/// Returns the identity of a symbol.
///
/// The descriptors are the file's path as namespaces, then the scopes with SCIP suffixes:
/// `#` for types, `().` for callables, `.` for the rest. `ordinal` tells same-named siblings apart.
pub fn symbol_id(
    language: &str,
    package: &str,
    path: &str,
    qualified: &str,
    kind: SymbolKind,
    ordinal: u32,
) -> String {
    let package = if package.is_empty() { "." } else { package };
    let mut id = format!("scip-contextd {} {} ", escape_space(language), escape_space(package));
    push_descriptor(&mut id, path);
    id.push('/');
    if kind == SymbolKind::File {
        return id;
    }
    let mut parts = qualified.split('.').peekable();
    while let Some(part) = parts.next() {
        push_descriptor(&mut id, part);
        if parts.peek().is_some() {
            id.push('#');
        } else {
            push_suffix(&mut id, kind, ordinal);
        }
    }
    id
}

/// Returns the identity of something outside of the code: `scip-contextd env . HOME.`
pub fn outside_id(kind: OutsideKind, name: &str) -> String {
    let mut id = format!("scip-contextd {kind} . ");
    push_descriptor(&mut id, name);
    id.push('.');
    id
}

fn push_suffix(id: &mut String, kind: SymbolKind, ordinal: u32) {
    use std::fmt::Write;
    if kind.is_callable() {
        match ordinal {
            0 => id.push_str("()."),
            _ => drop(write!(id, "(+{ordinal}).")),
        }
        return;
    }
    if ordinal > 0 {
        let _ = write!(id, "+{ordinal}");
    }
    id.push(if kind.is_type() {
        '#'
    } else if kind == SymbolKind::Module || kind == SymbolKind::Namespace {
        '/'
    } else {
        '.'
    });
}

/// Names outside `[A-Za-z0-9_+$/.-]` are quoted with backticks, as in SCIP.
fn push_descriptor(id: &mut String, name: &str) {
    let simple = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-$/.".contains(&byte));
    if simple && !name.is_empty() {
        id.push_str(name);
        return;
    }
    id.push('`');
    id.push_str(&name.replace('`', "``"));
    id.push('`');
}

fn escape_space(text: &str) -> String {
    text.replace(' ', "  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_scopes_and_tell_overloads_apart() {
        let id = |qualified, kind, ordinal| {
            symbol_id("python", "", "src/app.py", qualified, kind, ordinal)
        };
        assert_eq!(
            id("App.run", SymbolKind::Method, 0),
            "scip-contextd python . src/app.py/App#run()."
        );
        assert_eq!(
            id("App.run", SymbolKind::Method, 1),
            "scip-contextd python . src/app.py/App#run(+1)."
        );
        assert_eq!(id("App", SymbolKind::Class, 0), "scip-contextd python . src/app.py/App#");
        assert_eq!(id("a b", SymbolKind::Variable, 0), "scip-contextd python . src/app.py/`a b`.");
        assert_eq!(id("", SymbolKind::File, 0), "scip-contextd python . src/app.py/");
        assert_eq!(outside_id(OutsideKind::Env, "HOME"), "scip-contextd env . HOME.");
        assert_eq!(outside_id(OutsideKind::Route, "GET /a"), "scip-contextd route . `GET /a`.");
    }
}
