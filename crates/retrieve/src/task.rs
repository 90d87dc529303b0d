//! Ranking for a task: which symbols are needed for the work.

use crate::catalog::{Catalog, flag};
use crate::channels::{self, Found, List};
use crate::commits::Commits;
use crate::declared::{DECLARED, Declared};
use crate::fusion;
use crate::learned::{LEARNED_NAMES, Learned, LearnedTerms};
use crate::lexical::{self, Lexical, Mode};
use crate::locate::{self, Located};
use crate::near;
use crate::parameters::Parameters;
use crate::query_names::QueryNames;
use crate::signals::{COUNT, NAMES, Signals, at};
use crate::structure;
use crate::understand::Query;
use crate::walk::{implementors, walk};
use crate::weights::Weights;
use contextd_model::{EdgeKind, SymbolKind, Visibility};
use contextd_snapshot::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a ranking reads.
#[derive(Clone, Copy)]
pub struct Sources<'s> {
    pub snapshot: &'s Snapshot,
    pub catalog: &'s Catalog,
    pub commits: Option<&'s Commits>,
    /// Commits up to this number (newest first) are hidden, for evaluation.
    pub hidden: Option<u32>,
    /// What was learned, seen from this request; absent in a cold ranking.
    pub learned: Option<&'s Learned>,
    /// What is declared about parts that the request means; absent when it means none.
    pub declared: Option<&'s Declared>,
    pub parameters: &'s Parameters,
}

/// One ranked symbol with everything that was added up.
#[derive(Clone, Debug)]
pub struct Ranked {
    pub symbol: u32,
    /// Lines outside of functions that are meant instead of the whole symbol.
    pub lines: Option<(u32, u32)>,
    /// Lines where most of the request's words meet; none where nothing was looked for in texts.
    pub window: Option<(u32, u32)>,
    pub score: f32,
    pub signals: Signals,
    /// What learning added, as values and weights of [`LEARNED_NAMES`].
    pub learned: Option<(LearnedTerms, LearnedTerms)>,
    /// What declared parts added, as value and weight.
    pub declared: (f32, f32),
}

impl Ranked {
    /// Returns each signal that took part: name, value, weight.
    pub fn terms<'w>(
        &self,
        weights: &'w BTreeMap<String, f32>,
    ) -> impl Iterator<Item = (&'static str, f32, f32)> + use<'_, 'w> {
        let own = NAMES
            .iter()
            .zip(self.signals)
            .filter_map(|(name, value)| weights.get(*name).map(|&weight| (*name, value, weight)));
        let learned = self.learned.into_iter().flat_map(|(values, weights)| {
            (0..LEARNED_NAMES.len()).map(move |at| (LEARNED_NAMES[at], values[at], weights[at]))
        });
        own.chain(learned)
            .chain([(DECLARED, self.declared.0, self.declared.1)])
            .filter(|&(_, value, weight)| value * weight != 0.0)
    }
}

/// A candidate before its score is known.
pub struct Row {
    pub symbol: u32,
    pub lines: Option<(u32, u32)>,
    pub window: Option<(u32, u32)>,
    pub signals: Signals,
}

/// Ranks the symbols of a snapshot for a task, best first.
pub fn rank(sources: &Sources<'_>, query: &Query, weights: &Weights) -> Vec<Ranked> {
    let parameters = weights.parameters(sources.parameters);
    let sources = &Sources { parameters: &parameters, ..*sources };
    let (rows, history) = rows(sources, query, weights);
    let table = weights.ranks_places(query).then(|| named(weights.table(query, history)));
    let by_declared = weights.declared;
    let ranked: Vec<Ranked> = rows
        .into_iter()
        .map(|Row { symbol, lines, window, signals }| {
            let score = table.as_ref().map_or(signals[at::BASE], |table| sum(&signals, table));
            let learned = sources.learned.map(|learned| {
                (learned.terms(symbol, sources.catalog.kind[symbol as usize]), learned)
            });
            let declared = (
                sources.declared.map_or(0.0, |declared| {
                    declared.value(symbol, sources.catalog.file[symbol as usize])
                }),
                by_declared,
            );
            let score = score
                + learned.map_or(0.0, |(terms, learned)| learned.sum(&terms))
                + declared.0 * declared.1;
            let learned = learned.map(|(terms, learned)| (terms, learned.weights()));
            Ranked { symbol, lines, window, score, signals, learned, declared }
        })
        .collect();
    // Rows are large: what is sorted is where they stand.
    let mut order: Vec<(f32, u32)> =
        ranked.iter().zip(0..).map(|(hit, place)| (hit.score, place)).collect();
    order.sort_unstable_by(|a, b| {
        b.0.total_cmp(&a.0).then_with(|| {
            let (a, b) = (&ranked[a.1 as usize], &ranked[b.1 as usize]);
            tie(sources.snapshot, a.symbol, b.symbol).then(a.lines.cmp(&b.lines))
        })
    });
    let unique = unique(
        sources,
        order.iter().map(|&(_, place)| {
            let hit = &ranked[place as usize];
            (place, hit.symbol, hit.lines)
        }),
    );
    unique.into_iter().map(|place| ranked[place as usize].clone()).collect()
}

