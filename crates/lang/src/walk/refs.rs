//! References: calls, constructions, member accesses, types and other mentions of names.

use super::{Walk, find, is_name, line_of};
use crate::names;
use crate::rules::{CallRule, Finder};
use crate::tree::Node;
use contextd_model::facts::{RefRow, SPREAD_ARGUMENTS, binding};
use contextd_model::{RefKind, StrId};
use std::borrow::Cow;

/// Arguments of a call that are not known.
const UNKNOWN: u8 = 255;

impl<'t> Walk<'t> {
    pub(super) fn call(&mut self, node: Node<'t>, rule: &CallRule) {
        let Some(callee) = find(node, &rule.callee) else { return };
        let mut path = names::path_in(self.text_of(callee));
        if let Some(receiver) = find(node, &rule.receiver) {
            path = format!("{}.{path}", names::path_in(self.text_of(receiver))).into();
        }
        let arguments = find(node, &rule.arguments);
        let count =
            if rule.is_macro { UNKNOWN } else { self.count_arguments(node, arguments, rule) };
        let kind = if rule.is_macro { RefKind::Macro } else { RefKind::Call };
        self.name_reference(&path, kind, callee, count);
        if let Some(arguments) = arguments {
            self.special_call(&path, arguments, count);
        }
    }

    /// Counts the arguments of a call, with one behind the brackets: of this node, or of the one around
    /// it that calls the same.
    fn count_arguments(&self, node: Node<'t>, arguments: Option<Node<'t>>, rule: &CallRule) -> u8 {
        let around = || {
            self.ancestor(1).filter(|outer| {
                outer.kind_id() == node.kind_id() && outer.start_byte() == node.start_byte()
            })
        };
        let trails = !rule.trailing.is_empty()
            && (find(node, &rule.trailing).is_some()
                || around().is_some_and(|outer| find(outer, &rule.trailing).is_some()));
        match arguments {
            Some(arguments) if self.spreads(arguments) => SPREAD_ARGUMENTS,
            Some(arguments) => (arguments.named_child_count() + usize::from(trails))
                .min(usize::from(SPREAD_ARGUMENTS) - 1) as u8,
            None if trails => 1,
            None => UNKNOWN,
        }
    }

