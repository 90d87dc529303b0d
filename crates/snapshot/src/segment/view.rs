//! Facts of a file, put together again from its segment.

use super::details::{self, TextLengths, label};
use super::links::Links;
use super::section::Section;
use super::{MAX_QUALIFIED, Segment};
use crate::blocks::BlockCache;
use crate::front;
use crate::varint::Reader;
use contextd_model::StrId;
use contextd_model::facts::{ChunkRow, FactsView, SymbolRow};
use contextd_model::strings::CheckedStrings;
use std::cell::RefCell;
use std::ops::Range;

/// How much of a file's facts is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What the linker reads: everything but signatures, doc texts and chunks, which are left empty.
    Links,
    /// Symbols and chunks with their names and places; texts, types and what the linker reads are left empty.
    Chunks,
    /// Everything.
    All,
}

/// Memory for the facts of one file, to be reused for the next or kept: it holds nothing else.
#[derive(Default)]
pub struct LinkRows {
    symbols: Vec<SymbolRow>,
    chunks: Vec<ChunkRow>,
    links: Links,
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What is needed only while facts are put together, one for each thread.
#[derive(Default)]
struct Scratch {
    /// Strings of the segment already in the file's table.
    known: Known,
    /// Strings of the file's record, by their place in its list.
    places: Vec<StrId>,
    lengths: Vec<TextLengths>,
    labels: Vec<u32>,
    record: Vec<u8>,
    record_blocks: BlockCache,
    text_blocks: BlockCache,
    link_strings: LinkStrings,
}

/// Numbers that a file gave to strings of its segment. A table that is cleared by counting up: one that
/// grew with a large file would take long to empty for every small one.
#[derive(Default)]
struct Known {
    /// The file that set it, and the number.
    slots: Vec<(u32, StrId)>,
    file: u32,
}

impl Known {
    fn clear(&mut self) {
        self.file = self.file.wrapping_add(1);
        if self.file == 0 {
            self.slots.clear();
            self.file = 1;
        }
    }

    fn get(&self, string: u32) -> Option<StrId> {
        let slot = self.slots.get(string as usize);
        slot.filter(|slot| slot.0 == self.file).map(|slot| slot.1)
    }

    /// Numbers beyond all bounds, which only damaged files have, are not remembered.
    fn set(&mut self, string: u32, id: StrId) {
        let at = string as usize;
        if at >= self.slots.len() && at < MAX_KNOWN {
            let length = (at + 1).next_power_of_two();
            self.slots.resize(length, (0, StrId::EMPTY));
        }
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = (self.file, id);
        }
    }
}

/// More strings than any segment has.
const MAX_KNOWN: usize = 1 << 22;

