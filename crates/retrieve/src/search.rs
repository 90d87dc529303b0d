//! Ranking for a question: which files answer it, with their best ranges.

use crate::lexical::{self, Lexical, Mode};
use crate::task::{Sources, top};
use crate::ties::owner_of;
use crate::understand::{Query, is_stop_word};
use crate::weights::Weights;
use contextd_lang::terms;
use contextd_model::SymbolKind;
use contextd_model::facts::BLOCK_LINES;
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;
use serde::Deserialize;

/// One ranked file with what was added up.
#[derive(Clone, Debug, Default)]
pub struct RankedFile {
    pub file: u32,
    pub score: f32,
    pub symbols: f32,
    pub blocks: f32,
    pub definition: f32,
    pub stem: f32,
    pub git: f32,
    pub activity: f32,
    pub declares: f32,
    /// The file's place in the fused lists, where weights ask for it.
    pub fused: f32,
    /// What learning added for the file's symbols.
    pub learned: f32,
    /// What declared parts added.
    pub declared: f32,
    /// Best ranges of lines, best first, each with the symbol it shows.
    pub ranges: Vec<Range>,
}

/// Lines of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub symbol: u32,
    pub start_line: u32,
    pub end_line: u32,
    pub score: f32,
}

/// Weights of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchWeights {
    pub symbols: f32,
    pub blocks: f32,
    pub definition: f32,
    pub stem: f32,
    pub git: f32,
    /// How much the file was worked on.
    pub activity: f32,
    /// Share of callables that are only declared there.
    pub declares: f32,
    /// The fused lists of the channels.
    pub fused: f32,
}

impl Default for SearchWeights {
    fn default() -> Self {
        Self {
            symbols: 1.0,
            blocks: 2.5,
            definition: 1.25,
            stem: 1.5,
            git: 0.4,
            activity: 0.15,
            declares: -0.2,
            fused: 0.0,
        }
    }
}

impl SearchWeights {
    /// No part has a say.
    pub const NONE: SearchWeights = SearchWeights {
        symbols: 0.0,
        blocks: 0.0,
        definition: 0.0,
        stem: 0.0,
        git: 0.0,
        activity: 0.0,
        declares: 0.0,
        fused: 0.0,
    };

    /// Returns a weight by name.
    pub fn get(&self, name: &str) -> Option<f32> {
        Some(match name {
            "symbols" => self.symbols,
            "blocks" => self.blocks,
            "definition" => self.definition,
            "stem" => self.stem,
            "git" => self.git,
            "activity" => self.activity,
            "declares" => self.declares,
            "fused" => self.fused,
            _ => return None,
        })
    }

    /// Changes a weight by name; false when there is none with that name.
    pub fn set(&mut self, name: &str, value: f32) -> bool {
        let slot = match name {
            "symbols" => &mut self.symbols,
            "blocks" => &mut self.blocks,
            "definition" => &mut self.definition,
            "stem" => &mut self.stem,
            "git" => &mut self.git,
            "activity" => &mut self.activity,
            "declares" => &mut self.declares,
            "fused" => &mut self.fused,
            _ => return false,
        };
        *slot = value;
        true
    }
}

/// Most ranges shown of one file.
const RANGES: usize = 3;

/// Ranks the files of a snapshot for a question, best first.
pub fn rank(
    sources: &Sources<'_>,
    query: &Query,
    weights: &Weights,
    limit: usize,
) -> Vec<RankedFile> {
    let parameters = weights.parameters(sources.parameters);
    let sources = &Sources { parameters: &parameters, ..*sources };
    let lexical =
        lexical::score(sources.snapshot, sources.catalog, query, Mode::Search, sources.parameters);
    let fused = if weights.search.fused == 0.0 {
        FxHashMap::default()
    } else {
        fused(sources, query, weights)
    };
    let mut ranked = scored(sources, query, &weights.search, &lexical, limit, fused);
    for row in &mut ranked {
        row.ranges = ranges(sources, &lexical, query, row.file);
    }
    ranked
}

/// Returns each file's score in the fused lists of the channels: a file stands where its best symbol does.
fn fused(sources: &Sources<'_>, query: &Query, weights: &Weights) -> FxHashMap<u32, f32> {
    let lists = crate::task::channel_lists(sources, query, weights);
    crate::fusion::fuse(&lists, weights.fusion, sources.parameters.rrf_k, |symbol| {
        sources.catalog.file[symbol as usize]
    })
}

