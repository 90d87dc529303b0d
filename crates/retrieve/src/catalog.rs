//! What ranking needs to know of every symbol and file, gathered once per snapshot.

use crate::scratch::Shelf;
use contextd_lang::paths;
use contextd_model::facts::{file_flag, modifier};
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::{Segment, Snapshot};
use std::ops::Range;

/// Bits of [`Catalog::flags`].
pub mod flag {
    /// Test code, by path or by its own marks.
    pub const TEST: u8 = 1;
    /// Documentation, examples, mocks.
    pub const ASIDE: u8 = 1 << 1;
    /// A symbol of a programming language that can be an answer by itself.
    pub const CODE: u8 = 1 << 2;
    /// Generated, vendored or built.
    pub const FOREIGN: u8 = 1 << 3;
    /// Defined inside a function.
    pub const LOCAL: u8 = 1 << 4;
}

/// Stands for no symbol in [`Catalog::parent`] and [`CellAt::symbol`].
pub const NONE: u32 = u32::MAX;

/// Where a cell lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAt {
    /// Innermost symbol, [`NONE`] for what belongs to the file alone.
    pub symbol: u32,
    /// Block, in one numbering over all files.
    pub block: u32,
}

/// Columns by symbol and by file, in global numbers.
#[derive(Default)]
pub struct Catalog {
    pub file: Vec<u32>,
    /// Type that a symbol belongs to: the type itself for types and their members, else the symbol.
    pub owner: Vec<u32>,
    /// Enclosing symbol, [`NONE`] at the top of a file.
    pub parent: Vec<u32>,
    pub flags: Vec<u8>,
    pub kind: Vec<u8>,
    /// Words of the fields name, scope, doc and signature.
    pub lengths: Vec<[u8; 4]>,
    pub lines: Vec<u32>,
    /// Words in the body, nested symbols included.
    pub body_words: Vec<u32>,
    /// Words in the bodies of a type and its members, by owner.
    pub type_words: Vec<u32>,
    /// Words of member names, by owner.
    pub member_words: Vec<u32>,
    /// First symbol of each file, and the end of the last.
    pub file_symbols: Vec<u32>,
    pub file_words: Vec<u32>,
    pub file_flags: Vec<u8>,
    /// Words of the path.
    pub path_words: Vec<u8>,
    /// Share of a file's callables that are only declared there.
    pub declares: Vec<f32>,
    /// Number of each file's first block, and the end of the last; a block is its file's start plus
    /// its number there.
    pub block_starts: Vec<u32>,
    pub block_file: Vec<u32>,
    /// Words and compounds of each block.
    pub block_words: Vec<u32>,
    pub cells: Vec<CellAt>,
    pub totals: Totals,
    /// Columns for passes over the postings.
    pub(crate) shelf: Shelf,
}

/// Averages over the collection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub symbols: f32,
    pub files: f32,
    pub blocks: f32,
    pub name: f32,
    pub scope: f32,
    pub path: f32,
    pub doc: f32,
    pub signature: f32,
    pub members: f32,
    pub body: f32,
    pub type_body: f32,
    pub file_body: f32,
    pub block_words: f32,
}

