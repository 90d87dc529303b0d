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
        let (words, compounds) = counter.count(piece, &mut rows);
        if words > 0 {
            cells.push(CellRow {
                symbol: border.symbol,
                block: border.block,
                words,
                compounds,
                terms_end: rows.len() as u32,
            });
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
    !matches!(row.kind(), File | Field | Variant | Property | Key | Element)
        || row.end_line > row.start_line + 3
}

fn symbol_events(text: &str, symbols: &[SymbolRow]) -> Vec<(usize, Event)> {
    let mut events = Vec::new();
    for (index, row) in symbols.iter().enumerate().skip(1) {
        let (start, end) = (row.doc_start as usize, row.end as usize);
        if has_own_cell(row)
            && row.kind() != SymbolKind::File
            && start < end
            && text.is_char_boundary(start)
            && text.is_char_boundary(end)
        {
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
    /// Strings that the current cell has, one bit each: read from end to end, they are in order.
    touched: Vec<u64>,
}

impl<'t> Counter<'t> {
    fn new(terms: &'t mut Terms) -> Self {
        terms.forget_if_full();
        let locals = std::mem::take(&mut terms.locals);
        Self {
            terms,
            strings: StringTable::default(),
            locals,
            used: Vec::new(),
            counts: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Returns the strings and leaves the room empty for the next file.
    fn finish(mut self) -> StringTable {
        for &term in &self.used {
            self.locals[term as usize] = StrId::EMPTY;
        }
        self.terms.locals = self.locals;
        self.strings
    }

    /// Adds the terms of a cell to `rows` and returns its number of words and compounds.
    fn count(&mut self, piece: &str, rows: &mut Vec<TermRow>) -> (u32, u32) {
        let Self { terms, strings, locals, used, counts, touched } = self;
        let (mut words, mut compounds) = (0, 0);
        let (mut first, mut last) = (usize::MAX, 0);
        terms.tally(piece);
        terms.tallied(|texts, expansion, count| {
            for &term in expansion {
                let at = local(texts, term, strings, locals, used).0 as usize;
                if at >= counts.len() {
                    counts.resize((at + 1).next_multiple_of(64), 0);
                    touched.resize(counts.len() / 64, 0);
                }
                touched[at / 64] |= 1 << (at % 64);
                (first, last) = (first.min(at / 64), last.max(at / 64));
                counts[at] += count;
            }
            let is_compound = expansion.len() > 1;
            compounds += u32::from(is_compound) * count;
            words += (expansion.len() as u32 - u32::from(is_compound)) * count;
        });
        for (at, bits) in touched.iter_mut().enumerate().take(last + 1).skip(first) {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let id = at * 64 + bits.trailing_zeros() as usize;
                rows.push(TermRow {
                    term: StrId(id as u32),
                    count: std::mem::take(&mut counts[id]),
                });
                bits &= bits - 1;
            }
        }
        (words, compounds)
    }
}

/// Returns the file's string of a term.
fn local(
    texts: &StringTable,
    term: u32,
    strings: &mut StringTable,
    locals: &mut Vec<StrId>,
    used: &mut Vec<u32>,
) -> StrId {
    let at = term as usize;
    if at >= locals.len() {
        locals.resize(at + 1024, StrId::EMPTY);
    }
    if locals[at].is_empty() {
        locals[at] = strings.push(texts.get(StrId(term)));
        used.push(term);
    }
    locals[at]
}
