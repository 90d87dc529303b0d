//! Reads the full text of a segment in place.

use super::{FEW, FREQUENCIES, LONG_COUNT, NEAR, SINGLE, STORED_FIELDS, is_single, rice};
use crate::column::{Column, partition_point};
use crate::front;
use crate::segment::{FIELDS, Field};
use crate::varint::Reader;

/// How often a term stands in each field of a symbol, capped at 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldTf(pub [u8; FIELDS]);

impl FieldTf {
    /// Returns the frequency in one field.
    pub fn of(&self, field: Field) -> u8 {
        self.0[field as usize]
    }
}

/// Postings of one term in one segment.
#[derive(Clone, Copy, Debug)]
pub struct TermPostings<'a> {
    /// Symbols with the term in any field, path included.
    pub symbol_count: u32,
    pub cell_count: u32,
    pub symbols: SymbolPostings<'a>,
    pub cells: CellPostings<'a>,
}

/// Symbols with a term, rising.
#[derive(Clone, Copy, Debug)]
pub struct SymbolPostings<'a> {
    symbols: &'a [u8],
    paths: PathPostings<'a>,
    file_ends: Column<'a>,
    /// Symbols of the segment: what damaged bytes name beyond is not passed on.
    limit: u32,
}

impl SymbolPostings<'_> {
    /// Calls `each` with every symbol of the segment that has the term, and where it has it.
    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(u32, FieldTf)) {
        let mut stored = Stored::new(self.symbols, self.limit);
        let mut posting = stored.next();
        self.paths.for_each(|file, frequency| {
            let path = frequency.min(255) as u8;
            let range = self.file_ends.start(file)..self.file_ends.get(file).min(self.limit);
            while let Some((symbol, fields)) = posting.filter(|posting| posting.0 < range.start) {
                each(symbol, fields);
                posting = stored.next();
            }
            for symbol in range {
                let mut fields = FieldTf::default();
                if let Some((_, found)) = posting.filter(|posting| posting.0 == symbol) {
                    fields = found;
                    posting = stored.next();
                }
                fields.0[Field::Path as usize] = path;
                each(symbol, fields);
            }
        });
        while let Some((symbol, fields)) = posting {
            each(symbol, fields);
            posting = stored.next();
        }
    }

    /// Calls `each` with the symbols that have the term in a field of their own, path left out.
    #[inline]
    pub fn for_each_stored(&self, mut each: impl FnMut(u32, FieldTf)) {
        let mut stored = Stored::new(self.symbols, self.limit);
        while let Some((symbol, fields)) = stored.next() {
            each(symbol, fields);
        }
    }

    /// Returns how many files of the segment have the term in their path.
    pub fn path_count(&self) -> u32 {
        let mut count = 0;
        self.paths.for_each(|_, _| count += 1);
        count
    }

    /// Calls `each` with every file of the segment whose path has the term, and how often.
    #[inline]
    pub fn for_each_path(&self, each: impl FnMut(u32, u32)) {
        self.paths.for_each(each);
    }
}

/// Decodes the list of symbols.
struct Stored<'a> {
    reader: Reader<'a>,
    next: u32,
    limit: u32,
}

/// Frequencies of a posting whose present fields all have the term once, by its bits of fields.
const ONCE: [[u8; FIELDS]; 16] = {
    let mut table = [[0; FIELDS]; 16];
    let mut mask = 0;
    while mask < 16 {
        let mut bit = 0;
        while bit < STORED_FIELDS.len() {
            table[mask][STORED_FIELDS[bit] as usize] = (mask >> bit & 1) as u8;
            bit += 1;
        }
        mask += 1;
    }
    table
};

impl<'a> Stored<'a> {
    fn new(bytes: &'a [u8], limit: u32) -> Self {
        Self { reader: Reader::new(bytes), next: 0, limit }
    }

    #[inline]
    fn next(&mut self) -> Option<(u32, FieldTf)> {
        if self.reader.rest().is_empty() {
            return None;
        }
        let head = self.reader.byte();
        let distance = match u32::from(head) & NEAR {
            0 => self.reader.varint().saturating_add(NEAR + 1),
            near => near,
        };
        let symbol = self.next.saturating_add(distance - 1);
        self.next = symbol.saturating_add(1);
        let mut fields = FieldTf(ONCE[usize::from(head >> 4)]);
        if head & FREQUENCIES != 0 {
            for field in STORED_FIELDS {
                let count = &mut fields.0[field as usize];
                *count = if *count > 0 { self.reader.byte() } else { 0 };
            }
        }
        (self.reader.is_whole() && symbol < self.limit).then_some((symbol, fields))
    }
}

/// Cells with a term and how often it stands there, rising.
#[derive(Clone, Copy, Debug)]
pub struct CellPostings<'a> {
    /// From the start of the list on.
    bytes: &'a [u8],
    count: u32,
    /// Cells of the segment.
    cells: u32,
}

impl CellPostings<'_> {
    /// Calls `each` with every cell and the frequency.
    #[inline]
    pub fn for_each(&self, each: impl FnMut(u32, u32)) {
        rice::for_each(self.bytes, self.count, self.cells, each);
    }
}

/// Files with a term in their path, rising.
#[derive(Clone, Copy, Debug)]
struct PathPostings<'a> {
    bytes: &'a [u8],
    limit: u32,
}

