//! Which commits a branch adds, and to what.

use crate::repository::Repository;
use crate::rows::CommitId;
use crate::view::HistoryView;
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that default branches commonly have, tried in this order.
const USUAL: [&str; 4] = ["main", "master", "trunk", "develop"];

impl Repository {
    /// Returns the name of the branch that work is merged into: what the remote calls its head, else
    /// a branch with a usual name, a remote's before a local one.
    pub fn default_branch(&self) -> Option<String> {
        let remote_head = || {
            let head = self.git.find_reference("refs/remotes/origin/HEAD").ok()?;
            let target = head.target().try_name()?.as_bstr().to_string();
            self.resolve(&target)?;
            Some(target.trim_start_matches("refs/remotes/").to_owned())
        };
        let places = ["refs/remotes/origin/", "refs/heads/"];
        let usual = || {
            let names =
                places.iter().flat_map(|place| USUAL.iter().map(move |name| (*place, *name)));
            let found = names
                .into_iter()
                .find(|(place, name)| self.resolve(&format!("{place}{name}")).is_some())?;
            Some(match found {
                ("refs/heads/", name) => name.to_owned(),
                (_, name) => format!("origin/{name}"),
            })
        };
        remote_head().or_else(usual)
    }
}

impl HistoryView<'_> {
    /// Returns the numbers of the commits that `head` has and `base` has not, newest first; none
    /// when the head is not in the history.
    pub fn added_since(&self, base: Option<CommitId>, head: CommitId) -> Vec<u32> {
        let numbers: FxHashMap<CommitId, u32> =
            self.commits().map(|commit| (commit.id(), commit.number)).collect();
        let reach = |from: CommitId| {
            let mut seen: FxHashSet<u32> = FxHashSet::default();
            let mut open: Vec<u32> = numbers.get(&from).copied().into_iter().collect();
            while let Some(number) = open.pop() {
                if !seen.insert(number) {
                    continue;
                }
                let parents =
                    self.commit(number).map(|commit| commit.parents()).unwrap_or_default();
                open.extend(parents.iter().filter_map(|parent| numbers.get(parent)));
            }
            seen
        };
        let before = base.map(reach).unwrap_or_default();
        let mut added: Vec<u32> = reach(head).difference(&before).copied().collect();
        added.sort_unstable();
        added
    }
}
