//! Linking files with notes of what they ask of the others.

use super::{Look, World, build, implements};
use crate::edges::{self, FileLinks};
use crate::reads::{Questions, Reads, Seen};
use rayon::prelude::*;

impl<'f> World<'f> {
    /// Returns the edges that a file's facts give rise to, and what could not be resolved in it.
    pub fn link_file(&self, file: usize) -> FileLinks {
        edges::link_file(self.seen_from(file as u32))
    }

    /// Links a file, and tells what it asked.
    pub fn link_noted(&self, file: u32, seen: &Seen) -> (FileLinks, Questions) {
        let links = edges::link_file(self.noted_from(file, seen));
        (links, seen.take())
    }

    /// Finds out what every file asks. `goes_on` is asked again and again; `None` when it says no.
    pub fn reads(&mut self, goes_on: impl Fn() -> bool + Sync) -> Option<Reads> {
        let files: Vec<u32> = (0..self.files.len() as u32).collect();
        let asked = |noted: Vec<(u32, Option<()>, Questions)>| {
            noted
                .into_iter()
                .map(|(_, done, questions)| done.map(|()| questions))
                .collect::<Option<Vec<_>>>()
        };
        let outer = asked(self.before_types(|world| {
            world.noted(&files, |look| goes_on().then(|| drop(build::outer_types(look))))
        }))?;
        let bases = asked(self.before_bases(|world| {
            world.noted(&files, |look| goes_on().then(|| drop(build::bases(look))))
        }))?;
        let satisfied = asked(
            self.noted(&files, |look| goes_on().then(|| drop(implements::satisfied_of(look)))),
        )?;
        let late =
            asked(self.noted(&files, |look| goes_on().then(|| drop(edges::link_file(look)))))?;
        let mut reads = Reads::of(outer, late, self.numbers.clone());
        for (file, questions) in (0..).zip(bases).chain((0..).zip(satisfied)) {
            reads.add_early(file, &questions);
        }
        Some(reads)
    }

    /// Does something for files and tells what each asked.
    pub(super) fn noted<T: Send>(
        &self,
        files: &[u32],
        ask: impl Fn(Look<'_, 'f>) -> T + Sync,
    ) -> Vec<(u32, T, Questions)> {
        let one =
            |seen: &mut Seen, &file: &u32| (file, ask(self.noted_from(file, seen)), seen.take());
        files.par_iter().with_min_len(16).map_init(Seen::default, one).collect()
    }

    /// Runs with the tables as they are when the types of members outside of them are looked for.
    pub(super) fn before_types<T>(&mut self, run: impl FnOnce(&Self) -> T) -> T {
        let (attached, outer, fields) = (
            std::mem::take(&mut self.attached),
            std::mem::take(&mut self.outer),
            std::mem::take(&mut self.fields),
        );
        let result = self.before_bases(run);
        (self.attached, self.outer, self.fields) = (attached, outer, fields);
        result
    }

    /// Runs with the tables as they are when bases are looked for.
    pub(super) fn before_bases<T>(&mut self, run: impl FnOnce(&Self) -> T) -> T {
        let (supers, satisfied) =
            (std::mem::take(&mut self.supers), std::mem::take(&mut self.satisfied));
        let result = run(self);
        (self.supers, self.satisfied) = (supers, satisfied);
        result
    }
}
