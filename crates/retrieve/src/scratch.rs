//! Columns that a pass over the postings writes, kept between requests: clearing what one request
//! touched costs less than new memory for every symbol.

use std::sync::Mutex;

/// Scores and counts by symbol, type, file and block; zero wherever no hit says otherwise.
#[derive(Default)]
pub struct Scratch {
    /// BM25F of symbols.
    pub symbols: Vec<f32>,
    /// BM25 of pooled bodies, by owning type.
    pub types: Vec<f32>,
    /// BM25 of pooled bodies, by file.
    pub files: Vec<f32>,
    /// BM25 of blocks, in the catalog's numbering.
    pub blocks: Vec<f32>,
    /// What has a score, in the order it was met.
    pub symbol_hits: Vec<u32>,
    pub type_hits: Vec<u32>,
    pub file_hits: Vec<u32>,
    pub block_hits: Vec<u32>,
    symbol_words: Counter,
    type_words: Counter,
    file_words: Counter,
    block_words: Counter,
}

/// The columns of symbols. Nothing of [`TextLane`] is in them, so both can be written at once.
pub(crate) struct SymbolLane<'s> {
    pub(crate) scores: &'s mut [f32],
    pub(crate) hits: &'s mut Vec<u32>,
    pub(crate) words: &'s mut Counter,
}

/// The columns of types, files and blocks.
pub(crate) struct TextLane<'s> {
    pub(crate) types: &'s mut [f32],
    pub(crate) files: &'s mut [f32],
    pub(crate) blocks: &'s mut [f32],
    pub(crate) type_hits: &'s mut Vec<u32>,
    pub(crate) file_hits: &'s mut Vec<u32>,
    pub(crate) block_hits: &'s mut Vec<u32>,
    pub(crate) type_words: &'s mut Counter,
    pub(crate) file_words: &'s mut Counter,
    pub(crate) block_words: &'s mut Counter,
}

/// Weighted frequency of the current word, with those that have some.
#[derive(Default)]
pub(crate) struct Counter {
    counts: Vec<f32>,
    pub(crate) touched: Vec<u32>,
}

/// Counts of one number that come after another, added up in the same order as one by one.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// `u32::MAX`, which is no number, before the first.
    pub(crate) number: u32,
    sum: f32,
}

impl Default for Run {
    fn default() -> Self {
        Run { number: u32::MAX, sum: 0.0 }
    }
}

impl Counter {
    #[inline]
    pub(crate) fn add(&mut self, number: u32, count: f32) {
        let Some(slot) = self.counts.get_mut(number as usize) else { return };
        if *slot == 0.0 {
            self.touched.push(number);
        }
        *slot += count;
    }

    /// Adds `count` to what `run` adds up; the sum comes back when the run goes on to another number or ends.
    #[inline]
    pub(crate) fn add_run(&mut self, run: &mut Run, number: u32, count: f32) {
        if run.number != number {
            self.end_run(run);
            let Some(&slot) = self.counts.get(number as usize) else { return };
            if slot == 0.0 {
                self.touched.push(number);
            }
            *run = Run { number, sum: slot };
        }
        run.sum += count;
    }

    /// Ends a run.
    #[inline]
    pub(crate) fn end_run(&mut self, run: &mut Run) {
        if let Some(slot) = self.counts.get_mut(run.number as usize) {
            *slot = run.sum;
        }
        *run = Run::default();
    }

    /// Adds what `score` makes of each count to `scores`, notes new hits, and starts over.
    #[inline]
    pub(crate) fn flush(
        &mut self,
        scores: &mut [f32],
        hits: &mut Vec<u32>,
        mut score: impl FnMut(usize, f32) -> f32,
    ) {
        for &number in &self.touched {
            let at = number as usize;
            let count = std::mem::take(&mut self.counts[at]);
            let slot = &mut scores[at];
            if *slot == 0.0 {
                hits.push(number);
            }
            *slot += score(at, count);
        }
        self.touched.clear();
    }
}

impl Scratch {
    fn new(symbols: usize, files: usize, blocks: usize) -> Scratch {
        // Room for all costs nothing before it is touched; growing as they come would copy them again and again.
        let counter =
            |size: usize| Counter { counts: vec![0.0; size], touched: Vec::with_capacity(size) };
        Scratch {
            symbol_hits: Vec::with_capacity(symbols),
            type_hits: Vec::with_capacity(symbols),
            file_hits: Vec::with_capacity(files),
            block_hits: Vec::with_capacity(blocks),
            symbols: vec![0.0; symbols],
            types: vec![0.0; symbols],
            files: vec![0.0; files],
            blocks: vec![0.0; blocks],
            symbol_words: counter(symbols),
            type_words: counter(symbols),
            file_words: counter(files),
            block_words: counter(blocks),
        }
    }

