//! The linked code as rules see it: files, the nodes they belong to, and which uses which.

use super::Knowledge;
use contextd_knowledge::rules::{Code, CodeFile, Use};
use contextd_lang::{LanguageId, paths};
use contextd_model::graph::EdgeRow;
use contextd_model::{EdgeKind, SymbolKind};
use contextd_snapshot::Snapshot;
use std::collections::BTreeMap;

/// True for languages of programs, as opposed to documents and data.
pub(crate) fn is_code(language: u8) -> bool {
    LanguageId(language).is_program()
}

impl Knowledge {
    /// Returns the files with code and what is known for sure of how they use each other; where
    /// annotations give definitions to other nodes than their file's, by those.
    pub fn code(&self, snapshot: &Snapshot) -> Code {
        let mut order: Vec<u32> = (0..snapshot.file_count())
            .filter(|&file| is_code(snapshot.file(file).language()))
            .collect();
        order.sort_by_key(|&file| snapshot.file(file).path());
        let places: BTreeMap<u32, usize> =
            order.iter().enumerate().map(|(place, &file)| (file, place)).collect();
        let mut code = Code {
            files: order.iter().map(|&file| self.code_file(snapshot, file)).collect(),
            ..Code::default()
        };
        let narrow = self.rules.name_definitions();
        for (place, &file) in order.iter().enumerate() {
            let mut seen = Seen {
                knowledge: self,
                snapshot,
                narrow,
                pairs: BTreeMap::new(),
                definitions: Vec::new(),
            };
            for symbol in snapshot.symbols_of_file(file) {
                for edge in uses_of(snapshot, symbol) {
                    if let Some(&target) = places.get(&snapshot.file_of(edge.target)) {
                        seen.add((symbol, place), &edge, target);
                    }
                }
            }
            let Seen { pairs, mut definitions, .. } = seen;
            definitions.sort();
            definitions.dedup_by(|one, two| {
                (one.to, &one.source, &one.target) == (two.to, &two.source, &two.target)
            });
            code.uses.extend(pairs.into_values());
            code.definitions.extend(definitions);
        }
        code
    }

    fn code_file(&self, snapshot: &Snapshot, file: u32) -> CodeFile {
        let path = snapshot.file(file).path();
        let (mut symbols, mut apart): (u32, BTreeMap<Vec<usize>, u32>) = Default::default();
        for symbol in
            snapshot.symbols_of_file(file).skip(1).filter(|&symbol| is_counted(snapshot, symbol))
        {
            match self.nodes_apart(snapshot, symbol) {
                Some(nodes) => *apart.entry(nodes).or_default() += 1,
                None => symbols += 1,
            }
        }
        CodeFile {
            path: path.to_owned(),
            symbols,
            apart: apart.into_iter().collect(),
            nodes: self.nodes_of_file(path),
            test: paths::is_test(path),
        }
    }

    /// Returns the nodes that annotations give a definition or what holds it; `None` when they give none.
    fn nodes_apart(&self, snapshot: &Snapshot, symbol: u32) -> Option<Vec<usize>> {
        if self.by_symbol.is_empty() {
            return None;
        }
        let mut at = Some(symbol);
        while let Some(number) = at {
            if let Some(nodes) = self.by_symbol.get(&number).filter(|nodes| !nodes.is_empty()) {
                return Some(self.particular(nodes.clone()));
            }
            at = snapshot.symbol(number).parent();
        }
        None
    }
}

/// Uses of one file, as they are found.
struct Seen<'a> {
    knowledge: &'a Knowledge,
    snapshot: &'a Snapshot,
    /// Every pair of definitions is wanted, not only the first of two files.
    narrow: bool,
    pairs: BTreeMap<Pair, Use>,
    definitions: Vec<Use>,
}

/// What tells uses apart: the used file, and the nodes of both definitions.
type Pair = (usize, Option<Vec<usize>>, Option<Vec<usize>>);

impl Seen<'_> {
    fn add(&mut self, (symbol, place): (u32, usize), edge: &EdgeRow, target: usize) {
        let (here, there) = (
            self.knowledge.nodes_apart(self.snapshot, symbol),
            self.knowledge.nodes_apart(self.snapshot, edge.target),
        );
        if target == place && here == there {
            return;
        }
        let used = Use {
            from: place,
            to: target,
            line: edge.line,
            import: edge.kind() == EdgeKind::Imports,
            source: self.name(symbol),
            target: self.name(edge.target),
            here,
            there,
        };
        if self.narrow && target != place {
            self.definitions.push(used.clone());
        }
        // The first line of each pair, an import before a mere name.
        let rank = |own: &Use| (!own.import, own.line);
        let kept = self
            .pairs
            .entry((target, used.here.clone(), used.there.clone()))
            .or_insert_with(|| used.clone());
        if rank(&used) < rank(kept) {
            *kept = used;
        }
    }

    /// Returns a definition's name; a file itself has none.
    fn name(&self, symbol: u32) -> String {
        let own = self.snapshot.symbol(symbol);
        if own.kind() == SymbolKind::File { String::new() } else { own.qualified().into_owned() }
    }
}

/// Returns the known uses that start at a definition; those of tests do not count.
fn uses_of(snapshot: &Snapshot, symbol: u32) -> impl Iterator<Item = EdgeRow> {
    let own = snapshot.symbol(symbol);
    let is_test = own.has(contextd_model::facts::modifier::TEST);
    let lines = own.start_line()..=own.end_line();
    // What a type implements may be written in another file: then that file uses both, the type's own does not.
    let is_here = move |edge: &EdgeRow| {
        !matches!(edge.kind(), EdgeKind::Implements | EdgeKind::Extends)
            || lines.contains(&edge.line)
    };
    snapshot
        .graph()
        .out(symbol)
        .iter()
        .filter(move |edge| !is_test && edge.is_known() && is_use(edge.kind()) && is_here(edge))
}

/// Functions and types count, members of types do not: a type is one thing.
fn is_counted(snapshot: &Snapshot, symbol: u32) -> bool {
    let own = snapshot.symbol(symbol);
    let wanted =
        own.kind().is_callable() || own.kind().is_type() && own.kind() != SymbolKind::Extension;
    let inside = own.parent().is_some_and(|parent| snapshot.symbol(parent).kind().is_type());
    wanted
        && !inside
        && !own.has(contextd_model::facts::modifier::LOCAL | contextd_model::facts::modifier::TEST)
}

fn is_use(kind: EdgeKind) -> bool {
    use EdgeKind::*;
    matches!(
        kind,
        Imports
            | Calls
            | References
            | Extends
            | Implements
            | TypeHintOf
            | AccessesField
            | Decorates
            | Throws
    )
}
