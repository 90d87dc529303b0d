//! Changed lines of two texts.

use crate::changes::{Hunk, LineRange};
use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};

/// Bytes in which a NUL makes a file binary, as git has it.
const BINARY_PROBE: usize = 8_000;
/// Larger texts are not compared line by line; they count as replaced whole.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// Returns the changed lines, or `None` when a side is binary.
pub fn line_hunks(old: &[u8], new: &[u8]) -> Option<Vec<Hunk>> {
    if is_binary(old) || is_binary(new) {
        return None;
    }
    if old.len().max(new.len()) > MAX_TEXT {
        let whole = Hunk {
            old: all_lines(old),
            new: all_lines(new),
        };
        return Some(if old == new { Vec::new() } else { vec![whole] });
    }
    let input = InternedInput::new(old, new);
    let diff = diff_with_slider_heuristics(Algorithm::Myers, &input);
    let range = |range: std::ops::Range<u32>| LineRange {
        start: range.start + 1,
        count: range.end - range.start,
    };
    Some(
        diff.hunks()
            .map(|hunk| Hunk {
                old: range(hunk.before),
                new: range(hunk.after),
            })
            .collect(),
    )
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

fn all_lines(bytes: &[u8]) -> LineRange {
    LineRange {
        start: 1,
        count: bytes.split_inclusive(|&byte| byte == b'\n').count() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hunk(old: (u32, u32), new: (u32, u32)) -> Hunk {
        let range = |(start, count)| LineRange { start, count };
        Hunk {
            old: range(old),
            new: range(new),
        }
    }

    #[test]
    fn hunks_name_changed_lines() {
        let check = |old: &str, new: &str, expected: &[Hunk]| {
            assert_eq!(
                line_hunks(old.as_bytes(), new.as_bytes()).unwrap(),
                expected
            )
        };
        check("a\nb\nc\n", "a\nx\nc\n", &[hunk((2, 1), (2, 1))]);
        check("a\nc\n", "a\nb\nc\n", &[hunk((2, 0), (2, 1))]);
        check("a\nb\n", "a\n", &[hunk((2, 1), (2, 0))]);
        check("", "a\nb", &[hunk((1, 0), (1, 2))]);
        check("a\n", "a\n", &[]);
        assert_eq!(line_hunks(b"a\0", b"b"), None);
    }

    proptest! {
        #[test]
        fn applying_the_hunks_to_the_old_text_gives_the_new(old in "[abc\n]{0,60}", new in "[abc\n]{0,60}") {
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
