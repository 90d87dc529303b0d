//! Paths: types and functions of files whose own name or folder the request's words name.

use super::{Channel, Found};
use crate::providers::Provider;
use crate::search::Stems;
use crate::task::top;
use contextd_model::SymbolKind;

pub struct Paths;

/// Files whose symbols are taken.
const FILES: usize = 30;

impl Channel for Paths {
    fn id(&self) -> &'static str {
        "paths"
    }

    fn provider(&self) -> Provider {
        Provider::Symbol
    }

    fn weight(&self) -> f32 {
        1.5
    }

    fn scores(&self, found: &Found<'_>) -> Vec<(u32, f32)> {
        let (snapshot, catalog) = (found.sources.snapshot, found.sources.catalog);
        let stems = Stems::new(found.query);
        let files = top(
            (0..snapshot.file_count())
                .map(|file| (file, stems.coverage(snapshot.file(file).path())))
                .collect(),
            FILES,
        );
        let worth = |symbol: u32| match SymbolKind::from_byte(catalog.kind[symbol as usize]) {
            kind if kind.is_type() => 1.0,
            SymbolKind::Function => 0.8,
            _ => 0.0,
        };
        files
            .into_iter()
            .flat_map(|(file, coverage)| {
                snapshot.symbols_of_file(file).map(move |symbol| (symbol, coverage * worth(symbol)))
            })
            .collect()
    }
}
