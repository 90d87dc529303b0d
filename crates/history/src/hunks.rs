//! Changed lines of two texts.

use crate::changes::{Hunk, LineRange};
use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};

/// Bytes in which a NUL makes a file binary, as git has it.
const BINARY_PROBE: usize = 8_000;
/// Larger texts are not compared line by line; they count as replaced whole.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// Equal lines around the changes that are compared nevertheless: a change slides over so many at most.
const MARGIN: usize = 100;

/// Returns the changed lines, or `None` when a side is binary.
pub fn line_hunks(old: &[u8], new: &[u8]) -> Option<Vec<Hunk>> {
    if is_binary(old) || is_binary(new) {
        return None;
    }
    if old.len().max(new.len()) > MAX_TEXT {
        let whole = Hunk { old: all_lines(old), new: all_lines(new) };
        return Some(if old == new { Vec::new() } else { vec![whole] });
    }
    let same = common_lines(old, new);
    let input = InternedInput::new(
        &old[same.before..old.len() - same.after],
        &new[same.before..new.len() - same.after],
    );
    let diff = diff_with_slider_heuristics(Algorithm::Myers, &input);
    let range = |range: std::ops::Range<u32>| LineRange {
        start: same.lines + range.start + 1,
        count: range.end - range.start,
    };
    Some(
        diff.hunks().map(|hunk| Hunk { old: range(hunk.before), new: range(hunk.after) }).collect(),
    )
}

/// What two texts have in common at both ends, in whole lines.
struct Common {
    /// Bytes at the start, and the lines they are.
    before: usize,
    lines: u32,
    /// Bytes at the end.
    after: usize,
}

/// Finds lines that need not be compared because both texts begin or end with them. Some stay:
/// where a change is shown depends on the equal lines around it.
fn common_lines(old: &[u8], new: &[u8]) -> Common {
    let equal = |pair: &(&u8, &u8)| pair.0 == pair.1;
    let start = old.iter().zip(new).take_while(equal).count();
    let mut lines = old[..start].rsplit(|&byte| byte == b'\n');
    let kept: usize = lines.by_ref().take(MARGIN + 1).map(|line| line.len() + 1).sum();
    let before = (start + 1).saturating_sub(kept);
    let lines = old[..before].iter().filter(|&&byte| byte == b'\n').count() as u32;
    let (old, new) = (&old[before..], &new[before..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(equal).count();
    let mut rest = old[old.len() - end..].split_inclusive(|&byte| byte == b'\n');
    let kept: usize = rest.by_ref().take(MARGIN + 1).map(<[u8]>::len).sum();
    Common { before, lines, after: end - kept }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

fn all_lines(bytes: &[u8]) -> LineRange {
    LineRange { start: 1, count: bytes.split_inclusive(|&byte| byte == b'\n').count() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hunk(old: (u32, u32), new: (u32, u32)) -> Hunk {
        let range = |(start, count)| LineRange { start, count };
        Hunk { old: range(old), new: range(new) }
    }

    #[test]
    fn hunks_name_changed_lines() {
        let check = |old: &str, new: &str, expected: &[Hunk]| {
            assert_eq!(line_hunks(old.as_bytes(), new.as_bytes()).unwrap(), expected)
        };
        check("a\nb\nc\n", "a\nx\nc\n", &[hunk((2, 1), (2, 1))]);
        check("a\nc\n", "a\nb\nc\n", &[hunk((2, 0), (2, 1))]);
        check("a\nb\n", "a\n", &[hunk((2, 1), (2, 0))]);
        check("", "a\nb", &[hunk((1, 0), (1, 2))]);
        check("a\n", "a\n", &[]);
        assert_eq!(line_hunks(b"a\0", b"b"), None);
    }

    #[test]
    fn long_equal_ends_change_no_line_number() {
        let text = |middle: &str| {
            let ends =
                |name: &str| -> String { (0..300).map(|at| format!("{name} {at}\n")).collect() };
            format!("{}{middle}{}", ends("first"), ends("last"))
        };
        let check = |old: &str, new: &str, expected: &[Hunk]| {
            assert_eq!(line_hunks(text(old).as_bytes(), text(new).as_bytes()).unwrap(), expected);
        };
        check("a\nb\n", "a\nx\n", &[hunk((302, 1), (302, 1))]);
        check("", "a\n", &[hunk((301, 0), (301, 1))]);
        check("a\n", "", &[hunk((301, 1), (301, 0))]);
        check("", "", &[]);
        let longer = format!("{}end", text(""));
        assert_eq!(
            line_hunks(text("").as_bytes(), longer.as_bytes()).unwrap(),
            [hunk((601, 0), (601, 1))]
        );
    }

    proptest! {
        #[test]
        fn applying_the_hunks_to_the_old_text_gives_the_new(old in "[abc\n]{0,60}", new in "[abc\n]{0,60}", ends in 0usize..300) {
            let end = "a\n".repeat(ends);
            let (old, new) = (format!("{end}{old}{end}"), format!("{end}{new}{end}"));
            let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
            let (old_lines, new_lines) = (lines(&old), lines(&new));
            let (mut made, mut at) = (Vec::new(), 0usize);
            for hunk in line_hunks(old.as_bytes(), new.as_bytes()).unwrap() {
                let (old, new) = (hunk.old.start as usize - 1, hunk.new.start as usize - 1);
                made.extend_from_slice(&old_lines[at..old]);
                made.extend_from_slice(&new_lines[new..new + hunk.new.count as usize]);
                at = old + hunk.old.count as usize;
            }
            made.extend_from_slice(&old_lines[at..]);
            prop_assert_eq!(made, new_lines);
        }
    }
}
