//! The first candidates of a pack, by the ranking that the request asks for.

use crate::build::Inputs;
use crate::error::PackError;
use crate::ids::SymbolIds;
use crate::pack::Signal;
use crate::request::{PackRequest, Ranking, SeedMode, SeedProvider};
use crate::resolve;
use crate::scope::Filter;
use contextd_model::SymbolKind;
use contextd_retrieve::{Query, Shape, Sources, Weights, search, task};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// One ranked candidate; its score is from 0 to 1.
#[derive(Clone, Debug)]
pub struct Seed {
    pub symbol: u32,
    /// Lines to show instead of the whole symbol.
    pub lines: Option<(u32, u32)>,
    pub score: f64,
    pub rule: Cow<'static, str>,
    pub signals: Terms,
}

/// What was added up for a seed.
#[derive(Clone, Debug)]
pub enum Terms {
    Made(Vec<Signal>),
    /// Those of a ranked symbol, by its number in [`Seeds::hits`].
    Of(usize),
}

/// What a ranking yields: seeds, and the hits whose terms are put into words when they are asked for.
struct Ranked<'a> {
    seeds: Vec<Seed>,
    hits: Hits<'a>,
}

/// Ranked symbols with the table of their weights.
type Hits<'a> = Option<(Vec<task::Ranked>, &'a BTreeMap<String, f32>)>;

/// Ranked candidates, with the name of the ranking.
pub struct Seeds<'a> {
    pub seeds: Vec<Seed>,
    hits: Hits<'a>,
    pub ranking: &'static str,
    /// Candidates that the scope left out.
    pub out_of_scope: u32,
    pub low_score: u32,
    pub duplicate: u32,
}

impl Seeds<'_> {
    /// Returns the signals of a seed, the strongest first.
    pub fn signals(&self, at: usize) -> Vec<Signal> {
        self.seeds[at].signals.in_words(&self.hits)
    }
}

impl Terms {
    fn in_words(&self, hits: &Hits<'_>) -> Vec<Signal> {
        match (self, hits) {
            (Terms::Made(signals), _) => signals.clone(),
            (Terms::Of(at), Some((hits, table))) => signals(&hits[*at], table),
            (Terms::Of(_), None) => Vec::new(),
        }
    }
}

/// A ranked candidate by its identity: how a ranking is handed over between indexes of the same code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeedRecord {
    pub symbol_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    pub score: f64,
    pub rule: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
}

/// Files that a question is answered from.
const FILES: usize = 40;
/// Ranked symbols that are looked at.
const CANDIDATES: usize = 400;
/// Places of a trace that become seeds.
const FRAMES: usize = 12;
/// Signals shown for one candidate.
const SIGNALS: usize = 4;

/// Finds the seeds of a request, best first.
pub fn seeds<'a>(
    inputs: &'a Inputs<'_>,
    request: &PackRequest,
    query: &Query,
    filter: &Filter,
) -> Result<Seeds<'a>, PackError> {
    let ranking = ranking(request, query);
    let mut all: Vec<Seed> = focus(inputs, request)?;
    all.extend(framed(inputs, request));
    if !request.files.is_empty() {
        all.extend(of_files(inputs, request)?);
    }
    let scale = if request.files.is_empty() { 1.0 } else { 0.6 };
    let ranked = ranked(inputs, request, query, ranking)?;
    all.extend(ranked.seeds.into_iter().map(|seed| Seed { score: seed.score * scale, ..seed }));
    let mut result = Seeds {
        seeds: Vec::with_capacity(all.len()),
        hits: ranked.hits,
        ranking,
        out_of_scope: 0,
        low_score: 0,
        duplicate: 0,
    };
    let mut seen: FxHashSet<(u32, Option<(u32, u32)>)> = FxHashSet::default();
    for seed in all {
        if !filter.allows(inputs.layer, seed.symbol) {
            result.out_of_scope += 1;
        } else if seed.score < filter.min_score {
            result.low_score += 1;
        } else if seen.insert((seed.symbol, seed.lines)) {
            result.seeds.push(seed);
        } else {
            result.duplicate += 1;
        }
    }
    Ok(result)
}

