//! Bare names: scopes from the inside out, then what the file's surroundings show.

use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::key;
use crate::policy::Modules as Style;
use crate::world::Module;
use crate::world::modules::normal;
use crate::world::modules::packages::has_namespaces;
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, NONE, binding, modifier};

/// What stands before a name that begins at the root: `\a`.
const ROOT: &str = "\\";

impl<'f> Resolver<'_, 'f> {
    pub(super) fn name(&mut self, place: Place, name: &str, want: Want, line: u32) -> Value<'f> {
        match name {
            "" => return Value::UNKNOWN,
            ROOT => {
                let family = self.world.tables[place.file as usize].policy.family;
                let root = self.world.modules.package_named(family, "");
                return root.map_or(Value::EXTERNAL, |root| {
                    Value::new(Kind::Module(Module::Package(root)), sure::IMPORT)
                });
            }
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
        let value = self
            .in_scopes(place, name, key, want, line)
            .unwrap_or_else(|| self.around_file(place, name, key, want));
        match value.kind {
            Kind::Symbol(found) if self.is_outside_of_block(place, found, key) => {
                value.at_most(sure::UNION)
            }
            // The type of an object is named after it.
            Kind::External | Kind::Unknown if want == Want::Type && table.policy.terms_apart => {
                self.in_scopes(place, name, key, Want::Any, line)
                    .unwrap_or_else(|| self.around_file(place, name, key, Want::Any))
                    .at_most(sure::UNION)
            }
            _ => value,
        }
    }

    /// True for a function that stands around a block which may run in another object, one that has a
    /// method of that name.
    fn is_outside_of_block(&self, place: Place, found: u32, key: u64) -> bool {
        let world = self.world;
        let policy = world.tables[place.file as usize].policy;
        if !policy.moved_blocks || !world.kind(found).is_callable() {
            return false;
        }
        let is_block = |file: u32, at: u32| {
            let row = &world.files[file as usize].view.symbols[at as usize];
            at == FILE_SYMBOL || row.has(modifier::TITLE)
        };
        is_block(place.file, place.owner)
            && is_block(world.file_of(found), world.row(found).parent)
            && !world.members_named(policy.family, key).is_empty()
    }

    /// Returns what a package shows a file under a name, its package object included.
    fn in_package(
        &mut self,
        from: u32,
        package: u32,
        key: u64,
        name: &str,
        want: Want,
    ) -> Option<Value<'f>> {
        let named = self.world.in_package(package, key);
        self.pick_near(from, named, want, sure::PACKAGE)
            .or_else(|| self.in_package_object(package, name, want))
    }

    /// Returns what the object of a package has under a name.
    pub(super) fn in_package_object(
        &mut self,
        package: u32,
        name: &str,
        want: Want,
    ) -> Option<Value<'f>> {
        let object = self.world.package_objects.get(&package).copied()?;
        let value = self.deeper(|resolver| resolver.member_of_type(object, name, want));
        matches!(value.kind, Kind::Symbol(_)).then_some(value.at_most(sure::PACKAGE))
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
            // The object of a package stands in that package.
            if let Some(&package) = world.object_packages.get(&symbol)
                && let Some(value) = self.in_package(place.file, package, key, name, want)
            {
                return Some(value);
            }
            if (!row.kind().is_type() || at == place.owner)
                && let Some(found) =
                    self.pick_before(world.in_scope(symbol, key), want, place.file, line)
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
                let asking = &view.symbols[place.owner as usize];
                let of_class = asking.has(modifier::STATIC) || !asking.kind().is_callable();
                let value = self.on_side(value, of_class);
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

    /// Of two methods of one name, one of the class and one of its instances, a call from within means
    /// the one of its own side.
    fn on_side(&self, value: Value<'f>, of_class: bool) -> Value<'f> {
        let world = self.world;
        let Kind::Symbol(found) = value.kind else {
            return value;
        };
        let (file, row) = (world.file_of(found), world.row(found));
        let sided = world.tables[file as usize].policy.moved_blocks;
        if !sided || row.has(modifier::STATIC) == of_class {
            return value;
        }
        let scope = world.global(file, row.parent);
        let mut named = world
            .in_scope(scope, key::name(world.name_of(found)))
            .iter()
            .copied();
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
        let found: Vec<u32> = all
            .iter()
            .copied()
            .filter(|&row| !makes_itself(row) && !is_over(row))
            .collect();
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

    /// Packages, wildcard imports and names that all files share.
    fn around_file(&mut self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let table = &world.tables[place.file as usize];
        if let Some(value) = table
            .package
            .and_then(|package| self.in_package(place.file, package, key, name, want))
        {
            return value;
        }
        if has_namespaces(table.policy.modules) {
            let value = self.in_namespaces(place, name, key, want);
            if value.is_found() {
                return value;
            }
        }
        // A prototype that is included stands for the definition elsewhere.
        let mut twins = false;
        if table.policy.modules == Style::Include {
            let value = self.shared(place, key, want);
            if value.sure >= sure::SHARED {
                return value;
            }
            twins = value.sure == sure::TWIN || matches!(value.kind, Kind::Ambiguous);
        }
        for &row in &table.wildcards {
            let value = match table.modules[row as usize] {
                Module::External if table.policy.modules == Style::Declared => {
                    match self.opened_around(place, row) {
                        Some(opened) => self.deeper(|resolver| resolver.member(opened, name, want)),
                        None => continue,
                    }
                }
                Module::External => continue,
                module => {
                    self.deeper(|resolver| resolver.module_member(place.file, module, name, want))
                }
            };
            // What is included on the way, or beside another, may stand for one of several systems.
            let chosen = |found: u32| {
                twins
                    && !world.kind(found).is_callable()
                    && (table.modules[row as usize] != Module::File(world.file_of(found))
                        || self.includes_several(place.file, key))
            };
            match value.kind {
                Kind::Symbol(found) if chosen(found) => return value.at_most(sure::TWIN),
                Kind::Symbol(_) | Kind::Module(_) => return value.at_most(sure::TYPE),
                _ => {}
            }
        }
        if want.is_call()
            && table.policy.modules == Style::Declared
            && let Some(value) = self.extension_around(place.file, key)
        {
            return value;
        }
        match table.policy.modules {
            Style::Include | Style::Shared => self.shared(place, key, want),
            Style::CrateTree => self.crate_name(place, name, key, want),
            Style::None => Value::UNKNOWN,
            _ => Value::EXTERNAL,
        }
    }

    /// Returns the type or object whose members an import around the place makes visible.
    fn opened_around(&mut self, place: Place, row: u32) -> Option<Value<'f>> {
        let view = &self.world.files[place.file as usize].view;
        let import = &view.imports[row as usize];
        let mut at = place.owner;
        while at != import.owner {
            at = Some(view.symbols.get(at as usize)?.parent).filter(|&parent| parent != NONE)?;
        }
        let known = self.opened.get(&(place.file, row)).copied();
        let value = known.unwrap_or_else(|| {
            // While it is looked for, its members are not.
            self.opened.insert((place.file, row), Value::UNKNOWN);
            let text = view.str(import.module);
            let place = Place {
                file: place.file,
                owner: import.owner,
            };
            let full = self.imported_by_full_name(place.file, text, "", Want::Any);
            let value = match full.kind {
                Kind::Symbol(_) => full,
                _ => self.deeper(|resolver| resolver.path(place, text, u32::MAX)),
            };
            self.opened.insert((place.file, row), value);
            value
        });
        matches!(value.kind, Kind::Symbol(_)).then_some(value)
    }

    /// A bare call may mean what a visible package adds to the type around the call.
    fn extension_around(&self, file: u32, key: u64) -> Option<Value<'f>> {
        let table = &self.world.tables[file as usize];
        let wildcards = table
            .wildcards
            .iter()
            .map(|&row| table.modules[row as usize]);
        let packages = wildcards.filter_map(|module| match module {
            Module::Package(package) => Some(package),
            _ => None,
        });
        let value = table
            .package
            .into_iter()
            .chain(packages)
            .find_map(|package| self.extension(file, package, key))?;
        Some(value.at_most(sure::UNION))
    }

    /// C# and its like see the names of the namespaces around them.
    fn in_namespaces(&mut self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let view = &world.files[place.file as usize].view;
        let policy = world.tables[place.file as usize].policy;
        let family = policy.family;
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
        // Of the names outside of all namespaces, PHP sees the functions.
        let functions = policy.root_functions;
        let mut here = true;
        let is_function = |value: &Value<'f>| matches!(value.kind, Kind::Symbol(found) if world.kind(found) == SymbolKind::Function);
        loop {
            if let Some(value) = world
                .modules
                .package_named(family, outer)
                .and_then(|package| self.in_package(place.file, package, key, name, want))
                .filter(|value| here || functions && is_function(value))
            {
                return value;
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
                Some((rest, _)) if policy.outer_packages => outer = rest,
                Some(_) => outer = "",
                None if !outer.is_empty() => outer = "",
                None => return Value::UNKNOWN,
            }
            here = if outer.is_empty() {
                policy.root_is_seen
            } else {
                policy.outer_packages
            };
        }
    }

    /// True when a file includes several files that define a name.
    fn includes_several(&self, file: u32, key: u64) -> bool {
        let world = self.world;
        let table = &world.tables[file as usize];
        let mut files: Vec<u32> = world
            .globals_named(table.policy.family, key)
            .iter()
            .map(|&symbol| world.file_of(symbol))
            .collect();
        files.dedup();
        files.retain(|&file| {
            table
                .wildcards
                .iter()
                .any(|&row| table.modules[row as usize] == Module::File(file))
        });
        files.len() > 1
    }

    /// Names with one meaning in the whole program.
    fn shared(&self, place: Place, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let all = world.globals_named(world.tables[place.file as usize].policy.family, key);
        let visible = |symbol: &u32| {
            world.file_of(*symbol) == place.file || !world.has(*symbol, modifier::STATIC)
        };
        let mut candidates: Vec<u32> = all.iter().copied().take(64).filter(visible).collect();
        if candidates
            .iter()
            .any(|&symbol| !world.has(symbol, modifier::DECLARATION))
        {
            candidates.retain(|&symbol| !world.has(symbol, modifier::DECLARATION));
        }
        let Some(best) = self.pick(&candidates, want) else {
            return Value::EXTERNAL;
        };
        let scope = |symbol: u32| {
            world.files[world.file_of(symbol) as usize]
                .view
                .str(world.row(symbol).qualified)
        };
        // What is reopened in many files is one; a function defined in several is not, nor a type of C.
        let is_header =
            |file: u32| crate::world::modules::is_header(world.files[file as usize].path);
        let defined = candidates
            .iter()
            .map(|&symbol| world.file_of(symbol))
            .filter(|&file| !is_header(file));
        let mut defined: Vec<u32> = defined.collect();
        defined.sort_unstable();
        defined.dedup();
        let is_reopened = |kind: SymbolKind| match world.tables[place.file as usize].policy.modules
        {
            Style::Include if kind == SymbolKind::Variable => defined.len() < 2,
            Style::Include => matches!(kind, SymbolKind::Namespace | SymbolKind::Module),
            _ => !kind.is_callable(),
        };
        let one = |symbol: u32| {
            scope(symbol) == scope(best)
                && (world.file_of(symbol) == world.file_of(best) || is_reopened(world.kind(best)))
        };
        if candidates.iter().all(|&symbol| one(symbol)) {
            let nested = world.local(best) != FILE_SYMBOL && world.row(best).parent != FILE_SYMBOL;
            return Value::new(
                Kind::Symbol(best),
                if nested { sure::UNION } else { sure::SHARED },
            );
        }
        let near = |symbol: u32| self.nearness(place.file, world.file_of(symbol));
        // The names of systems tell more than folders do.
        let systems = candidates
            .iter()
            .map(|&symbol| near(symbol).1)
            .max()
            .unwrap_or(0);
        let mut of_system = candidates
            .iter()
            .copied()
            .filter(|&symbol| near(symbol).1 == systems);
        if systems > 0
            && let (Some(only), None) = (of_system.next(), of_system.next())
            && !world.kind(only).is_callable()
        {
            return Value::new(Kind::Symbol(only), sure::SHARED);
        }
        let nearest = candidates
            .iter()
            .map(|&symbol| near(symbol))
            .max()
            .unwrap_or((0, 0));
        let mut closest = candidates
            .iter()
            .copied()
            .filter(|&symbol| near(symbol) == nearest);
        match (closest.next(), closest.next()) {
            (Some(only), None) if !world.kind(only).is_type() => {
                Value::new(Kind::Symbol(only), sure::UNION)
            }
            (Some(first), _) if world.kind(first).is_type() => {
                Value::new(Kind::Symbol(first), sure::TWIN)
            }
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
            .filter(|&symbol| want.is_call() && world.kind(symbol) == SymbolKind::Macro)
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
