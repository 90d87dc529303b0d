//! Both sides of a patch, from the file as it is: before it was applied, or after.

use crate::changes::{FileChange, Hunk, LineRange};
use crate::patch::{PatchLines, read_patch};
use contextd_model::Problem;

/// One file of a patch with the texts of both sides, as far as they could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    pub change: FileChange,
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
    /// False when the file as it is fits neither side of the patch.
    pub fits: bool,
}

/// Reads a patch as [`crate::parse_patch`] does and makes the texts of both sides. `read` returns a
/// file as it is now; a patch that was applied already is taken back, another is applied in memory.
pub fn patched_files(
    patch: &[u8],
    prefix: &str,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> (Vec<PatchedFile>, u32, Vec<Problem>) {
    let (files, outside, mut problems) = read_patch(patch, prefix);
    let mut patched = Vec::new();
    for (change, lines) in files {
        let file = sides(change, &lines, read);
        if !file.fits {
            let message = "The patch fits the file neither before nor after being applied";
            let remedy = "Check out the commit that the patch was made for; its lines were used as they are.";
            problems.push(
                Problem::warning("CTX_W_PATCH_FIT", message, remedy)
                    .at(file.change.path.clone(), None),
            );
        }
        patched.push(file);
    }
    (patched, outside, problems)
}

fn sides(
    change: FileChange,
    lines: &PatchLines,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> PatchedFile {
    let made = |old: Option<Vec<u8>>, new: Option<Vec<u8>>, fits| (old, new, fits);
    let (old, new, fits) = if change.binary {
        made(None, None, true)
    } else if change.old_path().is_none() {
        made(None, Some(joined(&lines.added)), true)
    } else if change.new_path().is_none() {
        made(Some(joined(&lines.removed)), None, true)
    } else {
        let after = change.new_path().and_then(read);
        let before = change.old_path().and_then(read);
        let is_applied = !lines.added.is_empty() || before.is_none();
        let undone = || Some((undo(after.as_deref()?, &change.hunks, lines)?, after.clone()?));
        let applied = || Some((before.clone()?, apply(before.as_deref()?, &change.hunks, lines)?));
        let found = if is_applied { undone().or_else(applied) } else { applied().or_else(undone) };
        match found {
            Some((old, new)) => made(Some(old), Some(new), true),
            None => made(None, None, change.hunks.is_empty()),
        }
    };
    PatchedFile { change, old, new, fits }
}

fn apply(text: &[u8], hunks: &[Hunk], lines: &PatchLines) -> Option<Vec<u8>> {
    replace(text, hunks.iter().map(|hunk| (hunk.old, hunk.new.count)), &lines.removed, &lines.added)
}

fn undo(text: &[u8], hunks: &[Hunk], lines: &PatchLines) -> Option<Vec<u8>> {
    replace(text, hunks.iter().map(|hunk| (hunk.new, hunk.old.count)), &lines.added, &lines.removed)
}

/// Replaces ranges of lines, each by the next so many of `to`; `None` when the text does not have
/// the lines `from` there.
fn replace(
    text: &[u8],
    ranges: impl Iterator<Item = (LineRange, u32)>,
    from: &[Vec<u8>],
    to: &[Vec<u8>],
) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let (mut from, mut to) = (from.iter(), to.iter());
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0usize);
    for (range, count) in ranges {
        let start = (range.start as usize).checked_sub(1)?;
        out.extend(lines.get(at..start)?.concat());
        for line in lines.get(start..start + range.count as usize)? {
            if without_end(line) != without_end(from.next()?) {
                return None;
            }
        }
        for _ in 0..count {
            out.extend_from_slice(without_end(to.next()?));
            out.push(b'\n');
        }
        at = start + range.count as usize;
    }
    out.extend(lines.get(at..)?.concat());
    Some(out)
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().copied().chain(std::iter::once(b'\n'))).collect()
}
