//! Where the words of a request and the caller's guesses stand: by cell, by block of 40 lines, by file
//! and in names.
//!
//! One pass over the postings of each term fills columns for five groups of terms side by side, so that
//! title, description and guesses can be weighed apart. A long function is then scored by its best
//! window of cells, not by its whole body.

use crate::catalog::Catalog;
use crate::lexical::{K1, rarity, saturated};
use crate::understand::Query;
use contextd_lang::terms::{self, Terms};
use contextd_snapshot::{Field, Snapshot};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// Groups of terms.
pub mod group {
    /// Words of the title.
    pub const TITLE: usize = 0;
    /// Words of what stands below the title.
    pub const BODY: usize = 1;
    /// Words of the guesses.
    pub const NAMES: usize = 2;
    /// Identifiers that the request has, as written.
    pub const WRITTEN: usize = 3;
    /// Identifiers among the guesses, as written.
    pub const GUESSED: usize = 4;
}

/// Number of groups.
pub const GROUPS: usize = 5;

/// One score for each group.
pub type ByGroup = [f32; GROUPS];

/// What each group counts where one number is needed before a ranking has been learned.
const SHARES: ByGroup = [1.0, 0.4, 1.0, 0.6, 1.0];

/// How much the length of a block counts.
const B: f32 = 0.75;
/// A word in a path counts as so many in the text.
const PATH: f32 = 3.0;
/// A word in the name of a definition counts as so many more in its block.
const NAME: f32 = 2.0;
/// What the whole file counts beside the block.
const FILE: f32 = 0.5;
/// Blocks of a file that count.
const BEST_BLOCKS: usize = 4;
/// Weight of a word whose return is not known.
const UNKNOWN_RETURN: f32 = 0.3;
/// Most terms that are looked for.
const MOST_TERMS: usize = 400;

/// How often a word of a message comes back in the code that its commit changed, by stem.
fn word_return(stem: &str) -> f32 {
    static TABLE: OnceLock<FxHashMap<&'static str, f32>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        include_str!("weights/word_return.tsv")
            .lines()
            .skip(1)
            .filter_map(|line| {
                let mut fields = line.split('\t');
                let stem = fields.next()?;
                let [messages, returned] =
                    [fields.next()?.parse::<f32>().ok()?, fields.next()?.parse::<f32>().ok()?];
                Some((stem, (returned + 1.0) / (messages + 4.0)))
            })
            .collect()
    });
    table.get(stem).copied().unwrap_or(UNKNOWN_RETURN)
}

/// A term with its weight in each group.
struct Term {
    text: String,
    weights: ByGroup,
}

/// Scores of everything that has a term.
pub struct Evidence {
    /// By cell, without regard to length.
    cells: Vec<ByGroup>,
    /// By block: BM25 with names and paths, and a share of the file's.
    pub blocks: Vec<ByGroup>,
    /// By file: BM25 over the whole text.
    pub files: Vec<ByGroup>,
    /// By symbol: rarity of the terms in its name.
    pub names: FxHashMap<u32, ByGroup>,
    /// By file: rarity of the terms that stand in it at all.
    pub cover: Vec<ByGroup>,
    /// By file: rarity of the terms in its path.
    pub paths: FxHashMap<u32, ByGroup>,
    /// By file: rarity of the terms in names that it defines.
    pub defined: FxHashMap<u32, ByGroup>,
    /// Files with a score, rising.
    pub file_hits: Vec<u32>,
    /// The most that each group could give: the rarity of all its terms.
    pub mass: ByGroup,
}

/// The best window of a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    pub by_group: ByGroup,
    /// The sum that was best.
    pub score: f32,
    /// First and last block, counted in the file.
    pub blocks: (u32, u32),
}

/// Sums up the groups.
pub fn together(by_group: &ByGroup) -> f32 {
    by_group.iter().zip(SHARES).map(|(score, share)| score * share).sum()
}

