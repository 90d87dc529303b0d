//! The phases of building a [`World`]: each may use the tables of those before.

use super::look::children;
use super::modules::ModuleTable;
use super::modules::packages::has_namespaces;
use super::{Brief, COMMON_SOURCES, FileTable, Look, Module, Super, Supers, World, implements};
use crate::LinkFile;
use crate::key::{self, Index, Marks};
use crate::policy::{self, Modules as Style};
use crate::reads::Numbers;
use crate::resolve::{Kind, Resolver, sure};
use contextd_model::SymbolKind;
use contextd_model::facts::{
    FILE_SYMBOL, FactsView, ImportRow, SymbolRow, base_kind, import_kind, modifier,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Builds a world; `room` tells how many numbers are left free behind so many symbols of a file.
pub fn build<'f>(files: &[LinkFile<'f>], room: impl Fn(u32) -> u32) -> World<'f> {
    let files: Vec<LinkFile<'f>> = files.to_vec();
    let modules = ModuleTable::build(&files);
    let tables: Vec<FileTable> =
        (0..files.len() as u32).into_par_iter().map(|file| table(&files, &modules, file)).collect();
    let mut first = Vec::with_capacity(files.len() + 1);
    let mut file_of = Vec::new();
    let mut total = 0u32;
    let mut briefs = Vec::new();
    for (at, file) in files.iter().enumerate() {
        first.push(total);
        let symbols = file.view.symbols.len() as u32;
        total += symbols + room(symbols);
        file_of.resize(total as usize, at as u32);
        briefs.extend(file.view.symbols.iter().map(Brief::of));
        briefs.resize(total as usize, Brief::of(&SymbolRow::default()));
    }
    first.push(total);
    let mut world = World {
        files,
        tables,
        modules,
        first,
        file_of,
        briefs,
        scopes: Index::default(),
        attached: Index::default(),
        holders: Marks::below(total),
        members: Index::default(),
        globals: Index::default(),
        outer: FxHashMap::default(),
        package_objects: FxHashMap::default(),
        object_packages: FxHashMap::default(),
        supers: FxHashMap::default(),
        set_files: FxHashMap::default(),
        fields: FxHashMap::default(),
        satisfied: FxHashMap::default(),
        shared_bases: FxHashMap::default(),
        shared_fields: FxHashMap::default(),
        numbers: Numbers::default(),
    };
    set_files(&mut world);
    scopes(&mut world);
    package_objects(&mut world);
    attach(&mut world);
    fields(&mut world);
    supers(&mut world);
    world.satisfied = implements::satisfied(&world);
    world
}

pub(super) fn table(files: &[LinkFile<'_>], modules: &ModuleTable, file: u32) -> FileTable {
    let LinkFile { path, view } = files[file as usize];
    let policy = policy::of(view.language);
    let resolved: Vec<Module> =
        view.imports.iter().map(|row| module_of(files, modules, file, row)).collect();
    let mut aliases = Vec::new();
    let mut wildcards = Vec::new();
    for (at, row) in view.imports.iter().enumerate() {
        let alias = view.str(row.alias);
        if matches!(
            row.kind,
            import_kind::WILDCARD | import_kind::REEXPORT_ALL | import_kind::INCLUDE
        ) {
            wildcards.push(at as u32);
        } else if !alias.is_empty() {
            // `import a.b` binds `a`.
            let bound = if policy.modules == Style::Dotted {
                alias.split('.').next().unwrap_or(alias)
            } else {
                alias
            };
            aliases.push((key::name(bound), at as u32));
        }
    }
    aliases.sort_unstable();
    FileTable {
        policy,
        package: modules.package_of(file),
        modules: resolved,
        aliases,
        wildcards,
        is_test: contextd_lang::paths::is_test(path),
        source_set: if policy.source_sets { source_set(path) } else { 0 },
    }
}

fn set_files(world: &mut World<'_>) {
    for (file, table) in world.tables.iter().enumerate().filter(|(_, table)| table.source_set != 0)
    {
        let Some(package) = table.package else { continue };
        let path = |file: u32| world.files[file as usize].path;
        let first = world.set_files.entry((package, table.source_set)).or_insert(file as u32);
        if path(file as u32) < path(*first) {
            *first = file as u32;
        }
    }
}

/// Returns the number of the source set that a path names: `src/jvmMain/…`, `core/jvm/src/…`.
fn source_set(path: &str) -> u32 {
    const PLATFORMS: [&str; 14] = [
        "android", "apple", "desktop", "ios", "js", "jvm", "linux", "macos", "mingw", "native",
        "tvos", "wasm", "watchos", "web",
    ];
    let mut before = "";
    for part in path.split('/') {
        let set = match part {
            "src" | "test" => Some(before).filter(|set| {
                *set == "common" || PLATFORMS.iter().any(|platform| set.starts_with(platform))
            }),
            _ if before == "src" => part.strip_suffix("Main").or_else(|| part.strip_suffix("Test")),
            _ => None,
        };
        match set {
            Some("common") => return COMMON_SOURCES,
            Some(set) if !set.is_empty() => return (key::name(set) as u32).max(COMMON_SOURCES + 1),
            _ => before = part,
        }
    }
    0
}

fn module_of(files: &[LinkFile<'_>], modules: &ModuleTable, file: u32, row: &ImportRow) -> Module {
    let view = &files[file as usize].view;
    let text = view.str(row.module);
    if text.is_empty() {
        return Module::File(file);
    }
    // Inside a module block `super` is the file, not the module above it.
    let within_block = row.owner != FILE_SYMBOL
        && view
            .symbols
            .get(row.owner as usize)
            .is_some_and(|owner| owner.kind() == SymbolKind::Module);
    match text.strip_prefix("super") {
        Some("") if within_block => Module::File(file),
        Some(rest) if within_block && rest.starts_with("::") => {
            modules.resolve(files, file, &format!("self{rest}"))
        }
        _ => modules.resolve(files, file, text),
    }
}

/// Where a name is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    Symbol(u32),
    Package(u32),
    /// What a package adds to types from outside of them.
    Extension(u32),
    /// Members of types of a family of languages.
    Members(u8),
    /// File-level symbols of a family.
    Globals(u8),
}

/// A symbol under a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub scope: Scope,
    pub name: u64,
    pub symbol: u32,
}

