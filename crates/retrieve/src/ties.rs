//! What belongs to what: the type and the symbol around each symbol, the symbol of each cell, and the words that come
//! together in them. Gathered once per snapshot, when a ranking asks for it: questions that rank files do not.

use crate::catalog::{Catalog, flag, front};
use crate::lexical::{TASK_FIELDS, length, worth};
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::{Segment, Snapshot, Unpacked};

/// Stands for no symbol in [`Ties::parent`] and [`Ties::cell_symbols`].
pub const NONE: u32 = u32::MAX;

/// Columns by symbol, file and cell, in global numbers.
#[derive(Default)]
pub struct Ties {
    /// Type that a symbol belongs to: the type itself for types and their members, else the symbol.
    pub owner: Vec<u32>,
    /// Enclosing symbol, [`NONE`] at the top of a file.
    pub parent: Vec<u32>,
    /// Innermost symbol of each cell, [`NONE`] for what belongs to the file alone.
    pub cell_symbols: Vec<u32>,
    /// What a count in a symbol's body is divided by for its length, nested symbols included.
    pub(crate) body_lengths: Vec<f32>,
    /// The same for the bodies of a type and its members together, by owner.
    pub(crate) type_lengths: Vec<f32>,
    /// The same for files.
    pub(crate) file_lengths: Vec<f32>,
    /// What a word in a member's name is worth to its owner, by owner.
    pub(crate) member_worth: Vec<f32>,
}

/// Numbers of words that lengths are made of.
#[derive(Default)]
struct Words {
    /// In the body, nested symbols included.
    body: Vec<u32>,
    /// In the bodies of a type and its members, by owner.
    types: Vec<u32>,
    /// In the names of members, by owner.
    members: Vec<u32>,
    files: Vec<u32>,
}

impl Ties {
    /// Gathers the ties of a snapshot.
    pub(crate) fn of(snapshot: &Snapshot, catalog: &Catalog) -> Ties {
        let (files, symbols, cells) = (
            snapshot.file_count() as usize,
            snapshot.symbol_count() as usize,
            snapshot.cell_count() as usize,
        );
        let mut ties = Ties {
            owner: vec![0; symbols],
            parent: vec![0; symbols],
            cell_symbols: vec![0; cells],
            ..Ties::default()
        };
        let mut words = Words { body: vec![0; symbols], files: vec![0; files], ..Words::default() };
        let mut inside = vec![false; symbols];
        let mut whole = Part {
            owner: &mut ties.owner,
            parent: &mut ties.parent,
            inside: &mut inside,
            body_words: &mut words.body,
            file_words: &mut words.files,
            cell_symbols: &mut ties.cell_symbols,
        };
        let parts = snapshot.segments().iter().map(|segment| whole.cut(segment)).collect();
        snapshot.fill_segments(parts, |number, segment, part, columns: &mut Unpacked| {
            segment.unpack_ties(columns);
            fill(part, snapshot, number, segment, columns);
        });
        words.pool_types(&ties.owner, &inside, &catalog.lengths);
        ties.measure(words, catalog);
        ties
    }

    /// Sets what counts are divided by, for the means of what has some words.
    fn measure(&mut self, words: Words, catalog: &Catalog) {
        let Words { body, types, members, files } = words;
        let owners = (0..self.owner.len())
            .filter(|&symbol| {
                self.owner[symbol] as usize == symbol && catalog.flags[symbol] & flag::CODE != 0
            })
            .map(|symbol| types[symbol]);
        let (a_type, a_file) = (mean(owners), mean(files.iter().copied()));
        let bodies = || {
            let (a_member, a_body) = (mean(members.iter().copied()), mean(body.iter().copied()));
            let ((boost, b), scale) = (TASK_FIELDS.members, TASK_FIELDS.body.1 / a_body);
            (
                in_place(members, |words| worth(boost, b, words as f32 / a_member)),
                in_place(body, |words| 1.0 - TASK_FIELDS.body.1 + scale * words as f32),
            )
        };
        let pools = || {
            (
                in_place(types, |words| length(words, a_type)),
                in_place(files, |words| length(words, a_file)),
            )
        };
        ((self.member_worth, self.body_lengths), (self.type_lengths, self.file_lengths)) =
            rayon::join(bodies, pools);
    }
}

impl Words {
    /// Words of a type are those of its own body and of members that lie elsewhere; `inside` says which lie in it.
    fn pool_types(&mut self, owners: &[u32], inside: &[bool], lengths: &[[u8; 4]]) {
        let words = &self.body;
        let members = || {
            owners.iter().enumerate().filter(|&(symbol, &owner)| {
                owner as usize != symbol && (owner as usize) < owners.len()
            })
        };
        let bodies = || {
            let mut sums = words.clone();
            for (symbol, &owner) in members().filter(|&(symbol, _)| !inside[symbol]) {
                sums[owner as usize] = sums[owner as usize].saturating_add(words[symbol]);
            }
            sums
        };
        let names = || {
            let mut sums = vec![0; owners.len()];
            members()
                .for_each(|(symbol, &owner)| sums[owner as usize] += u32::from(lengths[symbol][0]));
            sums
        };
        (self.types, self.members) = rayon::join(bodies, names);
    }
}

