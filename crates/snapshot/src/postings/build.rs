//! Builds the full text of a segment.

use super::{FEW, FREQUENCIES, LONG_COUNT, NEAR, SINGLE, is_single, rice};
use crate::interned::sorted;
use crate::{column, front, varint};
use contextd_lang::intern::Interner;
use contextd_model::StrId;

/// Collects postings while files are added; documents must come in rising order.
#[derive(Default)]
pub(crate) struct PostingsBuilder {
    terms: Interner,
    /// Postings with their terms.
    symbols: Vec<(u32, Posting<[u8; 4]>)>,
    paths: Vec<(u32, Posting<u32>)>,
    cells: Vec<(u32, Posting<u32>)>,
}

#[derive(Clone, Copy, Default)]
struct Posting<F> {
    document: u32,
    frequency: F,
}

/// The sections of the full text.
pub(crate) struct PackedPostings {
    pub(crate) terms: Vec<u8>,
    pub(crate) term_ends: Vec<u8>,
    pub(crate) term_postings: Vec<u8>,
    pub(crate) postings: Vec<u8>,
    pub(crate) count: u32,
}

impl PostingsBuilder {
    /// Returns one with room for what so many files mostly have.
    pub(crate) fn for_files(count: usize) -> Self {
        Self {
            terms: Interner::with_room_for(count * 64),
            symbols: Vec::with_capacity(count * 128),
            paths: Vec::with_capacity(count * 8),
            cells: Vec::with_capacity(count * 512),
        }
    }

    /// Returns the number of a term, which is not empty, while building.
    pub(crate) fn term(&mut self, text: &str) -> u32 {
        self.terms.intern(text).0
    }

    /// Returns the numbers of many terms in order.
    pub(crate) fn terms<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.terms.intern_many(texts, |id| numbers.push(id.0));
        numbers
    }

    /// Adds the words of a symbol: pairs of term and stored field, in any order.
    pub(crate) fn symbol(&mut self, symbol: u32, words: &mut [(u32, u8)]) {
        words.sort_unstable();
        for group in words.chunk_by(|a, b| a.0 == b.0) {
            let mut frequency = [0u8; 4];
            for &(_, field) in group {
                let count = &mut frequency[usize::from(field)];
                *count = count.saturating_add(1);
            }
            let posting = Posting { document: symbol, frequency };
            self.symbols.push((group[0].0, posting));
        }
    }

    /// Adds one word of a file's path.
    pub(crate) fn path(&mut self, term: u32, file: u32) {
        let posting = Posting { document: file, frequency: 1 };
        self.paths.push((term, posting));
    }

    /// Adds a term of a cell; the frequency is not 0.
    pub(crate) fn cell(&mut self, term: u32, cell: u32, frequency: u32) {
        let posting = Posting { document: cell, frequency };
        self.cells.push((term, posting));
    }

    /// Sorts everything by term; `symbol_ends` gives the symbols of each file, `cell_count` is the
    /// number of cells of the segment.
    pub(crate) fn finish(self, symbol_ends: &[u32], cell_count: u32) -> PackedPostings {
        let table = self.terms.table;
        let terms = sorted(&table, |number| number != StrId::EMPTY.0);
        let mut ranks = vec![0; table.len()];
        for (rank, &number) in (0u32..).zip(&terms) {
            ranks[number as usize] = rank;
        }
        let symbols = Grouped::new(self.symbols, &ranks);
        let paths = Grouped::new(self.paths, &ranks);
        let cells = Grouped::new(self.cells, &ranks);
        let mut writer = DictionaryWriter { cell_count, ..DictionaryWriter::default() };
        for (rank, &number) in terms.iter().enumerate() {
            writer.push(
                table.get(StrId(number)),
                symbols.of(rank),
                paths.of(rank),
                cells.of(rank),
                symbol_ends,
            );
        }
        writer.finish()
    }
}

/// Postings in the order of terms; within a term in the order they were added.
struct Grouped<F> {
    starts: Vec<u32>,
    rows: Vec<Posting<F>>,
}

