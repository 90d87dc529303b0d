//! Names that a file does not define: what its package, its imports of everything and the whole program show.

use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::policy::Modules as Style;
use crate::world::Module;
use crate::world::modules::normal;
use crate::world::modules::packages::has_namespaces;
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, NONE, UNKNOWN_PARAMETERS, modifier};

impl<'f> Resolver<'_, 'f> {
    /// Packages, wildcard imports and names that all files share.
    pub(super) fn around_file(
        &mut self,
        place: Place,
        name: &str,
        key: u64,
        want: Want,
    ) -> Value<'f> {
        let world = self.world;
        let (file, policy) = (place.file, world.policy(place.file));
        if let Some(value) = world
            .package(file)
            .and_then(|package| self.in_package(place.file, package, key, name, want))
        {
            return value;
        }
        if has_namespaces(policy.modules) {
            let value = self.in_namespaces(place, name, key, want);
            if value.is_found() {
                return value;
            }
        }
        // A prototype that is included stands for the definition elsewhere.
        let mut twins = false;
        if policy.modules == Style::Include {
            let value = self.shared(place, key, want);
            if value.sure >= sure::SHARED {
                return value;
            }
            twins = value.sure == sure::TWIN || matches!(value.kind, Kind::Ambiguous);
        }
        for &row in world.wildcards(file) {
            let value = match world.module(file, row) {
                Module::External if policy.modules == Style::Declared => {
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
                    && (world.module(file, row) != Module::File(world.file_of(found))
                        || self.includes_several(place.file, key))
            };
            match value.kind {
                Kind::Symbol(found) if chosen(found) => return value.at_most(sure::TWIN),
                Kind::Symbol(_) | Kind::Module(_) => return value.at_most(sure::TYPE),
                _ => {}
            }
        }
        if want.is_call()
            && policy.modules == Style::Declared
            && let Some(value) = self.extension_around(place.file, key)
        {
            return value;
        }
        match policy.modules {
            Style::Include | Style::Shared => self.shared(place, key, want),
            Style::CrateTree => self.crate_name(place, name, key, want),
            Style::None => Value::UNKNOWN,
            _ => Value::EXTERNAL,
        }
    }

    /// Returns the type or object whose members an import around the place makes visible.
    fn opened_around(&mut self, place: Place, row: u32) -> Option<Value<'f>> {
        let world = self.world;
        let import = world.import(place.file, row);
        let mut at = place.owner;
        while at != import.owner {
            at = Some(world.row_at(place.file, at)?.parent).filter(|&parent| parent != NONE)?;
        }
        let known = self.opened.get(&(place.file, row)).copied();
        let value = known.unwrap_or_else(|| {
            // While it is looked for, its members are not.
            self.opened.insert((place.file, row), Value::UNKNOWN);
            let text = world.text(place.file, import.module);
            let place = Place { file: place.file, owner: import.owner };
            // What is opened does not depend on the name that is looked for in it.
            let asked = (self.arguments, self.arity);
            (self.arguments, self.arity) = (UNKNOWN_PARAMETERS, UNKNOWN_PARAMETERS);
            let full = self.imported_by_full_name(place.file, text, "", Want::Any);
            (self.arguments, self.arity) = asked;
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
        let world = self.world;
        let wildcards = world.wildcards(file).iter().map(|&row| world.module(file, row));
        let packages = wildcards.filter_map(|module| match module {
            Module::Package(package) => Some(package),
            _ => None,
        });
        let value = world
            .package(file)
            .into_iter()
            .chain(packages)
            .find_map(|package| self.extension(file, package, key))?;
        Some(value.at_most(sure::UNION))
    }

    /// C# and its like see the names of the namespaces around them.
    fn in_namespaces(&mut self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let policy = world.policy(place.file);
        let family = policy.family;
        let mut at = place.owner;
        let mut around = if policy.modules == Style::Declared {
            normal(world.package_name(place.file))
        } else {
            String::new()
        };
        while at != FILE_SYMBOL && at != NONE {
            let Some(row) = world.row_at(place.file, at) else { break };
            if matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module) {
                around = world.text(place.file, row.qualified).to_owned();
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
                .package_named(family, outer)
                .and_then(|package| self.in_package(place.file, package, key, name, want))
                .filter(|value| here || functions && is_function(value))
            {
                return value;
            }
            let inner = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
            if let Some(package) = world.package_named(family, &inner) {
                return Value::new(Kind::Module(Module::Package(package)), sure::PACKAGE);
            }
            match outer.rsplit_once('.') {
                Some((rest, _)) if policy.outer_packages => outer = rest,
                Some(_) => outer = "",
                None if !outer.is_empty() => outer = "",
                None => return Value::UNKNOWN,
            }
            here = if outer.is_empty() { policy.root_is_seen } else { policy.outer_packages };
        }
    }

    /// True when a file includes several files that define a name.
    fn includes_several(&self, file: u32, key: u64) -> bool {
        let world = self.world;
        let mut files: Vec<u32> = world
            .globals_named(world.policy(file).family, key)
            .iter()
            .map(|&symbol| world.file_of(symbol))
            .collect();
        files.dedup();
        let included = world.wildcards(file);
        files.retain(|&other| {
            included.iter().any(|&row| world.module(file, row) == Module::File(other))
        });
        files.len() > 1
    }

    /// Names with one meaning in the whole program.
    fn shared(&self, place: Place, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let all = world.globals_named(world.policy(place.file).family, key);
        let visible = |symbol: &u32| {
            world.file_of(*symbol) == place.file || !world.has(*symbol, modifier::STATIC)
        };
        let mut candidates: Vec<u32> = all.iter().copied().take(64).filter(visible).collect();
        if candidates.iter().any(|&symbol| !world.has(symbol, modifier::DECLARATION)) {
            candidates.retain(|&symbol| !world.has(symbol, modifier::DECLARATION));
        }
        let Some(best) = self.pick(&candidates, want) else {
            return Value::EXTERNAL;
        };
        let scope = |symbol: u32| world.qualified(symbol);
        // What is reopened in many files is one; a function defined in several is not, nor a type of C.
        let is_header = |file: u32| crate::world::modules::is_header(world.path(file));
        let defined =
            candidates.iter().map(|&symbol| world.file_of(symbol)).filter(|&file| !is_header(file));
        let mut defined: Vec<u32> = defined.collect();
        defined.sort_unstable();
        defined.dedup();
        let is_reopened = |kind: SymbolKind| match world.policy(place.file).modules {
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
            return Value::new(Kind::Symbol(best), if nested { sure::UNION } else { sure::SHARED });
        }
        self.shared_by_place(place.file, &candidates)
    }

    /// Chooses among several meanings of a shared name by where they stand.
    fn shared_by_place(&self, from: u32, candidates: &[u32]) -> Value<'f> {
        let world = self.world;
        // The names of systems tell more than folders do.
        let systems: Vec<usize> =
            candidates.iter().map(|&symbol| self.nearness(from, world.file_of(symbol)).1).collect();
        let most = systems.iter().copied().max().unwrap_or(0);
        let mut of_system =
            candidates.iter().zip(&systems).filter(|(_, systems)| **systems == most);
        if most > 0
            && let (Some((&only, _)), None) = (of_system.next(), of_system.next())
            && !world.kind(only).is_callable()
        {
            return Value::new(Kind::Symbol(only), sure::SHARED);
        }
        match self.closest(from, candidates)[..] {
            [only] if !world.kind(only).is_type() => Value::new(Kind::Symbol(only), sure::UNION),
            [first, ..] if world.kind(first).is_type() => {
                Value::new(Kind::Symbol(first), sure::TWIN)
            }
            _ => Value::new(Kind::Ambiguous, 0),
        }
    }

    /// Rust: child modules, crates by name, macros of the crate.
    fn crate_name(&mut self, place: Place, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let module =
            if name == "crate" || name == "super" { name.to_owned() } else { format!("{name}::") };
        if let found @ Module::File(_) = world.module_named(place.file, &module) {
            return Value::new(Kind::Module(found), sure::IMPORT);
        }
        let macros: Vec<u32> = world
            .globals_named(world.policy(place.file).family, key)
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

    /// Returns what a package shows a file under a name, its package object included.
    pub(super) fn in_package(
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
        let object = self.world.package_object(package)?;
        let value = self.deeper(|resolver| resolver.member_of_type(object, name, want));
        matches!(value.kind, Kind::Symbol(_)).then_some(value.at_most(sure::PACKAGE))
    }
}
