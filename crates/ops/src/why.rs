//! `explain_symbol`: the score of a symbol for a task, term by term.

use crate::answer::{Answer, WhyAnswer, WhyTerm};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::WhyInput;
use crate::oracle::{Oracle, RefTree, tree_of};
use contextd_pack::{SymbolIds, resolve};
use contextd_retrieve::{Sources, signals, task, understand};

pub fn why(context: &Context, input: WhyInput) -> Result<Answer, OpError> {
    let declared = declared(context, &input)?;
    if let (Some((tree, _)), true) = (&declared, input.task.trim().is_empty()) {
        return Ok(Answer::Oracle(Box::new(Oracle::Tree(tree.clone()))));
    }
    if input.task.trim().is_empty() || input.symbol.trim().is_empty() {
        return Err(OpError::request("a symbol and a task are needed", "For instance: contextd why Parser.parse --task \"accept trailing commas\"."));
    }
    let reader = context.reader()?;
    let (weights, version) = context.engine.weights(input.profile.as_deref())?;
    let named = match declared {
        Some((_, symbols)) if !symbols.is_empty() => symbols,
        _ => resolve::symbols(&reader.snapshot, &input.symbol)?,
    };
    let query = understand(&input.task);
    let learned = context.learned(&reader, &input.task, input.profile.as_deref())?;
    let sources = Sources { learned: learned.as_ref().map(|(learned, _)| learned), ..reader.sources(None) };
    let ranked = task::rank(&sources, &query, &weights);
    // Of several symbols with the name, the one that ranks best is meant.
    let place = ranked.iter().position(|hit| named.contains(&hit.symbol));
    let number = place.map_or(named[0], |place| ranked[place].symbol);
    let symbol = reader.snapshot.symbol(number);
    let history = ranked.iter().any(|hit| hit.signals[signals::at::GIT_FILE] > 0.0);
    let table = if history { &weights.task } else { &weights.task_without_history };
    let hit = place.map(|place| &ranked[place]);
    let mut terms: Vec<WhyTerm> = hit.into_iter().flat_map(|hit| hit.terms(table)).map(|(name, value, weight)| WhyTerm { signal: name.to_owned(), value: f64::from(value), weight: f64::from(weight), contribution: f64::from(value * weight) }).collect();
    terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()).then(a.signal.cmp(&b.signal)));
    let sum: f64 = terms.iter().map(|term| term.contribution).sum();
    let score = hit.map_or(0.0, |hit| f64::from(hit.score));
    let note = match hit {
        Some(_) => String::new(),
        None => "It was no candidate: no word of the task is in it, and no edge leads to it from what matched.".to_owned(),
    };
    Ok(Answer::Why(WhyAnswer {
        symbol_id: SymbolIds::new(&reader.snapshot).of(number),
        symbol: symbol.qualified().into_owned(),
        file: symbol.path().to_owned(),
        line: symbol.start_line(),
        task: input.task.clone(),
        profile: version,
        rank: place.map(|place| place as u32 + 1),
        of: ranked.len() as u32,
        score,
        best_score: ranked.first().map_or(0.0, |hit| f64::from(hit.score)),
        adjustment: if hit.is_some() { score - sum } else { 0.0 },
        terms,
        looked_for: query.words.iter().map(|(word, _)| word.clone()).collect(),
        note,
    }))
}

/// Returns the trees of a declared node and the symbols of its code, when the name is a ref.
fn declared(context: &Context, input: &WhyInput) -> Result<Option<(RefTree, Vec<u32>)>, OpError> {
    let reader = context.reader()?;
    let knowledge = context.engine.knowledge(&reader);
    let Some(node) = knowledge.graph.find(input.symbol.trim()) else { return Ok(None) };
    let snapshot = &reader.snapshot;
    let files = knowledge.files_of_node(snapshot, node).into_iter().filter_map(|path| snapshot.find_file(path));
    let mut symbols: Vec<u32> = files.flat_map(|file| snapshot.symbols_of_file(file)).collect();
    symbols.extend(knowledge.annotated_symbols(node));
    Ok(Some((tree_of(&knowledge, node), symbols)))
}