/// Returns the candidates with all their signals, and whether history had a say.
pub fn rows(sources: &Sources<'_>, query: &Query, weights: &Weights) -> (Vec<Row>, bool) {
    let mut located = weights.ranks_places(query).then(|| Located::of(sources, query));
    let focused = located.is_some().then(|| query.focused());
    let query = focused.as_ref().unwrap_or(query);
    let more = located.as_ref().map(|located| located.symbols.as_slice()).unwrap_or_default();
    let pieces = located.as_ref().map(|located| located.pieces.clone()).unwrap_or_default();
    let containers: Vec<u32> = pieces.iter().map(|piece| piece.symbol).collect();
    let (mut candidates, pieces_signals, history) =
        gathered(sources, query, weights, more, &containers);
    let (first, last) = if history {
        (&weights.first, &weights.task)
    } else {
        (&weights.first_without_history, &weights.task_without_history)
    };
    if !first.is_empty() {
        let first = named(first);
        let scores: Vec<f32> = candidates.iter().map(|(_, signals)| sum(signals, &first)).collect();
        near::set(sources.snapshot, sources.catalog, &mut candidates, &scores, query.about_tests);
    }
    let last = named(last);
    let base = |symbol: u32, signals: &Signals| {
        let sum = sum(signals, &last);
        let prior = sources.parameters.prior(sources.catalog.flags[symbol as usize], query);
        // A prior below one lowers a score whatever its sign.
        if sum > 0.0 { sum * prior } else { sum - (1.0 - prior) }
    };
    let mut rows: Vec<Row> = Vec::with_capacity(candidates.len() + pieces.len());
    for (symbol, mut signals) in candidates {
        signals[at::BASE] = base(symbol, &signals);
        let Some(located) = &mut located else {
            rows.push(Row { symbol, lines: None, window: None, signals });
            continue;
        };
        let window = located.set(sources, query, symbol, &mut signals);
        let windows = located.windows(sources, symbol);
        for (part, (window, lines)) in windows.iter().enumerate() {
            let mut signals = signals;
            located.set_part(part, window, *lines, &mut signals);
            rows.push(Row { symbol, lines: Some(*lines), window: None, signals });
        }
        if windows.is_empty() {
            let window = locate::lines_of(sources.snapshot, symbol, &window);
            rows.push(Row { symbol, lines: None, window, signals });
        }
    }
    for (piece, mut signals) in pieces.iter().zip(pieces_signals) {
        signals[at::BASE] = base(piece.symbol, &signals);
        if let Some(located) = &mut located {
            located.set_piece(sources, query, piece, &mut signals);
        }
        rows.push(Row { symbol: piece.symbol, lines: Some(piece.lines), window: None, signals });
    }
    if located.is_some() {
        let files: Vec<u32> =
            rows.iter().map(|row| sources.catalog.file[row.symbol as usize]).collect();
        let mut signals: Vec<&mut Signals> = rows.iter_mut().map(|row| &mut row.signals).collect();
        locate::set_window_ranks(&files, &mut signals);
        set_good_neighbours(sources, query, &mut rows);
        for (signal, relative) in at::RELATIVE {
            let most = rows.iter().map(|row| row.signals[signal]).fold(0.0, f32::max);
            if most > 0.0 {
                rows.iter_mut().for_each(|row| row.signals[relative] = row.signals[signal] / most);
            }
        }
    }
    (rows, history)
}

