//! One pass over the postings of a query's words, from which every lexical signal is made.

use crate::catalog::Catalog;
use crate::parameters::Parameters;
use crate::scratch::{Counter, Run, Scratch, SymbolLane, TextLane};
use crate::ties::{NONE, Ties};
use crate::understand::Query;
use contextd_snapshot::{CellPostings, Field, Segment, Snapshot, SymbolPostings, TermPostings};

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
pub const TASK_FIELDS: FieldWeights = FieldWeights {
    name: (2.0, 0.3),
    scope: (2.5, 0.3),
    path: (1.5, 0.3),
    doc: (0.8, 0.7),
    signature: (0.7, 0.5),
    members: (1.2, 0.6),
    body: (0.15, 0.75),
};

/// Fields as they serve a question: names first, bodies through blocks.
pub const SEARCH_FIELDS: FieldWeights = FieldWeights {
    name: (3.0, 0.3),
    scope: (1.5, 0.3),
    path: (1.0, 0.3),
    doc: (1.0, 0.7),
    signature: (0.5, 0.5),
    members: (0.0, 0.6),
    body: (0.0, 0.75),
};

/// How fast more of one word counts for less.
pub(crate) const K1: f32 = 1.2;

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

/// Cells from which on symbols and texts are scored side by side: below, waking another thread takes longer.
const SIDE_BY_SIDE: u64 = 80_000;

/// Scores everything that has a word of the query.
pub fn score<'c>(
    snapshot: &Snapshot,
    catalog: &'c Catalog,
    query: &Query,
    mode: Mode,
    parameters: &Parameters,
) -> Lexical<'c> {
    score_from(SIDE_BY_SIDE, snapshot, catalog, query, mode, parameters)
}

/// Does the same, symbols and texts side by side when the words have `cells` cells or more.
pub fn score_from<'c>(
    cells: u64,
    snapshot: &Snapshot,
    catalog: &'c Catalog,
    query: &Query,
    mode: Mode,
    parameters: &Parameters,
) -> Lexical<'c> {
    let fields = if mode == Mode::Task { TASK_FIELDS } else { SEARCH_FIELDS };
    let mut pass = Pass::new(snapshot, catalog, fields, mode);
    // A question is about files, and every word of their paths helps it.
    if mode == Mode::Task {
        pass.most_paths = (parameters.common_path * snapshot.file_count() as f32) as u32;
    }
    let words: Vec<Word<'_>> = query
        .words
        .iter()
        .map(|(word, count)| pass.look_up(word, 1.0 + (*count as f32).ln() * 0.3))
        .collect();
    let compounds: Vec<Word<'_>> = query
        .compounds
        .iter()
        .filter(|_| mode == Mode::Search)
        .map(|compound| pass.look_up(compound, 1.0))
        .collect();
    let idf = words.iter().map(|word| word.idf).collect();
    let mut scratch = catalog.shelf.take(
        snapshot.symbol_count() as usize,
        snapshot.file_count() as usize,
        catalog.block_lengths.len(),
        mode == Mode::Task,
    );
    let (mut symbols, mut texts) = scratch.lanes();
    let mut by_symbol = || words.iter().for_each(|word| pass.add_to_symbols(word, &mut symbols));
    let mut by_text = || {
        words.iter().for_each(|word| pass.add_to_texts(word, &mut texts));
        // Compounds count in blocks only.
        compounds.iter().for_each(|compound| pass.add_to_blocks(compound, &mut texts));
    };
    // Neither reads what the other writes, so the order of additions is the same in both ways.
    if words.iter().map(Word::cells).sum::<u64>() < cells {
        by_symbol();
        by_text();
    } else {
        rayon::join(by_symbol, by_text);
    }
    Lexical { catalog, scratch, idf }
}

/// A word of the query: where it stands in each segment that has it.
struct Word<'s> {
    postings: Vec<(usize, TermPostings<'s>)>,
    /// Rarity among symbols; 0 for a word that stands nowhere.
    idf: f32,
    boost: f32,
    /// True when the paths that have it are few enough to say something.
    paths_tell: bool,
}

impl Word<'_> {
    fn cells(&self) -> u64 {
        self.postings.iter().map(|(_, postings)| u64::from(postings.cell_count)).sum()
    }
}

struct Pass<'s> {
    snapshot: &'s Snapshot,
    catalog: &'s Catalog,
    fields: FieldWeights,
    /// What belongs to what, where types, files and bodies are scored: for a task.
    ties: Option<&'s Ties>,
    /// What one occurrence is worth by the length of the field: name, scope, doc, signature.
    worth: [[f32; 256]; 4],
    /// Most files whose paths may have a word; a word of more says nothing by standing in a path.
    most_paths: u32,
}

