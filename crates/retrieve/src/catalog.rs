//! What ranking needs to know of every symbol and file, gathered once per snapshot.

use crate::scratch::Shelf;
use crate::walk::Walks;
use contextd_lang::paths;
use contextd_model::facts::{file_flag, modifier};
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::{Segment, Snapshot, Unpacked};
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
    /// For a system that it is ported to, with a twin for the common ones.
    pub const PORT: u8 = 1 << 5;
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
    /// Columns for walks.
    pub(crate) walks: Walks,
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
        let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); snapshot.segments().len()];
        snapshot.fill_segments(blocks.iter_mut().collect(), |_, segment, blocks, _: &mut ()| *blocks = segment.blocks_of_files());
        let count = |(segment, blocks): (&Segment, &Vec<u32>)| [segment.file_count() as usize, segment.symbol_count() as usize, segment.cell_count() as usize, blocks.iter().map(|&blocks| blocks as usize).sum()];
        let counts: Vec<[usize; 4]> = snapshot.segments().iter().zip(&blocks).map(count).collect();
        let [files, symbols, cells, all_blocks] = [0, 1, 2, 3].map(|at| counts.iter().map(|counts| counts[at]).sum::<usize>());
        let mut catalog = Catalog {
            file: vec![0; symbols],
            owner: vec![0; symbols],
            parent: vec![0; symbols],
            flags: vec![0; symbols],
            kind: vec![0; symbols],
            lengths: vec![[0; 4]; symbols],
            lines: vec![0; symbols],
            body_words: vec![0; symbols],
            file_symbols: vec![0; files],
            file_words: vec![0; files],
            file_flags: vec![0; files],
            path_words: vec![0; files],
            declares: vec![0.0; files],
            block_starts: vec![0; files],
            block_file: vec![0; all_blocks],
            block_words: vec![0; all_blocks],
            cells: vec![CellAt { symbol: 0, block: 0 }; cells],
            ..Catalog::default()
        };
        let parts = catalog.parts(&counts).into_iter().zip(&blocks).collect();
        snapshot.fill_segments(parts, |number, segment, (part, blocks), columns: &mut Unpacked| {
            segment.unpack(columns);
            fill(part, snapshot, number, segment, blocks, columns);
        });
        catalog.file_symbols.push(symbols as u32);
        catalog.block_starts.push(all_blocks as u32);
        catalog.pool_types();
        catalog.totals = catalog.averages(snapshot);
        catalog
    }

    /// Cuts the columns into those of the segments, of which `counts` says the files, symbols, cells and blocks.
    fn parts(&mut self, counts: &[[usize; 4]]) -> Vec<Part<'_>> {
        let mut whole = Part {
            first_block: 0,
            file: &mut self.file,
            owner: &mut self.owner,
            parent: &mut self.parent,
            flags: &mut self.flags,
            kind: &mut self.kind,
            lengths: &mut self.lengths,
            lines: &mut self.lines,
            body_words: &mut self.body_words,
            file_symbols: &mut self.file_symbols,
            file_words: &mut self.file_words,
            file_flags: &mut self.file_flags,
            path_words: &mut self.path_words,
            declares: &mut self.declares,
            block_starts: &mut self.block_starts,
            block_file: &mut self.block_file,
            block_words: &mut self.block_words,
            cells: &mut self.cells,
        };
        counts.iter().map(|counts| whole.cut(counts)).collect()
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
        let (owners, flags, words, lengths) = (&self.owner, &self.flags, &self.body_words, &self.lengths);
        let members = || owners.iter().enumerate().filter(|&(symbol, &owner)| owner as usize != symbol && (owner as usize) < owners.len());
        let bodies = || {
            let mut sums = words.clone();
            for (symbol, &owner) in members().filter(|&(symbol, _)| flags[symbol] & INSIDE_OWNER == 0) {
                sums[owner as usize] = sums[owner as usize].saturating_add(words[symbol]);
            }
            sums
        };
        let names = || {
            let mut sums = vec![0; owners.len()];
            members().for_each(|(symbol, &owner)| sums[owner as usize] += u32::from(lengths[symbol][0]));
            sums
        };
        (self.type_words, self.member_words) = rayon::join(bodies, names);
        for flags in &mut self.flags {
            *flags &= !INSIDE_OWNER;
        }
    }

    fn averages(&self, snapshot: &Snapshot) -> Totals {
        let totals = snapshot.totals();
        let symbols = totals.symbols.max(1) as f32;
        let field = |at: usize| (totals.field_lengths[at] as f32 / symbols).max(0.1);
        let owners = (0..self.owner.len()).filter(|&symbol| self.owner[symbol] as usize == symbol && self.flags[symbol] & flag::CODE != 0).map(|symbol| self.type_words[symbol]);
        let ((members, body), (type_body, file_body)) = rayon::join(
            || (mean(self.member_words.iter().copied()), mean(self.body_words.iter().copied())),
            || (mean(owners), mean(self.file_words.iter().copied())),
        );
        Totals {
            symbols,
            files: totals.files.max(1) as f32,
            blocks: totals.blocks.max(1) as f32,
            name: field(0),
            scope: field(1),
            path: field(2),
            doc: field(3),
            signature: field(4),
            members,
            body,
            type_body,
            file_body,
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

/// Returns the mean of the numbers that are not zero.
fn mean(values: impl Iterator<Item = u32>) -> f32 {
    let (sum, count) = values.fold((0u64, 0u64), |(sum, count), value| (sum + u64::from(value), count + u64::from(value > 0)));
    (sum as f32 / count.max(1) as f32).max(0.1)
}

/// Marks members that lie inside their owner's span, whose words the owner has already.
const INSIDE_OWNER: u8 = 1 << 7;

/// Columns of one segment, all in global numbers.
struct Part<'a> {
    first_block: usize,
    file: &'a mut [u32],
    owner: &'a mut [u32],
    parent: &'a mut [u32],
    flags: &'a mut [u8],
    kind: &'a mut [u8],
    lengths: &'a mut [[u8; 4]],
    lines: &'a mut [u32],
    body_words: &'a mut [u32],
    file_symbols: &'a mut [u32],
    file_words: &'a mut [u32],
    file_flags: &'a mut [u8],
    path_words: &'a mut [u8],
    declares: &'a mut [f32],
    block_starts: &'a mut [u32],
    block_file: &'a mut [u32],
    block_words: &'a mut [u32],
    cells: &'a mut [CellAt],
}

/// Takes so many rows off the front of a column.
fn front<'a, T>(column: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, rest) = std::mem::take(column).split_at_mut(count);
    *column = rest;
    front
}

