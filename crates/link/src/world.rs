//! What files show to one another, gathered once before files are linked.

mod build;
mod implements;
mod look;
pub mod modules;
mod reading;
mod update;

pub use look::{FEW, FEW_DOCUMENTED, Look};
pub use modules::Module;

use crate::LinkFile;
use crate::key::{self, Index, Marks};
use crate::policy::{self, Policy};
use crate::reads::{Numbers, Seen};
use contextd_model::SymbolKind;
use contextd_model::facts::{SymbolRow, modifier};
use modules::ModuleTable;
use rustc_hash::FxHashMap;

/// A base type that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Super {
    pub target: u32,
    /// A `facts::base_kind`.
    pub kind: u8,
    pub line: u32,
    /// Percent.
    pub sure: u8,
}

/// The bases of a type.
#[derive(Clone, Debug, Default)]
pub struct Supers {
    pub found: Vec<Super>,
    /// Some base is outside of the repository, so members may come from there.
    pub open: bool,
}

impl Supers {
    /// Takes up what another file says.
    fn join(&mut self, more: Supers) {
        self.open |= more.open;
        self.found.extend(more.found);
    }
}

/// What is looked up of one file again and again.
pub struct FileTable {
    pub policy: &'static Policy,
    pub package: Option<u32>,
    /// The module of each import row.
    pub modules: Vec<Module>,
    /// Import rows by the key of the name they bind, sorted.
    pub aliases: Vec<(u64, u32)>,
    /// Import rows that bring in all names of a module.
    pub wildcards: Vec<u32>,
    pub is_test: bool,
    /// 0 for none, [`COMMON_SOURCES`] for what all platforms share, others for those of a platform.
    pub source_set: u32,
}

/// The set of sources that all platforms share.
pub const COMMON_SOURCES: u32 = 1;

impl FileTable {
    /// Returns the import rows that bind a name.
    pub fn imports_of(&self, name: u64) -> impl Iterator<Item = u32> + '_ {
        let start = self.aliases.partition_point(|&(key, _)| key < name);
        self.aliases[start..].iter().take_while(move |&&(key, _)| key == name).map(|&(_, row)| row)
    }
}

/// Global tables over the interfaces of all files.
pub struct World<'f> {
    files: Vec<LinkFile<'f>>,
    tables: Vec<FileTable>,
    modules: ModuleTable,
    /// Number of each file's first symbol, and the total at the end.
    first: Vec<u32>,
    file_of: Vec<u32>,
    /// Kind and modifiers of every symbol, which are asked for far more often than the rest of its row.
    briefs: Vec<Brief>,
    scopes: Index,
    /// Members that stand outside of their type: Go methods, `impl` blocks, prototypes.
    attached: Index,
    /// Symbols that hold something in `scopes` or `attached`: most functions do not.
    holders: Marks,
    /// Members of types by family and name.
    members: Index,
    /// File-level symbols by family and name.
    globals: Index,
    /// The type of a member or extension that stands outside of it.
    outer: FxHashMap<u32, u32>,
    /// The object that holds what a package defines beside its types, by package.
    package_objects: FxHashMap<u32, u32>,
    /// The package of each such object.
    object_packages: FxHashMap<u32, u32>,
    supers: FxHashMap<u32, Supers>,
    /// The first file of a package in each of its source sets.
    set_files: FxHashMap<(u32, u32), u32>,
    /// Bindings `self.x` by type and name: file and row.
    fields: FxHashMap<u64, (u32, u32)>,
    /// Interfaces that a type satisfies by its methods alone.
    satisfied: FxHashMap<u32, Vec<u32>>,
    /// What each file says of the bases of types that others than their own say something of.
    shared_bases: FxHashMap<u32, Vec<(u32, Supers)>>,
    /// Fields, by type and name, that another file than the type's assigns, with the type's.
    shared_fields: FxHashMap<u64, u32>,
    numbers: Numbers,
}

/// What is asked of symbols most often.
#[derive(Clone, Copy)]
struct Brief {
    kind: SymbolKind,
    modifiers: u32,
}

impl Brief {
    fn of(row: &SymbolRow) -> Self {
        Self { kind: row.kind(), modifiers: row.modifiers }
    }
}

