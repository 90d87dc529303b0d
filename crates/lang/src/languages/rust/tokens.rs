//! Names in the token trees of macros: the grammar does not parse them, but what is called there is
//! as much a use as anywhere else.

use crate::tree::Node;
use crate::walk::{Flow, Walk, line_of};
use contextd_model::RefKind;
use contextd_model::facts::binding;

/// Reports the names in a token tree and in those inside it.
pub fn references<'t>(node: Node<'t>, walk: &mut Walk<'t>) -> Flow {
    // A list of trees to do, not recursion: nesting is the writer's choice.
    let mut pending = vec![node];
    while let Some(tree) = pending.pop() {
        let mut reader = Reader::default();
        for child in tree.children() {
            if child.kind() == "token_tree" {
                pending.push(child);
            }
            reader.token(child, walk);
        }
        reader.flush(walk);
    }
    Flow::Skip
}

/// Joins tokens to paths: `a :: b . c (…)` is a call of `a.b.c`.
#[derive(Default)]
struct Reader<'t> {
    path: String,
    last: Option<Node<'t>>,
    /// A separator has been read; the next name continues the path.
    joined: bool,
    /// `!` has been read after a name.
    bang: bool,
    keyword: &'static str,
    /// The path in front of `::<…>`.
    held: Option<(String, Option<Node<'t>>)>,
}

impl<'t> Reader<'t> {
    fn token(&mut self, token: Node<'t>, walk: &mut Walk<'t>) {
        match token.kind() {
            "identifier" | "self" | "super" | "crate" | "metavariable" => self.name(token, walk),
            "::" | "." => self.joined = true,
            "?" => {}
            "!" if self.last.is_some() => self.bang = true,
            "<" if self.joined => {
                self.joined = false;
                self.held = Some((std::mem::take(&mut self.path), self.last.take()));
            }
            ">" | ">>" if self.held.is_some() => {
                self.flush(walk);
                (self.path, self.last) = self.held.take().unwrap_or_default();
            }
            "token_tree" => self.tree(token, walk),
            ":" if !self.path.contains('.') => self.clear(),
            keyword @ ("fn" | "let" | "for" | "struct" | "enum" | "trait" | "mod" | "type"
            | "mut" | "ref" | "const" | "static") => {
                self.flush(walk);
                self.keyword = match keyword {
                    "mut" | "ref" => self.keyword,
                    "let" | "for" => "let",
                    _ => "fn",
                };
            }
            "mutable_specifier" => {}
            _ => {
                self.flush(walk);
                self.keyword = "";
            }
        }
    }

    fn name(&mut self, token: Node<'t>, walk: &mut Walk<'t>) {
        let text = walk.text_of(token);
        if self.joined && !self.path.is_empty() {
            if text != "await" {
                self.path.push('.');
                self.path.push_str(text);
                self.last = Some(token);
            }
            self.joined = false;
            return;
        }
        self.flush(walk);
        match std::mem::take(&mut self.keyword) {
            "let" => walk.add_binding(text, "", binding::ALIAS, 0, 0, line_of(token)),
            "fn" => {}
            _ => {
                self.path.push_str(text);
                self.last = Some(token);
            }
        }
    }

    fn tree(&mut self, tree: Node<'t>, walk: &mut Walk<'t>) {
        let Some(last) = self.last else {
            self.joined = false;
            return;
        };
        let opening = walk.text_of(tree).as_bytes().first().copied();
        let is_type = walk.text_of(last).starts_with(char::is_uppercase);
        let kind = match opening {
            _ if self.bang => RefKind::Macro,
            Some(b'(') => RefKind::Call,
            Some(b'{') if is_type => RefKind::Construct,
            _ => {
                self.flush(walk);
                return;
            }
        };
        walk.reference(&self.path, kind, last.start_byte(), line_of(last), 255);
        self.path.push_str("()");
        (self.last, self.joined, self.bang) = (None, false, false);
    }

    /// Reports a path that was neither called nor constructed.
    fn flush(&mut self, walk: &mut Walk<'t>) {
        if let Some(last) = self.last {
            let kind = if self.path.contains('.') { RefKind::Field } else { RefKind::Name };
            let ignored = self.path.starts_with('$')
                || walk.rules.ignore.contains(&self.path)
                || matches!(self.path.as_str(), "crate" | "super" | "true" | "false");
            if !ignored && self.path.len() > 1 {
                walk.reference(&self.path, kind, last.start_byte(), line_of(last), 255);
            }
        }
        self.clear();
    }

    fn clear(&mut self) {
        self.path.clear();
        (self.last, self.joined, self.bang) = (None, false, false);
    }
}