impl PathPostings<'_> {
    #[inline]
    fn for_each(&self, mut each: impl FnMut(u32, u32)) {
        let mut reader = Reader::new(self.bytes);
        let mut next = 0u32;
        while !reader.rest().is_empty() {
            let number = reader.varint();
            let mut frequency = number & FEW;
            if frequency == FEW {
                frequency = reader.varint().saturating_add(FEW);
            }
            let file = next.saturating_add(number >> 2);
            if !reader.is_whole() || file >= self.limit {
                return;
            }
            next = file.saturating_add(1);
            each(file, frequency.saturating_add(1));
        }
    }
}

/// The sorted terms of a segment.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    pub(crate) count: u32,
    pub(crate) terms: &'a [u8],
    pub(crate) term_ends: Column<'a>,
    pub(crate) term_postings: Column<'a>,
    pub(crate) postings: &'a [u8],
    pub(crate) file_ends: Column<'a>,
    pub(crate) files: u32,
    pub(crate) symbols: u32,
    pub(crate) cells: u32,
}

impl<'a> Dictionary<'a> {
    /// Returns the postings of `term`.
    pub(crate) fn find(&self, term: &str) -> Option<TermPostings<'a>> {
        let mut walk = self.walk_from(term.as_bytes());
        loop {
            let entry = walk.next()?;
            match walk.key.as_slice().cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return self.postings(entry),
                std::cmp::Ordering::Greater => return None,
            }
        }
    }

    /// Calls `each` with the terms that start with `prefix`, in order, until it returns false.
    pub(crate) fn with_prefix(
        &self,
        prefix: &str,
        mut each: impl FnMut(&str, TermPostings<'a>) -> bool,
    ) {
        let mut walk = self.walk_from(prefix.as_bytes());
        while let Some(entry) = walk.next() {
            if !walk.key.starts_with(prefix.as_bytes()) {
                if walk.key.as_slice() > prefix.as_bytes() {
                    return;
                }
                continue;
            }
            let (Ok(term), Some(postings)) = (std::str::from_utf8(&walk.key), self.postings(entry))
            else {
                continue;
            };
            if !each(term, postings) {
                return;
            }
        }
    }

    /// Starts at the block that holds the first term not before `key`.
    fn walk_from(&self, key: &[u8]) -> Walk<'a> {
        let blocks = self.count.div_ceil(front::BLOCK);
        let after = partition_point(blocks, |block| {
            let mut reader =
                Reader::new(self.terms.get(self.term_ends.start(block) as usize..).unwrap_or(&[]));
            front::take_key(&mut reader).1 <= key
        });
        let block = after.saturating_sub(1);
        let start = self.term_ends.start(block) as usize;
        Walk {
            reader: Reader::new(self.terms.get(start..).unwrap_or(&[])),
            key: Vec::with_capacity(64),
            number: block * front::BLOCK,
            dictionary: *self,
            postings_at: 0,
        }
    }

    fn postings(&self, entry: Entry) -> Option<TermPostings<'a>> {
        let at = entry.start as usize;
        let paths_at = at.checked_add(entry.symbol_bytes as usize)?;
        let cells_at = paths_at.checked_add(entry.path_bytes as usize)?;
        Some(TermPostings {
            symbol_count: entry.symbol_count,
            cell_count: entry.cell_count,
            symbols: SymbolPostings {
                symbols: self.postings.get(at..paths_at)?,
                paths: PathPostings {
                    bytes: self.postings.get(paths_at..cells_at)?,
                    limit: self.files,
                },
                file_ends: self.file_ends,
                limit: self.symbols,
            },
            cells: CellPostings {
                bytes: self.postings.get(cells_at..)?,
                count: entry.cell_count,
                cells: self.cells,
            },
        })
    }
}

/// Walks terms in order from the start of a block.
struct Walk<'a> {
    dictionary: Dictionary<'a>,
    reader: Reader<'a>,
    key: Vec<u8>,
    number: u32,
    postings_at: u32,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    start: u32,
    symbol_count: u32,
    cell_count: u32,
    symbol_bytes: u32,
    path_bytes: u32,
    cell_bytes: u32,
}

impl Walk<'_> {
    fn next(&mut self) -> Option<Entry> {
        if self.number >= self.dictionary.count {
            return None;
        }
        if self.number.is_multiple_of(front::BLOCK) {
            self.key.clear();
            self.postings_at = self.dictionary.term_postings.get(self.number / front::BLOCK);
        }
        self.number += 1;
        let reader = &mut self.reader;
        front::next_key(reader, &mut self.key);
        let counts = u32::from(reader.byte());
        let (symbols, cells) = (counts >> 4, counts & 15);
        let mut entry = Entry { start: self.postings_at, ..Entry::default() };
        entry.symbol_count =
            if symbols == 15 { reader.varint().saturating_add(15) } else { symbols };
        entry.cell_count = match cells {
            LONG_COUNT => reader.varint().saturating_add(SINGLE),
            cells if is_single(cells) => 1,
            cells => cells,
        };
        if entry.symbol_count > 0 {
            let bytes = reader.varint();
            entry.symbol_bytes = bytes >> 1;
            entry.path_bytes = if bytes & 1 == 1 { reader.varint() } else { 0 };
        }
        entry.cell_bytes = match cells {
            0 => 0,
            cells if is_single(cells) => cells - SINGLE + 1,
            _ => reader.varint(),
        };
        self.postings_at = [entry.symbol_bytes, entry.path_bytes, entry.cell_bytes]
            .iter()
            .fold(self.postings_at, |sum, &bytes| sum.saturating_add(bytes));
        reader.is_whole().then_some(entry)
    }
}