impl<'f> World<'f> {
    /// Gathers the tables; `files` are in global order.
    pub fn build(files: &[LinkFile<'f>]) -> Self {
        build::build(files, |_| 0)
    }

    /// Gathers the tables with numbers to spare behind the symbols of every file, so that a file may have more of them
    /// later. Symbols are then numbered in the order of all, but with gaps.
    pub fn build_with_room(files: &[LinkFile<'f>]) -> Self {
        build::build(files, |symbols| symbols / 8 + 16)
    }

    /// Returns the file of a symbol and its row there.
    #[inline]
    pub fn place_of(&self, symbol: u32) -> (u32, u32) {
        (self.file_of(symbol), self.local(symbol))
    }

    /// Returns how many numbers there are for symbols.
    pub fn symbol_count(&self) -> u32 {
        self.first.last().copied().unwrap_or(0)
    }

    /// Returns the number of each file's first symbol, and the total at the end.
    pub(crate) fn first_symbols(&self) -> &[u32] {
        &self.first
    }

    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    #[inline]
    fn file_of(&self, symbol: u32) -> u32 {
        self.file_of[symbol as usize]
    }

    /// Returns the file that stands for a package where another imports it: of the same source set, of
    /// the one that all platforms share, else any that can be seen.
    fn package_file(&self, from: u32, package: u32) -> Option<u32> {
        let set = self.tables[from as usize].source_set;
        let of_set = |set: u32| self.set_files.get(&(package, set)).copied();
        let shared = (set != 0).then(|| of_set(set).or_else(|| of_set(COMMON_SOURCES))).flatten();
        shared.or_else(|| self.modules.package_file(package).filter(|&file| self.sees(from, file)))
    }

    /// True when a file may use what another defines: what all platforms share knows none of them.
    fn sees(&self, from: u32, file: u32) -> bool {
        let set = |file: u32| self.tables[file as usize].source_set;
        set(from) != COMMON_SOURCES || set(file) <= COMMON_SOURCES
    }

    #[inline]
    fn row(&self, symbol: u32) -> &'f SymbolRow {
        let file = self.file_of(symbol) as usize;
        &self.files[file].view.symbols[(symbol - self.first[file]) as usize]
    }

    /// Returns a symbol's row number in its file.
    #[inline]
    fn local(&self, symbol: u32) -> u32 {
        symbol - self.first[self.file_of(symbol) as usize]
    }

    #[inline]
    fn global(&self, file: u32, local: u32) -> u32 {
        self.first[file as usize] + local
    }

    #[inline]
    fn kind(&self, symbol: u32) -> SymbolKind {
        self.briefs[symbol as usize].kind
    }

    /// True when a symbol has any of the modifiers.
    #[inline]
    fn has(&self, symbol: u32, modifiers: u32) -> bool {
        self.briefs[symbol as usize].modifiers & modifiers != 0
    }

    /// Returns what a scope holds under a name: children first, then what is attached from outside.
    #[inline]
    fn in_scope(&self, symbol: u32, name: u64) -> &[u32] {
        if !self.holders.has(symbol) {
            return &[];
        }
        let key = key::within(u64::from(symbol), name);
        let found = self.scopes.get(key);
        if found.is_empty() { self.attached.get(key) } else { found }
    }

    fn members_named(&self, family: u8, name: u64) -> &[u32] {
        self.members.get(key::within(key::family_scope(family), name))
    }

    /// Returns the symbols of a name that documents may mean, whatever their language.
    fn documented(&self, name: u64) -> Vec<u32> {
        let globals =
            |family: u8| self.globals.get(key::within(key::family_scope(family), name)).iter();
        let named = policy::families()
            .flat_map(|family| globals(family).chain(self.members_named(family, name)));
        let is_meant = |&symbol: &u32| {
            self.kind(symbol).is_code()
                && !self.has(symbol, modifier::LOCAL | modifier::TEST)
                && !self.tables[self.file_of(symbol) as usize].is_test
        };
        let mut found: Vec<u32> = named.copied().filter(is_meant).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns a number of a symbol that stays its own when rows move.
    fn lasting(&self, symbol: u32) -> u64 {
        let (file, local) = self.place_of(symbol);
        self.numbers.of(file, local)
    }

    /// Returns the world as a file sees it.
    fn seen_from(&self, file: u32) -> Look<'_, 'f> {
        Look::new(self, file, None)
    }

    /// Returns the world as a file sees it whose questions are noted.
    fn noted_from<'w>(&'w self, file: u32, seen: &'w Seen) -> Look<'w, 'f> {
        Look::new(self, file, Some(seen))
    }
}
