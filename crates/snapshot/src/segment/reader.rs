//! Reads a segment in place. Numbers are local to the segment unless a name says "in the file".
//!
//! Damaged bytes give wrong answers, never a panic: every number returned is within its range, and
//! what cannot be read is empty. [`Segment::verify`] tells.

use super::details::{self, SymbolDetail};
use super::section::{HINT, MAGIC, Section, SegmentCounts};
use super::{FIELDS, Field, MAX_QUALIFIED};
use crate::blocks::{BlockCache, Blocks};
use crate::column::{Column, partition_point};
use crate::container::Container;
use crate::error::{Result, SnapshotError};
use crate::varint::Reader;
use contextd_model::facts::{CellRow, SymbolRow};
use contextd_model::{ContentHash, SymbolKind, Visibility};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The mapped files of one shard.
#[derive(Debug)]
pub struct Segment {
    container: Container,
    counts: SegmentCounts,
    /// Width of each column; 0 for sections that are none.
    widths: Vec<u8>,
    identity: u64,
}

/// A run of lines that belongs to one symbol and one block of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub symbol: u32,
    /// Number of the block in the file.
    pub block: u32,
    pub words: u32,
    pub compounds: u32,
}

thread_local! {
    /// The block of texts read last on this thread, for [`Segment::detail`].
    static TEXT_BLOCKS: RefCell<BlockCache> = RefCell::default();
}

/// Tells segments of this process apart.
static OPENED: AtomicU64 = AtomicU64::new(0);

impl Segment {
    /// Maps a segment file; reads its header and nothing else.
    pub fn open(path: &Path) -> Result<Self> {
        let container = Container::open(path, MAGIC, Section::ALL.len())?;
        let damaged = |what| SnapshotError::damaged(path, what);
        let counts = SegmentCounts::decode(container.section(Section::Meta as usize))
            .ok_or_else(|| damaged("counts"))?;
        let mut widths = vec![0; Section::ALL.len()];
        for &section in Section::ALL {
            let Some(rows) = counts.rows(section) else {
                continue;
            };
            let column = Column::new(container.section(section as usize), rows)
                .ok_or_else(|| damaged("size of a column"))?;
            widths[section as usize] = column.width();
        }
        if container.section(Section::Hashes as usize).len() != counts.files as usize * 32 {
            return Err(damaged("number of hashes"));
        }
        Ok(Self { container, counts, widths, identity: OPENED.fetch_add(1, Ordering::Relaxed) })
    }

    /// Reads everything and holds it against the checksums.
    pub fn verify(&self) -> Result<()> {
        self.container.verify()
    }

    /// Returns the counts of the segment.
    pub fn counts(&self) -> &SegmentCounts {
        &self.counts
    }

    /// Returns the length of the segment's file.
    pub fn size(&self) -> u64 {
        self.container.size()
    }

    #[inline]
    pub(crate) fn section(&self, section: Section) -> &[u8] {
        self.container.section(section as usize)
    }

