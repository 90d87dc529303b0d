//! Facts of a file, put together again from its segment.

use super::details::{self, TextLengths, label};
use super::links::Links;
use super::section::Section;
use super::{MAX_QUALIFIED, Segment};
use crate::blocks::BlockCache;
use crate::varint::Reader;
use contextd_model::StrId;
use contextd_model::facts::{ChunkRow, FactsView, SymbolRow};
use contextd_model::strings::Strings;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How much of a file's facts is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What the linker reads: everything but signatures, doc texts and chunks, which are left empty.
    Links,
    /// Everything.
    All,
}

/// Memory for the facts of one file, to be reused for the next.
#[derive(Default)]
pub struct LinkRows {
    symbols: Vec<SymbolRow>,
    chunks: Vec<ChunkRow>,
    links: Links,
    bytes: Vec<u8>,
    ends: Vec<u32>,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    /// Strings of the segment already in the table.
    known: FxHashMap<u32, StrId>,
    /// Strings of the file's record, by their place in its list.
    places: Vec<StrId>,
    lengths: Vec<TextLengths>,
    labels: Vec<u32>,
    string: Vec<u8>,
    record: Vec<u8>,
    link_blocks: BlockCache,
    text_blocks: BlockCache,
}

impl Segment {
    /// Puts the facts of a file together in `rows`. Strings may have other numbers than in the facts
    /// that were written; what they say is the same. `None` when the segment is damaged there.
    pub fn facts<'a>(
        &self,
        file: u32,
        wanted: Wanted,
        rows: &'a mut LinkRows,
    ) -> Option<FactsView<'a>> {
        rows.clear();
        rows.read_links(self, file)?;
        rows.read_symbols(self, file);
        if wanted == Wanted::All {
            rows.read_texts(self, file)?;
        }
        let package = rows.string(self, self.column(Section::FilePackage).get(file));
        let LinkRows {
            symbols,
            chunks,
            links,
            bytes,
            ends,
            ..
        } = rows;
        Some(FactsView {
            language: self.language(file),
            flags: self.file_flags(file),
            lines: self.lines(file),
            size: self.file_size(file),
            package,
            strings: Strings { bytes, ends },
            symbols,
            refs: &links.refs,
            imports: &links.imports,
            bases: &links.bases,
            bindings: &links.bindings,
            chunks,
        })
    }
}

