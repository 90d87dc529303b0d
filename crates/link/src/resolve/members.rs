//! Members of modules, types and values, through bases and aliases.

use super::pick::without;
use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::key;
use crate::policy::Modules as Style;
use crate::world::Module;
use contextd_model::facts::{FILE_SYMBOL, NONE, base_kind, binding};
use contextd_model::{SymbolKind, Visibility};

/// Types looked at for one member.
const MAX_TYPES: usize = 96;

/// Types that may have a member, each with how sure that is; room that is kept from one search to the next.
#[derive(Default)]
pub(super) struct Family {
    /// In the order they are looked at.
    pending: Vec<(u32, u8)>,
    /// What a type mixes in is as good as its own; what it only promises comes last.
    mixed: Vec<(u32, u8)>,
    bases: Vec<(u32, u8)>,
    promised: Vec<(u32, u8)>,
}

impl Family {
    fn clear(&mut self) {
        for list in [&mut self.pending, &mut self.mixed, &mut self.bases, &mut self.promised] {
            list.clear();
        }
    }
}

impl<'w, 'f> Resolver<'w, 'f> {
    /// Returns what a value has under a name. `Unknown` means that nothing is known of the value or
    /// of the member; `External` that it is not the repository's.
    pub fn member(&mut self, value: Value<'f>, name: &str, want: Want) -> Value<'f> {
        match value.kind {
            Kind::Module(module) => {
                let value = self
                    .deeper(|resolver| resolver.module_member(resolver.file, module, name, want));
                match (value.kind, module) {
                    (Kind::Unknown, Module::Package(package)) => {
                        self.world.package_inside(package, name).map_or(Value::EXTERNAL, |inner| {
                            Value::new(Kind::Module(Module::Package(inner)), sure::IMPORT)
                        })
                    }
                    _ => value.or_external(),
                }
            }
            Kind::Symbol(symbol) => self.member_of_symbol(symbol, value.sure, name, want),
            Kind::Instance(symbol) => self.member_of_type(symbol, name, want).at_most(value.sure),
            Kind::Typed(place, text) => {
                self.member_of_written(place, text, name, want).at_most(value.sure)
            }
            Kind::Super(symbol) => self.inherited(symbol, name, want),
            Kind::External => Value::EXTERNAL,
            Kind::Local | Kind::Ambiguous | Kind::Unknown => Value::UNKNOWN,
        }
    }

    fn member_of_symbol(&mut self, symbol: u32, how_sure: u8, name: &str, want: Want) -> Value<'f> {
        let kind = self.world.kind(symbol);
        if kind.is_type() {
            let value = self.member_of_type(symbol, name, want).at_most(how_sure);
            // `lists.Chain` may mean the package beside its object.
            return match self.world.object_package(symbol) {
                Some(package) if !matches!(value.kind, Kind::Symbol(_)) => {
                    self.module_member(self.file, Module::Package(package), name, want)
                }
                _ => value,
            };
        }
        if let Some(found) = self.pick(self.world.in_scope(symbol, key::name(name)), want) {
            // What stands in the arguments of the call that made a value is not the value's own.
            if matches!(kind, SymbolKind::Constant | SymbolKind::Variable) {
                let held = self.deeper(|resolver| resolver.variable(symbol, how_sure));
                if matches!(held.kind, Kind::Typed(..) | Kind::Instance(_)) {
                    let value = self.deeper(|resolver| resolver.member(held, name, want));
                    if matches!(value.kind, Kind::Symbol(_)) {
                        return value;
                    }
                }
            }
            // A function's own locals are not its members.
            if !kind.is_callable() || self.world.outer(found).is_some() {
                return Value::new(Kind::Symbol(found), how_sure);
            }
        }
        if matches!(kind, SymbolKind::Namespace | SymbolKind::Module) {
            return self.member_of_namespace(symbol, how_sure, name, want);
        }
        let held = self.deeper(|resolver| resolver.variable(symbol, how_sure));
        match held.kind {
            Kind::Symbol(same) if same == symbol => Value::UNKNOWN,
            _ => self.deeper(|resolver| resolver.member(held, name, want)),
        }
    }