    #[inline]
    pub(crate) fn column(&self, section: Section) -> Column<'_> {
        Column::with_width(self.section(section), self.widths[section as usize])
    }

    // Strings.

    /// Returns the name with that number, the empty string when there is none.
    #[inline]
    pub(crate) fn name_string(&self, number: u32) -> &str {
        let range = self.column(Section::NameEnds).range(number);
        text(self.section(Section::NameBytes), range)
    }

    // Files.

    pub fn file_count(&self) -> u32 {
        self.counts.files
    }

    /// Returns the path of a file relative to the root.
    pub fn path(&self, file: u32) -> &str {
        text(self.section(Section::Paths), self.column(Section::PathEnds).range(file))
    }

    /// Returns the hash of the file's original bytes.
    pub fn hash(&self, file: u32) -> ContentHash {
        let start = file as usize * 32;
        let bytes = self
            .section(Section::Hashes)
            .get(start..start + 32)
            .and_then(|bytes| bytes.try_into().ok());
        ContentHash(bytes.unwrap_or_default())
    }

    /// Returns the number of the file's language in the extractor's table.
    pub fn language(&self, file: u32) -> u8 {
        self.column(Section::FileLanguage).get(file) as u8
    }

    /// Returns the bits of [`contextd_model::facts::file_flag`].
    pub fn file_flags(&self, file: u32) -> u32 {
        self.column(Section::FileFlags).get(file)
    }

    pub fn lines(&self, file: u32) -> u32 {
        self.column(Section::FileLines).get(file)
    }

    /// Returns the bytes of the file after redaction.
    pub fn file_size(&self, file: u32) -> u32 {
        self.column(Section::FileSize).get(file)
    }

    /// Returns the package the file declares, or the empty string.
    pub fn package(&self, file: u32) -> &str {
        self.name_string(self.column(Section::FilePackage).get(file))
    }

    /// Returns the symbols of a file; the first is the file itself.
    pub fn symbols_of_file(&self, file: u32) -> Range<u32> {
        clamp(self.column(Section::FileSymbolEnd).range(file), self.counts.symbols)
    }

    pub fn cells_of_file(&self, file: u32) -> Range<u32> {
        clamp(self.column(Section::FileCellEnd).range(file), self.counts.cells)
    }

    /// Returns the numbers of a file's chunks.
    pub fn chunks_of_file(&self, file: u32) -> Range<u32> {
        clamp(self.column(Section::FileChunkEnd).range(file), self.counts.chunks)
    }

    /// Returns the number of words in the file's path.
    pub fn path_length(&self, file: u32) -> u32 {
        self.column(Section::FilePathLength).get(file)
    }

    /// Returns the file with that path; bytes have the order of the letters they stand for.
    pub fn find_file(&self, path: &str) -> Option<u32> {
        let (paths, ends, path) =
            (self.section(Section::Paths), self.column(Section::PathEnds), path.as_bytes());
        let at = |range: Range<u32>| {
            paths.get(range.start as usize..range.end as usize).unwrap_or_default()
        };
        let file = partition_point(self.counts.files, |file| at(ends.range(file)) < path);
        (file < self.counts.files && at(ends.range(file)) == path).then_some(file)
    }

    // Symbols.

    pub fn symbol_count(&self) -> u32 {
        self.counts.symbols
    }

    /// Returns the file a symbol stands in.
    #[inline]
    pub fn file_of(&self, symbol: u32) -> u32 {
        let ends = self.column(Section::FileSymbolEnd);
        let mut file = self.column(Section::FileHint).get(symbol / HINT);
        while file + 1 < self.counts.files && ends.get(file) <= symbol {
            file += 1;
        }
        file.min(self.counts.files.saturating_sub(1))
    }

    #[inline]
    pub fn name(&self, symbol: u32) -> &str {
        self.name_string(self.column(Section::SymbolName).get(symbol))
    }

    /// Returns the name with its enclosing scopes inside the file: `Type.method`.
    pub fn qualified(&self, symbol: u32) -> Cow<'_, str> {
        let mut parts = Vec::new();
        self.scoped(symbol, &mut parts);
        match parts.as_slice() {
            [only] => Cow::Borrowed(only),
            parts => Cow::Owned(parts.join(".")),
        }
    }

    /// Puts the parts of the qualified name into `parts`, outermost first.
    pub fn scoped<'a>(&'a self, symbol: u32, parts: &mut Vec<&'a str>) {
        let scopes = self.column(Section::SymbolScope);
        let parents = self.column(Section::SymbolParent);
        let first = self.symbols_of_file(self.file_of(symbol)).start;
        let (mut length, mut at) = (0, symbol);
        parts.clear();
        loop {
            let scope = scopes.get(at).checked_sub(1);
            let is_whole = scope.is_some_and(|code| code % 2 == 1);
            parts.push(match scope {
                Some(code) if is_whole => self.name_string(code / 2),
                _ => self.name(at),
            });
            if let Some(code) = scope {
                if !is_whole {
                    parts.push(self.name_string(code / 2));
                }
                break;
            }
            length += 1 + parts.last().map_or(0, |part| part.len());
            let parent =
                parents.get(at).checked_sub(1).and_then(|in_file| first.checked_add(in_file));
            match parent.filter(|&parent| parent < at && parent != first) {
                Some(parent) if length <= MAX_QUALIFIED => at = parent,
                _ => break,
            }
        }
        parts.reverse();
    }

    /// Returns the enclosing symbol; `None` for a file. It always precedes its children.
    #[inline]
    pub fn parent(&self, symbol: u32) -> Option<u32> {
        let in_file = self.column(Section::SymbolParent).get(symbol).checked_sub(1)?;
        let first = self.symbols_of_file(self.file_of(symbol)).start;
        first.checked_add(in_file).filter(|&parent| parent < symbol)
    }

    /// Returns the symbols inside a symbol, however deep; they follow it without a gap.
    pub fn descendants(&self, symbol: u32) -> Range<u32> {
        let file = self.symbols_of_file(self.file_of(symbol));
        let parents = self.column(Section::SymbolParent);
        let own = symbol.saturating_sub(file.start).saturating_add(1);
        let start = symbol.saturating_add(1).min(file.end);
        let end = (start..file.end).find(|&inner| parents.get(inner) < own).unwrap_or(file.end);
        start..end
    }

    #[inline]
    pub fn kind(&self, symbol: u32) -> SymbolKind {
        SymbolKind::from_byte(self.column(Section::SymbolKind).get(symbol) as u8)
    }

    #[inline]
    pub fn visibility(&self, symbol: u32) -> Visibility {
        Visibility::from_byte(self.column(Section::SymbolVisibility).get(symbol) as u8)
    }

    /// Returns the bits of [`contextd_model::facts::modifier`].
    #[inline]
    pub fn modifiers(&self, symbol: u32) -> u32 {
        self.column(Section::SymbolModifiers).get(symbol)
    }

    #[inline]
    pub fn start_line(&self, symbol: u32) -> u32 {
        self.column(Section::SymbolStartLine).get(symbol)
    }

    #[inline]
    pub fn end_line(&self, symbol: u32) -> u32 {
        self.start_line(symbol).wrapping_add(self.column(Section::SymbolLines).get(symbol))
    }

    /// Returns how many words a field of the symbol has, up to [`super::MAX_FIELD_LENGTH`].
    #[inline]
    pub fn field_length(&self, symbol: u32, field: Field) -> u32 {
        let section = match field {
            Field::Name => Section::SymbolNameLength,
            Field::Scope => Section::SymbolScopeLength,
            Field::Path => return self.path_length(self.file_of(symbol)),
            Field::Doc => Section::SymbolDocLength,
            Field::Signature => Section::SymbolSignatureLength,
        };
        self.column(section).get(symbol)
    }

    /// Returns how many words each field of the symbol has.
    pub fn field_lengths(&self, symbol: u32) -> [u32; FIELDS] {
        [Field::Name, Field::Scope, Field::Path, Field::Doc, Field::Signature]
            .map(|field| self.field_length(symbol, field))
    }

    /// Returns offsets and texts of a symbol.
    pub fn detail(&self, symbol: u32) -> SymbolDetail {
        let file = self.file_of(symbol);
        let at = symbol.saturating_sub(self.symbols_of_file(file).start) as usize;
        self.details_at(file, at..at + 1).pop().unwrap_or_default()
    }

    /// Returns offsets and texts of a file's symbols, in order: all of them cost little more than one.
    pub fn details_of_file(&self, file: u32) -> Vec<SymbolDetail> {
        self.details_at(file, 0..usize::MAX)
    }

    fn details_at(&self, file: u32, wanted: Range<usize>) -> Vec<SymbolDetail> {
        let (mut rows, mut lengths) = (Vec::new(), Vec::new());
        self.read_lines(self.symbols_of_file(file), &mut rows);
        let mut reader = Reader::new(self.details(file));
        details::take_symbols(&mut reader, &mut rows, &mut lengths);
        let mut start = self.column(Section::FileTextEnd).start(file);
        let mut found = Vec::new();
        for (at, (row, length)) in rows.iter().zip(&lengths).enumerate() {
            let doc = start.saturating_add(length.signature);
            if wanted.contains(&at) {
                found.push(SymbolDetail {
                    start: row.start,
                    end: row.end,
                    doc_start: row.doc_start,
                    body_start: row.body_start,
                    name_start: row.name_start,
                    name_line: row.name_line,
                    complexity: row.complexity,
                    signature: self.text_at(start, length.signature),
                    doc: self.text_at(doc, length.doc),
                });
            }
            start = doc.saturating_add(length.doc);
        }
        found
    }

    fn text_at(&self, start: u32, length: u32) -> String {
        let mut bytes = Vec::new();
        let range = start as usize..start as usize + length as usize;
        let _ = TEXT_BLOCKS.with_borrow_mut(|cache| self.text().read(range, cache, &mut bytes));
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Fills `rows` with what the columns say of the symbols in `range`; strings are left out.
    pub(crate) fn read_lines(&self, range: Range<u32>, rows: &mut Vec<SymbolRow>) {
        let parents = self.column(Section::SymbolParent);
        rows.clear();
        let first = range.start;
        // Only the first row has no parent; damaged bytes must not name one that is not there.
        let parent = |symbol: u32| match symbol - first {
            0 => u32::MAX,
            at => parents.get(symbol).wrapping_sub(1).min(at - 1),
        };
        rows.extend(range.map(|symbol| SymbolRow {
            parent: parent(symbol),
            start_line: self.start_line(symbol),
            end_line: self.end_line(symbol),
            modifiers: self.modifiers(symbol),
            kind: self.column(Section::SymbolKind).get(symbol) as u8,
            visibility: self.column(Section::SymbolVisibility).get(symbol) as u8,
            ..SymbolRow::default()
        }));
    }

    pub(crate) fn details(&self, file: u32) -> &[u8] {
        let range = self.column(Section::FileDetailEnd).range(file);
        self.section(Section::Details).get(range.start as usize..range.end as usize).unwrap_or(&[])
    }

    pub(crate) fn text(&self) -> Blocks<'_> {
        self.blocks([Section::Text, Section::TextEnds], self.counts.text_length)
    }

    pub(crate) fn links(&self) -> Blocks<'_> {
        self.blocks([Section::Links, Section::LinkEnds], self.counts.link_length)
    }

    pub(crate) fn link_strings(&self) -> Blocks<'_> {
        self.blocks([Section::LinkStrings, Section::LinkStringEnds], self.counts.link_string_length)
    }

    fn blocks(&self, [bytes, ends]: [Section; 2], raw_length: u32) -> Blocks<'_> {
        Blocks {
            identity: self.identity << 8 | bytes as u64,
            ends: self.column(ends),
            bytes: self.section(bytes),
            raw_length: raw_length as usize,
        }
    }

    // Cells.

    pub fn cell_count(&self) -> u32 {
        self.counts.cells
    }

    /// Returns the cells of a symbol and of what it holds.
    pub fn cells_of_symbol(&self, symbol: u32) -> Range<u32> {
        let file = self.cells_of_file(self.file_of(symbol));
        let start = file.start.saturating_add(self.column(Section::SymbolCellStart).get(symbol));
        let end = start.saturating_add(self.column(Section::SymbolCellCount).get(symbol));
        clamp(start..end, file.end)
    }

    /// Returns a cell of a file; its symbol is one of the file's.
    pub fn cell(&self, file: u32, cell: u32) -> Cell {
        let symbols = self.symbols_of_file(file);
        let symbol = symbols.start.saturating_add(self.column(Section::CellSymbol).get(cell));
        Cell {
            symbol: symbol.min(symbols.end.saturating_sub(1)),
            block: self.column(Section::CellBlock).get(cell),
            words: self.column(Section::CellWords).get(cell),
            compounds: self.column(Section::CellCompounds).get(cell),
        }
    }

    /// Returns a cell as it was frozen, its symbol counted in the file, without its terms.
    pub(super) fn cell_row(&self, cell: u32) -> CellRow {
        CellRow {
            symbol: self.column(Section::CellSymbol).get(cell),
            block: self.column(Section::CellBlock).get(cell),
            words: self.column(Section::CellWords).get(cell),
            compounds: self.column(Section::CellCompounds).get(cell),
            terms_end: 0,
        }
    }

    /// Returns the number after the last block that has a cell, for each file.
    pub fn blocks_of_files(&self) -> Vec<u32> {
        let mut blocks = Vec::new();
        self.column(Section::CellBlock).unpack(self.counts.cells as usize, &mut blocks);
        let last = |file: u32| {
            let cells = self.cells_of_file(file);
            blocks[cells.start as usize..cells.end as usize]
                .iter()
                .max()
                .map_or(0, |last| last.saturating_add(1))
        };
        (0..self.counts.files).map(last).collect()
    }

    /// Returns the file a cell belongs to.
    pub fn file_of_cell(&self, cell: u32) -> u32 {
        let ends = self.column(Section::FileCellEnd);
        partition_point(self.counts.files, |file| ends.get(file) <= cell)
            .min(self.counts.files.saturating_sub(1))
    }
}

fn clamp(range: Range<u32>, limit: u32) -> Range<u32> {
    let start = range.start.min(limit);
    start..range.end.clamp(start, limit)
}

fn text(bytes: &[u8], range: Range<u32>) -> &str {
    bytes
        .get(range.start as usize..range.end as usize)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .unwrap_or("")
}
