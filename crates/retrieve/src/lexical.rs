//! One pass over the postings of a query's words, from which every lexical signal is made.

use crate::catalog::Catalog;
use crate::understand::Query;
use contextd_lang::terms::COMPOUND;
use contextd_snapshot::{Field, Segment, Snapshot};

/// Weights and length corrections of the fields of a symbol.
#[derive(Clone, Copy, Debug)]
pub struct FieldWeights {
    pub name: (f32, f32),
    pub scope: (f32, f32),
    pub path: (f32, f32),
    pub doc: (f32, f32),
    pub signature: (f32, f32),
    pub members: (f32, f32),
    pub body: (f32, f32),
}

/// Fields as they serve a task: the owner's names count, bodies a little.
pub const TASK_FIELDS: FieldWeights =
    FieldWeights { name: (2.0, 0.3), scope: (2.5, 0.3), path: (1.5, 0.3), doc: (0.8, 0.7), signature: (0.7, 0.5), members: (1.2, 0.6), body: (0.15, 0.75) };

/// Fields as they serve a question: names first, bodies through blocks.
pub const SEARCH_FIELDS: FieldWeights =
    FieldWeights { name: (3.0, 0.3), scope: (1.5, 0.3), path: (1.0, 0.3), doc: (1.0, 0.7), signature: (0.5, 0.5), members: (0.0, 0.6), body: (0.0, 0.75) };

const K1: f32 = 1.2;

/// Scores by symbol, type, file and block.
pub struct Lexical {
    /// BM25F of symbols.
    pub symbols: Vec<f32>,
    /// BM25 of pooled bodies, by owning type.
    pub types: Vec<f32>,
    /// BM25 of pooled bodies, by file.
    pub files: Vec<f32>,
    /// Best blocks: file, block number, score; in order of files and blocks.
    pub blocks: Vec<(u32, u32, f32)>,
    /// Rarity of each word of the query; 0 for words that stand nowhere.
    pub idf: Vec<f32>,
}

/// What a pass computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Task,
    Search,
}

/// Scores everything that has a word of the query.
pub fn score(snapshot: &Snapshot, catalog: &Catalog, query: &Query, mode: Mode) -> Lexical {
    let fields = if mode == Mode::Task { TASK_FIELDS } else { SEARCH_FIELDS };
    let mut pass = Pass::new(snapshot, catalog, fields, mode);
    let mut idf = Vec::new();
    for (word, count) in &query.words {
        idf.push(pass.word(word, 1.0 + (*count as f32).ln() * 0.3));
    }
    if mode == Mode::Search {
        for compound in &query.compounds {
            pass.compound(compound);
        }
    }
    pass.finish(idf)
}

struct Pass<'s> {
    snapshot: &'s Snapshot,
    catalog: &'s Catalog,
    fields: FieldWeights,
    mode: Mode,
    symbols: Vec<f32>,
    types: Vec<f32>,
    files: Vec<f32>,
    /// Weighted frequency of the current word, by symbol, with the symbols that have some.
    weight: Vec<f32>,
    touched: Vec<u32>,
    type_count: Vec<f32>,
    type_touched: Vec<u32>,
    file_count: Vec<f32>,
    file_touched: Vec<u32>,
    block_scores: Vec<f32>,
    block_count: Vec<f32>,
    block_touched: Vec<u32>,
}

impl<'s> Pass<'s> {
    fn new(snapshot: &'s Snapshot, catalog: &'s Catalog, fields: FieldWeights, mode: Mode) -> Self {
        let (symbols, files) = (snapshot.symbol_count() as usize, snapshot.file_count() as usize);
        let blocks = catalog.block_words.len();
        let task = usize::from(mode == Mode::Task);
        Self {
            snapshot,
            catalog,
            fields,
            mode,
            symbols: vec![0.0; symbols],
            types: vec![0.0; symbols * task],
            files: vec![0.0; files],
            weight: vec![0.0; symbols],
            touched: Vec::new(),
            type_count: vec![0.0; symbols * task],
            type_touched: Vec::new(),
            file_count: vec![0.0; files],
            file_touched: Vec::new(),
            block_scores: vec![0.0; blocks],
            block_count: vec![0.0; blocks],
            block_touched: Vec::new(),
        }
    }

