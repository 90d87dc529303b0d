//! A graph made of the one before: rows that stay are copied, to where their ends have moved.
//!
//! A change of one file leaves nearly all edges as they are. To read them into rows, sort and pack them again takes many
//! times as long as to copy their bytes. The bytes are those that a graph laid out from nothing has; where they could not
//! be, because some number needs another width or a mark comes or goes, nothing is made.

use super::edges::{Edges, Shape};
use super::{Graph, Laid, PIECE, in_order};
use crate::column::{self, width};
use contextd_model::graph::EdgeRow;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What is not as it was.
pub struct Patch<'p> {
    /// New numbers of the symbols by their old ones, rising, `u32::MAX` for those that are gone; `None` when all stay.
    pub numbers: Option<&'p [u32]>,
    /// How many symbols there are now.
    pub symbols: u32,
    /// All edges of the symbols that have others than before, or had none before, by their new numbers.
    pub again: BTreeMap<u32, Vec<EdgeRow>>,
}

/// Stands for a symbol that is gone or was not there.
const NONE: u32 = u32::MAX;

impl Patch<'_> {
    fn number(&self, old: u32) -> u32 {
        self.numbers.map_or(old, |numbers| numbers.get(old as usize).copied().unwrap_or(NONE))
    }

    /// Returns the old numbers of the symbols by their new ones.
    fn old_numbers(&self, before: u32) -> Vec<u32> {
        let mut numbers = vec![NONE; self.symbols as usize];
        for old in 0..before {
            if let Some(slot) = numbers.get_mut(self.number(old) as usize) {
                *slot = old;
            }
        }
        numbers
    }

    /// Leaves of the old numbers those of the symbols whose edges stay.
    fn kept(&self, mut kept: Vec<u32>) -> Vec<u32> {
        for &symbol in self.again.keys() {
            if let Some(slot) = kept.get_mut(symbol as usize) {
                *slot = NONE;
            }
        }
        kept
    }
}

/// Lays edges out; `None` when they have to be laid out from nothing.
pub(super) fn lay_out(before: &Graph, mut patch: Patch<'_>) -> Option<Laid> {
    patch.again.values_mut().for_each(|rows| in_order(rows));
    let old_numbers = patch.old_numbers(before.symbols);
    let kept = patch.kept(old_numbers.clone());
    let ends = ends(before, &patch, &kept)?;
    let (rows, back) = rayon::join(
        || rows(before, &patch, &kept, &ends),
        || way_back(before, &patch, &old_numbers, &kept, &ends),
    );
    let (rows, (source_ends, source_rows)) = (rows?, back?);
    let [edges, sources] =
        [&ends, &source_ends].map(|ends| u64::from(ends.last().copied().unwrap_or(0)));
    let (ends, source_ends) = rayon::join(
        || column::pack(ends.iter().copied()),
        || column::pack(source_ends.iter().copied()),
    );
    Some(Laid {
        symbols: patch.symbols,
        edges,
        sources,
        shape: before.shape,
        rows,
        marks: before.marks().to_vec(),
        ends,
        source_ends,
        source_rows,
    })
}

/// Returns where the edges of each symbol end.
fn ends(before: &Graph, patch: &Patch<'_>, kept: &[u32]) -> Option<Vec<u32>> {
    let mut old_ends = Vec::new();
    before.column(super::ENDS).unpack(before.symbols as usize, &mut old_ends);
    let mut again = patch.again.iter().peekable();
    let (mut ends, mut end) = (Vec::with_capacity(kept.len()), 0u32);
    for (symbol, &old) in kept.iter().enumerate() {
        let count = match old {
            NONE => again.next_if(|&(&next, _)| next as usize == symbol)?.1.len() as u32,
            old => old_ends[old as usize].checked_sub(if old == 0 {
                0
            } else {
                old_ends[old as usize - 1]
            })?,
        };
        end = end.checked_add(count)?;
        ends.push(end);
    }
    again.next().is_none().then_some(ends)
}

/// The largest numbers of some rows, and which marks they have.
struct Extent {
    target: u32,
    line: u32,
    marks: Vec<bool>,
}

