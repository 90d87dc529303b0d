//! Sections of a segment file and the counts that give their columns a width.

use crate::container;

/// Kind of file, in its first bytes.
pub(crate) const MAGIC: [u8; 8] = *b"ctxd.seg";

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Section { $($(#[$doc])* $name),+ }

        impl Section {
            pub(crate) const ALL: &'static [Section] = &[$(Section::$name),+];
        }
    };
}

sections! {
    Meta,
    /// Names of symbols, their explicit scopes, and packages; sorted, see `strings.rs`.
    NameBytes,
    NameEnds,
    /// Strings only the linker reads, front-coded, in compressed blocks.
    LinkStrings,
    LinkStringEnds,
    Paths,
    PathEnds,
    Hashes,
    FileLanguage,
    FileFlags,
    FileLines,
    FileSize,
    FilePackage,
    FileSymbolEnd,
    FileCellEnd,
    FileChunkEnd,
    FileDetailEnd,
    FileTextEnd,
    FileLinkEnd,
    FilePathLength,
    SymbolName,
    SymbolScope,
    /// Number in the file plus one; 0 for none.
    SymbolParent,
    SymbolStartLine,
    /// Last line minus first line.
    SymbolLines,
    SymbolModifiers,
    SymbolKind,
    SymbolVisibility,
    /// First cell of the symbol and what it holds, counted in the file.
    SymbolCellStart,
    SymbolCellCount,
    SymbolNameLength,
    SymbolScopeLength,
    SymbolDocLength,
    SymbolSignatureLength,
    /// Symbols in the order of their names.
    NameOrder,
    /// File of every 64th symbol.
    FileHint,
    CellSymbol,
    CellBlock,
    CellWords,
    CellCompounds,
    Details,
    Text,
    TextEnds,
    Links,
    LinkEnds,
    Terms,
    TermEnds,
    /// Where the postings of each block of terms start.
    TermPostings,
    Postings,
}

/// One in this many symbols has an entry in [`Section::FileHint`].
pub(crate) const HINT: u32 = 64;

/// Counts of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    pub files: u32,
    pub symbols: u32,
    pub cells: u32,
    pub chunks: u32,
    pub refs: u64,
    /// Text blocks of [`contextd_model::facts::BLOCK_LINES`] lines.
    pub blocks: u32,
    pub terms: u32,
    /// Bytes of the indexed files.
    pub source_bytes: u64,
    /// Sum over symbols of each field's length; the path counts for every symbol of its file.
    pub field_lengths: [u64; super::FIELDS],
    pub words: u64,
    pub compounds: u64,
    pub(crate) names: u32,
    pub(crate) link_strings: u32,
    pub(crate) link_string_length: u32,
    pub(crate) text_length: u32,
    pub(crate) link_length: u32,
}

impl SegmentCounts {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let [name, scope, path, doc, signature] = self.field_lengths;
        container::put_numbers(&[
            self.files.into(),
            self.symbols.into(),
            self.cells.into(),
            self.chunks.into(),
            self.refs,
            self.blocks.into(),
            self.terms.into(),
            self.source_bytes,
            name,
            scope,
            path,
            doc,
            signature,
            self.words,
            self.compounds,
            self.names.into(),
            self.link_strings.into(),
            self.link_string_length.into(),
            self.text_length.into(),
            self.link_length.into(),
        ])
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let [
            files,
            symbols,
            cells,
            chunks,
            refs,
            blocks,
            terms,
            source_bytes,
            name,
            scope,
            path,
            doc,
            signature,
            words,
            compounds,
            names,
            links,
            strings,
            text,
            link,
        ] = container::take_numbers::<20>(bytes)?;
        let small = |number: u64| u32::try_from(number).ok().filter(|&number| number < u32::MAX);
        Some(Self {
            files: small(files)?,
            symbols: small(symbols)?,
            cells: small(cells)?,
            chunks: small(chunks)?,
            refs,
            blocks: small(blocks)?,
            terms: small(terms)?,
            source_bytes,
            field_lengths: [name, scope, path, doc, signature],
            words,
            compounds,
            names: small(names)?,
            link_strings: small(links)?,
            link_string_length: small(strings)?,
            text_length: small(text)?,
            link_length: small(link)?,
        })
    }

    /// Returns the number of rows when `section` is a column.
    pub(crate) fn rows(&self, section: Section) -> Option<usize> {
        use Section::*;
        let rows = match section {
            Meta | NameBytes | LinkStrings | Paths | Hashes | Details | Text | Links | Terms
            | Postings => return None,
            NameEnds => self.names,
            LinkStringEnds => crate::blocks::Blocks::count(self.link_string_length as usize) as u32,
            PathEnds | FileLanguage | FileFlags | FileLines | FileSize | FilePackage
            | FileSymbolEnd | FileCellEnd | FileChunkEnd | FileDetailEnd | FileTextEnd
            | FileLinkEnd | FilePathLength => self.files,
            SymbolName
            | SymbolScope
            | SymbolParent
            | SymbolStartLine
            | SymbolLines
            | SymbolModifiers
            | SymbolKind
            | SymbolVisibility
            | SymbolCellStart
            | SymbolCellCount
            | SymbolNameLength
            | SymbolScopeLength
            | SymbolDocLength
            | SymbolSignatureLength
            | NameOrder => self.symbols,
            FileHint => self.symbols.div_ceil(HINT),
            CellSymbol | CellBlock | CellWords | CellCompounds => self.cells,
            TextEnds => crate::blocks::Blocks::count(self.text_length as usize) as u32,
            LinkEnds => crate::blocks::Blocks::count(self.link_length as usize) as u32,
            TermEnds | TermPostings => self.terms.div_ceil(crate::front::BLOCK),
        };
        Some(rows as usize)
    }
}
