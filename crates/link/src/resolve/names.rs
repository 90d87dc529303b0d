//! Bare names: scopes from the inside out, then what the file's surroundings show.

use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::key;
use crate::policy::Modules as Style;
use crate::world::Module;
use crate::world::modules::packages::has_namespaces;
use crate::world::modules::{normal, shared_folders};
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, NONE, binding, modifier};

impl<'f> Resolver<'_, 'f> {
    pub(super) fn name(&mut self, place: Place, name: &str, want: Want, line: u32) -> Value<'f> {
        match name {
            "" => return Value::UNKNOWN,
            "self" | "this" => return self.self_value(place),
            "Self" => {
                return self
                    .world
                    .enclosing_type(place.file, place.owner)
                    .map_or(Value::UNKNOWN, |found| {
                        Value::new(Kind::Symbol(found), sure::SCOPE)
                    });
            }
            _ => {}
        }
        let table = &self.world.tables[place.file as usize];
        if table.policy.supers.contains(&name) {
            return self
                .world
                .enclosing_type(place.file, place.owner)
                .map_or(Value::UNKNOWN, |found| {
                    Value::new(Kind::Super(found), sure::SCOPE)
                });
        }
        let key = key::name(name);
        if let Some(value) = self.in_scopes(place, name, key, want, line) {
            return value;
        }
        self.around_file(place, name, key, want)
    }

    fn self_value(&self, place: Place) -> Value<'f> {
        self.world
            .enclosing_type(place.file, place.owner)
            .map_or(Value::LOCAL, |found| {
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
        let view = &world.files[place.file as usize].view;
        let table = &world.tables[place.file as usize];
        let mut at = place.owner;
        for _ in 0..64 {
            let row = view.symbols.get(at as usize)?;
            if let Some(value) = self.bound(place.file, at, name, key, want, line) {
                return Some(value);
            }
            let symbol = world.global(place.file, at);
            if (!row.kind().is_type() || at == place.owner)
                && let Some(found) = self.pick(world.in_scope(symbol, key), want)
            {
                return Some(self.symbol_or_module(found, sure::SCOPE));
            }
            let around = if row.kind().is_type() {
                Some(symbol)
            } else {
                world.outer.get(&symbol).copied()
            };
            if let Some(around) = around.filter(|_| table.policy.implicit_self) {
                let value = self.member_of_type(around, name, want);
                if !matches!(value.kind, Kind::Unknown | Kind::External) {
                    return Some(value);
                }
            }
            for import in table.imports_of(key) {
                if view.imports[import as usize].owner == at
                    && !is_export_only(
                        view.imports[import as usize].kind,
                        view.imports[import as usize].module.is_empty(),
                    )
                {
                    return Some(self.import(place.file, import, want));
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
        let view = &self.world.files[file as usize].view;
        let generics = view.str(view.symbols[owner as usize].generics);
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
        let view = &self.world.files[file as usize].view;
        // In `let parts = parts(text)` the call is not of the variable it makes.
        let makes_itself = |row: u32| {
            let row = &view.bindings[row as usize];
            want == Want::Call
                && row.how == binding::CALLED
                && row.line == line
                && view.str(row.type_text) == view.str(row.name)
        };
        let all = self.bindings.get(key::within(u64::from(owner), key));
        let found: Vec<u32> = all
            .iter()
            .copied()
            .filter(|&row| !makes_itself(row))
            .collect();
        let own = |row: u32| {
            let symbol = &view.symbols[owner as usize];
            owner != FILE_SYMBOL
                && symbol.name == view.bindings[row as usize].name
                && !symbol.kind().is_callable()
        };
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
        Some(self.deeper(|resolver| resolver.binding(file, row)))
    }

    /// Packages, wildcard imports and names that all files share.
    fn around_file(&mut self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let table = &world.tables[place.file as usize];
        if let Some(found) = table
            .package
            .and_then(|package| self.pick(world.in_package(package, key), want))
        {
            return Value::new(Kind::Symbol(found), sure::PACKAGE);
        }
        if has_namespaces(table.policy.modules) {
            let value = self.in_namespaces(place, name, key, want);
            if value.is_found() {
                return value;
            }
        }
        // A prototype that is included stands for the definition elsewhere.
        if table.policy.modules == Style::Include {
            let value = self.shared(place, key, want);
            if value.sure >= sure::SHARED {
                return value;
            }
        }
        for &row in &table.wildcards {
            let value = match table.modules[row as usize] {
                Module::External => continue,
                module => self.deeper(|resolver| resolver.module_member(module, name, want)),
            };
            if matches!(value.kind, Kind::Symbol(_) | Kind::Module(_)) {
                return value.at_most(sure::TYPE);
            }
        }
        match table.policy.modules {
            Style::Include | Style::Shared => self.shared(place, key, want),
            Style::CrateTree => self.crate_name(place, name, key, want),
            Style::None => Value::UNKNOWN,
            _ => Value::EXTERNAL,
        }
    }

    /// C# and its like see the names of the namespaces around them.
    fn in_namespaces(&self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let view = &world.files[place.file as usize].view;
        let family = world.tables[place.file as usize].policy.family;
        let mut at = place.owner;
        let mut around = if world.tables[place.file as usize].policy.modules == Style::Declared {
            normal(view.package_name())
        } else {
            String::new()
        };
        while at != FILE_SYMBOL && at != NONE {
            let row = &view.symbols[at as usize];
            if matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module) {
                around = view.str(row.qualified).to_owned();
                break;
            }
            at = row.parent;
        }
        let mut outer = around.as_str();
        loop {
            if let Some(found) = world
                .modules
                .package_named(family, outer)
                .and_then(|package| self.pick(world.in_package(package, key), want))
            {
                return Value::new(Kind::Symbol(found), sure::PACKAGE);
            }
            let inner = if outer.is_empty() {
                name.to_owned()
            } else {
                format!("{outer}.{name}")
            };
            if let Some(package) = world.modules.package_named(family, &inner) {
                return Value::new(Kind::Module(Module::Package(package)), sure::PACKAGE);
            }
            match outer.rsplit_once('.') {
                Some((rest, _)) => outer = rest,
                None if !outer.is_empty() => outer = "",
                None => return Value::UNKNOWN,
            }
        }
    }

    /// Names with one meaning in the whole program.
    fn shared(&self, place: Place, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let all = world.globals_named(world.tables[place.file as usize].policy.family, key);
        let visible = |symbol: &u32| {
            world.file_of(*symbol) == place.file || !world.row(*symbol).has(modifier::STATIC)
        };
        let mut candidates: Vec<u32> = all.iter().copied().take(64).filter(visible).collect();
        if candidates
            .iter()
            .any(|&symbol| !world.row(symbol).has(modifier::DECLARATION))
        {
            candidates.retain(|&symbol| !world.row(symbol).has(modifier::DECLARATION));
        }
        let Some(best) = self.pick(&candidates, want) else {
            return Value::EXTERNAL;
        };
        let scope = |symbol: u32| {
            world.files[world.file_of(symbol) as usize]
                .view
                .str(world.row(symbol).qualified)
        };
        // What is reopened in many files is one; a function defined in several is not.
        let one = |symbol: u32| {
            scope(symbol) == scope(best)
                && (world.file_of(symbol) == world.file_of(best) || !world.kind(best).is_callable())
        };
        if candidates.iter().all(|&symbol| one(symbol)) {
            let nested = world.local(best) != FILE_SYMBOL && world.row(best).parent != FILE_SYMBOL;
            return Value::new(
                Kind::Symbol(best),
                if nested { sure::UNION } else { sure::SHARED },
            );
        }
        let near = |symbol: u32| {
            shared_folders(
                world.files[world.file_of(symbol) as usize].path,
                world.files[place.file as usize].path,
            )
        };
        let nearest = candidates
            .iter()
            .map(|&symbol| near(symbol))
            .max()
            .unwrap_or(0);
        let mut closest = candidates
            .iter()
            .copied()
            .filter(|&symbol| near(symbol) == nearest);
        match (closest.next(), closest.next()) {
            (Some(only), None) => Value::new(Kind::Symbol(only), sure::UNION),
            _ => Value::new(Kind::Ambiguous, 0),
        }
    }

    /// Rust: child modules, crates by name, macros of the crate.
    fn crate_name(&mut self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let module = if name == "crate" || name == "super" {
            name.to_owned()
        } else {
            format!("{name}::")
        };
        if let found @ Module::File(_) = world.modules.resolve(&world.files, place.file, &module) {
            return Value::new(Kind::Module(found), sure::IMPORT);
        }
        let macros: Vec<u32> = world
            .globals_named(world.tables[place.file as usize].policy.family, key)
            .iter()
            .copied()
            .filter(|&symbol| want == Want::Call && world.kind(symbol) == SymbolKind::Macro)
            .collect();
        match (self.pick(&macros, want), macros.len()) {
            (Some(found), 1) => Value::new(Kind::Symbol(found), sure::SHARED),
            (Some(_), _) => Value::new(Kind::Ambiguous, 0),
            _ => Value::EXTERNAL,
        }
    }
}

/// An export under another name binds nothing in its own file.
fn is_export_only(kind: u8, is_local: bool) -> bool {
    use contextd_model::facts::import_kind::{REEXPORT, REEXPORT_ALL};
    kind == REEXPORT_ALL || kind == REEXPORT && is_local
}