/// Looks every term of the request up.
pub fn gather(snapshot: &Snapshot, catalog: &Catalog, query: &Query, common_path: f32) -> Evidence {
    let mut pass = Pass {
        snapshot,
        catalog,
        evidence: Evidence {
            cells: vec![ByGroup::default(); snapshot.cell_count() as usize],
            blocks: vec![ByGroup::default(); catalog.block_file.len()],
            files: vec![ByGroup::default(); snapshot.file_count() as usize],
            names: FxHashMap::default(),
            cover: vec![ByGroup::default(); snapshot.file_count() as usize],
            paths: FxHashMap::default(),
            defined: FxHashMap::default(),
            file_hits: Vec::new(),
            mass: ByGroup::default(),
        },
        block_counts: vec![0.0; catalog.block_file.len()],
        file_counts: vec![0.0; snapshot.file_count() as usize],
        most_paths: (common_path * snapshot.file_count() as f32) as usize,
    };
    for term in terms_of(query) {
        pass.add(&term);
    }
    let mut evidence = pass.evidence;
    evidence.file_hits = (0..snapshot.file_count())
        .filter(|&file| evidence.files[file as usize].iter().any(|&score| score > 0.0))
        .collect();
    evidence
}

/// Returns what each term of a request is worth by its rarity, all groups together.
pub(crate) fn term_weights(snapshot: &Snapshot, query: &Query) -> FxHashMap<String, f32> {
    let cells = snapshot.cell_count() as f32;
    let weight = |term: &Term| {
        let with: u32 = snapshot
            .segments()
            .iter()
            .filter_map(|segment| segment.term(&term.text))
            .map(|postings| postings.cell_count)
            .sum();
        together(&term.weights) * rarity(cells, with as f32)
    };
    terms_of(query).iter().map(|term| (term.text.clone(), weight(term))).collect()
}

/// Returns the distinct terms of a request, each with its weights.
fn terms_of(query: &Query) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut add = |text: String, group: usize, weight: f32| {
        let place = *places.entry(text).or_insert_with_key(|text| {
            terms.push(Term { text: text.clone(), weights: ByGroup::default() });
            terms.len() - 1
        });
        terms[place].weights[group] = terms[place].weights[group].max(weight);
    };
    for (group, words) in [(group::TITLE, &query.title), (group::BODY, &query.body)] {
        for (word, count) in words {
            add(word.clone(), group, word_return(word) * (1.0 + 0.3 * (*count as f32).ln()));
        }
    }
    for (word, count) in name_words(&query.names) {
        add(word, group::NAMES, (count.min(3) as f32).sqrt());
    }
    for compound in &query.compounds {
        add(compound.clone(), group::WRITTEN, 1.0);
    }
    for name in &query.names {
        for compound in name_compounds(name) {
            add(compound, group::GUESSED, 1.0);
        }
    }
    terms.truncate(MOST_TERMS);
    terms
}

/// Returns the stems of the guesses, each with the number of guesses that have it.
fn name_words(names: &[String]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut memory = Terms::default();
    for name in names {
        let mut own: Vec<String> = Vec::new();
        for identifier in terms::identifiers(name) {
            terms::parts(identifier, |part| {
                let stem = memory.stem(part).to_owned();
                if stem.len() > 1 && !own.contains(&stem) {
                    own.push(stem);
                }
            });
        }
        for stem in own {
            match counts.iter_mut().find(|(other, _)| *other == stem) {
                Some((_, count)) => *count += 1,
                None => counts.push((stem, 1)),
            }
        }
    }
    counts
}

/// Returns the compounds of a guess: its identifiers, and its words written together.
fn name_compounds(name: &str) -> Vec<String> {
    let identifiers: Vec<&str> = terms::identifiers(name).collect();
    let mut found: Vec<String> = Vec::new();
    for identifier in &identifiers {
        let mut parts = 0;
        terms::parts(identifier, |_| parts += 1);
        if parts > 1 {
            found.push(terms::compound(identifier));
        }
    }
    if identifiers.len() > 1 && identifiers.len() <= 4 {
        found.push(terms::compound(&identifiers.concat()));
    }
    found
}

struct Pass<'s> {
    snapshot: &'s Snapshot,
    catalog: &'s Catalog,
    evidence: Evidence,
    block_counts: Vec<f32>,
    file_counts: Vec<f32>,
    most_paths: usize,
}

