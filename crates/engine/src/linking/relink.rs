//! Which files a change can affect, and linking only those.
//!
//! A file's edges depend on its own facts and on what the others show of themselves. When the files that changed show
//! what they showed before, no other edge can change. Else the linker's tables, kept from before with notes of what each
//! file asked of them, tell whose edges can; all others are taken over, to where their ends have moved.

mod patching;

use super::assembly::{Assembled, Edges, assemble};
use super::owners;
use super::parts::{self, Part, Parts};
use super::pulls::Pulls;
use super::rows::{Rows, first_symbols, symbols_of};
use super::warm::Warm;
use super::{Before, Made, Relinked, lay_out};
use contextd_link::{Change, World, is_manifest, shows_the_same};
use contextd_model::facts::NONE;
use contextd_model::graph::EdgeRow;
use contextd_model::{ContentHash, EdgeKind, SymbolKind};
use contextd_snapshot::{LinkRows, Segment, Snapshot, Wanted};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is linked again and what is taken over.
pub struct Plan<'p> {
    previous: &'p Snapshot,
    parts: Parts,
    /// Numbers of files to link again; they are the same in both snapshots.
    files: BTreeSet<u32>,
    /// Where symbols have moved, when files have others than before.
    moved: Option<Moved>,
    /// Others see a difference, so more files may have to be linked again.
    reaches_others: bool,
}

/// New numbers of symbols, by their old ones; [`NONE`] for those that are gone.
struct Moved {
    numbers: Vec<u32>,
}

/// Returns what must be linked again; `None` when that is everything.
pub fn plan<'p>(segments: &[Segment], Before { previous, parts }: Before<'p>) -> Option<Plan<'p>> {
    if segments.len() != previous.segments().len()
        || parts.files.len() as u32 != previous.file_count()
    {
        return None;
    }
    let mut files = BTreeSet::new();
    let mut changes = BTreeMap::new();
    let mut start = 0;
    for (new, old) in segments.iter().zip(previous.segments()) {
        if new.file_count() != old.file_count() {
            return None;
        }
        for file in (0..new.file_count())
            .filter(|&file| new.hash(file) != old.hash(file) || new.path(file) != old.path(file))
        {
            if let Seen::Other(change) = compare(new, old, file)? {
                changes.insert(start + file, change);
            }
            files.insert(start + file);
            files.extend(types_extended_by(previous, start + file));
        }
        start += new.file_count();
    }
    let moves = changes.values().any(|change| !change.is_none());
    let moved = moves.then(|| Moved::of(previous, &first_symbols(segments), &changes));
    Some(Plan { previous, parts, files, moved, reaches_others: !changes.is_empty() })
}

/// What other files see of a file's new version.
enum Seen {
    /// What they saw, numbers included.
    Same,
    Other(Change),
}

/// Compares two versions of a file; `None` when all files may see the difference.
fn compare(new: &Segment, old: &Segment, file: u32) -> Option<Seen> {
    // What a manifest says may change how any import is read.
    if new.path(file) != old.path(file)
        || new.language(file) != old.language(file)
        || is_manifest(new.path(file))
    {
        return None;
    }
    let (mut new_rows, mut old_rows) = (LinkRows::default(), LinkRows::default());
    let (new, old) = (
        new.facts(file, Wanted::Links, &mut new_rows)?,
        old.facts(file, Wanted::Links, &mut old_rows)?,
    );
    Some(if shows_the_same(&old, &new) {
        Seen::Same
    } else {
        Seen::Other(Change::between(&old, &new))
    })
}

impl Moved {
    fn of(previous: &Snapshot, first: &[u32], changes: &BTreeMap<u32, Change>) -> Self {
        let mut numbers = Vec::with_capacity(previous.symbol_count() as usize);
        for file in 0..previous.file_count() {
            let start = first[file as usize];
            match changes.get(&file) {
                None => numbers.extend(start..start + previous.symbols_of_file(file).len() as u32),
                Some(change) => numbers.extend(
                    change.rows.iter().map(|&row| if row == NONE { NONE } else { start + row }),
                ),
            }
        }
        Self { numbers }
    }

    fn number(&self, symbol: u32) -> Option<u32> {
        self.numbers.get(symbol as usize).copied().filter(|&number| number != NONE)
    }

    /// Moves both ends of an edge; `None` when one is gone.
    fn edge(&self, (source, edge): &(u32, EdgeRow)) -> Option<(u32, EdgeRow)> {
        Some((self.number(*source)?, EdgeRow { target: self.number(edge.target)?, ..*edge }))
    }

    /// Moves what a file adds beside the edges of its own symbols.
    fn part(&self, part: &mut Part) -> Option<()> {
        part.joined = part.joined.iter().map(|edge| self.edge(edge)).collect::<Option<_>>()?;
        for edge in &mut part.outside {
            edge.source = self.number(edge.source)?;
        }
        Some(())
    }
}

/// Returns the files of types that a file extends from outside: their bases carry its lines.
fn types_extended_by(previous: &Snapshot, file: u32) -> Vec<u32> {
    let extensions = previous
        .symbols_of_file(file)
        .filter(|&symbol| previous.symbol(symbol).kind() == SymbolKind::Extension);
    let outer = extensions
        .flat_map(|symbol| previous.graph().out(symbol))
        .filter(|edge| edge.kind() == EdgeKind::MemberOf);
    outer.map(|edge| previous.file_of(edge.target)).collect()
}

/// What files that were linked again say now.
#[derive(Default)]
pub struct Again {
    /// The edges of their own symbols, by file.
    own: BTreeMap<u32, Edges>,
    /// Symbols of whose joined edges some were, or are, theirs.
    joined: BTreeSet<u32>,
}

