//! Rows of edges in as few bytes as the graph's largest numbers need.
//!
//! ```text
//! row: target 0–4 bytes · line 0–4 · mark 0–3 · count 1
//! ```
//! A mark stands for kind, confidence and provenance together: a graph has few of them, listed once.

use crate::column::{number, partition_point, width};
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
    pub target: u8,
    pub line: u8,
    pub mark: u8,
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
    let shape = Shape {
        target: width(target),
        line: width(line),
        mark: width(marks.len().saturating_sub(1) as u32),
    };
    let numbers: FxHashMap<Mark, u32> = marks.iter().copied().zip(0..).collect();
    let mut bytes = vec![0; rows.len() * shape.row()];
    bytes.par_chunks_mut(PIECE * shape.row()).zip(rows.par_chunks(PIECE)).for_each(
        |(bytes, rows)| {
            for (bytes, row) in bytes.chunks_exact_mut(shape.row()).zip(rows) {
                let number = numbers.get(&mark(row)).copied().unwrap_or(0);
                let rest = put(bytes, row.target, shape.target);
                let rest = put(rest, row.line, shape.line);
                let rest = put(rest, number, shape.mark);
                rest[0] = row.count;
            }
        },
    );
    let marks = marks
        .into_iter()
        .flat_map(|[kind, confidence, provenance]| [kind, confidence, provenance, 0])
        .collect();
    Packed { shape, marks, rows: bytes }
}

/// The largest numbers of some rows, and their marks.
#[derive(Default)]
struct Extent {
    target: u32,
    line: u32,
    marks: BTreeSet<Mark>,
}

/// Marks that are remembered as seen, by their last bits: asking a set for every row would take longer than the rest.
const SEEN: usize = 1 << 10;

impl Extent {
    fn of(rows: &[EdgeRow]) -> Self {
        let mut extent = Self::default();
        let mut seen = vec![u32::MAX; SEEN];
        for row in rows {
            extent.target = extent.target.max(row.target);
            extent.line = extent.line.max(row.line);
            let number = u32::from_le_bytes([row.confidence, row.kind, row.provenance, 0]);
            let slot = &mut seen[(number ^ number >> 8) as usize % SEEN];
            if *slot != number {
                *slot = number;
                extent.marks.insert(mark(row));
            }
        }
        extent
    }

    fn and(mut self, other: Self) -> Self {
        self.marks.extend(other.marks);
        Self {
            target: self.target.max(other.target),
            line: self.line.max(other.line),
            marks: self.marks,
        }
    }
}

fn mark(row: &EdgeRow) -> Mark {
    [row.kind, row.confidence, row.provenance]
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
    (number(own), rest)
}

/// Edges of a graph, read in place.
#[derive(Clone, Copy)]
pub struct Edges<'a> {
    /// From the first row on to the end of all rows: what follows a row lets it be read at once.
    bytes: &'a [u8],
    count: usize,
    marks: &'a [[u8; 4]],
    shape: Shape,
}

impl<'a> Edges<'a> {
    pub(super) fn new(bytes: &'a [u8], marks: &'a [u8], shape: Shape) -> Self {
        Self { bytes, count: bytes.len() / shape.row(), marks: marks.as_chunks().0, shape }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the bytes from the first row on, those behind the last among them.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    #[inline]
    pub fn iter(&self) -> EdgeIter<'a> {
        EdgeIter { edges: *self }
    }

    /// Returns the edges in a range; none when it is not inside.
    #[inline]
    pub(super) fn range(&self, range: Range<usize>) -> Self {
        let bytes = self
            .bytes
            .get(range.start.saturating_mul(self.shape.row())..)
            .filter(|_| range.end <= self.count && range.start <= range.end);
        let count = if bytes.is_some() { range.end - range.start } else { 0 };
        Self { bytes: bytes.unwrap_or(&[]), count, ..*self }
    }

    /// Returns those that lead to `target`; they are sorted by it.
    #[inline]
    pub(super) fn to(&self, target: u32) -> Self {
        let to = |at: u32| {
            take(self.bytes.get(at as usize * self.shape.row()..).unwrap_or(&[]), self.shape.target)
                .0
        };
        let count = self.count as u32;
        let start = partition_point(count, |at| to(at) < target);
        let end = (start..count).find(|&at| to(at) != target).unwrap_or(count);
        self.range(start as usize..end as usize)
    }

    /// Reads the first row; there must be one.
    #[inline]
    fn first(&self) -> EdgeRow {
        let shape = self.shape;
        let (target, line, mark, count) = match self.bytes.first_chunk() {
            Some(eight) if shape.row() <= 8 => shape.cut(u64::from_le_bytes(*eight)),
            _ => {
                let (target, rest) = take(self.bytes, shape.target);
                let (line, rest) = take(rest, shape.line);
                let (mark, rest) = take(rest, shape.mark);
                (target, line, mark, rest.first().copied().unwrap_or(0))
            }
        };
        let [kind, confidence, provenance, _] =
            self.marks.get(mark as usize).copied().unwrap_or_default();
        EdgeRow { target, line, kind, confidence, provenance, count }
    }
}

impl Shape {
    /// Cuts a row of up to eight bytes into target, line, mark and count.
    #[inline]
    pub(super) fn cut(self, row: u64) -> (u32, u32, u32, u8) {
        let low = |number: u64, width: u8| (number & !(u64::MAX << (8 * u32::from(width)))) as u32;
        let line = row >> (8 * self.target);
        let mark = line >> (8 * self.line);
        (
            low(row, self.target),
            low(line, self.line),
            low(mark, self.mark),
            (mark >> (8 * self.mark)) as u8,
        )
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
    edges: Edges<'a>,
}

impl Iterator for EdgeIter<'_> {
    type Item = EdgeRow;

    #[inline]
    fn next(&mut self) -> Option<EdgeRow> {
        self.edges.count = self.edges.count.checked_sub(1)?;
        let row = self.edges.first();
        self.edges.bytes = self.edges.bytes.get(self.edges.shape.row()..).unwrap_or(&[]);
        Some(row)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.edges.count, Some(self.edges.count))
    }
}

impl ExactSizeIterator for EdgeIter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(bits: u32) -> impl Strategy<Value = EdgeRow> {
        let number =
            move || any::<u32>().prop_map(move |number| number.checked_shr(bits).unwrap_or(0));
        (number(), number(), any::<Mark>(), any::<u8>()).prop_map(
            |(target, line, [kind, confidence, provenance], count)| EdgeRow {
                target,
                line,
                kind,
                confidence,
                provenance,
                count,
            },
        )
    }

    proptest! {
        #[test]
        fn rows_of_every_width_come_back(rows in (0u32..33).prop_flat_map(|bits| proptest::collection::vec(row(bits), 0..400)), from in 0usize..400, count in 0usize..10) {
            let packed = pack(&rows);
            let edges = Edges::new(&packed.rows, &packed.marks, packed.shape);
            prop_assert_eq!(edges.iter().collect::<Vec<_>>(), rows.clone());
            prop_assert_eq!(edges.len(), rows.len());
            let expected = rows.get(from..from + count).unwrap_or(&[]);
            prop_assert_eq!(edges.range(from..from + count).iter().collect::<Vec<_>>(), expected);
            prop_assert_eq!(Shape::of(packed.shape.numbers()), Some(packed.shape));
        }
    }
}