impl LinkRows {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.ends.push(0);
        self.chunks.clear();
        self.scratch.known.clear();
        self.scratch.places.clear();
    }

    fn read_links(&mut self, segment: &Segment, file: u32) -> Option<()> {
        let range = segment.column(Section::FileLinkEnd).range(file);
        let mut record = std::mem::take(&mut self.scratch.record);
        record.clear();
        let read = segment.links().read(
            range.start as usize..range.end as usize,
            &mut self.scratch.link_blocks,
            &mut record,
        );
        let whole = read.is_some()
            && self
                .links
                .take(&record, segment.symbols_of_file(file).len());
        self.scratch.record = record;
        if !whole {
            return None;
        }
        self.scratch.places.push(StrId::EMPTY);
        for at in 0..self.links.strings.len() {
            let string = self.string(segment, self.links.strings[at]);
            self.scratch.places.push(string);
        }
        let places = &self.scratch.places;
        self.links
            .each_string(|id| *id = places.get(id.0 as usize).copied().unwrap_or_default());
        Some(())
    }

    fn read_symbols(&mut self, segment: &Segment, file: u32) {
        let range = segment.symbols_of_file(file);
        segment.read_lines(range.clone(), &mut self.symbols);
        let mut reader = Reader::new(segment.details(file));
        details::take_symbols(&mut reader, &mut self.symbols, &mut self.scratch.lengths);
        let (names, scopes) = (
            segment.column(Section::SymbolName),
            segment.column(Section::SymbolScope),
        );
        for (at, symbol) in range.enumerate() {
            let name = self.string(segment, names.get(symbol));
            let qualified = self.qualified(segment, at, name, scopes.get(symbol));
            let place = |place: u32| {
                self.scratch
                    .places
                    .get(place as usize)
                    .copied()
                    .unwrap_or_default()
            };
            let types = self.links.types.get(at).copied().unwrap_or_default();
            let row = &mut self.symbols[at];
            row.name = name;
            row.qualified = qualified;
            row.type_text = place(types.type_text);
            row.generics = place(types.generics);
            row.annotations = place(types.annotations);
        }
    }

    fn qualified(&mut self, segment: &Segment, at: usize, name: StrId, scope: u32) -> StrId {
        let prefix = match scope.checked_sub(1) {
            Some(code) if code % 2 == 1 => return self.string(segment, code / 2),
            Some(code) => self.string(segment, code / 2),
            None => match self.symbols[at].parent as usize {
                parent if parent == 0 || parent >= at => return name,
                parent => self.symbols[parent].qualified,
            },
        };
        let start = self.bytes.len();
        if self.range(prefix).len() > MAX_QUALIFIED {
            return name;
        }
        self.bytes.extend_from_within(self.range(prefix));
        self.bytes.push(b'.');
        self.bytes.extend_from_within(self.range(name));
        self.close(start)
    }

    fn read_texts(&mut self, segment: &Segment, file: u32) -> Option<()> {
        let mut reader = Reader::new(segment.details(file));
        let mut lengths = std::mem::take(&mut self.scratch.lengths);
        let mut labels = std::mem::take(&mut self.scratch.labels);
        details::take_symbols(&mut reader, &mut self.symbols, &mut lengths);
        details::take_chunks(&mut reader, &self.symbols, &mut self.chunks, &mut labels);
        let range = segment.column(Section::FileTextEnd).range(file);
        let start = self.bytes.len();
        segment.text().read(
            range.start as usize..range.end as usize,
            &mut self.scratch.text_blocks,
            &mut self.bytes,
        )?;
        // The texts lie in the table as one run now; only their ends are missing.
        let mut at = start;
        for (row, length) in lengths.iter().enumerate() {
            self.symbols[row].signature = self.next_text(&mut at, length.signature);
            self.symbols[row].doc = self.next_text(&mut at, length.doc);
        }
        for (row, &code) in labels.iter().enumerate() {
            let shown = self
                .symbols
                .get(self.chunks[row].symbol as usize)
                .copied()
                .unwrap_or_default();
            self.chunks[row].label = match code {
                label::EMPTY => StrId::EMPTY,
                label::NAME => shown.name,
                label::QUALIFIED => shown.qualified,
                code => self.next_text(&mut at, code - label::TEXT),
            };
        }
        self.bytes.truncate(at);
        self.scratch.lengths = lengths;
        self.scratch.labels = labels;
        reader.is_whole().then_some(())
    }

    fn next_text(&mut self, at: &mut usize, length: u32) -> StrId {
        if length == 0 {
            return StrId::EMPTY;
        }
        *at = at.saturating_add(length as usize).min(self.bytes.len());
        self.ends.push(*at as u32);
        StrId(self.ends.len() as u32 - 1)
    }

    /// Returns the file's own number for a string of the segment.
    fn string(&mut self, segment: &Segment, number: u32) -> StrId {
        if number == 0 {
            return StrId::EMPTY;
        }
        if let Some(&known) = self.scratch.known.get(&number) {
            return known;
        }
        segment.read_string(number, &mut self.scratch.string);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&self.scratch.string);
        let id = self.close(start);
        self.scratch.known.insert(number, id);
        id
    }

    fn close(&mut self, start: usize) -> StrId {
        if self.bytes.len() == start {
            return StrId::EMPTY;
        }
        self.ends.push(self.bytes.len() as u32);
        StrId(self.ends.len() as u32 - 1)
    }

    fn range(&self, id: StrId) -> Range<usize> {
        match id.0 as usize {
            0 => 0..0,
            at => self.ends[at - 1] as usize..self.ends[at] as usize,
        }
    }
}
