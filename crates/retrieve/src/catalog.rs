//! What ranking needs to know of every symbol and file, gathered once per snapshot. What belongs to what is gathered
//! when a ranking asks for it, see [`crate::ties`].

use crate::lexical;
use crate::scratch::Shelf;
use crate::ties::Ties;
use crate::walk::Walks;
use contextd_lang::paths;
use contextd_model::SymbolKind;
use contextd_model::facts::{file_flag, modifier};
use contextd_snapshot::{Segment, Snapshot, Unpacked};
use std::ops::Range;
use std::sync::OnceLock;

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

/// Columns by symbol and by file, in global numbers.
#[derive(Default)]
pub struct Catalog {
    pub file: Vec<u32>,
    pub flags: Vec<u8>,
    pub kind: Vec<u8>,
    /// Words of the fields name, scope, doc and signature.
    pub lengths: Vec<[u8; 4]>,
    /// First symbol of each file, and the end of the last.
    pub file_symbols: Vec<u32>,
    pub file_flags: Vec<u8>,
    /// The part of them that paths say, the same for the same paths.
    pub path_flags: Vec<u8>,
    /// Words of the path.
    pub path_words: Vec<u8>,
    /// Share of a file's callables that are only declared there.
    pub declares: Vec<f32>,
    /// Number of each file's first block, and the end of the last; a block is its file's start plus
    /// its number there.
    pub block_starts: Vec<u32>,
    pub block_file: Vec<u32>,
    /// What a count in a block is divided by for its words and compounds.
    pub(crate) block_lengths: Vec<f32>,
    /// Block of each cell.
    pub cell_blocks: Vec<u32>,
    pub totals: Totals,
    ties: OnceLock<Ties>,
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
    pub block_words: f32,
}

impl Catalog {
    /// Gathers the columns of a snapshot. `path_flags` are those of another catalog of the same paths: to ask every path
    /// takes as long as the rest.
    pub fn of(snapshot: &Snapshot, path_flags: Option<&[u8]>) -> Catalog {
        let mut blocks: Vec<Vec<u32>> = vec![Vec::new(); snapshot.segments().len()];
        snapshot.fill_segments(blocks.iter_mut().collect(), |_, segment, blocks, _: &mut ()| {
            *blocks = segment.blocks_of_files()
        });
        let count = |(segment, blocks): (&Segment, &Vec<u32>)| {
            [
                segment.file_count() as usize,
                segment.symbol_count() as usize,
                segment.cell_count() as usize,
                blocks.iter().map(|&blocks| blocks as usize).sum(),
            ]
        };
        let counts: Vec<[usize; 4]> = snapshot.segments().iter().zip(&blocks).map(count).collect();
        let [files, symbols, cells, all_blocks] =
            [0, 1, 2, 3].map(|at| counts.iter().map(|counts| counts[at]).sum::<usize>());
        let mut catalog = Catalog {
            file: vec![0; symbols],
            flags: vec![0; symbols],
            kind: vec![0; symbols],
            lengths: vec![[0; 4]; symbols],
            file_symbols: vec![0; files],
            file_flags: vec![0; files],
            path_flags: vec![0; files],
            path_words: vec![0; files],
            declares: vec![0.0; files],
            block_starts: vec![0; files],
            block_file: vec![0; all_blocks],
            block_lengths: vec![0.0; all_blocks],
            cell_blocks: vec![0; cells],
            totals: averages(snapshot),
            ..Catalog::default()
        };
        let known = path_flags.filter(|flags| flags.len() == files);
        if let Some(known) = known {
            catalog.path_flags.copy_from_slice(known);
        }
        let parts = catalog.parts(&counts).into_iter().zip(&blocks).collect();
        snapshot.fill_segments(
            parts,
            |number, segment, (mut part, blocks), columns: &mut Unpacked| {
                segment.unpack(columns);
                if known.is_none() {
                    part.ask_paths(snapshot, segment);
                }
                fill(part, snapshot, number, segment, blocks, columns);
            },
        );
        catalog.file_symbols.push(symbols as u32);
        catalog.block_starts.push(all_blocks as u32);
        catalog
    }

    /// Cuts the columns into those of the segments, of which `counts` says the files, symbols, cells and blocks.
    fn parts(&mut self, counts: &[[usize; 4]]) -> Vec<Part<'_>> {
        let mut whole = Part {
            first_block: 0,
            file: &mut self.file,
            flags: &mut self.flags,
            kind: &mut self.kind,
            lengths: &mut self.lengths,
            file_symbols: &mut self.file_symbols,
            file_flags: &mut self.file_flags,
            path_flags: &mut self.path_flags,
            path_words: &mut self.path_words,
            declares: &mut self.declares,
            block_starts: &mut self.block_starts,
            block_file: &mut self.block_file,
            block_lengths: &mut self.block_lengths,
            average_block: self.totals.block_words,
            cell_blocks: &mut self.cell_blocks,
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

    /// Returns what belongs to what in the snapshot, which must be the catalog's own; it is gathered once, when it is asked for.
    pub fn ties(&self, snapshot: &Snapshot) -> &Ties {
        match self.ties.get() {
            Some(ties) => ties,
            // Not gathered while others wait: a thread that helps with it may come by the same question.
            None => {
                let ties = Ties::of(snapshot, self);
                self.ties.get_or_init(|| ties)
            }
        }
    }

    pub fn is_test(&self, symbol: u32) -> bool {
        self.flags[symbol as usize] & flag::TEST != 0
    }

    pub fn is_code(&self, symbol: u32) -> bool {
        self.flags[symbol as usize] & flag::CODE != 0
    }
}

fn averages(snapshot: &Snapshot) -> Totals {
    let totals = snapshot.totals();
    let symbols = totals.symbols.max(1) as f32;
    let field = |at: usize| (totals.field_lengths[at] as f32 / symbols).max(0.1);
    Totals {
        symbols,
        files: totals.files.max(1) as f32,
        blocks: totals.blocks.max(1) as f32,
        name: field(0),
        scope: field(1),
        path: field(2),
        doc: field(3),
        signature: field(4),
        block_words: ((totals.words + totals.compounds) as f32 / totals.blocks.max(1) as f32)
            .max(0.1),
    }
}

/// Columns of one segment, all in global numbers.
struct Part<'a> {
    first_block: usize,
    file: &'a mut [u32],
    flags: &'a mut [u8],
    kind: &'a mut [u8],
    lengths: &'a mut [[u8; 4]],
    file_symbols: &'a mut [u32],
    file_flags: &'a mut [u8],
    path_flags: &'a mut [u8],
    path_words: &'a mut [u8],
    declares: &'a mut [f32],
    block_starts: &'a mut [u32],
    block_file: &'a mut [u32],
    block_lengths: &'a mut [f32],
    /// Words of a block on the average.
    average_block: f32,
    cell_blocks: &'a mut [u32],
}