impl<F: Copy + Default> Grouped<F> {
    fn new(rows: Vec<(u32, Posting<F>)>, ranks: &[u32]) -> Self {
        let mut starts = vec![0u32; ranks.len() + 1];
        for (term, _) in &rows {
            starts[ranks[*term as usize] as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut grouped = vec![Posting::default(); rows.len()];
        for (term, row) in rows {
            let at = &mut next[ranks[term as usize] as usize];
            grouped[*at as usize] = row;
            *at += 1;
        }
        Self { starts, rows: grouped }
    }

    fn of(&self, rank: usize) -> &[Posting<F>] {
        &self.rows[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }
}

#[derive(Default)]
struct DictionaryWriter {
    terms: Vec<u8>,
    term_ends: Vec<u32>,
    term_postings: Vec<u32>,
    postings: Vec<u8>,
    count: u32,
    before: Vec<u8>,
    /// Cells of the segment.
    cell_count: u32,
    joined: Vec<(u32, u32)>,
}

impl DictionaryWriter {
    fn push(
        &mut self,
        text: &str,
        symbols: &[Posting<[u8; 4]>],
        paths: &[Posting<u32>],
        cells: &[Posting<u32>],
        symbol_ends: &[u32],
    ) {
        if self.count.is_multiple_of(front::BLOCK) {
            if self.count > 0 {
                self.term_ends.push(self.terms.len() as u32);
            }
            self.term_postings.push(self.postings.len() as u32);
            self.before.clear();
        }
        front::put_key(&mut self.terms, &self.before, text.as_bytes());
        self.before.clear();
        self.before.extend_from_slice(text.as_bytes());
        self.count += 1;

        let symbol_count = count_symbols(symbols, paths, symbol_ends);
        let start = self.postings.len();
        put_symbols(&mut self.postings, symbols);
        let symbols_end = self.postings.len();
        put_paths(&mut self.postings, paths);
        let paths_end = self.postings.len();
        join_repeated(cells, &mut self.joined);
        rice::put(&mut self.postings, &self.joined, self.cell_count);
        let cell_count = self.joined.len() as u32;
        let (symbol_bytes, path_bytes) =
            ((symbols_end - start) as u32, (paths_end - symbols_end) as u32);

        let cell_bytes = (self.postings.len() - paths_end) as u32;
        let short = cell_code(cell_count, cell_bytes);
        self.terms.push((symbol_count.min(15) << 4 | short) as u8);
        if symbol_count >= 15 {
            varint::put(&mut self.terms, symbol_count - 15);
        }
        if short == LONG_COUNT {
            varint::put(&mut self.terms, cell_count - SINGLE);
        }
        if symbol_count > 0 {
            varint::put(&mut self.terms, symbol_bytes << 1 | u32::from(path_bytes > 0));
            if path_bytes > 0 {
                varint::put(&mut self.terms, path_bytes);
            }
        }
        if short > 0 && !is_single(short) {
            varint::put(&mut self.terms, cell_bytes);
        }
    }

    fn finish(mut self) -> PackedPostings {
        if self.count > 0 {
            self.term_ends.push(self.terms.len() as u32);
        }
        PackedPostings {
            terms: self.terms,
            term_ends: column::pack(self.term_ends),
            term_postings: column::pack(self.term_postings),
            postings: self.postings,
            count: self.count,
        }
    }
}

/// Returns the four bits that stand for the number of cells. Most terms stand in one cell, whose
/// posting takes one to three bytes; they need no length.
fn cell_code(count: u32, bytes: u32) -> u32 {
    match (count, bytes) {
        (1, 1..=3) => SINGLE + bytes - 1,
        (count, _) if count < SINGLE => count,
        _ => LONG_COUNT,
    }
}

/// Counts symbols that have the term in any field, the path of their file included.
fn count_symbols(symbols: &[Posting<[u8; 4]>], paths: &[Posting<u32>], symbol_ends: &[u32]) -> u32 {
    let range = |file: u32| {
        let start = if file == 0 { 0 } else { symbol_ends[file as usize - 1] };
        start..symbol_ends[file as usize]
    };
    let by_path: u32 = paths
        .chunk_by(|a, b| a.document == b.document)
        .map(|group| range(group[0].document).len() as u32)
        .sum();
    let mut ranges = paths.iter().map(|posting| range(posting.document)).peekable();
    let elsewhere = symbols.iter().filter(|posting| {
        while ranges.next_if(|range| range.end <= posting.document).is_some() {}
        !ranges.peek().is_some_and(|range| range.contains(&posting.document))
    });
    by_path + elsewhere.count() as u32
}

fn put_symbols(out: &mut Vec<u8>, postings: &[Posting<[u8; 4]>]) {
    let mut next = 0;
    for posting in postings {
        let distance = posting.document - next + 1;
        next = posting.document + 1;
        let mask = posting
            .frequency
            .iter()
            .enumerate()
            .fold(0, |mask, (field, &count)| mask | u8::from(count > 0) << field);
        let frequencies =
            if posting.frequency.iter().any(|&count| count > 1) { FREQUENCIES } else { 0 };
        let near = if distance <= NEAR { distance as u8 } else { 0 };
        out.push(mask << 4 | frequencies | near);
        if near == 0 {
            varint::put(out, distance - NEAR - 1);
        }
        if frequencies != 0 {
            out.extend(posting.frequency.iter().filter(|&&count| count > 0));
        }
    }
}

/// Writes files with a frequency as numbers of whole bytes: there are few of them.
fn put_paths(out: &mut Vec<u8>, postings: &[Posting<u32>]) {
    let mut next = 0;
    for group in postings.chunk_by(|a, b| a.document == b.document) {
        let (document, frequency) = (group[0].document, group.len() as u32);
        varint::put(out, (document - next) << 2 | (frequency - 1).min(FEW));
        if frequency > FEW {
            varint::put(out, frequency - FEW - 1);
        }
        next = document + 1;
    }
}

/// Lists documents with their frequency; one that was added more than once has the sum.
fn join_repeated(postings: &[Posting<u32>], joined: &mut Vec<(u32, u32)>) {
    joined.clear();
    for group in postings.chunk_by(|a, b| a.document == b.document) {
        let frequency =
            group.iter().fold(0u32, |sum, posting| sum.saturating_add(posting.frequency));
        joined.push((group[0].document, frequency));
    }
}
