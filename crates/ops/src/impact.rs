//! `impact`: what leans on a symbol or a file, and may break with it.

use crate::answer::{Answer, Impact, ImpactItem};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::ImpactInput;
use crate::tests::{certainty, hits, keep_likely, shown_name, steps};
use contextd_engine::Reader;
use contextd_model::facts::modifier;
use contextd_model::{EdgeKind, Visibility};
use contextd_retrieve::{Reach, ReachOptions, Reached, Via, reach};
use std::collections::BTreeSet;

/// Items that are listed.
const MOST: usize = 500;
/// Tests, documents and public symbols that are listed.
const MOST_ASIDE: usize = 200;

pub fn impact(context: &Context, input: ImpactInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let hops = input.max_hops.unwrap_or(3).clamp(1, 6);
    let targets = targets(context, &crate::packs::relative(context, input.target.trim()), &reader)?;
    let start: Vec<(u32, f32)> = targets.iter().map(|&symbol| (symbol, 1.0)).collect();
    let reach_of = |options: &ReachOptions| {
        reach(&reader.snapshot, &reader.catalog, reader.suite(), &start, options)
    };
    let users = reach_of(&ReachOptions { hops, ..ReachOptions::IMPACT });
    let running = reach_of(&ReachOptions::TESTS);
    let mut items: Vec<ImpactItem> =
        users.all().into_iter().map(|reached| item(&reader, &users, &reached)).collect();
    items.sort_by(|a, b| {
        a.distance
            .cmp(&b.distance)
            .then(b.confidence.total_cmp(&a.confidence))
            .then_with(|| (&a.file, a.line, &a.symbol).cmp(&(&b.file, b.line, &b.symbol)))
    });
    let cut = users.cut || items.len() > MOST;
    items.truncate(MOST);
    let files: BTreeSet<String> = items.iter().map(|item| item.file.clone()).collect();
    let mut test_cases = hits(&reader, &running);
    keep_likely(&mut test_cases, reader.suite().tests.len());
    let tests: BTreeSet<String> = test_cases
        .iter()
        .map(|test| test.file.clone())
        .chain(items.iter().filter(|item| item.test).map(|item| item.file.clone()))
        .collect();
    test_cases.truncate(MOST_ASIDE);
    let known = items.iter().filter(|item| item.certainty == "known").count() as u32;
    Ok(Answer::Impact(Impact {
        target: input.target,
        known,
        guessed: items.len() as u32 - known,
        public: public(&reader, &targets, &users),
        docs: docs(&reader, &targets, &users),
        items,
        files: files.into_iter().collect(),
        tests: tests.into_iter().collect(),
        test_cases,
        cut,
    }))
}

fn targets(context: &Context, target: &str, reader: &Reader) -> Result<Vec<u32>, OpError> {
    if target.is_empty() {
        return Err(OpError::request(
            "no symbol or file is named",
            "Name one, such as `Parser.parse` or `src/parser.rs`.",
        ));
    }
    if let Some(file) = reader.snapshot.find_file(target) {
        return Ok(reader.snapshot.symbols_of_file(file).collect());
    }
    let mut found = Vec::new();
    for symbol in crate::named::symbols(context, reader, target)?.into_iter().take(5) {
        found.push(symbol);
        // Who uses a member uses the type.
        if reader.snapshot.symbol(symbol).kind().is_type() {
            found.extend(reader.snapshot.symbol(symbol).descendants());
        }
    }
    Ok(found)
}

/// What others can name from outside: public or exported symbols, the target itself among them.
fn public(reader: &Reader, targets: &[u32], users: &Reach) -> Vec<String> {
    let visible = |number: u32| {
        let symbol = reader.snapshot.symbol(number);
        let open = symbol.visibility() == Visibility::Public || symbol.has(modifier::EXPORTED);
        open && symbol.kind().is_code()
            && !reader.catalog.is_test(number)
            && !symbol.has(modifier::LOCAL)
    };
    // The nearest public symbols are the surface; what lies behind them is reached through them.
    let near = users
        .all()
        .into_iter()
        .filter(|reached| reached.distance <= 2)
        .map(|reached| reached.symbol);
    let found: BTreeSet<u32> =
        targets.iter().copied().chain(near).filter(|&number| visible(number)).collect();
    let place = |number: u32| {
        format!(
            "{} ({}:{})",
            shown_name(reader, number),
            reader.snapshot.symbol(number).path(),
            reader.snapshot.symbol(number).start_line()
        )
    };
    let mut names: Vec<String> = found.into_iter().map(place).collect();
    names.sort();
    names.truncate(MOST_ASIDE);
    names
}

/// Documents that name the target or what leans on it directly.
fn docs(reader: &Reader, targets: &[u32], users: &Reach) -> Vec<ImpactItem> {
    let near = users
        .all()
        .into_iter()
        .filter(|reached| reached.distance == 1 && reached.confidence >= 0.9)
        .map(|reached| reached.symbol);
    let mut found: Vec<ImpactItem> = Vec::new();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    for (number, distance) in
        targets.iter().map(|&target| (target, 1)).chain(near.map(|user| (user, 2)))
    {
        for (section, edge) in reader
            .snapshot
            .graph()
            .incoming(number)
            .filter(|(_, edge)| edge.kind() == EdgeKind::Documents)
        {
            if seen.insert(section) {
                let reached = Reached {
                    symbol: section,
                    distance,
                    confidence: f32::from(edge.confidence) / 100.0,
                    through: number,
                    via: Via::Edge(EdgeKind::Documents),
                    line: edge.line,
                };
                found.push(shown(reader, &reached, Vec::new()));
            }
        }
    }
    found.sort_by(|a, b| {
        a.distance.cmp(&b.distance).then_with(|| (&a.file, a.line).cmp(&(&b.file, b.line)))
    });
    found.truncate(MOST_ASIDE);
    found
}

fn item(reader: &Reader, users: &Reach, reached: &Reached) -> ImpactItem {
    shown(
        reader,
        reached,
        if reached.distance > 1 { steps(reader, users, reached.symbol) } else { Vec::new() },
    )
}

fn shown(reader: &Reader, reached: &Reached, path: Vec<String>) -> ImpactItem {
    let symbol = reader.snapshot.symbol(reached.symbol);
    ImpactItem {
        symbol: shown_name(reader, reached.symbol),
        kind: symbol.kind().name().to_owned(),
        file: symbol.path().to_owned(),
        line: symbol.start_line(),
        distance: reached.distance,
        confidence: (f64::from(reached.confidence) * 1e4).round() / 1e4,
        certainty: certainty(reached.confidence).to_owned(),
        through: format!(
            "{} {} at {}:{}",
            reached.via.name(),
            shown_name(reader, reached.through),
            symbol.path(),
            reached.line
        ),
        path,
        test: reader.catalog.is_test(reached.symbol),
    }
}
