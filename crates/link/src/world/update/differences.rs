//! What others see of a file, held against what they saw before.

use super::Update;
use crate::change::Change;
use crate::key;
use crate::reads::{Asked, Changed, Numbers};
use crate::world::World;
use crate::world::build::{self, Entry, Pairs, Scope};
use crate::world::look::{
    FEW, FEW_DOCUMENTED, constructors, default_export, is_shown, owned_bindings,
};
use contextd_model::facts::{FactsView, NONE, SymbolRow};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the keys that only one of two maps has, or whose values are not the same.
pub fn differing<'m, K: Ord, V: PartialEq>(
    before: &'m BTreeMap<K, V>,
    now: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = &'m K> {
    let gone = before.iter().filter(|(key, value)| now.get(key) != Some(value));
    let come = now.keys().filter(|key| !before.contains_key(key));
    gone.map(|(key, _)| key).chain(come)
}

/// Names that files define, with lasting numbers instead of those of symbols.
#[derive(Default)]
pub struct Names {
    found: BTreeMap<(Lasting, u64), BTreeSet<u64>>,
    /// How many members of a name the tables hold for all files.
    members: BTreeMap<(u8, u64), usize>,
    /// What documents may mean by the names of symbols.
    documented: BTreeMap<u64, Vec<u64>>,
}

/// Where a name is found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lasting {
    Symbol(u64),
    Other(Scope),
}

impl Names {
    /// Takes up the names of a file, with what the tables hold of them now; `pairs` are what the file adds there.
    pub fn gather(&mut self, world: &World<'_>, file: u32, pairs: &mut Pairs) {
        build::names(world, file, |entry| {
            let Entry { scope, name, symbol } = entry;
            pairs.add(entry);
            let place = match scope {
                Scope::Symbol(holder) => Lasting::Symbol(world.lasting(holder)),
                other => Lasting::Other(other),
            };
            self.found.entry((place, name)).or_default().insert(world.lasting(symbol));
            if let Scope::Members(family) = scope {
                self.members
                    .entry((family, name))
                    .or_insert_with(|| world.members_named(family, name).len());
            }
        });
    }

    /// Takes up what documents may mean by names.
    pub fn gather_documented(&mut self, world: &World<'_>, names: &BTreeSet<u64>) {
        for &name in names {
            self.documented.insert(
                name,
                world.documented(name).into_iter().map(|symbol| world.lasting(symbol)).collect(),
            );
        }
    }

    /// Tells which names documents may mean something else by.
    pub fn tell_documented(&self, now: &Names, told: &mut Changed) {
        for name in differing(&self.documented, &now.documented) {
            told.add(Asked::documented(*name));
            let is_few = |names: &Names| {
                names.documented.get(name).is_none_or(|found| found.len() <= FEW_DOCUMENTED)
            };
            if is_few(self) || is_few(now) {
                told.add(Asked::few_documented(*name));
            }
        }
    }

    /// Tells which names lead elsewhere. Both were gathered before the tables changed, which have the new names by now.
    pub fn tell(&self, now: &Names, world: &World<'_>, told: &mut Changed) {
        for &(place, name) in differing(&self.found, &now.found) {
            match place {
                Lasting::Symbol(holder) => told.add(Asked::scope(holder, name)),
                Lasting::Other(Scope::Package(package)) => told.add(Asked::package(package, name)),
                Lasting::Other(Scope::Extension(package)) => {
                    told.add(Asked::extension(package, name))
                }
                Lasting::Other(Scope::Globals(family)) => told.add(Asked::globals(family, name)),
                Lasting::Other(Scope::Members(family)) => {
                    told.add(Asked::members(family, name));
                    let were =
                        self.members.get(&(family, name)).or(now.members.get(&(family, name)));
                    if were.is_none_or(|&were| were <= FEW)
                        || world.members_named(family, name).len() <= FEW
                    {
                        told.add(Asked::few_members(family, name));
                    }
                }
                Lasting::Other(Scope::Symbol(_)) => unreachable!("symbols have lasting numbers"),
            }
        }
    }
}

