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
    /// Lines after the first.
    pub more_lines: Vec<u32>,
    scopes: Vec<u32>,
    lengths: [Vec<u32>; 4],
    cell_symbols: Vec<u32>,
    pub cell_blocks: Vec<u32>,
    pub cell_words: Vec<u32>,
    pub cell_compounds: Vec<u32>,
}

impl Segment {
    /// Fills the columns that describe symbols and cells; what was in them before is gone, their memory is used again.
    pub fn unpack(&self, columns: &mut Unpacked) {
        let column = |section: Section, numbers: &mut Vec<u32>| self.column(section).unpack(self.counts().rows(section).unwrap_or(0), numbers);
        column(Section::SymbolParent, &mut columns.parents);
        column(Section::SymbolKind, &mut columns.kinds);
        column(Section::SymbolModifiers, &mut columns.modifiers);
        column(Section::SymbolLines, &mut columns.more_lines);
        column(Section::SymbolScope, &mut columns.scopes);
        let lengths = [Section::SymbolNameLength, Section::SymbolScopeLength, Section::SymbolDocLength, Section::SymbolSignatureLength];
        for (section, numbers) in lengths.into_iter().zip(&mut columns.lengths) {
            column(section, numbers);
        }
        column(Section::CellSymbol, &mut columns.cell_symbols);
        column(Section::CellBlock, &mut columns.cell_blocks);
        column(Section::CellWords, &mut columns.cell_words);
        column(Section::CellCompounds, &mut columns.cell_compounds);
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

    /// True when the symbol's qualified name is not that of what it lies in and its own: it may belong to something
    /// that lies elsewhere.
    #[inline]
    pub fn has_own_scope(&self, symbol: u32) -> bool {
        self.scopes[symbol as usize] != 0
    }

    /// Returns the innermost symbol of a cell, of a file's `symbols`.
    #[inline]
    pub fn cell_symbol(&self, cell: u32, symbols: &Range<u32>) -> u32 {
        symbols.start.saturating_add(self.cell_symbols[cell as usize]).min(symbols.end.saturating_sub(1))
    }
}
