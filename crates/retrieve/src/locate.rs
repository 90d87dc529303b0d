//! Candidates and signals for the places that a request will change: definitions of the best files, what
//! the guesses name, and code outside of functions.

use crate::catalog::{Catalog, flag};
use crate::evidence::{self, Evidence, Window, group};
use crate::guesses::Guesses;
use crate::signals::{Signals, at};
use crate::task::Sources;
use crate::ties::NONE;
use crate::understand::Query;
use contextd_model::SymbolKind;
use contextd_model::facts::{BLOCK_LINES, modifier};
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// Files whose definitions become candidates.
const FILES: usize = 40;
/// Definitions, and pieces outside of functions, of one of the best files and of one behind them.
const OF_BEST: (usize, usize) = (30, 16);
const OF_FILE: (usize, usize) = (12, 6);
/// Files that count as the best.
const BEST_FILES: usize = 12;
/// Functions from so many lines on are shown and ranked by their windows.
const LONG: u32 = 80;
/// Windows of one function.
const WINDOWS: usize = 3;
/// Shortest piece, in lines.
const SHORTEST_PIECE: u32 = 2;
/// Pieces of one block of lines.
const PIECES_OF_BLOCK: usize = 2;
/// A commit so many commits ago counts a third.
const ACTIVITY_FADE: f32 = 1_000.0;
/// Longest file that is cut into pieces.
const LONGEST_FILE: u32 = 60_000;

/// Lines outside of functions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// The type around it, else the file.
    pub symbol: u32,
    pub lines: (u32, u32),
    pub window: Window,
}

/// What the words and the guesses say of one request.
pub(crate) struct Located {
    pub evidence: Evidence,
    pub guesses: Guesses,
    /// Files by what their best blocks come to, best first.
    files: Vec<(u32, f32)>,
    ranks: FxHashMap<u32, (u32, f32, evidence::ByGroup)>,
    /// How surely guesses name what each file defines, added up.
    exact_files: FxHashMap<u32, f32>,
    /// How much each file was worked on.
    activity: Vec<f32>,
    /// Definitions to rank beside those that other channels found.
    pub symbols: Vec<u32>,
    pub pieces: Vec<Piece>,
}

impl Located {
    pub(crate) fn of(sources: &Sources<'_>, query: &Query) -> Located {
        let Sources { snapshot, catalog, parameters, .. } = *sources;
        let evidence = evidence::gather(snapshot, catalog, query, parameters.common_path);
        let guesses = Guesses::new(snapshot, query);
        let mut ranks: FxHashMap<u32, (u32, f32, evidence::ByGroup)> = FxHashMap::default();
        let mut files: Vec<(u32, f32)> = Vec::with_capacity(evidence.file_hits.len());
        for &file in &evidence.file_hits {
            let (most, sum) = evidence.file_blocks(catalog, file);
            let prior = parameters.prior(catalog.file_flags[file as usize], query);
            ranks.insert(file, (0, sum * prior, most));
            files.push((file, sum * prior));
        }
        let files = crate::task::top(files, usize::MAX);
        for (rank, (file, _)) in files.iter().enumerate() {
            if let Some(row) = ranks.get_mut(file) {
                row.0 = rank as u32;
            }
        }
        let symbols = guesses.named();
        let mut exact_files: FxHashMap<u32, f32> = FxHashMap::default();
        for &symbol in &symbols {
            *exact_files.entry(catalog.file[symbol as usize]).or_default() +=
                guesses.exact(symbol).0;
        }
        let activity = sources.commits.map(|commits| {
            commits.activity(snapshot.file_count() as usize, sources.hidden, ACTIVITY_FADE)
        });
        let mut located = Located {
            evidence,
            guesses,
            files,
            ranks,
            exact_files,
            activity: activity.unwrap_or_default(),
            symbols,
            pieces: Vec::new(),
        };
        for at in 0..located.files.len().min(FILES) {
            let file = located.files[at].0;
            let (definitions, pieces) = if at < BEST_FILES { OF_BEST } else { OF_FILE };
            located.add_definitions(snapshot, catalog, file, definitions);
            located.add_pieces(snapshot, catalog, file, pieces);
        }
        located.symbols.sort_unstable();
        located.symbols.dedup();
        located
    }

