//! A published snapshot, mapped: the one thing that queries read.
//!
//! Numbers are global here: segments in the order of shards, files in path order inside them, symbols
//! in source order. Opening maps files and reads headers; everything else is read when asked for.

use crate::error::{Result, SnapshotError};
use crate::graph::Graph;
use crate::manifest::Manifest;
use crate::publish::{SnapshotName, current, graph_path, manifest_path, segment_path};
use crate::refs::{FileRef, SymbolRef};
use crate::segment::{FIELDS, Segment};
use crate::shards::shard_of;
use contextd_model::ContentHash;
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Immutable index of a folder. Safe to share between threads; lives on after the writer has
/// published and collected, because mapped files outlive their names. A clone is the same one.
#[derive(Clone, Debug)]
pub struct Snapshot {
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    name: SnapshotName,
    signature: ContentHash,
    manifest: Manifest,
    segments: Vec<Segment>,
    /// First number of each segment, and the end of the last.
    symbols: Vec<u32>,
    files: Vec<u32>,
    cells: Vec<u32>,
    chunks: Vec<u32>,
    graph: Graph,
}

/// Sums over all segments that BM25 needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionTotals {
    pub files: u32,
    pub symbols: u32,
    pub cells: u32,
    pub blocks: u32,
    /// Sum of each field's length over symbols.
    pub field_lengths: [u64; FIELDS],
    pub words: u64,
    pub compounds: u64,
    pub refs: u64,
    pub chunks: u32,
    pub source_bytes: u64,
}

/// The snapshot that was opened last, as long as somebody uses it: who wants the same gets it without mapping it again.
#[derive(Debug, Default)]
pub struct InUse {
    last: Mutex<Weak<Parts>>,
}

impl InUse {
    /// Does what [`Snapshot::open`] does.
    pub fn open(&self, index_dir: &Path) -> Result<Option<Snapshot>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = last.upgrade()
            && current(index_dir)? == Some(parts.name)
        {
            return Ok(Some(Snapshot { parts }));
        }
        let opened = Snapshot::open(index_dir)?;
        *last = opened.as_ref().map(|snapshot| Arc::downgrade(&snapshot.parts)).unwrap_or_default();
        Ok(opened)
    }
}

/// How often opening starts over because a writer published in between.
const ATTEMPTS: u32 = 100;

impl Snapshot {
    /// Opens the published snapshot; `None` when there is none or when another version of the format
    /// wrote it.
    pub fn open(index_dir: &Path) -> Result<Option<Self>> {
        let mut attempts = 0;
        loop {
            let Some(name) = current(index_dir)? else {
                return Ok(None);
            };
            match Self::open_named(index_dir, name) {
                Err(SnapshotError::Version { .. }) => return Ok(None),
                // Files vanish only after a newer snapshot was published: read its name and go on.
                Err(error)
                    if error.is_missing()
                        && attempts < ATTEMPTS
                        && current(index_dir)? != Some(name) =>
                {
                    attempts += 1
                }
                opened => return opened.map(Some),
            }
        }
    }

    /// Opens one snapshot by name.
    pub fn open_named(index_dir: &Path, name: SnapshotName) -> Result<Self> {
        let path = manifest_path(index_dir, name);
        let manifest = Manifest::read(&path)?;
        let open = |entry: &crate::SegmentEntry| Segment::open(&segment_path(index_dir, entry.key));
        let segments = manifest.segments.iter().map(open).collect::<Result<Vec<_>>>()?;
        let graph = Graph::open(&graph_path(index_dir, manifest.graph))?;
        let damaged = |what| Err(SnapshotError::damaged(&path, what));
        let agree = |(entry, segment): (&crate::SegmentEntry, &Segment)| {
            *entry == crate::SegmentEntry::new(entry.key, segment.counts())
        };
        if !manifest.segments.iter().zip(&segments).all(agree) {
            return damaged("counts of a segment");
        }
        if !manifest.segments.len().is_power_of_two() {
            return damaged("number of shards");
        }
        let starts = |count: fn(&Segment) -> u32| starts(&segments, count);
        let (Some(symbols), Some(files), Some(cells), Some(chunks)) = (
            starts(Segment::symbol_count),
            starts(Segment::file_count),
            starts(Segment::cell_count),
            starts(|segment| segment.counts().chunks),
        ) else {
            return damaged("more than numbers can name");
        };
        if symbols.last() != Some(&graph.symbol_count()) {
            return damaged("symbols of the graph");
        }
        let parts = Parts {
            name,
            signature: manifest.index_signature(),
            manifest,
            segments,
            symbols,
            files,
            cells,
            chunks,
            graph,
        };
        Ok(Self { parts: Arc::new(parts) })
    }