impl Pass<'_> {
    fn add(&mut self, term: &Term) {
        let (mut cells, mut blocks, mut files): (Vec<(u32, f32)>, Vec<u32>, Vec<u32>) =
            Default::default();
        let (mut named, mut paths) = (Vec::new(), Vec::new());
        for (number, segment) in self.snapshot.segments().iter().enumerate() {
            let Some(postings) = segment.term(&term.text) else { continue };
            let cell_base = self.snapshot.cells_of_segment(number).start;
            let symbol_base = self.snapshot.symbols_of_segment(number).start;
            let file_base = self.snapshot.files_of_segment(number).start;
            postings.cells.for_each(|cell, count| cells.push((cell_base + cell, count as f32)));
            postings.symbols.for_each_stored(|symbol, fields| {
                let count = u32::from(fields.of(Field::Name));
                if count > 0 {
                    named.push((symbol_base + symbol, count));
                }
            });
            postings.symbols.for_each_path(|file, count| paths.push((file_base + file, count)));
        }
        for &(cell, count) in &cells {
            let Some(&block) = self.catalog.cell_blocks.get(cell as usize) else { continue };
            self.count_block(block, count, &mut blocks);
            self.count_file(self.catalog.block_file[block as usize], count, &mut files);
        }
        for &(symbol, count) in &named {
            if let Some(block) = self.first_block(symbol) {
                self.count_block(block, NAME * count.min(3) as f32, &mut blocks);
            }
        }
        let tells = paths.len() <= self.most_paths;
        for &(file, count) in paths.iter().filter(|_| tells) {
            let count = PATH * count.min(2) as f32;
            self.count_file(file, count, &mut files);
            for block in self.catalog.blocks_of_file(file as usize) {
                self.count_block(block, count, &mut blocks);
            }
        }
        if files.is_empty() {
            return;
        }
        let idf = rarity(self.catalog.totals.files, files.len() as f32);
        let worth = term.weights.map(|weight| weight * idf);
        let evidence = &mut self.evidence;
        add_to(&mut evidence.mass, &worth, 1.0);
        for (cell, count) in cells {
            add_to(&mut evidence.cells[cell as usize], &worth, saturated(count));
        }
        let mut last = u32::MAX;
        for (symbol, _) in named {
            add_to(evidence.names.entry(symbol).or_default(), &worth, 1.0);
            let file = self.catalog.file[symbol as usize];
            if file != last {
                add_to(evidence.defined.entry(file).or_default(), &worth, 1.0);
                last = file;
            }
        }
        for (file, _) in paths {
            add_to(evidence.paths.entry(file).or_default(), &worth, 1.0);
        }
        let ties = self.catalog.ties(self.snapshot);
        for file in &files {
            let at = *file as usize;
            let length = ties.file_lengths.get(at).copied().unwrap_or(1.0);
            self.file_counts[at] = saturated(self.file_counts[at] / length);
            add_to(&mut evidence.files[at], &worth, self.file_counts[at]);
            add_to(&mut evidence.cover[at], &worth, 1.0);
        }
        for block in blocks {
            let at = block as usize;
            let count = std::mem::take(&mut self.block_counts[at]);
            let file = self.catalog.block_file[at] as usize;
            let length = 1.0 - B + B * (self.catalog.block_lengths[at] - 0.25) / 0.75;
            let score = count * (K1 + 1.0) / (count + K1 * length) + FILE * self.file_counts[file];
            add_to(&mut evidence.blocks[at], &worth, score);
        }
        for file in files {
            self.file_counts[file as usize] = 0.0;
        }
    }

    fn count_block(&mut self, block: u32, count: f32, touched: &mut Vec<u32>) {
        let slot = &mut self.block_counts[block as usize];
        if *slot == 0.0 {
            touched.push(block);
        }
        *slot += count;
    }

    fn count_file(&mut self, file: u32, count: f32, touched: &mut Vec<u32>) {
        let slot = &mut self.file_counts[file as usize];
        if *slot == 0.0 {
            touched.push(file);
        }
        *slot += count;
    }

    /// Returns the block in which a symbol begins.
    fn first_block(&self, symbol: u32) -> Option<u32> {
        let cell = self.snapshot.cells_of_symbol(symbol).next();
        match cell {
            Some(cell) => self.catalog.cell_blocks.get(cell as usize).copied(),
            None => {
                let file = self.catalog.file[symbol as usize] as usize;
                let blocks = self.catalog.blocks_of_file(file);
                let line = self.snapshot.symbol(symbol).start_line().saturating_sub(1);
                let block = blocks.start + line / contextd_model::facts::BLOCK_LINES;
                (block < blocks.end).then_some(block)
            }
        }
    }
}

