//! Local names and what their declaration says of their type.

use super::{Spare, Walk, find, find_all, line_of};
use crate::names;
use crate::rules::BindingRule;
use crate::tree::Node;
use contextd_model::facts::{BindingRow, binding};
use std::borrow::Cow;

impl<'t> Walk<'t> {
    pub(super) fn binding(&mut self, node: Node<'t>, rule: &BindingRule) {
        let Some(name) = find(node, &rule.name) else { return };
        let type_text = find(node, &rule.type_field).map_or("", |child| self.text_of(child));
        // `var x` and `auto x` leave the type to the value.
        let type_text = if matches!(type_text, "var" | "auto" | "val") { "" } else { type_text };
        let value = find(node, &rule.value);
        if !rule.many && !rule.listed {
            if rule.parameter {
                self.parameter(node, name, type_text, value.is_some());
            } else {
                self.bind(name, type_text, value);
            }
            return;
        }
        let mut spare = std::mem::take(&mut self.spare);
        spare.names.clear();
        if rule.many {
            find_all(node, &rule.name, &mut spare.names);
        }
        if rule.parameter {
            for &name in &spare.names {
                self.parameter(node, name, type_text, value.is_some());
            }
        } else {
            self.bind_all(name, type_text, value, &mut spare);
        }
        self.spare = spare;
    }

    /// Binds names and values side by side; `name` stands for a list where the node has but one.
    fn bind_all(
        &mut self,
        name: Node<'t>,
        type_text: &str,
        value: Option<Node<'t>>,
        spare: &mut Spare<'t>,
    ) {
        let Spare { names, values } = spare;
        if names.len() <= 1 {
            names.clear();
            self.listed(name, names);
        }
        values.clear();
        if let Some(value) = value {
            self.listed(value, values);
        }
        let paired = names.len() == values.len();
        for (index, &name) in names.iter().enumerate() {
            let value = if paired {
                values.get(index)
            } else if index == 0 {
                values.first()
            } else {
                None
            };
            self.bind(name, type_text, value.copied());
        }
    }

    /// Adds what a list or tuple holds to `out`; anything else stands for itself.
    fn listed(&self, node: Node<'t>, out: &mut Vec<Node<'t>>) {
        if self.rules.kinds.get(node.kind_id() as usize).is_some_and(|rule| rule.listing) {
            out.extend(node.named_children());
        }
        if out.is_empty() {
            out.push(node);
        }
    }

    /// Binds a parameter of a function without a name, with the lines that it is known in.
    fn bind_in_closure(&mut self, name: Node<'t>, type_text: &str, how: u8) {
        let path = names::path_in(self.text_of(name));
        if !super::is_name(&path) {
            return;
        }
        let closure =
            self.ancestor(2).filter(|&closure| closure.child_by_field_name("body").is_some());
        let lines = closure.map_or(0, |closure| {
            (closure.end_row() - name.start_row()).saturating_add(1).min(usize::from(u16::MAX))
        });
        self.add_binding(
            &path,
            super::symbols::fold(type_text, 120).trim_start_matches(':').trim(),
            how,
            0,
            lines as u16,
            line_of(name),
        );
    }

    /// Binds a local name by its written type, else by what its value says.
    pub fn bind(&mut self, name: Node<'t>, type_text: &str, value: Option<Node<'t>>) {
        if self.text_of(name).contains(['(', '{']) {
            // A pattern: the names in it are bound one by one.
            return;
        }
        let path = names::path_in(self.text_of(name));
        let Some(local) = self.local_name(&path) else { return };
        let (how, type_text) = if !type_text.is_empty() {
            (binding::DECLARED, Cow::Owned(super::symbols::fold(type_text, 120)))
        } else {
            value.and_then(|value| self.value(value)).unwrap_or((binding::ALIAS, Cow::Borrowed("")))
        };
        let type_text = if how == binding::DECLARED {
            type_text.trim_start_matches(':').trim()
        } else {
            &type_text
        };
        self.add_binding(&local, type_text, how, 0, 0, line_of(name));
    }