/// Sets what the graph says of candidates whose neighbours match words and guesses.
fn set_good_neighbours(sources: &Sources<'_>, query: &Query, rows: &mut [Row]) {
    let match_of = |row: &Row| row.signals[at::WINDOW] + row.signals[at::FILE_SCORE];
    let most = rows.iter().map(match_of).fold(f32::MIN_POSITIVE, f32::max);
    // Rows of one symbol come one after the other, the best window first.
    let mut wholes: Vec<(u32, Signals)> = Vec::new();
    let mut scores: Vec<f32> = Vec::new();
    for row in rows.iter().filter(|row| row.signals[at::IS_PIECE] == 0.0) {
        if wholes.last().is_none_or(|&(last, _)| last != row.symbol) {
            wholes.push((row.symbol, [0.0; COUNT]));
            scores.push(VOICES * match_of(row) / most);
        }
    }
    near::set(sources.snapshot, sources.catalog, &mut wholes, &scores, query.about_tests);
    let found: FxHashMap<u32, (f32, f32)> = wholes
        .into_iter()
        .map(|(symbol, signals)| (symbol, (signals[at::NEAR_OUT], signals[at::NEAR_IN])))
        .collect();
    for row in rows.iter_mut().filter(|row| row.signals[at::IS_PIECE] == 0.0) {
        if let Some(&(out, into)) = found.get(&row.symbol) {
            (row.signals[at::GOOD_OUT], row.signals[at::GOOD_IN]) = (out, into);
        }
    }
}

/// How far the best match is heard above the rest, in the scale of a first score.
const VOICES: f32 = 6.0;

fn named(table: &BTreeMap<String, f32>) -> Signals {
    NAMES.map(|name| table.get(name).copied().unwrap_or(0.0))
}

fn sum(signals: &Signals, weights: &Signals) -> f32 {
    signals.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

/// Equal scores are told apart by path, line, number.
fn tie(snapshot: &Snapshot, a: u32, b: u32) -> std::cmp::Ordering {
    let (first, second) = (snapshot.symbol(a), snapshot.symbol(b));
    first
        .path()
        .cmp(second.path())
        .then(first.start_line().cmp(&second.start_line()))
        .then(a.cmp(&b))
}

/// Overloads and declarations of one name in one file are one answer, the best of them: returns the
/// places of those.
fn unique(
    sources: &Sources<'_>,
    ranked: impl Iterator<Item = (u32, u32, Option<(u32, u32)>)>,
) -> Vec<u32> {
    type Seen<'a> = FxHashSet<(u32, Cow<'a, str>, Option<(u32, u32)>)>;
    let mut seen: Seen<'_> = FxHashSet::default();
    ranked
        .filter(|&(_, symbol, lines)| {
            let name = sources.snapshot.symbol(symbol).qualified();
            seen.insert((sources.catalog.file[symbol as usize], name, lines))
        })
        .map(|(place, _, _)| place)
        .collect()
}

/// Returns the pool with its signals, scaled; in the order of symbols. Also whether history had a say.
/// Signals that are dear and that the weights do not ask for are left at zero.
pub fn candidates(
    sources: &Sources<'_>,
    query: &Query,
    weights: &Weights,
) -> (Vec<(u32, Signals)>, bool) {
    let (rows, _, history) = gathered(sources, query, weights, &[], &[]);
    (rows, history)
}

/// Returns the pool with `more` in it, the signals of `containers`, and whether history had a say.
fn gathered(
    sources: &Sources<'_>,
    query: &Query,
    weights: &Weights,
    more: &[u32],
    containers: &[u32],
) -> (Vec<(u32, Signals)>, Vec<Signals>, bool) {
    let lexical =
        lexical::score(sources.snapshot, sources.catalog, query, Mode::Task, sources.parameters);
    let mut pool = Pool::gather(sources, query, &lexical, weights);
    pool.symbols.extend(more.iter().filter(|&&symbol| sources.catalog.is_code(symbol)));
    pool.symbols.sort_unstable();
    pool.symbols.dedup();
    let history = !pool.git.is_empty();
    let (mut rows, containers) = pool.signals(sources, query, &lexical, containers);
    if at::STRUCTURE.iter().any(|&signal| weights.asks_for(NAMES[signal])) {
        structure::set(sources, &mut rows, &pool.seeds);
    }
    (rows, containers, history)
}

