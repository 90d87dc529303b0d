//! Writes a segment.

use super::lay_out::{FileColumns, Sections, SymbolColumns};
use super::links::Links;
use super::section::{HINT, MAGIC, Section, SegmentCounts};
use super::strings::{self, Interner};
use super::{MAX_FIELD_LENGTH, MAX_QUALIFIED, details};
use crate::beside::beside;
use crate::postings::{PackedPostings, PostingsBuilder};
use crate::publish::{Durability, write_atomically};
use crate::rows::MAX_ROWS;
use crate::words::{KnownWords, for_each_number, for_each_word};
use crate::{Result, container};
use contextd_model::facts::{CellRow, FILE_SYMBOL, FileFacts, FileText, SymbolRow, TermRow};
use contextd_model::{ContentHash, StrId, SymbolKind};
use std::path::Path;

/// One file to freeze.
#[derive(Clone, Copy)]
pub struct SegmentFile<'a> {
    /// Path relative to the root, `/` between components.
    pub path: &'a str,
    pub hash: ContentHash,
    pub facts: &'a FileFacts,
}

/// Collects the files of one shard, in path order; facts can be dropped once pushed.
#[derive(Default)]
pub struct SegmentWriter {
    interner: Interner,
    paths: Vec<String>,
    hashes: Vec<u8>,
    files: FileColumns,
    symbols: SymbolColumns,
    cells: Vec<CellRow>,
    details: Vec<u8>,
    text: Vec<u8>,
    links: Vec<Links>,
    postings: PostingsBuilder,
    counts: SegmentCounts,
    words: Vec<(u32, u8)>,
    known: KnownWords,
    /// The scope of the symbol before and its terms: neighbours mostly share it.
    scope: (String, Vec<u32>),
}

/// How a qualified name is kept.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    /// The parent's qualified name, a dot and the name; the name alone at the top of a file.
    Parent,
    /// An explicit scope, a dot and the name.
    Prefix(u32),
    /// The whole qualified name.
    Whole(u32),
}

/// A finished segment in memory.
pub struct SegmentImage {
    pub bytes: Vec<u8>,
    pub counts: SegmentCounts,
}

impl SegmentImage {
    /// Writes the segment into its place in the index folder; readers never see a part of it.
    pub fn write(&self, index_dir: &Path, key: ContentHash, durability: Durability) -> Result<()> {
        write_atomically(&crate::segment_path(index_dir, key), &self.bytes, durability)
    }
}

impl SegmentWriter {
    /// Returns one with room for what so many files mostly have, so that little grows step by step.
    pub fn for_files(count: usize) -> Self {
        Self {
            interner: Interner::for_files(count),
            details: Vec::with_capacity(count * 200),
            text: Vec::with_capacity(count * 1_000),
            postings: PostingsBuilder::for_files(count),
            ..Self::default()
        }
    }

    /// Adds the next file in path order.
    pub fn push(&mut self, file: SegmentFile<'_>) {
        let facts = file.facts;
        self.push_symbols(facts);
        self.push_cells(facts);
        self.index_symbols(file);
        details::put(facts, &mut self.details, &mut self.text);
        self.counts.refs += facts.refs.len().min(MAX_ROWS) as u64;
        self.counts.chunks += facts.chunks.len().min(MAX_ROWS) as u32;
        self.counts.source_bytes += u64::from(facts.size);
        self.links.push(Links::collect(facts, &mut self.interner));
        self.push_file(file);
    }

    fn push_file(&mut self, file: SegmentFile<'_>) {
        let facts = file.facts;
        self.paths.push(file.path.to_owned());
        self.hashes.extend_from_slice(&file.hash.0);
        let columns = &mut self.files;
        columns.language.push(facts.language.into());
        columns.flags.push(facts.flags);
        columns.lines.push(facts.lines);
        columns.size.push(facts.size);
        columns.package.push(self.interner.name(facts.str(facts.package)));
        columns.symbol_end.push(self.symbols.rows.len() as u32);
        columns.cell_end.push(self.cells.len() as u32);
        columns.chunk_end.push(self.counts.chunks);
        columns.detail_end.push(self.details.len() as u32);
        columns.text_end.push(self.text.len() as u32);
    }

