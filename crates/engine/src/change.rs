//! A change as symbols: what was added, removed, declared differently or only rewritten, by comparing
//! the facts of both sides.

mod compare;
mod excerpt;
mod sides;

pub use compare::SymbolChange;
pub use excerpt::unified;
pub use sides::ChangeSource;

use crate::engine::Engine;
use compare::{Compared, compare};
use contextd_history::{ChangeKind, CommitId};
use contextd_lang::LanguageId;
use contextd_model::facts::modifier;
use contextd_model::{Problem, SymbolKind, Visibility};
use contextd_snapshot::Snapshot;
use rayon::prelude::*;
use sides::{FileSides, Sides};

/// What differs between two states, file by file and symbol by symbol.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// What was compared, in words: `main..work tree`.
    pub label: String,
    pub base: Option<CommitId>,
    /// `None` for the work tree and for patches.
    pub head: Option<CommitId>,
    pub files: Vec<ChangedFile>,
    /// In the order of paths and lines.
    pub symbols: Vec<ChangedSymbol>,
    /// Changed files outside the root.
    pub outside: u32,
    pub problems: Vec<Problem>,
}

/// One changed file.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    pub path: String,
    pub from: Option<String>,
    pub kind: ChangeKind,
    pub added: u32,
    pub removed: u32,
    pub binary: bool,
    /// Code outside of every symbol changed, such as imports and statements.
    pub loose: bool,
    /// Unified diff, scrubbed; empty where it cannot be shown.
    pub diff: String,
}

/// One changed symbol.
#[derive(Clone, Debug)]
pub struct ChangedSymbol {
    pub change: SymbolChange,
    /// Name with its scopes.
    pub name: String,
    pub kind: SymbolKind,
    /// Path on the new side; of a removed symbol on the old.
    pub path: String,
    pub language: LanguageId,
    /// Lines on the new side; of a removed symbol on the old.
    pub lines: (u32, u32),
    pub signature: String,
    /// Declaration on the old side, where it differs.
    pub before: String,
    pub is_public: bool,
    pub is_test: bool,
    /// Number in the snapshot, where the symbol is there.
    pub number: Option<u32>,
    /// Its part of the difference: a unified diff, or the text of what was added.
    pub text: String,
}

/// Longest text kept of one symbol's difference, in bytes.
const MAX_TEXT: usize = 16_000;
/// Longest diff kept of one file, in bytes.
const MAX_DIFF: usize = 64_000;

impl Engine {
    /// Compares two states; `snapshot` tells which symbols of the new side are indexed.
    pub fn change(&self, source: &ChangeSource, snapshot: &Snapshot) -> Change {
        let Sides { label, base, head, files, outside, problems } = self.sides(source, snapshot);
        let compared: Vec<(ChangedFile, Vec<ChangedSymbol>)> =
            files.into_par_iter().map(|file| self.compare_file(file, snapshot)).collect();
        let mut change = Change { label, base, head, outside, problems, ..Change::default() };
        for (file, symbols) in compared {
            change.files.push(file);
            change.symbols.extend(symbols);
        }
        change
    }

    fn compare_file(
        &self,
        file: FileSides,
        snapshot: &Snapshot,
    ) -> (ChangedFile, Vec<ChangedSymbol>) {
        let hunks = &file.change.hunks;
        let (added, removed) = (
            hunks.iter().map(|hunk| hunk.new.count).sum(),
            hunks.iter().map(|hunk| hunk.old.count).sum(),
        );
        let compared = compare(self, &file);
        let symbols =
            compared.symbols.iter().map(|symbol| symbol_of(&file, symbol, snapshot)).collect();
        let texts = (file.old.as_deref().unwrap_or(""), file.new.as_deref().unwrap_or(""));
        let diff = if file.is_shown() {
            unified(texts.0, texts.1, None, 2, MAX_DIFF)
        } else {
            String::new()
        };
        let changed = ChangedFile {
            path: file.change.path,
            from: file.change.from,
            kind: file.change.kind,
            added,
            removed,
            binary: file.change.binary,
            loose: compared.loose,
            diff,
        };
        (changed, symbols)
    }
}

fn symbol_of(file: &FileSides, symbol: &Compared, snapshot: &Snapshot) -> ChangedSymbol {
    let gone = symbol.change == SymbolChange::Removed;
    let path = if gone { file.change.old_path() } else { file.change.new_path() }
        .unwrap_or(&file.change.path)
        .to_owned();
    let (old, new) = (file.old.as_deref().unwrap_or(""), file.new.as_deref().unwrap_or(""));
    let text = match symbol.change {
        SymbolChange::Added => excerpt::lines(new, symbol.lines, MAX_TEXT),
        SymbolChange::Removed => excerpt::lines(old, symbol.lines, MAX_TEXT),
        _ => unified(old, new, Some((symbol.old_lines, symbol.lines)), 2, MAX_TEXT),
    };
    let number = if gone { None } else { number_of(snapshot, &path, symbol) };
    ChangedSymbol {
        change: symbol.change,
        name: symbol.name.clone(),
        kind: symbol.kind,
        language: symbol.language,
        lines: symbol.lines,
        signature: symbol.signature.clone(),
        before: symbol.before.clone(),
        is_public: !matches!(symbol.visibility, Visibility::Private | Visibility::Internal),
        is_test: symbol.modifiers & modifier::TEST != 0 || contextd_lang::paths::is_test(&path),
        number,
        text,
        path,
    }
}

/// Finds the symbol in the snapshot: of several with the name, the one nearest to its lines.
fn number_of(snapshot: &Snapshot, path: &str, symbol: &Compared) -> Option<u32> {
    let symbols = snapshot.symbols_of_file(snapshot.find_file(path)?);
    let same = symbols.skip(1).filter(|&number| {
        let named = snapshot.symbol(number);
        named.kind() == symbol.kind && named.qualified() == symbol.name
    });
    same.min_by_key(|&number| {
        (snapshot.symbol(number).start_line().abs_diff(symbol.lines.0), number)
    })
}
