//! A world after an edit that gives a file other symbols, which no other file mentions: what those found stays.
//!
//! Each phase of building is done again for the file alone, with the tables as that phase finds them. Whatever would
//! reach further than that is left to building anew.

use super::{Brief, Super, Supers, World, build, implements};
use crate::change::{self, Change};
use crate::key;
use crate::policy::Modules as Style;
use contextd_model::SymbolKind;
use contextd_model::facts::{FactsView, NONE};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What becomes of the symbols of a file.
pub(super) struct Move {
    file: u32,
    change: Change,
}

impl Move {
    pub(super) fn of(world: &World<'_>, file: u32, view: &FactsView<'_>) -> Option<Self> {
        Some(Self { file, change: Change::between(&world.files[file as usize].view, view)? })
    }

    /// Returns the new number of a symbol, `None` for one that others cannot mean any more.
    fn moved(&self, world: &World<'_>, symbol: u32) -> Option<u32> {
        let (file, local) = world.place_of(symbol);
        if file != self.file {
            return Some(symbol);
        }
        self.change.rows.get(local as usize).filter(|&&row| row != NONE).map(|&row| world.global(file, row))
    }
}

impl<'f> World<'f> {
    /// Returns the documents that refer to names which came or went; `None` when code mentions them.
    pub(super) fn telling(&self, step: &Move) -> Option<Vec<u32>> {
        let others = (0..self.files.len() as u32).into_par_iter().filter(|&file| file != step.file);
        let found: Vec<u32> = others.filter(|&file| step.change.names.iter().any(|name| self.mentions(file, name))).collect();
        found.iter().all(|&file| self.is_document(file)).then_some(found)
    }

    /// True when a file may look a name up. Of documents and data, only what documents refer to is.
    fn mentions(&self, file: u32, name: &str) -> bool {
        let view = &self.files[file as usize].view;
        if self.is_document(file) { view.refs.iter().any(|row| view.str(row.name) == name) } else { change::mentions(view, name) }
    }

    fn is_document(&self, file: u32) -> bool {
        self.tables[file as usize].policy.modules == Style::None
    }

    /// Puts a file with other symbols in place of what it was.
    pub(super) fn reshape(&mut self, view: FactsView<'f>, step: &Move) -> Option<()> {
        let file = step.file;
        let before = build::pairs(self, file);
        let is_own = |world: &Self, symbol: u32| world.file_of(symbol) == file;
        if self.object_packages.keys().any(|&object| is_own(self, object)) {
            return None;
        }
        let (touched, kept): (Vec<_>, Vec<_>) = self.outer.iter().map(|(&symbol, &target)| (symbol, target)).partition(|&(symbol, target)| is_own(self, symbol) || is_own(self, target));
        let mut gone = Vec::new();
        touched.iter().for_each(|&(symbol, target)| build::attached(self, symbol, target, &mut gone));
        let foreign = touched.into_iter().filter(|&(symbol, _)| !is_own(self, symbol));
        let foreign = foreign.map(|(symbol, target)| Some((symbol, step.moved(self, target)?))).collect::<Option<Vec<(u32, u32)>>>()?;
        // What other files add to a type beside methods is not told apart from its own.
        let adds_more = |&(symbol, _): &(u32, u32)| self.kind(symbol) == SymbolKind::Extension || build::assigned_fields(self, self.file_of(symbol)).next().is_some();
        if foreign.iter().any(adds_more) || !self.keeps_to_itself(file) {
            return None;
        }
        let satisfied = self.satisfied_elsewhere(step)?;
        let has_other_modules = modules_of(&view) != modules_of(&self.files[file as usize].view);
        self.put(file, view)?;
        if has_other_modules && !self.modules.learns_the_same(&self.files) {
            return None;
        }
        self.tables[file as usize] = build::table(&self.files, &self.modules, file);
        let now = build::pairs(self, file);
        now.holders.iter().for_each(|&symbol| self.holders.set(symbol));
        self.scopes.replace(&before.scopes, &now.scopes);
        self.members.replace(&before.members, &now.members);
        self.globals.replace(&before.globals, &now.globals);
        self.attach_again(file, kept, foreign, &gone);
        self.assign_again(file)?;
        self.base_again(step)?;
        self.satisfy_again(step, satisfied)
    }

