//! Declarations: rows with their scope, header, documentation and annotations.

use super::{Annotation, Spare, Walk, find, find_all, is_name, line_of};
use crate::header;
use crate::rules::{DocStyle, SymbolRule, VisibilityStyle};
use crate::tree::Node;
use contextd_model::facts::{
    BindingRow, FILE_SYMBOL, MAX_SIGNATURE, SymbolRow, UNKNOWN_PARAMETERS, base_kind, binding,
    modifier,
};
use contextd_model::{RefKind, StrId, SymbolKind, Visibility};

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Module,
    Type,
    Local,
}

impl<'t> Walk<'t> {
    pub(super) fn declaration(&mut self, node: Node<'t>, rule: &SymbolRule) {
        let place = self.place(node);
        let by_value = self.kind_by_value(node, rule);
        let allowed = by_value.is_some()
            || match place {
                Place::Module => rule.in_module,
                Place::Type => rule.in_type,
                Place::Local => rule.local,
            };
        if !allowed {
            return;
        }
        let kind =
            by_value.unwrap_or(if place == Place::Type { rule.member_kind } else { rule.kind });
        if rule.many {
            self.many(node, rule, kind);
        } else if let Some(name) = self.hooks.name(node, self).or_else(|| find(node, &rule.name)) {
            self.declare(node, name, rule, kind);
        }
    }

    fn place(&self, node: Node<'t>) -> Place {
        let owner = self.owner();
        if self
            .local_blocks
            .iter()
            .any(|&(block_owner, until)| block_owner == owner && node.start_byte() < until)
        {
            return Place::Local;
        }
        let kind = self.symbols[self.owner() as usize].kind();
        if kind.is_type() {
            Place::Type
        } else if kind.is_callable()
            || self.symbols[self.owner() as usize].has(modifier::LOCAL)
            || !matches!(kind, SymbolKind::File | SymbolKind::Module | SymbolKind::Namespace)
        {
            Place::Local
        } else {
            Place::Module
        }
    }

    /// Makes what the current symbol's block declares local to it: a block, a function without a name.
    pub fn local_block(&mut self, node: Node<'t>) {
        let (start, end) = (node.start_byte(), node.end_byte());
        self.local_blocks.retain(|&(_, until)| until > start);
        self.local_blocks.push((self.owner(), end));
    }

    /// Limits what the current symbol's part in a function without a name declares to that function.
    pub fn unnamed_function(&mut self, node: Node<'t>) {
        let owner = self.owner();
        // The function that a symbol is made of is its scope already.
        let body = node.child_by_field_name("body").map_or(0, |body| body.start_byte() as u32);
        if owner == FILE_SYMBOL || self.symbols[owner as usize].body_start != body {
            let lines = (node.start_row() as u32 + 1, node.end_row() as u32 + 1);
            self.unnamed.push((owner, lines.0, lines.1, node.end_byte()));
        }
    }

    /// Notes in which function without a name a symbol is known.
    fn scope_symbol(&mut self, symbol: u32, parent: u32, start: usize) {
        while self.unnamed.last().is_some_and(|&(.., end)| end <= start) {
            self.unnamed.pop();
        }
        if let Some(&(_, first, last, _)) =
            self.unnamed.last().filter(|&&(owner, ..)| owner == parent)
        {
            let lines = (last - first + 1).min(u32::from(u16::MAX)) as u16;
            let row = BindingRow {
                owner: symbol,
                name: StrId::EMPTY,
                type_text: StrId::EMPTY,
                line: first,
                how: binding::SCOPE,
                position: 0,
                flags: lines,
            };
            self.bindings.push(row);
        }
    }

    fn kind_by_value(&self, node: Node<'t>, rule: &SymbolRule) -> Option<SymbolKind> {
        if rule.by_value.is_empty() {
            return None;
        }
        let value = find(node, &rule.value)?.kind_id();
        rule.by_value.iter().find(|&&(kind, _)| kind == value).map(|&(_, kind)| kind)
    }