/// Returns what each channel finds, best first, for an explanation or a fusion.
pub fn channel_lists(sources: &Sources<'_>, query: &Query, weights: &Weights) -> Vec<List> {
    let parameters = weights.parameters(sources.parameters);
    let sources = &Sources { parameters: &parameters, ..*sources };
    let lexical =
        lexical::score(sources.snapshot, sources.catalog, query, Mode::Task, sources.parameters);
    Pool::gather(
        sources,
        query,
        &lexical,
        &Weights { task: BTreeMap::from([(NAMES[at::FUSED].to_owned(), 1.0)]), ..weights.clone() },
    )
    .lists
}

struct Pool {
    symbols: Vec<u32>,
    walk: FxHashMap<u32, f32>,
    git: FxHashMap<u32, f32>,
    prose: FxHashMap<u32, f32>,
    filesum: Vec<f32>,
    blocks: Vec<f32>,
    /// Best score of a type's members, by type.
    children: FxHashMap<u32, f32>,
    /// Symbols from which the walk started.
    seeds: Vec<u32>,
    /// What each channel found, where a fusion is asked for.
    lists: Vec<List>,
    fused: FxHashMap<u32, f32>,
}

impl Pool {
    fn gather(
        sources: &Sources<'_>,
        query: &Query,
        lexical: &Lexical<'_>,
        weights: &Weights,
    ) -> Pool {
        let Sources { snapshot, catalog, .. } = *sources;
        let scored = |symbol: usize| {
            lexical.symbols[symbol] * sources.parameters.prior(catalog.flags[symbol], query)
        };
        let code: Vec<(u32, f32)> = lexical
            .symbol_hits
            .iter()
            .filter(|&&symbol| catalog.is_code(symbol))
            .map(|&symbol| (symbol, scored(symbol as usize)))
            .collect();
        let filesum = filesum(catalog, &code, snapshot.file_count() as usize);
        let by_words = top(code, sources.parameters.by_words as usize);
        let options = sources.parameters.walk();
        let git =
            sources.commits.map(|commits| commits.files(query, sources.hidden)).unwrap_or_default();
        let prose = prose(snapshot, catalog, lexical, sources.parameters.sections as usize);
        let lists_with = |walked: &[(u32, f32)]| {
            channels::lists(
                &Found { sources, query, lexical, walked, git: &git, prose: &prose },
                &weights.channels,
            )
        };
        let fuse = |lists: &[List]| {
            fusion::fuse(lists, weights.fusion, sources.parameters.rrf_k, |symbol| symbol)
        };
        let mut seeds: Vec<(u32, f32)> = if sources.parameters.fused_seeds > 0.0 {
            let best = top(fuse(&lists_with(&[])).into_iter().collect(), options.seeds);
            best.iter()
                .enumerate()
                .map(|(rank, &(symbol, _))| (symbol, 1.0 / (1.0 + rank as f32)))
                .collect()
        } else {
            by_words
                .iter()
                .take(options.seeds)
                .map(|&(symbol, score)| (symbol, score * score))
                .collect()
        };
        seeds.extend(implementors(snapshot, &seeds, sources.parameters.implementors as usize));
        let walked: Vec<(u32, f32)> = walk(snapshot, catalog, &seeds, &options)
            .into_iter()
            .map(|(symbol, mass, seed)| {
                (symbol, (1.0 + 1e4 * (mass - options.restart * seed).max(0.0)).ln())
            })
            .collect();
        let lists =
            if weights.asks_for(NAMES[at::FUSED]) { lists_with(&walked) } else { Vec::new() };
        let fused = fuse(&lists);
        let mut pool: FxHashSet<u32> = by_words.iter().map(|&(symbol, _)| symbol).collect();
        pool.extend(fused.keys().copied().chain(seeds.iter().map(|&(symbol, _)| symbol)));
        let least = sources.parameters.score_cutoff
            * walked.iter().map(|&(_, mass)| mass).fold(0.0, f32::max);
        pool.extend(
            top(walked.clone(), sources.parameters.by_walk as usize)
                .iter()
                .filter(|&&(_, mass)| mass >= least)
                .map(|&(symbol, _)| symbol),
        );
        pool.extend(prose.keys());
        pool.extend(of_types(snapshot, catalog, lexical, sources.parameters.by_types as usize));
        pool.extend(sources.learned.map(Learned::candidates).unwrap_or_default());
        pool.extend(sources.declared.map(Declared::candidates).unwrap_or_default());
        let mut symbols: Vec<u32> =
            pool.into_iter().filter(|&symbol| catalog.is_code(symbol)).collect();
        symbols.sort_unstable();
        let mut children: FxHashMap<u32, f32> = FxHashMap::default();
        let ties = catalog.ties(snapshot);
        for &(symbol, score) in &by_words {
            let owner = ties.owner[symbol as usize];
            if owner != symbol {
                let best = children.entry(owner).or_default();
                *best = best.max(score);
            }
        }
        let blocks = lexical.block_sums(snapshot.file_count() as usize);
        Pool {
            symbols,
            walk: walked.into_iter().collect(),
            git: git.iter().copied().collect(),
            seeds: seeds.iter().map(|&(symbol, _)| symbol).collect(),
            lists,
            fused,
            prose,
            filesum,
            blocks,
            children,
        }
    }