/// The linker's strings of the segment read last; neighbouring files use the same.
#[derive(Default)]
struct LinkStrings {
    identity: Option<u64>,
    packed: Vec<u8>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl LinkStrings {
    fn load(&mut self, segment: &Segment, blocks: &mut BlockCache) {
        let run = segment.link_strings();
        if self.identity == Some(run.identity) {
            return;
        }
        self.packed.clear();
        // What cannot be read leaves the table short; the strings missing read as empty.
        let _ = run.read(0..run.raw_length, blocks, &mut self.packed);
        front::unpack(&self.packed, segment.counts().link_strings, &mut self.bytes, &mut self.ends);
        self.identity = Some(run.identity);
    }

    fn get(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start =
            at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(0);
        self.bytes.get(start as usize..end as usize).unwrap_or(&[])
    }
}

impl Segment {
    /// Puts the facts of a file together in `rows`. Strings may have other numbers than in the facts
    /// that were written; what they say is the same. Offsets of references read as 0. `None` when the
    /// segment is damaged there.
    pub fn facts<'a>(
        &self,
        file: u32,
        wanted: Wanted,
        rows: &'a mut LinkRows,
    ) -> Option<FactsView<'a>> {
        let package = SCRATCH.with_borrow_mut(|scratch| rows.read(self, file, wanted, scratch))?;
        let LinkRows { symbols, chunks, links, bytes, ends } = rows;
        Some(FactsView {
            language: self.language(file),
            flags: self.file_flags(file),
            lines: self.lines(file),
            size: self.file_size(file),
            package,
            strings: CheckedStrings { text: whole_text(bytes), ends },
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
    /// Reads a file; returns the package it declares.
    fn read(
        &mut self,
        segment: &Segment,
        file: u32,
        wanted: Wanted,
        scratch: &mut Scratch,
    ) -> Option<StrId> {
        self.bytes.clear();
        self.ends.clear();
        self.ends.push(0);
        self.chunks.clear();
        scratch.known.clear();
        scratch.places.clear();
        match wanted {
            Wanted::Chunks => self.links.clear(),
            _ => self.read_links(segment, file, scratch)?,
        }
        self.read_symbols(segment, file, scratch);
        match wanted {
            Wanted::Links => {}
            Wanted::Chunks => self.read_chunks(segment, file, scratch)?,
            Wanted::All => self.read_texts(segment, file, scratch)?,
        }
        let package = segment.column(Section::FilePackage).get(file);
        let package = self.string(segment, package, scratch);
        if wanted == Wanted::Links {
            // Held for every file while all are linked, so nothing is kept that only reading needed.
            self.shrink();
        }
        Some(package)
    }

    fn shrink(&mut self) {
        (self.links.strings, self.links.types) = (Vec::new(), Vec::new());
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn read_links(&mut self, segment: &Segment, file: u32, scratch: &mut Scratch) -> Option<()> {
        let range = segment.column(Section::FileLinkEnd).range(file);
        scratch.record.clear();
        scratch.link_strings.load(segment, &mut scratch.record_blocks);
        segment.links().read(
            range.start as usize..range.end as usize,
            &mut scratch.record_blocks,
            &mut scratch.record,
        )?;
        if !self.links.take(&scratch.record, segment.symbols_of_file(file).len()) {
            return None;
        }
        scratch.places.push(StrId::EMPTY);
        // About what the strings of a file take, so that they need not be moved while they are read.
        let (strings, symbols) = (self.links.strings.len(), segment.symbols_of_file(file).len());
        self.ends.reserve(strings + symbols);
        self.bytes.reserve(12 * strings + 20 * symbols);
        for at in 0..self.links.strings.len() {
            let string = self.string(segment, self.links.strings[at], scratch);
            scratch.places.push(string);
        }
        self.links.each_string(|id| *id = scratch.place(id.0));
        Some(())
    }

    fn read_symbols(&mut self, segment: &Segment, file: u32, scratch: &mut Scratch) {
        let range = segment.symbols_of_file(file);
        segment.read_lines(range.clone(), &mut self.symbols);
        let mut reader = Reader::new(segment.details(file));
        details::take_symbols(&mut reader, &mut self.symbols, &mut scratch.lengths);
        let (names, scopes) =
            (segment.column(Section::SymbolName), segment.column(Section::SymbolScope));
        for (at, symbol) in range.enumerate() {
            let name = self.string(segment, names.get(symbol), scratch);
            let qualified = self.qualified(segment, at, name, scopes.get(symbol), scratch);
            let types = self.links.types.get(at).copied().unwrap_or_default();
            let row = &mut self.symbols[at];
            row.name = name;
            row.qualified = qualified;
            row.type_text = scratch.place(types.type_text);
            row.generics = scratch.place(types.generics);
            row.annotations = scratch.place(types.annotations);
            row.parameters = types.parameters;
        }
    }

    fn qualified(
        &mut self,
        segment: &Segment,
        at: usize,
        name: StrId,
        scope: u32,
        scratch: &mut Scratch,
    ) -> StrId {
        let prefix = match scope.checked_sub(1) {
            Some(code) if code % 2 == 1 => return self.string(segment, code / 2, scratch),
            Some(code) => self.string(segment, code / 2, scratch),
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

    /// Reads the rows of symbols and chunks, and the lengths of their texts; false for a damaged file.
    fn read_details(&mut self, segment: &Segment, file: u32, scratch: &mut Scratch) -> bool {
        let mut reader = Reader::new(segment.details(file));
        details::take_symbols(&mut reader, &mut self.symbols, &mut scratch.lengths);
        details::take_chunks(&mut reader, &self.symbols, &mut self.chunks, &mut scratch.labels);
        reader.is_whole()
    }

    fn read_texts(&mut self, segment: &Segment, file: u32, scratch: &mut Scratch) -> Option<()> {
        let is_whole = self.read_details(segment, file, scratch);
        let range = segment.column(Section::FileTextEnd).range(file);
        let at = self.bytes.len();
        segment.text().read(
            range.start as usize..range.end as usize,
            &mut scratch.text_blocks,
            &mut self.bytes,
        )?;
        // The texts lie in the table as one run now; only their ends are missing.
        let mut end = at;
        for (row, length) in scratch.lengths.iter().enumerate() {
            self.symbols[row].signature = self.next_text(&mut end, length.signature);
            self.symbols[row].doc = self.next_text(&mut end, length.doc);
        }
        self.label_chunks(end, &scratch.labels);
        is_whole.then_some(())
    }

    /// Reads the chunks; of the texts only what labels need, which stands behind those of symbols.
    fn read_chunks(&mut self, segment: &Segment, file: u32, scratch: &mut Scratch) -> Option<()> {
        let is_whole = self.read_details(segment, file, scratch);
        let at = self.bytes.len();
        if scratch.labels.iter().any(|&code| code > label::TEXT) {
            let range = segment.column(Section::FileTextEnd).range(file);
            let texts = |sum: u32, length: &TextLengths| {
                sum.saturating_add(length.signature).saturating_add(length.doc)
            };
            let start = scratch.lengths.iter().fold(range.start, texts);
            segment.text().read(
                start as usize..range.end as usize,
                &mut scratch.text_blocks,
                &mut self.bytes,
            )?;
        }
        self.label_chunks(at, &scratch.labels);
        is_whole.then_some(())
    }

    /// Gives the chunks their labels; those with a text of their own lie one after the other from `at` on.
    fn label_chunks(&mut self, mut at: usize, labels: &[u32]) {
        for (row, &code) in labels.iter().enumerate() {
            let shown =
                self.symbols.get(self.chunks[row].symbol as usize).copied().unwrap_or_default();
            self.chunks[row].label = match code {
                label::EMPTY => StrId::EMPTY,
                label::NAME => shown.name,
                label::QUALIFIED => shown.qualified,
                code => self.next_text(&mut at, code - label::TEXT),
            };
        }
        self.bytes.truncate(at);
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
    fn string(&mut self, segment: &Segment, number: u32, scratch: &mut Scratch) -> StrId {
        if number == 0 {
            return StrId::EMPTY;
        }
        if let Some(known) = scratch.known.get(number) {
            return known;
        }
        let text = match number.checked_sub(segment.counts().names) {
            Some(link) => scratch.link_strings.get(link),
            None => segment.name_string(number).as_bytes(),
        };
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        let id = self.close(start);
        scratch.known.set(number, id);
        id
    }

    /// Ends the string that starts at `start` and returns its number.
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

/// Returns the bytes as text, as far as they are; strings behind a damaged one read as empty.
fn whole_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes)
        .unwrap_or_else(|error| std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""))
}

impl Scratch {
    fn place(&self, place: u32) -> StrId {
        self.places.get(place as usize).copied().unwrap_or_default()
    }
}
