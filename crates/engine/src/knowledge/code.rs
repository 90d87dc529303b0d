//! The linked code as rules see it: files, the nodes they belong to, and which uses which.

use super::Knowledge;
use contextd_knowledge::rules::{Code, CodeFile, Use};
use contextd_lang::{LanguageId, paths};
use contextd_model::EdgeKind;
use contextd_model::graph::EdgeRow;
use contextd_snapshot::Snapshot;
use std::collections::BTreeMap;

/// True for languages of programs, as opposed to documents and data.
pub(crate) fn is_code(language: u8) -> bool {
    let language = LanguageId(language);
    language.get().full || matches!(language.name(), "bash" | "lua" | "elixir" | "haskell" | "zig" | "sql" | "protobuf")
}

impl Knowledge {
    /// Returns the files with code and what is known for sure of how they use each other.
    pub fn code(&self, snapshot: &Snapshot) -> Code {
        let mut order: Vec<u32> = (0..snapshot.file_count()).filter(|&file| is_code(snapshot.file(file).language())).collect();
        order.sort_by_key(|&file| snapshot.file(file).path());
        let places: BTreeMap<u32, usize> = order.iter().enumerate().map(|(place, &file)| (file, place)).collect();
        let files = order
            .iter()
            .map(|&file| {
                let path = snapshot.file(file).path();
                let symbols = snapshot.symbols_of_file(file).skip(1).filter(|&symbol| is_counted(snapshot, symbol)).count() as u32;
                CodeFile { path: path.to_owned(), symbols, nodes: self.nodes_of_file(path), test: paths::is_test(path) }
            })
            .collect();
        let mut uses = Vec::new();
        for (place, &file) in order.iter().enumerate() {
            // The first line of each pair, an import before a mere name.
            let mut seen: BTreeMap<usize, (bool, u32)> = BTreeMap::new();
            for symbol in snapshot.symbols_of_file(file) {
                let own = snapshot.symbol(symbol);
                let is_test = own.has(contextd_model::facts::modifier::TEST);
                // What a type implements may be written in another file: then that file uses both, the type's own does not.
                let is_here = |edge: &EdgeRow| !matches!(edge.kind(), EdgeKind::Implements | EdgeKind::Extends) || (own.start_line()..=own.end_line()).contains(&edge.line);
                for edge in snapshot.graph().out(symbol).iter().filter(|edge| !is_test && edge.is_known() && is_use(edge.kind()) && is_here(edge)) {
                    let Some(&target) = places.get(&snapshot.file_of(edge.target)).filter(|&&target| target != place) else { continue };
                    let here = (edge.kind() != EdgeKind::Imports, edge.line);
                    let kept = seen.entry(target).or_insert(here);
                    *kept = (*kept).min(here);
                }
            }
            uses.extend(seen.into_iter().map(|(target, (by_name, line))| Use { from: place, to: target, line, import: !by_name }));
        }
        Code { files, uses }
    }
}

/// Functions and types count, members of types do not: a type is one thing.
fn is_counted(snapshot: &Snapshot, symbol: u32) -> bool {
    let own = snapshot.symbol(symbol);
    let wanted = own.kind().is_callable() || own.kind().is_type() && own.kind() != contextd_model::SymbolKind::Extension;
    let inside = own.parent().is_some_and(|parent| snapshot.symbol(parent).kind().is_type());
    wanted && !inside && !own.has(contextd_model::facts::modifier::LOCAL | contextd_model::facts::modifier::TEST)
}

fn is_use(kind: EdgeKind) -> bool {
    use EdgeKind::*;
    matches!(kind, Imports | Calls | References | Extends | Implements | TypeHintOf | AccessesField | Decorates | Throws)
}
