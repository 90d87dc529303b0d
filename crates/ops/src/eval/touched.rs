//! Symbols that a commit touched and that are still there.

use contextd_engine::Reader;
use contextd_history::{ChangeSet, Hunk, MinedTask, Range, Repository};
use contextd_lang::extract;
use contextd_model::SymbolKind;
use contextd_model::config::ChunkRules;
use contextd_model::facts::FileFacts;
use std::collections::BTreeSet;

/// Largest file that is read again at a commit.
const MOST_BYTES: usize = 2_000_000;

/// Returns the symbols of the snapshot, by number, whose lines the commit changed.
pub fn touched_symbols(reader: &Reader, repository: &Repository, task: &MinedTask) -> Vec<u32> {
    let (changes, _problems): (ChangeSet, _) =
        repository.changed_files(&Range::Commit(task.id.to_string()));
    let mut found = BTreeSet::new();
    for change in changes.files.iter().filter(|change| task.files.contains(&change.path)) {
        let Some(file) = reader.snapshot.find_file(&change.path) else { continue };
        let Some(bytes) =
            repository.read(task.id, &change.path).filter(|bytes| bytes.len() <= MOST_BYTES)
        else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let facts =
            extract(&text, contextd_lang::detect(&change.path, &text), &ChunkRules::default());
        let names = names(&facts, &change.hunks);
        let present = reader.snapshot.symbols_of_file(file).skip(1);
        found.extend(present.filter(|&symbol| {
            reader.catalog.is_code(symbol)
                && names.contains(reader.snapshot.symbol(symbol).qualified().as_ref())
        }));
    }
    found.into_iter().collect()
}

/// Names of the innermost functions and types that the hunks touch.
fn names(facts: &FileFacts, hunks: &[Hunk]) -> BTreeSet<String> {
    let strings = facts.strings.view();
    let mut names = BTreeSet::new();
    for hunk in hunks {
        let touched: Vec<usize> = (1..facts.symbols.len())
            .filter(|&at| {
                is_answer(facts.symbols[at].kind())
                    && hunk.new.touches(facts.symbols[at].start_line, facts.symbols[at].end_line)
            })
            .collect();
        for &at in &touched {
            let holds_another =
                touched.iter().any(|&other| facts.symbols[other].parent as usize == at);
            if !holds_another {
                names.insert(strings.get(facts.symbols[at].qualified).to_owned());
            }
        }
    }
    names
}

fn is_answer(kind: SymbolKind) -> bool {
    kind.is_callable() || kind.is_type() && kind != SymbolKind::Extension
}

/// True for files that programs are written in.
pub fn is_source(path: &str) -> bool {
    contextd_retrieve::change::is_program(contextd_lang::detect(path, ""))
}
