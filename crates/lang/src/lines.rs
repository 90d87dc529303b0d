//! Lines of a text, found once for all who ask.

use memchr::memchr_iter;

/// Starts of lines, to find lines by offset.
pub struct Lines {
    starts: Vec<u32>,
    length: usize,
}

impl Lines {
    pub fn of(text: &str) -> Self {
        // Most lines of code have more than 24 bytes; the list seldom grows.
        let mut starts = Vec::with_capacity(text.len() / 24 + 4);
        starts.push(0);
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        Self { starts, length: text.len() }
    }

    /// Number of lines; what follows the last line feed counts when it is not empty.
    pub fn count(&self) -> u32 {
        let ends_with_break = self.starts.last().is_some_and(|&last| last as usize == self.length);
        self.starts.len() as u32 - u32::from(ends_with_break)
    }

    /// One-based line of an offset.
    pub fn line(&self, at: usize) -> u32 {
        self.starts.partition_point(|&start| start as usize <= at) as u32
    }

    /// Start of the last line that begins at or before an offset.
    pub fn before(&self, at: usize) -> Option<usize> {
        self.starts[..self.starts.partition_point(|&start| start as usize <= at)]
            .last()
            .map(|&start| start as usize)
    }

    /// Starts of every `step`th line but the first, with their zero-based numbers divided by `step`.
    pub fn steps(&self, step: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.starts
            .iter()
            .step_by(step as usize)
            .enumerate()
            .skip(1)
            .map(|(at, &start)| (start as usize, at as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_found() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)] {
            assert_eq!(Lines::of(text).count(), count, "{text:?}");
        }
        let lines = Lines::of("ab\ncd\nef\n");
        assert_eq!((lines.line(0), lines.line(2), lines.line(3), lines.line(9)), (1, 1, 2, 4));
        assert_eq!((lines.before(4), lines.before(0)), (Some(3), Some(0)));
        assert_eq!(lines.steps(2).collect::<Vec<_>>(), [(6, 1)]);
    }
}
