//! One symbol or one file of a snapshot, with everything that is known of it.

use crate::segment::{LinkRows, Segment, SymbolDetail, Wanted};
use crate::snapshot::Snapshot;
use contextd_model::facts::FactsView;
use contextd_model::{ContentHash, SymbolKind, Visibility};
use std::borrow::Cow;
use std::ops::Range;

/// A symbol of a snapshot. Numbers taken and given are global.
#[derive(Clone, Copy)]
pub struct SymbolRef<'a> {
    snapshot: &'a Snapshot,
    segment_number: usize,
    local: u32,
}

impl<'a> SymbolRef<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, segment_number: usize, local: u32) -> Self {
        Self { snapshot, segment_number, local }
    }

    /// Returns the segment that holds the symbol.
    #[inline]
    pub fn segment(&self) -> &'a Segment {
        &self.snapshot.segments()[self.segment_number]
    }

    /// Returns the symbol's number in its segment.
    pub fn local(&self) -> u32 {
        self.local
    }

    pub fn number(&self) -> u32 {
        self.first() + self.local
    }

    fn first(&self) -> u32 {
        self.snapshot.symbols_of_segment(self.segment_number).start
    }

    /// Returns the file the symbol stands in.
    pub fn file(&self) -> FileRef<'a> {
        FileRef::new(self.snapshot, self.segment_number, self.segment().file_of(self.local))
    }

    pub fn name(&self) -> &'a str {
        self.segment().name(self.local)
    }

    /// Returns the name with its enclosing scopes inside the file: `Type.method`.
    pub fn qualified(&self) -> Cow<'a, str> {
        self.segment().qualified(self.local)
    }

    /// Puts the parts of the qualified name into `parts`, outermost first.
    pub fn scoped(&self, parts: &mut Vec<&'a str>) {
        self.segment().scoped(self.local, parts);
    }

    pub fn kind(&self) -> SymbolKind {
        self.segment().kind(self.local)
    }

    pub fn visibility(&self) -> Visibility {
        self.segment().visibility(self.local)
    }

    /// Returns the bits of [`contextd_model::facts::modifier`].
    pub fn modifiers(&self) -> u32 {
        self.segment().modifiers(self.local)
    }

    pub fn has(&self, modifier: u32) -> bool {
        self.modifiers() & modifier != 0
    }

    pub fn start_line(&self) -> u32 {
        self.segment().start_line(self.local)
    }

    pub fn end_line(&self) -> u32 {
        self.segment().end_line(self.local)
    }

    /// Returns the number of lines from the first to the last.
    pub fn line_count(&self) -> u32 {
        self.end_line().wrapping_sub(self.start_line()).saturating_add(1)
    }

    /// Returns the number of the enclosing symbol; `None` for a file.
    pub fn parent(&self) -> Option<u32> {
        self.segment().parent(self.local).map(|parent| self.first() + parent)
    }

    /// Returns the numbers of the symbols inside, however deep.
    pub fn descendants(&self) -> Range<u32> {
        shift(self.segment().descendants(self.local), self.first())
    }

    /// Returns the cells of the symbol and of what it holds.
    pub fn cells(&self) -> Range<u32> {
        shift(
            self.segment().cells_of_symbol(self.local),
            self.snapshot.cells_of_segment(self.segment_number).start,
        )
    }

    /// Returns offsets and texts; they are unpacked, so ask once.
    pub fn detail(&self) -> SymbolDetail {
        self.segment().detail(self.local)
    }

    /// Returns the declaration up to its body; ask for [`SymbolRef::detail`] when more is needed.
    pub fn signature(&self) -> String {
        self.detail().signature
    }

    /// Returns the text of the doc comment; ask for [`SymbolRef::detail`] when more is needed.
    pub fn doc(&self) -> String {
        self.detail().doc
    }

    pub fn path(&self) -> &'a str {
        self.file().path()
    }

    /// Returns the number of the language in the extractor's table.
    pub fn language(&self) -> u8 {
        self.file().language()
    }
}

/// A file of a snapshot. Numbers taken and given are global.
#[derive(Clone, Copy)]
pub struct FileRef<'a> {
    snapshot: &'a Snapshot,
    segment_number: usize,
    local: u32,
}

impl<'a> FileRef<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, segment_number: usize, local: u32) -> Self {
        Self { snapshot, segment_number, local }
    }

    /// Returns the segment that holds the file.
    #[inline]
    pub fn segment(&self) -> &'a Segment {
        &self.snapshot.segments()[self.segment_number]
    }

    /// Returns the file's number in its segment.
    pub fn local(&self) -> u32 {
        self.local
    }

    pub fn number(&self) -> u32 {
        self.snapshot.files_of_segment(self.segment_number).start + self.local
    }

    /// Returns the path relative to the root.
    pub fn path(&self) -> &'a str {
        self.segment().path(self.local)
    }

    /// Returns the hash of the file's original bytes.
    pub fn hash(&self) -> ContentHash {
        self.segment().hash(self.local)
    }

    pub fn language(&self) -> u8 {
        self.segment().language(self.local)
    }

    /// Returns the bits of [`contextd_model::facts::file_flag`].
    pub fn flags(&self) -> u32 {
        self.segment().file_flags(self.local)
    }

    pub fn lines(&self) -> u32 {
        self.segment().lines(self.local)
    }

    /// Returns the bytes of the file after redaction.
    pub fn size(&self) -> u32 {
        self.segment().file_size(self.local)
    }

    /// Returns the package the file declares, or the empty string.
    pub fn package(&self) -> &'a str {
        self.segment().package(self.local)
    }

    /// Returns the numbers of the file's symbols; the first is the file itself.
    pub fn symbols(&self) -> Range<u32> {
        shift(
            self.segment().symbols_of_file(self.local),
            self.snapshot.symbols_of_segment(self.segment_number).start,
        )
    }

    /// Returns offsets and texts of the file's symbols, in order.
    pub fn details(&self) -> Vec<SymbolDetail> {
        self.segment().details_of_file(self.local)
    }

    /// Puts the file's facts together, chunks and the linker's rows among them; see [`Segment::facts`].
    pub fn facts<'r>(&self, wanted: Wanted, rows: &'r mut LinkRows) -> Option<FactsView<'r>> {
        self.segment().facts(self.local, wanted, rows)
    }

    pub fn cells(&self) -> Range<u32> {
        shift(
            self.segment().cells_of_file(self.local),
            self.snapshot.cells_of_segment(self.segment_number).start,
        )
    }
}

fn shift(range: Range<u32>, by: u32) -> Range<u32> {
    range.start + by..range.end + by
}