impl Extent {
    /// Takes a row in and returns its bytes.
    #[inline]
    fn take_in(
        &mut self,
        shape: Shape,
        (target, line, mark, count): (u32, u32, u32, u8),
    ) -> Option<[u8; 8]> {
        self.target = self.target.max(target);
        self.line = self.line.max(line);
        *self.marks.get_mut(mark as usize)? = true;
        Some(shape.join(target, line, mark, count))
    }

    fn and(mut self, other: Self) -> Self {
        self.marks.iter_mut().zip(other.marks).for_each(|(mark, other)| *mark |= other);
        Self {
            target: self.target.max(other.target),
            line: self.line.max(other.line),
            marks: self.marks,
        }
    }
}

/// Returns the rows of all symbols, packed as before; `None` when they would be packed in another way.
fn rows(before: &Graph, patch: &Patch<'_>, kept: &[u32], ends: &[u32]) -> Option<Vec<u8>> {
    match before.shape.row() {
        1 => rows_of::<1>(before, patch, kept, ends),
        2 => rows_of::<2>(before, patch, kept, ends),
        3 => rows_of::<3>(before, patch, kept, ends),
        4 => rows_of::<4>(before, patch, kept, ends),
        5 => rows_of::<5>(before, patch, kept, ends),
        6 => rows_of::<6>(before, patch, kept, ends),
        7 => rows_of::<7>(before, patch, kept, ends),
        8 => rows_of::<8>(before, patch, kept, ends),
        _ => None,
    }
}

fn rows_of<const ROW: usize>(
    before: &Graph,
    patch: &Patch<'_>,
    kept: &[u32],
    ends: &[u32],
) -> Option<Vec<u8>> {
    let mut bytes = vec![0; ends.last().copied().unwrap_or(0) as usize * ROW];
    let mut pieces = Vec::new();
    let (mut rest, mut from, mut start) = (bytes.as_mut_slice(), 0, 0);
    for kept in kept.chunks(PIECE) {
        let end = ends[from + kept.len() - 1];
        let (own, after) = rest.split_at_mut((end - start) as usize * ROW);
        pieces.push((from as u32, kept, own));
        (rest, from, start) = (after, from + kept.len(), end);
    }
    let marks = before.marks().as_chunks::<4>().0;
    let extents = pieces
        .into_par_iter()
        .map(|(first, kept, own)| piece::<ROW>(before, patch, marks, first, kept, own));
    let nothing = || Some(Extent { target: 0, line: 0, marks: vec![false; marks.len()] });
    let extent = extents.reduce(nothing, |left, right| Some(left?.and(right?)))?;
    let shape =
        Shape { target: width(extent.target), line: width(extent.line), mark: before.shape.mark };
    (shape == before.shape && extent.marks.iter().all(|&is_there| is_there)).then_some(bytes)
}

/// Fills in the rows of the symbols from `first` on.
fn piece<const ROW: usize>(
    before: &Graph,
    patch: &Patch<'_>,
    marks: &[[u8; 4]],
    first: u32,
    kept: &[u32],
    mut bytes: &mut [u8],
) -> Option<Extent> {
    let mut extent = Extent { target: 0, line: 0, marks: vec![false; marks.len()] };
    for (symbol, &old) in (first..).zip(kept) {
        if old == NONE {
            for row in patch.again.get(&symbol)? {
                let mark = marks
                    .iter()
                    .position(|mark| *mark == [row.kind, row.confidence, row.provenance, 0])?;
                let (own, rest) = std::mem::take(&mut bytes).split_first_chunk_mut::<ROW>()?;
                // What does not fit is found out when the largest are compared.
                own.copy_from_slice(
                    &extent
                        .take_in(before.shape, (row.target, row.line, mark as u32, row.count))?
                        [..ROW],
                );
                bytes = rest;
            }
        } else {
            let edges = before.out(old);
            let (own, rest) = std::mem::take(&mut bytes).split_at_mut_checked(edges.len() * ROW)?;
            for (own, (target, line, mark, count)) in
                own.as_chunks_mut::<ROW>().0.iter_mut().zip(edges.cut())
            {
                let target = patch.number(target);
                if target == NONE {
                    return None;
                }
                own.copy_from_slice(
                    &extent.take_in(before.shape, (target, line, mark, count))?[..ROW],
                );
            }
            bytes = rest;
        }
    }
    Some(extent)
}

