//! A world after edits: what changed files and those that asked for what changed add to the tables is made again.
//!
//! Each phase of building is run for those files alone, with the tables as that phase finds them. What a phase makes
//! different is held against what files asked in the next ones, and in the end against what they asked for their edges.

mod differences;

use super::build::{self, Pairs};
use super::modules::is_manifest;
use super::modules::packages::has_namespaces;
use super::{Brief, Supers, World, implements};
use crate::change::Change;
use crate::key;
use crate::policy::{self, Modules as Style};
use crate::reads::{Asked, Changed, Numbers, Questions, Reads};
use contextd_model::SymbolKind;
use contextd_model::facts::{FactsView, modifier};
use differences::{Names, differing, same_rows, touched_names};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Files in the order of their numbers.
type Files = BTreeSet<u32>;

impl<'f> World<'f> {
    /// Puts new facts in place of those of some files, and tells which files lead elsewhere now or may do so. `None` when
    /// that may be all of them, when a file's numbers do not suffice, or when it takes `reads` to tell and there are none.
    pub fn with_facts(
        mut self,
        changed: &[(usize, FactsView<'f>)],
        reads: Option<&mut Reads>,
    ) -> Option<(Self, Vec<u32>)> {
        if let Some(reads) = &reads {
            self.numbers = reads.numbers().clone();
        }
        let before = self.numbers.clone();
        let mut update = Update {
            world: &mut self,
            changes: BTreeMap::new(),
            before,
            reads,
            told: Changed::default(),
            all: Changed::default(),
            files: Files::new(),
            owners: Files::new(),
            again: Files::new(),
        };
        let parts = update.put(changed)?;
        update.find_types(parts)?;
        update.find_bases()?;
        update.find_interfaces()?;
        let again = update.finish()?;
        Some((self, again))
    }
}

struct Update<'u, 'f> {
    world: &'u mut World<'f>,
    changes: BTreeMap<u32, Change>,
    /// Lasting numbers of symbols before.
    before: Numbers,
    reads: Option<&'u mut Reads>,
    /// Questions with other answers, which files were not held against yet.
    told: Changed,
    /// All such questions.
    all: Changed,
    /// Files whose share in the tables is made again.
    files: Files,
    /// Files of types that others say something else of: they did not ask, it is theirs.
    owners: Files,
    /// Files whose own symbols others, or they themselves, say something else of: their edges are made again.
    again: Files,
}

/// What a file adds to the tables of types and fields. Symbols have the numbers they had.
struct Part {
    /// Members outside of their types, with these.
    outer: Vec<(u32, u32)>,
    /// What that adds to the types: type, name and symbol.
    attached: Vec<(u32, u64, u32)>,
    /// Fields that are assigned: type, name, and what is said of them.
    fields: Vec<(u32, u64, Told)>,
}

/// What an assignment tells of a field: how, a type or an expression, and where that stands.
type Told = (u8, String, u64);

/// What is told of fields, by their owner and the key of their name.
type Fields = BTreeMap<(u64, u64), Told>;

/// Bases as they are read: whether there are others, and each with its kind and how sure it is.
type Bases = (bool, Vec<(u64, u8, u8)>);

/// Bases that stay, by their type, each with the file that says them.
type KeptBases = BTreeMap<u32, Vec<(u32, Supers)>>;

impl<'f> Update<'_, 'f> {
    /// Returns the lasting number of a symbol by its number before.
    fn was(&self, symbol: u32) -> u64 {
        let (file, local) = self.world.place_of(symbol);
        self.before.of(file, local)
    }

    /// Returns the number that a symbol has now; `None` when it is gone.
    fn moved(&self, symbol: u32) -> Option<u32> {
        let (file, local) = self.world.place_of(symbol);
        match self.changes.get(&file) {
            None => Some(symbol),
            Some(change) => Some(self.world.global(file, change.row(local)?)),
        }
    }

    fn has_moved(&self) -> bool {
        self.changes.values().any(|change| !change.is_none())
    }

    fn is_changed(&self, symbol: u32) -> bool {
        self.changes.contains_key(&self.world.file_of(symbol))
    }

    /// Takes up the files that asked early for what is different by now, or whose own types it concerns, and returns them.
    fn reach(&mut self) -> Option<Vec<u32>> {
        let told = std::mem::take(&mut self.told);
        let mut more = std::mem::take(&mut self.owners);
        if !told.is_empty() {
            more.extend(self.reads.as_ref()?.early(&told));
            self.all.extend(&told);
        }
        more.retain(|file| !self.files.contains(file));
        self.files.extend(&more);
        Some(more.into_iter().collect())
    }

    /// Makes something of every file of which a share is made again, with notes of what it asks.
    fn each<T>(
        &mut self,
        run: impl FnOnce(&mut World<'f>, &[u32]) -> Vec<(u32, T, Questions)>,
    ) -> Vec<(u32, T)> {
        let files: Vec<u32> = self.files.iter().copied().collect();
        let mut results = Vec::with_capacity(files.len());
        for (file, result, questions) in run(self.world, &files) {
            if let Some(reads) = &mut self.reads {
                reads.add_early(file, &questions);
            }
            results.push((file, result));
        }
        results
    }

    /// Puts the facts of changed files into the tables of names, and returns what these files added to the others.
    fn put(&mut self, changed: &[(usize, FactsView<'f>)]) -> Option<BTreeMap<u32, Part>> {
        let mut parts = BTreeMap::new();
        let mut old_views = Vec::new();
        let (mut gone, mut names_before, mut touched) =
            (Pairs::default(), Names::default(), BTreeSet::new());
        for &(file, view) in changed {
            let (number, old) = (file as u32, self.world.files.get(file)?.view);
            let change = Change::between(&old, &view);
            if !self.world.can_take(number, &view, &change) {
                return None;
            }
            parts.insert(number, self.part(number));
            names_before.gather(self.world, number, &mut gone);
            let same = same_rows(&old, &view, &change);
            touched.extend(touched_names(&old, &view, &change, &same));
            old_views.push((
                number,
                old,
                same,
                std::mem::take(&mut self.world.tables[file].aliases),
                std::mem::take(&mut self.world.tables[file].wildcards),
            ));
            self.changes.insert(number, change);
            self.files.insert(number);
        }
        let mut modules: BTreeMap<&str, i64> = BTreeMap::new();
        for (file, view) in
            changed.iter().filter(|(_, view)| policy::of(view.language).modules == Style::Folder)
        {
            modules_of(view).for_each(|module| *modules.entry(module).or_default() += 1);
            modules_of(&self.world.files[*file].view)
                .for_each(|module| *modules.entry(module).or_default() -= 1);
        }
        modules.retain(|_, more| *more != 0);
        names_before.gather_documented(self.world, &touched);
        for &(file, view) in changed {
            self.world.put(file, view);
        }
        if !self.world.modules.learns_the_same(&self.world.files, modules) {
            return None;
        }
        let (mut come, mut names_now) = (Pairs::default(), Names::default());
        for (&file, change) in &self.changes {
            if !change.is_none() {
                self.world.numbers.renew(file, change.rows.len(), change.origins().into_iter());
            }
        }
        for &file in self.changes.keys() {
            self.world.tables[file as usize] =
                build::table(&self.world.files, &self.world.modules, file);
            names_now.gather(self.world, file, &mut come);
        }
        come.holders.iter().for_each(|&symbol| self.world.holders.set(symbol));
        self.world.scopes.replace(&gone.scopes, &come.scopes);
        self.world.members.replace(&gone.members, &come.members);
        self.world.globals.replace(&gone.globals, &come.globals);
        names_now.gather_documented(self.world, &touched);
        names_before.tell(&names_now, self.world, &mut self.told);
        names_before.tell_documented(&names_now, &mut self.told);
        for (file, old, same, aliases, wildcards) in old_views {
            self.compare(file, &old, &same, &aliases, &wildcards);
        }
        Some(parts)
    }

    /// Returns what a file adds to the tables of types and fields.
    fn part(&self, file: u32) -> Part {
        let world = &*self.world;
        let own = world.first[file as usize]..world.first[file as usize + 1];
        let outer: Vec<(u32, u32)> =
            own.filter_map(|symbol| Some((symbol, *world.outer.get(&symbol)?))).collect();
        let attached = outer
            .iter()
            .flat_map(|&(symbol, target)| {
                build::attached(world, symbol)
                    .into_iter()
                    .map(move |(name, symbol)| (target, name, symbol))
            })
            .collect();
        let fields = build::assigned_fields(world, file)
            .map(|(row, owner, name)| {
                (owner, key::name(name), self.told_by(file, row, &self.before))
            })
            .collect();
        Part { outer, attached, fields }
    }

    /// Returns what a binding tells of a field.
    fn told_by(&self, file: u32, row: u32, numbers: &Numbers) -> Told {
        let view = &self.world.files[file as usize].view;
        let bound = &view.bindings[row as usize];
        (bound.how, view.str(bound.type_text).to_owned(), numbers.of(file, bound.owner))
    }

    /// Finds the types of members outside of them, and what assignments tell of fields.
    fn find_types(&mut self, mut parts: BTreeMap<u32, Part>) -> Option<()> {
        for file in self.reach()? {
            let part = self.part(file);
            parts.insert(file, part);
        }
        let moves = self.has_moved();
        let within = |target: u32, name: u64| key::within(u64::from(target), name);
        let mut gone: Vec<(u64, u32)> = parts
            .values()
            .flat_map(|part| &part.attached)
            .map(|&(target, name, symbol)| (within(target, name), symbol))
            .collect();
        let mut come: Vec<(u64, u32)> = Vec::new();
        for (symbol, _) in parts.values().flat_map(|part| &part.outer) {
            self.world.outer.remove(symbol);
        }
        if moves {
            let along: Vec<(u32, u32)> = self
                .world
                .outer
                .iter()
                .map(|(&symbol, &target)| (symbol, target))
                .filter(|&(_, target)| self.is_changed(target))
                .collect();
            for (symbol, target) in along {
                let now = self.moved(target)?;
                for (name, symbol) in build::attached(self.world, symbol) {
                    gone.push((within(target, name), symbol));
                    come.push((within(now, name), symbol));
                }
                self.world.outer.insert(symbol, now);
                self.world.holders.set(now);
            }
        }
        let found = self.each(|world, files| {
            world.before_types(|world| world.noted(files, build::outer_types))
        });
        let (mut outer_now, mut attached_now) = (BTreeMap::new(), BTreeMap::new());
        for (symbol, target) in found.into_iter().flat_map(|(_, found)| found) {
            self.world.outer.insert(symbol, target);
            self.world.holders.set(target);
            outer_now.insert(self.world.lasting(symbol), self.world.lasting(target));
            for (name, symbol) in build::attached(self.world, symbol) {
                come.push((within(target, name), symbol));
                attached_now
                    .entry((self.world.lasting(target), name))
                    .or_insert_with(BTreeSet::new)
                    .insert(self.world.lasting(symbol));
            }
        }
        self.world.attached.replace(&gone, &come);
        let outer: BTreeMap<u64, u64> = parts
            .values()
            .flat_map(|part| &part.outer)
            .map(|&(symbol, target)| (self.was(symbol), self.was(target)))
            .collect();
        let mut attached: BTreeMap<(u64, u64), BTreeSet<u64>> = BTreeMap::new();
        for &(target, name, symbol) in parts.values().flat_map(|part| &part.attached) {
            attached.entry((self.was(target), name)).or_default().insert(self.was(symbol));
        }
        for &symbol in differing(&outer, &outer_now) {
            self.told.add(Asked::outer(symbol));
            self.again.insert(file_of(symbol));
        }
        for &(target, name) in differing(&attached, &attached_now) {
            self.told.add(Asked::scope(target, name));
            self.owners.insert(file_of(target));
            self.again.insert(file_of(target));
        }
        self.find_fields(&parts)
    }

    fn find_fields(&mut self, parts: &BTreeMap<u32, Part>) -> Option<()> {
        let (mut before, mut now) = (Fields::new(), Fields::new());
        // Of files that assign one field the first counts, and which those are is not known here.
        let is_shared = |world: &World<'_>, key: u64| world.shared_fields.contains_key(&key);
        if self.has_moved()
            && self.world.shared_fields.values().any(|owner| self.changes.contains_key(owner))
        {
            return None;
        }
        for (owner, name, told) in parts.values().flat_map(|part| &part.fields) {
            let key = key::within(u64::from(*owner), *name);
            if is_shared(self.world, key) {
                return None;
            }
            self.world.fields.remove(&key);
            before.entry((self.was(*owner), *name)).or_insert_with(|| told.clone());
        }
        for &file in parts.keys() {
            let assigned: Vec<(u32, u32, u64)> = build::assigned_fields(self.world, file)
                .map(|(row, owner, name)| (row, owner, key::name(name)))
                .collect();
            for (row, owner, name) in assigned {
                let key = key::within(u64::from(owner), name);
                if self.world.file_of(owner) != file || is_shared(self.world, key) {
                    return None;
                }
                self.world.fields.entry(key).or_insert((file, row));
                let told = self.told_by(file, row, &self.world.numbers);
                now.entry((self.world.lasting(owner), name)).or_insert(told);
            }
        }
        for &(owner, name) in differing(&before, &now) {
            self.told.add(Asked::field(owner, name));
            self.again.insert(file_of(owner));
        }
        Some(())
    }

    fn find_bases(&mut self) -> Option<()> {
        self.reach()?;
        let (mut before, mut kept) = self.take_bases()?;
        if self.has_moved() {
            self.move_bases(&mut kept)?;
        }
        let found =
            self.each(|world, files| world.before_bases(|world| world.noted(files, build::bases)));
        for (file, (owner, supers)) in found
            .into_iter()
            .flat_map(|(file, found)| found.into_iter().map(move |supers| (file, supers)))
        {
            // A type of a file whose share stays may get a base from outside.
            if let Some(all) = self.world.supers.remove(&owner) {
                before.insert(
                    self.world.lasting(owner),
                    bases_of(&all, |target| self.world.lasting(target)),
                );
                let said = self
                    .world
                    .shared_bases
                    .remove(&owner)
                    .unwrap_or_else(|| vec![(self.world.file_of(owner), all)]);
                kept.entry(owner).or_default().extend(said);
            }
            kept.entry(owner).or_default().push((file, supers));
        }
        let mut now = BTreeMap::new();
        for (owner, mut said) in kept {
            said.sort_by_key(|(file, _)| *file);
            let home = self.world.file_of(owner);
            if said.iter().any(|(file, _)| *file != home) {
                self.world.shared_bases.insert(owner, said.clone());
                self.again.insert(home);
            }
            let mut all = Supers::default();
            said.into_iter().for_each(|(_, supers)| all.join(supers));
            now.insert(
                self.world.lasting(owner),
                bases_of(&all, |target| self.world.lasting(target)),
            );
            self.world.supers.insert(owner, all);
        }
        for &owner in differing(&before, &now) {
            self.told.add(Asked::supers(owner));
            self.owners.insert(file_of(owner));
            self.again.insert(file_of(owner));
        }
        Some(())
    }

    /// Takes out the bases that files say something of whose share is made again. Returns how they were, and what other
    /// files say of the same types, by the numbers of these now.
    fn take_bases(&mut self) -> Option<(BTreeMap<u64, Bases>, KeptBases)> {
        let (mut before, mut kept) = (BTreeMap::new(), BTreeMap::new());
        let own = self
            .files
            .iter()
            .flat_map(|&file| self.world.first[file as usize]..self.world.first[file as usize + 1]);
        let shared = self
            .world
            .shared_bases
            .iter()
            .filter(|(_, said)| said.iter().any(|(file, _)| self.files.contains(file)));
        let owners: BTreeSet<u32> = own
            .filter(|symbol| self.world.supers.contains_key(symbol))
            .chain(shared.map(|(&owner, _)| owner))
            .collect();
        for owner in owners {
            let supers = self.world.supers.remove(&owner)?;
            before.insert(self.was(owner), bases_of(&supers, |target| self.was(target)));
            let mut said = self.world.shared_bases.remove(&owner).unwrap_or_default();
            said.retain(|(file, _)| !self.files.contains(file));
            if !said.is_empty() {
                kept.insert(self.moved(owner)?, said);
            }
        }
        Some((before, kept))
    }

    /// Leads the bases that stay to where they are now.
    fn move_bases(&mut self, kept: &mut KeptBases) -> Option<()> {
        let (mut supers, mut shared) =
            (std::mem::take(&mut self.world.supers), std::mem::take(&mut self.world.shared_bases));
        let said = kept.values_mut().chain(shared.values_mut()).flatten().map(|(_, supers)| supers);
        for base in said.chain(supers.values_mut()).flat_map(|supers| &mut supers.found) {
            base.target = self.moved(base.target)?;
        }
        // What is left is said of types in other files than the changed ones.
        (self.world.supers, self.world.shared_bases) = (supers, shared);
        Some(())
    }

    /// Asks the interfaces of the files who satisfies them.
    fn find_interfaces(&mut self) -> Option<()> {
        self.reach()?;
        let (mut before, mut now) = (BTreeSet::new(), BTreeSet::new());
        let mut satisfied: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        #[allow(
            clippy::iter_over_hash_type,
            reason = "goes into sets, and into lists sorted below"
        )]
        for (implementor, interfaces) in std::mem::take(&mut self.world.satisfied) {
            for interface in interfaces {
                if self.files.contains(&self.world.file_of(interface)) {
                    before.insert((self.was(implementor), self.was(interface)));
                } else {
                    satisfied.entry(self.moved(implementor)?).or_default().push(interface);
                }
            }
        }
        let found = self.each(|world, files| world.noted(files, implements::satisfied_of));
        for (implementor, interface) in found.into_iter().flat_map(|(_, found)| found) {
            now.insert((self.world.lasting(implementor), self.world.lasting(interface)));
            satisfied.entry(implementor).or_default().push(interface);
        }
        satisfied.values_mut().for_each(|interfaces| interfaces.sort_unstable());
        self.world.satisfied = satisfied;
        for &(implementor, _) in before.symmetric_difference(&now) {
            self.told.add(Asked::satisfied(implementor));
            self.again.insert(file_of(implementor));
        }
        Some(())
    }

    /// Returns all files whose edges are to be made again.
    fn finish(mut self) -> Option<Vec<u32>> {
        self.all.extend(&self.told);
        let mut again = self.again;
        again.extend(self.changes.keys());
        if !self.all.is_empty() {
            again.extend(self.reads.as_ref()?.late(&self.all));
        }
        // Rows may have moved that nobody asks for.
        if let Some(reads) = self.reads {
            reads.set_numbers(self.world.numbers.clone());
        }
        Some(again.into_iter().collect())
    }
}

impl<'f> World<'f> {
    /// True when the new version of a file can be put in place: packages and modules are not other ones by it, and its
    /// numbers suffice.
    fn can_take(&self, file: u32, new: &FactsView<'_>, change: &Change) -> bool {
        let (path, old) = (self.files[file as usize].path, &self.files[file as usize].view);
        let policy = policy::of(new.language);
        let room = self.first[file as usize + 1] - self.first[file as usize];
        new.language == old.language
            && new.package_name() == old.package_name()
            && new.symbols.len() <= room as usize
            && !is_manifest(path)
            // What is named like a package is more than a symbol.
            && (!policy.terms_apart || change.is_none())
            && (!has_namespaces(policy.modules) || namespaces(new) == namespaces(old))
    }

    /// Takes in the rows of a file.
    fn put(&mut self, file: usize, view: FactsView<'f>) {
        let first = self.first[file] as usize;
        self.briefs[first..]
            .iter_mut()
            .zip(view.symbols)
            .for_each(|(brief, row)| *brief = Brief::of(row));
        self.files[file].view = view;
    }
}

/// Returns the namespaces that a file declares.
fn namespaces<'v>(view: &FactsView<'v>) -> Vec<&'v str> {
    let rows = view.symbols.iter().filter(|row| {
        matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module)
            && !row.has(modifier::TITLE)
    });
    rows.map(|row| view.str(row.qualified)).collect()
}

/// Returns the modules that a file imports, as often as it does.
fn modules_of<'v>(view: &FactsView<'v>) -> impl Iterator<Item = &'v str> {
    let view = *view;
    view.imports.iter().map(move |row| view.str(row.module))
}

fn bases_of(supers: &Supers, number: impl Fn(u32) -> u64) -> Bases {
    (
        supers.open,
        supers.found.iter().map(|base| (number(base.target), base.kind, base.sure)).collect(),
    )
}

/// Returns the file of a symbol by its lasting number.
fn file_of(lasting: u64) -> u32 {
    (lasting >> 32) as u32
}
