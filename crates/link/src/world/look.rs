//! A world as one file reads it while it is linked.
//!
//! Whatever a file asks of the others goes through here and nowhere else, so that it can be noted: after a change exactly
//! the files are linked again that asked for what is different (see [`crate::reads`]). What only depends on the paths and
//! the packages of all files is not noted: when those change, everything is linked again. Nor is what a file asks of
//! itself; it is linked again when its own facts change, and when what others make of its symbols does.

use super::{FileTable, Module, Super, Supers, World};
use crate::key;
use crate::policy::Policy;
use crate::reads::{Asked, Seen};
use contextd_model::facts::{
    BindingRow, FILE_SYMBOL, FactsView, ImportRow, NONE, SymbolRow, modifier,
};
use contextd_model::{StrId, SymbolKind};

/// The world, and who looks at it.
#[derive(Clone, Copy)]
pub struct Look<'w, 'f> {
    world: &'w World<'f>,
    pub file: u32,
    seen: Option<&'w Seen>,
}

impl<'w, 'f> Look<'w, 'f> {
    pub(super) fn new(world: &'w World<'f>, file: u32, seen: Option<&'w Seen>) -> Self {
        Self { world, file, seen }
    }

    #[inline(always)]
    fn note(self, asked: impl FnOnce() -> Asked) {
        if let Some(seen) = self.seen {
            keep(seen, asked);
        }
    }

    /// Notes what is asked of a symbol of another file.
    #[inline(always)]
    fn note_of(self, symbol: u32, asked: impl FnOnce(u64) -> Asked) {
        if let Some(seen) = self.seen
            && self.world.file_of(symbol) != self.file
        {
            keep(seen, || asked(self.world.lasting(symbol)));
        }
    }