impl Catalog {
    /// Gathers the columns of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Catalog {
        let parts = snapshot.for_each_segment(|number, segment| part(snapshot, number, segment));
        let mut catalog = Catalog::default();
        for mut part in parts {
            let (symbols, blocks, files) = (catalog.file.len() as u32, catalog.block_words.len() as u32, catalog.file_words.len() as u32);
            catalog.file_symbols.extend(part.file_symbols.iter().map(|&first| symbols + first));
            catalog.block_starts.extend(part.block_starts.iter().map(|&first| blocks + first));
            catalog.block_file.extend(part.block_file.iter().map(|&file| files + file));
            part.cells.iter_mut().for_each(|cell| cell.block += blocks);
            catalog.cells.append(&mut part.cells);
            catalog.file.append(&mut part.file);
            catalog.owner.append(&mut part.owner);
            catalog.parent.append(&mut part.parent);
            catalog.flags.append(&mut part.flags);
            catalog.kind.append(&mut part.kind);
            catalog.lengths.append(&mut part.lengths);
            catalog.lines.append(&mut part.lines);
            catalog.body_words.append(&mut part.body_words);
            catalog.file_words.append(&mut part.file_words);
            catalog.file_flags.append(&mut part.file_flags);
            catalog.path_words.append(&mut part.path_words);
            catalog.declares.append(&mut part.declares);
            catalog.block_words.append(&mut part.block_words);
        }
        catalog.file_symbols.push(catalog.file.len() as u32);
        catalog.block_starts.push(catalog.block_words.len() as u32);
        catalog.pool_types();
        catalog.totals = catalog.averages(snapshot);
        catalog
    }

    /// Returns the symbols of a file; the first is the file itself.
    pub fn symbols_of_file(&self, file: usize) -> Range<u32> {
        self.file_symbols[file]..self.file_symbols[file + 1]
    }

    /// Returns the blocks of a file.
    pub fn blocks_of_file(&self, file: usize) -> Range<u32> {
        self.block_starts[file]..self.block_starts[file + 1]
    }

    /// Words of a type are those of its own body and of members that lie elsewhere.
    fn pool_types(&mut self) {
        let count = self.owner.len();
        self.type_words = self.body_words.clone();
        self.member_words = vec![0; count];
        for symbol in 0..count {
            let owner = self.owner[symbol] as usize;
            if owner != symbol && owner < count {
                self.member_words[owner] += u32::from(self.lengths[symbol][0]);
                if self.flags[symbol] & INSIDE_OWNER == 0 {
                    self.type_words[owner] = self.type_words[owner].saturating_add(self.body_words[symbol]);
                }
            }
        }
        for flags in &mut self.flags {
            *flags &= !INSIDE_OWNER;
        }
    }

    fn averages(&self, snapshot: &Snapshot) -> Totals {
        let totals = snapshot.totals();
        let symbols = totals.symbols.max(1) as f32;
        let field = |at: usize| (totals.field_lengths[at] as f32 / symbols).max(0.1);
        let mean = |values: &[u32]| {
            let (sum, count) = values.iter().filter(|&&value| value > 0).fold((0u64, 0u64), |(sum, count), &value| (sum + u64::from(value), count + 1));
            (sum as f32 / count.max(1) as f32).max(0.1)
        };
        let owners: Vec<u32> = (0..self.owner.len()).filter(|&symbol| self.owner[symbol] as usize == symbol && self.flags[symbol] & flag::CODE != 0).map(|symbol| self.type_words[symbol]).collect();
        Totals {
            symbols,
            files: totals.files.max(1) as f32,
            blocks: totals.blocks.max(1) as f32,
            name: field(0),
            scope: field(1),
            path: field(2),
            doc: field(3),
            signature: field(4),
            members: mean(&self.member_words),
            body: mean(&self.body_words),
            type_body: mean(&owners),
            file_body: mean(&self.file_words),
            block_words: ((totals.words + totals.compounds) as f32 / totals.blocks.max(1) as f32).max(0.1),
        }
    }

    pub fn is_test(&self, symbol: u32) -> bool {
        self.flags[symbol as usize] & flag::TEST != 0
    }

    pub fn is_code(&self, symbol: u32) -> bool {
        self.flags[symbol as usize] & flag::CODE != 0
    }
}

/// Marks members that lie inside their owner's span, whose words the owner has already.
const INSIDE_OWNER: u8 = 1 << 7;

/// Columns of one segment; files, blocks and first symbols in the segment's own numbers, the others global.
#[derive(Default)]
struct Part {
    file: Vec<u32>,
    owner: Vec<u32>,
    parent: Vec<u32>,
    flags: Vec<u8>,
    kind: Vec<u8>,
    lengths: Vec<[u8; 4]>,
    lines: Vec<u32>,
    body_words: Vec<u32>,
    file_symbols: Vec<u32>,
    file_words: Vec<u32>,
    file_flags: Vec<u8>,
    path_words: Vec<u8>,
    declares: Vec<f32>,
    block_starts: Vec<u32>,
    block_file: Vec<u32>,
    block_words: Vec<u32>,
    cells: Vec<CellAt>,
}