/// Returns where those end who lead to each symbol, and who they are, rising and packed.
fn way_back(
    before: &Graph,
    patch: &Patch<'_>,
    old_numbers: &[u32],
    kept: &[u32],
    ends: &[u32],
) -> Option<(Vec<u32>, Vec<u8>)> {
    let mut more: Vec<(u32, u32)> = patch
        .again
        .iter()
        .flat_map(|(&source, rows)| {
            rows.chunk_by(|a, b| a.target == b.target).map(move |rows| (rows[0].target, source))
        })
        .collect();
    more.sort_unstable();
    if more.last().is_some_and(|&(target, _)| target >= patch.symbols) {
        return None;
    }
    // The last one that leads anywhere is the largest number among them.
    let last = ends.windows(2).rposition(|ends| ends[0] < ends[1]).map_or(0, |at| at as u32 + 1);
    let back = Back { before, patch, kept, more, width: width(last) };
    let pieces: Vec<(Vec<u32>, Vec<u8>)> = old_numbers
        .par_chunks(PIECE)
        .enumerate()
        .map(|(piece, old_numbers)| back.piece((piece * PIECE) as u32, old_numbers))
        .collect();
    let (counts, sources): (Vec<Vec<u32>>, Vec<Vec<u8>>) = pieces.into_iter().unzip();
    let source_ends = counts.iter().flatten().scan(0, |end, &count| {
        *end += count;
        Some(*end)
    });
    Some((source_ends.collect(), sources.concat()))
}

/// What is needed to tell who leads to a symbol.
struct Back<'b, 'p> {
    before: &'b Graph,
    patch: &'b Patch<'p>,
    kept: &'b [u32],
    /// Targets and sources of the edges that are new, sorted.
    more: Vec<(u32, u32)>,
    /// Bytes of a source.
    width: u8,
}

impl Back<'_, '_> {
    /// Returns how many lead to each symbol from `first` on, which had the numbers `old_numbers`, and who they are, packed.
    fn piece(&self, first: u32, old_numbers: &[u32]) -> (Vec<u32>, Vec<u8>) {
        let (mut counts, mut bytes, mut led) =
            (Vec::with_capacity(old_numbers.len()), Vec::new(), Vec::new());
        let mut more =
            self.more[self.more.partition_point(|&(target, _)| target < first)..].iter().peekable();
        for (symbol, &old) in (first..).zip(old_numbers) {
            led.clear();
            if old != NONE {
                let stays = |source: &u32| {
                    self.kept.get(*source as usize).is_some_and(|&kept| kept != NONE)
                };
                led.extend(
                    self.before.sources(old).map(|source| self.patch.number(source)).filter(stays),
                );
            }
            let count = led.len();
            while let Some(&(_, source)) = more.next_if(|(target, _)| *target == symbol) {
                led.push(source);
            }
            if led.len() > count {
                led.sort_unstable();
            }
            counts.push(led.len() as u32);
            column::put_all(&mut bytes, led.iter().copied(), self.width);
        }
        (counts, bytes)
    }
}

impl<'a> Edges<'a> {
    /// Cuts rows of up to eight bytes into target, line, mark and count.
    fn cut(self) -> impl Iterator<Item = (u32, u32, u32, u8)> + use<'a> {
        let (shape, count, bytes) = (self.shape(), self.len(), self.bytes());
        (0..count).map(move |at| {
            let bytes = bytes.get(at * shape.row()..).unwrap_or(&[]);
            let mut eight = [0; 8];
            match bytes.first_chunk() {
                Some(chunk) => eight = *chunk,
                None => eight[..bytes.len()].copy_from_slice(bytes),
            }
            shape.cut(u64::from_le_bytes(eight))
        })
    }
}

impl Shape {
    /// Puts a row of up to eight bytes together, as [`Shape::cut`] takes it apart.
    #[inline]
    fn join(self, target: u32, line: u32, mark: u32, count: u8) -> [u8; 8] {
        let behind_mark =
            u64::from(count).checked_shl(8 * u32::from(self.mark)).unwrap_or(0) | u64::from(mark);
        let behind_line =
            behind_mark.checked_shl(8 * u32::from(self.line)).unwrap_or(0) | u64::from(line);
        (behind_line.checked_shl(8 * u32::from(self.target)).unwrap_or(0) | u64::from(target))
            .to_le_bytes()
    }
}
