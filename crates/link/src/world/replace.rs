//! A world after edits: of bodies, which no other file can see, and of what files show.

use super::reshape::Move;
use super::{Brief, World, build};
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
            self.files[file as usize].view = view;
            let first = self.first[file as usize] as usize;
            self.briefs[first..].iter_mut().zip(view.symbols).for_each(|(brief, row)| *brief = Brief::of(row));
        }
        for &(file, _) in &same {
            self.renumber_fields(file);
            self.move_bases(file)?;
        }
        Some((self, further))
    }

    /// Points the fields that a file's bindings tell of to their new rows.
    fn renumber_fields(&mut self, file: u32) {
        let view = self.files[file as usize].view;
        // Backwards, so that of several rows for one field the first stays.
        for (at, row) in view.bindings.iter().enumerate().rev() {
            let Some(name) = view.str(row.name).strip_prefix("self.") else { continue };
            if row.type_text.is_empty() {
                continue;
            }
            if let Some(owner) = self.enclosing_type(file, row.owner)
                && let Some(slot) = self.fields.get_mut(&key::within(u64::from(owner), key::name(name)))
                && slot.0 == file
            {
                slot.1 = at as u32;
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
