//! Names of a query, compared with the names of symbols.

use crate::search::Stems;
use crate::understand::Query;
use contextd_lang::terms::{self, Terms};
use contextd_snapshot::SymbolRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a query says, ready to be compared with many names.
pub(crate) struct QueryNames<'s> {
    words: Words,
    total: f32,
    stems: Stems,
    stem_of_file: FxHashMap<u32, f32>,
    exact: FxHashSet<String>,
    /// Room for the parts of one qualified name, and for those of the query's words that it has.
    parts: Vec<&'s str>,
    found: Vec<u32>,
}

impl<'s> QueryNames<'s> {
    pub fn new(query: &Query, idf: &[f32]) -> Self {
        Self {
            total: idf.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            words: Words::new(
                query.words.iter().zip(idf).map(|((word, _), &idf)| (word.as_str(), idf)),
            ),
            stems: Stems::new(query),
            stem_of_file: FxHashMap::default(),
            exact: query
                .identifiers
                .iter()
                .filter(|identifier| identifier.code)
                .map(|identifier| identifier.text.to_lowercase())
                .collect(),
            parts: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Returns the share of a name's words that the query has, and whether the query names it.
    pub fn coverage(&mut self, name: &str) -> (f32, f32) {
        let (mut all, mut found) = (0u32, 0u32);
        terms::with_remembered(|memory| {
            self.words.each(memory, name, |word| {
                all += 1;
                found += u32::from(word.is_some());
            });
        });
        let is_exact = !self.exact.is_empty() && self.exact.contains(&name.to_lowercase());
        (found as f32 / all.max(1) as f32, if is_exact { 1.0 } else { 0.0 })
    }

    /// Returns the share of the query's words, by rarity, that a symbol's qualified name has.
    pub fn share_of_query(&mut self, symbol: SymbolRef<'s>) -> f32 {
        let Self { words, found, parts, .. } = self;
        symbol.scoped(parts);
        found.clear();
        let mut sum = 0.0;
        terms::with_remembered(|memory| {
            for part in parts.iter() {
                words.each(memory, part, |word| {
                    if let Some((number, idf)) = word.filter(|(number, _)| !found.contains(number))
                    {
                        sum += idf;
                        found.push(number);
                    }
                });
            }
        });
        sum / self.total
    }

    /// Returns how well the name of a file and of its folder are covered by the query.
    pub fn stem_coverage(&mut self, file: u32, path: &str) -> f32 {
        let stems = &self.stems;
        *self.stem_of_file.entry(file).or_insert_with(|| stems.coverage(path))
    }
}

/// The query's words with their rarity, known by the numbers that a memory of terms gives out.
struct Words {
    numbers: FxHashMap<String, u32>,
    idf: Vec<f32>,
    /// The memory whose numbers are known.
    epoch: u64,
    /// The word's number plus one by the memory's number of a term; 0 for one that the query lacks.
    known: FxHashMap<u32, u32>,
}

impl Words {
    fn new<'w>(words: impl Iterator<Item = (&'w str, f32)>) -> Self {
        let (mut numbers, mut idfs): (FxHashMap<String, u32>, Vec<f32>) = Default::default();
        for (word, idf) in words {
            let number = *numbers.entry(word.to_owned()).or_insert(idfs.len() as u32) as usize;
            match idfs.get_mut(number) {
                Some(known) => *known = idf,
                None => idfs.push(idf),
            }
        }
        Self { numbers, idf: idfs, epoch: 0, known: FxHashMap::default() }
    }

    /// Calls `each` for every word of a name: with number and rarity where the query has it.
    fn each(&mut self, memory: &mut Terms, name: &str, mut each: impl FnMut(Option<(u32, f32)>)) {
        let Self { numbers, idf, epoch, known } = self;
        memory.word_numbers(name, |memory, term| {
            if memory.epoch() != *epoch {
                known.clear();
                *epoch = memory.epoch();
            }
            let number = *known
                .entry(term)
                .or_insert_with(|| numbers.get(memory.text(term)).map_or(0, |number| number + 1));
            each(number.checked_sub(1).map(|number| (number, idf[number as usize])));
        });
    }
}
