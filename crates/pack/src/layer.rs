//! What packs read of an index, whatever it is stored in.

use contextd_lang::{LanguageId, paths};
use contextd_model::facts::modifier;
use contextd_model::graph::EdgeRow;
use contextd_model::{ContentHash, EdgeKind, SymbolKind, Visibility};
use contextd_snapshot::{Snapshot, SymbolDetail};
use std::borrow::Cow;
use std::ops::Range;

/// Offsets and texts of a symbol, in bytes of the scrubbed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    pub start: u32,
    pub end: u32,
    pub doc_start: u32,
    pub complexity: u16,
    pub signature: String,
    pub doc: String,
}

/// The graph layer and the records it is made of: files, their symbols in source order, and edges.
///
/// A snapshot is one; [`crate::Lines`] reads the same from exported lines. Numbers are those of the index:
/// files in order, symbols of a file without a gap, the first of them the file itself.
pub trait Layer: Sync {
    fn files(&self) -> u32;
    fn file_path(&self, file: u32) -> &str;
    fn file_hash(&self, file: u32) -> ContentHash;
    fn file_language(&self, file: u32) -> u8;
    fn file_range(&self, file: u32) -> Range<u32>;
    fn find_path(&self, path: &str) -> Option<u32>;

    fn symbols(&self) -> u32;
    fn file_number(&self, symbol: u32) -> u32;
    fn name(&self, symbol: u32) -> Cow<'_, str>;
    fn qualified(&self, symbol: u32) -> Cow<'_, str>;
    fn kind(&self, symbol: u32) -> SymbolKind;
    fn visibility(&self, symbol: u32) -> Visibility;
    fn modifiers(&self, symbol: u32) -> u32;
    /// First and last line.
    fn lines(&self, symbol: u32) -> (u32, u32);
    fn parent(&self, symbol: u32) -> Option<u32>;
    fn detail(&self, symbol: u32) -> Detail;
    /// Details of a file's symbols, in order.
    fn details(&self, file: u32) -> Vec<Detail> {
        self.file_range(file).map(|symbol| self.detail(symbol)).collect()
    }
    fn named(&self, name: &str) -> Vec<u32>;
    /// As [`Layer::named`], whatever the case.
    fn named_like(&self, name: &str) -> Vec<u32>;
    fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<u32>;

    fn out(&self, symbol: u32) -> Box<dyn Iterator<Item = EdgeRow> + '_>;
    /// Edges that lead to a symbol, with their sources.
    fn incoming(&self, symbol: u32) -> Box<dyn Iterator<Item = (u32, EdgeRow)> + '_>;
    /// Symbols that lead to a symbol, counted once each.
    fn sources(&self, symbol: u32) -> usize;

    fn path(&self, symbol: u32) -> &str {
        self.file_path(self.file_number(symbol))
    }

    /// Returns the name of the language that the symbol's file is written in.
    fn language(&self, symbol: u32) -> &'static str {
        LanguageId(self.file_language(self.file_number(symbol))).name()
    }

    fn is_file(&self, symbol: u32) -> bool {
        self.parent(symbol).is_none()
    }

    fn is_test(&self, symbol: u32) -> bool {
        self.modifiers(symbol) & modifier::TEST != 0 || paths::is_test(self.path(symbol))
    }

    /// True for code that can be an answer by itself: modules hold everything and answer nothing.
    fn is_answer(&self, symbol: u32) -> bool {
        let kind = self.kind(symbol);
        kind.is_code()
            && !matches!(kind, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Extension)
            && self.modifiers(symbol) & modifier::LOCAL == 0
    }

    /// Returns the type that a symbol belongs to, else the symbol.
    fn owner(&self, symbol: u32) -> u32 {
        let is_type =
            |symbol: u32| self.kind(symbol).is_type() && self.kind(symbol) != SymbolKind::Extension;
        if is_type(symbol) {
            return symbol;
        }
        if let Some(parent) = self.parent(symbol).filter(|&parent| is_type(parent)) {
            return parent;
        }
        let member_of = |symbol: u32| {
            self.out(symbol)
                .find(|edge| edge.kind() == EdgeKind::MemberOf && self.kind(edge.target).is_type())
                .map(|edge| edge.target)
        };
        match member_of(symbol) {
            Some(block) if self.kind(block) == SymbolKind::Extension => {
                member_of(block).unwrap_or(symbol)
            }
            Some(owner) => owner,
            None => symbol,
        }
    }
}

impl From<SymbolDetail> for Detail {
    fn from(detail: SymbolDetail) -> Self {
        Self {
            start: detail.start,
            end: detail.end,
            doc_start: detail.doc_start,
            complexity: detail.complexity,
            signature: detail.signature,
            doc: detail.doc,
        }
    }
}

impl Layer for Snapshot {
    fn files(&self) -> u32 {
        self.file_count()
    }

    fn file_path(&self, file: u32) -> &str {
        self.file(file).path()
    }

    fn file_hash(&self, file: u32) -> ContentHash {
        self.file(file).hash()
    }

    fn file_language(&self, file: u32) -> u8 {
        self.file(file).language()
    }

    fn file_range(&self, file: u32) -> Range<u32> {
        self.symbols_of_file(file)
    }

    fn find_path(&self, path: &str) -> Option<u32> {
        self.find_file(path)
    }

    fn symbols(&self) -> u32 {
        self.symbol_count()
    }

    fn file_number(&self, symbol: u32) -> u32 {
        self.file_of(symbol)
    }

    fn name(&self, symbol: u32) -> Cow<'_, str> {
        Cow::Borrowed(self.symbol(symbol).name())
    }

    fn qualified(&self, symbol: u32) -> Cow<'_, str> {
        self.symbol(symbol).qualified()
    }

    fn kind(&self, symbol: u32) -> SymbolKind {
        self.symbol(symbol).kind()
    }

    fn visibility(&self, symbol: u32) -> Visibility {
        self.symbol(symbol).visibility()
    }

    fn modifiers(&self, symbol: u32) -> u32 {
        self.symbol(symbol).modifiers()
    }

    fn lines(&self, symbol: u32) -> (u32, u32) {
        let symbol = self.symbol(symbol);
        (symbol.start_line(), symbol.end_line())
    }

    fn parent(&self, symbol: u32) -> Option<u32> {
        self.symbol(symbol).parent()
    }

    fn detail(&self, symbol: u32) -> Detail {
        self.symbol(symbol).detail().into()
    }

    fn details(&self, file: u32) -> Vec<Detail> {
        self.file(file).details().into_iter().map(Detail::from).collect()
    }

    fn named(&self, name: &str) -> Vec<u32> {
        self.symbols_named(name)
    }

    fn named_like(&self, name: &str) -> Vec<u32> {
        self.symbols_named_like(name)
    }

    fn with_prefix(&self, prefix: &str, limit: usize) -> Vec<u32> {
        self.symbols_with_prefix(prefix, limit)
    }

    fn out(&self, symbol: u32) -> Box<dyn Iterator<Item = EdgeRow> + '_> {
        Box::new(self.graph().out(symbol).iter())
    }

    fn incoming(&self, symbol: u32) -> Box<dyn Iterator<Item = (u32, EdgeRow)> + '_> {
        Box::new(self.graph().incoming(symbol))
    }

    fn sources(&self, symbol: u32) -> usize {
        self.graph().sources(symbol).len()
    }
}
