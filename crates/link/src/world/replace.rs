//! A world after edits that no other file can see.

use super::{Brief, World, build};
use crate::key;
use contextd_model::facts::FactsView;

impl<'f> World<'f> {
    /// Puts new facts in place of those of some files. Their interfaces and all their symbols must be
    /// what they were; only bodies, places and local names may differ. `None` when that cannot be done
    /// without building anew.
    pub fn with_facts(mut self, changed: &[(usize, FactsView<'f>)]) -> Option<Self> {
        for &(file, view) in changed {
            self.files.get_mut(file)?.view = view;
            let first = *self.first.get(file)? as usize;
            for (brief, row) in self.briefs.get_mut(first..first + view.symbols.len())?.iter_mut().zip(view.symbols) {
                *brief = Brief::of(row);
            }
        }
        for &(file, _) in changed {
            self.renumber_fields(file as u32);
            self.move_bases(file as u32)?;
        }
        Some(self)
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