fn add_to(sums: &mut ByGroup, worth: &ByGroup, times: f32) {
    sums.iter_mut().zip(worth).for_each(|(sum, worth)| *sum += worth * times);
}

impl Evidence {
    /// Returns the best window of a symbol: two neighbouring blocks of its own lines.
    pub fn window(&self, snapshot: &Snapshot, catalog: &Catalog, symbol: u32) -> Window {
        self.window_of_cells(catalog, snapshot.cells_of_symbol(symbol))
    }

    /// Returns the best two neighbouring blocks of a run of cells.
    pub fn window_of_cells(&self, catalog: &Catalog, cells: impl Iterator<Item = u32>) -> Window {
        let windows = self.windows_of_cells(catalog, cells);
        windows.into_iter().max_by(|a, b| a.score.total_cmp(&b.score)).unwrap_or_default()
    }

    /// Returns windows of a symbol that do not overlap, best first, at most `most`.
    pub fn windows(
        &self,
        snapshot: &Snapshot,
        catalog: &Catalog,
        symbol: u32,
        most: usize,
    ) -> Vec<Window> {
        let mut all = self.windows_of_cells(catalog, snapshot.cells_of_symbol(symbol));
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.blocks.cmp(&b.blocks)));
        let mut chosen: Vec<Window> = Vec::new();
        for window in all {
            let apart = |other: &Window| {
                window.blocks.1 < other.blocks.0 || other.blocks.1 < window.blocks.0
            };
            if chosen.len() < most && chosen.iter().all(apart) {
                chosen.push(window);
            }
        }
        chosen
    }

    /// Returns every block of a run of cells, alone and with the next one.
    fn windows_of_cells(&self, catalog: &Catalog, cells: impl Iterator<Item = u32>) -> Vec<Window> {
        let mut by_block: Vec<(u32, ByGroup)> = Vec::new();
        for cell in cells {
            let (Some(scores), Some(&block)) =
                (self.cells.get(cell as usize), catalog.cell_blocks.get(cell as usize))
            else {
                continue;
            };
            match by_block.last_mut() {
                Some((last, sums)) if *last == block => add_to(sums, scores, 1.0),
                _ => by_block.push((block, *scores)),
            }
        }
        let mut windows = Vec::with_capacity(2 * by_block.len());
        for (at, (block, scores)) in by_block.iter().enumerate() {
            let first = catalog.block_starts[catalog.block_file[*block as usize] as usize];
            let mut offer = |sums: ByGroup, last: u32| {
                let score = together(&sums);
                if score > 0.0 {
                    let blocks = (block - first, last - first);
                    windows.push(Window { by_group: sums, score, blocks });
                }
            };
            offer(*scores, *block);
            if let Some((next, more)) = by_block.get(at + 1).filter(|(next, _)| *next == block + 1)
            {
                let mut sums = *scores;
                add_to(&mut sums, more, 1.0);
                offer(sums, *next);
            }
        }
        windows
    }

    /// Returns the score of one cell.
    pub fn cell(&self, cell: u32) -> ByGroup {
        self.cells.get(cell as usize).copied().unwrap_or_default()
    }

    /// Returns the best block of a file by group, and what its best blocks come to together.
    pub fn file_blocks(&self, catalog: &Catalog, file: u32) -> (ByGroup, f32) {
        let (mut most, mut best) = (ByGroup::default(), [0f32; BEST_BLOCKS]);
        for block in catalog.blocks_of_file(file as usize) {
            let scores = &self.blocks[block as usize];
            most.iter_mut().zip(scores).for_each(|(most, score)| *most = most.max(*score));
            let mut sum = together(scores);
            for slot in &mut best {
                if sum > *slot {
                    std::mem::swap(slot, &mut sum);
                }
            }
        }
        (most, best.iter().map(|score| score.powi(3)).sum::<f32>().cbrt())
    }
}
