//! One pass over the postings of a query's words, from which every lexical signal is made.

use crate::catalog::Catalog;
use crate::scratch::{Run, Scratch};
use crate::ties::{NONE, Ties};
use crate::understand::Query;
use contextd_lang::terms::COMPOUND;
use crate::parameters::Parameters;
use contextd_snapshot::{Field, Segment, Snapshot, TermPostings};

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

/// Scores by symbol, type, file and block: the columns of [`Scratch`], and the rarity of each word.
pub struct Lexical<'c> {
    catalog: &'c Catalog,
    scratch: Scratch,
    /// Rarity of each word of the query; 0 for words that stand nowhere.
    pub idf: Vec<f32>,
}

impl std::ops::Deref for Lexical<'_> {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        &self.scratch
    }
}

impl Drop for Lexical<'_> {
    fn drop(&mut self) {
        self.catalog.shelf.give_back(std::mem::take(&mut self.scratch));
    }
}

/// What a pass computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Task,
    Search,
}

/// Scores everything that has a word of the query.
pub fn score<'c>(snapshot: &Snapshot, catalog: &'c Catalog, query: &Query, mode: Mode, parameters: &Parameters) -> Lexical<'c> {
    let fields = if mode == Mode::Task { TASK_FIELDS } else { SEARCH_FIELDS };
    let mut pass = Pass::new(snapshot, catalog, fields, mode);
    // A question is about files, and every word of their paths helps it.
    if mode == Mode::Task {
        pass.most_paths = (parameters.common_path * snapshot.file_count() as f32) as u32;
    }
    let mut idf = Vec::new();
    for (word, count) in &query.words {
        idf.push(pass.word(word, 1.0 + (*count as f32).ln() * 0.3));
    }
    if mode == Mode::Search {
        for compound in &query.compounds {
            pass.compound(compound);
        }
    }
    Lexical { catalog, scratch: pass.scratch, idf }
}

struct Pass<'s> {
    snapshot: &'s Snapshot,
    catalog: &'s Catalog,
    fields: FieldWeights,
    /// What belongs to what, where types, files and bodies are scored: for a task.
    ties: Option<&'s Ties>,
    /// What one occurrence is worth by the length of the field: name, scope, doc, signature.
    worth: [[f32; 256]; 4],
    scratch: Scratch,
    /// Most files whose paths may have a word; a word of more says nothing by standing in a path.
    most_paths: u32,
}

impl<'s> Pass<'s> {
    fn new(snapshot: &'s Snapshot, catalog: &'s Catalog, fields: FieldWeights, mode: Mode) -> Self {
        let totals = catalog.totals;
        let scratch = catalog.shelf.take(snapshot.symbol_count() as usize, snapshot.file_count() as usize, catalog.block_lengths.len(), mode == Mode::Task);
        let ties = (mode == Mode::Task).then(|| catalog.ties(snapshot));
        let worth = [(fields.name, totals.name), (fields.scope, totals.scope), (fields.doc, totals.doc), (fields.signature, totals.signature)]
            .map(|((boost, b), average)| std::array::from_fn(|length| worth(boost, b, length as f32 / average)));
        Self { snapshot, catalog, fields, ties, worth, scratch, most_paths: u32::MAX }
    }

