//! A world after edits that give files other symbols: what the others found under names that did not change stays.
//!
//! Each phase of building is done again for the files alone, with the tables as that phase finds them. Whatever would
//! reach further than that is left to building anew.

use super::build::{self, Pairs};
use super::{Brief, Module, Super, Supers, World, implements, modules};
use crate::change::{self, Change};
use crate::edges::MAX_LOOKED_AT;
use crate::policy::Modules as Style;
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, FactsView, NONE};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Names whose mentions are looked for; more are as much work as building anew.
const MAX_NAMES: usize = 64;

/// What becomes of the symbols of some files.
pub(super) struct Moves {
    changes: FxHashMap<u32, Change>,
}

impl Moves {
    pub(super) fn of(world: &World<'_>, reshaped: &[(u32, FactsView<'_>)]) -> Option<Self> {
        let change = |&(file, view): &(u32, FactsView<'_>)| Some((file, Change::between(&world.files[file as usize].view, &view)?));
        Some(Self { changes: reshaped.iter().map(change).collect::<Option<_>>()? })
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.changes.values().flat_map(|change| &change.names)
    }

    fn has(&self, file: u32) -> bool {
        self.changes.contains_key(&file)
    }

    /// Returns the new number of a symbol, `None` for one that others cannot mean any more.
    fn moved(&self, world: &World<'_>, symbol: u32) -> Option<u32> {
        let (file, local) = world.place_of(symbol);
        match self.changes.get(&file).map(|change| change.rows.get(local as usize)) {
            None => Some(symbol),
            Some(row) => row.filter(|&&row| row != NONE).map(|&row| world.global(file, row)),
        }
    }
}

impl<'f> World<'f> {
    /// Finds the files that may mean something else now, by the names that changed; `None` when types may have other
    /// bases or members outside of the files that changed, or when they are too many.
    pub(super) fn mentioning(&self, moves: &Moves) -> Option<Vec<u32>> {
        let most = self.files.len() / 8 + 16;
        let quiet = self.quiet(moves);
        let mut known: BTreeSet<String> = moves.names().cloned().collect();
        if known.len() > MAX_NAMES {
            return None;
        }
        let mut round: Vec<String> = known.iter().filter(|name| !quiet.contains(*name)).cloned().collect();
        let mut asked = self.receiving(moves);
        asked.extend(self.telling(moves, quiet));
        let mut found: BTreeSet<u32> = BTreeSet::new();
        loop {
            asked.extend(self.files_that_mention(moves, &round).into_iter().map(|file| (file, round.clone())));
            let mut next = BTreeSet::new();
            for (file, names) in std::mem::take(&mut asked) {
                found.insert(file);
                if found.len() > most || self.is_shaped_by(file, &names) {
                    return None;
                }
                // Nothing leads on through a document.
                if !self.is_document(file) {
                    next.extend(change::led_to(&self.files[file as usize].view, &names));
                }
            }
            next.retain(|name| !known.contains(name));
            known.extend(next.iter().cloned());
            if next.is_empty() {
                return Some(found.into_iter().collect());
            }
            if known.len() > MAX_NAMES {
                return None;
            }
            round = next.into_iter().collect();
        }
    }

    fn files_that_mention(&self, moves: &Moves, names: &[String]) -> Vec<u32> {
        let others = (0..self.files.len() as u32).into_par_iter().filter(|&file| !moves.has(file) && !names.is_empty());
        others.filter(|&file| names.iter().any(|name| self.mentions(file, name))).collect()
    }

    /// True when a file may look a name up. Of documents and data, only what documents refer to is.
    fn mentions(&self, file: u32, name: &str) -> bool {
        let view = &self.files[file as usize].view;
        if self.is_document(file) { view.refs.iter().any(|row| view.str(row.name) == name) } else { change::mentions(view, name) }
    }

    fn is_document(&self, file: u32) -> bool {
        self.tables[file as usize].policy.modules == Style::None
    }

    /// Returns the names of members that nobody else can mean: those of types that no other file mentions, where so many
    /// members have the name that one more or less is not guessed at.
    fn quiet(&self, moves: &Moves) -> BTreeSet<String> {
        let types: BTreeSet<&String> = moves.changes.values().flat_map(|change| change.inner.values().flatten()).collect();
        let hidden: BTreeSet<&String> = types.into_iter().filter(|name| self.files_that_mention(moves, std::slice::from_ref(name)).is_empty()).collect();
        let is_quiet = |name: &String| {
            moves.changes.iter().all(|(&file, change)| {
                let table = &self.tables[file as usize];
                let known = self.members_named(table.policy.family, crate::key::name(name)).iter().filter(|&&member| !moves.has(self.file_of(member))).count();
                !change.names.contains(name)
                    || !table.policy.moved_blocks && known > MAX_LOOKED_AT && change.inner.get(name).is_some_and(|types| types.iter().all(|name| hidden.contains(name)))
            })
        };
        moves.names().filter(|name| is_quiet(name)).cloned().collect()
    }