/// Adds what was learned about the best symbol of each file; nothing is taken away.
fn learned(sources: &Sources<'_>, ranked: &mut [RankedFile]) {
    let Some(learned) = sources.learned else { return };
    let mut best: FxHashMap<u32, f32> = FxHashMap::default();
    for symbol in
        learned.symbols().into_iter().filter(|&symbol| symbol < sources.snapshot.symbol_count())
    {
        let most = best.entry(sources.catalog.file[symbol as usize]).or_default();
        *most = most.max(learned.of_symbol(symbol));
    }
    for row in ranked {
        row.learned = best.get(&row.file).copied().unwrap_or(0.0);
        row.score += row.learned;
    }
}

/// Adds what is declared about each file.
fn declared(sources: &Sources<'_>, ranked: &mut [RankedFile]) {
    let Some(declared) = sources.declared else { return };
    for row in ranked {
        row.declared = declared.of_file(row.file);
        row.score += row.declared;
    }
}

/// Ranks files without looking for their best ranges.
pub fn scores(
    sources: &Sources<'_>,
    query: &Query,
    weights: &SearchWeights,
    limit: usize,
) -> Vec<RankedFile> {
    let lexical =
        lexical::score(sources.snapshot, sources.catalog, query, Mode::Search, sources.parameters);
    scored(sources, query, weights, &lexical, limit, FxHashMap::default())
}

fn scored(
    sources: &Sources<'_>,
    query: &Query,
    weights: &SearchWeights,
    lexical: &Lexical<'_>,
    limit: usize,
    fused: FxHashMap<u32, f32>,
) -> Vec<RankedFile> {
    let parts = Parts { fused, ..Parts::of(sources, query, lexical) };
    let files = 0..sources.snapshot.file_count();
    // Room for all: growing as they come would take memory for them twice.
    let mut ranked: Vec<RankedFile> = Vec::with_capacity(files.len());
    ranked.extend(files.filter_map(|file| parts.row(sources, query, weights, file)));
    learned(sources, &mut ranked);
    declared(sources, &mut ranked);
    let worst = worst_of_best(&ranked, limit);
    // Comparing names is the dear part: only files that a perfect name could bring among the best are compared.
    let best_name = weights.stem.max(0.0);
    ranked.retain(|row| {
        row.score
            + best_name
                * sources.parameters.prior(sources.catalog.file_flags[row.file as usize], query)
            >= worst
    });
    for row in &mut ranked {
        row.stem = parts.stems.coverage(sources.snapshot.file(row.file).path());
        row.score += weights.stem
            * row.stem
            * sources.parameters.prior(sources.catalog.file_flags[row.file as usize], query);
    }
    ranked.retain(|row| row.score > 0.0);
    ranked.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| {
            sources.snapshot.file(a.file).path().cmp(sources.snapshot.file(b.file).path())
        })
    });
    ranked.truncate(limit);
    ranked
}

/// Returns the score of the last of the best `limit`, below which nothing is of interest.
fn worst_of_best(rows: &[RankedFile], limit: usize) -> f32 {
    if limit == 0 || rows.len() <= limit {
        return f32::MIN;
    }
    let mut scores: Vec<f32> = rows.iter().map(|row| row.score).collect();
    let (_, worst, _) = scores.select_nth_unstable_by(limit - 1, |a, b| b.total_cmp(a));
    *worst
}

struct Parts {
    symbols: Vec<f32>,
    blocks: Vec<f32>,
    definition: FxHashMap<u32, f32>,
    git: FxHashMap<u32, f32>,
    activity: Vec<f32>,
    stems: Stems,
    fused: FxHashMap<u32, f32>,
}

impl Parts {
    fn of(sources: &Sources<'_>, query: &Query, lexical: &Lexical<'_>) -> Parts {
        let files = sources.snapshot.file_count() as usize;
        let mut symbols = vec![0f32; files];
        for &symbol in &lexical.symbol_hits {
            let at = symbol as usize;
            if sources.catalog.is_code(symbol)
                || sources.catalog.kind[at] == SymbolKind::Section as u8
            {
                symbols[sources.catalog.file[at] as usize] +=
                    lexical.symbols[at] * lexical.symbols[at];
            }
        }
        symbols.iter_mut().for_each(|sum| *sum = sum.sqrt());
        let mut blocks = lexical.block_sums(files);
        scale(&mut symbols);
        scale(&mut blocks);
        let git: FxHashMap<u32, f32> = sources
            .commits
            .map(|commits| commits.files(query, sources.hidden))
            .unwrap_or_default()
            .into_iter()
            .collect();
        let most = git.values().copied().fold(0.0, f32::max);
        let git = git
            .into_iter()
            .map(|(file, score)| (file, score / most.max(f32::MIN_POSITIVE)))
            .collect();
        let activity = sources
            .commits
            .map(|commits| commits.activity(files, sources.hidden, 1_000.0))
            .unwrap_or_else(|| vec![0.0; files]);
        Parts {
            symbols,
            blocks,
            definition: definitions(sources, query),
            git,
            activity,
            stems: Stems::new(query),
            fused: FxHashMap::default(),
        }
    }

