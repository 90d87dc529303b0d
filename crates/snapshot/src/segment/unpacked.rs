//! Columns of a segment as plain numbers: a pass over all symbols or cells reads each many times faster than
//! row by row.

use super::reader::Segment;
use super::section::Section;
use std::ops::Range;

/// Columns by symbol and by cell, in the numbers of the segment.
#[derive(Debug, Default)]
pub struct Unpacked {
    parents: Vec<u32>,
    /// Bytes of [`contextd_model::SymbolKind`].
    pub kinds: Vec<u32>,
    /// Bits of [`contextd_model::facts::modifier`].
    pub modifiers: Vec<u32>,
    scopes: Vec<u32>,
    lengths: [Vec<u32>; 4],
    cell_symbols: Vec<u32>,
    pub cell_blocks: Vec<u32>,
    pub cell_words: Vec<u32>,
    pub cell_compounds: Vec<u32>,
}

impl Segment {
    /// Fills the columns that say what symbols are and where cells lie; what was in them before is gone, their memory is
    /// used again.
    pub fn unpack(&self, columns: &mut Unpacked) {
        self.unpack_one(Section::SymbolKind, &mut columns.kinds);
        self.unpack_one(Section::SymbolModifiers, &mut columns.modifiers);
        let lengths = [
            Section::SymbolNameLength,
            Section::SymbolScopeLength,
            Section::SymbolDocLength,
            Section::SymbolSignatureLength,
        ];
        for (section, numbers) in lengths.into_iter().zip(&mut columns.lengths) {
            self.unpack_one(section, numbers);
        }
        self.unpack_one(Section::CellBlock, &mut columns.cell_blocks);
        self.unpack_one(Section::CellWords, &mut columns.cell_words);
        self.unpack_one(Section::CellCompounds, &mut columns.cell_compounds);
    }

    /// Fills the columns that say what belongs to what, in the same way.
    pub fn unpack_ties(&self, columns: &mut Unpacked) {
        self.unpack_one(Section::SymbolParent, &mut columns.parents);
        self.unpack_one(Section::SymbolKind, &mut columns.kinds);
        self.unpack_one(Section::SymbolScope, &mut columns.scopes);
        self.unpack_one(Section::CellSymbol, &mut columns.cell_symbols);
        self.unpack_one(Section::CellWords, &mut columns.cell_words);
    }

    fn unpack_one(&self, section: Section, numbers: &mut Vec<u32>) {
        self.column(section).unpack(self.counts().rows(section).unwrap_or(0), numbers);
    }

    /// True when the symbol's qualified name is not that of what it lies in and its own: it may belong to something
    /// that lies elsewhere.
    pub fn has_own_scope(&self, symbol: u32) -> bool {
        self.column(Section::SymbolScope).get(symbol) != 0
    }
}

impl Unpacked {
    /// Returns the symbol around each of a file's `symbols`.
    pub fn parents(&self, symbols: Range<u32>) -> impl Iterator<Item = Option<u32>> + '_ {
        let start = symbols.start;
        symbols.map(move |symbol| {
            let parent = start.checked_add(self.parents[symbol as usize].checked_sub(1)?)?;
            (parent < symbol).then_some(parent)
        })
    }

    /// Returns how many words the name, scope, doc and signature of a symbol have.
    #[inline]
    pub fn lengths(&self, symbol: u32) -> [u8; 4] {
        // They are capped at 255 when they are written.
        std::array::from_fn(|field| self.lengths[field][symbol as usize].min(255) as u8)
    }

    /// Says the same as [`Segment::has_own_scope`].
    #[inline]
    pub fn has_own_scope(&self, symbol: u32) -> bool {
        self.scopes[symbol as usize] != 0
    }

    /// Returns the innermost symbol of a cell, of a file's `symbols`.
    #[inline]
    pub fn cell_symbol(&self, cell: u32, symbols: &Range<u32>) -> u32 {
        symbols
            .start
            .saturating_add(self.cell_symbols[cell as usize])
            .min(symbols.end.saturating_sub(1))
    }
}