    /// Reads every byte and holds it against the checksums; for `doctor`.
    pub fn verify(&self) -> Result<()> {
        self.parts.segments.par_iter().try_for_each(Segment::verify)?;
        self.parts.graph.verify()
    }

    /// Returns the name the snapshot was published under.
    pub fn name(&self) -> SnapshotName {
        self.parts.name
    }

    /// Returns the identity of the indexed content, see [`Manifest::index_signature`].
    pub fn index_signature(&self) -> ContentHash {
        self.parts.signature
    }

    pub fn manifest(&self) -> &Manifest {
        &self.parts.manifest
    }

    pub fn graph(&self) -> &Graph {
        &self.parts.graph
    }

    /// Returns the segments in the order of shards.
    pub fn segments(&self) -> &[Segment] {
        &self.parts.segments
    }

    /// Returns the length of all mapped files.
    pub fn size(&self) -> u64 {
        self.parts.graph.size() + self.parts.segments.iter().map(Segment::size).sum::<u64>()
    }

    /// Calls `each` with every segment, its number and what `parts` has for it, in parallel; each thread brings its own
    /// room, which it uses again for the next.
    pub fn fill_segments<P: Send, R: Default>(
        &self,
        parts: Vec<P>,
        each: impl Fn(usize, &Segment, P, &mut R) + Sync,
    ) {
        self.parts
            .segments
            .par_iter()
            .enumerate()
            .zip(parts)
            .for_each_init(R::default, |room, ((number, segment), part)| {
                each(number, segment, part, room)
            });
    }

    /// Returns the sums that averages are made of.
    pub fn totals(&self) -> CollectionTotals {
        let mut totals = CollectionTotals::default();
        for counts in self.parts.segments.iter().map(Segment::counts) {
            totals.files += counts.files;
            totals.symbols += counts.symbols;
            totals.cells += counts.cells;
            totals.blocks = totals.blocks.saturating_add(counts.blocks);
            totals.chunks += counts.chunks;
            totals.words = totals.words.saturating_add(counts.words);
            totals.compounds = totals.compounds.saturating_add(counts.compounds);
            totals.refs = totals.refs.saturating_add(counts.refs);
            totals.source_bytes = totals.source_bytes.saturating_add(counts.source_bytes);
            for (sum, length) in totals.field_lengths.iter_mut().zip(counts.field_lengths) {
                *sum = sum.saturating_add(length);
            }
        }
        totals
    }

    pub fn symbol_count(&self) -> u32 {
        end(&self.parts.symbols)
    }

    pub fn file_count(&self) -> u32 {
        end(&self.parts.files)
    }

    pub fn cell_count(&self) -> u32 {
        end(&self.parts.cells)
    }

    pub fn chunk_count(&self) -> u32 {
        end(&self.parts.chunks)
    }

    /// Returns the global numbers of a segment's symbols.
    pub fn symbols_of_segment(&self, segment: usize) -> Range<u32> {
        range(&self.parts.symbols, segment)
    }

    /// Returns the global numbers of a segment's files.
    pub fn files_of_segment(&self, segment: usize) -> Range<u32> {
        range(&self.parts.files, segment)
    }

    /// Returns the global numbers of a segment's cells.
    pub fn cells_of_segment(&self, segment: usize) -> Range<u32> {
        range(&self.parts.cells, segment)
    }

    /// Returns the number of the segment that holds a symbol.
    #[inline]
    pub fn segment_of(&self, symbol: u32) -> usize {
        owner(&self.parts.symbols, symbol)
    }

