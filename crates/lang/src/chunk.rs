//! Chunks: the pieces in which text is stored, shown and cited.
//!
//! A callable is one chunk, a type one for its head and one for each member, a document one for each
//! section and one for each block of code; what is left between them are chunks too. A piece over
//! the limit is split at lines, with overlap where the language says so.

use crate::lines::Lines;
use crate::registry::LanguageId;
use contextd_model::config::ChunkRules;
use contextd_model::facts::{ChunkRow, FILE_SYMBOL, FileFacts, NONE, SymbolRow};
use contextd_model::{ChunkKind, StrId, SymbolKind};

/// Returns the chunks of a file, in source order.
pub fn chunks(
    text: &str,
    lines: &Lines,
    facts: &FileFacts,
    language: LanguageId,
    rules: &ChunkRules,
) -> Vec<ChunkRow> {
    let mut cutter = Cutter { text, lines, rules, language: language.name(), rows: Vec::new() };
    let mut at = 0;
    for (index, symbol) in facts.symbols.iter().enumerate().skip(1) {
        if !is_chunk(&facts.symbols, symbol) {
            continue;
        }
        let (start, end) = span(&facts.symbols, index, symbol);
        if (start as usize) < at || end <= start {
            continue;
        }
        cutter.rest(at, start as usize);
        let kind = kind_of(symbol.kind(), cutter.language);
        cutter.piece(index as u32, symbol.qualified, kind, start as usize, end as usize);
        at = end as usize;
    }
    cutter.rest(at, text.len());
    cutter.rows
}

/// Members of types and top-level symbols are chunks; what is inside a function is part of it.
fn is_chunk(symbols: &[SymbolRow], symbol: &SymbolRow) -> bool {
    use SymbolKind::*;
    let own = match symbol.kind() {
        Field | Variant | Element | Selector => false,
        Property | Variable | Constant | Key | TypeAlias | Macro => {
            symbol.parent == FILE_SYMBOL && symbol.end_line > symbol.start_line
        }
        kind => kind != File,
    };
    own && !inside_callable(symbols, symbol)
}

fn inside_callable(symbols: &[SymbolRow], symbol: &SymbolRow) -> bool {
    let mut at = symbol.parent;
    while at != NONE && at != FILE_SYMBOL {
        let Some(parent) = symbols.get(at as usize) else { return false };
        if parent.kind().is_callable() {
            return true;
        }
        at = parent.parent;
    }
    false
}

/// A type's or section's own chunk ends where its first chunked member begins.
fn span(symbols: &[SymbolRow], index: usize, symbol: &SymbolRow) -> (u32, u32) {
    let holds = symbol.kind().is_type()
        || matches!(
            symbol.kind(),
            SymbolKind::Section
                | SymbolKind::Module
                | SymbolKind::Namespace
                | SymbolKind::Key
                | SymbolKind::Table
                | SymbolKind::Resource
        );
    let first = holds
        .then(|| {
            symbols[index + 1..]
                .iter()
                .take_while(|inner| inner.start < symbol.end)
                .find(|inner| is_chunk(symbols, inner))
                .map(|inner| inner.doc_start)
        })
        .flatten();
    (symbol.doc_start, first.unwrap_or(symbol.end).min(symbol.end))
}

fn kind_of(kind: SymbolKind, language: &str) -> ChunkKind {
    match (kind, language) {
        (SymbolKind::Section, _) => ChunkKind::MarkdownSection,
        (_, "yaml") => ChunkKind::YamlBlock,
        (_, "sql") => ChunkKind::SqlStatement,
        (kind, _) if kind.is_callable() => ChunkKind::CodeFunction,
        (kind, _) if kind.is_type() => ChunkKind::CodeClass,
        _ => ChunkKind::CodeBlock,
    }
}

struct Cutter<'t> {
    text: &'t str,
    lines: &'t Lines,
    rules: &'t ChunkRules,
    language: &'t str,
    rows: Vec<ChunkRow>,
}

impl Cutter<'_> {
    /// Cuts what stands between symbols; imports, comments and white space alone are not worth a chunk
    /// unless they are long.
    fn rest(&mut self, start: usize, end: usize) {
        let Some(text) = self.text.get(start..end) else { return };
        let (start, end) = (
            start + (text.len() - text.trim_start().len()),
            end - (text.len() - text.trim_end().len()),
        );
        if end <= start || text.trim().len() < 40 {
            return;
        }
        let kind = match self.language {
            "text" | "markdown" | "rst" | "asciidoc" => ChunkKind::Paragraph,
            "yaml" => ChunkKind::YamlBlock,
            "sql" => ChunkKind::SqlStatement,
            _ if ["\"\"\"", "'''"].iter().any(|quote| text.trim_start().starts_with(quote)) => {
                ChunkKind::Docstring
            }
            _ if is_comment(text) => ChunkKind::Comment,
            _ => ChunkKind::CodeBlock,
        };
        self.piece(FILE_SYMBOL, StrId::EMPTY, kind, start, end);
    }

    fn piece(&mut self, symbol: u32, label: StrId, kind: ChunkKind, start: usize, end: usize) {
        let limit = (self.rules.max_tokens.max(16) as usize) * BYTES_A_TOKEN;
        let overlap = limit * (self.rules.overlap_percent.min(50) as usize) / 100;
        let (mut from, mut part) = (start, 0u16);
        loop {
            let to = if end - from <= limit + limit / 4 {
                end
            } else {
                self.lines
                    .before(from + limit)
                    .filter(|&cut| cut > from + limit / 4)
                    .unwrap_or_else(|| self.boundary(from + limit))
            };
            let to = to.min(end);
            self.push(symbol, label, kind, part, from, to);
            if to >= end || part == u16::MAX {
                return;
            }
            let back = self
                .lines
                .before(to.saturating_sub(overlap))
                .filter(|&line| overlap > 0 && line > from)
                .unwrap_or(to);
            from = back.min(to);
            part += 1;
        }
    }

    fn boundary(&self, mut at: usize) -> usize {
        at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    fn push(
        &mut self,
        symbol: u32,
        label: StrId,
        kind: ChunkKind,
        part: u16,
        start: usize,
        end: usize,
    ) {
        let trimmed = self.text.get(start..end).map_or(end, |text| start + text.trim_end().len());
        self.rows.push(ChunkRow {
            label,
            symbol,
            start: start as u32,
            end: trimmed.max(start) as u32,
            start_line: self.lines.line(start),
            end_line: self.lines.line(trimmed.max(start + 1) - 1),
            tokens: ((trimmed.saturating_sub(start)) as u32).div_ceil(BYTES_A_TOKEN as u32),
            kind: kind as u8,
            language: 255,
            part,
        });
    }
}

/// Bytes of a token, about; budgets count exactly, chunking needs only a measure.
const BYTES_A_TOKEN: usize = 4;

fn is_comment(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .all(|line| ["//", "#", "/*", "*", "--", ";"].iter().any(|mark| line.starts_with(mark)))
}