    /// Adds the best definitions of a file by their windows and names.
    fn add_definitions(&mut self, snapshot: &Snapshot, catalog: &Catalog, file: u32, most: usize) {
        let mut found: Vec<(u32, f32)> = Vec::new();
        for symbol in catalog.symbols_of_file(file as usize).skip(1) {
            if !catalog.is_code(symbol) {
                continue;
            }
            let named = self
                .evidence
                .names
                .get(&symbol)
                .map_or(0.0, |by_group| 2.0 * evidence::together(by_group));
            let window = if is_data(catalog.kind[symbol as usize]) {
                0.0
            } else {
                self.evidence.window(snapshot, catalog, symbol).score
            };
            if named + window > 0.0 {
                found.push((symbol, named + window));
            }
        }
        self.symbols.extend(crate::task::top(found, most).into_iter().map(|(symbol, _)| symbol));
    }

    /// Adds the best runs of lines outside of functions.
    fn add_pieces(&mut self, snapshot: &Snapshot, catalog: &Catalog, file: u32, most: usize) {
        let lines = snapshot.file(file).lines();
        if lines == 0 || lines > LONGEST_FILE {
            return;
        }
        let symbols = catalog.symbols_of_file(file as usize);
        let mut inside = vec![false; lines as usize + 2];
        let callable =
            |symbol: u32| SymbolKind::from_byte(catalog.kind[symbol as usize]).is_callable();
        for symbol in symbols.clone().skip(1).filter(|&symbol| callable(symbol)) {
            let of = snapshot.symbol(symbol);
            let (first, last) = (of.start_line().max(1), of.end_line().min(lines));
            for line in first..=last {
                inside[line as usize] = true;
            }
        }
        let ties = catalog.ties(snapshot);
        let outside = |cell: u32| {
            let mut symbol = ties.cell_symbols.get(cell as usize).copied().unwrap_or(NONE);
            while symbol != NONE {
                if callable(symbol) {
                    return false;
                }
                symbol = ties.parent[symbol as usize];
            }
            true
        };
        let first_block = catalog.block_starts[file as usize];
        let mut by_block: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for cell in snapshot.cells_of_file(file) {
            if evidence::together(&self.evidence.cell(cell)) > 0.0 && outside(cell) {
                let block = catalog.cell_blocks[cell as usize] - first_block;
                by_block.entry(block).or_default().push(cell);
            }
        }
        let mut found: Vec<Piece> = Vec::new();
        for (block, cells) in by_block.into_iter() {
            let window = self.evidence.window_of_cells(catalog, cells.into_iter());
            let (first, last) = (block * BLOCK_LINES + 1, ((block + 1) * BLOCK_LINES).min(lines));
            for lines in runs(&inside, first, last) {
                let symbol = container(snapshot, symbols.clone(), lines.0);
                found.push(Piece { symbol, lines, window });
            }
        }
        found.sort_by(|a, b| b.window.score.total_cmp(&a.window.score).then(a.lines.cmp(&b.lines)));
        found.truncate(most);
        self.pieces.extend(found);
    }

    /// Returns the windows of a long function, best first, each with its lines; nothing for others.
    pub(crate) fn windows(&self, sources: &Sources<'_>, symbol: u32) -> Vec<(Window, (u32, u32))> {
        let Sources { snapshot, catalog, .. } = *sources;
        let of = snapshot.symbol(symbol);
        if !of.kind().is_callable() || of.line_count() < LONG {
            return Vec::new();
        }
        let windows = self.evidence.windows(snapshot, catalog, symbol, WINDOWS);
        windows
            .into_iter()
            .filter_map(|window| Some((window, lines_of(snapshot, symbol, &window)?)))
            .collect()
    }

    /// Sets what a window of a long function says, of which `part` match better.
    pub(crate) fn set_part(
        &self,
        part: usize,
        window: &Window,
        lines: (u32, u32),
        signals: &mut Signals,
    ) {
        self.set_window(signals, window);
        signals[at::WINDOW_PART] = part as f32;
        signals[at::LINES] = (2.0 + (lines.1 - lines.0) as f32).ln();
    }