    /// Returns the number of the segment that holds a file.
    #[inline]
    pub fn segment_of_file(&self, file: u32) -> usize {
        owner(&self.parts.files, file)
    }

    /// Returns a symbol. A number that does not exist gives one with empty strings.
    #[inline]
    pub fn symbol(&self, symbol: u32) -> SymbolRef<'_> {
        let number = self.segment_of(symbol);
        SymbolRef::new(self, number, symbol.saturating_sub(self.parts.symbols[number]))
    }

    /// Returns a file. A number that does not exist gives one with empty strings.
    #[inline]
    pub fn file(&self, file: u32) -> FileRef<'_> {
        let number = self.segment_of_file(file);
        FileRef::new(self, number, file.saturating_sub(self.parts.files[number]))
    }

    /// Returns the file a symbol stands in.
    #[inline]
    pub fn file_of(&self, symbol: u32) -> u32 {
        let number = self.segment_of(symbol);
        self.parts.files[number]
            + self.parts.segments[number].file_of(symbol.saturating_sub(self.parts.symbols[number]))
    }

    /// Returns the symbols of a file; the first is the file itself.
    pub fn symbols_of_file(&self, file: u32) -> Range<u32> {
        self.file(file).symbols()
    }

    pub fn cells_of_file(&self, file: u32) -> Range<u32> {
        self.file(file).cells()
    }

    /// Returns the cells of a symbol and of what it holds.
    pub fn cells_of_symbol(&self, symbol: u32) -> Range<u32> {
        self.symbol(symbol).cells()
    }

    /// Returns the file with that path.
    pub fn find_file(&self, path: &str) -> Option<u32> {
        let number = shard_of(path, self.parts.segments.len() as u32) as usize;
        self.parts.segments.get(number)?.find_file(path).map(|file| self.parts.files[number] + file)
    }

    /// Returns the symbols with exactly that name, rising.
    pub fn symbols_named(&self, name: &str) -> Vec<u32> {
        self.collect_symbols(|segment| segment.symbols_named(name))
    }

    /// Returns the symbols with that name in any case, rising.
    pub fn symbols_named_like(&self, name: &str) -> Vec<u32> {
        self.collect_symbols(|segment| segment.symbols_named_like(name))
    }

    /// Returns up to `limit` symbols whose name starts with `prefix` in any case, by name without
    /// regard to case, then by name, then by number.
    pub fn symbols_with_prefix(&self, prefix: &str, limit: usize) -> Vec<u32> {
        let mut symbols =
            self.collect_symbols(|segment| segment.symbols_with_prefix(prefix, limit));
        let key = |symbol: u32| {
            let name = self.symbol(symbol).name();
            (crate::segment::folded(name), name, symbol)
        };
        symbols.sort_by_cached_key(|&symbol| key(symbol));
        symbols.truncate(limit);
        symbols
    }

    fn collect_symbols(&self, find: impl Fn(&Segment) -> Vec<u32>) -> Vec<u32> {
        let in_segment = |(segment, start): (&Segment, &u32)| {
            find(segment).into_iter().map(|symbol| start + symbol).collect::<Vec<_>>()
        };
        self.parts.segments.iter().zip(&self.parts.symbols).flat_map(in_segment).collect()
    }
}

/// Returns the first number of each segment and the end of the last; `None` when they overflow.
fn starts(segments: &[Segment], count: fn(&Segment) -> u32) -> Option<Vec<u32>> {
    let mut starts = vec![0u32];
    for segment in segments {
        starts.push(end(&starts).checked_add(count(segment))?);
    }
    Some(starts)
}

fn end(starts: &[u32]) -> u32 {
    starts.last().copied().unwrap_or(0)
}

fn range(starts: &[u32], segment: usize) -> Range<u32> {
    match starts.get(segment..segment + 2) {
        Some(&[start, end]) => start..end,
        _ => 0..0,
    }
}

/// Returns the segment whose range holds `number`; the last one for a number that does not exist.
#[inline]
fn owner(starts: &[u32], number: u32) -> usize {
    // The first start is 0 and the last is the end, so the point is never 0 and never past the end.
    (starts.partition_point(|&start| start <= number) - 1).min(starts.len().saturating_sub(2))
}