/// Takes so many rows off the front of a column.
pub(crate) fn front<'a, T>(column: &mut &'a mut [T], count: usize) -> &'a mut [T] {
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
            flags: front(&mut self.flags, symbols),
            kind: front(&mut self.kind, symbols),
            lengths: front(&mut self.lengths, symbols),
            file_symbols: front(&mut self.file_symbols, files),
            file_flags: front(&mut self.file_flags, files),
            path_flags: front(&mut self.path_flags, files),
            path_words: front(&mut self.path_words, files),
            declares: front(&mut self.declares, files),
            block_starts: front(&mut self.block_starts, files),
            block_file: front(&mut self.block_file, blocks),
            block_lengths: front(&mut self.block_lengths, blocks),
            average_block: self.average_block,
            cell_blocks: front(&mut self.cell_blocks, cells),
        }
    }
}

fn fill(
    mut part: Part<'_>,
    snapshot: &Snapshot,
    number: usize,
    segment: &Segment,
    blocks: &[u32],
    columns: &Unpacked,
) {
    let (symbol_base, file_base) =
        (snapshot.symbols_of_segment(number).start, snapshot.files_of_segment(number).start);
    let kind = |symbol: u32| SymbolKind::from_byte(columns.kinds[symbol as usize] as u8);
    let (mut next_block, mut words) = (0, Vec::new());
    for (file, &blocks) in (0..segment.file_count()).zip(blocks) {
        let symbols = segment.symbols_of_file(file);
        part.block_file[next_block..next_block + blocks as usize].fill(file_base + file);
        words.resize(blocks as usize, 0);
        part.cells_of(segment, columns, file, next_block, &mut words);
        for (length, words) in part.block_lengths[next_block..].iter_mut().zip(words.drain(..)) {
            *length = lexical::length(words, part.average_block);
        }
        next_block += blocks as usize;
        let at = file as usize;
        let is_made = segment.file_flags(file) & (file_flag::GENERATED | file_flag::MINIFIED) != 0;
        let file_flags = part.path_flags[at] | if is_made { flag::FOREIGN } else { 0 };
        part.file_symbols[at] = symbol_base + symbols.start;
        part.file_flags[at] = file_flags;
        part.path_words[at] = segment.path_length(file).min(255) as u8;
        part.declares[at] = declared_share(
            symbols.clone().map(|symbol| (kind(symbol), columns.modifiers[symbol as usize])),
        );
        part.file[symbols.start as usize..symbols.end as usize].fill(file_base + file);
        for symbol in symbols {
            let (at, kind) = (symbol as usize, kind(symbol));
            part.lengths[at] = columns.lengths(symbol);
            part.kind[at] = kind as u8;
            let modifiers = columns.modifiers[at];
            let mut flags = file_flags;
            flags |= if modifiers & modifier::TEST != 0 { flag::TEST } else { 0 };
            flags |= if modifiers & modifier::LOCAL != 0 { flag::LOCAL } else { 0 };
            flags |= if is_answer(kind) { flag::CODE } else { 0 };
            part.flags[at] = flags;
        }
    }
}

impl Part<'_> {
    /// Sets what the paths of a segment say.
    fn ask_paths(&mut self, snapshot: &Snapshot, segment: &Segment) {
        for (file, flags) in (0..).zip(&mut *self.path_flags) {
            let path = segment.path(file);
            let is_port =
                paths::common_twins(path).iter().any(|twin| snapshot.find_file(twin).is_some());
            *flags = path_flags(path) | if is_port { flag::PORT } else { 0 };
        }
    }

    /// Sets the cells of a file, whose first block in the segment is `start`, and counts the words of its blocks.
    fn cells_of(
        &mut self,
        segment: &Segment,
        columns: &Unpacked,
        file: u32,
        start: usize,
        words: &mut [u32],
    ) {
        let first = (self.first_block + start) as u32;
        self.block_starts[file as usize] = first;
        for at in segment.cells_of_file(file).map(|cell| cell as usize) {
            let block = columns.cell_blocks[at];
            words[block as usize] += columns.cell_words[at] + columns.cell_compounds[at];
            self.cell_blocks[at] = first + block;
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
    kind.is_code()
        && !matches!(kind, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Extension)
}

fn path_flags(path: &str) -> u8 {
    let nature = paths::Nature::of(path);
    let mut flags = 0;
    flags |= if nature.test { flag::TEST } else { 0 };
    flags |= if nature.documentation || nature.mock { flag::ASIDE } else { 0 };
    flags |= if nature.vendored || nature.built { flag::FOREIGN } else { 0 };
    flags
}
