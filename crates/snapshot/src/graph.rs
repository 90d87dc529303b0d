//! The edges of the whole repository, readable from both ends.
//!
//! Rows lie grouped by source and, within a source, sorted by target, so the way back needs only the
//! sources of each target: the row is found in the source's group.

use crate::column::{self, Column};
use crate::container::{self, Container};
use crate::error::{Result, SnapshotError};
use crate::publish::{Durability, write_parts};
use contextd_model::ContentHash;
use contextd_model::graph::{EdgeRow, OutsideEdge};
use rayon::prelude::*;
use std::path::Path;

mod edges;
mod outside;
mod patch;

pub use edges::{EdgeIter, Edges};
use edges::{Packed, Shape};
pub use patch::Patch;

const MAGIC: [u8; 8] = *b"ctxd.gra";

const META: usize = 0;
const ENDS: usize = 1;
const ROWS: usize = 2;
const SOURCE_ENDS: usize = 3;
const SOURCES: usize = 4;
const UNRESOLVED: usize = 5;
const COMMUNITIES: usize = 6;
const OUTSIDE: usize = 7;
const MARKS: usize = 8;
const SECTIONS: usize = 9;

/// Collects edges, source by source.
#[derive(Default)]
pub struct GraphWriter {
    ends: Vec<u32>,
    rows: Vec<EdgeRow>,
    unresolved: Vec<u32>,
    outside: Vec<u8>,
}

impl GraphWriter {
    /// Starts a graph of symbols `0..symbols`.
    pub fn new(symbols: u32) -> Self {
        Self { ends: Vec::with_capacity(symbols as usize), ..Self::default() }
    }

    /// Takes the edges of all symbols at once: those of symbol `s` are `edges[offsets[s]..offsets[s + 1]]`.
    pub fn of(offsets: &[u32], mut edges: Vec<EdgeRow>) -> Self {
        let pieces = pieces(offsets, &mut edges);
        pieces.into_par_iter().for_each(|(ends, rows)| {
            let first = ends.first().copied().unwrap_or(0);
            for range in ends.windows(2) {
                in_order(&mut rows[(range[0] - first) as usize..(range[1] - first) as usize]);
            }
        });
        Self { ends: offsets.get(1..).unwrap_or(&[]).to_vec(), rows: edges, ..Self::default() }
    }

    /// Adds the edges of the next symbol, in the order of symbols; every symbol has its call, also
    /// one without edges. Rows are put in order here: target, kind, line, the rest.
    pub fn push(&mut self, edges: &[EdgeRow]) {
        let start = self.rows.len();
        self.rows.extend_from_slice(edges);
        in_order(&mut self.rows[start..]);
        self.ends.push(self.rows.len() as u32);
    }

    /// Sets the counts of names that could not be resolved, as the linker groups them.
    pub fn unresolved(&mut self, counts: &[u32]) {
        self.unresolved = counts.to_vec();
    }

    /// Sets the edges to what no file defines, sorted.
    pub fn outside(&mut self, edges: &[OutsideEdge]) {
        self.outside = outside::pack(edges);
    }

    /// Lays the graph out, while `communities` finds the community of every symbol: it is handed where the edges of each
    /// symbol end, and the edges. The same edges give the same bytes; edges to symbols that do not exist are dropped.
    pub fn finish(
        self,
        communities: impl FnOnce(&[u32], &[EdgeRow]) -> Vec<u32> + Send,
    ) -> GraphImage {
        let (ends, rows) = without_strays(&self.ends, self.rows);
        let (communities, laid) =
            rayon::join(|| communities(&ends, &rows), || lay_out(&ends, &rows));
        laid.image(&self.unresolved, self.outside, communities)
    }
}

/// Edges laid out, readable from both ends.
struct Laid {
    symbols: u32,
    edges: u64,
    /// How many sources all symbols have together.
    sources: u64,
    shape: Shape,
    rows: Vec<u8>,
    marks: Vec<u8>,
    ends: Vec<u8>,
    source_ends: Vec<u8>,
    source_rows: Vec<u8>,
}

fn lay_out(ends: &[u32], rows: &[EdgeRow]) -> Laid {
    let way_back = || {
        let (source_ends, sources) = reverse(ends, rows);
        let count = sources.len() as u64;
        (count, column::pack(source_ends), column::pack(sources))
    };
    let way_out = || (edges::pack(rows), column::pack(ends.iter().copied()));
    let ((sources, source_ends, source_rows), (packed, out_ends)) = rayon::join(way_back, way_out);
    let Packed { shape, marks, rows: packed } = packed;
    Laid {
        symbols: ends.len() as u32,
        edges: rows.len() as u64,
        sources,
        shape,
        rows: packed,
        marks,
        ends: out_ends,
        source_ends,
        source_rows,
    }
}

