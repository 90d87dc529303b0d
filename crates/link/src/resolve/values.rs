//! What expressions stand for: paths of names, bindings, results of calls, elements.

use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::types;
use crate::world::Module;
use contextd_model::SymbolKind;
use contextd_model::facts::{UNKNOWN_PARAMETERS, binding, modifier};

impl<'f> Resolver<'_, 'f> {
    /// Evaluates `a.b().c[]` from a place.
    pub(super) fn path(&mut self, place: Place, path: &str, line: u32) -> Value<'f> {
        // The calls on the way have other arguments than the one at its end.
        let asked = (self.arguments, self.arity);
        (self.arguments, self.arity) = (UNKNOWN_PARAMETERS, UNKNOWN_PARAMETERS);
        let value = self.along(place, path, line);
        (self.arguments, self.arity) = asked;
        value
    }

    fn along(&mut self, place: Place, path: &str, line: u32) -> Value<'f> {
        let mut value = Value::UNKNOWN;
        for (at, part) in path.split('.').enumerate() {
            let end = part.find(['(', '[']).unwrap_or(part.len());
            let (name, marks) = part.split_at(end);
            let want = if marks.starts_with("()") { Want::Call } else { Want::Any };
            value = match at {
                0 => self.head(place, name, want, line),
                _ => self.deeper(|resolver| resolver.member(value, name, want)),
            };
            let mut rest = marks;
            let applies = self.world.policy(place.file).terms_apart;
            while !rest.is_empty() {
                // In Scala `f[A](x)` gives a type and calls, `F[A].x` calls without brackets.
                if applies && matches!(value.kind, Kind::Symbol(_)) && rest.starts_with("[]") {
                    rest = rest.strip_prefix("[]()").unwrap_or(&rest[2..]);
                    value = self.deeper(|resolver| resolver.called(value));
                    continue;
                }
                if let Some(after) = rest.strip_prefix("()") {
                    value = self.deeper(|resolver| resolver.called(value));
                    rest = after;
                } else {
                    value = self.deeper(|resolver| resolver.element(value));
                    rest = rest.strip_prefix("[]").unwrap_or("");
                }
            }
            if matches!(value.kind, Kind::Unknown | Kind::External | Kind::Local | Kind::Ambiguous)
            {
                // What follows cannot be known; a known outside stays outside.
                return value;
            }
        }
        value
    }

    fn head(&mut self, place: Place, name: &str, want: Want, line: u32) -> Value<'f> {
        let value = self.deeper(|resolver| resolver.name(place, name, want, line));
        // `new Foo().bar` reads `newFoo()` when white space is gone.
        if !matches!(value.kind, Kind::External | Kind::Unknown) || want != Want::Call {
            return value;
        }
        match name.strip_prefix("new") {
            Some(class) if class.starts_with(|c: char| c.is_uppercase() || c == '$') => {
                self.name(place, class, Want::Make, line)
            }
            _ => value,
        }
    }

    /// Returns what a binding says of its variable.
    pub(super) fn binding(&mut self, file: u32, row: u32) -> Value<'f> {
        let bound = self.world.binding(file, row);
        let text = self.world.text(file, bound.type_text);
        let place = Place { file, owner: bound.owner };
        if text.is_empty() {
            return Value::LOCAL;
        }
        match bound.how {
            binding::CALLED => {
                let made = [text, "()"].concat();
                self.path(place, &made, bound.line.saturating_sub(1))
                    .at_most(sure::INFERRED)
                    .or_local()
            }
            binding::ALIAS => {
                let value = self.path(place, text, bound.line.saturating_sub(1));
                self.named(file, value).at_most(sure::INFERRED).or_local()
            }
            _ => Value::new(Kind::Typed(place, text), sure::TYPE),
        }
    }

    /// Where a method's name alone calls it, a variable holds what it returns and not the method.
    fn named(&mut self, file: u32, value: Value<'f>) -> Value<'f> {
        let world = self.world;
        match value.kind {
            Kind::Symbol(found)
                if world.kind(found).is_callable() && world.policy(file).bare_calls =>
            {
                self.deeper(|resolver| resolver.called(value))
            }
            _ => value,
        }
    }

    /// Returns the value of calling something.
    pub(super) fn called(&mut self, callee: Value<'f>) -> Value<'f> {
        match callee.kind {
            Kind::Symbol(symbol) => self.symbol_called(symbol, callee.sure),
            Kind::Module(module) => {
                let default = self.module_member(self.file, module, "default", Want::Call);
                if matches!(default.kind, Kind::Symbol(_)) {
                    self.deeper(|resolver| resolver.called(default))
                } else {
                    Value::UNKNOWN
                }
            }
            Kind::Typed(place, text) => types::result(text).map_or(Value::UNKNOWN, |result| {
                Value::new(Kind::Typed(place, result), callee.sure.min(sure::INFERRED))
            }),
            Kind::Super(_) | Kind::External => callee,
            _ => Value::UNKNOWN,
        }
    }

    fn symbol_called(&mut self, symbol: u32, how_sure: u8) -> Value<'f> {
        let world = self.world;
        let row = world.row(symbol);
        let file = world.file_of(symbol);
        let place = Place { file, owner: world.local(symbol) };
        let text = world.text(file, row.type_text);
        match row.kind() {
            SymbolKind::TypeAlias if !text.is_empty() => {
                Value::new(Kind::Typed(place, text), how_sure.min(sure::INFERRED))
            }
            SymbolKind::Object if world.policy(file).terms_apart => {
                match self.deeper(|resolver| resolver.applied(symbol).unwrap_or(Value::UNKNOWN)) {
                    Value { kind: Kind::Symbol(made), sure } => {
                        self.deeper(|resolver| resolver.symbol_called(made, sure)).at_most(how_sure)
                    }
                    _ => Value::new(Kind::Instance(symbol), how_sure.min(sure::TYPE)),
                }
            }
            kind if kind.is_type() => Value::new(Kind::Instance(symbol), how_sure.min(sure::TYPE)),
            SymbolKind::Constructor => {
                Value::new(Kind::Instance(world.global(file, row.parent)), how_sure.min(sure::TYPE))
            }
            kind if kind.is_callable() && text.is_empty() => Value::UNKNOWN,
            kind if kind.is_callable() && is_self(text) => {
                world.enclosing_type(file, place.owner).map_or(Value::UNKNOWN, |found| {
                    Value::new(Kind::Instance(found), how_sure.min(sure::INFERRED))
                })
            }
            kind if kind.is_callable() => {
                Value::new(Kind::Typed(place, first_result(text)), how_sure.min(sure::INFERRED))
            }
            SymbolKind::Variant => {
                Value::new(Kind::Instance(world.global(file, row.parent)), how_sure)
            }
            _ => {
                let value = self.variable(symbol, how_sure);
                if matches!(value.kind, Kind::Symbol(found) if found == symbol) {
                    Value::UNKNOWN
                } else {
                    self.deeper(|resolver| resolver.called(value))
                }
            }
        }
    }

    /// Returns an element of a value.
    fn element(&mut self, value: Value<'f>) -> Value<'f> {
        match value.kind {
            Kind::Typed(place, text) => {
                let alternative =
                    types::alternatives(text).first().copied().and_then(types::element);
                alternative.map_or(Value::LOCAL, |inner| {
                    Value::new(Kind::Typed(place, inner.trim()), value.sure.min(sure::INFERRED))
                })
            }
            Kind::Symbol(symbol) if !self.world.kind(symbol).is_type() => {
                let inner = self.variable(symbol, value.sure);
                if matches!(inner.kind, Kind::Typed(..)) {
                    self.element(inner)
                } else {
                    Value::LOCAL
                }
            }
            Kind::Symbol(_) => value,
            Kind::External => value,
            _ => Value::LOCAL,
        }
    }

    /// Returns what a variable, field or property holds; the symbol itself when nothing tells.
    pub(super) fn variable(&mut self, symbol: u32, how_sure: u8) -> Value<'f> {
        let world = self.world;
        let row = world.row(symbol);
        let file = world.file_of(symbol);
        let local = world.local(symbol);
        let itself = Value::new(Kind::Symbol(symbol), how_sure);
        let text = world.text(file, row.type_text);
        match row.kind() {
            SymbolKind::Variant => {
                return Value::new(Kind::Instance(world.global(file, row.parent)), how_sure);
            }
            kind if kind.is_callable() => {
                let annotations = world.text(file, row.annotations);
                let property = row.has(modifier::GETTER)
                    || annotations.split(' ').any(|name| name.ends_with("property"));
                return if property { self.symbol_called(symbol, how_sure) } else { itself };
            }
            kind if kind.is_type() => return itself,
            SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::Variable
            | SymbolKind::Constant => {}
            _ => return itself,
        }
        if !text.is_empty() {
            return Value::new(
                Kind::Typed(Place { file, owner: local }, text),
                how_sure.min(sure::TYPE),
            );
        }
        let own = world
            .bindings_of(symbol)
            .find(|(_, bound)| bound.name == row.name && !bound.type_text.is_empty());
        match own {
            Some((own, _)) => {
                let value = self.deeper(|resolver| resolver.binding(file, own)).at_most(how_sure);
                if matches!(value.kind, Kind::Local | Kind::Unknown) { itself } else { value }
            }
            None => itself,
        }
    }

    /// Returns the types that a type as written names.
    pub(super) fn written(&mut self, place: Place, text: &str) -> Vec<(u32, bool, u8)> {
        let mut found = Vec::new();
        for part in types::alternatives(text) {
            let value = self.deeper(|resolver| resolver.one_type(place, part));
            match value.kind {
                Kind::Symbol(symbol) | Kind::Instance(symbol) => {
                    found.push((symbol, false, value.sure))
                }
                Kind::Typed(inner_place, inner) if inner != text => {
                    self.depth += 1;
                    if self.depth < super::MAX_DEPTH && self.steps < super::MAX_STEPS {
                        found.extend(self.written(inner_place, inner));
                    }
                    self.depth -= 1;
                }
                Kind::External => found.push((u32::MAX, true, 0)),
                _ => {}
            }
        }
        found.dedup();
        found
    }

    fn one_type(&mut self, place: Place, text: &str) -> Value<'f> {
        if let Some(value) = text.strip_prefix("typeof ") {
            return self.path(place, &contextd_lang::names::path(value), u32::MAX);
        }
        let (head, arguments) = types::head(text);
        if head.is_empty() {
            return Value::UNKNOWN;
        }
        if is_self(head) {
            return self
                .world
                .enclosing_type(place.file, place.owner)
                .map_or(Value::UNKNOWN, |found| Value::new(Kind::Instance(found), sure::TYPE));
        }
        let asked = (self.arguments, self.arity);
        self.arguments = UNKNOWN_PARAMETERS;
        let value = self.type_path(place, head, types::count(arguments));
        (self.arguments, self.arity) = asked;
        if matches!(value.kind, Kind::External | Kind::Unknown)
            && let Some(inner) = types::unwrap(head, arguments)
        {
            for part in types::alternatives(inner) {
                let value = self.deeper(|resolver| resolver.one_type(place, part));
                if !matches!(value.kind, Kind::External | Kind::Unknown) {
                    return value;
                }
            }
        }
        match value.kind {
            // `Props::title` is the type of that member.
            Kind::Symbol(symbol) if !self.world.kind(symbol).is_type() => {
                self.variable(symbol, value.sure)
            }
            _ => value,
        }
    }

    fn type_path(&mut self, place: Place, head: &str, arity: u8) -> Value<'f> {
        let normal;
        let head = if head.contains([':', '\\']) {
            normal = contextd_lang::names::path(head);
            normal.as_str()
        } else {
            head
        };
        let mut value = Value::UNKNOWN;
        // What a type is taken out of is a term, where types and terms are apart.
        let terms = self.world.policy(place.file).terms_apart && head.contains('.');
        let want = if terms { Want::Any } else { Want::Type };
        let last = head.matches('.').count();
        for (at, part) in head.split('.').enumerate() {
            self.arity = if at == last { arity } else { UNKNOWN_PARAMETERS };
            value = match at {
                0 => self.name(place, part, want, u32::MAX),
                _ => self.deeper(|resolver| resolver.member(value, part, Want::Type)),
            };
        }
        value
    }

    /// Returns the module or symbol that a module alias called like a function stands for.
    pub fn default_of(&mut self, module: Module) -> Value<'f> {
        self.module_member(self.file, module, "default", Want::Call)
    }
}

/// Go names its results, or has several: the first one is what a chain goes on with.
fn first_result(text: &str) -> &str {
    let trimmed = text.trim();
    match trimmed.strip_prefix('(') {
        Some(inner)
            if trimmed.ends_with(')') && !trimmed.contains("=>") && !trimmed.contains("->") =>
        {
            let first = inner.trim_end_matches(')').split(',').next().unwrap_or(inner).trim();
            first.rsplit(' ').next().unwrap_or(first)
        }
        _ => trimmed,
    }
}

fn is_self(text: &str) -> bool {
    matches!(text.trim(), "Self" | "this" | "self" | "t.Self" | "typing.Self" | "static" | "$this")
}

impl Value<'_> {
    /// A local variable whose value is not known is still a local variable.
    fn or_local(self) -> Self {
        if matches!(self.kind, Kind::Unknown) { Value::LOCAL } else { self }
    }
}