    /// Adds one word and returns its rarity.
    fn word(&mut self, word: &str, boost: f32) -> f32 {
        let segments: &[Segment] = self.snapshot.segments();
        let postings: Vec<(usize, TermPostings<'_>)> = segments.iter().enumerate().filter_map(|(number, segment)| Some((number, segment.term(word)?))).collect();
        if postings.is_empty() {
            return 0.0;
        }
        let symbol_df: u32 = postings.iter().map(|(_, postings)| postings.symbol_count).sum();
        let paths: u32 = postings.iter().map(|(_, postings)| postings.symbols.path_count()).sum();
        for (number, postings) in &postings {
            self.symbol_postings(*number, &postings.symbols);
            if paths <= self.most_paths {
                self.path_postings(*number, &postings.symbols);
            }
            self.cell_postings(*number, &postings.cells);
        }
        let idf = rarity(self.catalog.totals.symbols, symbol_df as f32);
        self.flush(idf * boost, boost);
        idf
    }

    /// Compounds count in blocks only.
    fn compound(&mut self, compound: &str) {
        debug_assert!(compound.starts_with(COMPOUND));
        for number in 0..self.snapshot.segments().len() {
            let segment: &Segment = &self.snapshot.segments()[number];
            if let Some(postings) = segment.term(compound) {
                self.cell_postings(number, &postings.cells);
            }
        }
        self.flush_blocks(1.0);
    }

    fn symbol_postings(&mut self, number: usize, postings: &contextd_snapshot::SymbolPostings<'_>) {
        let base = self.snapshot.symbols_of_segment(number).start;
        let (catalog, worth, ties) = (self.catalog, &self.worth, self.ties);
        let words = &mut self.scratch.symbol_words;
        postings.for_each_stored(|local, tf| {
            let symbol = base + local;
            let Some(lengths) = catalog.lengths.get(symbol as usize) else { return };
            let counts = [Field::Name, Field::Scope, Field::Doc, Field::Signature].map(|field| f32::from(tf.of(field)));
            let weight: f32 = (0..4).map(|field| counts[field] * worth[field][usize::from(lengths[field])]).sum();
            words.add(symbol, weight);
            if let Some(ties) = ties.filter(|_| counts[0] > 0.0) {
                let owner = ties.owner[symbol as usize];
                if owner != symbol {
                    words.add(owner, counts[0] * ties.member_worth[owner as usize]);
                }
            }
        });
    }

    /// A path is a field of each symbol of the file; its stem and folder are fields of each block.
    fn path_postings(&mut self, number: usize, postings: &contextd_snapshot::SymbolPostings<'_>) {
        let base = self.snapshot.files_of_segment(number).start;
        let (catalog, scratch) = (self.catalog, &mut self.scratch);
        let (boost, b) = self.fields.path;
        postings.for_each_path(|local, count| {
            let file = (base + local) as usize;
            let weight = count.min(255) as f32 * worth(boost, b, f32::from(catalog.path_words[file]) / catalog.totals.path);
            for symbol in catalog.symbols_of_file(file) {
                scratch.symbol_words.add(symbol, weight);
            }
            for block in catalog.blocks_of_file(file) {
                scratch.block_words.add(block, 1.2 * count.min(2) as f32);
            }
        });
    }

    fn cell_postings(&mut self, number: usize, postings: &contextd_snapshot::CellPostings<'_>) {
        let base = self.snapshot.cells_of_segment(number).start as usize;
        let blocks = self.catalog.cell_blocks.get(base..).unwrap_or(&[]);
        let words = &mut self.scratch.block_words;
        let mut block = Run::default();
        match self.ties {
            None => postings.for_each(|cell, count| {
                if let Some(&number) = blocks.get(cell as usize) {
                    words.add_run(&mut block, number, count as f32);
                }
            }),
            Some(ties) => self.pooled_postings(base, ties, postings),
        }
        self.scratch.block_words.end_run(&mut block);
    }

    /// Adds a word's cells to blocks, and to files, types and symbols. Neighbouring cells lie in the same ones.
    fn pooled_postings(&mut self, base: usize, ties: &Ties, postings: &contextd_snapshot::CellPostings<'_>) {
        let (blocks, symbols) = (self.catalog.cell_blocks.get(base..).unwrap_or(&[]), ties.cell_symbols.get(base..).unwrap_or(&[]));
        let (block_file, owners, parents, lengths) = (&self.catalog.block_file[..], &ties.owner[..], &ties.parent[..], &ties.body_lengths[..]);
        let Scratch { block_words, file_words, type_words, symbol_words, .. } = &mut self.scratch;
        let (mut block, mut file, mut owner) = (Run::default(), Run::default(), Run::default());
        let boost = self.fields.body.0;
        postings.for_each(|cell, count| {
            let (Some(&in_block), Some(&symbol)) = (blocks.get(cell as usize), symbols.get(cell as usize)) else { return };
            let count = count as f32;
            let in_file = if in_block == block.number { file.number } else { block_file[in_block as usize] };
            block_words.add_run(&mut block, in_block, count);
            file_words.add_run(&mut file, in_file, count);
            if symbol == NONE {
                return;
            }
            type_words.add_run(&mut owner, owners[symbol as usize], count);
            let mut at = symbol;
            while at != NONE {
                symbol_words.add(at, boost * count / lengths[at as usize]);
                at = parents[at as usize];
            }
        });
        block_words.end_run(&mut block);
        file_words.end_run(&mut file);
        type_words.end_run(&mut owner);
    }

    fn flush(&mut self, symbol_idf: f32, boost: f32) {
        let totals = self.catalog.totals;
        let Scratch { symbols, symbol_hits, symbol_words, types, type_hits, type_words, files, file_hits, file_words, .. } = &mut self.scratch;
        symbol_words.flush(symbols, symbol_hits, |_, weight| symbol_idf * saturated(weight));
        if let Some(ties) = self.ties {
            let idf = boost * rarity(totals.symbols, type_words.touched.len() as f32);
            type_words.flush(types, type_hits, |owner, count| idf * saturated(count / ties.type_lengths[owner]));
            let idf = boost * rarity(totals.files, file_words.touched.len() as f32);
            file_words.flush(files, file_hits, |file, count| idf * saturated(count / ties.file_lengths[file]));
        }
        self.flush_blocks(boost);
    }

    fn flush_blocks(&mut self, boost: f32) {
        let (lengths, totals) = (&self.catalog.block_lengths[..], self.catalog.totals);
        let Scratch { blocks, block_hits, block_words, .. } = &mut self.scratch;
        let idf = boost * rarity(totals.blocks, block_words.touched.len() as f32);
        block_words.flush(blocks, block_hits, |block, count| idf * saturated(count / lengths[block]));
    }
}

/// What one occurrence counts in a field whose length is `length` times the average.
pub(crate) fn worth(boost: f32, b: f32, length: f32) -> f32 {
    boost / (1.0 - b + b * length)
}

/// What BM25 divides a count by in a text of `words` words.
pub(crate) fn length(words: u32, average: f32) -> f32 {
    0.25 + 0.75 * words as f32 / average
}

fn saturated(weight: f32) -> f32 {
    weight * (K1 + 1.0) / (K1 + weight)
}

fn rarity(documents: f32, with: f32) -> f32 {
    (1.0 + (documents - with.min(documents) + 0.5) / (with + 0.5)).ln()
}

impl Lexical<'_> {
    /// Returns how well the blocks of each file match, several good ones counting for more.
    pub fn block_sums(&self, files: usize) -> Vec<f32> {
        let mut sums = vec![0f32; files];
        for &block in &self.block_hits {
            sums[self.catalog.block_file[block as usize] as usize] += self.blocks[block as usize].powi(3);
        }
        sums.iter_mut().for_each(|sum| *sum = sum.cbrt());
        sums
    }

    /// Returns the blocks of a file that have a word, with their scores, in order.
    pub fn blocks_of_file(&self, file: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let blocks = self.catalog.blocks_of_file(file as usize);
        let start = blocks.start;
        blocks.map(move |block| (block - start, self.blocks[block as usize])).filter(|&(_, score)| score > 0.0)
    }
}
