//! Whether documents still agree with the code they cover.
//!
//! A [`Pair`] holds a document, or a section of one, against definitions. A [`Lock`] keeps what both
//! were when somebody last said that they agree; [`compare`] says what has moved since.

mod lock;

pub use lock::{Lock, Recorded};

use crate::coverage::Covered;
use std::collections::{BTreeMap, BTreeSet};

/// What a pair is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub doc: String,
    /// Heading of the section; empty for the whole document.
    pub section: String,
    /// Node that joins both; empty when the document names its code itself.
    pub ref_id: String,
}

/// A document and the code it covers, as they are now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    pub key: Key,
    pub doc_hash: String,
    pub covers: Vec<Covered>,
    /// Only names and signatures count.
    pub interface_only: bool,
    /// Words of the document, lower-case, to see which modules it mentions.
    pub mentions: BTreeSet<String>,
    /// Folders of the node's source, where files may come and go.
    pub folders: Vec<String>,
    /// Names of code that the document gives and nothing has now.
    pub missing: Vec<String>,
    /// Line at which the section begins.
    pub line: u32,
}

/// Why a document is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A covered definition's text changed.
    HashChanged,
    /// Definitions came, went, or changed their signature.
    SymbolsChanged,
    /// A new file lies in the covered folder; the document mentions it.
    UntrackedFiles,
    /// A new file lies in the covered folder; the document does not mention it.
    MissingModules,
    /// There is a lock, and the pair is not in it.
    Unrecorded,
}

impl Reason {
    /// Returns the name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Reason::HashChanged => "hash_changed",
            Reason::SymbolsChanged => "symbols_changed",
            Reason::UntrackedFiles => "untracked_files",
            Reason::MissingModules => "missing_modules",
            Reason::Unrecorded => "unrecorded",
        }
    }
}

/// What holds for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Stale,
    /// Nothing is recorded in the whole repository, so nothing can be said.
    Unknown,
    Fresh,
}

impl Status {
    /// Returns the name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Status::Stale => "stale",
            Status::Unknown => "unknown",
            Status::Fresh => "ok",
        }
    }
}

/// The state of one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub key: Key,
    pub status: Status,
    /// Reasons with what they are about: `path::symbol` or paths.
    pub reasons: Vec<(Reason, Vec<String>)>,
    /// The document was edited since too; somebody may only have to say so.
    pub doc_changed: bool,
    pub covers: usize,
    /// Line at which the section begins.
    pub line: u32,
}

/// Compares pairs with what is recorded; without a lock nothing is stale.
pub fn compare(pairs: &[Pair], lock: Option<&Lock>) -> Vec<State> {
    // Of a pair that never had code nothing can be said; one that has lost all of it is recorded.
    let is_recorded = |pair: &Pair| lock.is_some_and(|lock| lock.pairs.contains_key(&pair.key));
    let mut states: Vec<State> = pairs
        .iter()
        .filter(|pair| !pair.covers.is_empty() || is_recorded(pair))
        .map(|pair| state(pair, lock))
        .collect();
    states.sort_by(|a, b| (a.status, &a.key).cmp(&(b.status, &b.key)));
    states
}

fn state(pair: &Pair, lock: Option<&Lock>) -> State {
    let base = State {
        key: pair.key.clone(),
        status: Status::Fresh,
        reasons: Vec::new(),
        doc_changed: false,
        covers: pair.covers.len(),
        line: pair.line,
    };
    let Some(lock) = lock else {
        let missing = missing_modules(pair);
        let reasons =
            if missing.is_empty() { Vec::new() } else { vec![(Reason::MissingModules, missing)] };
        return State { status: Status::Unknown, reasons, ..base };
    };
    let Some(recorded) = lock.pairs.get(&pair.key) else {
        return State {
            status: Status::Stale,
            reasons: vec![(Reason::Unrecorded, Vec::new())],
            ..base
        };
    };
    let reasons = differences(pair, recorded);
    State {
        status: if reasons.is_empty() { Status::Fresh } else { Status::Stale },
        reasons,
        doc_changed: recorded.doc_hash != pair.doc_hash,
        ..base
    }
}

/// Returns how the code of a pair differs from what was recorded.
pub fn differences(pair: &Pair, recorded: &Recorded) -> Vec<(Reason, Vec<String>)> {
    let mut found: BTreeMap<Reason, BTreeSet<String>> = BTreeMap::new();
    let mut add = |reason: Reason, what: String| {
        found.entry(reason).or_default().insert(what);
    };
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for own in &pair.covers {
        seen.insert((&own.path, &own.symbol));
        let Some(symbols) = recorded.covers.get(&own.path) else {
            let mentioned = pair.mentions.contains(&stem(&own.path));
            match pair.is_module(&own.path) {
                true if mentioned => add(Reason::UntrackedFiles, own.path.clone()),
                true => add(Reason::MissingModules, own.path.clone()),
                false => add(Reason::SymbolsChanged, format!("+{}::{}", own.path, own.symbol)),
            };
            continue;
        };
        match symbols.get(&own.symbol) {
            None => add(Reason::SymbolsChanged, format!("+{}::{}", own.path, own.symbol)),
            Some((interface, _)) if *interface != own.interface => {
                add(Reason::SymbolsChanged, format!("{}::{}", own.path, own.symbol));
            }
            Some((_, body)) if !pair.interface_only && body != "-" && *body != own.body => {
                add(Reason::HashChanged, format!("{}::{}", own.path, own.symbol));
            }
            Some(_) => {}
        }
    }
    for (path, symbols) in &recorded.covers {
        for symbol in
            symbols.keys().filter(|symbol| !seen.contains(&(path.as_str(), symbol.as_str())))
        {
            add(Reason::SymbolsChanged, format!("-{path}::{symbol}"));
        }
    }
    found.into_iter().map(|(reason, what)| (reason, what.into_iter().collect())).collect()
}

/// Returns the files of a covered folder whose name the document never mentions.
fn missing_modules(pair: &Pair) -> Vec<String> {
    let paths: BTreeSet<&str> = pair.covers.iter().map(|own| own.path.as_str()).collect();
    let is_plain = |path: &str| {
        !matches!(
            stem(path).as_str(),
            "__init__" | "__main__" | "conftest" | "mod" | "lib" | "main" | "index"
        )
    };
    paths
        .into_iter()
        .filter(|path| {
            pair.is_module(path) && is_plain(path) && !pair.mentions.contains(&stem(path))
        })
        .map(str::to_owned)
        .collect()
}

/// Returns the words of a document by which modules are mentioned.
pub fn mentions(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).to_lowercase()
}

impl Pair {
    /// True for a file in one of the covered folders.
    fn is_module(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| crate::globs::holds(folder, path))
    }

    /// Returns what a lock keeps of the pair.
    pub fn recorded(&self) -> Recorded {
        let mut covers: BTreeMap<String, BTreeMap<String, (String, String)>> = BTreeMap::new();
        for own in &self.covers {
            let body = if self.interface_only { "-".to_owned() } else { own.body.clone() };
            covers
                .entry(own.path.clone())
                .or_default()
                .insert(own.symbol.clone(), (own.interface.clone(), body));
        }
        Recorded { doc_hash: self.doc_hash.clone(), covers }
    }
}

#[cfg(test)]
mod tests;
