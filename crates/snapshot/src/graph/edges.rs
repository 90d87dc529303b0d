//! Rows of edges in as few bytes as the graph's largest numbers need.
//!
//! ```text
//! row: target 0–4 bytes · line 0–4 · mark 0–3 · count 1
//! ```
//! A mark stands for kind, confidence and provenance together: a graph has few of them, listed once.

use contextd_model::graph::EdgeRow;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// Kind, confidence and provenance.
type Mark = [u8; 3];

/// Bytes of the parts of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    target: u8,
    line: u8,
    mark: u8,
}

impl Shape {
    /// Reads what [`Shape::numbers`] wrote; `None` when no number has such a width.
    pub(super) fn of(numbers: [u64; 3]) -> Option<Self> {
        let width = |number: u64| u8::try_from(number).ok().filter(|&width| width <= 4);
        let [target, line, mark] = numbers.map(width);
        Some(Self { target: target?, line: line?, mark: mark? })
    }

    pub(super) fn numbers(self) -> [u64; 3] {
        [self.target, self.line, self.mark].map(u64::from)
    }

    /// Bytes of a whole row; never 0.
    pub(super) fn row(self) -> usize {
        usize::from(self.target) + usize::from(self.line) + usize::from(self.mark) + 1
    }
}

/// Packed rows with what is needed to read them.
pub(super) struct Packed {
    pub shape: Shape,
    pub marks: Vec<u8>,
    pub rows: Vec<u8>,
}

/// Rows that one thread packs at a time.
const PIECE: usize = 1 << 15;

/// Packs rows, in their order.
pub(super) fn pack(rows: &[EdgeRow]) -> Packed {
    let pieces = rows.par_chunks(PIECE).map(Extent::of);
    let Extent { target, line, marks } = pieces.reduce(Extent::default, Extent::and);
    let shape = Shape { target: width(target), line: width(line), mark: width(marks.len().saturating_sub(1) as u32) };
    let numbers: FxHashMap<Mark, u32> = marks.iter().copied().zip(0..).collect();
    let mut bytes = vec![0; rows.len() * shape.row()];
    bytes.par_chunks_mut(PIECE * shape.row()).zip(rows.par_chunks(PIECE)).for_each(|(bytes, rows)| {
        let mut last = (Mark::default(), numbers.get(&Mark::default()).copied().unwrap_or(0));
        for (bytes, row) in bytes.chunks_exact_mut(shape.row()).zip(rows) {
            if last.0 != mark(row) {
                last = (mark(row), numbers.get(&mark(row)).copied().unwrap_or(0));
            }
            let rest = put(bytes, row.target, shape.target);
            let rest = put(rest, row.line, shape.line);
            let rest = put(rest, last.1, shape.mark);
            rest[0] = row.count;
        }
    });
    Packed { shape, marks: marks.into_iter().flatten().collect(), rows: bytes }
}

/// The largest numbers of some rows, and their marks.
#[derive(Default)]
struct Extent {
    target: u32,
    line: u32,
    marks: BTreeSet<Mark>,
}

impl Extent {
    fn of(rows: &[EdgeRow]) -> Self {
        let mut extent = Self::default();
        let mut last = None;
        for row in rows {
            extent.target = extent.target.max(row.target);
            extent.line = extent.line.max(row.line);
            if last != Some(mark(row)) {
                last = Some(mark(row));
                extent.marks.insert(mark(row));
            }
        }
        extent
    }

    fn and(mut self, other: Self) -> Self {
        self.marks.extend(other.marks);
        Self { target: self.target.max(other.target), line: self.line.max(other.line), marks: self.marks }
    }
}

fn mark(row: &EdgeRow) -> Mark {
    [row.kind, row.confidence, row.provenance]
}

fn width(largest: u32) -> u8 {
    (4 - largest.leading_zeros() / 8) as u8
}

/// Writes the low bytes of a number and returns what is behind them.
fn put(bytes: &mut [u8], number: u32, width: u8) -> &mut [u8] {
    let (own, rest) = bytes.split_at_mut(usize::from(width));
    own.copy_from_slice(&number.to_le_bytes()[..usize::from(width)]);
    rest
}

/// Reads a number and returns what is behind it; what is not there reads as 0.
#[inline]
fn take(bytes: &[u8], width: u8) -> (u32, &[u8]) {
    let (own, rest) = bytes.split_at_checked(usize::from(width)).unwrap_or((&[], &[]));
    let number = match *own {
        [a] => u32::from(a),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    };
    (number, rest)
}

/// Edges of a graph, read in place.
#[derive(Clone, Copy)]
pub struct Edges<'a> {
    bytes: &'a [u8],
    marks: &'a [u8],
    shape: Shape,
}

impl<'a> Edges<'a> {
    pub(super) fn new(bytes: &'a [u8], marks: &'a [u8], shape: Shape) -> Self {
        Self { bytes, marks, shape }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.shape.row()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    #[inline]
    pub fn iter(&self) -> EdgeIter<'a> {
        EdgeIter { rows: self.bytes.chunks_exact(self.shape.row()), marks: self.marks, shape: self.shape }
    }

    /// Returns the edges in a range; none when it is not inside.
    #[inline]
    pub(super) fn range(&self, range: Range<usize>) -> Self {
        let row = self.shape.row();
        let bytes = self.bytes.get(range.start.saturating_mul(row)..range.end.saturating_mul(row)).unwrap_or(&[]);
        Self { bytes, ..*self }
    }

    /// Returns those that lead to `target`; they are sorted by it.
    #[inline]
    pub(super) fn to(&self, target: u32) -> Self {
        let to = |at: usize| take(self.bytes.get(at * self.shape.row()..).unwrap_or(&[]), self.shape.target).0;
        let (mut start, mut end) = (0, self.len());
        while start < end {
            let middle = start + (end - start) / 2;
            if to(middle) < target {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        let count = (start..self.len()).take_while(|&at| to(at) == target).count();
        self.range(start..start + count)
    }
}

impl<'a> IntoIterator for Edges<'a> {
    type Item = EdgeRow;
    type IntoIter = EdgeIter<'a>;

    fn into_iter(self) -> EdgeIter<'a> {
        self.iter()
    }
}

/// Edges one after the other.
#[derive(Clone)]
pub struct EdgeIter<'a> {
    rows: std::slice::ChunksExact<'a, u8>,
    marks: &'a [u8],
    shape: Shape,
}

impl Iterator for EdgeIter<'_> {
    type Item = EdgeRow;

    #[inline]
    fn next(&mut self) -> Option<EdgeRow> {
        let (target, rest) = take(self.rows.next()?, self.shape.target);
        let (line, rest) = take(rest, self.shape.line);
        let (mark, rest) = take(rest, self.shape.mark);
        let [kind, confidence, provenance] = self.marks.get(mark as usize * 3..).and_then(|marks| marks.first_chunk()).copied().unwrap_or_default();
        Some(EdgeRow { target, line, kind, confidence, provenance, count: rest.first().copied().unwrap_or(0) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for EdgeIter<'_> {}
