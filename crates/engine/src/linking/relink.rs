//! Which files a change can affect, and linking only those.
//!
//! A file's edges depend on its own facts and on what the others show of themselves. When the files
//! that changed show what they showed before, under the same numbers, no other edge can change.

use super::Relinked;
use super::assembly::{Edges, assemble};
use super::owners;
use super::parts::{self, Parts};
use super::rows::{Rows, first_symbols, is_manifest, symbols_of};
use super::warm::Warm;
use contextd_link::{Links, World, interface_fingerprint};
use contextd_model::facts::FactsView;
use contextd_model::graph::EdgeRow;
use contextd_model::{ContentHash, EdgeKind, SymbolKind};
use contextd_snapshot::{LinkRows, Segment, Snapshot, Wanted};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is linked again and what is taken over.
pub struct Plan<'p> {
    previous: &'p Snapshot,
    parts: Parts,
    /// Numbers of files to link again; they are the same in both snapshots.
    files: BTreeSet<u32>,
}

/// Returns what must be linked again; `None` when that is everything.
pub fn plan<'p>(index: &Path, segments: &[Segment], previous: &'p Snapshot) -> Option<Plan<'p>> {
    let manifest = previous.manifest();
    if segments.len() != previous.segments().len() {
        return None;
    }
    let parts = Parts::read(index, manifest.graph)?;
    if parts.files.len() as u32 != previous.file_count() {
        return None;
    }
    let mut files = BTreeSet::new();
    let mut start = 0;
    for (new, old) in segments.iter().zip(previous.segments()) {
        if new.file_count() != old.file_count() || new.symbol_count() != old.symbol_count() {
            return None;
        }
        for file in (0..new.file_count()).filter(|&file| new.hash(file) != old.hash(file) || new.path(file) != old.path(file)) {
            if !shows_the_same(new, old, file) {
                return None;
            }
            files.insert(start + file);
            files.extend(types_extended_by(previous, start + file));
        }
        start += new.file_count();
    }
    Some(Plan { previous, parts, files })
}

/// True when other files see no difference between the two versions of a file, numbers included.
fn shows_the_same(new: &Segment, old: &Segment, file: u32) -> bool {
    // What a manifest says may change how any import is read.
    if new.path(file) != old.path(file) || new.language(file) != old.language(file) || is_manifest(new.path(file)) {
        return false;
    }
    let (mut new_rows, mut old_rows) = (LinkRows::default(), LinkRows::default());
    let views = (new.facts(file, Wanted::Links, &mut new_rows), old.facts(file, Wanted::Links, &mut old_rows));
    let (Some(new), Some(old)) = views else { return false };
    same_symbols(&new, &old) && interface_fingerprint(new) == interface_fingerprint(old)
}

/// True when all symbols are the same, those inside of bodies too, wherever they stand.
fn same_symbols(new: &FactsView<'_>, old: &FactsView<'_>) -> bool {
    new.symbols.len() == old.symbols.len()
        && new.symbols.iter().zip(old.symbols).all(|(left, right)| {
            let texts = [(left.name, right.name), (left.qualified, right.qualified), (left.type_text, right.type_text)];
            (left.parent, left.kind, left.visibility, left.modifiers) == (right.parent, right.kind, right.visibility, right.modifiers) && texts.into_iter().all(|(left, right)| new.str(left) == old.str(right))
        })
}

/// Returns the files of types that a file extends from outside: their bases carry its lines.
fn types_extended_by(previous: &Snapshot, file: u32) -> Vec<u32> {
    let extensions = previous.symbols_of_file(file).filter(|&symbol| previous.symbol(symbol).kind() == SymbolKind::Extension);
    let outer = extensions.flat_map(|symbol| previous.graph().out(symbol)).filter(|edge| edge.kind() == EdgeKind::MemberOf);
    outer.map(|edge| previous.file_of(edge.target)).collect()
}