    /// Sets what words and guesses say of a definition.
    pub(crate) fn set(
        &mut self,
        sources: &Sources<'_>,
        query: &Query,
        symbol: u32,
        signals: &mut Signals,
    ) -> Window {
        let Sources { snapshot, catalog, .. } = *sources;
        let of = snapshot.symbol(symbol);
        let window = if of.cells().is_empty() {
            Window::default()
        } else {
            self.evidence.window(snapshot, catalog, symbol)
        };
        self.set_window(signals, &window);
        if let Some(by_group) = self.evidence.names.get(&symbol) {
            signals[at::TITLE_NAME] = by_group[group::TITLE];
            signals[at::BODY_NAME] = by_group[group::BODY];
            signals[at::NAMES_NAME] = by_group[group::NAMES];
        }
        let (exact, count) = self.guesses.exact(symbol);
        signals[at::GUESS_EXACT] = exact;
        signals[at::GUESS_COUNT] = count;
        let parent = of.parent().map(|parent| snapshot.symbol(parent));
        if let Some(parent) = parent.filter(|parent| parent.kind() != SymbolKind::File) {
            signals[at::GUESS_SCOPE] = self.guesses.scope(parent.name());
        }
        signals[at::GUESS_LIKE] = self.guesses.likeness(of.name());
        signals[at::DECLARED_ONLY] = flag_of(of.has(modifier::DECLARATION));
        self.set_file(sources, query, symbol, signals);
        window
    }

    /// Sets what words and guesses say of code outside of functions; names are of its container.
    pub(crate) fn set_piece(
        &mut self,
        sources: &Sources<'_>,
        query: &Query,
        piece: &Piece,
        signals: &mut Signals,
    ) {
        self.set_window(signals, &piece.window);
        signals[at::IS_PIECE] = 1.0;
        signals[at::LINES] = (2.0 + (piece.lines.1 - piece.lines.0) as f32).ln();
        self.set_file(sources, query, piece.symbol, signals);
    }

    fn set_window(&self, signals: &mut Signals, window: &Window) {
        let by_group = &window.by_group;
        signals[at::TITLE_WINDOW] = by_group[group::TITLE];
        signals[at::BODY_WINDOW] = by_group[group::BODY];
        signals[at::NAMES_WINDOW] = by_group[group::NAMES];
        signals[at::WRITTEN_WINDOW] = by_group[group::WRITTEN];
        signals[at::GUESSED_WINDOW] = by_group[group::GUESSED];
        signals[at::WINDOW] = window.score;
        let mass = evidence::together(&self.evidence.mass);
        signals[at::WINDOW_SHARE] = window.score / mass.max(f32::MIN_POSITIVE);
    }

    fn set_file(
        &mut self,
        sources: &Sources<'_>,
        query: &Query,
        symbol: u32,
        signals: &mut Signals,
    ) {
        let Sources { snapshot, catalog, .. } = *sources;
        let file = catalog.file[symbol as usize];
        let by_group = self.evidence.files[file as usize];
        signals[at::TITLE_FILE] = by_group[group::TITLE];
        signals[at::BODY_FILE] = by_group[group::BODY];
        signals[at::NAMES_FILE] = by_group[group::NAMES];
        signals[at::WRITTEN_FILE] = by_group[group::WRITTEN];
        signals[at::GUESSED_FILE] = by_group[group::GUESSED];
        let path = self.evidence.paths.get(&file).copied().unwrap_or_default();
        signals[at::TITLE_PATH] = path[group::TITLE];
        signals[at::NAMES_PATH] = path[group::NAMES];
        let defined = self.evidence.defined.get(&file).copied().unwrap_or_default();
        signals[at::TITLE_DEFINED] = defined[group::TITLE];
        signals[at::NAMES_DEFINED] = defined[group::NAMES];
        let cover = self.evidence.cover[file as usize];
        let share = |group: usize| cover[group] / self.evidence.mass[group].max(f32::MIN_POSITIVE);
        signals[at::TITLE_COVER] = share(group::TITLE);
        signals[at::BODY_COVER] = share(group::BODY);
        signals[at::NAMES_COVER] = share(group::NAMES);
        signals[at::WRITTEN_COVER] = share(group::WRITTEN);
        signals[at::GUESSED_COVER] = share(group::GUESSED);
        signals[at::EXACT_FILE] = self.exact_files.get(&file).copied().unwrap_or(0.0);
        signals[at::ACTIVITY] = self.activity.get(file as usize).copied().unwrap_or(0.0);
        let best = self.files.first().map_or(0.0, |&(_, score)| score).max(f32::MIN_POSITIVE);
        let last = self.files.len() as u32;
        let (rank, score, most) =
            self.ranks.get(&file).copied().unwrap_or((last, 0.0, evidence::ByGroup::default()));
        signals[at::TITLE_BLOCK] = most[group::TITLE];
        signals[at::BODY_BLOCK] = most[group::BODY];
        signals[at::NAMES_BLOCK] = most[group::NAMES];
        signals[at::GUESSED_BLOCK] = most[group::GUESSED];
        signals[at::FILE_SCORE] = score;
        signals[at::FILE_RANK] = (1.0 + rank as f32).ln();
        signals[at::FILE_GAP] = score / best;
        let path = snapshot.file(file).path();
        signals[at::GUESS_STEM] = self.guesses.likeness(stem(path));
        signals[at::PATH_WRITTEN] = self.guesses.path(path);
        let flags = catalog.flags[symbol as usize];
        signals[at::IS_TEST] = flag_of(flags & flag::TEST != 0 && !query.about_tests);
        signals[at::IS_ASIDE] = flag_of(flags & flag::ASIDE != 0);
        signals[at::IS_FOREIGN] = flag_of(flags & flag::FOREIGN != 0);
        signals[at::IS_CODE] = flag_of(flags & flag::CODE != 0);
        signals[at::DEPTH] = depth(catalog, snapshot, symbol) as f32;
        signals[at::FILE_LINES] = (1.0 + snapshot.file(file).lines() as f32).ln();
        signals[at::QUERY_WORDS] = (query.title.len() + query.body.len()) as f32;
        signals[at::QUERY_NAMES] = query.names.len() as f32;
        signals[at::HAS_BODY] = flag_of(!query.body.is_empty());
    }
}