    /// Adds one word and returns its rarity.
    fn word(&mut self, word: &str, boost: f32) -> f32 {
        let mut symbol_df = 0u32;
        let mut found = false;
        for number in 0..self.snapshot.segments().len() {
            let segment: &Segment = &self.snapshot.segments()[number];
            let Some(postings) = segment.term(word) else { continue };
            found = true;
            symbol_df += postings.symbol_count;
            self.symbol_postings(number, segment, &postings.symbols);
            self.cell_postings(number, segment, &postings.cells);
            self.path_blocks(number, &postings.symbols);
        }
        if !found {
            return 0.0;
        }
        let totals = self.catalog.totals;
        let idf = rarity(totals.symbols, symbol_df as f32);
        self.flush_symbols(idf * boost);
        self.flush_types(rarity_of(totals.symbols, self.type_touched.len()) * boost);
        self.flush_files(rarity_of(totals.files, self.file_touched.len()) * boost);
        self.flush_blocks(rarity_of(totals.blocks, self.block_touched.len()) * boost);
        idf
    }

    /// Compounds count in blocks only.
    fn compound(&mut self, compound: &str) {
        debug_assert!(compound.starts_with(COMPOUND));
        for number in 0..self.snapshot.segments().len() {
            let segment: &Segment = &self.snapshot.segments()[number];
            if let Some(postings) = segment.term(compound) {
                self.cell_postings(number, segment, &postings.cells);
            }
        }
        self.file_touched.iter().for_each(|&file| self.file_count[file as usize] = 0.0);
        self.file_touched.clear();
        self.flush_blocks(rarity_of(self.catalog.totals.blocks, self.block_touched.len()));
    }

    fn symbol_postings(&mut self, number: usize, segment: &Segment, postings: &contextd_snapshot::SymbolPostings<'_>) {
        let base = self.snapshot.symbols_of_segment(number).start;
        let totals = self.catalog.totals;
        let fields = self.fields;
        postings.for_each(|local, tf| {
            let symbol = base + local;
            let mut weight = 0.0;
            let mut add = |field: Field, (boost, b): (f32, f32), average: f32| {
                let count = tf.of(field);
                if count > 0 {
                    weight += boost * f32::from(count) / (1.0 - b + b * segment.field_length(local, field) as f32 / average);
                }
            };
            add(Field::Name, fields.name, totals.name);
            add(Field::Scope, fields.scope, totals.scope);
            add(Field::Path, fields.path, totals.path);
            add(Field::Doc, fields.doc, totals.doc);
            add(Field::Signature, fields.signature, totals.signature);
            self.add(symbol, weight);
            let owner = self.catalog.owner[symbol as usize];
            if tf.of(Field::Name) > 0 && owner != symbol && fields.members.0 > 0.0 {
                let (boost, b) = fields.members;
                let length = self.catalog.member_words[owner as usize] as f32;
                self.add(owner, boost * f32::from(tf.of(Field::Name)) / (1.0 - b + b * length / totals.members));
            }
        });
    }

    fn cell_postings(&mut self, number: usize, segment: &Segment, postings: &contextd_snapshot::CellPostings<'_>) {
        let (symbol_base, file_base) = (self.snapshot.symbols_of_segment(number).start, self.snapshot.files_of_segment(number).start);
        let mut file = 0;
        let (boost, b) = self.fields.body;
        let average = self.catalog.totals.body;
        postings.for_each(|number, count| {
            while file + 1 < segment.file_count() && segment.cells_of_file(file).end <= number {
                file += 1;
            }
            let cell = segment.cell(file, number);
            let count = count as f32;
            let global = (file_base + file) as usize;
            if self.file_count[global] == 0.0 {
                self.file_touched.push(global as u32);
            }
            self.file_count[global] += count;
            let block = self.catalog.block_starts[global] + cell.block;
            self.add_block(block, count);
            if self.mode == Mode::Search {
                return;
            }
            let first = segment.symbols_of_file(file).start;
            let mut at = Some(cell.symbol);
            let owner = self.catalog.owner[(symbol_base + cell.symbol) as usize];
            if cell.symbol > first {
                self.add_type(owner, count);
            }
            while let Some(symbol) = at.filter(|&symbol| symbol > first) {
                let global = symbol_base + symbol;
                let length = self.catalog.body_words[global as usize] as f32;
                self.add(global, boost * count / (1.0 - b + b * length / average));
                at = segment.parent(symbol);
            }
        });
    }

    /// The file's stem and folder are fields of each of its blocks.
    fn path_blocks(&mut self, number: usize, postings: &contextd_snapshot::SymbolPostings<'_>) {
        let base = self.snapshot.files_of_segment(number).start;
        postings.for_each_path(|local, count| {
            let file = (base + local) as usize;
            let (start, end) = (self.catalog.block_starts[file], self.catalog.block_starts.get(file + 1).copied().unwrap_or(self.catalog.block_words.len() as u32));
            for block in start..end {
                self.add_block(block, 1.2 * count.min(2) as f32);
            }
        });
    }

