//! `impact`: what leans on a symbol or a file, and may break with it.

use crate::answer::{Answer, Impact, ImpactItem};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::ImpactInput;
use contextd_engine::Reader;
use contextd_model::EdgeKind;
use contextd_model::graph::KNOWN_CONFIDENCE;
use contextd_pack::resolve;
use std::collections::{BTreeMap, BTreeSet};

/// Symbols reached before the search is cut.
const MOST: usize = 500;

pub fn impact(context: &Context, input: ImpactInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let hops = input.max_hops.unwrap_or(3).clamp(1, 6);
    let targets = targets(&reader, input.target.trim())?;
    let (reached, cut) = follow(&reader, &targets, hops);
    let items: Vec<ImpactItem> = reached.into_iter().map(|(_, item)| item).collect();
    let files: BTreeSet<String> = items.iter().map(|item| item.file.clone()).collect();
    let tests: BTreeSet<String> = items.iter().filter(|item| item.test).map(|item| item.file.clone()).collect();
    Ok(Answer::Impact(Impact { target: input.target, items, files: files.into_iter().collect(), tests: tests.into_iter().collect(), cut }))
}

fn targets(reader: &Reader, target: &str) -> Result<Vec<u32>, OpError> {
    if target.is_empty() {
        return Err(OpError::request("no symbol or file is named", "Name one, such as `Parser.parse` or `src/parser.rs`."));
    }
    if let Some(file) = reader.snapshot.find_file(target.trim_start_matches("./")) {
        return Ok(reader.snapshot.symbols_of_file(file).collect());
    }
    let mut found = Vec::new();
    for symbol in resolve::symbols(&reader.snapshot, target)?.into_iter().take(5) {
        found.push(symbol);
        // Who uses a member uses the type.
        if reader.snapshot.symbol(symbol).kind().is_type() {
            found.extend(reader.snapshot.symbol(symbol).descendants());
        }
    }
    Ok(found)
}

fn follow(reader: &Reader, targets: &[u32], hops: u32) -> (Vec<(u32, ImpactItem)>, bool) {
    let snapshot = &reader.snapshot;
    let mut seen: BTreeSet<u32> = targets.iter().copied().collect();
    let mut frontier: Vec<(u32, f64)> = targets.iter().map(|&symbol| (symbol, 1.0)).collect();
    let mut reached: Vec<(u32, ImpactItem)> = Vec::new();
    for distance in 1..=hops {
        // For each symbol the surest way that leads to it.
        let mut next: BTreeMap<u32, (f64, u32, EdgeKind, u32)> = BTreeMap::new();
        for &(symbol, sure) in &frontier {
            for (source, edge) in snapshot.graph().incoming(symbol).filter(|(source, edge)| leans(edge.kind()) && !seen.contains(source)) {
                let confidence = sure * f64::from(edge.confidence) / 100.0;
                let best = next.entry(source).or_insert((-1.0, symbol, edge.kind(), edge.line));
                if confidence > best.0 {
                    *best = (confidence, symbol, edge.kind(), edge.line);
                }
            }
        }
        frontier = next.iter().map(|(&symbol, &(sure, ..))| (symbol, sure)).collect();
        seen.extend(next.keys());
        let mut level: Vec<(u32, ImpactItem)> = next.into_iter().map(|(symbol, (sure, through, kind, line))| (symbol, item(reader, symbol, distance, sure, through, kind, line))).collect();
        level.sort_by(|a, b| b.1.confidence.total_cmp(&a.1.confidence).then_with(|| (&a.1.file, a.1.line, a.0).cmp(&(&b.1.file, b.1.line, b.0))));
        reached.extend(level);
        if reached.len() >= MOST {
            reached.truncate(MOST);
            return (reached, true);
        }
    }
    (reached, false)
}

fn leans(kind: EdgeKind) -> bool {
    use EdgeKind::*;
    matches!(kind, Calls | References | Imports | Extends | Implements | Overrides | TypeHintOf | AccessesField | Decorates | Throws | Tests | Dataflow)
}

fn item(reader: &Reader, number: u32, distance: u32, confidence: f64, through: u32, kind: EdgeKind, line: u32) -> ImpactItem {
    let symbol = reader.snapshot.symbol(number);
    let name = |number: u32| {
        let symbol = reader.snapshot.symbol(number);
        if symbol.parent().is_none() { symbol.path().to_owned() } else { symbol.qualified().into_owned() }
    };
    ImpactItem {
        symbol: name(number),
        kind: symbol.kind().name().to_owned(),
        file: symbol.path().to_owned(),
        line: symbol.start_line(),
        distance,
        confidence: (confidence * 1e4).round() / 1e4,
        certainty: if confidence * 100.0 >= f64::from(KNOWN_CONFIDENCE) { "known" } else { "guessed" }.to_owned(),
        through: format!("{} {} at {}:{line}", kind.name(), name(through), symbol.path()),
        test: reader.catalog.is_test(number),
    }
}
