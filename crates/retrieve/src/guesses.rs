//! The caller's guesses, compared with names of symbols and files.

use crate::understand::Query;
use contextd_lang::terms::{self, Terms};
use contextd_snapshot::Snapshot;
use rustc_hash::FxHashMap;

/// Symbols with one name beyond which the name tells nothing apart.
const MOST_NAMESAKES: usize = 40;
/// Most different words of guesses that are compared.
const MOST_WORDS: usize = 64;
/// Shortest guess that can name something.
const SHORTEST: usize = 3;

/// The guesses, ready to be compared with many names.
pub(crate) struct Guesses {
    /// Words of all guesses, by stem, with their places in the masks.
    words: FxHashMap<String, u32>,
    /// The words of each guess.
    masks: Vec<u64>,
    /// Symbols that a guess names: how well, and how many share the name.
    exact: FxHashMap<u32, (f32, f32)>,
    /// Names in lower case that a guess may mean as scope.
    scopes: Vec<String>,
    /// Paths and file names that the request or a guess has, in lower case.
    paths: Vec<String>,
    memory: Terms,
}

impl Guesses {
    pub(crate) fn new(snapshot: &Snapshot, query: &Query) -> Guesses {
        let mut guesses = Guesses {
            words: FxHashMap::default(),
            masks: Vec::new(),
            exact: FxHashMap::default(),
            scopes: Vec::new(),
            paths: query.paths.iter().map(|path| path.to_lowercase()).collect(),
            memory: Terms::default(),
        };
        for name in &query.names {
            guesses.add(snapshot, name);
        }
        guesses
    }

    fn add(&mut self, snapshot: &Snapshot, name: &str) {
        let mut mask = 0;
        for identifier in terms::identifiers(name) {
            let (words, memory) = (&mut self.words, &mut self.memory);
            terms::parts(identifier, |part| {
                let stem = memory.stem(part).to_owned();
                let next = words.len() as u32;
                if stem.len() > 1 && (words.len() < MOST_WORDS || words.contains_key(&stem)) {
                    mask |= 1 << *words.entry(stem).or_insert(next);
                }
            });
        }
        if mask != 0 {
            self.masks.push(mask);
        }
        if is_path(name) {
            self.paths.push(name.to_lowercase());
        }
        let identifiers: Vec<&str> = terms::identifiers(name).collect();
        let Some(last) = identifiers.last() else { return };
        let joined = name.split_whitespace().count() > 1;
        // `a.b.c` names c; of words with spaces only what is written as one can be a name.
        let candidates: &[&str] = if joined { &identifiers } else { std::slice::from_ref(last) };
        for candidate in candidates {
            let sure = if joined && !is_compound(candidate) { 0.0 } else { strength(candidate) };
            if sure > 0.0 {
                self.add_exact(snapshot, candidate, sure);
            }
        }
        self.scopes.extend(
            identifiers
                .iter()
                .filter(|scope| scope.len() >= SHORTEST && !joined)
                .map(|scope| scope.to_lowercase()),
        );
    }

    fn add_exact(&mut self, snapshot: &Snapshot, name: &str, sure: f32) {
        let symbols = snapshot.symbols_named_like(name);
        if symbols.len() > MOST_NAMESAKES {
            return;
        }
        let count = symbols.len() as f32;
        for symbol in symbols {
            let (best, _) = self.exact.entry(symbol).or_insert((0.0, count));
            *best = best.max(sure / count.sqrt());
        }
    }

    /// Returns the symbols that a guess names, rising.
    pub(crate) fn named(&self) -> Vec<u32> {
        let mut symbols: Vec<u32> = self.exact.keys().copied().collect();
        symbols.sort_unstable();
        symbols
    }

    /// Returns how surely a guess names a symbol, and how many have that name.
    pub(crate) fn exact(&self, symbol: u32) -> (f32, f32) {
        self.exact.get(&symbol).copied().unwrap_or_default()
    }

    /// Returns 1 when a guess is the name of the scope.
    pub(crate) fn scope(&self, name: &str) -> f32 {
        let name = name.to_lowercase();
        if name.len() >= SHORTEST && self.scopes.contains(&name) { 1.0 } else { 0.0 }
    }

    /// Returns how alike a name and the most similar guess are: shared words over all words.
    pub(crate) fn likeness(&mut self, name: &str) -> f32 {
        let (mut mask, mut count) = (0u64, 0u32);
        let Guesses { words, masks, memory, .. } = self;
        if masks.is_empty() {
            return 0.0;
        }
        for identifier in terms::identifiers(name) {
            terms::parts(identifier, |part| {
                count += 1;
                if let Some(place) = words.get(memory.stem(part)) {
                    mask |= 1 << place;
                }
            });
        }
        let alike = |guess: &u64| {
            let shared = (guess & mask).count_ones();
            shared as f32 / (count + guess.count_ones() - shared).max(1) as f32
        };
        masks.iter().map(alike).fold(0.0, f32::max)
    }

    /// Returns how well a path that the request or a guess writes fits a file's path.
    pub(crate) fn path(&self, path: &str) -> f32 {
        let path = path.to_lowercase();
        let fits = |written: &String| {
            let written = written.trim_start_matches(['.', '/']);
            let stem = |text: &str| {
                let file = text.rsplit('/').next().unwrap_or(text);
                file.split('.').next().unwrap_or(file).to_owned()
            };
            if path == written || path.ends_with(&format!("/{written}")) {
                if written.contains('/') { 1.0 } else { 0.8 }
            } else if written.contains('/') && path.contains(written) {
                0.6
            } else if written.contains('.') && stem(&path) == stem(written) {
                0.4
            } else {
                0.0
            }
        };
        self.paths.iter().map(fits).fold(0.0, f32::max)
    }
}

/// Returns how surely an identifier is a name rather than a word.
fn strength(identifier: &str) -> f32 {
    match identifier.chars().count() {
        0..SHORTEST => 0.0,
        _ if is_compound(identifier) => 1.0,
        3 => 0.3,
        _ => 0.5,
    }
}

fn is_compound(identifier: &str) -> bool {
    let mut parts = 0;
    terms::parts(identifier, |_| parts += 1);
    parts > 1
}

fn is_path(name: &str) -> bool {
    let name = name.trim();
    !name.contains(char::is_whitespace)
        && (name.contains('/')
            || name.rsplit_once('.').is_some_and(|(stem, extension)| {
                !stem.is_empty()
                    && contextd_lang::detect(name, "").name() != "text"
                    && extension.chars().all(|c| c.is_ascii_alphanumeric())
            }))
}

/// Returns the guesses that stand nowhere: no symbol has the name, no text the identifier.
pub fn absent(snapshot: &Snapshot, query: &Query) -> Vec<String> {
    let stands =
        |term: &str| snapshot.segments().iter().any(|segment| segment.term(term).is_some());
    let mut memory = Terms::default();
    let mut is_absent = |name: &String| {
        let identifiers: Vec<&str> = terms::identifiers(name).collect();
        !identifiers.iter().all(|identifier| {
            if is_compound(identifier) {
                stands(&terms::compound(identifier))
                    || !snapshot.symbols_named_like(identifier).is_empty()
            } else {
                stands(memory.stem(identifier))
            }
        })
    };
    query.names.iter().filter(|name| is_absent(name)).cloned().collect()
}
