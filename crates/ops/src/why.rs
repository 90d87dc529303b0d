//! `explain_symbol`: the score of a symbol for a task, term by term.

use crate::answer::{Answer, WhyAnswer, WhyChannel, WhyRaise, WhyTerm};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::WhyInput;
use crate::oracle::{Oracle, RefTree, tree_of};
use contextd_engine::Reader;
use contextd_pack::{SymbolIds, resolve};
use contextd_retrieve::channels::List;
use contextd_retrieve::{Query, Ranked, Sources, Weights, signals, task, understand_with};
use std::collections::BTreeMap;

/// Places that count as being found.
const TOP: usize = 10;
/// Candidates from which a path to the symbol may start.
const STARTS: usize = 40;
/// Longest path that is looked for.
const HOPS: usize = 4;
/// Symbols that the search for a path looks at.
const SEEN: usize = 20_000;

pub fn why(context: &Context, input: WhyInput) -> Result<Answer, OpError> {
    let declared = declared(context, &input)?;
    if let (Some((tree, _)), true) = (&declared, input.task.trim().is_empty()) {
        return Ok(Answer::Oracle(Box::new(Oracle::Tree(tree.clone()))));
    }
    if input.task.trim().is_empty() || input.symbol.trim().is_empty() {
        return Err(OpError::request(
            "a symbol and a task are needed",
            "For instance: contextd why Parser.parse --task \"accept trailing commas\".",
        ));
    }
    let reader = context.reader()?;
    let (weights, version) = context.engine.weights(input.profile.as_deref())?;
    let named = match declared {
        Some((_, symbols)) if !symbols.is_empty() => symbols,
        _ => resolve::symbols(&reader.snapshot, &input.symbol)?,
    };
    let query = understand_with(&input.task, &input.names);
    crate::search::says_something(&query, "task")?;
    let learned = context.learned(&reader, &input.task, input.profile.as_deref())?;
    let meant = context.engine.knowledge(&reader).meant(&reader, &query);
    let sources = Sources {
        learned: learned.as_ref().map(|(learned, _)| learned),
        declared: meant.as_ref(),
        ..reader.sources(None)
    };
    let ranked = task::rank(&sources, &query, &weights);
    // Of several symbols with the name, the one that ranks best is meant.
    let place = ranked.iter().position(|hit| named.contains(&hit.symbol));
    let number = place.map_or(named[0], |place| ranked[place].symbol);
    let symbol = reader.snapshot.symbol(number);
    let history = ranked.iter().any(|hit| hit.signals[signals::at::GIT_FILE] > 0.0);
    let table = weights.table(&query, history);
    let hit = place.map(|place| &ranked[place]);
    let terms = hit.map(|hit| terms(hit, &ranked, table)).unwrap_or_default();
    let sum: f64 = terms.iter().map(|term| term.contribution).sum();
    let raw = hit.map_or(0.0, |hit| hit.score);
    let best = ranked.first().map_or(0.0, |hit| hit.score);
    let map = weights.calibration.of(&weights, &query, history);
    Ok(Answer::Why(WhyAnswer {
        symbol_id: SymbolIds::new(&reader.snapshot).of(number),
        symbol: symbol.qualified().into_owned(),
        file: symbol.path().to_owned(),
        line: symbol.start_line(),
        task: input.task.clone(),
        profile: version,
        rank: place.map(|place| place as u32 + 1),
        of: ranked.len() as u32,
        score: f64::from(raw),
        shown_score: hit.map_or(0.0, |_| (map.score(raw, best) * 1e4).round() / 1e4),
        best_score: f64::from(best),
        adjustment: if hit.is_some() { f64::from(raw) - sum } else { 0.0 },
        missing: missing(place, &ranked),
        raise: hit.map(|hit| raise(hit, &ranked, table)).unwrap_or_default(),
        path: path(&reader, &ranked, number),
        terms,
        channels: channels(&sources, &query, &weights, number),
        looked_for: query.words.iter().map(|(word, _)| word.clone()).collect(),
        note: if hit.is_some() {
            String::new()
        } else {
            "It was no candidate: no word of the task is in it, and no edge leads to it from what matched.".to_owned()
        },
    }))
}

/// Returns the trees of a declared node and the symbols of its code, when the name is a ref.
fn declared(context: &Context, input: &WhyInput) -> Result<Option<(RefTree, Vec<u32>)>, OpError> {
    let reader = context.reader()?;
    let knowledge = context.engine.knowledge(&reader);
    let Some(node) = knowledge.graph.find(input.symbol.trim()) else { return Ok(None) };
    let snapshot = &reader.snapshot;
    let files = knowledge
        .files_of_node(snapshot, node)
        .into_iter()
        .filter_map(|path| snapshot.find_file(path));
    let mut symbols: Vec<u32> = files.flat_map(|file| snapshot.symbols_of_file(file)).collect();
    symbols.extend(knowledge.annotated_symbols(node));
    Ok(Some((tree_of(&knowledge, node), symbols)))
}