    /// Returns the documents that mention names: they ask for members of any type.
    fn telling(&self, moves: &Moves, names: BTreeSet<String>) -> Vec<(u32, Vec<String>)> {
        let names: Vec<String> = names.into_iter().collect();
        let documents = (0..self.files.len() as u32).filter(|&file| self.is_document(file) && !moves.has(file));
        documents.filter(|&file| names.iter().any(|name| self.mentions(file, name))).map(|file| (file, names.clone())).collect()
    }

    /// Returns the files that may see changed imports through the files that have them, with the names.
    fn receiving(&self, moves: &Moves) -> Vec<(u32, Vec<String>)> {
        let mut found = Vec::new();
        for (&home, change) in moves.changes.iter().filter(|(_, change)| !change.passed_on.is_empty()) {
            let ways = self.ways_to(home);
            let others = (0..self.files.len() as u32).into_par_iter().filter(|&file| !moves.has(file));
            found.par_extend(others.filter_map(|file| {
                let view = &self.files[file as usize].view;
                let names: Vec<String> = change.passed_on.iter().filter(|name| !self.is_document(file) && change::mentions(view, name)).cloned().collect();
                let reaches = || ways.as_ref().is_none_or(|ways| self.imports_from(file, home) || ways.iter().any(|way| change::mentions(view, way)));
                (!names.is_empty() && reaches()).then_some((file, names))
            }));
        }
        found
    }

    fn imports_from(&self, file: u32, home: u32) -> bool {
        self.tables[file as usize].modules.contains(&Module::File(home))
    }

    /// Returns the names by which a file can be reached as a module; `None` when that cannot be told by names.
    fn ways_to(&self, home: u32) -> Option<BTreeSet<String>> {
        let path = self.files[home as usize].path;
        let stem = modules::basename(path).split('.').next().unwrap_or("");
        let folder = modules::basename(modules::folder_of(path));
        let mut ways: BTreeSet<String> = [stem, folder].into_iter().filter(|way| !way.is_empty()).map(str::to_owned).collect();
        for (file, table) in self.files.iter().zip(&self.tables) {
            // What brings in all names passes on each of them.
            if table.wildcards.iter().any(|&row| table.modules[row as usize] == Module::File(home)) {
                return None;
            }
            let rows = file.view.imports.iter().zip(&table.modules).filter(|(_, module)| **module == Module::File(home));
            ways.extend(rows.map(|(row, _)| file.view.str(row.alias)).filter(|alias| !alias.is_empty()).map(str::to_owned));
        }
        let mut round: Vec<String> = ways.iter().cloned().collect();
        while !round.is_empty() {
            let mentions = |view: &FactsView<'_>| round.iter().any(|way| change::mentions(view, way));
            let led: BTreeSet<String> = self.files.par_iter().filter(|file| mentions(&file.view)).flat_map_iter(|file| change::led_to(&file.view, &round)).collect();
            round = led.into_iter().filter(|way| !ways.contains(way)).collect();
            ways.extend(round.iter().cloned());
            if ways.len() > MAX_NAMES {
                return None;
            }
        }
        Some(ways)
    }

    /// True when a type that a file declares or adds to is told by one of the names: its bases, or what it adds to.
    fn is_shaped_by(&self, file: u32, names: &[String]) -> bool {
        if self.is_document(file) {
            return false;
        }
        let view = &self.files[file as usize].view;
        let names_any = |text: &str| !text.is_empty() && names.iter().any(|name| change::is_mentioned(text, name));
        view.bases.iter().any(|row| names_any(view.str(row.name)) || names_any(view.str(row.qualifier)))
            || view.symbols.iter().skip(1).any(|row| build::scope_named(view, row).is_some_and(names_any))
    }