    fn push_symbols(&mut self, facts: &FileFacts) {
        let rows = &facts.symbols[..facts.symbols.len().min(MAX_ROWS)];
        for (at, row) in rows.iter().enumerate() {
            self.symbols.names.push(self.interner.name(facts.str(row.name)));
            self.symbols.scopes.push(scope_of(facts, row, at, &mut self.interner));
        }
        self.symbols.rows.extend_from_slice(rows);
        self.symbols.cells.extend(cell_ranges(rows, &facts.text.cells));
    }

    fn push_cells(&mut self, facts: &FileFacts) {
        let text = &facts.text;
        // Looked up once a file, all together: most terms of a file stand in several of its cells.
        let terms = self.number_terms(text);
        let mut start = 0;
        for cell in &text.cells {
            let number = self.cells.len() as u32;
            let end = (cell.terms_end as usize).min(text.terms.len());
            for row in text.terms.get(start..end).unwrap_or(&[]) {
                if let Some(&term) = terms.get(row.term.0 as usize).filter(|_| is_counted(row)) {
                    self.postings.cell(term, number, row.count);
                }
            }
            start = end.max(start);
            self.cells.push(*cell);
            self.counts.words += u64::from(cell.words);
            self.counts.compounds += u64::from(cell.compounds);
        }
        self.counts.blocks += text.cells.chunk_by(|a, b| a.block == b.block).count() as u32;
    }

    /// Returns the number of every term that a file's cells have, by its string there.
    fn number_terms(&mut self, text: &FileText) -> Vec<u32> {
        let mut is_used = vec![false; text.strings.len()];
        let end = text
            .cells
            .iter()
            .map(|cell| cell.terms_end as usize)
            .max()
            .unwrap_or(0)
            .min(text.terms.len());
        for row in text.terms[..end].iter().filter(|row| is_counted(row)) {
            if let Some(used) = is_used.get_mut(row.term.0 as usize) {
                *used = true;
            }
        }
        let strings = (0u32..).zip(&is_used);
        self.postings
            .terms(strings.map(|(id, &used)| if used { text.strings.get(StrId(id)) } else { "" }))
    }

    /// Adds the words of every symbol's fields and of the file's path.
    fn index_symbols(&mut self, file: SegmentFile<'_>) {
        let facts = file.facts;
        let file_number = self.paths.len() as u32;
        let mut path_length = 0;
        for_each_word(file.path, |word| {
            path_length += 1;
            let term = self.postings.term(word);
            self.postings.path(term, file_number);
        });
        let path_length = path_length.min(MAX_FIELD_LENGTH);
        self.files.path_length.push(path_length);
        let rows = &facts.symbols[..facts.symbols.len().min(MAX_ROWS)];
        let first = self.symbols.rows.len() - rows.len();
        for (at, row) in rows.iter().enumerate() {
            let [name, scope, doc, signature] = self.index_symbol(facts, row, (first + at) as u32);
            let lengths = [name, scope, path_length, doc, signature];
            for (sum, length) in self.counts.field_lengths.iter_mut().zip(lengths) {
                *sum += u64::from(length);
            }
            self.symbols.lengths.push(lengths);
        }
    }

