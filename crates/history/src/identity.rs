//! Which file at the head a path in an old commit belongs to.

use crate::rows::{ChangeKind, NONE, TouchRow};
use rustc_hash::FxHashMap;

/// Renames followed at most, from one name to the next.
const MAX_CHAIN: usize = 32;

/// Fills [`TouchRow::file`] of all touches. `ends` gives the end of each commit's touches, newest
/// commit first; `present` tells which paths exist at the head.
///
/// Going back in time, a rename hands the older name to the file that now has the newer one. On
/// parallel branches the old name can still be in use after the rename; such a touch is led to the
/// file through the newest rename away from that name.
pub(crate) fn follow_renames(touches: &mut [TouchRow], ends: &[u32], present: &[bool]) {
    let mut now: FxHashMap<u32, u32> = FxHashMap::default();
    let mut newest: FxHashMap<u32, u32> = FxHashMap::default();
    let mut start = 0;
    for &end in ends {
        let commit = &mut touches[start..end as usize];
        for touch in commit.iter_mut() {
            touch.file = now.get(&touch.path).copied().unwrap_or(touch.path);
        }
        for touch in commit.iter() {
            if touch.kind() == ChangeKind::Renamed && touch.from != NONE {
                now.insert(touch.from, touch.file);
                newest.entry(touch.from).or_insert(touch.path);
            }
        }
        start = end as usize;
    }
    let is_present = |file: u32| present.get(file as usize).copied().unwrap_or(false);
    for touch in touches.iter_mut().filter(|touch| !is_present(touch.file)) {
        let mut file = touch.file;
        for _ in 0..MAX_CHAIN {
            match newest.get(&file) {
                Some(&next) if !is_present(file) => file = next,
                _ => break,
            }
        }
        if is_present(file) {
            touch.file = file;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: u32, from: u32) -> TouchRow {
        let kind = if from == NONE { ChangeKind::Modified } else { ChangeKind::Renamed };
        TouchRow { path, file: 0, from, kind: kind as u8, pad: [0; 3] }
    }

    fn check(touches: &[TouchRow], ends: &[u32], present: &[bool], expected: &[u32]) {
        let mut touches = touches.to_vec();
        follow_renames(&mut touches, ends, present);
        assert_eq!(touches.iter().map(|touch| touch.file).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn old_names_lead_to_the_name_at_the_head() {
        // 0 → 1 → 2, each touched before its rename.
        let touches = [touch(2, NONE), touch(2, 1), touch(1, NONE), touch(1, 0), touch(0, NONE)];
        check(&touches, &[1, 2, 3, 4, 5], &[false, false, true], &[2, 2, 2, 2, 2]);
    }

    #[test]
    fn a_name_used_again_is_another_file() {
        let touches = [touch(0, NONE), touch(1, 0), touch(0, NONE)];
        check(&touches, &[1, 2, 3], &[true, true], &[0, 1, 1]);
    }

    #[test]
    fn swapped_names_are_told_apart() {
        let touches = [touch(0, 1), touch(1, 0), touch(0, NONE), touch(1, NONE)];
        check(&touches, &[2, 4], &[true, true], &[0, 1, 1, 0]);
    }

    #[test]
    fn work_on_a_branch_under_the_old_name_counts_for_the_new_one() {
        let touches = [touch(0, NONE), touch(1, 0)];
        check(&touches, &[1, 2], &[false, true], &[1, 1]);
    }

    #[test]
    fn rename_cycles_end() {
        let touches = [touch(0, 1), touch(1, 0)];
        check(&touches, &[1, 2], &[false, false], &[0, 0]);
    }
}