    /// One symbol for each child in the name field: `var a, b int`. A single one owns what its
    /// node holds; of several, none does.
    fn many(&mut self, node: Node<'t>, rule: &SymbolRule, kind: SymbolKind) {
        let mut spare = std::mem::take(&mut self.spare);
        spare.names.clear();
        find_all(node, &rule.name, &mut spare.names);
        let depth = self.open.len();
        for &name in &spare.names {
            self.declare(node, name, rule, kind);
            if spare.names.len() > 1 {
                self.open.truncate(depth);
            }
        }
        self.spare = spare;
    }

    fn declare(
        &mut self,
        node: Node<'t>,
        name_node: Node<'t>,
        rule: &SymbolRule,
        kind: SymbolKind,
    ) {
        let written = crate::names::path_in(self.text_of(name_node));
        let (qualifier, name) = crate::names::split_last(&written);
        let text = self.text_of(name_node).trim();
        let quoted = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        let any = self.hooks.accepts_any_name();
        if !is_name(name) && !any && quoted.is_none() {
            return;
        }
        let (qualifier, name) = if any {
            (qualifier, text)
        } else {
            quoted.map_or((qualifier, name), |inner| ("", inner))
        };
        let scope = self.hooks.scope(node, self).unwrap_or_else(|| qualifier.to_owned());
        let body = find(node, &rule.body);
        let type_text = find(node, &rule.type_field).map_or("", |child| self.text_of(child));
        let generics = find(node, &rule.generics).map_or("", |child| self.text_of(child));
        let draft = Draft {
            node,
            name,
            name_start: name_end_anchor(name_node, name, self.text),
            scope: &scope,
            kind,
            body,
            type_text,
            generics,
        };
        let symbol = self.open_symbol(draft);
        if kind.is_callable() {
            self.symbols[symbol as usize].parameters = self.count_parameters(node, rule);
        }
        self.hooks.declared(node, symbol, self);
        for (finder, kind) in
            [(&rule.extends, base_kind::EXTENDS), (&rule.implements, base_kind::IMPLEMENTS)]
        {
            if let Some(list) = find(node, finder) {
                self.base_container(list, kind);
            }
        }
    }

    /// Counts the parameters that a declaration lists; one entry may name several (`a, b int`).
    fn count_parameters(&mut self, node: Node<'t>, rule: &SymbolRule) -> u8 {
        let Some(list) = rule.parameters.and_then(|field| node.child_by_field_id(field)) else {
            return UNKNOWN_PARAMETERS;
        };
        let mut spare = std::mem::take(&mut self.spare);
        let Spare { names, values: entries } = &mut spare;
        entries.clear();
        entries.extend(list.named_children());
        let mut count = 0;
        for entry in entries {
            let rule = self.rules.kinds.get(entry.kind_id() as usize);
            count += match rule.and_then(|rule| rule.binding.as_ref()) {
                _ if rule.is_some_and(|rule| rule.comment) => 0,
                Some(binding) if binding.parameter && binding.many => {
                    names.clear();
                    find_all(*entry, &binding.name, names);
                    names.len().max(1)
                }
                _ => 1,
            };
        }
        self.spare = spare;
        count.min(usize::from(UNKNOWN_PARAMETERS) - 1) as u8
    }