impl<'s> Pass<'s> {
    fn new(snapshot: &'s Snapshot, catalog: &'s Catalog, fields: FieldWeights, mode: Mode) -> Self {
        let totals = catalog.totals;
        let ties = (mode == Mode::Task).then(|| catalog.ties(snapshot));
        let worth = [
            (fields.name, totals.name),
            (fields.scope, totals.scope),
            (fields.doc, totals.doc),
            (fields.signature, totals.signature),
        ]
        .map(|((boost, b), average)| {
            std::array::from_fn(|length| worth(boost, b, length as f32 / average))
        });
        Self { snapshot, catalog, fields, ties, worth, most_paths: u32::MAX }
    }

    fn look_up(&self, word: &str, boost: f32) -> Word<'s> {
        let segments: &[Segment] = self.snapshot.segments();
        let postings: Vec<(usize, TermPostings<'_>)> = segments
            .iter()
            .enumerate()
            .filter_map(|(number, segment)| Some((number, segment.term(word)?)))
            .collect();
        let symbol_df: u32 = postings.iter().map(|(_, postings)| postings.symbol_count).sum();
        let idf = if postings.is_empty() {
            0.0
        } else {
            rarity(self.catalog.totals.symbols, symbol_df as f32)
        };
        let paths =
            || postings.iter().map(|(_, postings)| postings.symbols.path_count()).sum::<u32>();
        // To count them reads them, which where there is no limit is left to who adds them.
        let paths_tell = self.most_paths == u32::MAX || paths() <= self.most_paths;
        Word { postings, idf, boost, paths_tell }
    }

    /// Adds a word to the scores of symbols.
    fn add_to_symbols(&self, word: &Word<'_>, lane: &mut SymbolLane<'_>) {
        for (number, postings) in &word.postings {
            self.add_stored(*number, &postings.symbols, lane.words);
            if word.paths_tell {
                self.add_paths(*number, &postings.symbols, |weight, file| {
                    self.catalog
                        .symbols_of_file(file)
                        .for_each(|symbol| lane.words.add(symbol, weight))
                });
            }
            if let Some(ties) = self.ties {
                self.add_bodies(*number, ties, &postings.cells, lane.words);
            }
        }
        let idf = word.idf * word.boost;
        lane.words.flush(lane.scores, lane.hits, |_, weight| idf * saturated(weight));
    }

    /// Adds a word to the scores of types, files and blocks.
    fn add_to_texts(&self, word: &Word<'_>, lane: &mut TextLane<'_>) {
        for (number, postings) in &word.postings {
            if word.paths_tell {
                // The stem and the folder of a path are fields of each block.
                postings.symbols.for_each_path(|local, count| {
                    let file = (self.snapshot.files_of_segment(*number).start + local) as usize;
                    self.catalog
                        .blocks_of_file(file)
                        .for_each(|block| lane.block_words.add(block, 1.2 * count.min(2) as f32));
                });
            }
            self.add_cells(*number, &postings.cells, lane);
        }
        let (totals, boost) = (self.catalog.totals, word.boost);
        if let Some(ties) = self.ties {
            let idf = boost * rarity(totals.symbols, lane.type_words.touched.len() as f32);
            lane.type_words.flush(lane.types, lane.type_hits, |owner, count| {
                idf * saturated(count / ties.type_lengths[owner])
            });
            let idf = boost * rarity(totals.files, lane.file_words.touched.len() as f32);
            lane.file_words.flush(lane.files, lane.file_hits, |file, count| {
                idf * saturated(count / ties.file_lengths[file])
            });
        }
        self.flush_blocks(boost, lane);
    }

    /// Adds a compound to the scores of blocks.
    fn add_to_blocks(&self, compound: &Word<'_>, lane: &mut TextLane<'_>) {
        for (number, postings) in &compound.postings {
            self.add_cells(*number, &postings.cells, lane);
        }
        self.flush_blocks(compound.boost, lane);
    }

    /// Adds what stands in name, scope, doc and signature, and in the names of a type's members.
    fn add_stored(&self, number: usize, postings: &SymbolPostings<'_>, words: &mut Counter) {
        let base = self.snapshot.symbols_of_segment(number).start;
        let (catalog, worth, ties) = (self.catalog, &self.worth, self.ties);
        postings.for_each_stored(|local, tf| {
            let symbol = base + local;
            let Some(lengths) = catalog.lengths.get(symbol as usize) else { return };
            let counts = [Field::Name, Field::Scope, Field::Doc, Field::Signature]
                .map(|field| f32::from(tf.of(field)));
            let weight: f32 =
                (0..4).map(|field| counts[field] * worth[field][usize::from(lengths[field])]).sum();
            words.add(symbol, weight);
            if let Some(ties) = ties.filter(|_| counts[0] > 0.0) {
                let owner = ties.owner[symbol as usize];
                if owner != symbol {
                    words.add(owner, counts[0] * ties.member_worth[owner as usize]);
                }
            }
        });
    }