/// Returns the ranking's part of the seeds by identity.
pub fn seed_records(
    inputs: &Inputs<'_>,
    request: &PackRequest,
) -> Result<Vec<SeedRecord>, PackError> {
    let query = contextd_retrieve::understand_with(&request.query, &request.names);
    let ids = SymbolIds::new(inputs.layer);
    let ranked = ranked(inputs, request, &query, ranking(request, &query))?;
    Ok(ranked
        .seeds
        .into_iter()
        .map(|seed| SeedRecord {
            symbol_id: ids.of(seed.symbol),
            lines: seed.lines,
            score: seed.score,
            signals: seed.signals.in_words(&ranked.hits),
            rule: seed.rule.into_owned(),
        })
        .collect())
}

fn ranked<'a>(
    inputs: &'a Inputs<'_>,
    request: &PackRequest,
    query: &Query,
    ranking: &str,
) -> Result<Ranked<'a>, PackError> {
    let made = |seeds: Vec<Seed>| Ranked { seeds, hits: None };
    if let Some(given) = inputs.seeds {
        return given
            .iter()
            .map(|record| of_record(inputs, record))
            .collect::<Result<_, _>>()
            .map(made);
    }
    if query.is_empty {
        return Ok(made(Vec::new()));
    }
    let Some(sources) = inputs.sources else {
        return Err(PackError::NotSupported {
            message: "this index has no full text to rank a query with".to_owned(),
            remedy: "Hand in seeds, or ask by focus or files.".to_owned(),
        });
    };
    let sources = Sources {
        commits: sources.commits.filter(|_| request.seed_provider == SeedProvider::Hybrid),
        ..sources
    };
    Ok(match (ranking, request.seed_mode) {
        ("task", mode @ (SeedMode::Code | SeedMode::Mixed)) => {
            let ranked = by_task(&sources, query, inputs);
            // Workflows, settings and documents define nothing that a task is ranked by.
            if ranked.seeds.is_empty() {
                made(by_search(&sources, query, mode, inputs.weights))
            } else {
                ranked
            }
        }
        (_, mode) => made(by_search(&sources, query, mode, inputs.weights)),
    })
}

fn of_record(inputs: &Inputs<'_>, record: &SeedRecord) -> Result<Seed, PackError> {
    let symbol = resolve::symbols(inputs.layer, &record.symbol_id)?.first().copied();
    let missing = || PackError::NotFound {
        message: format!("the seed `{}` is not in the index", record.symbol_id),
        suggestions: Vec::new(),
    };
    Ok(Seed {
        symbol: symbol.ok_or_else(missing)?,
        lines: record.lines,
        score: record.score,
        rule: Cow::Owned(record.rule.clone()),
        signals: Terms::Made(record.signals.clone()),
    })
}

/// The places that a pasted error or a note names; the first of them says most.
fn framed(inputs: &Inputs<'_>, request: &PackRequest) -> Vec<Seed> {
    let symbols = crate::frames::symbols(inputs.layer, &request.query);
    symbols
        .into_iter()
        .take(FRAMES)
        .enumerate()
        .map(|(place, symbol)| Seed {
            symbol,
            lines: None,
            score: 1.0 - 0.02 * place as f64,
            rule: Cow::Borrowed("stack-frame"),
            signals: Terms::Made(Vec::new()),
        })
        .collect()
}

fn ranking(request: &PackRequest, query: &Query) -> &'static str {
    match request.ranking {
        Ranking::Task => "task",
        Ranking::Search => "search",
        Ranking::Auto if query.shape == Shape::Task => "task",
        Ranking::Auto => "search",
    }
}