    /// Returns the interfaces of other files that ask for a method of a name that changed.
    fn asking(&self, moves: &Moves) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        for (&file, change) in &moves.changes {
            let policy = self.tables[file as usize].policy;
            let members = change.names.iter().filter(|_| policy.modules == Style::Folder).flat_map(|name| self.members_named(policy.family, crate::key::name(name)));
            for (home, local) in members.map(|&member| self.place_of(member)).filter(|&(home, _)| !moves.has(home)) {
                let rows = self.files[home as usize].view.symbols;
                let parent = rows[local as usize].parent;
                if rows.get(parent as usize).is_some_and(|row| row.kind() == SymbolKind::Interface && row.parent == FILE_SYMBOL) {
                    found.insert(self.global(home, parent));
                }
            }
        }
        found
    }

    /// Puts files with other symbols in place of what they were.
    pub(super) fn reshape(&mut self, reshaped: &[(u32, FactsView<'f>)], moves: &Moves) -> Option<()> {
        let before: Vec<Pairs> = reshaped.iter().map(|&(file, _)| build::pairs(self, file)).collect();
        let is_moved = |world: &Self, symbol: u32| moves.has(world.file_of(symbol));
        if self.object_packages.keys().any(|&object| is_moved(self, object)) {
            return None;
        }
        let (touched, kept): (Vec<_>, Vec<_>) = self.outer.iter().map(|(&symbol, &target)| (symbol, target)).partition(|&(symbol, target)| is_moved(self, symbol) || is_moved(self, target));
        let mut gone = Vec::new();
        touched.iter().for_each(|&(symbol, target)| build::attached(self, symbol, target, &mut gone));
        let foreign = touched.into_iter().filter(|&(symbol, _)| !is_moved(self, symbol));
        let foreign = foreign.map(|(symbol, target)| Some((symbol, moves.moved(self, target)?))).collect::<Option<Vec<(u32, u32)>>>()?;
        // What other files add to a type beside methods is not told apart from its own.
        let adds_more = |&(symbol, _): &(u32, u32)| self.kind(symbol) == SymbolKind::Extension || build::assigned_fields(self, self.file_of(symbol)).next().is_some();
        if foreign.iter().any(adds_more) || reshaped.iter().any(|&(file, _)| !self.keeps_to_itself(file)) {
            return None;
        }
        let asking = self.asking(moves);
        let satisfied = self.satisfied_elsewhere(moves, &asking)?;
        let mut has_other_modules = false;
        for &(file, view) in reshaped {
            has_other_modules |= modules_of(&view) != modules_of(&self.files[file as usize].view);
            self.put(file, view)?;
        }
        if has_other_modules && !self.modules.learns_the_same(&self.files) {
            return None;
        }
        for (&(file, _), before) in reshaped.iter().zip(before) {
            self.tables[file as usize] = build::table(&self.files, &self.modules, file);
            let now = build::pairs(self, file);
            now.holders.iter().for_each(|&symbol| self.holders.set(symbol));
            self.scopes.replace(&before.scopes, &now.scopes);
            self.members.replace(&before.members, &now.members);
            self.globals.replace(&before.globals, &now.globals);
        }
        self.attach_again(reshaped, kept, foreign, &gone);
        self.assign_again(reshaped, moves)?;
        self.base_again(reshaped, moves)?;
        self.satisfy_again(reshaped, moves, &asking, satisfied)
    }

    /// Takes in the rows of a file, where its numbers suffice.
    fn put(&mut self, file: u32, view: FactsView<'f>) -> Option<()> {
        let (first, end) = (self.first[file as usize] as usize, self.first[file as usize + 1] as usize);
        let briefs = self.briefs[first..end].get_mut(..view.symbols.len())?;
        briefs.iter_mut().zip(view.symbols).for_each(|(brief, row)| *brief = Brief::of(row));
        self.files[file as usize].view = view;
        Some(())
    }

    /// True when a file adds bases and fields to its own types only.
    fn keeps_to_itself(&self, file: u32) -> bool {
        let is_own = |symbol: u32| self.file_of(symbol) == file;
        build::bases(self, file).iter().all(|(owner, _)| is_own(*owner)) && build::assigned_fields(self, file).all(|(_, owner, _)| is_own(owner))
    }

    fn attach_again(&mut self, reshaped: &[(u32, FactsView<'f>)], kept: Vec<(u32, u32)>, foreign: Vec<(u32, u32)>, gone: &[(u64, u32)]) {
        let (attached, fields) = (std::mem::take(&mut self.attached), std::mem::take(&mut self.fields));
        let (supers, satisfied) = (std::mem::take(&mut self.supers), std::mem::take(&mut self.satisfied));
        self.outer = FxHashMap::default();
        let own: Vec<(u32, u32)> = reshaped.iter().flat_map(|&(file, _)| build::outer_types(self, file)).collect();
        (self.attached, self.fields, self.supers, self.satisfied) = (attached, fields, supers, satisfied);
        let mut come = Vec::new();
        for &(symbol, target) in foreign.iter().chain(&own) {
            self.holders.set(target);
            build::attached(self, symbol, target, &mut come);
        }
        self.outer = kept.into_iter().chain(foreign).chain(own).collect();
        self.attached.replace(gone, &come);
    }

    fn assign_again(&mut self, reshaped: &[(u32, FactsView<'f>)], moves: &Moves) -> Option<()> {
        self.fields.retain(|_, &mut (file, _)| !moves.has(file));
        for &(file, _) in reshaped {
            let assigned: Vec<(u64, u32)> = build::assigned_fields(self, file)
                .map(|(row, owner, name)| (self.file_of(owner) == file).then(|| (crate::key::within(u64::from(owner), crate::key::name(name)), row)))
                .collect::<Option<_>>()?;
            for (key, row) in assigned {
                self.fields.entry(key).or_insert((file, row));
            }
        }
        Some(())
    }

    fn base_again(&mut self, reshaped: &[(u32, FactsView<'f>)], moves: &Moves) -> Option<()> {
        let (mut supers, satisfied) = (std::mem::take(&mut self.supers), std::mem::take(&mut self.satisfied));
        supers.retain(|&owner, _| !moves.has(self.file_of(owner)));
        for Super { target, .. } in supers.values_mut().flat_map(|supers| &mut supers.found) {
            *target = moves.moved(self, *target)?;
        }
        for &(file, _) in reshaped {
            for (owner, Supers { found, open }) in build::bases(self, file) {
                if self.file_of(owner) != file {
                    return None;
                }
                let entry = supers.entry(owner).or_default();
                entry.open |= open;
                entry.found.extend(found);
            }
        }
        (self.supers, self.satisfied) = (supers, satisfied);
        Some(())
    }

    /// Returns the types of other files that satisfy interfaces which are asked again, by their new numbers.
    fn satisfied_elsewhere(&self, moves: &Moves, asking: &BTreeSet<u32>) -> Option<BTreeSet<(u32, u32)>> {
        let mut found = BTreeSet::new();
        for (&implementor, interfaces) in self.satisfied.iter().filter(|(implementor, _)| !moves.has(self.file_of(**implementor))) {
            for &interface in interfaces.iter().filter(|interface| moves.has(self.file_of(**interface)) || asking.contains(interface)) {
                found.insert((implementor, moves.moved(self, interface)?));
            }
        }
        Some(found)
    }

    /// Asks the interfaces of the files, and those that ask for what changed, who satisfies them. Types of other files
    /// must be the same as before: their edges are not made again.
    fn satisfy_again(&mut self, reshaped: &[(u32, FactsView<'f>)], moves: &Moves, asking: &BTreeSet<u32>, elsewhere: BTreeSet<(u32, u32)>) -> Option<()> {
        let mut satisfied: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (&implementor, interfaces) in &self.satisfied {
            // A type that is gone satisfies nothing.
            let Some(implementor) = moves.moved(self, implementor) else { continue };
            let others: Vec<u32> = interfaces.iter().copied().filter(|interface| !moves.has(self.file_of(*interface)) && !asking.contains(interface)).collect();
            if !others.is_empty() {
                satisfied.insert(implementor, others);
            }
        }
        let mut again: Vec<(u32, u32)> = reshaped.iter().flat_map(|&(file, _)| implements::satisfied_of(self, file)).collect();
        for &interface in asking {
            let family = self.tables[self.file_of(interface) as usize].policy.family;
            again.extend(implements::implementors(self, interface, family).into_iter().map(|implementor| (implementor, interface)));
        }
        let outside = again.iter().copied().filter(|&(implementor, _)| !moves.has(self.file_of(implementor)));
        if outside.collect::<BTreeSet<_>>() != elsewhere {
            return None;
        }
        for (implementor, interface) in again {
            satisfied.entry(implementor).or_default().push(interface);
        }
        satisfied.values_mut().for_each(|interfaces| interfaces.sort_unstable());
        self.satisfied = satisfied;
        Some(())
    }
}

/// Returns the modules that a file imports, in order.
fn modules_of<'v>(view: &FactsView<'v>) -> BTreeSet<&'v str> {
    view.imports.iter().map(|row| view.str(row.module)).collect()
}