/// What linking the files of a plan came to.
pub enum Outcome {
    /// They lead where they led, from the same lines: the graph stays as it is.
    Same,
    New(Links, Parts),
}

impl Plan<'_> {
    /// Links the files of the plan and takes the edges of the others over.
    pub fn link(mut self, segments: &[Segment], keys: &[ContentHash], warm: Option<&Warm>) -> (Outcome, Relinked) {
        let files: Vec<u32> = self.files.iter().copied().collect();
        let first = first_symbols(segments);
        let base = || self.previous.manifest().segments.iter().map(|entry| entry.key).collect();
        let asked = warm.filter(|_| !files.is_empty()).and_then(|warm| warm.relink(base(), keys.to_vec(), files.clone()));
        let linked = asked.unwrap_or_else(|| link_some(segments, &first, &files));
        let declares_owners = |&file: &u32| owners::declares(self.previous.file(file).path());
        if linked.iter().all(|linked| self.leads_the_same(linked)) && !files.iter().any(declares_owners) {
            return (Outcome::Same, Relinked::Files(files));
        }
        let communities = linked.iter().all(|linked| self.weighs_the_same(linked)).then(|| self.communities());
        let mut again: BTreeMap<u32, Edges> = BTreeMap::new();
        for (file, own, part) in linked {
            again.insert(file, own);
            self.parts.files[file as usize] = part;
        }
        let mut links = assemble(&first, &self.parts, |file, edges| match again.get(&file) {
            Some(own) => edges.extend_from_slice(own),
            None => self.take_over(file, edges),
        });
        links.communities = communities.unwrap_or_else(|| contextd_link::communities(&links, &first));
        (Outcome::New(links, self.parts), Relinked::Files(files))
    }

    /// True when nothing that a file adds to the graph is new.
    fn leads_the_same(&self, (file, own, part): &FileLinks) -> bool {
        let mut own = own.clone();
        own.sort_unstable();
        self.own_before(*file) == own && self.parts.files[*file as usize] == *part
    }

    /// True when a file leads where it led, as surely: communities ask for nothing else.
    fn weighs_the_same(&self, (file, own, part): &FileLinks) -> bool {
        let weight = |(source, edge): &(u32, EdgeRow)| (*source, edge.kind, edge.target, edge.confidence);
        let mut before: Vec<_> = self.own_before(*file).iter().map(weight).collect();
        before.sort_unstable();
        before.iter().copied().eq(own.iter().map(weight)) && self.parts.files[*file as usize].joined.iter().map(weight).eq(part.joined.iter().map(weight))
    }

    /// Returns what the symbols of a file led to by themselves, sorted.
    fn own_before(&self, file: u32) -> Edges {
        let mut edges = Edges::new();
        self.take_over(file, &mut edges);
        edges.sort_unstable();
        edges
    }

    fn communities(&self) -> Vec<u32> {
        (0..self.previous.symbol_count()).map(|symbol| self.previous.graph().community(symbol)).collect()
    }

    fn take_over(&self, file: u32, edges: &mut Edges) {
        let own = self.previous.symbols_of_file(file);
        for symbol in own.clone() {
            let taken = self.previous.graph().out(symbol).iter().filter(|edge| !parts::is_joined(symbol, edge, &own));
            edges.extend(taken.map(|edge| (symbol, edge)));
        }
    }
}

/// A file, the edges of its own symbols, and its share in the others.
pub type FileLinks = (u32, Edges, parts::Part);

fn link_some(segments: &[Segment], first: &[u32], files: &[u32]) -> Vec<FileLinks> {
    if files.is_empty() {
        return Vec::new();
    }
    let mut rows = Rows::default();
    let world = World::build(&rows.read(segments));
    let link = |&file: &u32| {
        let (own, part) = parts::split(world.link_file(file as usize), symbols_of(first, file as usize));
        (file, own, part)
    };
    files.par_iter().map(link).collect()
}