/// Makes a column of another one, in the same memory: new memory costs more than the numbers.
fn in_place(mut numbers: Vec<u32>, make: impl Fn(u32) -> f32) -> Vec<f32> {
    numbers.iter_mut().for_each(|number| *number = make(*number).to_bits());
    bytemuck::allocation::cast_vec(numbers)
}

/// Returns the mean of the numbers that are not zero.
fn mean(values: impl Iterator<Item = u32>) -> f32 {
    let (sum, count) = values.fold((0u64, 0u64), |(sum, count), value| {
        (sum + u64::from(value), count + u64::from(value > 0))
    });
    (sum as f32 / count.max(1) as f32).max(0.1)
}

/// Columns of one segment, all in global numbers.
struct Part<'a> {
    owner: &'a mut [u32],
    parent: &'a mut [u32],
    /// True for members inside their owner's span, whose words the owner has already.
    inside: &'a mut [bool],
    body_words: &'a mut [u32],
    file_words: &'a mut [u32],
    cell_symbols: &'a mut [u32],
}

impl<'a> Part<'a> {
    /// Takes the rows of the next segment off.
    fn cut(&mut self, segment: &Segment) -> Part<'a> {
        let (files, symbols, cells) = (
            segment.file_count() as usize,
            segment.symbol_count() as usize,
            segment.cell_count() as usize,
        );
        Part {
            owner: front(&mut self.owner, symbols),
            parent: front(&mut self.parent, symbols),
            inside: front(&mut self.inside, symbols),
            body_words: front(&mut self.body_words, symbols),
            file_words: front(&mut self.file_words, files),
            cell_symbols: front(&mut self.cell_symbols, cells),
        }
    }

    /// Sets the cells of a file and counts the words of the file, and of symbols without what they hold.
    fn cells_of(&mut self, segment: &Segment, columns: &Unpacked, file: u32, symbol_base: u32) {
        let symbols = segment.symbols_of_file(file);
        let mut file_words = 0;
        for cell in segment.cells_of_file(file) {
            let (at, symbol) = (cell as usize, columns.cell_symbol(cell, &symbols));
            let words = columns.cell_words[at];
            file_words += words;
            let top = symbol <= symbols.start;
            self.cell_symbols[at] = if top { NONE } else { symbol_base + symbol };
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

fn fill(
    mut part: Part<'_>,
    snapshot: &Snapshot,
    number: usize,
    segment: &Segment,
    columns: &Unpacked,
) {
    let base = snapshot.symbols_of_segment(number).start;
    let kind = |symbol: u32| SymbolKind::from_byte(columns.kinds[symbol as usize] as u8);
    let mut parents: Vec<Option<u32>> = Vec::new();
    for file in 0..segment.file_count() {
        let symbols = segment.symbols_of_file(file);
        parents.clear();
        parents.extend(
            columns
                .parents(symbols.clone())
                .map(|parent| parent.filter(|&parent| parent > symbols.start)),
        );
        part.cells_of(segment, columns, file, base);
        part.pool_words(&parents, symbols.start);
        for (symbol, &parent) in symbols.zip(&parents) {
            let at = symbol as usize;
            part.parent[at] = parent.map_or(NONE, |parent| base + parent);
            let around = parent.map(|parent| (base + parent, kind(parent)));
            (part.owner[at], part.inside[at]) =
                owner(snapshot, base + symbol, kind(symbol), around, || {
                    columns.has_own_scope(symbol)
                });
        }
    }
}

/// Returns the type that one symbol belongs to, or itself: what [`Ties::owner`] says of it.
pub fn owner_of(snapshot: &Snapshot, symbol: u32) -> u32 {
    let named = snapshot.symbol(symbol);
    // What lies at the top of a file has nothing around it.
    let around = named
        .parent()
        .filter(|&parent| parent > named.file().symbols().start)
        .map(|parent| (parent, snapshot.symbol(parent).kind()));
    owner(snapshot, symbol, named.kind(), around, || named.segment().has_own_scope(named.local())).0
}

/// Returns the type a symbol belongs to, or itself, and whether it lies inside that type.
fn owner(
    snapshot: &Snapshot,
    symbol: u32,
    kind: SymbolKind,
    around: Option<(u32, SymbolKind)>,
    has_own_scope: impl FnOnce() -> bool,
) -> (u32, bool) {
    if kind.is_type() && kind != SymbolKind::Extension {
        return (symbol, false);
    }
    if let Some((parent, _)) =
        around.filter(|(_, kind)| kind.is_type() && *kind != SymbolKind::Extension)
    {
        return (parent, true);
    }
    // What is named after the place it lies in belongs nowhere else: most symbols need no look at the graph.
    let elsewhere = has_own_scope()
        || kind == SymbolKind::Extension
        || around.is_some_and(|(_, kind)| kind == SymbolKind::Extension);
    if !elsewhere {
        return (symbol, false);
    }
    let graph = snapshot.graph();
    let member_of = |symbol: u32| {
        graph
            .out(symbol)
            .iter()
            .find(|edge| {
                edge.kind() == EdgeKind::MemberOf && snapshot.symbol(edge.target).kind().is_type()
            })
            .map(|edge| edge.target)
    };
    match member_of(symbol) {
        Some(target) if snapshot.symbol(target).kind() == SymbolKind::Extension => {
            (member_of(target).unwrap_or(symbol), false)
        }
        Some(target) => (target, false),
        None => (symbol, false),
    }
}
