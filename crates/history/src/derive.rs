//! What follows from the touches: the commits of each file and the files that change with it.

use crate::rows::{FileRow, PartnerRow, TouchRow, file_flag};

/// Commits that touch more files say nothing about what belongs together.
pub(crate) const MAX_FILES_TOGETHER: usize = 30;
/// Partners kept for a file.
pub(crate) const MAX_PARTNERS: usize = 20;

/// Derived tables, in the order of files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Derived {
    pub files: Vec<FileRow>,
    /// Commit numbers of each file, newest first.
    pub file_commits: Vec<u32>,
    pub partners: Vec<PartnerRow>,
}

/// Files of each commit, with whether the commit is small enough to count for co-change.
pub(crate) struct CommitFiles<'a> {
    pub touches: &'a [TouchRow],
    /// End of each commit's touches.
    pub ends: &'a [u32],
    /// Files of each commit outside the root.
    pub outside: &'a [u32],
}

impl CommitFiles<'_> {
    fn of(&self, commit: usize) -> &[TouchRow] {
        let start = if commit == 0 { 0 } else { self.ends[commit - 1] as usize };
        &self.touches[start..self.ends[commit] as usize]
    }

    fn counts_together(&self, commit: usize) -> bool {
        self.of(commit).len() + self.outside[commit] as usize <= MAX_FILES_TOGETHER
    }
}

/// Computes the derived tables for `present.len()` files.
pub(crate) fn derive(commits: &CommitFiles<'_>, present: &[bool]) -> Derived {
    let (starts, file_commits) = invert(commits, present.len());
    let mut derived = Derived { file_commits, ..Derived::default() };
    let mut counts = vec![0u32; present.len()];
    for (file, &here) in present.iter().enumerate() {
        let end = starts[file + 1];
        if here {
            let own = &derived.file_commits[starts[file] as usize..end as usize];
            let found = partners(commits, file as u32, own, present, &mut counts);
            derived.partners.extend(found);
        }
        let flags = if here { file_flag::PRESENT } else { 0 };
        derived.files.push(FileRow {
            commits_end: end,
            partners_end: derived.partners.len() as u32,
            flags,
        });
    }
    derived
}

/// Returns the start of each file's list and the lists: commit numbers, each once.
fn invert(commits: &CommitFiles<'_>, files: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; files + 1];
    let mut last = vec![u32::MAX; files];
    let mut visit = |act: &mut dyn FnMut(usize, u32)| {
        last.fill(u32::MAX);
        for commit in 0..commits.ends.len() {
            for touch in commits.of(commit) {
                // A commit can reach one file twice, through a rename and a path of the same name.
                if std::mem::replace(&mut last[touch.file as usize], commit as u32) != commit as u32
                {
                    act(touch.file as usize, commit as u32);
                }
            }
        }
    };
    visit(&mut |file, _| starts[file + 1] += 1);
    for file in 0..files {
        starts[file + 1] += starts[file];
    }
    let mut next = starts.clone();
    let mut lists = vec![0u32; starts[files] as usize];
    visit(&mut |file, commit| {
        lists[next[file] as usize] = commit;
        next[file] += 1;
    });
    (starts, lists)
}

/// Returns the files most often touched together with `file`; `counts` is all zero before and after.
fn partners(
    commits: &CommitFiles<'_>,
    file: u32,
    own: &[u32],
    present: &[bool],
    counts: &mut [u32],
) -> Vec<PartnerRow> {
    let mut seen = Vec::new();
    for &commit in own.iter().filter(|&&commit| commits.counts_together(commit as usize)) {
        let mut here: Vec<u32> =
            commits.of(commit as usize).iter().map(|touch| touch.file).collect();
        here.sort_unstable();
        here.dedup();
        for other in here {
            if other == file || !present[other as usize] {
                continue;
            }
            if counts[other as usize] == 0 {
                seen.push(other);
            }
            counts[other as usize] += 1;
        }
    }
    let mut found: Vec<PartnerRow> = seen
        .into_iter()
        .map(|other| PartnerRow { file: other, count: std::mem::take(&mut counts[other as usize]) })
        .collect();
    found.sort_unstable_by_key(|partner| (std::cmp::Reverse(partner.count), partner.file));
    found.truncate(MAX_PARTNERS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn tables(commits: &[Vec<u32>], outside: &[u32], present: &[bool]) -> Derived {
        let row = |&file: &u32| TouchRow { path: file, file, ..TouchRow::default() };
        let touches: Vec<TouchRow> = commits.iter().flatten().map(row).collect();
        let ends: Vec<u32> = commits
            .iter()
            .scan(0, |end, files| {
                *end += files.len() as u32;
                Some(*end)
            })
            .collect();
        let files = CommitFiles { touches: &touches, ends: &ends, outside };
        derive(&files, present)
    }

    fn range<T>(
        rows: &[T],
        ends: impl Fn(&FileRow) -> u32,
        files: &[FileRow],
        file: usize,
    ) -> Vec<T>
    where
        T: Clone,
    {
        let start = if file == 0 { 0 } else { ends(&files[file - 1]) };
        rows[start as usize..ends(&files[file]) as usize].to_vec()
    }

    #[test]
    fn large_commits_and_files_outside_do_not_count_together() {
        let large: Vec<u32> = (0..31).collect();
        let derived = tables(&[large, vec![0, 1], vec![0, 1]], &[0, 0, 29], &[true; 31]);
        let partners = range(&derived.partners, |row| row.partners_end, &derived.files, 0);
        assert_eq!(partners, [PartnerRow { file: 1, count: 1 }]);
        let commits = range(&derived.file_commits, |row| row.commits_end, &derived.files, 0);
        assert_eq!(commits, [0, 1, 2]);
    }

    #[test]
    fn only_the_most_frequent_partners_are_kept() {
        let mut commits: Vec<Vec<u32>> = (1..26).map(|file| vec![0, file]).collect();
        commits.push(vec![0, 25]);
        let derived = tables(&commits, &[0; 26], &[true; 26]);
        let partners = range(&derived.partners, |row| row.partners_end, &derived.files, 0);
        assert_eq!(partners.len(), MAX_PARTNERS);
        assert_eq!((partners[0].file, partners[0].count, partners[1].file), (25, 2, 1));
    }

    proptest! {
        #[test]
        fn the_tables_are_those_of_a_plain_count(
            commits in proptest::collection::vec(proptest::collection::vec(0u32..8, 0..6), 0..20),
            present in proptest::collection::vec(any::<bool>(), 8),
        ) {
            let derived = tables(&commits, &vec![0; commits.len()], &present);
            for file in 0..8u32 {
                let own: Vec<u32> = (0..commits.len() as u32).filter(|&at| commits[at as usize].contains(&file)).collect();
                prop_assert_eq!(&range(&derived.file_commits, |row| row.commits_end, &derived.files, file as usize), &own);
                let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
                for &commit in &own {
                    for other in commits[commit as usize].iter().collect::<BTreeSet<_>>() {
                        if *other != file && present[*other as usize] && present[file as usize] {
                            *counts.entry(*other).or_default() += 1;
                        }
                    }
                }
                let found = range(&derived.partners, |row| row.partners_end, &derived.files, file as usize);
                prop_assert!(found.is_sorted_by_key(|partner| (std::cmp::Reverse(partner.count), partner.file)));
                let found: BTreeMap<u32, u32> = found.iter().map(|partner| (partner.file, partner.count)).collect();
                prop_assert_eq!(found, counts);
            }
        }
    }
}