    /// Takes the memory of the columns that a pass will use. They are read before they are written, and a page that is
    /// read first is taken twice, the second time with a word to every other core.
    fn touch(&mut self, of_task: bool) {
        let always = [
            &mut self.symbols,
            &mut self.symbol_words.counts,
            &mut self.blocks,
            &mut self.block_words.counts,
        ];
        let of_tasks = [
            &mut self.types,
            &mut self.type_words.counts,
            &mut self.files,
            &mut self.file_words.counts,
        ];
        for column in always.into_iter().chain(of_tasks.into_iter().filter(|_| of_task)) {
            for page in std::hint::black_box(column).chunks_mut(PAGE) {
                page[0] = 0.0;
            }
        }
    }

    pub(crate) fn lanes(&mut self) -> (SymbolLane<'_>, TextLane<'_>) {
        let Scratch {
            symbols,
            types,
            files,
            blocks,
            symbol_hits,
            type_hits,
            file_hits,
            block_hits,
            symbol_words,
            type_words,
            file_words,
            block_words,
        } = self;
        (
            SymbolLane { scores: symbols, hits: symbol_hits, words: symbol_words },
            TextLane {
                types,
                files,
                blocks,
                type_hits,
                file_hits,
                block_hits,
                type_words,
                file_words,
                block_words,
            },
        )
    }

    fn clear(&mut self) {
        for (scores, hits) in [
            (&mut self.symbols, &mut self.symbol_hits),
            (&mut self.types, &mut self.type_hits),
            (&mut self.files, &mut self.file_hits),
            (&mut self.blocks, &mut self.block_hits),
        ] {
            hits.drain(..).for_each(|hit| scores[hit as usize] = 0.0);
        }
    }
}

/// Numbers on a page of memory, where pages are smallest.
const PAGE: usize = 4_096 / size_of::<f32>();

/// Columns that are not in use.
#[derive(Default)]
pub struct Shelf(Mutex<Vec<Scratch>>);

/// Most columns kept; more requests at once make their own.
const KEPT: usize = 2;

impl Shelf {
    /// Returns columns for a pass, which for a task writes all of them.
    pub(crate) fn take(
        &self,
        symbols: usize,
        files: usize,
        blocks: usize,
        of_task: bool,
    ) -> Scratch {
        let kept = self.0.lock().ok().and_then(|mut shelf| shelf.pop());
        kept.unwrap_or_else(|| {
            let mut scratch = Scratch::new(symbols, files, blocks);
            scratch.touch(of_task);
            scratch
        })
    }

    pub(crate) fn give_back(&self, mut scratch: Scratch) {
        scratch.clear();
        if let Ok(mut shelf) = self.0.lock()
            && shelf.len() < KEPT
        {
            shelf.push(scratch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_add_up_like_single_counts() {
        let added =
            [(2, 1.0), (2, 0.1), (1, 3.0), (1, 0.7), (2, 0.3), (9, 1.0), (9, 1.0), (0, 2.0)];
        let (mut one_by_one, mut in_runs, mut run) = (
            Counter { counts: vec![0.0; 4], touched: Vec::new() },
            Counter { counts: vec![0.0; 4], touched: Vec::new() },
            Run::default(),
        );
        for (number, count) in added {
            one_by_one.add(number, count);
            in_runs.add_run(&mut run, number, count);
        }
        in_runs.end_run(&mut run);
        assert_eq!((in_runs.counts, in_runs.touched), (one_by_one.counts, one_by_one.touched));
    }

    #[test]
    fn what_comes_back_from_the_shelf_is_zero_again() {
        let shelf = Shelf::default();
        let mut scratch = shelf.take(4, 2, 3, true);
        scratch.symbol_words.add(3, 2.0);
        scratch.symbol_words.add(3, 1.0);
        scratch.symbol_words.add(9, 1.0);
        let Scratch { symbol_words, symbols, symbol_hits, .. } = &mut scratch;
        symbol_words.flush(symbols, symbol_hits, |_, count| count);
        assert_eq!(scratch.symbols, [0.0, 0.0, 0.0, 3.0]);
        assert_eq!(scratch.symbol_hits, [3]);
        shelf.give_back(scratch);
        let again = shelf.take(4, 2, 3, true);
        assert!(
            again.symbols.iter().chain(&again.symbol_words.counts).all(|&score| score == 0.0)
                && again.symbol_hits.is_empty()
        );
    }
}