    fn signals(
        &self,
        sources: &Sources<'_>,
        query: &Query,
        lexical: &Lexical<'_>,
        containers: &[u32],
    ) -> (Vec<(u32, Signals)>, Vec<Signals>) {
        let mut words = QueryNames::new(query, &lexical.idf);
        let mut of = |symbol: u32| self.of(sources, &mut words, lexical, symbol);
        let mut rows: Vec<(u32, Signals)> =
            self.symbols.iter().map(|&symbol| (symbol, of(symbol))).collect();
        let mut others: Vec<Signals> = containers.iter().map(|&symbol| of(symbol)).collect();
        for signal in at::SCALED {
            let max = rows.iter().map(|(_, signals)| signals[signal]).fold(0.0, f32::max);
            if max > 0.0 {
                let own = rows.iter_mut().map(|(_, signals)| signals);
                own.chain(&mut others).for_each(|signals| signals[signal] /= max);
            }
        }
        (rows, others)
    }

    fn of<'s>(
        &self,
        sources: &Sources<'s>,
        words: &mut QueryNames<'s>,
        lexical: &Lexical<'_>,
        symbol: u32,
    ) -> Signals {
        let Sources { snapshot, catalog, .. } = *sources;
        let at_symbol = symbol as usize;
        let file = catalog.file[at_symbol];
        let kind = SymbolKind::from_byte(catalog.kind[at_symbol]);
        let named = snapshot.symbol(symbol);
        let (coverage, exact) = words.coverage(named.name());
        let owner = catalog.ties(snapshot).owner[at_symbol];
        let flags = catalog.flags[at_symbol];
        let mut signals = [0.0; COUNT];
        signals[at::BM] = lexical.symbols[at_symbol] * sources.parameters.aside(flags);
        signals[at::PPR] = self.walk.get(&symbol).copied().unwrap_or(0.0);
        signals[at::GIT_FILE] = self.git.get(&file).copied().unwrap_or(0.0);
        signals[at::NLEN] = f32::from(catalog.lengths[at_symbol][0]);
        signals[at::TYPE_BODY] = lexical.types[owner as usize];
        signals[at::NCOV] = coverage;
        signals[at::PROSE] = self.prose.get(&symbol).copied().unwrap_or(0.0);
        signals[at::LINES] = (1.0 + named.line_count() as f32).ln();
        signals[at::FILESUM] = self.filesum[file as usize];
        signals[at::FILEBODY] = lexical.files[file as usize];
        signals[at::IS_TYPE] = f32::from(u8::from(kind.is_type()));
        signals[at::IS_FUNCTION] = f32::from(u8::from(kind == SymbolKind::Function));
        signals[at::EXACT] = exact;
        signals[at::PUBLIC] = f32::from(u8::from(named.visibility() == Visibility::Public));
        signals[at::IN_DEGREE] = (1.0 + snapshot.graph().sources(symbol).len() as f32).ln();
        signals[at::OWNER_BM] = if owner == symbol { 0.0 } else { lexical.symbols[owner as usize] };
        signals[at::CHILD_BM] = self.children.get(&symbol).copied().unwrap_or(0.0);
        signals[at::QCOV] = words.share_of_query(named);
        signals[at::IS_METHOD] = f32::from(u8::from(kind == SymbolKind::Method));
        signals[at::IS_DATA] = f32::from(u8::from(matches!(
            kind,
            SymbolKind::Field
                | SymbolKind::Variant
                | SymbolKind::Property
                | SymbolKind::Constant
                | SymbolKind::Variable
        )));
        signals[at::BLOCKS] = self.blocks[file as usize];
        signals[at::STEM] = words.stem_coverage(file, named.path());
        signals[at::FUSED] = self.fused.get(&symbol).copied().unwrap_or(0.0);
        signals[at::LOCAL] = f32::from(u8::from(flags & flag::LOCAL != 0));
        signals
    }
}

