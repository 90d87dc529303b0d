//! Files that differ between two trees, found without reading a blob.

use gix::bstr::{BStr, BString, ByteVec};
use gix::diff::tree::visit::{Action, Change};
use gix::diff::tree::{State, Visit};
use gix::objs::TreeRefIter;
use gix::objs::tree::EntryKind;
use gix::prelude::FindExt;
use std::collections::VecDeque;

/// One path that differs; a side is `None` where the path does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeChange {
    pub path: BString,
    pub old: Option<Side>,
    pub new: Option<Side>,
}

/// An entry of a tree that is not a tree itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub kind: EntryKind,
    pub id: gix::ObjectId,
}

impl Side {
    /// True for files with lines: submodules and symbolic links have none.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, EntryKind::Blob | EntryKind::BlobExecutable)
    }
}

/// Changes of one comparison, in path order.
pub(crate) struct TreeChanges {
    pub changes: Vec<TreeChange>,
    /// More than `limit` paths differ; the rest is not listed.
    pub cut: bool,
}

/// Compares two trees; `None` stands for the empty tree. Fails when a tree is missing or damaged.
pub(crate) fn tree_changes(
    git: &gix::Repository,
    old: Option<gix::ObjectId>,
    new: gix::ObjectId,
    limit: usize,
    state: &mut State,
) -> Result<TreeChanges, String> {
    let (mut old_bytes, mut new_bytes) = (Vec::new(), Vec::new());
    let kind = new.kind();
    let old_tree = match old {
        Some(id) => {
            git.objects.find_tree_iter(&id, &mut old_bytes).map_err(|error| error.to_string())?
        }
        None => TreeRefIter::from_bytes(&[], kind),
    };
    let new_tree =
        git.objects.find_tree_iter(&new, &mut new_bytes).map_err(|error| error.to_string())?;
    let mut listing = Listing { limit, ..Listing::default() };
    match gix::diff::tree(old_tree, new_tree, state, &git.objects, &mut listing) {
        Ok(()) | Err(gix::diff::tree::Error::Cancelled) => {}
        Err(error) => return Err(error.to_string()),
    }
    let mut changes = listing.changes;
    changes.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(TreeChanges { changes: merge_sides(changes), cut: listing.cut })
}

/// Joins a deletion and an addition of the same path: a file that became a link, say.
fn merge_sides(changes: Vec<TreeChange>) -> Vec<TreeChange> {
    let mut merged: Vec<TreeChange> = Vec::with_capacity(changes.len());
    for change in changes {
        match merged.last_mut() {
            Some(last) if last.path == change.path => {
                last.old = last.old.or(change.old);
                last.new = last.new.or(change.new);
            }
            _ => merged.push(change),
        }
    }
    merged
}

#[derive(Default)]
struct Listing {
    path: BString,
    waiting: VecDeque<BString>,
    changes: Vec<TreeChange>,
    limit: usize,
    cut: bool,
}

impl Listing {
    fn append(&mut self, component: &BStr) {
        if component.is_empty() {
            return;
        }
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.push_str(component);
    }

    fn leave(&mut self) {
        let end = self.path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        self.path.truncate(end);
    }
}

impl Visit for Listing {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.waiting.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.append(component);
        self.waiting.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.append(component);
    }

    fn pop_path_component(&mut self) {
        self.leave();
    }

    fn visit(&mut self, change: Change) -> Action {
        let (old, new) = match change {
            Change::Addition { entry_mode, oid, .. } => (None, Some((entry_mode, oid))),
            Change::Deletion { entry_mode, oid, .. } => (Some((entry_mode, oid)), None),
            Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid } => {
                (Some((previous_entry_mode, previous_oid)), Some((entry_mode, oid)))
            }
        };
        let side = |side: Option<(gix::objs::tree::EntryMode, gix::ObjectId)>| {
            side.map(|(mode, id)| Side { kind: mode.kind(), id })
                .filter(|side| side.kind != EntryKind::Tree)
        };
        let (old, new) = (side(old), side(new));
        if old.is_none() && new.is_none() {
            return Action::Continue(());
        }
        if self.changes.len() >= self.limit {
            self.cut = true;
            return Action::Break(());
        }
        self.changes.push(TreeChange { path: self.path.clone(), old, new });
        Action::Continue(())
    }
}