fn focus(inputs: &Inputs<'_>, request: &PackRequest) -> Result<Vec<Seed>, PackError> {
    let layer = inputs.layer;
    let mut symbols = Vec::new();
    if let Some(id) = &request.focus.symbol_id {
        symbols.extend(resolve::symbols(layer, id)?.into_iter().take(3));
    }
    if let Some(uid) = &request.focus.chunk_uid {
        symbols.push(by_uid(inputs, uid)?);
    }
    if let Some(path) = &request.focus.file_rel_path {
        symbols.push(layer.file_range(file(inputs, path)?).start);
    }
    Ok(symbols
        .into_iter()
        .map(|symbol| Seed {
            symbol,
            lines: None,
            score: 1.0,
            rule: Cow::Borrowed("focus"),
            signals: Terms::Made(Vec::new()),
        })
        .collect())
}

/// Finds the symbol whose text has that identity; every file is read until it is found.
fn by_uid(inputs: &Inputs<'_>, uid: &str) -> Result<u32, PackError> {
    let layer = inputs.layer;
    for file in 0..layer.files() {
        let Some(text) = inputs
            .texts
            .read(layer.file_path(file))
            .filter(|text| text.hash == layer.file_hash(file))
        else {
            continue;
        };
        let is_meant = |&symbol: &u32| {
            let detail = layer.detail(symbol);
            let (label, part) = if layer.is_file(symbol) {
                (
                    format!("{} {}", layer.qualified(symbol), layer.lines(symbol).0),
                    text.scrubbed.as_str(),
                )
            } else {
                (
                    format!("{} 0", layer.qualified(symbol)),
                    text.part(detail.doc_start.min(detail.start), detail.end),
                )
            };
            crate::ids::chunk_uid(layer.path(symbol), layer.kind(symbol).name(), &label, part)
                == uid
        };
        if let Some(symbol) = layer.file_range(file).find(is_meant) {
            return Ok(symbol);
        }
    }
    Err(PackError::NotFound {
        message: format!(
            "no text in the index has the chunkUid `{uid}`: it has changed, or it was a part of a symbol"
        ),
        suggestions: Vec::new(),
    })
}

fn file(inputs: &Inputs<'_>, path: &str) -> Result<u32, PackError> {
    let plain = path.trim_start_matches("./");
    inputs.layer.find_path(plain).ok_or_else(|| PackError::NotFound {
        message: format!("`{path}` is not in the index"),
        suggestions: near_paths(inputs, plain),
    })
}

fn near_paths(inputs: &Inputs<'_>, path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let layer = inputs.layer;
    let mut found: Vec<String> = (0..layer.files())
        .map(|file| layer.file_path(file))
        .filter(|other| other.rsplit('/').next() == Some(name))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.truncate(5);
    found
}

/// The symbols of changed files: those that the rest of the project leans on come first.
fn of_files(inputs: &Inputs<'_>, request: &PackRequest) -> Result<Vec<Seed>, PackError> {
    let layer = inputs.layer;
    let mut found: Vec<(u32, usize)> = Vec::new();
    for path in &request.files {
        let number = file(inputs, path)?;
        let symbols = layer.file_range(number);
        let outside = |symbol: u32| {
            layer
                .incoming(symbol)
                .map(|(source, _)| source)
                .filter(|&source| layer.file_number(source) != number)
                .collect::<BTreeSet<u32>>()
                .len()
        };
        let mut own: Vec<(u32, usize)> = symbols
            .clone()
            .skip(1)
            .filter(|&symbol| layer.is_answer(symbol))
            .map(|symbol| (symbol, outside(symbol)))
            .collect();
        if own.is_empty() {
            own.push((symbols.start, 0));
        }
        found.extend(own);
    }
    found.sort_by_key(|&(symbol, uses)| (std::cmp::Reverse(uses), symbol));
    let most = found.first().map_or(1, |&(_, uses)| uses.max(1)) as f64;
    Ok(found
        .into_iter()
        .map(|(symbol, uses)| Seed {
            symbol,
            lines: None,
            score: 0.5 + 0.5 * (uses as f64 / most).sqrt(),
            rule: Cow::Borrowed("changed-file"),
            signals: Terms::Made(Vec::new()),
        })
        .collect())
}