    #[inline(always)]
    fn table(self, file: u32) -> &'w FileTable {
        &self.world.tables[file as usize]
    }

    #[inline(always)]
    fn view(self, file: u32) -> &'w FactsView<'f> {
        &self.world.files[file as usize].view
    }

    /// Returns the facts of the file itself.
    #[inline(always)]
    pub fn own(self) -> &'w FactsView<'f> {
        self.view(self.file)
    }

    pub fn path(self, file: u32) -> &'f str {
        self.world.files[file as usize].path
    }

    /// Returns a text that a row of a file refers to.
    #[inline(always)]
    pub fn text(self, file: u32, id: StrId) -> &'f str {
        self.view(file).str(id)
    }

    pub fn package_name(self, file: u32) -> &'f str {
        self.view(file).package_name()
    }

    #[inline(always)]
    pub fn policy(self, file: u32) -> &'static Policy {
        self.table(file).policy
    }

    pub fn package(self, file: u32) -> Option<u32> {
        self.table(file).package
    }

    pub fn is_test(self, file: u32) -> bool {
        self.table(file).is_test
    }

    pub fn source_set(self, file: u32) -> u32 {
        self.table(file).source_set
    }

    pub fn sees(self, from: u32, file: u32) -> bool {
        self.world.sees(from, file)
    }

    pub fn package_file(self, from: u32, package: u32) -> Option<u32> {
        self.world.package_file(from, package)
    }

    pub fn package_named(self, family: u8, name: &str) -> Option<u32> {
        self.world.modules.package_named(family, name)
    }

    pub fn package_inside(self, package: u32, name: &str) -> Option<u32> {
        self.world.modules.package_inside(package, name)
    }

    /// Returns the object that holds what a package defines beside its types.
    pub fn package_object(self, package: u32) -> Option<u32> {
        self.world.package_objects.get(&package).copied()
    }

    /// Returns the package that an object is named like.
    pub fn object_package(self, symbol: u32) -> Option<u32> {
        self.world.object_packages.get(&symbol).copied()
    }

    /// Resolves the text of an import that stands in a file.
    pub fn module_named(self, file: u32, text: &str) -> Module {
        self.world.modules.resolve(&self.world.files, file, text)
    }

    /// Returns the module of that name below another.
    pub fn module_below(self, module: Module, name: &str) -> Option<Module> {
        self.world.modules.child(&self.world.files, module, name)
    }

    #[inline(always)]
    pub fn file_of(self, symbol: u32) -> u32 {
        self.world.file_of(symbol)
    }

    /// Returns a symbol's row number in its file.
    #[inline(always)]
    pub fn local(self, symbol: u32) -> u32 {
        self.world.local(symbol)
    }

    #[inline(always)]
    pub fn global(self, file: u32, local: u32) -> u32 {
        self.world.global(file, local)
    }

    /// Returns a symbol's row. Of other files, places in the text are not to be read.
    #[inline(always)]
    pub fn row(self, symbol: u32) -> &'f SymbolRow {
        self.note_of(symbol, Asked::row);
        self.world.row(symbol)
    }

    #[inline(always)]
    pub fn row_at(self, file: u32, local: u32) -> Option<&'f SymbolRow> {
        let row = self.view(file).symbols.get(local as usize)?;
        self.note_of(self.global(file, local), Asked::row);
        Some(row)
    }

    #[inline(always)]
    pub fn kind(self, symbol: u32) -> SymbolKind {
        self.note_of(symbol, Asked::row);
        self.world.kind(symbol)
    }

    /// True when a symbol has any of the modifiers.
    #[inline(always)]
    pub fn has(self, symbol: u32, modifiers: u32) -> bool {
        self.note_of(symbol, Asked::row);
        self.world.has(symbol, modifiers)
    }

    #[inline(always)]
    pub fn name_of(self, symbol: u32) -> &'f str {
        self.text(self.file_of(symbol), self.row(symbol).name)
    }

    pub fn qualified(self, symbol: u32) -> &'f str {
        self.text(self.file_of(symbol), self.row(symbol).qualified)
    }

    /// Counts the type parameters of a type.
    pub fn arity(self, symbol: u32) -> u8 {
        crate::types::count(self.text(self.file_of(symbol), self.row(symbol).generics))
    }

    /// Returns the bindings that a symbol owns, with their numbers; of other files those that others see.
    pub fn bindings_of(self, symbol: u32) -> impl Iterator<Item = (u32, &'f BindingRow)> {
        let (file, row) = (self.file_of(symbol), self.row(symbol));
        let (is_own, view, local) = (file == self.file, self.view(file), self.local(symbol));
        owned_bindings(view, local).filter(move |(_, bound)| is_own || is_shown(row, bound))
    }

    /// Returns a binding whose number was found here.
    #[inline(always)]
    pub fn binding(self, file: u32, row: u32) -> &'f BindingRow {
        &self.view(file).bindings[row as usize]
    }

    /// Returns the methods right inside a type of the file itself, by its row.
    pub fn own_methods(self, local: u32) -> impl Iterator<Item = u32> {
        let methods =
            children(self.own(), local).filter(|(_, row)| row.kind() == SymbolKind::Method);
        methods.map(move |(at, _)| self.global(self.file, at))
    }

    /// Returns the constructors right inside a type.
    pub fn constructors(self, symbol: u32) -> impl Iterator<Item = u32> {
        self.note_of(symbol, Asked::constructors);
        let (file, local) = self.world.place_of(symbol);
        constructors(self.view(file), local).map(move |at| self.global(file, at))
    }

    /// Returns the import rows of a file that bind a name.
    #[inline(always)]
    pub fn imports_of(self, file: u32, name: u64) -> impl Iterator<Item = u32> + use<'w> {
        if file != self.file {
            self.note(|| Asked::import(file, name));
        }
        self.table(file).imports_of(name)
    }

    /// Returns the import rows of a file that bring in all names of a module.
    pub fn wildcards(self, file: u32) -> &'w [u32] {
        if file != self.file {
            self.note(|| Asked::wildcards(file));
        }
        &self.table(file).wildcards
    }

    /// Returns an import whose number was found here.
    #[inline(always)]
    pub fn import(self, file: u32, row: u32) -> &'f ImportRow {
        &self.view(file).imports[row as usize]
    }

    /// Returns the module of an import whose number was found here.
    #[inline(always)]
    pub fn module(self, file: u32, row: u32) -> Module {
        self.table(file).modules[row as usize]
    }

    /// Returns what a file exports by default.
    pub fn default_export(self, file: u32) -> Option<u32> {
        if file != self.file {
            self.note(|| Asked::default_export(file));
        }
        default_export(self.view(file)).map(|at| self.global(file, at))
    }

    /// Returns what a scope holds under a name: children first, then what is attached from outside.
    #[inline(always)]
    pub fn in_scope(self, symbol: u32, name: u64) -> &'w [u32] {
        self.note_of(symbol, |symbol| Asked::scope(symbol, name));
        self.world.in_scope(symbol, name)
    }

    /// Returns what is attached to a type from outside under a name.
    pub fn attached_to(self, symbol: u32, name: u64) -> &'w [u32] {
        self.note_of(symbol, |symbol| Asked::scope(symbol, name));
        self.world.attached.get(key::within(u64::from(symbol), name))
    }

    #[inline(always)]
    pub fn in_package(self, package: u32, name: u64) -> &'w [u32] {
        self.note(|| Asked::package(package, name));
        self.world.scopes.get(key::within(key::package_scope(package), name))
    }

    /// Returns what a package adds to types from outside of them under a name.
    pub fn extensions_in(self, package: u32, name: u64) -> &'w [u32] {
        self.note(|| Asked::extension(package, name));
        self.world.scopes.get(key::within(key::extension_scope(package), name))
    }

    /// Returns the members of types of a family that have a name.
    pub fn members_named(self, family: u8, name: u64) -> &'w [u32] {
        self.note(|| Asked::members(family, name));
        self.world.members_named(family, name)
    }

    /// Returns the members of types of a family that have a name; `None` when they are too many to tell apart.
    pub fn few_members_named(self, family: u8, name: u64) -> Option<&'w [u32]> {
        self.note(|| Asked::few_members(family, name));
        Some(self.world.members_named(family, name)).filter(|found| found.len() <= FEW)
    }

    /// Returns the file-level symbols of a family that have a name.
    pub fn globals_named(self, family: u8, name: u64) -> &'w [u32] {
        self.note(|| Asked::globals(family, name));
        self.world.globals.get(key::within(key::family_scope(family), name))
    }

    /// Returns the symbols that a document may mean by a name.
    pub fn documented(self, name: u64) -> Vec<u32> {
        self.note(|| Asked::documented(name));
        self.world.documented(name)
    }

    /// Returns the symbols that a document may mean by a name; `None` when they are too many to be meant.
    pub fn few_documented(self, name: u64) -> Option<Vec<u32>> {
        self.note(|| Asked::few_documented(name));
        Some(self.world.documented(name)).filter(|found| found.len() <= FEW_DOCUMENTED)
    }

    /// Returns where a field of a type is assigned: the file and the row of the binding.
    pub fn field_binding(self, owner: u32, name: u64) -> Option<(u32, u32)> {
        self.note_of(owner, |owner| Asked::field(owner, name));
        self.world.fields.get(&key::within(u64::from(owner), name)).copied()
    }

    /// Returns the type of a member or extension that stands outside of it.
    #[inline(always)]
    pub fn outer(self, symbol: u32) -> Option<u32> {
        self.note_of(symbol, Asked::outer);
        self.world.outer.get(&symbol).copied()
    }

    /// Returns the type that a block adds to from outside; else the symbol itself, also a type that stands outside of another.
    pub fn extended(self, symbol: u32) -> u32 {
        if self.kind(symbol) == SymbolKind::Extension {
            self.outer(symbol).unwrap_or(symbol)
        } else {
            symbol
        }
    }

    /// Returns the bases of a type, where it names any.
    #[inline(always)]
    pub fn supers(self, symbol: u32) -> Option<&'w Supers> {
        self.note_of(symbol, Asked::supers);
        self.world.supers.get(&symbol)
    }

    /// Returns the bases of a type that were found.
    pub fn bases(self, symbol: u32) -> &'w [Super] {
        self.supers(symbol).map_or(&[][..], |supers| &supers.found)
    }

    /// Returns the interfaces that a type satisfies by its methods alone.
    pub fn satisfied(self, symbol: u32) -> &'w [u32] {
        self.note_of(symbol, Asked::satisfied);
        self.world.satisfied.get(&symbol).map_or(&[][..], Vec::as_slice)
    }

    /// Returns the type around a row of a file: its own scope, or the type it is attached to.
    pub fn enclosing_type(self, file: u32, owner: u32) -> Option<u32> {
        let mut at = owner;
        for _ in 0..64 {
            if at == FILE_SYMBOL || at == NONE {
                return None;
            }
            let row = self.row_at(file, at)?;
            let symbol = self.global(file, at);
            if row.kind().is_type() {
                return Some(self.extended(symbol));
            }
            if let Some(outer) = self.outer(symbol) {
                return Some(outer);
            }
            // An object literal's methods see the object as `this`.
            if matches!(row.kind(), SymbolKind::Variable | SymbolKind::Constant) && at != owner {
                return Some(symbol);
            }
            at = row.parent;
        }
        None
    }
}