/// Sets how many candidates of the same file have a better window.
pub(crate) fn set_window_ranks(files: &[u32], rows: &mut [&mut Signals]) {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| {
        files[a].cmp(&files[b]).then(rows[b][at::WINDOW].total_cmp(&rows[a][at::WINDOW]))
    });
    let (mut file, mut rank) = (u32::MAX, 0);
    for place in order {
        if files[place] != file {
            (file, rank) = (files[place], 0);
        }
        rows[place][at::WINDOW_RANK] = (1.0 + rank as f32).ln();
        rank += 1;
    }
}

fn flag_of(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

fn is_data(kind: u8) -> bool {
    matches!(
        SymbolKind::from_byte(kind),
        SymbolKind::Field
            | SymbolKind::Variant
            | SymbolKind::Property
            | SymbolKind::Constant
            | SymbolKind::Variable
    )
}

/// Returns the name of a file without folders and endings; of one named for its role, the folder.
fn stem(path: &str) -> &str {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').find(|part| !part.is_empty()).unwrap_or(file);
    if matches!(stem, "__init__" | "index" | "mod" | "lib" | "main") && !folder.is_empty() {
        folder.rsplit('/').next().unwrap_or(folder)
    } else {
        stem
    }
}

fn depth(catalog: &Catalog, snapshot: &Snapshot, symbol: u32) -> u32 {
    let ties = catalog.ties(snapshot);
    let (mut depth, mut at) = (0, ties.parent[symbol as usize]);
    while at != NONE && depth < 20 {
        depth += 1;
        at = ties.parent[at as usize];
    }
    depth
}

/// Returns the longest runs of lines in a block that are not inside of functions, in order.
fn runs(inside: &[bool], first: u32, last: u32) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for line in (first..=last).filter(|&line| !inside[line as usize]) {
        match found.last_mut() {
            Some((_, end)) if *end + 1 == line => *end = line,
            _ => found.push((line, line)),
        }
    }
    found.retain(|(first, last)| last - first + 1 >= SHORTEST_PIECE);
    found.sort_by_key(|&(first, last)| (std::cmp::Reverse(last - first), first));
    found.truncate(PIECES_OF_BLOCK);
    found.sort_unstable();
    found
}

/// Returns the innermost type or section around a line, else the file.
fn container(snapshot: &Snapshot, symbols: std::ops::Range<u32>, line: u32) -> u32 {
    let around = |&symbol: &u32| {
        let of = snapshot.symbol(symbol);
        (of.kind().is_type() || of.kind() == SymbolKind::Section)
            && of.start_line() <= line
            && line <= of.end_line()
    };
    symbols.clone().skip(1).rfind(around).unwrap_or(symbols.start)
}

/// Returns the lines of a symbol's best window; none where that is the whole symbol.
pub(crate) fn lines_of(snapshot: &Snapshot, symbol: u32, window: &Window) -> Option<(u32, u32)> {
    if window.score <= 0.0 {
        return None;
    }
    let of = snapshot.symbol(symbol);
    let first = (window.blocks.0 * BLOCK_LINES + 1).max(of.start_line());
    let last = ((window.blocks.1 + 1) * BLOCK_LINES).min(of.end_line());
    (first <= last && (first, last) != (of.start_line(), of.end_line())).then_some((first, last))
}