    /// Adds up everything but the comparison of names; nothing for files that no part speaks for.
    fn row(
        &self,
        sources: &Sources<'_>,
        query: &Query,
        weights: &SearchWeights,
        file: u32,
    ) -> Option<RankedFile> {
        let at = file as usize;
        let (symbols, blocks) = (self.symbols[at], self.blocks[at]);
        let definition = self.definition.get(&file).copied().unwrap_or(0.0);
        let git = self.git.get(&file).copied().unwrap_or(0.0);
        let fused = self.fused.get(&file).copied().unwrap_or(0.0);
        if symbols + blocks + definition + git + fused <= 0.0 {
            return None;
        }
        let (activity, declares) = (self.activity[at], sources.catalog.declares[at]);
        let sum = weights.symbols * symbols
            + weights.blocks * blocks
            + weights.definition * definition
            + weights.git * git
            + weights.activity * activity
            + weights.declares * declares
            + weights.fused * fused;
        let score = sum * sources.parameters.prior(sources.catalog.file_flags[at], query);
        Some(RankedFile {
            file,
            score,
            symbols,
            blocks,
            definition,
            git,
            activity,
            declares,
            fused,
            ..RankedFile::default()
        })
    }
}

fn scale(values: &mut [f32]) {
    let max = values.iter().copied().fold(0.0, f32::max);
    if max > 0.0 {
        values.iter_mut().for_each(|value| *value /= max);
    }
}

/// Returns how well each file defines an identifier of the query.
fn definitions(sources: &Sources<'_>, query: &Query) -> FxHashMap<u32, f32> {
    let mut found = named_files(sources, query);
    for identifier in &query.identifiers {
        let symbols = sources.snapshot.symbols_named_like(&identifier.text);
        let sure = if identifier.code { 1.0 } else { 0.5 };
        let kind = |symbol: u32| SymbolKind::from_byte(sources.catalog.kind[symbol as usize]);
        let is_member = |symbol: u32| owner_of(sources.snapshot, symbol) != symbol;
        let top_level =
            symbols.iter().any(|&symbol| !is_member(symbol) && sources.catalog.is_code(symbol));
        for &symbol in &symbols {
            let base = match kind(symbol) {
                kind if kind.is_type() && sources.catalog.is_code(symbol) => 1.0,
                SymbolKind::Function | SymbolKind::Macro => 0.8,
                SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Rpc => 0.5,
                SymbolKind::Constant | SymbolKind::Variable => 0.4,
                SymbolKind::Module | SymbolKind::Namespace => 0.4,
                SymbolKind::Field | SymbolKind::Property | SymbolKind::Variant => 0.15,
                _ => continue,
            };
            let member = if is_member(symbol) && top_level { 0.4 } else { 1.0 };
            let value = sure * base * member;
            let best = found.entry(sources.catalog.file[symbol as usize]).or_default();
            *best = best.max(value);
        }
    }
    found
}

/// Files whose paths the request spells out, as a stack trace or a diff does.
fn named_files(sources: &Sources<'_>, query: &Query) -> FxHashMap<u32, f32> {
    let mut found: FxHashMap<u32, f32> = FxHashMap::default();
    let below = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    // A bare file name may be anywhere; a whole path is sure.
    let sure = |path: &str| if path.contains('/') { 1.0 } else { 0.7 };
    for file in (0..sources.snapshot.file_count()).filter(|_| !query.paths.is_empty()) {
        let own = sources.snapshot.file(file).path();
        let value = query
            .paths
            .iter()
            .filter(|path| below(own, path) || own.contains('/') && below(path, own))
            .map(|path| sure(path))
            .fold(0.0, f32::max);
        if value > 0.0 {
            found.insert(file, value);
        }
    }
    found
}

/// Compares the words of a file's own name and folder with the query's.
pub(crate) struct Stems {
    words: Vec<String>,
}

impl Stems {
    pub(crate) fn new(query: &Query) -> Self {
        let mut words = Vec::new();
        for identifier in terms::identifiers(&query.text) {
            terms::parts(identifier, |part| {
                let lower = part.to_lowercase();
                if !is_stop_word(&lower) && !words.contains(&lower) {
                    words.push(lower);
                }
            });
        }
        Self { words }
    }