impl Laid {
    fn image(self, unresolved: &[u32], outside: Vec<u8>, communities: Vec<u32>) -> GraphImage {
        let mut sections = vec![Vec::new(); SECTIONS];
        let [target, line, mark] = self.shape.numbers();
        let counts = [
            self.symbols.into(),
            self.edges,
            self.sources,
            unresolved.len() as u64,
            communities.len() as u64,
        ];
        sections[META] = container::put_numbers(&[&counts[..], &[target, line, mark]].concat());
        sections[ROWS] = self.rows;
        sections[MARKS] = self.marks;
        sections[ENDS] = self.ends;
        sections[SOURCE_ENDS] = self.source_ends;
        sections[SOURCES] = self.source_rows;
        sections[UNRESOLVED] = column::pack(unresolved.iter().copied());
        sections[COMMUNITIES] = column::pack(communities);
        sections[OUTSIDE] = outside;
        GraphImage::new(sections, self.edges)
    }
}

/// Symbols whose edges are put in order by one thread at a time.
const PIECE: usize = 1 << 14;

/// Puts the edges of one symbol in order.
fn in_order(rows: &mut [EdgeRow]) {
    rows.sort_unstable_by_key(|row| {
        (row.target, row.kind, row.line, row.confidence, row.provenance, row.count)
    });
}

/// Cuts edges between symbols; each piece comes with the offsets it reaches over.
fn pieces<'a>(offsets: &'a [u32], edges: &'a mut [EdgeRow]) -> Vec<(&'a [u32], &'a mut [EdgeRow])> {
    let (mut pieces, mut rest, mut done) = (Vec::new(), edges, 0);
    let mut from = 0;
    while from + 1 < offsets.len() {
        let to = (from + PIECE).min(offsets.len() - 1);
        let length = (offsets[to] as usize).saturating_sub(done).min(rest.len());
        let (piece, after) = rest.split_at_mut(length);
        pieces.push((&offsets[from..=to], piece));
        (rest, done, from) = (after, done + length, to);
    }
    pieces
}

fn without_strays(ends: &[u32], mut rows: Vec<EdgeRow>) -> (Vec<u32>, Vec<EdgeRow>) {
    let symbols = ends.len() as u32;
    if rows.iter().all(|row| row.target < symbols) {
        return (ends.to_vec(), rows);
    }
    let kept = |start: u32, end: u32| {
        rows[start as usize..end as usize].iter().filter(|row| row.target < symbols).count() as u32
    };
    let mut new_ends = Vec::with_capacity(ends.len());
    let (mut start, mut sum) = (0, 0);
    for &end in ends {
        sum += kept(start, end);
        new_ends.push(sum);
        start = end;
    }
    rows.retain(|row| row.target < symbols);
    (new_ends, rows)
}

/// Returns for each target its distinct sources, rising.
fn reverse(ends: &[u32], rows: &[EdgeRow]) -> (Vec<u32>, Vec<u32>) {
    let mut next = vec![0u32; ends.len() + 1];
    each_pair(ends, rows, |_, target| next[target as usize + 1] += 1);
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let source_ends = next[1..].to_vec();
    let mut sources = vec![0; source_ends.last().copied().unwrap_or(0) as usize];
    each_pair(ends, rows, |source, target| {
        sources[next[target as usize] as usize] = source;
        next[target as usize] += 1;
    });
    (source_ends, sources)
}

fn each_pair(ends: &[u32], rows: &[EdgeRow], mut each: impl FnMut(u32, u32)) {
    let mut start = 0;
    for (source, &end) in ends.iter().enumerate() {
        for group in rows[start..end as usize].chunk_by(|a, b| a.target == b.target) {
            each(source as u32, group[0].target);
        }
        start = end as usize;
    }
}

/// A finished graph in memory; its key tells its bytes from all others.
pub struct GraphImage {
    pub key: ContentHash,
    pub edges: u64,
    header: Vec<u8>,
    sections: Vec<Vec<u8>>,
}

impl GraphImage {
    fn new(sections: Vec<Vec<u8>>, edges: u64) -> Self {
        let digests: Vec<ContentHash> =
            sections.par_iter().map(|section| digest(section)).collect();
        let sums: Vec<u64> = digests.iter().map(|digest| digest.short()).collect();
        let header = container::header_with(MAGIC, &slices(&sections), &sums);
        // The header says how long the sections are, the digests what they hold.
        let mut hasher = blake3::Hasher::new();
        hasher.update(&header);
        for digest in &digests {
            hasher.update(&digest.0);
        }
        let key = ContentHash(*hasher.finalize().as_bytes());
        Self { key, edges, header, sections }
    }

    /// Returns what the file consists of, in order.
    fn parts(&self) -> Vec<&[u8]> {
        container::laid_out(&self.header, &slices(&self.sections))
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        self.parts().concat()
    }

    /// Writes the graph into its place in the index folder.
    pub fn write(&self, index_dir: &Path, durability: Durability) -> Result<()> {
        let path = crate::graph_path(index_dir, self.key);
        write_parts(&path, &self.parts(), durability)
    }
}

/// Hashes a section by several threads.
fn digest(section: &[u8]) -> ContentHash {
    ContentHash(*blake3::Hasher::new().update_rayon(section).finalize().as_bytes())
}