    fn index_symbol(&mut self, facts: &FileFacts, row: &SymbolRow, symbol: u32) -> [u32; 4] {
        let is_file = row.kind() == SymbolKind::File;
        let rest = |id: StrId| if is_file { "" } else { facts.str(id) };
        let texts = [
            facts.str(row.name),
            if is_file { "" } else { enclosing(facts, row) },
            rest(row.doc),
            rest(row.signature),
        ];
        let mut lengths = [0u32; 4];
        self.words.clear();
        self.read_scope(texts[1]);
        for (field, text) in texts.into_iter().enumerate() {
            if field == 1 {
                let terms = self.scope.1.iter();
                self.words.extend(terms.map(|&term| (term, 1)));
                lengths[1] = self.scope.1.len() as u32;
                continue;
            }
            for_each_number(
                text,
                &mut self.known,
                |word| self.postings.term(word),
                |term| {
                    lengths[field] += 1;
                    self.words.push((term, field as u8));
                },
            );
        }
        self.postings.symbol(symbol, &mut self.words);
        lengths.map(|length| length.min(MAX_FIELD_LENGTH))
    }

    fn read_scope(&mut self, text: &str) {
        let (last, terms) = &mut self.scope;
        if last == text {
            return;
        }
        last.clear();
        last.push_str(text);
        terms.clear();
        for_each_number(
            text,
            &mut self.known,
            |word| self.postings.term(word),
            |term| terms.push(term),
        );
    }

    /// Sorts, compresses and lays everything out. The same files give the same bytes.
    pub fn finish(mut self) -> SegmentImage {
        let words = self.take_words();
        image(words(), self.lay_out())
    }

    /// Does what [`SegmentWriter::finish`] does by two threads, for when there is no other segment to write.
    pub fn finish_split(mut self) -> SegmentImage {
        let words = self.take_words();
        let (words, rest) = beside(true, words, || self.lay_out());
        image(words, rest)
    }

    /// Returns what is to be done with the words.
    fn take_words(&mut self) -> impl FnOnce() -> PackedPostings + Send + use<> {
        let words = std::mem::take(&mut self.postings);
        let (symbol_ends, cells) = (self.files.symbol_end.clone(), self.cells.len() as u32);
        move || words.finish(&symbol_ends, cells)
    }

    /// Lays out all but the words and the counts.
    fn lay_out(mut self) -> (Sections, SegmentCounts) {
        let strings = self.interner.finish();
        let number = |interned: &u32| strings.final_numbers[*interned as usize];
        let (mut links, mut link_ends) = (Vec::new(), Vec::new());
        for file in self.links {
            file.put(&strings, &mut links);
            link_ends.push(links.len() as u32);
        }
        self.counts.files = self.paths.len() as u32;
        self.counts.symbols = self.symbols.rows.len() as u32;
        self.counts.cells = self.cells.len() as u32;
        self.counts.names = strings.name_count() as u32;
        let link_strings = strings.pack_links();
        self.counts.link_strings = strings.link_count() as u32;
        self.counts.link_string_length = link_strings.len() as u32;
        self.counts.text_length = self.text.len() as u32;
        self.counts.link_length = links.len() as u32;

        let mut sections = Sections::default();
        sections.pair([Section::NameBytes, Section::NameEnds], strings.pack_names());
        sections.blocks([Section::LinkStrings, Section::LinkStringEnds], &link_strings);
        sections.pair(
            [Section::Paths, Section::PathEnds],
            strings::pack(self.paths.iter().map(String::as_str)),
        );
        sections.set(Section::Hashes, self.hashes);
        sections.files(&self.files);
        sections.column(Section::FilePackage, self.files.package.iter().map(number));
        sections.column(Section::FileLinkEnd, link_ends.iter().copied());
        sections.symbols(&self.symbols);
        let names: Vec<u32> = self.symbols.names.iter().map(number).collect();
        sections.column(Section::SymbolName, names.iter().copied());
        sections.column(
            Section::SymbolScope,
            self.symbols.scopes.iter().map(|scope| scope.encode(number)),
        );
        sections.column(Section::NameOrder, name_order(&names).iter().copied());
        sections.column(Section::FileHint, file_hints(&self.files.symbol_end).iter().copied());
        sections.cells(&self.cells);
        sections.set(Section::Details, self.details);
        sections.blocks([Section::Text, Section::TextEnds], &self.text);
        sections.blocks([Section::Links, Section::LinkEnds], &links);
        (sections, self.counts)
    }
}