impl<'a> Part<'a> {
    /// Takes the rows of the next segment off.
    fn cut(&mut self, &[files, symbols, cells, blocks]: &[usize; 4]) -> Part<'a> {
        let first_block = self.first_block;
        self.first_block += blocks;
        Part {
            first_block,
            file: front(&mut self.file, symbols),
            owner: front(&mut self.owner, symbols),
            parent: front(&mut self.parent, symbols),
            flags: front(&mut self.flags, symbols),
            kind: front(&mut self.kind, symbols),
            lengths: front(&mut self.lengths, symbols),
            lines: front(&mut self.lines, symbols),
            body_words: front(&mut self.body_words, symbols),
            file_symbols: front(&mut self.file_symbols, files),
            file_words: front(&mut self.file_words, files),
            file_flags: front(&mut self.file_flags, files),
            path_words: front(&mut self.path_words, files),
            declares: front(&mut self.declares, files),
            block_starts: front(&mut self.block_starts, files),
            block_file: front(&mut self.block_file, blocks),
            block_words: front(&mut self.block_words, blocks),
            cells: front(&mut self.cells, cells),
        }
    }
}

fn fill(mut part: Part<'_>, snapshot: &Snapshot, number: usize, segment: &Segment, blocks: &[u32], columns: &Unpacked) {
    let (symbol_base, file_base) = (snapshot.symbols_of_segment(number).start, snapshot.files_of_segment(number).start);
    let kind = |symbol: u32| SymbolKind::from_byte(columns.kinds[symbol as usize] as u8);
    let mut next_block = 0;
    let mut parents: Vec<Option<u32>> = Vec::new();
    for (file, &blocks) in (0..segment.file_count()).zip(blocks) {
        let symbols = segment.symbols_of_file(file);
        parents.clear();
        parents.extend(columns.parents(symbols.clone()).map(|parent| parent.filter(|&parent| parent > symbols.start)));
        part.block_file[next_block..next_block + blocks as usize].fill(file_base + file);
        part.cells_of(segment, columns, file, symbol_base, next_block);
        part.pool_words(&parents, symbols.start);
        next_block += blocks as usize;
        let path = segment.path(file);
        let is_port = paths::common_twins(path).iter().any(|twin| snapshot.find_file(twin).is_some());
        let path_flags = path_flags(path, segment.file_flags(file)) | if is_port { flag::PORT } else { 0 };
        let at = file as usize;
        part.file_symbols[at] = symbol_base + symbols.start;
        part.file_flags[at] = path_flags;
        part.path_words[at] = segment.path_length(file).min(255) as u8;
        part.declares[at] = declared_share(symbols.clone().map(|symbol| (kind(symbol), columns.modifiers[symbol as usize])));
        part.file[symbols.start as usize..symbols.end as usize].fill(file_base + file);
        for (symbol, &parent) in symbols.zip(&parents) {
            let at = symbol as usize;
            let kind_here = kind(symbol);
            part.lengths[at] = columns.lengths(symbol);
            part.kind[at] = kind_here as u8;
            part.parent[at] = parent.map_or(NONE, |parent| symbol_base + parent);
            part.lines[at] = columns.more_lines[at].saturating_add(1);
            let around = parent.map(|parent| (parent, kind(parent)));
            let (owner, inside) = owner(snapshot, columns, symbol, kind_here, around, symbol_base);
            part.owner[at] = owner;
            let mut flags = path_flags | if inside { INSIDE_OWNER } else { 0 };
            let modifiers = columns.modifiers[at];
            flags |= if modifiers & modifier::TEST != 0 { flag::TEST } else { 0 };
            flags |= if modifiers & modifier::LOCAL != 0 { flag::LOCAL } else { 0 };
            flags |= if is_answer(kind_here) { flag::CODE } else { 0 };
            part.flags[at] = flags;
        }
    }
}

