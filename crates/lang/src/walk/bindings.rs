//! Local names and what their declaration says of their type.

use super::{Walk, find, find_all, line_of};
use crate::names;
use crate::rules::BindingRule;
use contextd_model::facts::{BindingRow, binding};
use tree_sitter::Node;

impl<'t> Walk<'t> {
    pub(super) fn binding(&mut self, node: Node<'t>, rule: &BindingRule) {
        let Some(name) = find(node, &rule.name) else { return };
        let type_text = find(node, &rule.type_field).map_or("", |child| self.text_of(child));
        // `var x` and `auto x` leave the type to the value.
        let type_text = if matches!(type_text, "var" | "auto" | "val") { "" } else { type_text };
        let value = find(node, &rule.value);
        if rule.parameter {
            let names = if rule.many { find_all(node, &rule.name) } else { vec![name] };
            for name in names {
                self.parameter(node, name, type_text, value.is_some());
            }
            return;
        }
        let several = if rule.many { find_all(node, &rule.name) } else { Vec::new() };
        let names: Vec<Node<'t>> = if several.len() > 1 {
            several
        } else if rule.many {
            self.listed(name)
        } else {
            vec![name]
        };
        let values: Vec<Node<'t>> = match value {
            Some(value) if rule.many => self.listed(value),
            Some(value) => vec![value],
            None => Vec::new(),
        };
        let paired = names.len() == values.len();
        for (index, name) in names.iter().enumerate() {
            let value = if paired { values.get(index) } else if index == 0 { values.first() } else { None };
            self.bind(*name, type_text, value.copied());
        }
    }

    /// Returns what a list or tuple holds; anything else stands for itself.
    fn listed(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if self.rules.kinds.get(node.kind_id() as usize).is_some_and(|rule| rule.listing) {
            let mut cursor = node.walk();
            let children: Vec<_> = node.named_children(&mut cursor).collect();
            if !children.is_empty() {
                return children;
            }
        }
        vec![node]
    }

    /// Binds a parameter of a function without a name, with the lines that it is known in.
    fn bind_in_closure(&mut self, node: Node<'t>, name: Node<'t>, type_text: &str, how: u8) {
        let path = names::path(self.text_of(name));
        if !super::is_name(&path) {
            return;
        }
        let closure = node.parent().and_then(|list| list.parent()).filter(|closure| closure.child_by_field_name("body").is_some());
        let lines = closure.map_or(0, |closure| (closure.end_position().row - name.start_position().row).saturating_add(1).min(usize::from(u16::MAX)));
        self.add_binding(&path, super::symbols::fold(type_text, 120).trim_start_matches(':').trim(), how, 0, lines as u16, line_of(name));
    }

    /// Binds a local name by its written type, else by what its value says.
    pub fn bind(&mut self, name: Node<'t>, type_text: &str, value: Option<Node<'t>>) {
        if self.text_of(name).contains(['(', '{']) {
            // A pattern: the names in it are bound one by one.
            return;
        }
        let path = names::path(self.text_of(name));
        let Some(local) = self.local_name(&path) else { return };
        let (how, type_text) = if !type_text.is_empty() {
            (binding::DECLARED, super::symbols::fold(type_text, 120).trim_start_matches(':').trim().to_owned())
        } else {
            value.and_then(|value| self.value(value)).unwrap_or((binding::ALIAS, String::new()))
        };
        self.add_binding(&local, &type_text, how, 0, 0, line_of(name));
    }

    /// `x` and `self.x` are bound; `a.b` of something else is not ours to name.
    fn local_name(&self, path: &str) -> Option<String> {
        match path.split_once('.') {
            None => super::is_name(path).then(|| path.to_owned()),
            Some((head, rest)) if self.rules.self_names.iter().any(|name| name == head) && !rest.contains('.') && super::is_name(rest) => Some(format!("self.{rest}")),
            Some(_) => None,
        }
    }

    /// Returns what a value says of its type.
    fn value(&self, value: Node<'t>) -> Option<(u8, String)> {
        let mut node = value;
        for _ in 0..4 {
            let rule = self.rules.kinds.get(node.kind_id() as usize)?;
            if let Some(finder) = &rule.construct {
                return Some((binding::CONSTRUCTED, self.constructed(self.text_of(find(node, finder)?))));
            }
            if let Some(call) = &rule.call {
                let mut path = names::path(self.text_of(find(node, &call.callee)?));
                if let Some(receiver) = find(node, &call.receiver) {
                    path = format!("{}.{path}", names::path(self.text_of(receiver)));
                }
                return Some((binding::CALLED, path.trim_end_matches("[]").to_owned()));
            }
            if rule.identifier || rule.member.is_some() {
                return Some((binding::ALIAS, names::path(self.text_of(node))));
            }
            if !rule.transparent {
                return None;
            }
            node = node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)?;
        }
        None
    }

    fn parameter(&mut self, node: Node<'t>, name: Node<'t>, type_text: &str, has_default: bool) {
        if node.start_byte() < self.no_parameters_until {
            self.take(name.start_byte());
            return;
        }
        let owner = self.owner();
        let row = self.symbols[owner as usize];
        if node.start_byte() >= row.body_start as usize && row.body_start < row.end {
            // A closure's or lambda's parameter is a local of the function around it.
            let how = if type_text.is_empty() { binding::ALIAS } else { binding::DECLARED };
            self.take(name.start_byte());
            self.bind_in_closure(node, name, type_text, how);
            return;
        }
        let position = self.bindings.iter().rev().take_while(|row| row.owner == owner).filter(|row| row.how == binding::PARAMETER).count();
        let variadic = self.text_of(node).contains("...") || self.text_of(node).starts_with('*');
        let after = self.text.get(name.end_byte()..node.end_byte()).unwrap_or("").as_bytes();
        // Where the grammar has no field for it; `=>` is part of a type.
        let has_default = has_default || after.iter().enumerate().any(|(at, &byte)| byte == b'=' && !matches!(after.get(at + 1), Some(b'>')) && (at == 0 || !matches!(after[at - 1], b'=' | b'<' | b'>' | b'!')));
        let flags = u16::from(variadic) | u16::from(has_default) << 1 | std::mem::take(&mut self.label) << 2;
        let type_text = super::symbols::fold(type_text, 120).trim_start_matches(':').trim().to_owned();
        let path = names::path(self.text_of(name));
        if super::is_name(&path) {
            self.take(name.start_byte());
            self.add_binding(&path, &type_text, binding::PARAMETER, position.min(255) as u8, flags, line_of(name));
        }
    }

    /// Adds a binding of the current symbol.
    pub fn add_binding(&mut self, name: &str, type_text: &str, how: u8, position: u8, flags: u16, line: u32) {
        let row = BindingRow { owner: self.owner(), name: self.intern(name), type_text: self.intern(type_text), line, how, position, flags };
        self.bindings.push(row);
    }
}

