//! Imported names: the module, then the name in it, through re-exports.

use super::{Kind, Place, Resolver, Value, Want, sure};
use crate::key;
use crate::policy::Modules as Style;
use crate::world::Module;
use crate::world::modules::normal;
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, import_kind};

impl<'f> Resolver<'_, 'f> {
    /// Returns what an import row binds.
    pub fn import(&mut self, file: u32, row: u32, want: Want) -> Value<'f> {
        let world = self.world;
        let import = world.import(file, row);
        let (text, name) = (world.text(file, import.module), world.text(file, import.name));
        let module = world.module(file, row);
        let policy = world.policy(file);
        // `use Name;` is of the root, not of the file's package.
        if text.is_empty() && policy.modules == Style::Declared {
            let root = world.package_named(policy.family, "");
            let root = root.map_or(Module::External, Module::Package);
            return self
                .deeper(|resolver| resolver.module_member(file, root, name, want))
                .or_external();
        }
        if text.is_empty() {
            return self.deeper(|resolver| resolver.exported_local(file, name, want));
        }
        if module == Module::External {
            return self.imported_by_full_name(file, text, name, want);
        }
        if name.is_empty() {
            return Value::new(Kind::Module(self.bound_module(file, row, module)), sure::IMPORT);
        }
        let found = self.deeper(|resolver| resolver.module_member(file, module, name, want));
        match found.kind {
            // The module is here but the name is not: made at run time, or by a build.
            Kind::Unknown => match module {
                Module::Package(package) => {
                    self.extension(file, package, key::name(name)).unwrap_or(Value::EXTERNAL)
                }
                _ => self.imported_submodule(file, text, name),
            },
            _ => found,
        }
    }

    /// `import a.b` binds `a`, not `a.b`.
    fn bound_module(&self, file: u32, row: u32, module: Module) -> Module {
        let world = self.world;
        let import = world.import(file, row);
        if world.policy(file).modules == Style::Dotted
            && import.alias == import.module
            && let Some((first, _)) = world.text(file, import.module).split_once('.')
        {
            return world.module_named(file, first);
        }
        module
    }

    fn imported_submodule(&self, file: u32, module: &str, name: &str) -> Value<'f> {
        let world = self.world;
        let full = match world.policy(file).modules {
            Style::Dotted if module.ends_with('.') => [module, name].concat(),
            Style::Dotted => [module, ".", name].concat(),
            Style::CrateTree => [module, "::", name].concat(),
            _ => return Value::EXTERNAL,
        };
        match world.module_named(file, &full) {
            Module::External => Value::EXTERNAL,
            found => Value::new(Kind::Module(found), sure::IMPORT),
        }
    }

    /// `import a.b.C` where `a.b` is a package, and `a.b.C.member`.
    pub(super) fn imported_by_full_name(
        &mut self,
        file: u32,
        module: &str,
        name: &str,
        want: Want,
    ) -> Value<'f> {
        let world = self.world;
        let policy = world.policy(file);
        match policy.modules {
            Style::Dotted | Style::CrateTree => {
                return self
                    .imported_submodule(file, module, name)
                    .or(|| self.through_items(file, module, name, want));
            }
            Style::Declared => {}
            _ => return Value::EXTERNAL,
        }
        let full =
            if name.is_empty() { normal(module) } else { format!("{}.{name}", normal(module)) };
        let mut end = full.len();
        while let Some(at) = full[..end].rfind('.') {
            if let Some(package) = world.package_named(policy.family, &full[..at]) {
                // What a name is taken out of is a term, where types and terms are apart.
                let wanted = |is_last: bool| {
                    if is_last || !policy.terms_apart { want } else { Want::Any }
                };
                let mut parts = full[at + 1..].split('.').peekable();
                let first = parts.next().unwrap_or("");
                let is_last = parts.peek().is_none();
                let mut value =
                    self.module_member(file, Module::Package(package), first, wanted(is_last));
                while let Some(part) = parts.next() {
                    value = self.member(value, part, wanted(parts.peek().is_none()));
                }
                return if matches!(value.kind, Kind::Unknown) { Value::EXTERNAL } else { value };
            }
            end = at;
        }
        Value::EXTERNAL
    }

    /// Rust: `use a::Type::name`, where the path ends in items.
    fn through_items(&mut self, file: u32, module: &str, name: &str, want: Want) -> Value<'f> {
        let world = self.world;
        if world.policy(file).modules != Style::CrateTree {
            return Value::EXTERNAL;
        }
        let Some((outer, last)) = module.rsplit_once("::") else {
            return Value::EXTERNAL;
        };
        let Module::File(found) = world.module_named(file, outer) else {
            return Value::EXTERNAL;
        };
        let item = self
            .deeper(|resolver| resolver.module_member(file, Module::File(found), last, Want::Type));
        if name.is_empty() { item } else { self.member(item, name, want) }
    }

    /// An export of a name that the file defines or imports itself.
    fn exported_local(&mut self, file: u32, path: &str, want: Want) -> Value<'f> {
        let place = Place { file, owner: FILE_SYMBOL };
        match path.rsplit_once('.') {
            None => self.name(place, path, want, u32::MAX),
            Some((qualifier, name)) => {
                let receiver = self.path(place, qualifier, u32::MAX);
                self.member(receiver, name, want)
            }
        }
    }

    /// Returns what a module shows a file under a name.
    pub(super) fn module_member(
        &mut self,
        from: u32,
        module: Module,
        name: &str,
        want: Want,
    ) -> Value<'f> {
        let key = key::name(name);
        let world = self.world;
        match module {
            Module::External => Value::EXTERNAL,
            Module::Package(package) => self
                .pick_near(from, world.in_package(package, key), want, sure::IMPORT)
                .or_else(|| self.in_package_object(package, name, want))
                .unwrap_or(Value::UNKNOWN),
            Module::File(file) => self.file_member(file, name, key, want),
        }
    }

    /// Returns what a package adds to some type under a name; which type is not asked.
    pub(super) fn extension(&self, from: u32, package: u32, key: u64) -> Option<Value<'f>> {
        let world = self.world;
        let found = world.extensions_in(package, key);
        let qualified = |symbol: u32| world.qualified(symbol);
        let value = self.pick_near(from, found, Want::Any, sure::IMPORT)?;
        let several = found.iter().any(|&symbol| qualified(symbol) != qualified(found[0]));
        Some(if several { value.at_most(sure::UNION) } else { value })
    }

    fn file_member(&mut self, file: u32, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        if let Some(found) = self.pick(world.in_scope(world.global(file, FILE_SYMBOL), key), want) {
            // `mod parse; pub use parse::parse;`: a module cannot be called, what it shows can.
            if want.is_call() && world.kind(found) == SymbolKind::Module {
                let value = self.reexported(file, name, key, want);
                if matches!(value.kind, Kind::Symbol(_)) {
                    return value;
                }
            }
            return self.symbol_or_module(found, sure::IMPORT);
        }
        let style = world.policy(file).modules;
        if style == Style::RelativePath
            && name == "default"
            && let Some(found) = world.default_export(file)
        {
            return Value::new(Kind::Symbol(found), sure::IMPORT);
        }
        let value = self.reexported(file, name, key, want);
        if value.is_found() {
            return value;
        }
        world
            .module_below(Module::File(file), name)
            .map_or(Value::UNKNOWN, |found| Value::new(Kind::Module(found), sure::IMPORT))
    }

    fn reexported(&mut self, file: u32, name: &str, key: u64, want: Want) -> Value<'f> {
        let world = self.world;
        let only_exports = world.policy(file).modules == Style::RelativePath;
        for row in world.imports_of(file, key) {
            let import = world.import(file, row);
            if import.owner == FILE_SYMBOL
                && (!only_exports || import.kind == import_kind::REEXPORT)
            {
                return self.deeper(|resolver| resolver.import(file, row, want));
            }
        }
        for &row in world.wildcards(file) {
            let all = world.import(file, row);
            let module = world.module(file, row);
            if module == Module::External
                || module == Module::File(file)
                || only_exports && all.kind != import_kind::REEXPORT_ALL
            {
                continue;
            }
            let value = self.deeper(|resolver| resolver.module_member(file, module, name, want));
            if matches!(value.kind, Kind::Symbol(_) | Kind::Module(_)) {
                return value;
            }
        }
        Value::UNKNOWN
    }
}

impl<'f> Value<'f> {
    fn or(self, other: impl FnOnce() -> Value<'f>) -> Value<'f> {
        if matches!(self.kind, Kind::External | Kind::Unknown) { other() } else { self }
    }
}