    fn add(&mut self, symbol: u32, weight: f32) {
        let slot = &mut self.weight[symbol as usize];
        if *slot == 0.0 {
            self.touched.push(symbol);
        }
        *slot += weight;
    }

    fn add_type(&mut self, owner: u32, count: f32) {
        let slot = &mut self.type_count[owner as usize];
        if *slot == 0.0 {
            self.type_touched.push(owner);
        }
        *slot += count;
    }

    fn add_block(&mut self, block: u32, count: f32) {
        let Some(slot) = self.block_count.get_mut(block as usize) else { return };
        if *slot == 0.0 {
            self.block_touched.push(block);
        }
        *slot += count;
    }

    fn flush_symbols(&mut self, idf: f32) {
        for symbol in self.touched.drain(..) {
            let weight = std::mem::take(&mut self.weight[symbol as usize]);
            self.symbols[symbol as usize] += idf * saturated(weight);
        }
    }

    fn flush_types(&mut self, idf: f32) {
        for owner in self.type_touched.drain(..) {
            let count = std::mem::take(&mut self.type_count[owner as usize]);
            let length = self.catalog.type_words[owner as usize] as f32 / self.catalog.totals.type_body;
            self.types[owner as usize] += idf * saturated(count / (0.25 + 0.75 * length));
        }
    }

    fn flush_files(&mut self, idf: f32) {
        for file in self.file_touched.drain(..) {
            let count = std::mem::take(&mut self.file_count[file as usize]);
            let length = self.catalog.file_words[file as usize] as f32 / self.catalog.totals.file_body;
            self.files[file as usize] += idf * saturated(count / (0.25 + 0.75 * length));
        }
    }

    fn flush_blocks(&mut self, idf: f32) {
        for block in self.block_touched.drain(..) {
            let count = std::mem::take(&mut self.block_count[block as usize]);
            let length = self.catalog.block_words[block as usize] as f32 / self.catalog.totals.block_words;
            self.block_scores[block as usize] += idf * saturated(count / (0.25 + 0.75 * length));
        }
    }

    fn finish(self, idf: Vec<f32>) -> Lexical {
        let mut blocks = Vec::new();
        for file in 0..self.catalog.block_starts.len() {
            let start = self.catalog.block_starts[file];
            let end = self.catalog.block_starts.get(file + 1).copied().unwrap_or(self.catalog.block_words.len() as u32);
            blocks.extend((start..end).filter(|&block| self.block_scores[block as usize] > 0.0).map(|block| (file as u32, block - start, self.block_scores[block as usize])));
        }
        Lexical { symbols: self.symbols, types: self.types, files: self.files, blocks, idf }
    }
}

/// Returns where the blocks of each file start in one numbering, and the words of each block.
pub(crate) fn blocks(snapshot: &Snapshot) -> (Vec<u32>, Vec<u32>) {
    let parts = snapshot.for_each_segment(|_, segment| {
        let (mut counts, mut words) = (Vec::new(), Vec::new());
        for file in 0..segment.file_count() {
            let first = words.len();
            for cell in segment.cells_of_file(file).map(|cell| segment.cell(file, cell)) {
                let at = first + cell.block as usize;
                if words.len() <= at {
                    words.resize(at + 1, 0);
                }
                words[at] += cell.words + cell.compounds;
            }
            counts.push((words.len() - first) as u32);
        }
        (counts, words)
    });
    let (mut starts, mut all) = (Vec::new(), Vec::new());
    let mut next = 0;
    for (counts, words) in parts {
        for count in counts {
            starts.push(next);
            next += count;
        }
        all.extend(words);
    }
    (starts, all)
}

fn saturated(weight: f32) -> f32 {
    weight * (K1 + 1.0) / (K1 + weight)
}

fn rarity(documents: f32, with: f32) -> f32 {
    (1.0 + (documents - with.min(documents) + 0.5) / (with + 0.5)).ln()
}

fn rarity_of(documents: f32, with: usize) -> f32 {
    rarity(documents, with as f32)
}

impl Lexical {
    /// Returns how well the blocks of each file match, several good ones counting for more.
    pub fn block_sums(&self, files: usize) -> Vec<f32> {
        let mut sums = vec![0f32; files];
        for &(file, _, score) in &self.blocks {
            sums[file as usize] += score.powi(3);
        }
        sums.iter_mut().for_each(|sum| *sum = sum.cbrt());
        sums
    }
}
