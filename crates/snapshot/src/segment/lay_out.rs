//! Lays the columns of a segment out as sections.

use super::FIELDS;
use super::section::Section;
use super::writer::Scope;
use crate::{blocks, column};
use contextd_model::facts::{CellRow, SymbolRow};

/// One value for each file.
#[derive(Default)]
pub(super) struct FileColumns {
    pub(super) language: Vec<u32>,
    pub(super) flags: Vec<u32>,
    pub(super) lines: Vec<u32>,
    pub(super) size: Vec<u32>,
    pub(super) package: Vec<u32>,
    pub(super) symbol_end: Vec<u32>,
    pub(super) cell_end: Vec<u32>,
    pub(super) chunk_end: Vec<u32>,
    pub(super) detail_end: Vec<u32>,
    pub(super) text_end: Vec<u32>,
    pub(super) path_length: Vec<u32>,
}

/// One value for each symbol.
#[derive(Default)]
pub(super) struct SymbolColumns {
    pub(super) rows: Vec<SymbolRow>,
    pub(super) names: Vec<u32>,
    pub(super) scopes: Vec<Scope>,
    pub(super) cells: Vec<(u32, u32)>,
    pub(super) lengths: Vec<[u32; FIELDS]>,
}

/// Sections in the order of [`Section`].
pub(super) struct Sections {
    pub(super) bytes: Vec<Vec<u8>>,
}

impl Default for Sections {
    fn default() -> Self {
        Self { bytes: vec![Vec::new(); Section::ALL.len()] }
    }
}

impl Sections {
    pub(super) fn set(&mut self, section: Section, bytes: Vec<u8>) {
        self.bytes[section as usize] = bytes;
    }

    pub(super) fn pair(&mut self, sections: [Section; 2], (bytes, ends): (Vec<u8>, Vec<u8>)) {
        self.set(sections[0], bytes);
        self.set(sections[1], ends);
    }

    pub(super) fn column(&mut self, section: Section, values: impl Iterator<Item = u32> + Clone) {
        self.set(section, column::pack(values));
    }

    pub(super) fn blocks(&mut self, sections: [Section; 2], raw: &[u8]) {
        let (ends, bytes) = blocks::compress(raw);
        self.pair(sections, (bytes, ends));
    }

    pub(super) fn files(&mut self, files: &FileColumns) {
        for (section, values) in [
            (Section::FileLanguage, &files.language),
            (Section::FileFlags, &files.flags),
            (Section::FileLines, &files.lines),
            (Section::FileSize, &files.size),
            (Section::FileSymbolEnd, &files.symbol_end),
            (Section::FileCellEnd, &files.cell_end),
            (Section::FileChunkEnd, &files.chunk_end),
            (Section::FileDetailEnd, &files.detail_end),
            (Section::FileTextEnd, &files.text_end),
            (Section::FilePathLength, &files.path_length),
        ] {
            self.column(section, values.iter().copied());
        }
    }

    pub(super) fn symbols(&mut self, symbols: &SymbolColumns) {
        let rows = symbols.rows.iter();
        self.column(Section::SymbolParent, rows.clone().map(|row| row.parent.wrapping_add(1)));
        self.column(Section::SymbolStartLine, rows.clone().map(|row| row.start_line));
        self.column(
            Section::SymbolLines,
            rows.clone().map(|row| row.end_line.wrapping_sub(row.start_line)),
        );
        self.column(Section::SymbolModifiers, rows.clone().map(|row| row.modifiers));
        self.column(Section::SymbolKind, rows.clone().map(|row| row.kind.into()));
        self.column(Section::SymbolVisibility, rows.map(|row| row.visibility.into()));
        self.column(Section::SymbolCellStart, symbols.cells.iter().map(|cells| cells.0));
        self.column(Section::SymbolCellCount, symbols.cells.iter().map(|cells| cells.1));
        let lengths = symbols.lengths.iter();
        self.column(Section::SymbolNameLength, lengths.clone().map(|lengths| lengths[0]));
        self.column(Section::SymbolScopeLength, lengths.clone().map(|lengths| lengths[1]));
        self.column(Section::SymbolDocLength, lengths.clone().map(|lengths| lengths[3]));
        self.column(Section::SymbolSignatureLength, lengths.map(|lengths| lengths[4]));
    }

    pub(super) fn cells(&mut self, cells: &[CellRow]) {
        self.column(Section::CellSymbol, cells.iter().map(|cell| cell.symbol));
        self.column(Section::CellBlock, cells.iter().map(|cell| cell.block));
        self.column(Section::CellWords, cells.iter().map(|cell| cell.words));
        self.column(Section::CellCompounds, cells.iter().map(|cell| cell.compounds));
    }
}
