//! What the linker reads of all files, in memory.

use contextd_link::{LinkFile, is_manifest};
use contextd_model::facts::FactsView;
use contextd_snapshot::{LinkRows, Segment, Wanted};
use rayon::prelude::*;
use std::ops::Range;

/// Memory for the facts of the files of all segments.
#[derive(Default)]
pub struct Rows {
    rows: Vec<LinkRows>,
}

impl Rows {
    /// Reads the facts of every file, in global order.
    pub fn read<'r>(&'r mut self, segments: &'r [Segment]) -> Vec<LinkFile<'r>> {
        let places: Vec<(&Segment, u32)> = segments
            .iter()
            .flat_map(|segment| (0..segment.file_count()).map(move |file| (segment, file)))
            .collect();
        self.rows.resize_with(places.len(), LinkRows::default);
        // Runs of neighbours go to one thread: they share the strings of their segment.
        let files = self.rows.par_iter_mut().with_min_len(32).zip(places.par_iter());
        files
            .map(|(rows, &(segment, file))| LinkFile {
                path: segment.path(file),
                view: segment.facts(file, wanted(segment.path(file)), rows).unwrap_or(EMPTY),
            })
            .collect()
    }
}

/// Of a manifest the linker reads the values, which only whole facts hold.
fn wanted(path: &str) -> Wanted {
    if is_manifest(path) { Wanted::All } else { Wanted::Links }
}

/// Returns the number of each file's first symbol, and the total at the end.
pub fn first_symbols(segments: &[Segment]) -> Vec<u32> {
    let mut first = vec![0];
    let mut start = 0;
    for segment in segments {
        first.extend(
            (0..segment.file_count()).map(|file| start + segment.symbols_of_file(file).end),
        );
        start += segment.symbol_count();
    }
    first
}

/// Returns the numbers of a file's symbols.
pub fn symbols_of(first: &[u32], file: usize) -> Range<u32> {
    first[file]..first[file + 1]
}

/// What a damaged record reads as; the segment's checksum is verified by `doctor`.
pub const EMPTY: FactsView<'static> = FactsView {
    language: 0,
    flags: 0,
    lines: 0,
    size: 0,
    package: contextd_model::StrId::EMPTY,
    strings: contextd_model::strings::CheckedStrings { text: "", ends: &[] },
    symbols: &[],
    refs: &[],
    imports: &[],
    bases: &[],
    bindings: &[],
    chunks: &[],
};