/// Every signal with a weight: what it is worth here, and how many candidates have more of it.
fn terms(hit: &Ranked, ranked: &[Ranked], table: &BTreeMap<String, f32>) -> Vec<WhyTerm> {
    let place = |name: &str| signals::NAMES.iter().position(|other| *other == name);
    let rank = |name: &str, value: f32| {
        place(name)
            .map(|at| 1 + ranked.iter().filter(|other| other.signals[at] > value).count() as u32)
    };
    let mut terms: Vec<WhyTerm> = hit
        .terms(table)
        .map(|(name, value, weight)| WhyTerm {
            rank: rank(name, value),
            signal: name.to_owned(),
            value: f64::from(value),
            weight: f64::from(weight),
            contribution: f64::from(value * weight),
        })
        .collect();
    terms.sort_by(|a, b| {
        b.contribution.abs().total_cmp(&a.contribution.abs()).then(a.signal.cmp(&b.signal))
    });
    terms
}

/// Returns the symbol's place in what each channel finds by itself, whether or not the profile fuses lists.
fn channels(
    sources: &Sources<'_>,
    query: &Query,
    weights: &Weights,
    symbol: u32,
) -> Vec<WhyChannel> {
    let place = |list: &List| list.symbols.iter().position(|&(other, _)| other == symbol);
    let lists = task::channel_lists(sources, query, weights);
    lists
        .iter()
        .filter_map(|list| {
            Some(WhyChannel {
                channel: list.channel.to_owned(),
                rank: place(list)? as u32 + 1,
                of: list.symbols.len() as u32,
            })
        })
        .collect()
}

/// Returns what is missing to the tenth place.
fn missing(place: Option<usize>, ranked: &[Ranked]) -> Option<f64> {
    let tenth = ranked.get(TOP - 1)?.score;
    match place {
        Some(place) if place < TOP => None,
        Some(place) => Some(f64::from(tenth - ranked[place].score)),
        None => Some(f64::from(tenth)),
    }
}

/// Single signals that would do if they were as strong as the best candidate's, with the value each needs.
fn raise(hit: &Ranked, ranked: &[Ranked], table: &BTreeMap<String, f32>) -> Vec<WhyRaise> {
    let Some(tenth) = ranked.get(TOP - 1).filter(|tenth| tenth.score > hit.score) else {
        return Vec::new();
    };
    let gap = tenth.score - hit.score;
    let needed = |at: usize, name: &str| {
        let weight = table.get(name).copied().filter(|weight| *weight > 0.0)?;
        let most = ranked.iter().map(|other| other.signals[at]).fold(0.0, f32::max);
        let to = hit.signals[at] + gap / weight;
        (to <= most).then(|| WhyRaise {
            signal: name.to_owned(),
            from: f64::from(hit.signals[at]),
            to: f64::from(to),
        })
    };
    let mut found: Vec<WhyRaise> =
        signals::NAMES.iter().enumerate().filter_map(|(at, name)| needed(at, name)).collect();
    found.sort_by(|a, b| (a.to - a.from).total_cmp(&(b.to - b.from)).then(a.signal.cmp(&b.signal)));
    found
}

/// Returns the shortest way over edges from one of the best candidates by words to the symbol, step by step.
fn path(reader: &Reader, ranked: &[Ranked], target: u32) -> Vec<String> {
    let mut by_words: Vec<(f32, u32)> = ranked
        .iter()
        .map(|hit| (hit.signals[signals::at::BM], hit.symbol))
        .filter(|(value, _)| *value > 0.0)
        .collect();
    by_words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let starts: Vec<u32> = by_words.into_iter().take(STARTS).map(|(_, symbol)| symbol).collect();
    let name = |symbol: u32| reader.snapshot.symbol(symbol).qualified().into_owned();
    if starts.contains(&target) {
        return vec![format!("{}: its own words match", name(target))];
    }
    let mut from: BTreeMap<u32, (u32, String)> =
        starts.iter().map(|&symbol| (symbol, (symbol, String::new()))).collect();
    let mut frontier = starts;
    for _ in 0..HOPS {
        let mut next = Vec::new();
        for &symbol in &frontier {
            let graph = reader.snapshot.graph();
            let forward = graph.out(symbol).iter().map(|edge| {
                (
                    edge.target,
                    format!("{} {} {}", name(symbol), edge.kind().name(), name(edge.target)),
                )
            });
            let backward = graph.incoming(symbol).map(|(source, edge)| {
                (source, format!("{} {} {}", name(source), edge.kind().name(), name(symbol)))
            });
            for (other, step) in forward.chain(backward).take(400) {
                if !from.contains_key(&other) && from.len() < SEEN && reader.catalog.is_code(other)
                {
                    from.insert(other, (symbol, step));
                    next.push(other);
                }
            }
            if from.contains_key(&target) {
                return steps(&from, target);
            }
        }
        frontier = next;
    }
    Vec::new()
}

fn steps(from: &BTreeMap<u32, (u32, String)>, target: u32) -> Vec<String> {
    let (mut steps, mut at) = (Vec::new(), target);
    while let Some((before, step)) = from.get(&at).filter(|(before, _)| *before != at) {
        steps.push(step.clone());
        at = *before;
    }
    steps.reverse();
    steps
}
