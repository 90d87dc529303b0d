//! `test_scope`: the tests that a change reaches, each with the way that leads to it.

use crate::answer::{Answer, TestHit, TestScope};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::TestsInput;
use crate::runners::{RUNNER_FORMATS, runner_lines, runner_name};
use contextd_engine::{Change, ChangeSource, Reader, SymbolChange};
use contextd_model::Severity;
use contextd_model::graph::KNOWN_CONFIDENCE;
use contextd_retrieve::{Reach, ReachOptions, Via, reach};
use std::collections::BTreeMap;

/// Steps of a way that are shown.
const SHOWN: usize = 8;

pub fn tests(context: &Context, input: TestsInput) -> Result<Answer, OpError> {
    let reader = context.reader()?;
    let (label, start, changed) = if input.paths.is_empty() {
        of_change(context, &reader, &input)?
    } else {
        of_paths(context, &reader, &input.paths)?
    };
    let reach =
        reach(&reader.snapshot, &reader.catalog, reader.suite(), &start, &ReachOptions::TESTS);
    let mut tests = hits(&reader, &reach);
    if !input.all {
        keep_likely(&mut tests, reader.suite().tests.len());
    }
    let total = reader.suite().tests.len() as u32;
    let found = tests.len() as u32;
    tests.truncate(input.limit.unwrap_or(u32::MAX) as usize);
    if let Some(format) = input.format.as_deref().filter(|format| RUNNER_FORMATS.contains(format)) {
        return Ok(Answer::Lines(runner_lines(format, &tests)));
    }
    Ok(Answer::Tests(TestScope { of: label, changed, found, total, tests, cut: reach.cut }))
}

/// Steps beyond the nearest test, and share of the surest one's confidence, from which on a test is left
/// out: what is reached only on long ways from code that tests reach on short ones seldom fails.
const FARTHER: u32 = 3;
const LIKELY: f64 = 0.6;
/// Steps beyond the nearest test that are still taken while all tests up to there are at most this share of
/// the suite: where everything leads to everything they tell nothing, elsewhere few tests cost little.
/// Chosen with the study (`bench/test_scope.py`) on a Python and two Rust repositories.
const FARTHEST: u32 = 6;
const FEW: f64 = 0.4;

/// Keeps the tests that are likely to notice the change, of a suite of `total`. Those that changed
/// themselves stay and do not raise the bar for the others.
pub fn keep_likely(tests: &mut Vec<TestHit>, total: usize) {
    let reached = || tests.iter().filter(|test| test.distance > 0);
    let best = reached().map(|test| test.confidence).fold(0.0, f64::max);
    let nearest = reached().map(|test| test.distance).min().unwrap_or(0);
    tests.retain(|test| test.distance == 0 || test.confidence >= LIKELY * best);
    let up_to = |limit: u32| tests.iter().filter(|test| test.distance <= limit).count() as f64;
    let few = |limit: &u32| up_to(*limit) <= FEW * total as f64;
    let farthest = (nearest + FARTHER + 1..=nearest + FARTHEST)
        .take_while(few)
        .last()
        .unwrap_or(nearest + FARTHER);
    tests.retain(|test| test.distance <= farthest);
}

/// What a change starts from: numbers with how sure it is that they run differently.
type Start = (String, Vec<(u32, f32)>, Vec<String>);

fn of_paths(context: &Context, reader: &Reader, paths: &[String]) -> Result<Start, OpError> {
    let snapshot = &reader.snapshot;
    let mut start = Vec::new();
    for path in paths {
        let plain = crate::packs::relative(context, path);
        let folder = format!("{}/", plain.trim_end_matches('/'));
        let files: Vec<u32> = match snapshot.find_file(&plain) {
            Some(file) => vec![file],
            None => (0..snapshot.file_count())
                .filter(|&file| snapshot.file(file).path().starts_with(&folder))
                .collect(),
        };
        if files.is_empty() {
            for symbol in crate::named::symbols(context, reader, path)?.into_iter().take(5) {
                start.push((symbol, 1.0));
                start.extend(snapshot.symbol(symbol).descendants().map(|member| (member, 1.0)));
            }
        }
        start.extend(
            files
                .iter()
                .flat_map(|&file| snapshot.symbols_of_file(file))
                .map(|symbol| (symbol, 1.0)),
        );
    }
    Ok((paths.join(", "), start, Vec::new()))
}