/// What linking the files of a plan came to.
pub enum Outcome {
    /// They lead where they led, from the same lines: the graph stays as it is.
    Same,
    New(Made),
}

impl Plan<'_> {
    /// Links the files of the plan and takes the edges of the others over; `None` when everything is to be linked.
    pub fn link(
        mut self,
        segments: &[Segment],
        keys: &[ContentHash],
        warm: Option<&Warm>,
    ) -> Option<(Outcome, Relinked)> {
        let files: Vec<u32> = self.files.iter().copied().collect();
        let first = first_symbols(segments);
        let base = || self.previous.manifest().segments.iter().map(|entry| entry.key).collect();
        let asked = warm
            .filter(|_| !files.is_empty())
            .and_then(|warm| warm.relink(base(), keys.to_vec(), files.clone()));
        let linked = match asked {
            Some(linked) => linked,
            // Only tables from before can tell what else the change reaches.
            None if self.reaches_others => return None,
            None => link_some(segments, &first, &files),
        };
        let files: Vec<u32> = linked.iter().map(|(file, ..)| *file).collect();
        let declares_owners = |&file: &u32| owners::declares(self.previous.file(file).path());
        if self.moved.is_none()
            && linked.iter().all(|linked| self.leads_the_same(linked))
            && !files.iter().any(declares_owners)
        {
            return Some((Outcome::Same, Relinked::Files(files)));
        }
        let again = self.replace_parts(linked)?;
        let none = Pulls::default();
        let made = match patching::patched(
            &mut self,
            &again,
            segments,
            &first,
            warm.map_or(&none, Warm::pulls),
        ) {
            Some(made) => made,
            None => lay_out(
                self.assembled(&again.own, &first)?,
                std::mem::take(&mut self.parts),
                segments,
                &first,
            ),
        };
        Some((Outcome::New(made), Relinked::Files(files)))
    }

    /// Puts all edges in order; `None` when one that is taken over leads to what is gone.
    fn assembled(&self, again: &BTreeMap<u32, Edges>, first: &[u32]) -> Option<Assembled> {
        let is_lost = AtomicBool::new(false);
        let assembled = assemble(first, &self.parts, |file, edges| match again.get(&file) {
            Some(own) => edges.extend_from_slice(own),
            None => {
                if self.take_over(file, edges).is_none() {
                    is_lost.store(true, Ordering::Relaxed);
                }
            }
        });
        (!is_lost.into_inner()).then_some(assembled)
    }

    /// Puts the shares of files that were linked again in their place; `None` when one of another file leads to what is gone.
    fn replace_parts(&mut self, linked: Vec<FileLinks>) -> Option<Again> {
        let mut again = Again::default();
        for (file, own, part) in linked {
            again.own.insert(file, own);
            let before = std::mem::replace(&mut self.parts.files[file as usize], part);
            let sources = before.joined.iter().filter_map(|(source, _)| self.number(*source));
            again.joined.extend(
                sources.chain(
                    self.parts.files[file as usize].joined.iter().map(|(source, _)| *source),
                ),
            );
        }
        if let Some(moved) = &self.moved {
            let others = self
                .parts
                .files
                .iter_mut()
                .zip(0..)
                .filter(|(_, file)| !again.own.contains_key(file));
            others.map(|(part, _)| moved.part(part)).collect::<Option<()>>()?;
        }
        Some(again)
    }

    /// Returns the number of a symbol now; `None` when it is gone.
    fn number(&self, symbol: u32) -> Option<u32> {
        self.moved.as_ref().map_or(Some(symbol), |moved| moved.number(symbol))
    }

    /// Returns an edge with where it leads now; `None` when that is gone.
    fn edge(&self, edge: EdgeRow) -> Option<EdgeRow> {
        Some(EdgeRow { target: self.number(edge.target)?, ..edge })
    }

    /// True when nothing that a file adds to the graph is new.
    fn leads_the_same(&self, (file, own, part): &FileLinks) -> bool {
        let mut own = own.clone();
        own.sort_unstable();
        self.own_before(*file) == own && self.parts.files[*file as usize] == *part
    }

    /// Returns what the symbols of a file led to by themselves, sorted.
    fn own_before(&self, file: u32) -> Edges {
        let mut edges = Edges::new();
        self.each_own_edge(file, |symbol, edge| edges.push((symbol, edge)));
        edges.sort_unstable();
        edges
    }

    fn each_own_edge(&self, file: u32, mut each: impl FnMut(u32, EdgeRow)) {
        let own = self.previous.symbols_of_file(file);
        for symbol in own.clone() {
            own_edges(self.previous, symbol, &own).for_each(|edge| each(symbol, edge));
        }
    }

    /// Hands out the edges that a file's own symbols had, where their ends are now; `None` when one leads to what is gone.
    fn take_over(&self, file: u32, edges: &mut Edges) -> Option<()> {
        let start = edges.len();
        self.each_own_edge(file, |symbol, edge| edges.push((symbol, edge)));
        if let Some(moved) = &self.moved {
            for edge in &mut edges[start..] {
                *edge = moved.edge(edge)?;
            }
        }
        Some(())
    }
}

/// Returns the edges that a symbol has by what its own file says.
fn own_edges<'p>(
    previous: &'p Snapshot,
    symbol: u32,
    own: &'p Range<u32>,
) -> impl Iterator<Item = EdgeRow> + use<'p> {
    previous.graph().out(symbol).iter().filter(move |edge| !parts::is_joined(symbol, edge, own))
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
        let (own, part) =
            parts::split(world.link_file(file as usize), symbols_of(first, file as usize));
        (file, own, part)
    };
    files.par_iter().map(link).collect()
}