/// What files add to the tables of names.
#[derive(Default)]
pub(super) struct Pairs {
    pub holders: Vec<u32>,
    pub scopes: Vec<(u64, u32)>,
    pub members: Vec<(u64, u32)>,
    pub globals: Vec<(u64, u32)>,
}

impl Pairs {
    pub fn add(&mut self, Entry { scope, name, symbol }: Entry) {
        let (pairs, scope) = match scope {
            Scope::Symbol(holder) => {
                if self.holders.last() != Some(&holder) {
                    self.holders.push(holder);
                }
                (&mut self.scopes, u64::from(holder))
            }
            Scope::Package(package) => (&mut self.scopes, key::package_scope(package)),
            Scope::Extension(package) => (&mut self.scopes, key::extension_scope(package)),
            Scope::Members(family) => (&mut self.members, key::family_scope(family)),
            Scope::Globals(family) => (&mut self.globals, key::family_scope(family)),
        };
        pairs.push((key::within(scope, name), symbol));
    }
}

fn scopes(world: &mut World<'_>) {
    let parts: Vec<Pairs> = (0..world.files.len() as u32)
        .into_par_iter()
        .map(|file| {
            let mut pairs = Pairs::default();
            names(world, file, |entry| pairs.add(entry));
            pairs
        })
        .collect();
    let mut all = Pairs::default();
    for part in parts {
        part.holders.into_iter().for_each(|symbol| world.holders.set(symbol));
        all.scopes.extend(part.scopes);
        all.members.extend(part.members);
        all.globals.extend(part.globals);
    }
    let (scopes, (members, globals)) = rayon::join(
        || Index::new(all.scopes),
        || (Index::new(all.members), Index::new(all.globals)),
    );
    (world.scopes, world.members, world.globals) = (scopes, members, globals);
}

/// Tells the names that a file defines.
pub(super) fn names(world: &World<'_>, file: u32, mut each: impl FnMut(Entry)) {
    let view = &world.files[file as usize].view;
    let table = &world.tables[file as usize];
    if table.policy.modules == Style::None {
        return;
    }
    let family = table.policy.family;
    for (at, row) in view.symbols.iter().enumerate().skip(1) {
        // Nothing refers to the title of a test by name.
        if row.has(modifier::TITLE) {
            continue;
        }
        let (symbol, name) = (world.global(file, at as u32), key::name(view.str(row.name)));
        let mut add = |scope: Scope| each(Entry { scope, name, symbol });
        let parent = view.symbols[row.parent as usize].kind();
        let stray = is_stray(
            view.str(row.qualified),
            view.str(view.symbols[row.parent as usize].qualified),
            view.str(row.name),
        );
        // Methods of an object literal and of a type elsewhere are not names of the scope around.
        let hidden = stray
            || row.kind() == SymbolKind::Extension
            || row.kind() == SymbolKind::Method
                && (parent.is_callable() || parent == SymbolKind::File);
        if !hidden {
            add(Scope::Symbol(if row.has(modifier::EXPRESSION) {
                symbol
            } else {
                world.global(file, row.parent)
            }));
        }
        if row.has(modifier::LOCAL) || !row.kind().is_code() || row.kind() == SymbolKind::Extension
        {
            continue;
        }
        // What a test's block defines is seen in it alone.
        if view.symbols[row.parent as usize].has(modifier::TITLE) {
            continue;
        }
        if stray
            && parent == SymbolKind::File
            && table.policy.modules == Style::Declared
            && let Some(package) = table.package
        {
            add(Scope::Extension(package));
        }
        // Methods of a module are there for those that mix it in.
        if parent.is_type() || stray || row.kind() == SymbolKind::Method {
            add(Scope::Members(family));
        } else if matches!(parent, SymbolKind::File | SymbolKind::Module | SymbolKind::Namespace) {
            add(Scope::Globals(family));
            let package = match parent {
                SymbolKind::File => table.package,
                _ => namespace(world, file, row.parent),
            };
            if let Some(package) = package {
                add(Scope::Package(package));
            }
        }
    }
}

