//! What ranking needs to know of every symbol and file, gathered once per snapshot.

use contextd_lang::{paths, terms};
use contextd_model::facts::{file_flag, modifier};
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::{Segment, Snapshot};

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

/// Columns by symbol and by file, in global numbers.
pub struct Catalog {
    pub file: Vec<u32>,
    /// Type that a symbol belongs to: the type itself for types and their members, else the symbol.
    pub owner: Vec<u32>,
    pub flags: Vec<u8>,
    pub kind: Vec<u8>,
    /// Words of the name.
    pub name_words: Vec<u8>,
    pub lines: Vec<u32>,
    /// Words in the body, nested symbols included.
    pub body_words: Vec<u32>,
    /// Words in the bodies of a type and its members, by owner.
    pub type_words: Vec<u32>,
    /// Words of member names, by owner.
    pub member_words: Vec<u32>,
    pub file_words: Vec<u32>,
    pub file_flags: Vec<u8>,
    /// Share of a file's callables that are only declared there.
    pub declares: Vec<f32>,
    /// Number of each file's first block; a block is its file's start plus its number there.
    pub block_starts: Vec<u32>,
    /// Words and compounds of each block.
    pub block_words: Vec<u32>,
    pub totals: Totals,
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
        let (block_starts, block_words) = crate::lexical::blocks(snapshot);
        let mut catalog = Catalog {
            block_starts,
            block_words,
            file: Vec::new(),
            owner: Vec::new(),
            flags: Vec::new(),
            kind: Vec::new(),
            name_words: Vec::new(),
            lines: Vec::new(),
            body_words: Vec::new(),
            type_words: Vec::new(),
            member_words: Vec::new(),
            file_words: Vec::new(),
            file_flags: Vec::new(),
            declares: Vec::new(),
            totals: Totals::default(),
        };
        for part in parts {
            catalog.file.extend(part.file);
            catalog.owner.extend(part.owner);
            catalog.flags.extend(part.flags);
            catalog.kind.extend(part.kind);
            catalog.name_words.extend(part.name_words);
            catalog.lines.extend(part.lines);
            catalog.body_words.extend(part.body_words);
            catalog.file_words.extend(part.file_words);
            catalog.file_flags.extend(part.file_flags);
            catalog.declares.extend(part.declares);
        }
        catalog.pool_types();
        catalog.totals = catalog.averages(snapshot);
        catalog
    }

    /// Words of a type are those of its own body and of members that lie elsewhere.
    fn pool_types(&mut self) {
        let count = self.owner.len();
        self.type_words = self.body_words.clone();
        self.member_words = vec![0; count];
        for symbol in 0..count {
            let owner = self.owner[symbol] as usize;
            if owner != symbol && owner < count {
                self.member_words[owner] += u32::from(self.name_words[symbol]);
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

#[derive(Default)]
struct Part {
    file: Vec<u32>,
    owner: Vec<u32>,
    flags: Vec<u8>,
    kind: Vec<u8>,
    name_words: Vec<u8>,
    lines: Vec<u32>,
    body_words: Vec<u32>,
    file_words: Vec<u32>,
    file_flags: Vec<u8>,
    declares: Vec<f32>,
}

fn part(snapshot: &Snapshot, number: usize, segment: &Segment) -> Part {
    let mut part = Part::default();
    let (symbol_base, file_base) = (snapshot.symbols_of_segment(number).start, snapshot.files_of_segment(number).start);
    for file in 0..segment.file_count() {
        let path_flags = path_flags(segment.path(file), segment.file_flags(file));
        let symbols = segment.symbols_of_file(file);
        let mut words = vec![0u32; symbols.len()];
        let mut file_words = 0;
        for number in segment.cells_of_file(file) {
            let cell = segment.cell(file, number);
            file_words += cell.words;
            // A symbol's words include those of what it holds.
            let mut at = Some(cell.symbol);
            while let Some(symbol) = at.filter(|&symbol| symbol > symbols.start) {
                words[(symbol - symbols.start) as usize] += cell.words;
                at = segment.parent(symbol);
            }
        }
        part.file_words.push(file_words);
        part.file_flags.push(path_flags);
        part.declares.push(declared_share(segment, symbols.clone()));
        for symbol in symbols.clone() {
            let kind = segment.kind(symbol);
            part.file.push(file_base + file);
            part.kind.push(kind as u8);
            part.lines.push(segment.end_line(symbol).saturating_sub(segment.start_line(symbol)) + 1);
            part.body_words.push(words[(symbol - symbols.start) as usize]);
            part.name_words.push(count_words(segment.name(symbol)));
            let (owner, inside) = owner(snapshot, segment, symbol, symbol_base);
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

fn owner(snapshot: &Snapshot, segment: &Segment, symbol: u32, base: u32) -> (u32, bool) {
    if segment.kind(symbol).is_type() && segment.kind(symbol) != SymbolKind::Extension {
        return (base + symbol, false);
    }
    if let Some(parent) = segment.parent(symbol).filter(|&parent| segment.kind(parent).is_type() && segment.kind(parent) != SymbolKind::Extension) {
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

fn count_words(name: &str) -> u8 {
    let mut count = 0u8;
    for identifier in terms::identifiers(name) {
        terms::parts(identifier, |_| count = count.saturating_add(1));
    }
    count
}