    /// True when one of the arguments stands for many.
    fn spreads(&self, arguments: Node<'t>) -> bool {
        if !self.rules.has_spreads || !self.text_of(arguments).contains(['.', '*']) {
            return false;
        }
        let is_spread = |node: Node<'_>| {
            self.rules.kinds.get(node.kind_id() as usize).is_some_and(|rule| rule.spread)
        };
        arguments.named_children().any(|argument| {
            is_spread(argument)
                || argument.named_child_count() == 1
                    && argument.named_child(0).is_some_and(is_spread)
        })
    }

    pub(super) fn construct(&mut self, node: Node<'t>, finder: &Finder) {
        if let Some(target) = find(node, finder) {
            let path = self.constructed(self.text_of(target));
            self.name_reference(&path, RefKind::Construct, target, self.arity(target));
            if let Some(arguments) = self
                .rules
                .process_calls
                .iter()
                .any(|known| *known == path)
                .then(|| node.child_by_field_name("arguments"))
                .flatten()
            {
                self.special_call(&path, arguments, UNKNOWN);
            }
        }
    }

    /// Returns the type that a construction names; `Self` is the type around it.
    pub(super) fn constructed<'a>(&self, written: &'a str) -> Cow<'a, str> {
        let path = names::path_in(written);
        if self.rules.self_names.iter().any(|name| *name == path)
            && let Some(owner) = self.enclosing_type()
        {
            return self.strings.table.get(self.symbols[owner as usize].name).to_owned().into();
        }
        path
    }

    pub(super) fn member(&mut self, node: Node<'t>, finder: &Finder) {
        let Some(name) = find(node, finder) else { return };
        if node.end_byte() <= self.path_until || self.is_taken(name.start_byte()) {
            return;
        }
        let path = names::path_in(self.text_of(node));
        let last = names::split_last(&path).1;
        if self.text_of(name) != last && !self.text_of(name).contains(last)
            || self.rules.ignore.iter().any(|word| word == last)
        {
            // The last word is none of the program's: `Foo.this`, `Foo::class`.
            return;
        }
        let is_type = node.start_byte() < self.type_until
            || self
                .rules
                .kinds
                .get(name.kind_id() as usize)
                .is_some_and(|rule| rule.type_identifier);
        let kind = if is_type { RefKind::Type } else { RefKind::Field };
        if is_type && !self.text_of(node).contains('<') {
            // `a.b.Type`: what stands before the type is a package.
            self.path_until = node.end_byte();
        }
        self.take(name.start_byte());
        let arity = if is_type { self.arity(name) } else { UNKNOWN };
        self.reference(&path, kind, name.start_byte(), line_of(name), arity);
    }

    /// Counts the type arguments of a written type, where their number is part of its name.
    pub fn arity(&self, written: Node<'_>) -> u8 {
        if !self.rules.tells_arity {
            return UNKNOWN;
        }
        let is_generic = |node: Node<'_>| {
            self.rules.kinds.get(node.kind_id() as usize).is_some_and(|rule| rule.generic_name)
        };
        let last = written.child_by_field_name("name").unwrap_or(written);
        let Some(list) =
            Some(last).filter(|&last| is_generic(last)).and_then(|last| last.last_named_child())
        else {
            return 0;
        };
        // `Map<,>` names none of its arguments.
        let commas = list.children().filter(|child| child.kind() == ",").count();
        (commas + 1).min(usize::from(UNKNOWN) - 1) as u8
    }

    /// Reports a type whose path comes in pieces of the kind `part`, `a.b.Type`, as one mention; a type
    /// of one piece is left to the walk.
    pub fn type_in_pieces(&mut self, node: Node<'t>, part: &str) {
        let pieces: Vec<Node<'t>> =
            node.named_children().filter(|child| child.kind() == part).collect();
        let Some(last) = pieces.last().filter(|_| pieces.len() > 1) else { return };
        for piece in &pieces {
            self.take(piece.start_byte());
        }
        let path = names::path(self.text_of(node));
        self.reference(&path, RefKind::Type, last.start_byte(), line_of(*last), UNKNOWN);
    }

    pub(super) fn throw(&mut self, node: Node<'t>) {
        let Some(thrown) = node.named_child(0) else { return };
        let text = self.text_of(thrown);
        let text = text.strip_prefix("new ").unwrap_or(text);
        let path = names::path(text.split(['(', '{']).next().unwrap_or(text));
        if names::split_last(&path).1.chars().next().is_some_and(char::is_uppercase) {
            self.reference(&path, RefKind::Throw, thrown.start_byte(), line_of(thrown), UNKNOWN);
        }
    }

    pub(super) fn identifier(&mut self, node: Node<'t>, is_type: bool) {
        let start = node.start_byte();
        if node.end_byte() <= self.path_until || self.is_taken(start) {
            return;
        }
        let text = self.text_of(node);
        if start < self.pattern_until
            && !is_type
            && text.starts_with(|c: char| c.is_lowercase() || c == '_')
        {
            self.add_binding(text, "", binding::ALIAS, 0, 0, line_of(node));
            return;
        }
        if text.len() < 2 && !is_type
            || !is_name(text)
            || self.rules.ignore.iter().any(|word| word == text)
            || self.type_parameters.iter().any(|(_, name)| name == text)
        {
            return;
        }
        let kind = if is_type || start < self.type_until { RefKind::Type } else { RefKind::Name };
        let arity = match self.ancestor(1) {
            Some(around) if kind == RefKind::Type && self.rules.tells_arity => {
                self.arity(if around.named_child(0) == Some(node) { around } else { node })
            }
            _ => UNKNOWN,
        };
        self.reference(text, kind, start, line_of(node), arity);
    }

    /// Reports the last name of `path`, which stands at the end of `node`, and takes it.
    fn name_reference(&mut self, path: &str, kind: RefKind, node: Node<'t>, arguments: u8) {
        let name = names::split_last(path).1;
        if !is_name(name) {
            return;
        }
        let text = self.text_of(node);
        // `foo` in `x.foo::<Foo>` stands before its type arguments; `Self` is not in the text.
        let offset = last_name(text, name).unwrap_or(0);
        let start = node.start_byte() + offset;
        let line = line_of(node)
            + text
                .get(..offset)
                .map_or(0, |before| before.bytes().filter(|&byte| byte == b'\n').count() as u32);
        self.take(start);
        self.reference(path, kind, start, line, arguments);
    }

    pub(super) fn reference_of(
        &mut self,
        owner: u32,
        path: &str,
        kind: RefKind,
        start: usize,
        line: u32,
        arguments: u8,
    ) {
        let (qualifier, name) = names::split_last(path);
        if !is_name(name) && !matches!(kind, RefKind::Env | RefKind::Process | RefKind::Route) {
            return;
        }
        let name = self.strings.intern(name);
        let qualifier = self.qualifier(qualifier);
        self.push_reference(owner, name, qualifier, kind, start, line, arguments);
    }

    fn qualifier(&mut self, qualifier: &str) -> StrId {
        if qualifier.is_empty() || self.rules.self_names.is_empty() {
            return self.strings.intern(qualifier);
        }
        let end = qualifier
            .bytes()
            .position(|byte| matches!(byte, b'.' | b'(' | b'['))
            .unwrap_or(qualifier.len());
        let (head, rest) = qualifier.split_at(end);
        if head != "self" && self.rules.self_names.iter().any(|name| name == head) {
            return self.strings.intern(&["self", rest].concat());
        }
        self.strings.intern(qualifier)
    }

    /// Adds a route of the current symbol.
    pub fn route(&mut self, method: &str, pattern: &str, start: usize, line: u32) {
        let (name, qualifier) = (self.strings.intern(pattern), self.strings.intern(method));
        self.push_reference(self.owner(), name, qualifier, RefKind::Route, start, line, UNKNOWN);
    }

    #[allow(clippy::too_many_arguments, reason = "one for each field of the row")]
    fn push_reference(
        &mut self,
        owner: u32,
        name: StrId,
        qualifier: StrId,
        kind: RefKind,
        start: usize,
        line: u32,
        arguments: u8,
    ) {
        let key = (owner, name, qualifier, self.kind_key(kind as u8, arguments));
        let next = self.refs.len() as u32;
        let at = *self.seen_refs.entry(key).or_insert(next);
        if at != next {
            let row: &mut RefRow = &mut self.refs[at as usize];
            row.count = row.count.saturating_add(1);
            // Hooks may see names out of order; the first mention is the one that is kept.
            if (start as u32) < row.start {
                (row.start, row.line) = (start as u32, line);
            }
            return;
        }
        self.refs.push(RefRow {
            owner,
            name,
            qualifier,
            line,
            start: start as u32,
            kind: kind as u8,
            arguments,
            count: 1,
        });
    }

    /// Tells mentions apart: of one name with other type arguments, those are two types.
    pub(super) fn kind_key(&self, kind: u8, arguments: u8) -> u8 {
        let is_type = kind == RefKind::Type as u8 || kind == RefKind::Construct as u8;
        if self.rules.tells_arity && is_type {
            kind | arguments.wrapping_add(1).min(7) << 5
        } else {
            kind
        }
    }

    /// Environment reads, process starts and routes, where the call shows them plainly.
    fn special_call(&mut self, path: &str, arguments: Node<'t>, count: u8) {
        let rules = self.rules;
        let is = |list: &[String]| {
            list.iter().any(|known| {
                path == known
                    || path.strip_suffix(known.as_str()).is_some_and(|before| before.ends_with('.'))
            })
        };
        let kind = if is(&rules.env_calls) {
            RefKind::Env
        } else if is(&rules.process_calls) {
            RefKind::Process
        } else if is_route_word(names::split_last(path).1)
            && (count >= 2 || arguments.start_byte() < self.annotation_until)
        {
            RefKind::Route
        } else {
            return;
        };
        let Some(first) = arguments.named_child(0) else { return };
        let Some(literal) = literal(self.text_of(first)) else { return };
        let (owner, line, start) = (self.owner(), line_of(first), first.start_byte());
        match kind {
            RefKind::Route if !literal.starts_with('/') => {}
            RefKind::Route => {
                let method = self.strings.intern(&names::split_last(path).1.to_uppercase());
                let name = self.strings.intern(literal);
                // A decorator belongs to its function; a call has its handler among the arguments.
                let arguments =
                    if first.start_byte() < self.annotation_until { UNKNOWN } else { count };
                self.push_reference(owner, name, method, kind, start, line, arguments);
            }
            _ => {
                let name =
                    self.strings.intern(literal.split_whitespace().next().unwrap_or(literal));
                self.push_reference(owner, name, StrId::EMPTY, kind, start, line, count);
            }
        }
    }

    /// Reports the route that an annotation of `owner` declares: `@GetMapping("/a")`, `[HttpGet("a")]`.
    pub(super) fn annotated_route(
        &mut self,
        owner: u32,
        name: &str,
        start: u32,
        end: u32,
        line: u32,
    ) {
        let Some(method) = route_annotation(name) else { return };
        let text = self.text.get(start as usize..end as usize).unwrap_or("");
        let Some((_, arguments)) = text.split_once('(') else { return };
        let Some(quote) = arguments.find(['"', '\'']) else { return };
        let Some(pattern) = arguments[quote + 1..]
            .split(['"', '\'', '\n'])
            .next()
            .filter(|pattern| pattern.len() <= 200)
        else {
            return;
        };
        let pattern =
            if pattern.starts_with('/') { pattern.to_owned() } else { format!("/{pattern}") };
        let (name, method) = (self.strings.intern(&pattern), self.strings.intern(&method));
        self.push_reference(owner, name, method, RefKind::Route, start as usize, line, UNKNOWN);
    }

    pub(super) fn base_container(&mut self, node: Node<'t>, kind: u8) {
        self.type_until = self.type_until.max(node.end_byte());
        let Some(owner) = self.enclosing_type() else { return };
        let mut pending = vec![node];
        let mut found = Vec::new();
        while let Some(list) = pending.pop() {
            for child in list.named_children() {
                let Some(rule) = self.rules.kinds.get(child.kind_id() as usize) else { continue };
                if rule.base_list {
                    pending.push(child);
                } else if !rule.base_skip && !rule.comment {
                    found.push(child);
                }
            }
        }
        found.sort_by_key(Node::start_byte);
        for child in found {
            let text = self.text_of(child);
            let text = text.split(['(', '<', '[']).next().unwrap_or(text);
            let path = names::path(text);
            self.base(owner, &path, kind, line_of(child));
        }
    }
}