fn slices(sections: &[Vec<u8>]) -> Vec<&[u8]> {
    sections.iter().map(Vec::as_slice).collect()
}

/// The mapped edges. Numbers are global; damaged bytes give wrong edges, never a panic.
#[derive(Debug)]
pub struct Graph {
    container: Container,
    symbols: u32,
    edges: u32,
    shape: Shape,
    widths: [u8; SECTIONS],
    counts: [usize; SECTIONS],
}

impl Graph {
    /// Maps a graph file; reads its header and nothing else.
    pub fn open(path: &Path) -> Result<Self> {
        let container = Container::open(path, MAGIC, SECTIONS)?;
        let damaged = |what| SnapshotError::damaged(path, what);
        let [counted @ .., target, line, mark] =
            container::take_numbers::<8>(container.section(META))
                .ok_or_else(|| damaged("counts"))?;
        let shape = Shape::of([target, line, mark]).ok_or_else(|| damaged("width of edges"))?;
        let [symbols, edges, sources, unresolved, communities] =
            counted.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let counts = [0, symbols, 0, symbols, sources, unresolved, communities, 0, 0];
        let mut widths = [0; SECTIONS];
        for section in [ENDS, SOURCE_ENDS, SOURCES, UNRESOLVED, COMMUNITIES] {
            let column = Column::new(container.section(section), counts[section])
                .ok_or_else(|| damaged("size of a column"))?;
            widths[section] = column.width();
        }
        if edges.checked_mul(shape.row()) != Some(container.section(ROWS).len()) {
            return Err(damaged("number of edges"));
        }
        let symbols = u32::try_from(symbols).map_err(|_| damaged("number of symbols"))?;
        let edges = u32::try_from(edges).map_err(|_| damaged("number of edges"))?;
        Ok(Self { container, symbols, edges, shape, widths, counts })
    }

    /// Reads everything and holds it against the checksums.
    pub fn verify(&self) -> Result<()> {
        self.container.verify()
    }

    pub fn symbol_count(&self) -> u32 {
        self.symbols
    }

    pub fn edge_count(&self) -> u32 {
        self.edges
    }

    /// Returns the length of the graph's file.
    pub fn size(&self) -> u64 {
        self.container.size()
    }

    /// Returns the edges of a symbol, sorted by target.
    #[inline]
    pub fn out(&self, symbol: u32) -> Edges<'_> {
        let range = self.column(ENDS).range(symbol);
        let all =
            Edges::new(self.container.section(ROWS), self.container.section(MARKS), self.shape);
        all.range(range.start as usize..range.end as usize)
    }

    /// Returns the symbols that have an edge to `symbol`, rising, each once.
    #[inline]
    pub fn sources(&self, symbol: u32) -> impl ExactSizeIterator<Item = u32> + Clone + use<'_> {
        let sources = self.column(SOURCES);
        let range = self.column(SOURCE_ENDS).range(symbol);
        let count = self.counts[SOURCES] as u32;
        (range.start.min(count)..range.end.min(count)).map(move |at| sources.get(at))
    }

    /// Returns the edges that lead to a symbol, with their sources, rising by source.
    #[inline]
    pub fn incoming(&self, symbol: u32) -> impl Iterator<Item = (u32, EdgeRow)> + Clone + use<'_> {
        self.sources(symbol).flat_map(move |source| {
            self.between(source, symbol).iter().map(move |row| (source, row))
        })
    }

    /// Returns the edges from one symbol to another.
    #[inline]
    pub fn between(&self, source: u32, target: u32) -> Edges<'_> {
        self.out(source).to(target)
    }

    /// Makes the graph that a patch turns this one into, while `communities` finds the community of every symbol. It has the
    /// bytes that [`GraphWriter`] gives it; `None` where only that can.
    pub fn patched(
        &self,
        patch: Patch<'_>,
        unresolved: &[u32],
        outside: &[OutsideEdge],
        communities: impl FnOnce() -> Vec<u32> + Send,
    ) -> Option<GraphImage> {
        let (communities, laid) = rayon::join(communities, || patch::lay_out(self, patch));
        Some(laid?.image(unresolved, outside::pack(outside), communities))
    }

    fn marks(&self) -> &[u8] {
        self.container.section(MARKS)
    }

    /// Returns the edges to what no file defines, sorted by source; what is damaged is left out.
    pub fn outside(&self) -> Vec<OutsideEdge> {
        outside::unpack(self.container.section(OUTSIDE), self.symbols)
    }

    /// Returns the counts of unresolved names, as written.
    pub fn unresolved(&self) -> impl ExactSizeIterator<Item = u32> + use<'_> {
        let counts = self.column(UNRESOLVED);
        (0..self.counts[UNRESOLVED] as u32).map(move |at| counts.get(at))
    }

    /// Returns the community of a symbol.
    pub fn community(&self, symbol: u32) -> u32 {
        self.column(COMMUNITIES).get(symbol)
    }

    #[inline]
    fn column(&self, section: usize) -> Column<'_> {
        Column::with_width(self.container.section(section), self.widths[section])
    }
}
