//! Bare names: scopes from the inside out, then what the file's surroundings show.

use super::pick::without;
use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::key;
use crate::world::Module;
use contextd_model::facts::{FILE_SYMBOL, NONE, binding, modifier};

/// What stands before a name that begins at the root: `\a`.
const ROOT: &str = "\\";

impl<'f> Resolver<'_, 'f> {
    pub(super) fn name(&mut self, place: Place, name: &str, want: Want, line: u32) -> Value<'f> {
        match name {
            "" => return Value::UNKNOWN,
            ROOT => {
                let family = self.world.policy(place.file).family;
                let root = self.world.package_named(family, "");
                return root.map_or(Value::EXTERNAL, |root| {
                    Value::new(Kind::Module(Module::Package(root)), sure::IMPORT)
                });
            }
            "self" | "this" => return self.self_value(place),
            "Self" => {
                return self
                    .world
                    .enclosing_type(place.file, place.owner)
                    .map_or(Value::UNKNOWN, |found| Value::new(Kind::Symbol(found), sure::SCOPE));
            }
            _ => {}
        }
        let policy = self.world.policy(place.file);
        if policy.supers.contains(&name) {
            return self
                .world
                .enclosing_type(place.file, place.owner)
                .map_or(Value::UNKNOWN, |found| Value::new(Kind::Super(found), sure::SCOPE));
        }
        let key = key::name(name);
        let value = self
            .in_scopes(place, name, key, want, line)
            .unwrap_or_else(|| self.around_file(place, name, key, want));
        match value.kind {
            Kind::Symbol(found) if self.is_outside_of_block(place, found, key) => {
                value.at_most(sure::UNION)
            }
            // The type of an object is named after it.
            Kind::External | Kind::Unknown if want == Want::Type && policy.terms_apart => self
                .in_scopes(place, name, key, Want::Any, line)
                .unwrap_or_else(|| self.around_file(place, name, key, Want::Any))
                .at_most(sure::UNION),
            _ => value,
        }
    }

    /// True for a function that stands around a block which may run in another object, one that has a
    /// method of that name.
    fn is_outside_of_block(&self, place: Place, found: u32, key: u64) -> bool {
        let world = self.world;
        let policy = world.policy(place.file);
        if !policy.moved_blocks || !world.kind(found).is_callable() {
            return false;
        }
        let is_block = |file: u32, at: u32| {
            at == FILE_SYMBOL || world.row_at(file, at).is_some_and(|row| row.has(modifier::TITLE))
        };
        is_block(place.file, place.owner)
            && is_block(world.file_of(found), world.row(found).parent)
            && !world.members_named(policy.family, key).is_empty()
    }

    fn self_value(&self, place: Place) -> Value<'f> {
        self.world.enclosing_type(place.file, place.owner).map_or(Value::LOCAL, |found| {
            let kind = if self.world.kind(found).is_type() {
                Kind::Instance(found)
            } else {
                Kind::Symbol(found)
            };
            Value::new(kind, sure::SCOPE)
        })
    }

    /// Walks from the owner outwards: locals, then definitions and imports of each scope.
    fn in_scopes(
        &mut self,
        place: Place,
        name: &str,
        key: u64,
        want: Want,
        line: u32,
    ) -> Option<Value<'f>> {
        let world = self.world;
        let policy = world.policy(place.file);
        let mut at = place.owner;
        for _ in 0..64 {
            let row = world.row_at(place.file, at)?;
            if let Some(value) = self.bound(place.file, at, name, key, want, line) {
                return Some(value);
            }
            let symbol = world.global(place.file, at);
            // The object of a package stands in that package.
            if let Some(package) = world.object_package(symbol)
                && let Some(value) = self.in_package(place.file, package, key, name, want)
            {
                return Some(value);
            }
            // What stands in a body is seen in its own file alone.
            let hidden = |found: u32| place.file != self.file && world.has(found, modifier::LOCAL);
            if (!row.kind().is_type() || at == place.owner)
                && let Some(found) = self.pick_before(
                    &without(world.in_scope(symbol, key), hidden),
                    want,
                    place.file,
                    line,
                )
            {
                if at == FILE_SYMBOL
                    && place.file == self.file
                    && self.is_shadowed(found, key, line)
                {
                    break;
                }
                return Some(self.symbol_or_module(found, sure::SCOPE));
            }
            let around = if row.kind().is_type() { Some(symbol) } else { world.outer(symbol) };
            if let Some(around) = around.filter(|_| policy.implicit_self) {
                let value = self.member_of_type(around, name, want);
                let asking = world.row_at(place.file, place.owner)?;
                let of_class = asking.has(modifier::STATIC) || !asking.kind().is_callable();
                let value = self.on_side(value, of_class);
                if !matches!(value.kind, Kind::Unknown | Kind::External) {
                    return Some(value);
                }
            }
            for row in world.imports_of(place.file, key) {
                let import = world.import(place.file, row);
                if import.owner == at && !is_export_only(import.kind, import.module.is_empty()) {
                    return Some(self.import(place.file, row, want));
                }
            }
            if at == FILE_SYMBOL || row.parent == NONE {
                break;
            }
            at = row.parent;
        }
        // A callback at the top of the file has its variables bound to the file.
        (place.file == self.file)
            .then(|| self.local(FILE_SYMBOL, key, want, line, place.file))
            .flatten()
    }

    /// True when a parameter of a function without a name, further inside, hides a symbol of the file.
    fn is_shadowed(&mut self, symbol: u32, key: u64, line: u32) -> bool {
        let bound = self.bindings.get(key::within(u64::from(FILE_SYMBOL), key));
        if bound.is_empty() || line == u32::MAX {
            return false;
        }
        let view = self.world.own();
        let from = self.known_in(symbol).map_or(0, |lines| lines.start);
        self.line_matters = true;
        bound.iter().any(|&row| {
            let row = &view.bindings[row as usize];
            row.how != binding::PARAMETER
                && row.flags != 0
                && row.line >= from
                // On the first of several lines the name still stands for what is called there.
                && (row.line + u32::from(row.flags > 1)..row.line + u32::from(row.flags)).contains(&line)
        })
    }

    /// Of two methods of one name, one of the class and one of its instances, a call from within means
    /// the one of its own side.
    fn on_side(&self, value: Value<'f>, of_class: bool) -> Value<'f> {
        let world = self.world;
        let Kind::Symbol(found) = value.kind else {
            return value;
        };
        let (file, row) = (world.file_of(found), world.row(found));
        let sided = world.policy(file).moved_blocks;
        if !sided || row.has(modifier::STATIC) == of_class {
            return value;
        }
        let scope = world.global(file, row.parent);
        let mut named = world.in_scope(scope, key::name(world.name_of(found))).iter().copied();
        let other = named.find(|&symbol| {
            world.kind(symbol).is_callable() && world.row(symbol).has(modifier::STATIC) == of_class
        });
        other.map_or(value, |other| Value::new(Kind::Symbol(other), value.sure))
    }

    /// Returns what a scope's own variables say of a name.
    fn bound(
        &mut self,
        file: u32,
        owner: u32,
        name: &str,
        key: u64,
        want: Want,
        line: u32,
    ) -> Option<Value<'f>> {
        if owner == FILE_SYMBOL {
            return None;
        }
        if file == self.file {
            return self.local(owner, key, want, line, file);
        }
        // Of other files only the type parameters are known.
        let generics = self.world.text(file, self.world.row_at(file, owner)?.generics);
        let names = |part: &str| part.trim().split([' ', ':', '=']).next() == Some(name);
        generics.split(',').any(names).then_some(Value::LOCAL)
    }

    fn local(
        &mut self,
        owner: u32,
        key: u64,
        want: Want,
        line: u32,
        file: u32,
    ) -> Option<Value<'f>> {
        let view = self.world.own();
        // In `let parts = parts(text)` the call is not of the variable it makes.
        let makes_itself = |row: u32| {
            let row = &view.bindings[row as usize];
            want.is_call()
                && row.how == binding::CALLED
                && row.line == line
                && view.str(row.type_text) == view.str(row.name)
        };
        let all = self.bindings.get(key::within(u64::from(owner), key));
        let is_before = self.is_before;
        let is_over = |row: u32| {
            let row = &view.bindings[row as usize];
            is_before && row.line == line
                || row.how != binding::PARAMETER
                    && row.flags != 0
                    && line != u32::MAX
                    && !(row.line..row.line + u32::from(row.flags)).contains(&line)
        };
        let found: Vec<u32> =
            all.iter().copied().filter(|&row| !makes_itself(row) && !is_over(row)).collect();
        let own = |row: u32| {
            let symbol = &view.symbols[owner as usize];
            owner != FILE_SYMBOL
                && symbol.name == view.bindings[row as usize].name
                && !symbol.kind().is_callable()
        };
        self.line_matters |= all.len() > 1;
        let typed = |row: &&u32| !view.bindings[**row as usize].type_text.is_empty();
        let before = |row: &&u32| view.bindings[**row as usize].line <= line;
        let row = found
            .iter()
            .filter(before)
            .rfind(typed)
            .or_else(|| found.iter().find(typed))
            .or(found.first())
            .copied()?;
        if own(row) {
            return None;
        }
        // On the line that binds a name again, the name may still have its earlier meaning.
        let bound = |row: u32| &view.bindings[row as usize];
        let earlier = |other: &&u32| {
            let (other, row) = (bound(**other), bound(row));
            other.line < line
                && row.line == line
                && other.type_text != row.type_text
                && !other.type_text.is_empty()
        };
        self.rebound |= found.iter().any(|other| earlier(&other));
        Some(self.deeper(|resolver| resolver.binding(file, row)))
    }
}

/// An export under another name binds nothing in its own file.
fn is_export_only(kind: u8, is_local: bool) -> bool {
    use contextd_model::facts::import_kind::{REEXPORT, REEXPORT_ALL};
    kind == REEXPORT_ALL || kind == REEXPORT && is_local
}