/// Offset of the last `name` in `text` that is a whole word, type arguments and brackets passed over.
fn last_name(text: &str, name: &str) -> Option<usize> {
    let head = text.trim_end();
    let head = if head.ends_with(['>', ']']) {
        head.find(['<', '[']).filter(|&at| at > 0).map_or(head, |at| &head[..at])
    } else {
        head
    };
    match head.strip_suffix(name) {
        Some(before) => Some(before.len()),
        None => head.rfind(name).or_else(|| text.rfind(name)),
    }
}

/// Returns the HTTP method that an annotation's name tells, `ROUTE` for any.
fn route_annotation(name: &str) -> Option<String> {
    const METHODS: [&str; 8] =
        ["Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "Request"];
    if matches!(name, "Route" | "Path") {
        return Some("ROUTE".to_owned());
    }
    let word = name.strip_suffix("Mapping").or_else(|| name.strip_prefix("Http"))?;
    METHODS
        .contains(&word)
        .then(|| if word == "Request" { "ROUTE".to_owned() } else { word.to_uppercase() })
}

/// Words by which routers register a handler, in every language: the HTTP methods and `route`.
fn is_route_word(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
        "options",
        "route",
        "handle",
        "handlefunc",
        "all",
        "any",
    ];
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// Returns the inside of a plain string literal.
pub fn literal(text: &str) -> Option<&str> {
    let quote = text.chars().find(|c| !c.is_ascii_alphabetic() && *c != '@' && *c != '$')?;
    if !matches!(quote, '"' | '\'' | '`') {
        return None;
    }
    let inner = text[text.find(quote)? + 1..].strip_suffix(quote)?;
    (inner.len() <= 200 && !inner.contains('\n')).then_some(inner)
}