fn of_change(context: &Context, reader: &Reader, input: &TestsInput) -> Result<Start, OpError> {
    let source = match (&input.since, &input.patch) {
        (_, Some(patch)) => ChangeSource::Patch(patch.clone().into_bytes()),
        (Some(since), None) => ChangeSource::Range(since.clone()),
        (None, None) => ChangeSource::Branch,
    };
    let change = context.engine.change(&source, &reader.snapshot);
    refuse_unreadable(&change)?;
    let changed = change
        .symbols
        .iter()
        .map(|symbol| {
            format!(
                "{} {} {} ({}:{})",
                symbol.change.name(),
                symbol.kind.name(),
                symbol.name,
                symbol.path,
                symbol.lines.0
            )
        })
        .collect();
    let start = start_of(reader, &change);
    Ok((change.label, start, changed))
}

/// A revision that cannot be read is an error; what could only partly be read is not.
pub fn refuse_unreadable(change: &Change) -> Result<(), OpError> {
    match change.problems.iter().find(|problem| {
        change.files.is_empty()
            && (problem.severity == Severity::Error || problem.code == "CTX_I_HISTORY_NONE")
    }) {
        Some(problem) => Err(OpError {
            code: problem.code,
            message: problem.message.clone(),
            remedy: problem.remedy.clone(),
        }),
        None => Ok(()),
    }
}

/// Returns where the walk begins: changed symbols, what is left of removed ones, files whose loose code changed.
pub fn start_of(reader: &Reader, change: &Change) -> Vec<(u32, f32)> {
    let snapshot = &reader.snapshot;
    let mut start: BTreeMap<u32, f32> = BTreeMap::new();
    let mut add = |symbol: u32, sure: f32| {
        let kept = start.entry(symbol).or_insert(0.0);
        *kept = kept.max(sure);
    };
    for symbol in change.symbols.iter().filter(|symbol| symbol.change != SymbolChange::Doc) {
        if let Some(number) = symbol.number {
            add(number, 1.0);
            continue;
        }
        // What used a removed member uses its type, or else its file.
        let owner = symbol.name.rsplit_once('.').map(|(owner, _)| owner);
        let file = snapshot.find_file(&symbol.path);
        let left = file.and_then(|file| {
            snapshot
                .symbols_of_file(file)
                .skip(1)
                .find(|&other| Some(snapshot.symbol(other).qualified().as_ref()) == owner)
        });
        if let Some(number) = left.or_else(|| file.map(|file| snapshot.symbols_of_file(file).start))
        {
            add(number, 0.7);
        }
    }
    for file in change.files.iter().filter(|file| file.loose) {
        if let Some(number) = snapshot.find_file(&file.path) {
            add(snapshot.symbols_of_file(number).start, 0.7);
        }
    }
    start.into_iter().collect()
}

/// Returns the tests that were reached, the surest and nearest first.
pub fn hits(reader: &Reader, reach: &Reach) -> Vec<TestHit> {
    let mut found: Vec<(u32, f32, u32)> = reader
        .suite()
        .tests
        .iter()
        .filter_map(|&test| {
            reach.get(test).map(|reached| (test, reached.confidence, reached.distance))
        })
        .collect();
    found.sort_by(|a, b| {
        b.1.total_cmp(&a.1)
            .then(a.2.cmp(&b.2))
            .then_with(|| {
                reader.snapshot.symbol(a.0).path().cmp(reader.snapshot.symbol(b.0).path())
            })
            .then(a.0.cmp(&b.0))
    });
    found
        .into_iter()
        .map(|(test, confidence, distance)| hit(reader, reach, test, confidence, distance))
        .collect()
}