    pub(crate) fn coverage(&self, path: &str) -> f32 {
        let mut components = path.rsplit('/');
        let name = components.next().unwrap_or(path);
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
        let folder = components.next().unwrap_or("");
        let by_folder = matches!(stem, "__init__" | "index" | "mod" | "lib" | "main");
        let own = if by_folder { self.share(folder) } else { self.share(stem) };
        let around = if by_folder { own } else { self.share(folder) };
        0.75 * own + 0.25 * around
    }

    fn share(&self, text: &str) -> f32 {
        let (mut sum, mut count) = (0.0, 0u32);
        for identifier in terms::identifiers(text) {
            terms::parts(identifier, |part| {
                count += 1;
                let part = part.to_lowercase();
                sum += self.words.iter().map(|word| similarity(word, &part)).fold(0.0, f32::max);
            });
        }
        if count == 0 { 0.0 } else { sum / count as f32 }
    }
}

/// 1 for equal words, .8 when one is a good part of the other.
fn similarity(word: &str, part: &str) -> f32 {
    if word == part {
        return 1.0;
    }
    let (short, long) = if word.len() < part.len() { (word, part) } else { (part, word) };
    let common = short.bytes().zip(long.bytes()).take_while(|(a, b)| a == b).count();
    let prefix =
        short.len() >= 3 && common == short.len() && short.len() as f32 >= 0.4 * long.len() as f32;
    let shared = common >= 4 && common as f32 >= 0.7 * short.len() as f32;
    if prefix || shared { 0.8 } else { 0.0 }
}

/// Returns the best ranges of a file: definitions the query names, then its best blocks.
fn ranges(sources: &Sources<'_>, lexical: &Lexical<'_>, query: &Query, file: u32) -> Vec<Range> {
    let snapshot = sources.snapshot;
    let mut found: Vec<Range> = Vec::new();
    let symbols = snapshot.symbols_of_file(file);
    let best_symbols: Vec<(u32, f32)> = symbols
        .clone()
        .skip(1)
        .map(|symbol| (symbol, lexical.symbols[symbol as usize]))
        .filter(|&(_, score)| score > 0.0)
        .collect();
    for identifier in query.identifiers.iter().filter(|identifier| identifier.code) {
        if let Some(symbol) = symbols
            .clone()
            .skip(1)
            .find(|&symbol| snapshot.symbol(symbol).name().eq_ignore_ascii_case(&identifier.text))
        {
            push(&mut found, range_of(snapshot, symbol, 1.0));
        }
    }
    let blocks: Vec<(u32, f32)> = lexical.blocks_of_file(file).collect();
    let lines = snapshot.file(file).lines().max(1);
    for (block, score) in top(blocks, RANGES) {
        let (first, last) = (block * BLOCK_LINES + 1, ((block + 1) * BLOCK_LINES).min(lines));
        let weighed = best_symbols
            .iter()
            .map(|&(symbol, score)| (symbol, score * share(snapshot, symbol, first, last)));
        let symbol = weighed
            .filter(|&(_, score)| score > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(symbols.start, |(symbol, _)| symbol);
        push(&mut found, Range { symbol, start_line: first, end_line: last, score });
    }
    if let Some(&(symbol, score)) = top(best_symbols, 1).first().filter(|_| found.len() < RANGES) {
        push(&mut found, range_of(snapshot, symbol, score));
    }
    if found.is_empty() {
        push(
            &mut found,
            Range {
                symbol: symbols.start,
                start_line: 1,
                end_line: lines.min(BLOCK_LINES),
                score: 0.0,
            },
        );
    }
    found.truncate(RANGES);
    found
}

fn push(found: &mut Vec<Range>, range: Range) {
    if !found
        .iter()
        .any(|other| other.start_line <= range.start_line && range.end_line <= other.end_line)
    {
        found.push(range);
    }
}

/// Returns which share of a symbol stands in a block, or of the block in the symbol, whichever is more: a block goes by
/// the name of what it shows, not of what ends in its first lines.
fn share(snapshot: &Snapshot, symbol: u32, first: u32, last: u32) -> f32 {
    let symbol = snapshot.symbol(symbol);
    let both = (symbol.end_line().min(last) + 1).saturating_sub(symbol.start_line().max(first));
    let shorter =
        (last + 1 - first).min((symbol.end_line() + 1).saturating_sub(symbol.start_line())).max(1);
    both as f32 / shorter as f32
}

fn range_of(snapshot: &Snapshot, symbol: u32, score: f32) -> Range {
    let named = snapshot.symbol(symbol);
    Range { symbol, start_line: named.start_line(), end_line: named.end_line(), score }
}