    /// `x` and `self.x` are bound; `a.b` of something else is not ours to name.
    fn local_name<'a>(&self, path: &'a str) -> Option<Cow<'a, str>> {
        match path.split_once('.') {
            None => super::is_name(path).then_some(Cow::Borrowed(path)),
            Some((head, rest))
                if self.rules.self_names.iter().any(|name| name == head)
                    && !rest.contains('.')
                    && super::is_name(rest) =>
            {
                Some(Cow::Owned(format!("self.{rest}")))
            }
            Some(_) => None,
        }
    }

    /// Returns what a value says of its type.
    fn value(&self, value: Node<'t>) -> Option<(u8, Cow<'t, str>)> {
        let mut node = value;
        for _ in 0..4 {
            let rule = self.rules.kinds.get(node.kind_id() as usize)?;
            if let Some(finder) = &rule.construct {
                let made = find(node, finder)?;
                let written = if matches!(self.arity(made), 0 | 255) {
                    self.constructed(self.text_of(made))
                } else {
                    Cow::Owned(super::symbols::fold(self.text_of(made), 120))
                };
                return Some((binding::CONSTRUCTED, written));
            }
            if let Some(call) = &rule.call {
                let mut path = names::path_in(self.text_of(find(node, &call.callee)?));
                if let Some(receiver) = find(node, &call.receiver) {
                    path = format!("{}.{path}", names::path_in(self.text_of(receiver))).into();
                }
                if path.ends_with("[]") {
                    path = path.trim_end_matches("[]").to_owned().into();
                }
                return Some((binding::CALLED, path));
            }
            if rule.identifier || rule.member.is_some() {
                return Some((binding::ALIAS, names::path_in(self.text_of(node))));
            }
            if !rule.transparent {
                return None;
            }
            node = node.last_named_child()?;
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
            self.bind_in_closure(name, type_text, how);
            return;
        }
        let position = self
            .bindings
            .iter()
            .rev()
            .take_while(|row| row.owner == owner)
            .filter(|row| row.how == binding::PARAMETER)
            .count();
        let announced = std::mem::take(&mut self.variadic_at);
        let announced = announced > 0
            && self
                .text
                .get(announced..node.start_byte())
                .is_some_and(|between| between.trim().is_empty());
        let variadic =
            announced || self.text_of(node).contains("...") || self.text_of(node).starts_with('*');
        let after = self.text.get(name.end_byte()..node.end_byte()).unwrap_or("").as_bytes();
        // Where the grammar has no field for it; `=>` is part of a type.
        let has_default = has_default
            || after.iter().enumerate().any(|(at, &byte)| {
                byte == b'='
                    && !matches!(after.get(at + 1), Some(b'>'))
                    && (at == 0 || !matches!(after[at - 1], b'=' | b'<' | b'>' | b'!'))
            });
        // Some grammars put the default behind the parameter.
        let following = self.text.get(node.end_byte()..).map_or("", str::trim_start);
        let has_default = has_default
            || following.starts_with('=')
                && !following.starts_with("=>")
                && !following.starts_with("==");
        let flags = u16::from(variadic)
            | u16::from(has_default) << 1
            | std::mem::take(&mut self.label) << 2;
        let type_text = super::symbols::fold(type_text, 120);
        let path = names::path_in(self.text_of(name));
        if super::is_name(&path) {
            self.take(name.start_byte());
            self.add_binding(
                &path,
                type_text.trim_start_matches(':').trim(),
                binding::PARAMETER,
                position.min(255) as u8,
                flags,
                line_of(name),
            );
        }
    }

    /// Adds a binding of the current symbol.
    pub fn add_binding(
        &mut self,
        name: &str,
        type_text: &str,
        how: u8,
        position: u8,
        flags: u16,
        line: u32,
    ) {
        let row = BindingRow {
            owner: self.owner(),
            name: self.intern(name),
            type_text: self.intern(type_text),
            line,
            how,
            position,
            flags,
        };
        self.bindings.push(row);
    }
}
