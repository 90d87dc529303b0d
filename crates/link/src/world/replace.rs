//! A world after edits: of bodies, which no other file can see, and of what files show.

use super::reshape::Move;
use super::{World, build};
use crate::interface::shows_the_same;
use crate::key;
use contextd_model::facts::FactsView;

impl<'f> World<'f> {
    /// Puts new facts in place of those of some files, and tells which others may lead elsewhere now. `None` when
    /// the change reaches further than single files, or when a file's numbers do not suffice.
    pub fn with_facts(mut self, changed: &[(usize, FactsView<'f>)]) -> Option<(Self, Vec<u32>)> {
        let old = |file: usize| self.files.get(file).map(|file| file.view);
        let mut same = Vec::new();
        let mut reshaped = Vec::new();
        for &(file, view) in changed {
            let list = if shows_the_same(&old(file)?, &view) { &mut same } else { &mut reshaped };
            list.push((file as u32, view));
        }
        let further = match reshaped[..] {
            [] => Vec::new(),
            [(file, view)] => {
                let step = Move::of(&self, file, &view)?;
                let further = self.telling(&step)?;
                self.reshape(view, &step)?;
                further
            }
            // One may lead through the other.
            _ => return None,
        };
        for &(file, view) in &same {
            self.put(file, view)?;
        }
        for &(file, _) in &same {
            self.renumber_fields(file);
            self.move_bases(file)?;
        }
        Some((self, further))
    }

    /// Points the fields that a file's bindings tell of to their new rows.
    fn renumber_fields(&mut self, file: u32) {
        let rows: Vec<(u32, u64)> = build::assigned_fields(self, file).map(|(row, owner, name)| (row, key::within(u64::from(owner), key::name(name)))).collect();
        // Backwards, so that of several rows for one field the first stays.
        for (row, key) in rows.into_iter().rev() {
            if let Some(slot) = self.fields.get_mut(&key).filter(|slot| slot.0 == file) {
                slot.1 = row;
            }
        }
    }

    /// Gives the bases that a file names their new lines.
    fn move_bases(&mut self, file: u32) -> Option<()> {
        for (owner, supers) in build::bases(self, file) {
            let known = self.supers.get_mut(&owner)?;
            // Bases that several files add to one type cannot be told apart here.
            let same = known.found.len() == supers.found.len() && known.found.iter().zip(&supers.found).all(|(left, right)| left.target == right.target && left.kind == right.kind);
            if !same {
                return None;
            }
            known.found = supers.found;
        }
        Some(())
    }
}