fn hit(reader: &Reader, reach: &Reach, test: u32, confidence: f32, distance: u32) -> TestHit {
    let symbol = reader.snapshot.symbol(test);
    let name = runner_name(reader, test);
    TestHit {
        id: name.id,
        symbol: shown_name(reader, test),
        file: symbol.path().to_owned(),
        line: symbol.start_line(),
        runner: name.runner.to_owned(),
        target: name.target,
        name: name.name,
        distance,
        confidence: (f64::from(confidence) * 1e4).round() / 1e4,
        certainty: certainty(confidence).to_owned(),
        path: steps(reader, reach, test),
    }
}

/// Tells what is known from what is guessed.
pub fn certainty(confidence: f32) -> &'static str {
    if confidence * 100.0 >= f32::from(KNOWN_CONFIDENCE) { "known" } else { "guessed" }
}

/// Returns the way that leads from a reached symbol to the change, a step each.
pub fn steps(reader: &Reader, reach: &Reach, symbol: u32) -> Vec<String> {
    let way = reach.way(symbol);
    let step = |at: usize| {
        let reached = &way[at];
        let place = if reached.line > 0 {
            format!(
                " at {}:{}",
                holder(reader, reached.symbol, reached.through, reached.via),
                reached.line
            )
        } else {
            String::new()
        };
        format!(
            "{} {} {}{place}",
            shown_name(reader, reached.symbol),
            word(reached.via),
            shown_name(reader, reached.through)
        )
    };
    let count = way.iter().filter(|reached| reached.distance > 0).count();
    (0..count.min(SHOWN)).map(step).collect()
}

/// The file that shows the step: the user's, except where the used one declares it.
fn holder(reader: &Reader, user: u32, used: u32, via: Via) -> String {
    let at = if matches!(via, Via::Edge(_) | Via::Load) { user } else { used };
    reader.snapshot.symbol(at).path().to_owned()
}

fn word(via: Via) -> &'static str {
    match via {
        Via::Dispatch => "may dispatch to",
        Via::Type => "is the type of",
        Via::Inside => "holds",
        Via::Load => "loads",
        Via::Fixture => "runs after",
        Via::Name => "is named after",
        Via::Edge(kind) => kind.name(),
    }
}

/// Returns the qualified name of a symbol, the path of a file.
pub fn shown_name(reader: &Reader, number: u32) -> String {
    let symbol = reader.snapshot.symbol(number);
    if symbol.parent().is_none() {
        symbol.path().to_owned()
    } else {
        symbol.qualified().into_owned()
    }
}

#[cfg(test)]
mod keeping {
    use super::*;

    fn kept(distances: &[u32], total: usize) -> Vec<u32> {
        let mut tests: Vec<TestHit> = distances
            .iter()
            .map(|&distance| TestHit {
                id: String::new(),
                symbol: String::new(),
                file: String::new(),
                line: 1,
                runner: String::new(),
                target: String::new(),
                name: String::new(),
                distance,
                confidence: 1.0,
                certainty: String::new(),
                path: Vec::new(),
            })
            .collect();
        keep_likely(&mut tests, total);
        tests.iter().map(|test| test.distance).collect()
    }

    #[test]
    fn far_tests_stay_while_they_are_few() {
        assert_eq!(kept(&[1, 4, 5, 7, 8], 20), [1, 4, 5, 7]);
        assert_eq!(kept(&[1, 4, 5, 7, 8], 10), [1, 4, 5, 7]);
        assert_eq!(kept(&[1, 4, 5, 7, 8], 8), [1, 4, 5]);
        assert_eq!(kept(&[1, 4, 5, 7, 8], 5), [1, 4]);
        assert_eq!(kept(&[0, 9], 5), [0, 9]);
    }
}