impl Update<'_, '_> {
    /// Tells what others see differently of a changed file beside its names.
    pub fn compare(
        &mut self,
        file: u32,
        old: &FactsView<'_>,
        same: &[bool],
        aliases: &[(u64, u32)],
        wildcards: &[u32],
    ) {
        let (new, table) =
            (self.world.files[file as usize].view, &self.world.tables[file as usize]);
        let Some(change) = self.changes.get(&file) else { return };
        let (before, now) = (
            View { view: old, numbers: &self.before, file },
            View { view: &new, numbers: &self.world.numbers, file },
        );
        for (&same, at) in same.iter().zip(0..) {
            let symbol = before.lasting(at);
            let stays = change.row(at);
            if !same {
                self.told.add(Asked::row(symbol));
            }
            if !before
                .lasting_all(constructors(old, at))
                .eq(stays.into_iter().flat_map(|to| now.lasting_all(constructors(&new, to))))
            {
                self.told.add(Asked::constructors(symbol));
            }
        }
        for &name in differing(&before.imports(aliases), &now.imports(&table.aliases)) {
            self.told.add(Asked::import(file, name));
        }
        if !wildcards
            .iter()
            .map(|&row| before.import(row))
            .eq(table.wildcards.iter().map(|&row| now.import(row)))
        {
            self.told.add(Asked::wildcards(file));
        }
        if default_export(old).map(|at| before.lasting(at))
            != default_export(&new).map(|at| now.lasting(at))
        {
            self.told.add(Asked::default_export(file));
        }
    }
}

/// Tells by old row whether others read the same of it now.
pub fn same_rows(old: &FactsView<'_>, new: &FactsView<'_>, change: &Change) -> Vec<bool> {
    (0..old.symbols.len() as u32)
        .map(|at| change.row(at).is_some_and(|to| is_same(old, at, new, to, change)))
        .collect()
}

/// Returns the names of symbols that came, went or are others, or stand in others: all that may be found in other places.
pub fn touched_names(
    old: &FactsView<'_>,
    new: &FactsView<'_>,
    change: &Change,
    same: &[bool],
) -> BTreeSet<u64> {
    let origins = change.origins();
    let stays = |to: u32| {
        origins.get(to as usize).is_none_or(|origin| origin.is_some_and(|at| same[at as usize]))
    };
    let is_quiet = |to: u32| stays(to) && stays(new.symbols[to as usize].parent);
    let gone = old
        .symbols
        .iter()
        .zip(0..)
        .filter(|(_, at)| change.row(*at).is_none_or(|to| !is_quiet(to)));
    let come = new.symbols.iter().zip(0..).filter(|(_, to)| !is_quiet(*to));
    gone.map(|(row, _)| key::name(old.str(row.name)))
        .chain(come.map(|(row, _)| key::name(new.str(row.name))))
        .collect()
}

/// The facts of a version of a file and its lasting numbers.
struct View<'v> {
    view: &'v FactsView<'v>,
    numbers: &'v Numbers,
    file: u32,
}

/// An import: its kind, where it stands, module, name and alias.
type Import<'v> = (u8, u64, [&'v str; 3]);

impl<'v> View<'v> {
    fn lasting(&self, local: u32) -> u64 {
        self.numbers.of(self.file, local)
    }

    fn lasting_all(&self, rows: impl Iterator<Item = u32>) -> impl Iterator<Item = u64> {
        rows.map(|at| self.lasting(at))
    }

    fn import(&self, row: u32) -> Import<'v> {
        let import = &self.view.imports[row as usize];
        (
            import.kind,
            self.lasting(import.owner),
            [import.module, import.name, import.alias].map(|id| self.view.str(id)),
        )
    }

    /// Returns the imports by the name that they bind.
    fn imports(&self, aliases: &[(u64, u32)]) -> BTreeMap<u64, Vec<Import<'v>>> {
        let mut imports: BTreeMap<u64, Vec<Import<'v>>> = BTreeMap::new();
        for &(name, row) in aliases {
            imports.entry(name).or_default().push(self.import(row));
        }
        imports
    }
}

/// True when others read the same of both versions of a symbol.
fn is_same(old: &FactsView<'_>, at: u32, new: &FactsView<'_>, to: u32, change: &Change) -> bool {
    let (before, now) = (&old.symbols[at as usize], &new.symbols[to as usize]);
    let texts = |view: &FactsView<'_>, row: &SymbolRow| {
        [row.name, row.qualified, row.type_text, row.generics, row.annotations]
            .map(|id| key::name(view.str(id)))
    };
    let parent = if before.parent == NONE { Some(NONE) } else { change.row(before.parent) };
    (before.kind, before.visibility, before.modifiers, before.parameters)
        == (now.kind, now.visibility, now.modifiers, now.parameters)
        && parent == Some(now.parent)
        && texts(old, before) == texts(new, now)
        && shown_bindings(old, at).eq(shown_bindings(new, to))
}

/// Returns what others read of the bindings of a row.
fn shown_bindings<'v>(
    view: &'v FactsView<'v>,
    at: u32,
) -> impl Iterator<Item = (u8, u8, u16, [&'v str; 2])> {
    let owner = &view.symbols[at as usize];
    let shown = owned_bindings(view, at).filter(|(_, bound)| is_shown(owner, bound));
    shown.map(|(_, bound)| {
        (
            bound.how,
            bound.position,
            bound.flags,
            [bound.name, bound.type_text].map(|id| view.str(id)),
        )
    })
}