/// Most linking is done without notes: what it takes to make one stays out of the way.
#[cold]
#[inline(never)]
fn keep(seen: &Seen, asked: impl FnOnce() -> Asked) {
    seen.note(asked());
}

/// Members of one name that can be told apart.
pub const FEW: usize = 40;
/// Symbols that one mention in a document may mean.
pub const FEW_DOCUMENTED: usize = 8;

/// Returns the bindings that a row of a file owns, with their numbers.
pub fn owned_bindings<'f>(
    view: &FactsView<'f>,
    owner: u32,
) -> impl Iterator<Item = (u32, &'f BindingRow)> + use<'f> {
    let bindings = view.bindings;
    let start = bindings.partition_point(|bound| bound.owner < owner);
    bindings[start..]
        .iter()
        .take_while(move |bound| bound.owner == owner)
        .enumerate()
        .map(move |(at, bound)| ((start + at) as u32, bound))
}

/// True for a binding that other files see of its owner: parameters, the receiver, and the value of a variable or member.
pub fn is_shown(owner: &SymbolRow, bound: &BindingRow) -> bool {
    use contextd_model::facts::binding;
    matches!(bound.how, binding::PARAMETER | binding::RECEIVER)
        || bound.name == owner.name && !owner.kind().is_callable()
}

/// Returns the rows right inside another one, with their numbers.
pub fn children<'f>(
    view: &FactsView<'f>,
    parent: u32,
) -> impl Iterator<Item = (u32, &'f SymbolRow)> + use<'f> {
    let below = view
        .symbols
        .iter()
        .enumerate()
        .skip(parent as usize + 1)
        .take_while(move |(_, row)| row.parent >= parent);
    below.filter(move |(_, row)| row.parent == parent).map(|(at, row)| (at as u32, row))
}

/// Returns what makes objects of a type, right inside its row.
pub fn constructors<'f>(view: &FactsView<'f>, parent: u32) -> impl Iterator<Item = u32> + use<'f> {
    let (view, names) = (*view, crate::policy::of(view.language).constructors);
    let is_constructor = move |row: &SymbolRow| {
        row.kind() == SymbolKind::Constructor
            || row.kind() == SymbolKind::Method && names.contains(&view.str(row.name))
    };
    children(&view, parent).filter(move |(_, row)| is_constructor(row)).map(|(at, _)| at)
}

/// Returns the row that a file exports by default.
pub fn default_export(view: &FactsView<'_>) -> Option<u32> {
    let is_default = |row: &SymbolRow| {
        row.parent == FILE_SYMBOL && row.has(modifier::DEFAULT) && row.has(modifier::EXPORTED)
    };
    view.symbols.iter().position(is_default).map(|at| at as u32)
}