fn part(snapshot: &Snapshot, number: usize, segment: &Segment) -> Part {
    let mut part = Part::default();
    let (symbol_base, file_base) = (snapshot.symbols_of_segment(number).start, snapshot.files_of_segment(number).start);
    for file in 0..segment.file_count() {
        let symbols = segment.symbols_of_file(file);
        let parents: Vec<Option<u32>> = segment.parents(file).map(|parent| parent.filter(|&parent| parent > symbols.start)).collect();
        part.cells_of(segment, file, symbol_base, &parents);
        let path_flags = path_flags(segment.path(file), segment.file_flags(file));
        part.file_symbols.push(symbols.start);
        part.file_flags.push(path_flags);
        part.path_words.push(segment.path_length(file).min(255) as u8);
        part.declares.push(declared_share(segment, symbols.clone()));
        part.lengths.extend(segment.lengths(file));
        for (symbol, parent) in symbols.zip(parents) {
            let kind = segment.kind(symbol);
            part.file.push(file_base + file);
            part.kind.push(kind as u8);
            part.parent.push(parent.map_or(NONE, |parent| symbol_base + parent));
            part.lines.push(segment.end_line(symbol).saturating_sub(segment.start_line(symbol)) + 1);
            let (owner, inside) = owner(snapshot, segment, symbol, parent, symbol_base);
            part.owner.push(owner);
            let mut flags = path_flags | if inside { INSIDE_OWNER } else { 0 };
            let modifiers = segment.modifiers(symbol);
            flags |= if modifiers & modifier::TEST != 0 { flag::TEST } else { 0 };
            flags |= if modifiers & modifier::LOCAL != 0 { flag::LOCAL } else { 0 };
            flags |= if is_answer(kind) { flag::CODE } else { 0 };
            part.flags.push(flags);
        }
    }
    part
}

impl Part {
    /// Adds the cells of a file, its blocks, and the words of its symbols: those of what they hold included.
    fn cells_of(&mut self, segment: &Segment, file: u32, symbol_base: u32, parents: &[Option<u32>]) {
        let first = segment.symbols_of_file(file).start;
        let (first_block, first_word) = (self.block_words.len(), self.body_words.len());
        self.block_starts.push(first_block as u32);
        self.body_words.resize(first_word + parents.len(), 0);
        let mut file_words = 0;
        for cell in segment.cells(file) {
            file_words += cell.words;
            let block = first_block + cell.block as usize;
            if self.block_words.len() <= block {
                self.block_words.resize(block + 1, 0);
                self.block_file.resize(block + 1, file);
            }
            self.block_words[block] += cell.words + cell.compounds;
            let top = cell.symbol <= first;
            self.cells.push(CellAt { symbol: if top { NONE } else { symbol_base + cell.symbol }, block: block as u32 });
            if !top && let Some(words) = self.body_words.get_mut(first_word + (cell.symbol - first) as usize) {
                *words += cell.words;
            }
        }
        // Parents precede their children, so going backwards each sum is whole when it is passed on.
        for (at, parent) in parents.iter().enumerate().rev() {
            if let Some(parent) = parent {
                self.body_words[first_word + (parent - first) as usize] += self.body_words[first_word + at];
            }
        }
        self.file_words.push(file_words);
    }
}

fn declared_share(segment: &Segment, symbols: std::ops::Range<u32>) -> f32 {
    let callables = symbols.filter(|&symbol| segment.kind(symbol).is_callable());
    let (all, declared) = callables.fold((0u32, 0u32), |(all, declared), symbol| {
        let only = segment.modifiers(symbol) & modifier::DECLARATION != 0 || segment.kind(symbol) == SymbolKind::Macro;
        (all + 1, declared + u32::from(only))
    });
    declared as f32 / all.max(1) as f32
}

/// Namespaces and modules hold everything and answer nothing; blocks of members stand for their type.
fn is_answer(kind: SymbolKind) -> bool {
    kind.is_code() && !matches!(kind, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Extension)
}

fn owner(snapshot: &Snapshot, segment: &Segment, symbol: u32, parent: Option<u32>, base: u32) -> (u32, bool) {
    if segment.kind(symbol).is_type() && segment.kind(symbol) != SymbolKind::Extension {
        return (base + symbol, false);
    }
    if let Some(parent) = parent.filter(|&parent| segment.kind(parent).is_type() && segment.kind(parent) != SymbolKind::Extension) {
        return (base + parent, true);
    }
    let graph = snapshot.graph();
    let member_of = |symbol: u32| graph.out(symbol).iter().find(|edge| edge.kind() == EdgeKind::MemberOf && snapshot.symbol(edge.target).kind().is_type()).map(|edge| edge.target);
    match member_of(base + symbol) {
        Some(target) if snapshot.symbol(target).kind() == SymbolKind::Extension => (member_of(target).unwrap_or(base + symbol), false),
        Some(target) => (target, false),
        None => (base + symbol, false),
    }
}

fn path_flags(path: &str, file_flags: u32) -> u8 {
    let mut flags = 0;
    flags |= if paths::is_test(path) { flag::TEST } else { 0 };
    flags |= if paths::is_documentation(path) || paths::is_mock(path) { flag::ASIDE } else { 0 };
    flags |= if paths::is_vendored(path) || paths::is_built(path) || file_flags & (file_flag::GENERATED | file_flag::MINIFIED) != 0 { flag::FOREIGN } else { 0 };
    flags
}