/// Finds the objects that are named like a package of theirs.
fn package_objects(world: &mut World<'_>) {
    for file in 0..world.files.len() as u32 {
        let (view, table) = (&world.files[file as usize].view, &world.tables[file as usize]);
        if !table.policy.terms_apart {
            continue;
        }
        let objects = view.symbols.iter().enumerate();
        let objects = objects
            .filter(|(_, row)| row.kind() == SymbolKind::Object && row.parent == FILE_SYMBOL);
        for (at, row) in objects {
            let outer = super::modules::normal(view.package_name());
            let dot = if outer.is_empty() { "" } else { "." };
            let full = format!("{outer}{dot}{}", view.str(row.name));
            if let Some(package) = world.modules.package_named(table.policy.family, &full) {
                let symbol = world.global(file, at as u32);
                world.package_objects.entry(package).or_insert(symbol);
                world.object_packages.insert(symbol, package);
            }
        }
    }
}

/// Returns the package that a namespace block stands for.
fn namespace(world: &World<'_>, file: u32, parent: u32) -> Option<u32> {
    let view = &world.files[file as usize].view;
    let policy = world.tables[file as usize].policy;
    has_namespaces(policy.modules)
        .then(|| {
            world
                .modules
                .package_named(policy.family, view.str(view.symbols[parent as usize].qualified))
        })
        .flatten()
}

/// True when the qualified name has a scope that the parent does not explain.
fn is_stray(qualified: &str, parent: &str, name: &str) -> bool {
    scope_text(qualified, parent, name).is_some_and(|scope| !scope.is_empty())
}

/// Returns the type that a declaration outside of it names, where it names one.
fn scope_named<'a>(view: &FactsView<'a>, row: &SymbolRow) -> Option<&'a str> {
    if row.kind() == SymbolKind::Extension {
        return Some(view.str(row.name));
    }
    let parent = view.symbols.get(row.parent as usize)?;
    scope_text(view.str(row.qualified), view.str(parent.qualified), view.str(row.name))
}

/// Returns the part of a qualified name between the parent's and the name.
fn scope_text<'a>(qualified: &'a str, parent: &str, name: &str) -> Option<&'a str> {
    let outer = qualified.strip_suffix(name)?.trim_end_matches('.');
    Some(outer.strip_prefix(parent).unwrap_or(outer).trim_start_matches('.'))
}

/// Finds the types of members that stand outside of them.
fn attach(world: &mut World<'_>) {
    let found: Vec<Vec<(u32, u32)>> = (0..world.files.len() as u32)
        .into_par_iter()
        .map(|file| outer_types(world.seen_from(file)))
        .collect();
    let mut pairs = Vec::new();
    for (symbol, target) in found.into_iter().flatten() {
        world.outer.insert(symbol, target);
        world.holders.set(target);
        pairs.extend(
            attached(world, symbol)
                .into_iter()
                .map(|(name, symbol)| (key::within(u64::from(target), name), symbol)),
        );
    }
    world.attached = Index::new(pairs);
}

/// Tells what a symbol that stands outside of a type adds to it: names and symbols.
pub(super) fn attached(world: &World<'_>, symbol: u32) -> Vec<(u64, u32)> {
    let (file, local) = world.place_of(symbol);
    let view = &world.files[file as usize].view;
    let row = &view.symbols[local as usize];
    if row.kind() != SymbolKind::Extension {
        return vec![(key::name(view.str(row.name)), symbol)];
    }
    let inside = children(view, local);
    inside.map(|(at, row)| (key::name(view.str(row.name)), world.global(file, at))).collect()
}

pub(super) fn outer_types(world: Look<'_, '_>) -> Vec<(u32, u32)> {
    let view = world.own();
    let mut found = Vec::new();
    if world.policy(world.file).modules == Style::None {
        return found;
    }
    let mut resolver = Resolver::new(world);
    for (at, row) in view.symbols.iter().enumerate().skip(1) {
        let scope = scope_named(view, row).unwrap_or("");
        if scope.is_empty() || matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module) {
            continue;
        }
        let symbol = world.global(world.file, at as u32);
        if let Kind::Symbol(target) = resolver.outer_scope(row.parent, scope).kind
            && target != symbol
            && world.local(target) != FILE_SYMBOL
            && world.kind(target) != SymbolKind::Extension
            && !is_only_titled(world, row, target)
        {
            found.push((symbol, target));
        }
    }
    found
}

