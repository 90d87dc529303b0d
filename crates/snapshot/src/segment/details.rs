//! What is read of a symbol only when it is shown: byte offsets, and where its texts lie; and chunks.

use crate::rows::{self, MAX_ROWS};
use crate::varint::{Reader, unzigzag, zigzag};
use contextd_model::facts::{ChunkRow, FileFacts, SymbolRow};

/// Offsets and texts of one symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolDetail {
    pub start: u32,
    pub end: u32,
    pub doc_start: u32,
    pub body_start: u32,
    pub name_start: u32,
    pub name_line: u32,
    pub complexity: u16,
    pub signature: String,
    pub doc: String,
}

/// Length of the signature and of the doc text of a symbol; texts of a file lie in this order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TextLengths {
    pub(crate) signature: u32,
    pub(crate) doc: u32,
}

/// What the label of a chunk is.
pub(crate) mod label {
    pub(crate) const EMPTY: u32 = 0;
    /// The name of the chunk's symbol.
    pub(crate) const NAME: u32 = 1;
    /// The qualified name of the chunk's symbol.
    pub(crate) const QUALIFIED: u32 = 2;
    /// A text of its own; its length plus this.
    pub(crate) const TEXT: u32 = 3;
}

/// Appends the details of a file to `out` and its texts to `text`.
pub(crate) fn put(facts: &FileFacts, out: &mut Vec<u8>, text: &mut Vec<u8>) {
    let symbols = &facts.symbols[..facts.symbols.len().min(MAX_ROWS)];
    rows::put_delta(out, symbols, |row| row.start);
    rows::put(out, symbols, |row| zigzag(row.end, row.start));
    rows::put(out, symbols, |row| zigzag(row.name_start, row.start));
    rows::put(out, symbols, |row| {
        swap_zero(zigzag(row.body_start, row.name_start), zigzag(row.end, row.name_start))
    });
    rows::put(out, symbols, |row| zigzag(row.start, row.doc_start));
    rows::put(out, symbols, |row| zigzag(row.name_line, row.start_line));
    rows::put(out, symbols, |row| row.complexity.into());
    rows::put(out, symbols, |row| facts.str(row.signature).len() as u32);
    rows::put(out, symbols, |row| facts.str(row.doc).len() as u32);
    for row in symbols {
        text.extend_from_slice(facts.str(row.signature).as_bytes());
        text.extend_from_slice(facts.str(row.doc).as_bytes());
    }
    put_chunks(facts, symbols, out, text);
}

/// "No body" (`body_start` is `end`) is the commonest value, so it changes places with zero.
fn swap_zero(value: u32, common: u32) -> u32 {
    match value {
        0 => common,
        value if value == common => 0,
        value => value,
    }
}

/// Chunks mostly show one symbol whole, so their places are written against its place.
fn put_chunks(facts: &FileFacts, symbols: &[SymbolRow], out: &mut Vec<u8>, text: &mut Vec<u8>) {
    let chunks = &facts.chunks[..facts.chunks.len().min(MAX_ROWS)];
    let shown = |row: &ChunkRow| symbols.get(row.symbol as usize).copied().unwrap_or_default();
    rows::put_count(out, chunks);
    rows::put_delta(out, chunks, |row| row.symbol);
    rows::put(out, chunks, |row| zigzag(row.start, shown(row).doc_start));
    rows::put(out, chunks, |row| zigzag(row.end, shown(row).end));
    rows::put(out, chunks, |row| zigzag(row.start_line, shown(row).start_line));
    rows::put(out, chunks, |row| zigzag(row.end_line, shown(row).end_line));
    rows::put(out, chunks, |row| zigzag(row.tokens, row.end.wrapping_sub(row.start) / 4));
    rows::put(out, chunks, |row| row.kind.into());
    rows::put(out, chunks, |row| row.language.wrapping_add(1).into());
    rows::put(out, chunks, |row| row.part.into());
    rows::put(out, chunks, |row| {
        let (label, symbol) = (facts.str(row.label), shown(row));
        match label {
            "" => label::EMPTY,
            _ if label == facts.str(symbol.name) => label::NAME,
            _ if label == facts.str(symbol.qualified) => label::QUALIFIED,
            _ => label::TEXT + label.len() as u32,
        }
    });
    for row in chunks {
        let (label, symbol) = (facts.str(row.label), shown(row));
        if label != facts.str(symbol.name) && label != facts.str(symbol.qualified) {
            text.extend_from_slice(label.as_bytes());
        }
    }
}

/// Reads the details of a file's symbols; `symbols` holds as many rows, with their lines filled in.
pub(crate) fn take_symbols(
    reader: &mut Reader<'_>,
    symbols: &mut [SymbolRow],
    lengths: &mut Vec<TextLengths>,
) {
    rows::take_delta(reader, symbols, |row, value| row.start = value);
    rows::take(reader, symbols, |row, value| row.end = unzigzag(value, row.start));
    rows::take(reader, symbols, |row, value| row.name_start = unzigzag(value, row.start));
    rows::take(reader, symbols, |row, value| {
        row.body_start =
            unzigzag(swap_zero(value, zigzag(row.end, row.name_start)), row.name_start);
    });
    rows::take(reader, symbols, |row, value| {
        row.doc_start = row.start.wrapping_sub(unzigzag(value, 0))
    });
    rows::take(reader, symbols, |row, value| row.name_line = unzigzag(value, row.start_line));
    rows::take(reader, symbols, |row, value| row.complexity = value as u16);
    lengths.clear();
    lengths.resize(symbols.len(), TextLengths::default());
    rows::take(reader, lengths, |row, value| row.signature = value);
    rows::take(reader, lengths, |row, value| row.doc = value);
}

/// Reads the chunks that follow; the second list says what each label is (see [`label`]).
pub(crate) fn take_chunks(
    reader: &mut Reader<'_>,
    symbols: &[SymbolRow],
    chunks: &mut Vec<ChunkRow>,
    labels: &mut Vec<u32>,
) {
    let shown = |row: &ChunkRow| symbols.get(row.symbol as usize).copied().unwrap_or_default();
    rows::take_rows(reader, chunks);
    rows::take_delta(reader, chunks, |row, value| row.symbol = value);
    rows::take(reader, chunks, |row, value| row.start = unzigzag(value, shown(row).doc_start));
    rows::take(reader, chunks, |row, value| row.end = unzigzag(value, shown(row).end));
    rows::take(reader, chunks, |row, value| {
        row.start_line = unzigzag(value, shown(row).start_line)
    });
    rows::take(reader, chunks, |row, value| row.end_line = unzigzag(value, shown(row).end_line));
    rows::take(reader, chunks, |row, value| {
        row.tokens = unzigzag(value, row.end.wrapping_sub(row.start) / 4)
    });
    rows::take(reader, chunks, |row, value| row.kind = value as u8);
    rows::take(reader, chunks, |row, value| row.language = (value as u8).wrapping_sub(1));
    rows::take(reader, chunks, |row, value| row.part = value as u16);
    labels.clear();
    labels.resize(chunks.len(), 0);
    rows::take(reader, labels, |row, value| *row = value);
}