    /// A path is a field of each symbol of the file: calls `each` with what it is worth and the file.
    fn add_paths(
        &self,
        number: usize,
        postings: &SymbolPostings<'_>,
        mut each: impl FnMut(f32, usize),
    ) {
        let (base, (boost, b)) = (self.snapshot.files_of_segment(number).start, self.fields.path);
        postings.for_each_path(|local, count| {
            let file = (base + local) as usize;
            each(
                count.min(255) as f32
                    * worth(
                        boost,
                        b,
                        f32::from(self.catalog.path_words[file]) / self.catalog.totals.path,
                    ),
                file,
            );
        });
    }

    /// Adds a word's cells to the symbols around them.
    fn add_bodies(
        &self,
        number: usize,
        ties: &Ties,
        postings: &CellPostings<'_>,
        words: &mut Counter,
    ) {
        let base = self.snapshot.cells_of_segment(number).start as usize;
        let symbols = ties.cell_symbols.get(base..).unwrap_or(&[]);
        let (parents, lengths, boost) =
            (&ties.parent[..], &ties.body_lengths[..], self.fields.body.0);
        postings.for_each(|cell, count| {
            let mut at = symbols.get(cell as usize).copied().unwrap_or(NONE);
            while at != NONE {
                words.add(at, boost * count as f32 / lengths[at as usize]);
                at = parents[at as usize];
            }
        });
    }

    /// Adds a word's cells to blocks, and for a task to files and types. Neighbouring cells lie in the same ones.
    fn add_cells(&self, number: usize, postings: &CellPostings<'_>, lane: &mut TextLane<'_>) {
        let base = self.snapshot.cells_of_segment(number).start as usize;
        let blocks = self.catalog.cell_blocks.get(base..).unwrap_or(&[]);
        let (mut block, mut file, mut owner) = (Run::default(), Run::default(), Run::default());
        match self.ties {
            None => postings.for_each(|cell, count| {
                if let Some(&number) = blocks.get(cell as usize) {
                    lane.block_words.add_run(&mut block, number, count as f32);
                }
            }),
            Some(ties) => {
                let (symbols, block_file, owners) = (
                    ties.cell_symbols.get(base..).unwrap_or(&[]),
                    &self.catalog.block_file[..],
                    &ties.owner[..],
                );
                postings.for_each(|cell, count| {
                    let (Some(&in_block), Some(&symbol)) =
                        (blocks.get(cell as usize), symbols.get(cell as usize))
                    else {
                        return;
                    };
                    let count = count as f32;
                    let in_file = if in_block == block.number {
                        file.number
                    } else {
                        block_file[in_block as usize]
                    };
                    lane.block_words.add_run(&mut block, in_block, count);
                    lane.file_words.add_run(&mut file, in_file, count);
                    if symbol != NONE {
                        lane.type_words.add_run(&mut owner, owners[symbol as usize], count);
                    }
                });
            }
        }
        lane.block_words.end_run(&mut block);
        lane.file_words.end_run(&mut file);
        lane.type_words.end_run(&mut owner);
    }

    fn flush_blocks(&self, boost: f32, lane: &mut TextLane<'_>) {
        let (lengths, totals) = (&self.catalog.block_lengths[..], self.catalog.totals);
        let idf = boost * rarity(totals.blocks, lane.block_words.touched.len() as f32);
        lane.block_words.flush(lane.blocks, lane.block_hits, |block, count| {
            idf * saturated(count / lengths[block])
        });
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

pub(crate) fn saturated(weight: f32) -> f32 {
    weight * (K1 + 1.0) / (K1 + weight)
}

pub(crate) fn rarity(documents: f32, with: f32) -> f32 {
    (1.0 + (documents - with.min(documents) + 0.5) / (with + 0.5)).ln()
}

impl Lexical<'_> {
    /// Returns how well the blocks of each file match, several good ones counting for more.
    pub fn block_sums(&self, files: usize) -> Vec<f32> {
        let mut sums = vec![0f32; files];
        for &block in &self.block_hits {
            sums[self.catalog.block_file[block as usize] as usize] +=
                self.blocks[block as usize].powi(3);
        }
        sums.iter_mut().for_each(|sum| *sum = sum.cbrt());
        sums
    }

    /// Returns the blocks of a file that have a word, with their scores, in order.
    pub fn blocks_of_file(&self, file: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let blocks = self.catalog.blocks_of_file(file as usize);
        let start = blocks.start;
        blocks
            .map(move |block| (block - start, self.blocks[block as usize]))
            .filter(|&(_, score)| score > 0.0)
    }
}