fn image(
    words: PackedPostings,
    (mut sections, mut counts): (Sections, SegmentCounts),
) -> SegmentImage {
    counts.terms = words.count;
    sections.set(Section::Meta, counts.encode());
    sections.set(Section::Terms, words.terms);
    sections.set(Section::TermEnds, words.term_ends);
    sections.set(Section::TermPostings, words.term_postings);
    sections.set(Section::Postings, words.postings);
    SegmentImage { bytes: container::assemble(MAGIC, &sections.bytes), counts }
}

fn is_counted(row: &TermRow) -> bool {
    !row.term.is_empty() && row.count > 0
}

impl Scope {
    /// Returns the number kept: 0, or the string's number doubled plus one or two.
    fn encode(self, number: impl Fn(&u32) -> u32) -> u32 {
        match self {
            Scope::Parent => 0,
            Scope::Prefix(interned) => number(&interned) * 2 + 1,
            Scope::Whole(interned) => number(&interned) * 2 + 2,
        }
    }
}

/// Qualified names mostly repeat the parent's, so only what cannot be put together is kept.
fn scope_of(facts: &FileFacts, row: &SymbolRow, at: usize, interner: &mut Interner) -> Scope {
    let (name, qualified) = (facts.str(row.name), facts.str(row.qualified));
    let prefix = qualified.strip_suffix(name).and_then(|rest| rest.strip_suffix('.'));
    let parent = facts.symbols[..at].get(row.parent as usize).filter(|_| row.parent != FILE_SYMBOL);
    let expected = parent.map(|parent| facts.str(parent.qualified));
    match prefix {
        _ if qualified.len() > MAX_QUALIFIED => Scope::Whole(interner.name(qualified)),
        None if expected.is_none() && qualified == name => Scope::Parent,
        Some(prefix) if expected == Some(prefix) => Scope::Parent,
        Some(prefix) => Scope::Prefix(interner.name(prefix)),
        None => Scope::Whole(interner.name(qualified)),
    }
}

/// Returns the qualified name without its last component.
fn enclosing<'a>(facts: &'a FileFacts, row: &SymbolRow) -> &'a str {
    let (name, qualified) = (facts.str(row.name), facts.str(row.qualified));
    match qualified.strip_suffix(name) {
        Some(scope) => scope,
        None => qualified.rsplit_once('.').map_or("", |(scope, _)| scope),
    }
}

/// Returns for each symbol the first cell of it and of what it holds, and the number of cells up to
/// the last; cells are in the order of lines, so what lies between belongs to it as well.
fn cell_ranges(symbols: &[SymbolRow], cells: &[CellRow]) -> Vec<(u32, u32)> {
    let mut ranges = vec![(u32::MAX, 0u32); symbols.len()];
    for (number, cell) in cells.iter().enumerate() {
        let mut at = cell.symbol;
        while let Some(range) = ranges.get_mut(at as usize) {
            range.0 = range.0.min(number as u32);
            range.1 = number as u32 + 1;
            let parent = symbols[at as usize].parent;
            if parent >= at {
                break;
            }
            at = parent;
        }
    }
    ranges
        .into_iter()
        .map(|(start, end)| if start < end { (start, end - start) } else { (0, 0) })
        .collect()
}

fn name_order(names: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by_key(|&symbol| names[symbol as usize]);
    order
}

/// Returns the file of every [`HINT`]th symbol.
fn file_hints(symbol_ends: &[u32]) -> Vec<u32> {
    let symbols = symbol_ends.last().copied().unwrap_or(0);
    (0..symbols)
        .step_by(HINT as usize)
        .map(|symbol| symbol_ends.partition_point(|&end| end <= symbol) as u32)
        .collect()
}