    /// Blocks of one name in other files are the same namespace.
    fn member_of_namespace(&self, symbol: u32, how_sure: u8, name: &str, want: Want) -> Value<'f> {
        let world = self.world;
        let file = world.file_of(symbol);
        let family = world.policy(file).family;
        let qualified = world.qualified(symbol);
        let found = world.package_named(family, qualified).and_then(|package| {
            let named = world.in_package(package, key::name(name));
            self.pick_near(self.file, named, want, how_sure)
        });
        found.unwrap_or(Value::EXTERNAL)
    }

    fn member_of_written(&mut self, place: Place, text: &str, name: &str, want: Want) -> Value<'f> {
        let types = self.written(place, text);
        let mut first = Value::UNKNOWN;
        let mut several = false;
        let mut outside = false;
        for &(symbol, external, sure) in &types {
            if external {
                outside = true;
                continue;
            }
            let value =
                self.deeper(|resolver| resolver.member_of_type(symbol, name, want)).after(sure);
            match value.kind {
                Kind::Unknown => {}
                Kind::External => outside = true,
                _ if first.is_found() => several |= first.kind != value.kind,
                _ => first = value,
            }
        }
        match first.kind {
            Kind::Unknown if outside => Value::EXTERNAL,
            _ if several => first.at_most(sure::UNION),
            _ => first,
        }
    }

    /// Finds a member in a type, its merged declarations, its fields and its bases.
    pub(super) fn member_of_type(&mut self, symbol: u32, name: &str, want: Want) -> Value<'f> {
        let mut family = std::mem::take(&mut self.family);
        let value = self.member_of_family(symbol, name, want, &mut family);
        family.clear();
        self.family = family;
        value
    }

    fn member_of_family(
        &mut self,
        symbol: u32,
        name: &str,
        want: Want,
        family: &mut Family,
    ) -> Value<'f> {
        let name_key = key::name(name);
        let Family { pending, mixed, bases, promised } = family;
        pending.push((symbol, 100));
        let mut seen = 0;
        let mut open = false;
        while seen < pending.len() && seen < MAX_TYPES {
            let (at, sure) = pending[seen];
            seen += 1;
            let value = self.own_member(at, name, name_key, want);
            if value.is_found() {
                return value.after(sure);
            }
            if let Some(supers) = self.world.supers(at) {
                open |= supers.open;
                for base in &supers.found {
                    let list = match base.kind {
                        base_kind::MIXIN => &mut *mixed,
                        base_kind::IMPLEMENTS => &mut *promised,
                        _ => &mut *bases,
                    };
                    list.push((base.target, base.sure.min(sure)));
                }
            }
            // The other parts of a type come before what it inherits.
            let parts = self.parts(at).iter().filter(|&&part| self.is_part(at, part));
            for &part in parts {
                if !pending.iter().any(|&(known, _)| known == part) {
                    pending.push((part, sure));
                }
            }
            for next in [&mut *mixed, &mut *bases, &mut *promised] {
                if seen < pending.len() {
                    break;
                }
                for (base, sure) in next.drain(..) {
                    if !pending.iter().any(|&(known, _)| known == base) {
                        pending.push((base, sure));
                    }
                }
            }
        }
        if open { Value::EXTERNAL } else { Value::UNKNOWN }
    }

    /// True when two declarations of one name are parts of one type; an object is none of its class,
    /// nor a type with other type parameters where their number tells.
    pub fn is_part(&self, symbol: u32, other: u32) -> bool {
        let world = self.world;
        let is_object = |symbol: u32| world.kind(symbol) == SymbolKind::Object;
        let by_arity = world.policy(world.file_of(symbol)).types_by_arity;
        world.kind(other).is_type()
            && is_object(symbol) == is_object(other)
            && (!by_arity || symbol == other || world.arity(symbol) == world.arity(other))
    }

    /// Returns declarations of the same name in the same scope, which some languages merge.
    pub fn parts(&self, symbol: u32) -> &'w [u32] {
        let world = self.world;
        let row = world.row(symbol);
        let file = world.file_of(symbol);
        if row.parent == NONE {
            return &[];
        }
        let name = key::name(world.name_of(symbol));
        // A type that is reopened elsewhere in its namespace is one type.
        let Some(parent) = world.row_at(file, row.parent) else { return &[] };
        if matches!(parent.kind(), SymbolKind::Namespace | SymbolKind::Module) {
            let package =
                world.package_named(world.policy(file).family, world.text(file, parent.qualified));
            return package.map_or(&[][..], |package| world.in_package(package, name));
        }
        if let Some(package) = world
            .package(file)
            .filter(|_| row.parent == FILE_SYMBOL && world.policy(file).partial_types)
        {
            return world.in_package(package, name);
        }
        if row.parent == FILE_SYMBOL && world.policy(file).modules == Style::Shared {
            return world.globals_named(world.policy(file).family, name);
        }
        world.in_scope(world.global(file, row.parent), name)
    }

    fn own_member(&mut self, symbol: u32, name: &str, name_key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let attached = world.in_scope(symbol, name_key);
        if let Some(value) = self.visible_member(attached, want) {
            return value;
        }
        if let Some((file, row)) = world.field_binding(symbol, name_key) {
            return self.deeper(|resolver| resolver.binding(file, row));
        }
        let row = world.row(symbol);
        let file = world.file_of(symbol);
        let text = world.text(file, row.type_text);
        let holds = match row.kind() {
            SymbolKind::TypeAlias => true,
            SymbolKind::Constant | SymbolKind::Variable => {
                return self
                    .deeper(|resolver| resolver.member_of_symbol(symbol, sure::TYPE, name, want));
            }
            _ => false,
        };
        if holds && !text.is_empty() {
            let place = Place { file, owner: world.local(symbol) };
            return self.deeper(|resolver| resolver.member_of_written(place, text, name, want));
        }
        Value::UNKNOWN
    }

    /// Chooses among the members of one name that a type has, or that are attached to it from outside.
    fn visible_member(&self, named: &[u32], want: Want) -> Option<Value<'f>> {
        let world = self.world;
        // Private members are seen in their file alone, where the parts of a type cannot be apart.
        let hidden = |symbol: u32| {
            let (file, row) = (world.file_of(symbol), world.row(symbol));
            file != self.file
                && row.visibility() == Visibility::Private
                && world.policy(file).private_to_file
        };
        let value = self.pick_near(self.file, &without(named, hidden), want, sure::SCOPE)?;
        match value.kind {
            Kind::Symbol(found) if self.is_told_by_types(found) || self.is_told_by_place(found) => {
                Some(value.at_most(sure::UNION))
            }
            _ => Some(value),
        }
    }

    /// True for an extension that is a member of another type: it is seen where that type is.
    fn is_told_by_place(&self, symbol: u32) -> bool {
        let world = self.world;
        let row = world.row(symbol);
        let parent = world.row_at(world.file_of(symbol), row.parent);
        world.outer(symbol).is_some()
            && parent.is_some_and(|parent| {
                parent.kind().is_type() && parent.kind() != SymbolKind::Extension
            })
    }

    /// True for a function without `self` of a trait with arguments: a type may implement the trait
    /// more than once, and macros may do so too.
    fn is_told_by_types(&self, symbol: u32) -> bool {
        let world = self.world;
        let (file, row) = (world.file_of(symbol), world.row(symbol));
        if !row.kind().is_callable() || row.parent == NONE {
            return false;
        }
        let Some(parent) = world.row_at(file, row.parent) else { return false };
        parent.kind() == SymbolKind::Extension
            && world.text(file, parent.type_text).contains('<')
            && !world.bindings_of(symbol).any(|(_, bound)| bound.how == binding::RECEIVER)
    }

    fn inherited(&mut self, symbol: u32, name: &str, want: Want) -> Value<'f> {
        let world = self.world;
        let Some(supers) = world.supers(symbol) else {
            return Value::EXTERNAL;
        };
        for base in &supers.found {
            let value = self.deeper(|resolver| resolver.member_of_type(base.target, name, want));
            if value.is_found() {
                return value.at_most(base.sure);
            }
        }
        Value::EXTERNAL
    }
}

impl Value<'_> {
    /// A module of the repository without the name: nothing else may be guessed.
    pub(super) fn or_external(self) -> Self {
        if matches!(self.kind, Kind::Unknown) { Value::EXTERNAL } else { self }
    }
}
