//! Cells: which words stand in which symbol and block of lines.

use crate::lines::Lines;
use crate::terms::Terms;
use contextd_model::facts::{BLOCK_LINES, CellRow, FILE_SYMBOL, FileText, SymbolRow, TermRow};
use contextd_model::{StrId, StringTable, SymbolKind};

/// Splits `text` into cells at the borders of symbols and of line blocks, and counts their terms.
pub fn cells(text: &str, lines: &Lines, symbols: &[SymbolRow], terms: &mut Terms) -> FileText {
    let borders = borders(text, lines, symbols);
    let mut counter = Counter::new(terms);
    let mut cells = Vec::with_capacity(borders.len());
    let mut rows = Vec::new();
    for (index, border) in borders.iter().enumerate() {
        let end = borders.get(index + 1).map_or(text.len(), |next| next.at);
        let Some(piece) = text.get(border.at..end) else { continue };
        counter.count(piece);
        let (words, compounds) = counter.flush(&mut rows);
        if words > 0 {
            cells.push(CellRow { symbol: border.symbol, block: border.block, words, compounds, terms_end: rows.len() as u32 });
        }
    }
    FileText { strings: counter.finish(), cells, terms: rows }
}

struct Border {
    at: usize,
    symbol: u32,
    block: u32,
}

/// Returns where cells start, in order. Every start is a character boundary.
fn borders(text: &str, lines: &Lines, symbols: &[SymbolRow]) -> Vec<Border> {
    let mut events = symbol_events(text, symbols);
    events.extend(lines.steps(BLOCK_LINES).map(|(at, block)| (at, Event::Block(block))));
    events.sort_by_key(|&(at, _)| at);
    let mut borders = vec![Border { at: 0, symbol: FILE_SYMBOL, block: 0 }];
    let mut open = vec![FILE_SYMBOL];
    let mut block = 0;
    for (at, event) in events {
        match event {
            Event::Open(symbol) => open.push(symbol),
            Event::Close(symbol) => {
                if let Some(depth) = open.iter().rposition(|&other| other == symbol) {
                    open.remove(depth);
                }
            }
            Event::Block(number) => block = number,
        }
        let symbol = *open.last().unwrap_or(&FILE_SYMBOL);
        match borders.last_mut() {
            Some(last) if last.at == at => (last.symbol, last.block) = (symbol, block),
            _ => borders.push(Border { at, symbol, block }),
        }
    }
    borders
}

#[derive(Clone, Copy)]
enum Event {
    Close(u32),
    Open(u32),
    Block(u32),
}

/// Small members stay in their type's cell: a cell for each field would double the index.
fn has_own_cell(row: &SymbolRow) -> bool {
    use SymbolKind::*;
    !matches!(row.kind(), File | Field | Variant | Property | Key | Element) || row.end_line > row.start_line + 3
}

fn symbol_events(text: &str, symbols: &[SymbolRow]) -> Vec<(usize, Event)> {
    let mut events = Vec::new();
    for (index, row) in symbols.iter().enumerate().skip(1) {
        let (start, end) = (row.doc_start as usize, row.end as usize);
        if has_own_cell(row) && row.kind() != SymbolKind::File && start < end && text.is_char_boundary(start) && text.is_char_boundary(end) {
            events.push((start, Event::Open(index as u32)));
            events.push((end, Event::Close(index as u32)));
        }
    }
    events
}

/// Counts the terms of one cell at a time.
struct Counter<'t> {
    terms: &'t mut Terms,
    strings: StringTable,
    /// The file's string of each remembered term; empty for one that the file does not have yet.
    locals: Vec<StrId>,
    /// Terms that have one.
    used: Vec<u32>,
    /// Counts by the file's strings.
    counts: Vec<u32>,
    touched: Vec<u32>,
    words: u32,
    compounds: u32,
}

impl<'t> Counter<'t> {
    fn new(terms: &'t mut Terms) -> Self {
        terms.forget_if_full();
        let locals = std::mem::take(&mut terms.locals);
        Self { terms, strings: StringTable::default(), locals, used: Vec::new(), counts: Vec::new(), touched: Vec::new(), words: 0, compounds: 0 }
    }

    fn count(&mut self, piece: &str) {
        let bytes = piece.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !WORD[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            let start = at;
            let mut high = 0;
            while at < bytes.len() && WORD[usize::from(bytes[at])] {
                high |= bytes[at];
                at += 1;
            }
            // Bytes above 127 belong to words here; a run is then cut at non-alphanumeric characters.
            let run = &piece[start..at];
            if high < 0x80 {
                self.identifier(run);
            } else {
                for identifier in crate::terms::identifiers(run) {
                    self.identifier(identifier);
                }
            }
        }
    }

    fn identifier(&mut self, identifier: &str) {
        let (start, end) = self.terms.expansion(identifier);
        for place in start..end {
            let at = self.local(self.terms.term_at(place)).0;
            if self.counts[at as usize] == 0 {
                self.touched.push(at);
            }
            self.counts[at as usize] += 1;
        }
        let is_compound = end - start > 1;
        self.compounds += u32::from(is_compound);
        self.words += end - start - u32::from(is_compound);
    }

    /// Returns the file's string of a term.
    fn local(&mut self, term: u32) -> StrId {
        let at = term as usize;
        if at >= self.locals.len() {
            self.locals.resize(at + 1024, StrId::EMPTY);
        }
        if self.locals[at].is_empty() {
            self.locals[at] = self.strings.push(self.terms.text(term));
            self.used.push(term);
            self.counts.resize(self.strings.len(), 0);
        }
        self.locals[at]
    }

    /// Returns the strings and leaves the room empty for the next file.
    fn finish(mut self) -> StringTable {
        for &term in &self.used {
            self.locals[term as usize] = StrId::EMPTY;
        }
        self.terms.locals = self.locals;
        self.strings
    }

    /// Moves the counts of the cell into `rows` and returns its number of words and compounds.
    fn flush(&mut self, rows: &mut Vec<TermRow>) -> (u32, u32) {
        self.touched.sort_unstable();
        for &id in &self.touched {
            let count = std::mem::take(&mut self.counts[id as usize]);
            rows.push(TermRow { term: StrId(id), count });
        }
        self.touched.clear();
        (std::mem::take(&mut self.words), std::mem::take(&mut self.compounds))
    }
}

/// True for the bytes of words.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' || byte >= 0x80;
        byte += 1;
    }
    table
};
