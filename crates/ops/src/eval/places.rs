//! Answers of a ranking as evaluation reads and writes them.

use contextd_engine::Reader;
use contextd_retrieve::{Query, Sources, Weights, search, task};
use serde::Serialize;

/// One answer: a symbol, or a range of lines with the symbol it shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    pub symbol: String,
    pub kind: String,
    pub file: String,
    pub start_line: u32,
    pub end_line: u32,
    pub score: f32,
}

/// Which ranking answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalRanking {
    #[default]
    Task,
    Search,
    /// Told apart by the shape of each request.
    Auto,
}

impl EvalRanking {
    /// Returns the ranking that answers a request.
    pub fn of(self, query: &Query) -> EvalRanking {
        match self {
            EvalRanking::Auto if query.shape == contextd_retrieve::Shape::Task => EvalRanking::Task,
            EvalRanking::Auto => EvalRanking::Search,
            named => named,
        }
    }
}

/// Answers a request with at most `k` places, best first.
pub fn places(
    reader: &Reader,
    sources: &Sources<'_>,
    query: &Query,
    weights: &Weights,
    ranking: EvalRanking,
    k: usize,
) -> Vec<Place> {
    match ranking.of(query) {
        EvalRanking::Task => task::rank(sources, query, weights)
            .iter()
            .take(k)
            .map(|hit| place(reader, hit.symbol, hit.lines, hit.score))
            .collect(),
        _ => {
            let ranked = search::rank(sources, query, weights, k);
            let ranges =
                ranked.iter().flat_map(|file| file.ranges.iter().map(|range| (file.score, range)));
            ranges
                .take(k)
                .map(|(score, range)| {
                    place(reader, range.symbol, Some((range.start_line, range.end_line)), score)
                })
                .collect()
        }
    }
}

fn place(reader: &Reader, number: u32, lines: Option<(u32, u32)>, score: f32) -> Place {
    let symbol = reader.snapshot.symbol(number);
    let (start_line, end_line) = lines.unwrap_or((symbol.start_line(), symbol.end_line()));
    Place {
        symbol: symbol.qualified().into_owned(),
        kind: symbol.kind().name().to_owned(),
        file: symbol.path().to_owned(),
        start_line,
        end_line,
        score,
    }
}