impl Part<'_> {
    /// Sets the cells of a file, whose first block in the segment is `start`, and counts the words of blocks, of the
    /// file, and of symbols without what they hold.
    fn cells_of(&mut self, segment: &Segment, columns: &Unpacked, file: u32, symbol_base: u32, start: usize) {
        let symbols = segment.symbols_of_file(file);
        self.block_starts[file as usize] = (self.first_block + start) as u32;
        let mut file_words = 0;
        for cell in segment.cells_of_file(file) {
            let (at, symbol) = (cell as usize, columns.cell_symbol(cell, &symbols));
            let words = columns.cell_words[at];
            file_words += words;
            let block = start + columns.cell_blocks[at] as usize;
            self.block_words[block] += words + columns.cell_compounds[at];
            let top = symbol <= symbols.start;
            self.cells[at] = CellAt { symbol: if top { NONE } else { symbol_base + symbol }, block: (self.first_block + block) as u32 };
            if !top && let Some(sum) = self.body_words.get_mut(symbol as usize) {
                *sum += words;
            }
        }
        self.file_words[file as usize] = file_words;
    }

    /// Adds the words of what they hold to the symbols of a file, the first of which is `first`.
    fn pool_words(&mut self, parents: &[Option<u32>], first: u32) {
        // Parents precede their children, so going backwards each sum is whole when it is passed on.
        for (at, parent) in parents.iter().enumerate().rev() {
            if let Some(parent) = parent {
                self.body_words[*parent as usize] += self.body_words[first as usize + at];
            }
        }
    }
}

fn declared_share(symbols: impl Iterator<Item = (SymbolKind, u32)>) -> f32 {
    let callables = symbols.filter(|(kind, _)| kind.is_callable());
    let (all, declared) = callables.fold((0u32, 0u32), |(all, declared), (kind, modifiers)| {
        let only = modifiers & modifier::DECLARATION != 0 || kind == SymbolKind::Macro;
        (all + 1, declared + u32::from(only))
    });
    declared as f32 / all.max(1) as f32
}

/// Namespaces and modules hold everything and answer nothing; blocks of members stand for their type.
fn is_answer(kind: SymbolKind) -> bool {
    kind.is_code() && !matches!(kind, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Extension)
}

/// Returns the type a symbol belongs to, or itself, and whether it lies inside that type.
fn owner(snapshot: &Snapshot, columns: &Unpacked, symbol: u32, kind: SymbolKind, around: Option<(u32, SymbolKind)>, base: u32) -> (u32, bool) {
    if kind.is_type() && kind != SymbolKind::Extension {
        return (base + symbol, false);
    }
    if let Some((parent, _)) = around.filter(|(_, kind)| kind.is_type() && *kind != SymbolKind::Extension) {
        return (base + parent, true);
    }
    // What is named after the place it lies in belongs nowhere else: most symbols need no look at the graph.
    let elsewhere = columns.has_own_scope(symbol) || kind == SymbolKind::Extension || around.is_some_and(|(_, kind)| kind == SymbolKind::Extension);
    if !elsewhere {
        return (base + symbol, false);
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
    let nature = paths::Nature::of(path);
    let mut flags = 0;
    flags |= if nature.test { flag::TEST } else { 0 };
    flags |= if nature.documentation || nature.mock { flag::ASIDE } else { 0 };
    flags |= if nature.vendored || nature.built || file_flags & (file_flag::GENERATED | file_flag::MINIFIED) != 0 { flag::FOREIGN } else { 0 };
    flags
}