    /// Adds a symbol and makes it the owner of what follows inside its node. Hooks that find
    /// declarations by themselves call [`Walk::add_symbol`].
    fn open_symbol(&mut self, draft: Draft<'t, '_>) -> u32 {
        let node = draft.node;
        let start = self
            .wrapper
            .take_if(|&mut (start, end)| start <= node.start_byte() && node.end_byte() <= end)
            .map_or(node.start_byte(), |(start, _)| start);
        let annotations = self.pending_annotations(start, node);
        let start = annotations.first().map_or(start, |first| start.min(first.whole.0 as usize));
        let (end, end_line) = self.end_of(node);
        let body_start = draft.body.map_or(end, |body| body.start_byte().min(end));
        let header = header::read(self.text.get(start..draft.name_start).unwrap_or(""));
        let (doc_start, doc) = self.documentation(start, draft.body);
        let parent = self.owner();
        let mut modifiers = header.modifiers;
        modifiers |= if draft.body.is_none() && draft.kind.is_callable() {
            modifier::DECLARATION
        } else {
            0
        };
        let outer = &self.symbols[parent as usize];
        modifiers |= outer.modifiers & modifier::TEST;
        modifiers |= if outer.kind().is_callable() || outer.has(modifier::LOCAL) {
            modifier::LOCAL
        } else {
            0
        };
        let qualified = self.qualified(parent, draft.scope, draft.name);
        let signature_start = node.start_byte()
            + header::annotations_end(
                self.text.get(node.start_byte()..draft.name_start).unwrap_or(""),
            );
        let signature =
            fold(self.text.get(signature_start..body_start).unwrap_or(""), MAX_SIGNATURE);
        let mut row = SymbolRow {
            name: self.intern(draft.name),
            qualified: self.intern(&qualified),
            signature: self.intern(&signature),
            doc: self.intern(&doc),
            type_text: self.intern(fold(draft.type_text, 200).trim_start_matches(':').trim()),
            parent,
            start: start as u32,
            end: end as u32,
            doc_start: doc_start as u32,
            body_start: body_start as u32,
            name_start: draft.name_start as u32,
            start_line: line_at(self.text, start, node),
            end_line,
            name_line: 0,
            modifiers,
            complexity: u16::from(draft.kind.is_callable()),
            kind: draft.kind as u8,
            parameters: if draft.kind.is_callable() { UNKNOWN_PARAMETERS } else { 0 },
            ..SymbolRow::default()
        };
        row.name_line = name_line(self.text, &row);
        row.visibility = self.visibility_of(&row, draft.name, header.visibility) as u8;
        let index = self.symbols.len() as u32;
        self.symbols.push(row);
        self.open.push((index, self.depth));
        self.take(draft.name_start);
        self.set_generics(index, draft.generics);
        if start < node.start_byte() {
            self.adopt(start as u32, parent, index);
        }
        self.attach(index, annotations);
        self.mark_test(index, draft.name, &signature);
        if !self.unnamed.is_empty() {
            self.scope_symbol(index, parent, draft.name_start);
        }
        index
    }

    /// Returns where a declaration ends and on which line. Blocks by indentation reach up to what
    /// follows them: white space and comments there count for neither, but for one line feed.
    pub(super) fn end_of(&self, node: Node<'t>) -> (usize, u32) {
        let text = self.text_of(node);
        let body = without_comments(text);
        let tail = &text[body.len()..];
        let line = node.end_row() + 1 - tail.bytes().filter(|&byte| byte == b'\n').count();
        let line = line.max(node.start_row() + 1) as u32;
        match tail.split_inclusive('\n').next() {
            Some(first) if first.len() < tail.len() => {
                (node.end_byte() - tail.len() + first.len(), line)
            }
            _ => (node.end_byte(), line),
        }
    }

    /// Gives the mentions in a declaration's wrapper, its decorators' arguments, to the declaration.
    fn adopt(&mut self, start: u32, parent: u32, symbol: u32) {
        for at in (0..self.refs.len()).rev() {
            let row = self.refs[at];
            if row.start < start {
                break;
            }
            if row.owner == parent {
                let kind = self.kind_key(row.kind, row.arguments);
                self.seen_refs.remove(&(parent, row.name, row.qualifier, kind));
                self.refs[at].owner = symbol;
                self.seen_refs.insert((symbol, row.name, row.qualifier, kind), at as u32);
            }
        }
    }