fn by_task<'a>(sources: &Sources<'_>, query: &Query, inputs: &'a Inputs<'_>) -> Ranked<'a> {
    let mut ranked = task::rank(sources, query, inputs.weights);
    let Some(best) = ranked.first().map(|hit| hit.score) else {
        return Ranked { seeds: Vec::new(), hits: None };
    };
    // The ranking uses the weights with history exactly when history had a say.
    let history =
        ranked.iter().any(|hit| hit.signals[contextd_retrieve::signals::at::GIT_FILE] > 0.0);
    let table = inputs.weights.table(query, history);
    let map = inputs.weights.calibration.of(inputs.weights, query, history);
    ranked.truncate(CANDIDATES);
    let seed = |(at, hit): (usize, &task::Ranked)| Seed {
        symbol: hit.symbol,
        lines: hit.lines,
        score: map.score(hit.score, best),
        rule: Cow::Borrowed("task-match"),
        signals: Terms::Of(at),
    };
    let seeds = ranked.iter().enumerate().map(seed).collect();
    Ranked { seeds, hits: Some((ranked, table)) }
}

fn signals(hit: &task::Ranked, table: &BTreeMap<String, f32>) -> Vec<Signal> {
    let mut terms: Vec<(&'static str, f32, f32)> = hit.terms(table).collect();
    terms.sort_by(|a, b| (b.1 * b.2).total_cmp(&(a.1 * a.2)).then(a.0.cmp(b.0)));
    terms
        .into_iter()
        .take(SIGNALS)
        .map(|(name, value, weight)| Signal {
            name: name.to_owned(),
            value: round(f64::from(value)),
            weight: round(f64::from(weight)),
        })
        .collect()
}

fn by_search(sources: &Sources<'_>, query: &Query, mode: SeedMode, weights: &Weights) -> Vec<Seed> {
    let ranked = search::rank(sources, query, weights, FILES);
    let Some(best) = ranked.first().map(|file| file.score).filter(|&best| best > 0.0) else {
        return Vec::new();
    };
    let map = weights.calibration.search;
    let mut found = Vec::new();
    for file in &ranked {
        for (place, range) in file.ranges.iter().enumerate() {
            let symbol = sources.snapshot.symbol(range.symbol);
            let prose = matches!(symbol.kind(), SymbolKind::Section)
                || contextd_lang::paths::is_documentation(symbol.path());
            if mode == SeedMode::Code && prose || mode == SeedMode::Prose && !prose {
                continue;
            }
            let whole =
                (symbol.start_line(), symbol.end_line()) == (range.start_line, range.end_line);
            let parts = [
                ("symbols", file.symbols),
                ("blocks", file.blocks),
                ("definition", file.definition),
                ("stem", file.stem),
                ("git", file.git),
                ("fused", file.fused),
            ];
            let weight = |name: &str| weights.search.get(name).unwrap_or(0.0);
            let signals = parts
                .iter()
                .filter(|(name, value)| value * weight(name) != 0.0)
                .map(|(name, value)| Signal {
                    name: (*name).to_owned(),
                    value: round(f64::from(*value)),
                    weight: round(f64::from(weight(name))),
                })
                .collect();
            // Later ranges of a file are less sure than its first.
            let score = map.score(file.score, best) * (1.0 - 0.05 * place as f64);
            found.push(Seed {
                symbol: range.symbol,
                lines: (!whole).then_some((range.start_line, range.end_line)),
                score,
                rule: Cow::Borrowed("search-match"),
                signals: Terms::Made(signals),
            });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// Four digits are enough for people and stable for machines.
pub fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