    /// Takes in the rows of a file, where its numbers suffice.
    pub(super) fn put(&mut self, file: u32, view: FactsView<'f>) -> Option<()> {
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

    fn attach_again(&mut self, file: u32, kept: Vec<(u32, u32)>, foreign: Vec<(u32, u32)>, gone: &[(u64, u32)]) {
        let (attached, fields) = (std::mem::take(&mut self.attached), std::mem::take(&mut self.fields));
        let (supers, satisfied) = (std::mem::take(&mut self.supers), std::mem::take(&mut self.satisfied));
        self.outer = FxHashMap::default();
        let own = build::outer_types(self, file);
        (self.attached, self.fields, self.supers, self.satisfied) = (attached, fields, supers, satisfied);
        let mut come = Vec::new();
        for &(symbol, target) in foreign.iter().chain(&own) {
            self.holders.set(target);
            build::attached(self, symbol, target, &mut come);
        }
        self.outer = kept.into_iter().chain(foreign).chain(own).collect();
        self.attached.replace(gone, &come);
    }

    fn assign_again(&mut self, file: u32) -> Option<()> {
        self.fields.retain(|_, &mut (home, _)| home != file);
        let assigned: Vec<(u64, u32)> = build::assigned_fields(self, file)
            .map(|(row, owner, name)| (self.file_of(owner) == file).then(|| (key::within(u64::from(owner), key::name(name)), row)))
            .collect::<Option<_>>()?;
        for (key, row) in assigned {
            self.fields.entry(key).or_insert((file, row));
        }
        Some(())
    }

    fn base_again(&mut self, step: &Move) -> Option<()> {
        let (mut supers, satisfied) = (std::mem::take(&mut self.supers), std::mem::take(&mut self.satisfied));
        supers.retain(|&owner, _| self.file_of(owner) != step.file);
        for Super { target, .. } in supers.values_mut().flat_map(|supers| &mut supers.found) {
            *target = step.moved(self, *target)?;
        }
        for (owner, Supers { found, open }) in build::bases(self, step.file) {
            if self.file_of(owner) != step.file {
                return None;
            }
            let entry = supers.entry(owner).or_default();
            entry.open |= open;
            entry.found.extend(found);
        }
        (self.supers, self.satisfied) = (supers, satisfied);
        Some(())
    }

    /// Returns the types of other files that satisfy interfaces of the file, by their new numbers.
    fn satisfied_elsewhere(&self, step: &Move) -> Option<BTreeSet<(u32, u32)>> {
        let mut found = BTreeSet::new();
        for (&implementor, interfaces) in self.satisfied.iter().filter(|(implementor, _)| self.file_of(**implementor) != step.file) {
            for &interface in interfaces.iter().filter(|interface| self.file_of(**interface) == step.file) {
                found.insert((implementor, step.moved(self, interface)?));
            }
        }
        Some(found)
    }

    /// Asks the interfaces of the file who satisfies them. Types of other files must be the same as before: their edges
    /// are not made again.
    fn satisfy_again(&mut self, step: &Move, elsewhere: BTreeSet<(u32, u32)>) -> Option<()> {
        let mut satisfied: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (&implementor, interfaces) in &self.satisfied {
            // A type that is gone satisfies nothing.
            let Some(implementor) = step.moved(self, implementor) else { continue };
            let others: Vec<u32> = interfaces.iter().copied().filter(|interface| self.file_of(*interface) != step.file).collect();
            if !others.is_empty() {
                satisfied.insert(implementor, others);
            }
        }
        let again = implements::satisfied_of(self, step.file);
        let outside = again.iter().copied().filter(|&(implementor, _)| self.file_of(implementor) != step.file);
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

/// Returns the modules that a file imports.
fn modules_of<'v>(view: &FactsView<'v>) -> BTreeSet<&'v str> {
    view.imports.iter().map(|row| view.str(row.module)).collect()
}