    /// Adds a symbol that a hook found; it stays open until the walk leaves its node, unless `leaf`.
    #[allow(clippy::too_many_arguments, reason = "a hook says each of them by itself")]
    pub fn add_symbol(
        &mut self,
        node: Node<'t>,
        name_start: usize,
        name: &str,
        scope: &str,
        kind: SymbolKind,
        body: Option<Node<'t>>,
        type_text: &str,
        leaf: bool,
    ) -> u32 {
        let draft = Draft { node, name, name_start, scope, kind, body, type_text, generics: "" };
        let index = self.open_symbol(draft);
        if leaf {
            self.open.pop();
        }
        index
    }

    /// Keeps the type parameters of an open symbol; their names are no references inside it.
    pub fn set_generics(&mut self, symbol: u32, written: &str) {
        let written = written.trim();
        let inner = written
            .strip_prefix(['<', '['])
            .and_then(|rest| rest.strip_suffix(['>', ']']))
            .unwrap_or(written);
        if !inner.is_empty() {
            self.symbols[symbol as usize].generics = self.strings.intern(&fold(inner, 200));
            let open = self.open.len();
            self.type_parameters
                .extend(crate::names::type_parameters(inner).map(|name| (open, name.to_owned())));
        }
    }

    fn qualified(&self, parent: u32, scope: &str, name: &str) -> String {
        let outer = self.strings.table.get(self.symbols[parent as usize].qualified);
        [outer, scope, name]
            .iter()
            .filter(|part| !part.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join(".")
    }

    fn visibility_of(
        &self,
        row: &SymbolRow,
        name: &str,
        written: Option<Visibility>,
    ) -> Visibility {
        match self.rules.visibility {
            VisibilityStyle::Underscore
                if name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__")) =>
            {
                Visibility::Private
            }
            VisibilityStyle::Underscore => Visibility::Public,
            VisibilityStyle::Capital if name.chars().next().is_some_and(char::is_uppercase) => {
                Visibility::Public
            }
            VisibilityStyle::Capital => Visibility::Internal,
            VisibilityStyle::Words => written.unwrap_or_else(|| {
                self.hooks.visibility(row, self).unwrap_or(self.rules.default_visibility)
            }),
        }
    }

    fn attach(&mut self, symbol: u32, annotations: Vec<Annotation>) {
        let names: Vec<&str> =
            annotations.iter().map(|annotation| annotation.path.as_str()).collect();
        let joined = self.strings.intern(&names.join(" "));
        self.symbols[symbol as usize].annotations = joined;
        for annotation in &annotations {
            self.reference_of(
                symbol,
                &annotation.path,
                RefKind::Decorate,
                annotation.start as usize,
                annotation.line,
                255,
            );
            self.annotated_route(
                symbol,
                crate::names::split_last(&annotation.path).1,
                annotation.whole.0,
                annotation.whole.1,
                annotation.line,
            );
        }
        if annotations.iter().any(|annotation| annotation.is_test) {
            self.symbols[symbol as usize].modifiers |= modifier::TEST;
        }
    }

    /// Returns the annotations that belong to the declaration `node`, which starts at `start`: those
    /// inside it and those right before it. Others decorated something that is no symbol.
    fn pending_annotations(&mut self, start: usize, node: Node<'t>) -> Vec<Annotation> {
        let pending = std::mem::take(&mut self.annotations);
        match pending.last() {
            Some(last)
                if last.whole.0 as usize >= start
                    || only_comments(
                        self.text.get(last.whole.1 as usize..node.start_byte()).unwrap_or("x"),
                    ) =>
            {
                pending
            }
            _ => Vec::new(),
        }
    }

    /// A known annotation is a name or pattern, or a name with the start of its arguments: `cfg(test`.
    fn is_test_annotation(&self, path: &str, text: &str) -> bool {
        let last = crate::names::split_last(path).1;
        self.rules.tests.annotations.iter().any(|known| {
            known == path
                || matches_pattern(last, known)
                || known.contains('(') && text.starts_with(known.as_str())
        })
    }

    fn mark_test(&mut self, symbol: u32, name: &str, signature: &str) {
        let row = &self.symbols[symbol as usize];
        let tests = &self.rules.tests;
        let patterns: &[String] = match row.kind() {
            kind if kind.is_callable() => &tests.functions,
            SymbolKind::Module | SymbolKind::Namespace => &tests.modules,
            kind if kind.is_type() => &tests.types,
            _ => &[],
        };
        let named = patterns.iter().any(|pattern| matches_pattern(name, pattern));
        let signed = row.kind().is_callable()
            && tests.signatures.iter().any(|part| signature.contains(part.as_str()));
        if named || signed {
            self.symbols[symbol as usize].modifiers |= modifier::TEST;
        }
    }

    /// Makes `node` the start of the next declaration inside it.
    pub fn wrap(&mut self, node: Node<'t>) {
        let (start, end) = (node.start_byte(), node.end_byte());
        if self.wrapper.is_none_or(|(_, wrapper_end)| wrapper_end <= start) {
            self.wrapper = Some((start, end));
        }
    }

    pub(super) fn annotation(&mut self, node: Node<'t>) {
        let text = self.text_of(node);
        let inner = text.trim_start_matches(['@', '#', '[', '!', '<']).trim_start();
        let path = crate::names::path(inner.split(['(', ',', '=']).next().unwrap_or(""));
        let name = crate::names::split_last(&path).1;
        let offset = text.find(name).unwrap_or(0);
        let start = node.start_byte() + offset;
        self.annotation_until = node.end_byte();
        if !is_name(name) {
            return;
        }
        self.take(start);
        let is_test = self.is_test_annotation(&path, inner);
        let whole = (node.start_byte() as u32, node.end_byte() as u32);
        let annotation =
            Annotation { path, start: start as u32, line: line_of(node), whole, is_test };
        // Inside a declaration's own header (Java, C#) the declaration is open already.
        let owner = self.owner();
        let row = &self.symbols[owner as usize];
        if owner != FILE_SYMBOL && node.start_byte() < row.name_start as usize {
            let earlier = self.strings.table.get(row.annotations).to_owned();
            let joined = if earlier.is_empty() {
                annotation.path.clone()
            } else {
                format!("{earlier} {}", annotation.path)
            };
            self.symbols[owner as usize].annotations = self.strings.intern(&joined);
            if is_test {
                self.symbols[owner as usize].modifiers |= modifier::TEST;
            }
            self.reference_of(
                owner,
                &annotation.path,
                RefKind::Decorate,
                start,
                annotation.line,
                255,
            );
            self.annotated_route(
                owner,
                crate::names::split_last(&annotation.path).1,
                whole.0,
                whole.1,
                annotation.line,
            );
        } else {
            if self.annotations.last().is_some_and(|last| {
                !only_comments(
                    self.text.get(last.whole.1 as usize..node.start_byte()).unwrap_or("x"),
                )
            }) {
                self.annotations.clear();
            }
            self.annotations.push(annotation);
        }
    }

    /// Counts a branch of the callable around it.
    pub fn branch(&mut self) {
        for &(symbol, _) in self.open.iter().rev() {
            let row = &mut self.symbols[symbol as usize];
            if row.kind().is_callable() {
                row.complexity = row.complexity.saturating_add(1);
                return;
            }
        }
    }

    pub(super) fn comment(&mut self, node: Node<'t>) {
        let (start, mut end) = (node.start_byte(), node.end_byte());
        let text = self.text_of(node);
        end -= text.len() - text.trim_end().len();
        let last_line = node.start_row() + text.trim_end().matches('\n').count();
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let trailing = !self.text[line_start..start].trim().is_empty();
        let prefixes = &self.rules.doc_prefixes;
        let is_doc = !trailing
            && (prefixes.is_empty()
                || prefixes.iter().any(|prefix| text.starts_with(prefix.as_str())));
        self.comment = match self.comment {
            _ if !is_doc => None,
            Some((first, _, line)) if line + 1 >= node.start_row() && is_line_comment(text) => {
                Some((first, end, last_line))
            }
            _ => Some((start, end, last_line)),
        };
    }

    /// Returns where the documentation of a declaration at `start` begins, and its text.
    fn documentation(&mut self, start: usize, body: Option<Node<'t>>) -> (usize, String) {
        if self.rules.doc == DocStyle::Docstring {
            let string = body.and_then(|body| self.hooks.docstring(body));
            return (
                start,
                string.map_or_else(String::new, |node| crate::doc::clean(self.text_of(node))),
            );
        }
        let Some((doc_start, doc_end, _)) = self.comment.take() else {
            return (start, String::new());
        };
        if doc_start >= start {
            // Between the annotations and the declaration.
            return (start, crate::doc::clean(self.text.get(doc_start..doc_end).unwrap_or("")));
        }
        let between = self.text.get(doc_end..start).unwrap_or("x");
        let adjacent = between.bytes().all(|byte| byte.is_ascii_whitespace())
            && between.bytes().filter(|&byte| byte == b'\n').count() <= 1;
        let attributed = !adjacent && self.hooks.may_stand_between(between);
        if adjacent || attributed {
            (doc_start, crate::doc::clean(self.text.get(doc_start..doc_end).unwrap_or("")))
        } else {
            (start, String::new())
        }
    }
}

struct Draft<'t, 'a> {
    node: Node<'t>,
    name: &'a str,
    name_start: usize,
    scope: &'a str,
    kind: SymbolKind,
    body: Option<Node<'t>>,
    type_text: &'a str,
    generics: &'a str,
}

/// Offset of the last component of a written name: `bar` in `Foo::bar`.
fn name_end_anchor(node: Node<'_>, name: &str, text: &str) -> usize {
    let written = text.get(node.byte_range()).unwrap_or("");
    node.start_byte()
        + written.strip_suffix(name).map_or_else(|| written.rfind(name).unwrap_or(0), str::len)
}

fn line_at(text: &str, start: usize, node: Node<'_>) -> u32 {
    let row = node.start_row();
    let back = text
        .get(start..node.start_byte())
        .map_or(0, |between| between.bytes().filter(|&byte| byte == b'\n').count());
    (row - back.min(row)) as u32 + 1
}

fn name_line(text: &str, row: &SymbolRow) -> u32 {
    let between = text.get(row.start as usize..row.name_start as usize).unwrap_or("");
    row.start_line + between.bytes().filter(|&byte| byte == b'\n').count() as u32
}

/// True when nothing but white space and comments stands in `text`.
fn only_comments(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("//") || rest.starts_with('#') && !rest.starts_with("#[") {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if rest.starts_with("/*") {
            rest.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest.is_empty();
        };
        rest = after.trim_start();
    }
}

fn is_line_comment(text: &str) -> bool {
    !text.contains('\n') && !text.starts_with("/*")
        || text.starts_with("//")
        || text.starts_with('#')
}

/// Returns a text without the white space at its end, and, where that goes on to another line, without
/// the comments that stand before it on lines of their own: they belong to what follows.
fn without_comments(text: &str) -> &str {
    let mut body = text.trim_end();
    if !text[body.len()..].contains('\n') {
        return body;
    }
    loop {
        let line = body.rfind('\n').map_or(0, |at| at + 1);
        let start = if body[line..].trim_start().starts_with("//") {
            line
        } else if body.ends_with("*/") {
            body.rfind("/*").unwrap_or(body.len())
        } else {
            return body;
        };
        let before = &body[..start];
        if !before.trim_end_matches([' ', '\t']).ends_with('\n') {
            return body;
        }
        body = before.trim_end();
    }
}

/// Folds white space and cuts; trailing brace or colon of the body goes.
pub fn fold(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > max {
            crate::doc::truncate(&mut out, max);
            break;
        }
    }
    out.truncate(out.trim_end_matches(['{', '=', ';', ' ']).len());
    out
}

/// Matches a name with one `*` at either end.
fn matches_pattern(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}
