//! Commits and the symbols of a snapshot whose lines they changed.

use crate::engine::Engine;
use crate::reader::Reader;
use contextd_history::{LineLabels, Outline, Repository, SymbolTouch, TouchQuery, UNLABELLED};

/// Commits of one file that are looked at for one symbol: the newest ones tell most.
const MOST_COMMITS: usize = 200;

impl Engine {
    /// Returns what the commits touched; labels are numbers of symbols, of the file itself for code outside
    /// of all. Files (by their numbers in the history, rising) narrow it; nothing where there is no repository.
    pub fn symbol_touches(
        &self,
        reader: &Reader,
        commits: &[u32],
        files: Option<&[u32]>,
    ) -> Vec<SymbolTouch> {
        let Ok(repository) = Repository::open(&self.places.root) else { return Vec::new() };
        let history = reader.history.view();
        let outline = |file: u32| self.outline(reader, history.path(file));
        let mut touches =
            repository.symbol_touches(history, &TouchQuery { files, commits, outline: &outline });
        for touch in touches.iter_mut().filter(|touch| touch.label == UNLABELLED) {
            if let Some(file) = reader.snapshot.find_file(history.path(touch.file)) {
                touch.label = reader.snapshot.symbols_of_file(file).start;
            }
        }
        touches
    }

    /// Returns the numbers of the newest commits that changed lines of a symbol or of what it holds.
    pub fn commits_of_symbol(&self, reader: &Reader, symbol: u32, most: usize) -> Vec<u32> {
        let history = reader.history.view();
        let named = reader.snapshot.symbol(symbol);
        let Some(file) = history.file(named.path()) else { return Vec::new() };
        let commits = history.file_commits(file);
        let newest = &commits[..commits.len().min(MOST_COMMITS)];
        let inside = |touch: &&SymbolTouch| {
            touch.label == symbol || named.descendants().contains(&touch.label)
        };
        let touches = self.symbol_touches(reader, newest, Some(&[file]));
        let mut found: Vec<u32> = touches.iter().filter(inside).map(|touch| touch.commit).collect();
        found.dedup();
        found.truncate(most);
        found
    }

    /// Reads a file as it is now with the spans it was indexed with; `None` when it is not as it was indexed.
    fn outline(&self, reader: &Reader, path: &str) -> Option<Outline> {
        let file = reader.snapshot.find_file(path)?;
        let read = self
            .scanner
            .read(path)
            .ok()
            .filter(|read| read.hash == reader.snapshot.file(file).hash())?;
        let spans: Vec<(u32, u32, u32)> = reader
            .snapshot
            .symbols_of_file(file)
            .skip(1)
            .map(|number| (reader.snapshot.symbol(number), number))
            .map(|(symbol, number)| (symbol.start_line(), symbol.end_line(), number))
            .collect();
        Some(Outline { text: read.text.into_bytes(), labels: LineLabels::of_spans(&spans) })
    }
}