/// True for a test whose suite is called like the class that it tests: it sees none of its members, as
/// it would those of a fixture, which stands among the tests.
fn is_only_titled(world: Look<'_, '_>, row: &SymbolRow, target: u32) -> bool {
    let home = world.file_of(target);
    row.has(modifier::TEST)
        && world.policy(home).modules == Style::Include
        && !world.is_test(home)
        && !world.has(target, modifier::TEST)
}

/// Gathers what assignments to `self.x` and embedded fields say of a type's fields.
fn fields(world: &mut World<'_>) {
    let mut fields: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
    let mut shared = FxHashMap::default();
    for file in 0..world.files.len() as u32 {
        for (row, owner, name) in assigned_fields(world, file) {
            let key = key::within(u64::from(owner), key::name(name));
            fields.entry(key).or_insert((file, row));
            if world.file_of(owner) != file {
                shared.insert(key, world.file_of(owner));
            }
        }
    }
    world.fields = fields;
    world.shared_fields = shared;
}

/// Returns the bindings of a file that tell of a field: the row, the type and the field's name.
pub(super) fn assigned_fields<'w>(
    world: &'w World<'_>,
    file: u32,
) -> impl Iterator<Item = (u32, u32, &'w str)> {
    let view = &world.files[file as usize].view;
    view.bindings.iter().enumerate().filter_map(move |(at, row)| {
        let name =
            view.str(row.name).strip_prefix("self.").filter(|_| !row.type_text.is_empty())?;
        Some((at as u32, world.seen_from(file).enclosing_type(file, row.owner)?, name))
    })
}

fn supers(world: &mut World<'_>) {
    let found: Vec<Vec<(u32, Supers)>> = (0..world.files.len() as u32)
        .into_par_iter()
        .map(|file| bases(world.seen_from(file)))
        .collect();
    let shared: FxHashSet<u32> = (0..)
        .zip(&found)
        .flat_map(|(file, found)| found.iter().map(move |(owner, _)| (file, *owner)))
        .filter(|&(file, owner)| world.file_of(owner) != file)
        .map(|(_, owner)| owner)
        .collect();
    for (file, (owner, supers)) in (0..)
        .zip(found)
        .flat_map(|(file, found)| found.into_iter().map(move |supers| (file, supers)))
    {
        if shared.contains(&owner) {
            world.shared_bases.entry(owner).or_default().push((file, supers.clone()));
        }
        world.supers.entry(owner).or_default().join(supers);
    }
}

pub(super) fn bases(world: Look<'_, '_>) -> Vec<(u32, Supers)> {
    let view = world.own();
    let mut found: Vec<(u32, Supers)> = Vec::new();
    if view.bases.is_empty() || world.policy(world.file).modules == Style::None {
        return found;
    }
    let mut resolver = Resolver::new(world);
    for row in view.bases {
        let owner = world.global(world.file, row.owner);
        // The bases of an `impl` block are those of its type.
        let owner = world.extended(owner);
        let value = resolver.base(row);
        let slot = match found.iter_mut().find(|(symbol, _)| *symbol == owner) {
            Some((_, slot)) => slot,
            None => {
                found.push((owner, Supers::default()));
                &mut found.last_mut().expect("just pushed").1
            }
        };
        match value.kind {
            Kind::Symbol(target) if target != owner && is_base(world, target) => {
                slot.found.push(Super {
                    target,
                    kind: declared_kind(world, owner, target, row.kind),
                    line: row.line,
                    sure: if world.has(target, modifier::SPECIALIZED) {
                        value.sure.min(sure::TWIN)
                    } else {
                        value.sure
                    },
                })
            }
            _ => slot.open = true,
        }
    }
    found
}

fn is_base(world: Look<'_, '_>, target: u32) -> bool {
    let kind = world.kind(target);
    kind.is_type()
        || matches!(
            kind,
            SymbolKind::Module
                | SymbolKind::Namespace
                | SymbolKind::Constant
                | SymbolKind::Variable
        ) && world.local(target) != FILE_SYMBOL
}

/// A list that does not tell classes from interfaces is told by what the base is.
fn declared_kind(world: Look<'_, '_>, owner: u32, target: u32, written: u8) -> u8 {
    let is_interface =
        |symbol: u32| matches!(world.kind(symbol), SymbolKind::Interface | SymbolKind::Trait);
    if written == base_kind::EXTENDS && is_interface(target) && !is_interface(owner) {
        base_kind::IMPLEMENTS
    } else {
        written
    }
}