fn filesum(catalog: &Catalog, code: &[(u32, f32)], files: usize) -> Vec<f32> {
    let mut sums = vec![0f32; files];
    for &(symbol, score) in code {
        sums[catalog.file[symbol as usize] as usize] += score.powi(3);
    }
    sums.iter_mut().for_each(|sum| *sum = sum.cbrt());
    sums
}

/// Members of the types whose pooled bodies match best, and those types.
fn of_types(
    snapshot: &Snapshot,
    catalog: &Catalog,
    lexical: &Lexical<'_>,
    count: usize,
) -> Vec<u32> {
    let types: Vec<(u32, f32)> = lexical
        .type_hits
        .iter()
        .filter(|&&owner| !catalog.is_test(owner))
        .map(|&owner| (owner, lexical.types[owner as usize]))
        .collect();
    let best: FxHashSet<u32> = top(types, count).into_iter().map(|(owner, _)| owner).collect();
    let owners = &catalog.ties(snapshot).owner;
    let members = lexical
        .symbol_hits
        .iter()
        .copied()
        .filter(|&symbol| best.contains(&owners[symbol as usize]));
    members.chain(best.iter().copied()).collect()
}

/// Sections of documentation that match, and the symbols they name in code form.
fn prose(
    snapshot: &Snapshot,
    catalog: &Catalog,
    lexical: &Lexical<'_>,
    count: usize,
) -> FxHashMap<u32, f32> {
    let sections: Vec<(u32, f32)> = lexical
        .type_hits
        .iter()
        .filter(|&&symbol| catalog.kind[symbol as usize] == SymbolKind::Section as u8)
        .map(|&symbol| {
            (symbol, lexical.types[symbol as usize] + 0.5 * lexical.symbols[symbol as usize])
        })
        .collect();
    let best = top(sections, count);
    let mut found: FxHashMap<u32, f32> = FxHashMap::default();
    let Some(&(_, max)) = best.first() else { return found };
    let graph = snapshot.graph();
    // Only prose documents: edges from code, which a popular symbol has many of, are not looked up.
    let documents = |target: u32| {
        graph
            .sources(target)
            .filter(|&source| !catalog.is_code(source))
            .flat_map(move |source| graph.between(source, target))
            .filter(|edge| edge.kind() == EdgeKind::Documents)
            .count()
    };
    let mut popularity: FxHashMap<u32, f32> = FxHashMap::default();
    for (section, score) in best {
        for edge in graph.out(section).iter().filter(|edge| edge.kind() == EdgeKind::Documents) {
            let popularity =
                *popularity.entry(edge.target).or_insert_with(|| documents(edge.target) as f32);
            let sure = (f32::from(edge.confidence) / 100.0).sqrt();
            *found.entry(edge.target).or_default() +=
                (score / max).powi(2) * sure / (2.0 + popularity).ln();
        }
    }
    found
}

/// Returns the best `count`, best first; equal scores by number.
pub(crate) fn top(mut scored: Vec<(u32, f32)>, count: usize) -> Vec<(u32, f32)> {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scored.len() > count && count > 0 {
        scored.select_nth_unstable_by(count - 1, order);
        scored.truncate(count);
    }
    scored.sort_by(order);
    scored.truncate(count);
    scored
}
